"""Places that are lent to us: executors of the caller's, and how a call is handed to one."""

from __future__ import annotations

from contextvars import Context, ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any

from labkit.declare import Tool
from labkit.workers import processes
from labkit.workers.calling import call_function, parts
from labkit.workers.child import Fault, fault
from labkit.workers.jobs import Job

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_lent: ContextVar[Executor] = ContextVar("labkit_executor")


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
            return self.executor.submit(Context().run, _borrowed, self.executor, self.tool, self.values)
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


def runs_here(executor: Executor) -> bool:
    """Whether this is a call in that executor: what it starts there may wait for the very place that it holds."""
    return _lent.get(None) is executor


def _borrowed(executor: Executor, tool: Tool, values: dict[str, Any]) -> Any:
    _lent.set(executor)
    return call_function(tool, values)
