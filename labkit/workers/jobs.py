"""One call at work, wherever it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any

from labkit.declare import Tool
from labkit.workers import loops, processes, threads
from labkit.workers.calling import call_function, parts
from labkit.workers.child import Fault, fault

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

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


def _as_it_is(value: Any) -> Any:
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
        finish: Callable[[Any], Any] = _as_it_is,
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
        """Await the function; runs on the loop."""
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


class ExecutorJob(Job):
    """A function handed to an executor of the caller's. ``stop`` withdraws it if it waits, else abandons it."""

    executor: Executor
    future: Future[Any] | None

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.future = None

    def start(self) -> None:
        if not self.taken():
            return
        self.started = perf_counter()
        try:
            self.future = self._submit()
        except processes.CannotSend as problem:
            self._refused(Fault("CannotSend", str(problem)))
            return
        except Exception as problem:  # a broken or closed executor fails this call, not the batch
            self._refused(Fault(type(problem).__name__, "the executor took no call"))
            return
        self.future.add_done_callback(self._announce)

    def _submit(self) -> Future[Any]:
        from concurrent.futures import ThreadPoolExecutor

        if isinstance(self.executor, ThreadPoolExecutor):
            # A context of its own: nothing of this call may stay behind in a thread that is not ours.
            return self.executor.submit(Context().run, call_function, self.tool, self.values)
        return self.executor.submit(processes.call_pickled, processes.pickled(self.tool, parts(self.tool, self.values)))

    def _refused(self, error: Fault) -> None:
        self.untouched = True
        self._end(None, error)

    def _announce(self, future: Future[Any]) -> None:
        if future.cancelled():
            self._refused(Fault("CancelledError", "the executor cancelled the call"))
        elif (problem := future.exception()) is not None:
            self._end(None, fault(problem))
        else:
            self._end(self.finish(future.result()), None)

    def _end(self, value: Any, error: Fault | None) -> None:
        self.value, self.error = value, error
        self.finished = perf_counter()
        self.done.put(self)

    def stop(self) -> None:
        super().stop()
        if self.future is not None:
            self.future.cancel()


def job_for(
    tool: Tool,
    values: dict[str, Any],
    done: SimpleQueue[Any],
    position: int = 0,
    executor: Executor | None = None,
    finish: Callable[[Any], Any] = _as_it_is,
) -> Job:
    """Return the job for a call, in the place that its tool asks for. ``executor`` takes what would run in a thread."""
    if tool.is_async:
        return LoopJob(tool, values, done, position, finish)
    if tool.run_in == "process":
        return ProcessJob(tool, values, done, position, finish)
    if executor is not None:
        job = ExecutorJob(tool, values, done, position, finish)
        job.executor = executor
        return job
    return Job(tool, values, done, position, finish)
