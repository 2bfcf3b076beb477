"""Made-up calls, rounds and histories, by name: small enough to see at once what a function makes of them.

Chapter 08. Pure.

    >>> said(turns(1, 2))
    'task a a1 b b1 b2'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

from labkit.calls import ToolCall

Call = dict[str, Any]
Message = dict[str, Any]
AnswerAll = Callable[[list[Call], Callable[[Call], str], int], list[Message]]


def asked(count: int) -> list[Call]:
    """Return so many calls of one message, as a model sends them."""
    return [{"id": f"call_{n}", "name": "read_file", "arguments": {"path": f"{n}.txt"}} for n in range(1, count + 1)]


def message_with(calls: list[Call]) -> Message:
    """Return the model's message that asks for these calls."""
    return {"role": "assistant", "content": "", "tool_calls": calls}


def text_of(call: Call) -> str:
    """Run a call of ``asked``: every file holds its own name."""
    return f"text of {call['arguments']['path']}"


def reached(answer_all: AnswerAll, count: int, limit: int) -> list[str]:
    """Return the ids of the calls that a function has really run, in order."""
    ran: list[str] = []

    def run(call: Call) -> str:
        ran.append(call["id"])
        return text_of(call)

    answer_all(asked(count), run, limit)
    return ran


class Round(NamedTuple):
    """A call, what came back, and whether the call may have changed something. A value."""

    call: ToolCall
    content: str
    changed: bool


def look(path: str, content: str = "the same text") -> Round:
    """A file was read; nothing is changed by that."""
    return Round(ToolCall("", "read_file", {"path": path}), content, False)


def search(arguments: str, content: str = "nothing found") -> Round:
    """A search, with its arguments as the model spelled them."""
    return Round(ToolCall("", "search_text", arguments), content, False)


def tested(content: str = "EXIT 1") -> Round:
    """The tests were run; for this exercise that changes nothing."""
    return Round(ToolCall("", "run_test", {}), content, False)


def edited(path: str = "prices.py") -> Round:
    """A file was changed."""
    return Round(ToolCall("", "edit_file", {"path": path}), "edited", True)


def turns(*calls: int) -> list[Message]:
    """Return a history: the task, then turns a, b, c … with so many calls each."""
    messages: list[Message] = [{"role": "user", "content": "task"}]
    for letter, count in zip(ascii_lowercase, calls, strict=False):
        names = [f"{letter}{n}" for n in range(1, count + 1)]
        asks = [{"id": name, "name": "read_file", "arguments": {}} for name in names]
        messages.append({"role": "assistant", "content": letter, "tool_calls": asks})
        messages += [{"role": "tool", "content": name, "tool_call_id": name} for name in names]
    return messages


def said(messages: Sequence[Message]) -> str:
    """Return what the messages of a history of ``turns`` say, in a line."""
    return " ".join(message["content"] for message in messages)
