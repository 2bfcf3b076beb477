"""What differs: between two lists of messages, and between two traces. Pure.

>>> changes([{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}])
(['content is b'], [])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from labkit.trace import Trace
from labkit.validate import parse_arguments

Message = dict[str, Any]

KINDS = ("role", "type")
MEASURED = ("usage", "model_seconds")
TIMES = ("started", "finished", "time")


def changes(before: Sequence[Message], now: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """Return what is new in each message of ``now``, in words, and the messages of ``before`` that are gone.

    The words are empty for a message that was there before; else ``put in``, ``once more`` where it stands there
    already, or the fields that are other ones now. Lists of the same kinds of messages are compared place by place.
    """
    if [*map(_kind, before)] == [*map(_kind, now)]:
        return [_other_fields(old, new) for old, new in zip(before, now, strict=True)], []
    left = list(before)
    told: dict[int, str] = {}
    for position, message in enumerate(now):
        if message in left:
            left.remove(message)
            told[position] = ""
    for position, message in enumerate(now):
        if position not in told:
            old = _nearest(message, left)
            repeated = "once more" if message in now[:position] else "put in"
            told[position] = repeated if old is None else _other_fields(old, message)
            left = [each for each in left if each is not old]
    return [told[position] for position in range(len(now))], left


def facts(trace: Trace) -> list[Message]:
    """Return the lines of a trace without what a clock or a counter measured, and with all arguments as objects."""
    return [_fact(line) for line in trace.lines]


def _nearest(message: Message, left: Sequence[Message]) -> Message | None:
    """The message of the same kind that has most in common with this one; None where none has anything."""
    mine = set(_leaves(message))
    alike = [(len(mine & set(_leaves(old))), old) for old in left if _kind(old) == _kind(message)]
    most, best = max(alike, key=lambda pair: pair[0], default=(0, None))
    return best if most > len(_kind(message)) else None


def _kind(message: Message) -> list[tuple[str, Any]]:
    return [(key, message[key]) for key in KINDS if key in message]


def _other_fields(old: Message, message: Message) -> str:
    was, now = dict(_leaves(old)), dict(_leaves(message))
    new = [f"{place} is {value}" for place, value in now.items() if was.get(place) != value]
    gone = sorted({place.partition(".")[0] for place in was if place not in now})
    return "; ".join([*new, *(f"{field} is left out" for field in gone)])


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a message, and its place in it, such as ``tool_calls.0.id``."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from _leaves(inner, f"{place}.{key}" if place else str(key))
    else:
        yield place, str(value)


def _fact(line: Message) -> Message:
    kept = {name: value for name, value in line.items() if name not in MEASURED}
    if "payload" in kept:
        kept["payload"] = {name: value for name, value in kept["payload"].items() if name not in TIMES}
    calls = kept.get("message", {}).get("tool_calls")
    if calls:
        read = [{**call, "arguments": parse_arguments(call["arguments"])} for call in calls]
        kept["message"] = {**kept["message"], "tool_calls": read}
    return kept
