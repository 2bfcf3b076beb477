"""The message list, and the rule that holds it together: every call is answered once, right after it was asked.

Chapter 08. History is what happened: a call is ``{"id", "name", "arguments"}``, a failed tool message carries
``error``. What a server accepts is another matter. Pure.

    >>> broken([user("hi"), assistant("", [ToolCall("call_1", "read_file", "{}")])])
    ['message 2: the call call_1 (read_file) has no answer']

Does not: send anything, repair anything by guessing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labkit.calls import ToolCall

Message = dict[str, Any]

CLOSING_QUESTION = (
    "The turn limit is reached. Answer now from what you know, without any more tool calls, "
    "and say what could not be confirmed."
)


def system(content: str) -> Message:
    """Return a system message."""
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content}


def assistant(content: str, calls: Iterable[ToolCall] = ()) -> Message:
    """Return the model's message; the calls stand in it as they were received."""
    message: Message = {"role": "assistant", "content": content}
    asked = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    return message | {"tool_calls": asked} if asked else message


def calls_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the calls that a message asks for; none for any message but the model's."""
    return list(message.get("tool_calls") or ()) if message.get("role") == "assistant" else []


def last_turn(messages: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], int]:
    """Return the calls of the last turn, and how many answers stand after them; none if it asked for nothing."""
    answered = 0
    while answered < len(messages) and messages[-1 - answered].get("role") == "tool":
        answered += 1
    return (calls_of(messages[-1 - answered]) if answered < len(messages) else []), answered


def broken(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is wrong with the pairing of calls and answers, a sentence each; empty for a valid history.

    Messages count from 1. Ids are compared only within one turn, since models use them again in later ones.
    """
    found: list[str] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.get("role") == "tool":
            found.append(f"message {position}: an answer to {message.get('tool_call_id')} that nobody asked for")
            continue
        asked = calls_of(message)
        answers = _tool_messages(messages, position) if asked else []
        found += _compare(position, asked, answers)
        position += len(answers)
    return found


def _tool_messages(messages: Sequence[Mapping[str, Any]], start: int) -> list[Mapping[str, Any]]:
    end = start
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return list(messages[start:end])


def _compare(position: int, asked: list[Mapping[str, Any]], answers: list[Mapping[str, Any]]) -> list[str]:
    open_ids = [answer.get("tool_call_id") for answer in answers]
    found = []
    for call in asked:
        if call.get("id") in open_ids:
            open_ids.remove(call.get("id"))
        else:
            found.append(f"message {position}: the call {call.get('id')} ({call.get('name')}) has no answer")
    return found + [f"message {position}: an answer to {name} that was not asked for here" for name in open_ids]
