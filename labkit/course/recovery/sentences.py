"""One plain sentence for each line of a trace. Pure; no times, so that two runs of one script read the same."""

from __future__ import annotations

from typing import Any

from labkit.calls import many
from labkit.trace import Line

LONGEST = 100
NAMED = 4


def sentence(line: Line) -> str:
    """Return what a line says. A line of a kind that is not known here is named."""
    if line.get("type") == "message":
        return _of_message(line["message"])
    tell = _EVENTS.get(str(line.get("event")))
    return tell(line.get("payload") or {}) if tell else f"the event {short(str(line.get('event')))}"


def short(text: str, room: int = LONGEST) -> str:
    """Return text on one line, cut where there is no more room."""
    text = " ".join(text[: 4 * room].split())
    return text if len(text) <= room else text[: room - 1] + "…"


def _of_message(message: dict[str, Any]) -> str:
    role, content = message.get("role"), short(str(message.get("content") or ""))
    if role == "tool":
        first = str(message.get("content") or "").partition("\n")[0]
        return f"the answer to {short(str(message.get('tool_call_id')))}: {short(first)}"
    if role != "assistant":
        return f"the {short(str(role))} message: {content}"
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not calls:
        return f"the model answers: {content}"
    named = [f"{call.get('id')} {call.get('name')}" for call in calls[:NAMED] if isinstance(call, dict)]
    more = [f"{len(calls) - NAMED} more"] if len(calls) > NAMED else []
    return f"the model asks for {short(', '.join([*named, *more]))}" + (f": {content}" if content else "")


def _started(payload: dict[str, Any]) -> str:
    kinds = {"read": "it only reads", "write": "it may change things", "refused": "it will not be run"}
    kind = kinds.get(str(payload.get("kind")), "")
    return f"{_named(payload)} is taken up" + (f": {kind}" if kind else "")


def _ended(payload: dict[str, Any]) -> str:
    told = "ok" if payload.get("ok") is True else f"failed, {short(str(payload.get('code')))}"
    if payload.get("ok") is not True and payload.get("code") is None:
        told = "it worked, and what it looked at did not pass"
    return f"{_named(payload)} is over: {told}" + ("" if payload.get("started") is not None else "; it never ran")


def _named(payload: dict[str, Any]) -> str:
    return short(f"{payload.get('call_id')} {payload.get('name')}")


def _closed(payload: dict[str, Any]) -> str:
    steps = payload.get("steps")
    after = f" after {many(steps, 'decision')}" if isinstance(steps, int) else ""
    return f"the run ends: {short(str(payload.get('reason')))}{after}"


_EVENTS = {
    "session_start": lambda payload: f"the run begins: {short(str(payload.get('task')))}",
    "decision": lambda payload: f"the model is asked for decision {payload.get('step')}",
    "tool_batch": lambda payload: f"{payload.get('size')} calls in one message, mode {short(str(payload.get('mode')))}",
    "tool_start": _started,
    "tool_finished": _ended,
    "session_end": _closed,
}
