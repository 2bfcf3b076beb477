"""One small executor that runs any plan: start what is free to start, wait for the next end or the next limit.

Everything here happens on the caller's thread; only the jobs are elsewhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING

from labkit.calls import ToolCall, ToolResult
from labkit.runtime.answers import cancelled, no_thread, stopped
from labkit.runtime.content import result_of, timed_out
from labkit.runtime.prepare import Prepared
from labkit.schedule import Plan
from labkit.workers import Job, job_for

if TYPE_CHECKING:
    from concurrent.futures import Executor

SLICE = 0.2
"""Seconds of one wait; an interrupt is seen at the latest after one slice, on every platform."""


class Held:
    """An unsafe call that outlived its limit: it stands before all later calls until it ends. Typed values inside."""

    __slots__ = ("call", "job")

    def __init__(self, call: ToolCall, job: Job) -> None:
        self.call = call
        self.job = job


class Batch:
    """The state of one run of a plan.

    ``items`` are, by position in the plan: a held call of an earlier batch, a call ready to run, or a refusal.
    ``results`` has one entry per position once ``run`` is over; ``held`` those that must hold later calls.
    """

    def __init__(
        self,
        plan: Plan,
        items: list[Held | Prepared | ToolResult],
        began: float,
        max_parallel: int,
        executor: Executor | None,
        on_result: Callable[[ToolResult], None],
    ) -> None:
        self.plan = plan
        self.items = items
        self.began = began
        self.max_parallel = max_parallel
        self.executor = executor
        self.on_result = on_result
        self.results: list[ToolResult | None] = [None] * len(items)
        self.held: list[Held] = []
        self._waits = [set(others) for others in self.plan.waits_for]
        self._dependants: list[list[int]] = [[] for _ in self.items]
        for position, others in enumerate(self.plan.waits_for):
            for other in others:
                self._dependants[other].append(position)
        self._ready: list[int] = []
        self._running: dict[int, tuple[Job, float | None]] = {}
        self._early_limits: dict[int, float] = {}
        self._done: SimpleQueue[Job] = SimpleQueue()

    def take_over(self, started: Mapping[int, tuple[Job, float | None]], done: SimpleQueue[Job]) -> None:
        """Take over, before ``run``, calls by position that are at work or have ended; all announce that on ``done``.

        A limit is the reading of the clock that its call has to end by, whenever its end is taken in.
        """
        self._done = done
        self._early_limits = {i: limit for i, (_, limit) in started.items() if limit is not None}
        for position, (job, _) in started.items():
            job.position = position
        self._running |= started

    def run(self) -> None:
        """Run to the end. After an exception in the caller's thread, such as an interrupt, call ``abandon_all``."""
        self._open()
        while self._ready or self._running:
            self._start_ready()
            self._await_one()

    def _open(self) -> None:
        stuck = [i for i, item in enumerate(self.items) if isinstance(item, Held)]
        self._cancel(self.plan.depends_on(stuck) if stuck else ())
        for position, item in enumerate(self.items):
            if isinstance(item, ToolResult):
                self._settle(position, item)
        for position, item in enumerate(self.items):
            free = isinstance(item, Prepared) and not self._waits[position] and self.results[position] is None
            if free and position not in self._running:
                heapq.heappush(self._ready, position)

    def _start_ready(self) -> None:
        while self._ready and len(self._running) < self.max_parallel:
            position = heapq.heappop(self._ready)
            item = self._prepared(position)
            job = job_for(item.tool, item.values, self._done, position, self.executor, item.gate.finish)
            limit = item.tool.timeout
            self._running[position] = (job, None if limit is None else perf_counter() + limit)
            try:
                job.start()
            except RuntimeError:  # the system gives no more threads
                self._end(position, no_thread(item))

    def _await_one(self) -> None:
        """Wait for the next end or limit, then take in all that has ended; only then look at the limits."""
        if not self._running:
            return
        limits = [limit for _, limit in self._running.values() if limit is not None]
        wait = min(SLICE, max(0.0, min(limits) - perf_counter())) if limits else SLICE
        try:
            self._take(self._done.get(timeout=wait))
            while True:
                self._take(self._done.get_nowait())
        except Empty:
            pass
        now = perf_counter()
        for position, (job, limit) in list(self._running.items()):
            if limit is not None and limit <= now and position in self._running and job.finished is None:
                self._expire(position, job)

    def _take(self, job: Job) -> None:
        if job.position in self._running:  # else its limit had passed
            item = self._prepared(job.position)
            late = self._too_late(job.position, job) if self._early_limits else None
            self._end(job.position, late or result_of(item.call, job, item.repairs, self.began))

    def _too_late(self, position: int, job: Job) -> ToolResult | None:
        """Return the answer to a call that was taken over and did not end within its limit; None for all others."""
        limit = self._early_limits.get(position)
        if limit is None or (perf_counter() if job.finished is None else job.finished) <= limit:
            return None
        item = self._prepared(position)
        return timed_out(item.call, job, item.repairs, self.began, at=limit)

    def _expire(self, position: int, job: Job) -> None:
        """A limit has passed. A coroutine that blocks its loop takes its siblings on that loop with it."""
        if not job.stopped:  # one that was taken over may be
            job.stop()
        lost = {position: job}
        if job.place_is_lost():
            lost |= {i: other for i, (other, _) in self._running.items() if job.shares_place(other)}
        for i, other in lost.items():
            if other is not job:
                other.stop()
            self.held += held_by(self._prepared(i), other)
        # Dependants are cancelled before any call is released: none of them may slip through.
        self._cancel(self.plan.depends_on([i for i, other in lost.items() if other.alive and unsafe(other)]))
        for i, other in lost.items():
            item = self._prepared(i)
            at = self._early_limits.get(i) if other is job else None
            self._end(i, timed_out(item.call, other, item.repairs, self.began, lost=other is not job, at=at))

    def _cancel(self, positions: Iterable[int]) -> None:
        for position in sorted(positions):
            item = self.items[position]
            if isinstance(item, Prepared) and self.results[position] is None and position not in self._running:
                self._settle(position, cancelled(item, "a call before it is still running"))

    def _end(self, position: int, result: ToolResult) -> None:
        """Settle a call, then let go of it: in this order, so that an interrupt in between loses nothing."""
        self._settle(position, result)
        self._running.pop(position, None)
        for other in self._dependants[position]:
            self._waits[other].discard(position)
            runnable = isinstance(self.items[other], Prepared) and self.results[other] is None
            if runnable and not self._waits[other]:
                heapq.heappush(self._ready, other)

    def _settle(self, position: int, result: ToolResult) -> None:
        self.results[position] = result
        self.on_result(result)

    def abandon_all(self) -> None:
        """Stop what can be stopped and answer what has no answer; no event is sent, the caller is on its way out."""
        for position, (job, _) in self._running.items():
            item = self._prepared(position)
            answer = stopped(item, job, self.began)
            answer = self._too_late(position, job) or answer
            self.held += held_by(item, job)
            if self.results[position] is None:
                self.results[position] = answer
        for position, each in enumerate(self.items):
            if self.results[position] is None and isinstance(each, Prepared):
                self.results[position] = cancelled(each, "the run was interrupted")
            elif isinstance(each, ToolResult):
                self.results[position] = each

    def _prepared(self, position: int) -> Prepared:
        item = self.items[position]
        assert isinstance(item, Prepared)
        return item


def held_by(item: Prepared, job: Job) -> list[Held]:
    """Return the call as one that holds later ones, where it is still at work and not safe beside them."""
    return [Held(as_planned(item), job)] if job.alive and unsafe(job) else []


def as_planned(item: Prepared) -> ToolCall:
    """Return the call as ``plan`` wants it: with its validated values."""
    return ToolCall(item.call.id, item.tool.name, item.values)


def unsafe(job: Job) -> bool:
    """Whether later calls may have to wait for this one even when its limit has passed."""
    return not (job.tool.readonly and job.tool.parallel_safe)
