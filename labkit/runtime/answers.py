"""The runtime's own answers: to calls that it does not run, or that did not come to their end."""

from __future__ import annotations

from time import perf_counter

from labkit.calls import ErrorCode, ToolCall, ToolError, ToolResult, failed
from labkit.runtime.content import STILL_AT_WORK, result_of
from labkit.runtime.prepare import Prepared
from labkit.workers import Job


def cancelled(item: Prepared, why: str) -> ToolResult:
    """Return the answer to a call that is not run."""
    error = ToolError(ErrorCode.CANCELLED, f"not run: {why}", item.tool.name)
    return failed(item.call, error, item.repairs)


def interrupted(item: Prepared, started: float | None, began: float, abandoned: bool = False) -> ToolResult:
    """Return the answer to a call that was at work, or was to be, when the run was interrupted."""
    if started is None:
        return cancelled(item, "the run was interrupted")
    message = "the run was interrupted while the tool was at work" + (STILL_AT_WORK if abandoned else "")
    result = failed(item.call, ToolError(ErrorCode.CANCELLED, message, item.tool.name), item.repairs)
    result.abandoned = abandoned
    result.started, result.finished = started - began, perf_counter() - began
    return result


def stopped(item: Prepared, job: Job, began: float) -> ToolResult:
    """Stop a job; return its result if it had ended by itself, else the answer to one that was interrupted."""
    had_ended = job.finished is not None
    job.stop()
    if had_ended:
        return result_of(item.call, job, item.repairs, began)
    job.place_is_lost()  # so that a coroutine has ended before it is asked whether it has
    return interrupted(item, job.started, began, job.alive)


def no_thread(item: Prepared) -> ToolResult:
    """Return the answer where the system gives no more threads."""
    error = ToolError(ErrorCode.EXECUTION_ERROR, "no thread could be started for the tool", item.tool.name)
    return failed(item.call, error, item.repairs)


def not_run(call: ToolCall) -> ToolResult:
    """Return the answer to a call of a batch that was interrupted before anything ran."""
    name = str(call.name)
    return failed(call, ToolError(ErrorCode.CANCELLED, "not run: the run was interrupted", name))


def unknown_end(call: ToolCall) -> ToolResult:
    """Return the answer to a call that was interrupted where nobody can tell whether its tool had run."""
    message = "the run was interrupted before there was a result; the tool may have run"
    return failed(call, ToolError(ErrorCode.CANCELLED, message, str(call.name)))
