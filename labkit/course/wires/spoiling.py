"""The ways to spoil the history of the lab. Pure: each returns a new history.

Positions count from 0: the model's messages stand at 2 and 5, the answers to the first of them at 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from labkit.course.wires.history import the_history
from labkit.history import user

Message = dict[str, Any]

WHOLE = "whole"
ASKED, SECOND, LATER, LAST = 2, 4, 5, 6


def spoilt(answer: str = WHOLE, spoils: Iterable[str] = ()) -> list[Message]:
    """Return the history with one of ``ANSWERS`` and any of ``SPOILS`` applied, these first.

    Raises ValueError for a name that is not among them.
    """
    messages = the_history()
    for name in [*spoils]:
        messages = _one_of(name, SPOILS)[1](messages)
    return _one_of(answer, ANSWERS)[1](messages)


def _one_of(name: str, known: dict[str, Entry]) -> Entry:
    if name not in known:
        raise ValueError(f"there is no {name!r}; choose one of {', '.join(known)}")
    return known[name]


def _as_it_is(messages: list[Message]) -> list[Message]:
    return messages


def _leave_out(messages: list[Message]) -> list[Message]:
    return [*messages[:SECOND], *messages[SECOND + 1 :]]


def _double(messages: list[Message]) -> list[Message]:
    return [*messages[: SECOND + 1], dict(messages[SECOND]), *messages[SECOND + 1 :]]


def _answer_nobody(messages: list[Message]) -> list[Message]:
    return _with(messages, SECOND, {"tool_call_id": "call_9"})


def _trim(messages: list[Message]) -> list[Message]:
    return [*messages[:ASKED], *messages[ASKED + 1 :]]


def _interrupt(messages: list[Message]) -> list[Message]:
    return [*messages[:SECOND], user("Are you still there?"), *messages[SECOND:]]


def _add_error(messages: list[Message]) -> list[Message]:
    error = {"code": "timeout", "message": "no answer within 10 s", "tool": "calc"}
    return _with(messages, LAST, {"content": "ERROR [timeout]: no answer within 10 s", "error": error})


def _dot(messages: list[Message]) -> list[Message]:
    return _with_call(messages, ASKED, 1, {"name": "weather.get"})


def _cut(messages: list[Message]) -> list[Message]:
    return _with_call(messages, ASKED, 1, {"arguments": '{"city": "Shang'})


def _same_id(messages: list[Message]) -> list[Message]:
    messages = _with_call(messages, ASKED, 1, {"id": "call_1"})
    return _with(messages, SECOND, {"tool_call_id": "call_1"})


def _again(messages: list[Message]) -> list[Message]:
    messages = _with_call(messages, LATER, 0, {"id": "call_1"})
    return _with(messages, LAST, {"tool_call_id": "call_1"})


def _with(messages: list[Message], position: int, changed: Message) -> list[Message]:
    return [{**each, **changed} if place == position else each for place, each in enumerate(messages)]


def _with_call(messages: list[Message], position: int, number: int, changed: Message) -> list[Message]:
    calls = [dict(call) for call in messages[position]["tool_calls"]]
    calls[number] |= changed
    return _with(messages, position, {"tool_calls": calls})


Entry = tuple[str, Callable[[list[Message]], list[Message]]]

ANSWERS: dict[str, Entry] = {
    WHOLE: ("as it is", _as_it_is),
    "left_out": ("left out", _leave_out),
    "doubled": ("sent twice", _double),
    "orphaned": ("answers a call that nobody made", _answer_nobody),
    "trimmed": ("its call is trimmed away", _trim),
    "interrupted": ("after a message of the user", _interrupt),
}
"""What can become of the second answer, in a few words, and how it is done."""

SPOILS: dict[str, Entry] = {
    "error": ("the last answer carries the field error", _add_error),
    "name": ("a name has a dot", _dot),
    "arguments": ("arguments are cut off", _cut),
    "same_id": ("two calls of one message have one id", _same_id),
    "again": ("an id comes again in a later turn", _again),
}
"""What else can be spoilt, in a few words, and how it is done."""
