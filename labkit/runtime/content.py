"""After a tool ran: from what it returned or raised to a result that a model can read. Pure.

A result is at most 8,000 characters long (article 1), and says what was cut.
"""

from __future__ import annotations

import json
import re
from time import perf_counter
from typing import Any

from pydantic_core import to_json

from labkit.calls import ErrorCode, Failure, ToolCall, ToolError, ToolOutput, ToolResult
from labkit.workers import Fault, Job

MAX_CONTENT = 8_000
NOTICE_ROOM = 200

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_surrogate = re.compile("[\ud800-\udfff]")


def result_of(call: ToolCall, job: Job, repairs: tuple[str, ...], began: float) -> ToolResult:
    """Return the result of a job that has ended."""
    started = job.started - began if job.started is not None else None
    finished = job.finished - began if job.finished is not None else None
    return result_from(call, job.tool.name, job.value, job.error, started, finished, repairs)


def result_from(
    call: ToolCall,
    tool: str,
    value: Any,
    fault: Fault | None,
    started: float | None,
    finished: float | None,
    repairs: tuple[str, ...],
) -> ToolResult:
    """Return the result of a call that returned ``value``, or that failed with ``fault``."""
    ok, data, error = True, value, None
    if fault is not None:
        error = raised(fault, tool)
    elif isinstance(value, ToolOutput):
        ok, data, value = value.ok, value.data, value.content
    elif isinstance(value, Failure):
        error = ToolError(value.code, value.reason, tool, value.suggestion)
    text = value if type(value) is str else error.content() if error is not None else spell(value)
    if text is None:
        message = f"the tool returned a {type(value).__name__}, which can't be sent as text"
        error = ToolError(ErrorCode.EXECUTION_ERROR, message, tool)
        text = error.content()
    if error is not None:
        ok, data = False, None
    return ToolResult(call.id, call.name, ok, capped(text), data, error, started, finished, repairs)


def raised(fault: Fault, tool: str) -> ToolError:
    """Return the error for an exception: its type, and the author's own words where there are any."""
    kind, words = fault
    if kind == "CancelledError" and not words:
        return ToolError(ErrorCode.EXECUTION_ERROR, "the tool was cancelled from within", tool)
    message = f"the tool raised {kind}: {words}" if words else f"the tool raised {kind}"
    return ToolError(ErrorCode.EXECUTION_ERROR, message, tool)


def timed_out(call: ToolCall, job: Job, repairs: tuple[str, ...], began: float, *, lost: bool = False) -> ToolResult:
    """Return the result of a call whose limit has passed, or that was lost with the event loop it shared."""
    message = "another tool blocked the event loop" if lost else f"no result within {job.tool.timeout:g} s"
    error = ToolError(ErrorCode.TIMEOUT, message, job.tool.name, "ask for less at once, or try again later")
    now = perf_counter()
    started, finished = (job.started or now) - began, now - began
    return ToolResult(call.id, call.name, False, error.content(), None, error, started, finished, repairs, job.alive)


def spell(value: Any) -> str | None:
    """Return a value as text: a string as it is, all else as JSON; None for what can't be said.

    NaN and the infinities, which JSON lacks, become strings, so that a model can tell them from null.
    """
    if isinstance(value, str):
        return str(value)
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return to_json(value, inf_nan_mode="strings").decode()
    except Exception:  # foreign objects have their own ways to fail
        return None


def capped(text: str) -> str:
    """Return a text that fits; a cut one says so first, so that it can't be taken for whole JSON."""
    if not text.isascii():
        text = _surrogate.sub("\ufffd", text)
    if len(text) <= MAX_CONTENT:
        return text
    kept = MAX_CONTENT - NOTICE_ROOM
    return (
        f"[cut: the first {kept:,} of {len(text):,} characters follow; {len(text) - kept:,} are missing. "
        f"Ask for less at once, or for the rest in parts.]\n{text[:kept]}"
    )
