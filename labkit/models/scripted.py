"""A model that plays a script: the same decisions every time, with no key and no network. It is no language model."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labkit.calls import ErrorCode, ToolCall, many, quote
from labkit.history import is_closing
from labkit.models.base import ModelError, ModelReply

ERROR_CODE = r"ERROR \[(\w+)\]"


class ScriptedModel:
    """Plays the decisions of a script in order.

    A script is ``{"task", "system"?, "decisions": [{"content"?, "tool_calls"?}], "on_error": {code: decision}?}``.
    A decision of ``on_error`` is put in once, after the first tool message with that code. The place in the script is
    found from the history, so a repeated request gets the same answer; in a history that was trimmed it is not found.
    Raises ValueError, naming the place, for a script that is not of this form.
    """

    def __init__(self, script: dict[str, Any] | str | os.PathLike[str]) -> None:
        self.script = script if isinstance(script, dict) else read_script(script)
        _require_form(self.script)
        self.task: str = self.script["task"]
        self.system: str | None = self.script.get("system")
        self._place = _Place()

    @property
    def _decisions(self) -> list[dict[str, Any]]:
        """Read anew each time: a learner may change the script in place."""
        return self.script["decisions"]  # type: ignore[no-any-return]

    @property
    def _on_error(self) -> dict[str, dict[str, Any]]:
        return self.script.get("on_error", {})  # type: ignore[no-any-return]

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the next decision of the script. Raises ModelError where there is none left."""
        place = self._find(messages)
        if place.inserted:
            return _as_reply(self._on_error[place.inserted[0]])
        if place.next < len(self._decisions):
            return _as_reply(self._decisions[place.next])
        raise ModelError(
            f"the script has {many(len(self._decisions), 'decision')}, and no more is left to play; "
            "add one, or start again from the task"
        )

    def _find(self, messages: Sequence[dict[str, Any]]) -> _Place:
        """Replay the history from the task, or go on from where the last request had come to."""
        place = self._place
        if not place.stands_in(messages):
            place = self._place = _Place(self._start(messages))
        for message in messages[place.read :]:
            place.take(message, self._on_error)
        place.last = messages[-1] if messages else None
        return place

    def _start(self, messages: Sequence[dict[str, Any]]) -> int:
        """Return where the last task begins: the last user message that is one."""
        asked = [i for i, m in enumerate(messages) if m.get("role") == "user" and not is_closing(m)]
        tasks = [i for i in asked if messages[i].get("content") == self.task]
        return (tasks or asked or [0])[-1]

    def __repr__(self) -> str:
        return f"ScriptedModel({quote(self.task)}, {many(len(self._decisions), 'decision')})"


class _Place:
    """How far a history has been read, and what comes next."""

    def __init__(self, start: int = 0) -> None:
        self.read = start
        self.last: dict[str, Any] | None = None
        self.next = 0
        self.inserted: list[str] = []
        self._used: set[str] = set()

    def stands_in(self, messages: Sequence[dict[str, Any]]) -> bool:
        """Whether the history is the one read before, grown by turns of the same task: told by its last message."""
        if self.last is None or not 0 < self.read <= len(messages) or messages[self.read - 1] is not self.last:
            return False
        return all(m.get("role") != "user" or is_closing(m) for m in messages[self.read :])

    def take(self, message: dict[str, Any], on_error: dict[str, Any]) -> None:
        """Read one message."""
        self.read += 1
        if message.get("role") == "assistant":
            if self.inserted:
                self.inserted.pop(0)
            else:
                self.next += 1
        elif message.get("role") == "tool" and on_error:
            found = re.match(ERROR_CODE, str(message.get("content")))
            code = found[1] if found else ""
            if code in on_error and code not in self._used:
                self._used.add(code)
                self.inserted.append(code)


def read_script(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the script in a file. Raises ValueError that names the file where it holds no JSON object."""
    name = Path(path).name
    try:
        script = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{name} is not valid JSON") from None
    if not isinstance(script, dict):
        raise ValueError(f"{name} must hold one JSON object")
    return script


def _as_reply(decision: dict[str, Any]) -> ModelReply:
    calls = tuple(
        ToolCall(call["id"], call["name"], call.get("arguments")) for call in decision.get("tool_calls") or ()
    )
    reason = decision.get("finish_reason") or ("tool_calls" if calls else "stop")
    return ModelReply(decision.get("content") or "", calls, reason, refusal=decision.get("refusal"))


def _require_form(script: dict[str, Any]) -> None:
    if not isinstance(script.get("task"), str):
        raise ValueError('a script needs a "task", the user\'s first message as text')
    if not isinstance(script.get("system", ""), str | None):
        raise ValueError('"system" must be text')
    if not isinstance(script.get("decisions"), list) or not script["decisions"]:
        raise ValueError('a script needs "decisions", a list of at least one')
    for number, decision in enumerate(script["decisions"], 1):
        _require_decision(decision, f"decision {number}")
    on_error = script.get("on_error", {})
    if not isinstance(on_error, dict):
        raise ValueError('"on_error" must map error codes to decisions')
    for code, decision in on_error.items():
        if code not in list(ErrorCode):
            raise ValueError(f"on_error.{code}: there is no such error code")
        _require_decision(decision, f"on_error.{code}")


def _require_decision(decision: Any, place: str) -> None:
    if not isinstance(decision, dict) or not {"content", "tool_calls"} & set(decision):
        raise ValueError(f'{place} needs "content", "tool_calls", or both')
    if not isinstance(decision.get("content") or "", str):
        raise ValueError(f'{place}: "content" must be text')
    if not isinstance(decision.get("refusal") or "", str):
        raise ValueError(f'{place}: "refusal" must be text')
    calls = decision.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ValueError(f'{place}: "tool_calls" must be a list')
    for number, call in enumerate(calls, 1):
        if not isinstance(call, dict) or not all(isinstance(call.get(key), str) for key in ("id", "name")):
            raise ValueError(f'{place}, call {number} needs "id", "name" and "arguments"')
