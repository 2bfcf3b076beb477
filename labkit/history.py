"""The message list, the rule that holds it together, and how it is made shorter without breaking that rule.

Chapter 08. Every call is answered once, right after it was asked. History is what happened: a call is
``{"id", "name", "arguments"}``, a failed tool message carries ``error``. What a server accepts is another matter. Pure.

    >>> broken([user("hi"), assistant("", [ToolCall("call_1", "read_file", "{}")])])
    ['message 2: the call call_1 (read_file) has no answer']

Does not: send anything, repair anything by guessing, count tokens as a model does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labkit.calls import ToolCall, many

Message = dict[str, Any]

CLOSING_QUESTION = (
    "The turn limit is reached. Answer now from what you know, without any more tool calls, "
    "and say what could not be confirmed."
)
STALLED_QUESTION = (
    "The same calls come again and are refused. Answer now from what you know, without any more tool calls, "
    "and say what could not be confirmed."
)
LEFT_OUT = re.compile(r"\[left out: (\d+) messages? that came before\]")
BYTES_PER_TOKEN = 4
"""A rule of thumb for English text and JSON; a model's own tokenizer counts otherwise."""


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


def is_closing(message: Mapping[str, Any]) -> bool:
    """Return whether the loop asked this, to end a run that had reached a limit."""
    return message.get("role") == "user" and message.get("content") in (CLOSING_QUESTION, STALLED_QUESTION)


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


def blocks(messages: Sequence[Message]) -> list[list[Message]]:
    """Return what must stay together: one message, or the model's message and the answers to its calls."""
    found: list[list[Message]] = []
    for message in messages:
        if message.get("role") == "tool" and found:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return about how many tokens these messages cost in a request: one for every four bytes of their JSON."""
    return sum(-(-len(_json(message)) // BYTES_PER_TOKEN) for message in messages)


def trim(messages: Sequence[Message], max_tokens: int) -> list[Message]:
    """Return a history of at most ``max_tokens`` (as ``tokens`` counts) that is valid where the given one was.

    Kept are the system messages, the last task, and the newest blocks that fit, whole. Where something is missing a
    user message says how much, what was left out before included. The list given is not changed.
    Raises ValueError where what must be kept is too long alone, and for a history that is not valid.
    """
    if type(max_tokens) is not int or max_tokens < 1:
        raise ValueError(f"max_tokens must be a whole number of at least 1, not {max_tokens!r}")
    if faults := broken(messages):
        raise ValueError(f"this history can't be trimmed: {'; '.join(faults)}")
    if tokens(messages) <= max_tokens:
        return list(messages)
    grouped = blocks(messages)
    kept = _pinned(grouped)
    notes = {i for i, block in enumerate(grouped) if _noted(block[0])}
    room = max_tokens - tokens([_note(sum(map(_worth, grouped)))]) - sum(tokens(grouped[i]) for i in kept)
    if room < 0:
        raise ValueError(f"the task and the newest messages alone take {max_tokens - room} tokens, not {max_tokens}")
    for position in (i for i in reversed(range(len(grouped))) if i not in kept | notes):
        room -= tokens(grouped[position])
        if room < 0:
            break
        kept.add(position)
    return _joined(grouped, kept)


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


def _pinned(grouped: Sequence[list[Message]]) -> set[int]:
    """The system messages, the last task and the newest block: what is being worked on must not be forgotten."""
    asked = [i for i, block in enumerate(grouped) if block[0].get("role") == "user" and not _by_the_loop(block[0])]
    told = {i for i, block in enumerate(grouped) if block[0].get("role") == "system"}
    return told | set(asked[-1:]) | {len(grouped) - 1}


def _joined(grouped: Sequence[list[Message]], kept: set[int]) -> list[Message]:
    """Put the kept blocks together again, and a note in place of the first that is missing."""
    missing = [i for i in range(len(grouped)) if i not in kept]
    left_out = sum(_worth(grouped[i]) for i in missing)
    joined: list[Message] = []
    for position, block in enumerate(grouped):
        if position in kept:
            joined += block
        elif position == missing[0]:
            joined.append(_note(left_out))
    return joined


def _note(left_out: int) -> Message:
    return user(f"[left out: {many(left_out, 'message')} that came before]")


def _noted(message: Mapping[str, Any]) -> int:
    """How many messages a note of an earlier trimming stands for; 0 for any other message."""
    found = LEFT_OUT.fullmatch(str(message.get("content"))) if message.get("role") == "user" else None
    return int(found[1]) if found else 0


def _worth(block: Sequence[Message]) -> int:
    """How many messages of the run a block stands for."""
    return _noted(block[0]) or len(block)


def _by_the_loop(message: Mapping[str, Any]) -> bool:
    return is_closing(message) or _noted(message) > 0


def _json(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, default=repr).encode("utf-8", "backslashreplace")
