"""After a tool ran: from what it returned or raised to a result that a model can read. Pure.

A result is at most 8,000 characters long, and says what was cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from pydantic_core import to_json

from labkit.calls import ErrorCode, Failure, ToolCall, ToolError, ToolOutput, ToolResult, failed
from labkit.workers import Fault, Job, raised_on_purpose

MAX_CONTENT = 8_000
NOTICE_ROOM = 200
STILL_AT_WORK = "; the tool may still be at work"
"""Said of a call that is waited for no longer and goes on: asked for again, its work may be done twice."""

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_surrogate = re.compile("[\ud800-\udfff]")


# What a tool's value comes to: whether it is good, the text for the model, the value itself, the error if there is one.
# A bare tuple, because one is made for every call.
Outcome = tuple[bool, str, Any, ToolError | None]


def outcome(tool: str, value: Any) -> Outcome:
    """Return what a value comes to, whatever the value is; only an interrupt of the caller's comes through."""
    try:
        return _outcome(tool, value)
    except BaseException as problem:  # a foreign object has its own ways to fail
        if isinstance(problem, KeyboardInterrupt) and not raised_on_purpose(problem):
            raise
        return _unsayable(tool, value)


def _outcome(tool: str, value: Any) -> Outcome:
    if type(value) is str:
        return True, capped(value), value, None
    if isinstance(value, Failure):
        hint = value.suggestion and capped(value.suggestion)
        return _failed(ToolError(value.code, capped(value.reason), tool, hint))
    ok, data = True, value
    if isinstance(value, ToolOutput):
        ok, data, value = value.ok, value.data, value.content
    text = spell(value)
    return _unsayable(tool, value) if text is None else (ok, capped(text), data, None)


def _failed(error: ToolError) -> Outcome:
    return False, capped(error.content()), None, error


def _unsayable(tool: str, value: Any) -> Outcome:
    message = f"the tool returned a {type(value).__name__}, which can't be sent as text"
    return _failed(ToolError(ErrorCode.EXECUTION_ERROR, message, tool))


def result_of(call: ToolCall, job: Job, repairs: tuple[str, ...], began: float) -> ToolResult:
    """Return the result of a job that has ended; its value is an ``Outcome``."""
    ran = not job.untouched
    started = job.started - began if job.started is not None and ran else None
    finished = job.finished - began if job.finished is not None and ran else None
    told = job.value if job.error is None else raised(job.error, job.tool.name)
    return result_from(call, told, started, finished, repairs)


def result_from(
    call: ToolCall, told: Outcome, started: float | None, finished: float | None, repairs: tuple[str, ...]
) -> ToolResult:
    """Return the result of a call; times are seconds since the run began."""
    ok, content, data, error = told
    return ToolResult(call.id, call.name, ok, content, data, error, started, finished, repairs)


def raised(fault: Fault, tool: str) -> Outcome:
    """Return what an exception comes to: its type, and the author's own words where there are any."""
    kind, words = fault
    if kind == "CancelledError" and not words:
        message = "the tool was cancelled from within"
    else:
        message = f"the tool raised {kind}: {words}" if words else f"the tool raised {kind}"
    return _failed(ToolError(ErrorCode.EXECUTION_ERROR, message, tool))


def timed_out(
    call: ToolCall, job: Job, repairs: tuple[str, ...], began: float, *, lost: bool = False, at: float | None = None
) -> ToolResult:
    """Return the result of a call whose limit has passed, or that was lost with the event loop it shared.

    ``at`` is the clock's reading at its limit, where that is looked at later; else the limit passes now.
    """
    message = "the event loop that it shared was blocked" if lost else f"no result within {job.tool.timeout:g} s"
    abandoned = job.alive
    if abandoned:
        message += STILL_AT_WORK
    error = ToolError(ErrorCode.TIMEOUT, message, job.tool.name, "ask for less at once, or try again later")
    result = failed(call, error, repairs)
    if job.started is not None:
        result.started = job.started - began
        result.finished = max(job.started, at or perf_counter()) - began
    result.abandoned = abandoned
    return result


def spell(value: Any) -> str | None:
    """Return a value as text: a string as it is, all else as JSON; None for what can't be said.

    NaN and the infinities, which JSON lacks, become strings, so that a model can tell them from null. A generator is
    not run to its end, which it may not have.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Iterator):
        return None
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return to_json(value, inf_nan_mode="strings").decode()


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
