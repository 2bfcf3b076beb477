"""The place of a call: what its tool asks for, or the executor that was lent."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from labkit.declare import Tool
from labkit.workers.jobs import Job, LoopJob, ProcessJob, as_it_is
from labkit.workers.lent import ExecutorJob, runs_here

if TYPE_CHECKING:
    from concurrent.futures import Executor


def job_for(
    tool: Tool,
    values: dict[str, Any],
    done: SimpleQueue[Any],
    position: int = 0,
    executor: Executor | None = None,
    finish: Callable[[Any], Any] = as_it_is,
) -> Job:
    """Return the job for a call, in the place that its tool asks for. ``executor`` takes what would run in a thread."""
    if tool.is_async:
        return LoopJob(tool, values, done, position, finish)
    if tool.run_in == "process":
        return ProcessJob(tool, values, done, position, finish)
    if executor is not None and not runs_here(executor):
        job = ExecutorJob(tool, values, done, position, finish)
        job.executor = executor
        return job
    return Job(tool, values, done, position, finish)
