"""One call at work, wherever it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from labkit.declare import Tool
from labkit.workers import loops, processes, threads
from labkit.workers.calling import call_function, parts
from labkit.workers.child import Fault, fault

_current: ContextVar[Job] = ContextVar("labkit_job")


def on_stop(callback: Callable[[], object]) -> None:
    """Have ``callback`` called when the call that runs here is stopped: at its limit, or at an interrupt.

    A thread can't be ended, but what a tool waits for often can, such as a process of its own. Outside a call this
    does nothing.
    """
    job = _current.get(None)
    if job is not None:
        job.end_with = callback
        if job.stopped:
            callback()


def as_it_is(value: Any) -> Any:
    """Return the value: where nothing is to be made of it."""
    return value


class Job:
    """One call at work. ``started`` and ``finished`` are ``perf_counter`` readings; ``error`` is set where it failed.

    A job runs in a thread. ``stop`` abandons it: nothing can end a thread, so it goes on until it ends by itself.
    ``finish`` turns what the tool returned into ``value``, where the tool ran and within its limit: it may take long.
    """

    # Defaults stand on the class: a job is made for every call.
    started: float | None = None
    finished: float | None = None
    value: Any = None
    error: Fault | None = None
    stopped = False
    withdrawn = False
    untouched = False  # it ended before the tool's function could be called
    end_with: Callable[[], object] | None = None

    def __init__(
        self,
        tool: Tool,
        values: dict[str, Any],
        done: SimpleQueue[Any],
        position: int = 0,
        finish: Callable[[Any], Any] = as_it_is,
    ) -> None:
        self.tool = tool
        self.values = values
        self.done = done
        self.position = position
        self.finish = finish
        self.context: Context = copy_context()
        self.ticket = [True]  # whoever takes it decides: the worker that the call runs, ``stop`` that it never will

    @property
    def alive(self) -> bool:
        """Whether the call is at work, stopped or not."""
        return not self.ticket and not self.withdrawn and self.finished is None

    def start(self) -> None:
        """Begin; returns at once. The end is announced by the job itself, put on ``done``."""
        threads.hand_over(self)

    def run(self) -> None:
        """Do the work in this thread, unless it was stopped already; nothing that the tool raises gets out."""
        if self.taken():
            self.started = perf_counter()
            try:
                self.value = self.context.run(self.call)
            except BaseException as problem:
                self.error = fault(problem)
            self.finished = perf_counter()

    def taken(self) -> bool:
        """Take the ticket; only one can. A list gives its last item to one thread alone."""
        try:
            return self.ticket.pop()
        except IndexError:
            return False

    def call(self) -> Any:
        """Call the function, in a context that knows this job."""
        _current.set(self)
        return self.finish(call_function(self.tool, self.values))

    def stop(self) -> None:
        """End the work as far as this place can; what has not begun never will."""
        self.stopped = True
        if self.taken():
            self.withdrawn = True
        if self.end_with is not None:
            with contextlib.suppress(Exception):  # a tool's own clean-up must not break the batch
                self.end_with()

    def place_is_lost(self) -> bool:
        """Whether stopping this job has taken its whole place with it, so that the siblings there are lost too."""
        return False

    def shares_place(self, other: Job) -> bool:
        """Whether the other job is at work in the same place and is lost with it."""
        return False


class LoopJob(Job):
    """A coroutine on the background loop. ``stop`` cancels it; a loop that it blocks is given up."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.loop = loops.current()
        self.task: Any = None

    def start(self) -> None:
        self.loop.submit(self)

    async def work(self) -> None:
        """Await the function; runs on the loop.

        The ticket is taken here and not when the task is made: a loop that is blocked in between may come to it late.
        """
        if not self.taken():
            return
        self.started = perf_counter()
        try:
            _current.set(self)
            self.value = self.finish(await call_function(self.tool, self.values))
        except BaseException as problem:  # a cancelled or exiting tool is that tool's end, not the loop's
            self.error = fault(problem)
        self.finished = perf_counter()
        self.done.put(self)

    def stop(self) -> None:
        super().stop()
        self.loop.cancel(self)

    def place_is_lost(self) -> bool:
        return self.loop.lost()

    def shares_place(self, other: Job) -> bool:
        return isinstance(other, LoopJob) and other.loop is self.loop


class ProcessJob(Job):
    """A function in a process of its own, watched by a thread. ``stop`` kills it and its children."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.child = processes.Child()

    def run(self) -> None:
        if self.taken():
            self.started = perf_counter()
            value, self.error = self.child.call(self.tool, parts(self.tool, self.values))
            self.untouched = not self.child.made
            if self.error is None:
                self.value = self.finish(value)
            self.finished = perf_counter()

    def stop(self) -> None:
        super().stop()
        self.child.kill()
        self.finished = self.finished or perf_counter()
