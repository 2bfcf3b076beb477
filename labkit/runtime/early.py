"""Calls that start while the reply they stand in still streams: only reads, and only those that wait for nobody.

Chapter 10. Everything here happens on the caller's thread; only the jobs are elsewhere.

    >>> early = runtime.early()
    >>> early.offer(0, ToolCall("call_1", "read_file", '{"path": "shop.py"}'))
    True
    >>> runtime.dispatch_many(reply.tool_calls, early=early)            # takes over what has been started

Does not: start what may change something, know why a reply is thrown away, keep the time between two offers: a limit
that has passed, and a place that has become free, are seen at the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from labkit.calls import ToolCall, ToolResult, quote
from labkit.runtime.batch import Batch, as_planned
from labkit.runtime.prepare import Prepared
from labkit.schedule import plan
from labkit.trace import early_discarded
from labkit.workers import Job, job_for

if TYPE_CHECKING:
    from labkit.runtime.runtime import ToolRuntime

EARLY_POLICIES = ("barriers", "by_resource")
"""The policies whose outcome is that of serial order: there a read that waits for nobody may run at any time."""
NOBODY = -1  # the position of a job whose result nobody takes


class Started(NamedTuple):
    """A call that is at work, or has ended, before its reply was whole. ``spelled`` is the call as it was then."""

    item: Prepared
    spelled: object
    job: Job
    limit: float | None


class EarlyCalls:
    """The calls of one reply that were started before it was whole.

    A call is started at most once, and only where it is valid, of a read-only and parallel-safe tool, and waits for
    none of the calls before it. So all of these must be whole too; ``offer`` takes them in any order.
    ``started`` holds what was started, by position. ``whole`` is when the reply was whole, in seconds since the run
    began, None before that.
    """

    def __init__(self, runtime: ToolRuntime, began: float, refuses: Callable[[ToolCall], object] | None = None) -> None:
        require_policy(runtime.policy)
        self.began = began
        self.whole: float | None = None
        self.started: dict[int, Started] = {}
        self._runtime = runtime
        self._refuses = refuses
        self._done: SimpleQueue[Job] = SimpleQueue()
        self._next = 0
        self._told: dict[int, ToolCall] = {}  # whole, but a call before it is not yet
        self._unsafe: list[ToolCall] = []
        self._ready: dict[int, tuple[Prepared, object]] = {}  # waits for none of this reply

    def offer(self, position: int, call: ToolCall) -> bool:
        """Hear that the call at ``position`` of the reply is whole; return whether it is at work now.

        Of a position the first call counts. After the reply was whole nothing is started.
        Raises TypeError for what is no call, ValueError for what is no position.
        """
        if not isinstance(call, ToolCall):
            raise TypeError(f"a call must be a ToolCall, not a {type(call).__name__}: ToolCall(**call)")
        if type(position) is not int or position < 0:
            raise ValueError(f"a position is a whole number from 0, not {quote(position)}")
        if self.whole is None:
            if position >= self._next:
                self._told.setdefault(position, call)
            while self._next in self._told:
                self._know(self._next, self._told.pop(self._next))
                self._next += 1
            self._start_what_may()
        return position in self.started

    def close(self) -> None:
        """The reply is whole, or will never be: nothing more is started here."""
        if self.whole is None:
            self.whole = perf_counter() - self.began

    def discard(self, position: int, reason: str) -> dict[str, Any]:
        """Stop a call that was started, as far as its place can, forget its result, and return the event for that."""
        each = self.started.pop(position)
        each.job.position = NOBODY
        each.job.stop()
        begun = None if each.job.untouched else each.job.started
        return early_discarded(each.item.call, reason, None if begun is None else begun - self.began)

    def renumber(self, positions: Sequence[int]) -> None:
        """Give what was started the places that the calls at ``positions`` have among themselves."""
        self.started = {new: self.started[old] for new, old in enumerate(positions) if old in self.started}

    def prepare(self, calls: Sequence[ToolCall]) -> list[Prepared | ToolResult]:
        """Return the calls ready to run, or refused; those that were started are not judged again."""
        self.close()
        return [self._as_started(i, call) or self._runtime._prepare(call) for i, call in enumerate(calls)]

    def hand_over(
        self, batch: Batch, calls: Sequence[ToolCall], first: int, on_event: Callable[[dict[str, Any]], None] | None
    ) -> None:
        """Give a batch what was started and is still asked for; discard the rest. Call 0 stands at ``first`` there.

        A call is another one if its name or its arguments have changed, and so it is if one before it has become one
        that it must wait for.
        """
        asked = [i for i, call in enumerate(calls) if self._as_started(i, call)]
        kept = [i for i in asked if all(other < first for other in batch.plan[first + i])]
        batch.take_over({first + i: self.started[i][2:] for i in kept}, self._done)
        for position in kept:
            del self.started[position]
        for position in list(self.started):
            line = self.discard(position, "changed")
            if on_event is not None:
                on_event(line)

    def _as_started(self, position: int, call: ToolCall) -> Prepared | None:
        """Return the call with the values that it was started with; None if it was not started, or has changed."""
        each = self.started.get(position)
        if each is None or each.spelled != spelled(call):
            return None
        return Prepared(call, each.item.gate, each.item.values, each.item.repairs)

    def _know(self, position: int, call: ToolCall) -> None:
        """Take the next call in, in call order. What is refused waits for nobody and holds nobody."""
        if self._refuses is not None and self._refuses(call):
            return
        as_told = spelled(call)
        item = self._runtime._prepare(call)
        if not isinstance(item, Prepared):
            return
        if not (item.tool.readonly and item.tool.parallel_safe):
            self._unsafe.append(as_planned(item))
        elif not self._waits(self._unsafe, item):
            self._ready[position] = item, as_told

    def _waits(self, before: Sequence[ToolCall], item: Prepared) -> bool:
        """Whether a read waits for one of these. Other reads need not be asked: safe ones never wait for each other."""
        found = before and plan([*before, as_planned(item)], self._runtime.registry, self._runtime.policy)
        return bool(found and found[len(before)])

    def _start_what_may(self) -> None:
        """Start what no held call stops, in call order, as long as there are free places."""
        now, working = perf_counter(), 0
        for each in self.started.values():
            if each.job.finished is None and not each.job.stopped:
                if each.limit is not None and each.limit <= now:
                    each.job.stop()
                else:
                    working += 1
        held = [each.call for each in self._runtime._still_held()]
        for position, (item, as_told) in list(self._ready.items()):
            if working >= self._runtime.max_parallel:
                return
            if not self._waits(held, item):
                del self._ready[position]
                working += self._start(position, item, as_told)

    def _start(self, position: int, item: Prepared, as_told: object) -> bool:
        job = job_for(item.tool, item.values, self._done, NOBODY, self._runtime.executor, item.gate.finish)
        limit = None if item.tool.timeout is None else perf_counter() + item.tool.timeout
        self.started[position] = Started(item, as_told, job, limit)
        try:
            job.start()
        except RuntimeError:  # the system gives no more threads: the call has its turn when the reply is whole
            del self.started[position]
            return False
        return True


def require_policy(policy: str) -> None:
    """Raise ValueError, saying what to do, for a policy under which no call may start early."""
    if policy not in EARLY_POLICIES:
        names = " or ".join(f'"{name}"' for name in EARLY_POLICIES)
        raise ValueError(f'early dispatch needs the policy {names}, not "{policy}": ToolRuntime(registry, policy=…)')


def spelled(call: ToolCall) -> object:
    """Return a call's name and arguments as text, so that ``1`` and ``true`` differ and no later change is missed."""
    try:
        return call.name, type(call.arguments), call.arguments if type(call.arguments) is str else repr(call.arguments)
    except Exception:  # a foreign object's own repr: such a call equals none
        return object()
