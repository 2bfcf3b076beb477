"""The turns of a trace: what the model said, what it asked for, and which lines tell of each call.

Pure. Calls and answers are paired within a turn, by id and then by position, since ids are used again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from labkit.calls import ToolCall
from labkit.trace import Line


@dataclass(frozen=True)
class Asked:
    """One call of a run. A value; ``position`` counts from 0 over the run, ``turn`` from 1.

    ``asked``, ``started``, ``answered`` and ``ended`` are the lines that tell of it, None where there is none.
    ``content`` and ``error`` are those of its answer; ``ok`` is what the end line says, None where there is none.
    """

    position: int
    turn: int
    id: str
    name: str
    arguments: Any
    asked: int
    started: int | None = None
    answered: int | None = None
    ended: int | None = None
    content: str | None = None
    error: dict[str, Any] | None = None
    ok: bool | None = None

    @property
    def call(self) -> ToolCall:
        """The call as it was received."""
        return ToolCall(self.id, self.name, self.arguments)


@dataclass(frozen=True)
class Step:
    """One turn: the model's words and its calls. A value; ``line`` is the line of its message."""

    number: int
    line: int
    content: str
    calls: tuple[Asked, ...]
    finish_reason: str = "tool_calls"


def steps_of(lines: Sequence[Line]) -> tuple[Step, ...]:
    """Return the turns of a trace, with all that its lines tell of their calls."""
    steps: list[Step] = []
    asked: list[Asked] = []
    count = 0
    for place, line in enumerate(lines, 1):
        if line.get("type") == "message" and line["message"].get("role") == "assistant":
            _keep(steps, asked)
            asked = list(_asked(line["message"], count, len(steps) + 1, place))
            count += len(asked)
            said, reason = str(line["message"].get("content") or ""), str(line.get("finish_reason") or "tool_calls")
            steps.append(Step(len(steps) + 1, place, said, (), reason))
        else:
            _take(asked, place, line)
    _keep(steps, asked)
    return tuple(steps)


def _keep(steps: list[Step], asked: list[Asked]) -> None:
    if steps:
        steps[-1] = replace(steps[-1], calls=tuple(asked))


def _asked(message: dict[str, Any], first: int, turn: int, place: int) -> Iterable[Asked]:
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    for number, call in enumerate(found):
        name = str(call.get("name") or "")
        yield Asked(first + number, turn, str(call.get("id") or ""), name, call.get("arguments"), place)


def _take(asked: list[Asked], place: int, line: Line) -> None:
    """Put a line to the call that it tells of: the first of this id that still lacks such a line, else the first."""
    message, payload = line.get("message") or {}, line.get("payload") or {}
    if message.get("role") == "tool":
        error = message.get("error")
        told: dict[str, Any] = {"answered": place, "content": str(message.get("content") or "")}
        told["error"] = error if isinstance(error, dict) else None
        _put(asked, message.get("tool_call_id"), lambda call: call.answered is None, told)
    elif line.get("event") == "tool_start":
        _put(asked, payload.get("call_id"), lambda call: call.started is None, {"started": place})
    elif line.get("event") == "tool_finished":
        ended = {"ended": place, "ok": payload.get("ok") is True}
        _put(asked, payload.get("call_id"), lambda call: call.ended is None, ended)


def _put(asked: list[Asked], id: Any, lacks: Callable[[Asked], bool], told: dict[str, Any]) -> None:
    open_ones = [number for number, call in enumerate(asked) if lacks(call)]
    of_this_id = [number for number in open_ones if asked[number].id == id]
    for number in (of_this_id or open_ones)[:1]:
        asked[number] = replace(asked[number], **told)
