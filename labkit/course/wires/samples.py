"""Small pieces of histories, and a short way to tell one: what the exercises of chapter 09 are tried with. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from labkit.calls import ToolCall
from labkit.history import assistant, calls_of

Message = dict[str, Any]

NOT_KEPT = "no result of this call was kept"
LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def asks(*ids: str) -> Message:
    """Return a message of the model that asks for one call per id."""
    return assistant("", [ToolCall(id, "look", {}) for id in ids])


def says(id: str, content: str = "fine") -> Message:
    """Return the tool message that answers a call."""
    return {"role": "tool", "content": content, "tool_call_id": id}


def told(messages: Sequence[Message]) -> list[str]:
    """Return a history in a word or two per message: ``["user", "asks a b", "a: fine", "b: fine"]``.

    Raises TypeError for what is no list of messages.
    """
    if not isinstance(messages, list | tuple) or not all(isinstance(each, dict) for each in messages):
        raise TypeError("told takes a list of messages, each of them a dict")
    return [_told(message) for message in messages]


def all_legal(sent: Mapping[str, str]) -> bool:
    """Return whether all names that are sent are legal, and no two of them are the same.

    Raises TypeError for what is no dict of names.
    """
    if not isinstance(sent, Mapping) or not all(isinstance(name, str) for name in sent.values()):
        raise TypeError("all_legal takes a dict from names to the names that are sent")
    return all(LEGAL.fullmatch(name) for name in sent.values()) and len({*sent.values()}) == len(sent)


def _told(message: Message) -> str:
    if message.get("role") == "tool":
        return f"{message.get('tool_call_id')}: {message.get('content')}"
    calls = calls_of(message)
    return " ".join(["asks", *(str(call["id"]) for call in calls)]) if calls else str(message.get("role"))
