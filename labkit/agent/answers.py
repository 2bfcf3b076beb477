"""The answers that the loop gives itself: to calls that it does not run, and to those whose results were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.calls import ErrorCode, ToolCall, ToolError, ToolResult, failed


def cut_off(call: ToolCall) -> ToolResult:
    """Return the answer to a call of a reply that ended at its length limit."""
    message = "the reply was cut off at its length limit, so the arguments may be incomplete; not run"
    return failed(call, ToolError(ErrorCode.TRUNCATED, message, call.name, "send the call again, shorter"))


def surplus(call: ToolCall, limit: int) -> ToolResult:
    """Return the answer to a call beyond those that are taken from one message."""
    message = f"not run: at most {limit} calls are taken from one message"
    return failed(call, ToolError(ErrorCode.TOO_MANY_CALLS, message, call.name, "ask for the rest in the next turn"))


def interrupted(call: ToolCall) -> ToolResult:
    """Return the answer to a call whose result was lost when the run was interrupted."""
    message = "the run was interrupted before there was a result; the tool may have run"
    return failed(call, ToolError(ErrorCode.CANCELLED, message, str(call.name)))


def in_call_order(
    calls: Sequence[ToolCall], unrun: Mapping[int, ToolResult], ran: Sequence[ToolResult]
) -> list[ToolResult]:
    """Return one result per call: the answers to those not run at their positions, the others in between."""
    left = iter(ran)
    return [unrun[i] if i in unrun else next(left, None) or interrupted(call) for i, call in enumerate(calls)]
