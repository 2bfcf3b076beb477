"""The reader: two regular expressions, and what they take from one reply, with its place in the text. Pure.

Does not: notice what it missed; ``examining`` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

STOP = "Observation:"
"""Where a server is told to stop: what comes next is ours to say, and not the model's."""

_NEXT_LABEL = r"^(?:Thought|Action|Action Input|Observation|Final Answer):"
CALL = re.compile(
    rf"^Action:(?!\s*$)(?P<action>[^\n]*)\n\s*^Action Input:(?P<input>.*?)(?={_NEXT_LABEL}|\Z)", re.M | re.S
)
FINAL = re.compile(r"^Final Answer:(?P<answer>\s*\S.*)", re.M | re.S)


class Part(NamedTuple):
    """A piece of the text that was taken. A value; ``role`` is ``thought``, ``action``, ``input`` or ``answer``."""

    role: str
    start: int
    end: int


@dataclass(frozen=True, repr=False)
class Reading:
    """What the reader took from one reply: a call, an answer, or nothing. A value."""

    text: str
    parts: tuple[Part, ...] = ()

    def part(self, role: str) -> str | None:
        """Return the text of one part, None where there is none."""
        return next((self.text[start:end] for name, start, end in self.parts if name == role), None)

    @property
    def taken(self) -> dict[str, Any] | None:
        """``{"name", "arguments"}`` with the arguments as the text they are, or ``{"answer"}``, or None."""
        if (answer := self.part("answer")) is not None:
            return {"answer": answer}
        name = self.part("action")
        return None if name is None else {"name": name, "arguments": self.part("input")}

    def __repr__(self) -> str:
        match self.taken:
            case {"answer": answer}:
                return f"answer: {answer}"
            case {"name": name, "arguments": arguments}:
                return f"call: {name} {arguments}"
        return "nothing"


def read(text: str) -> Reading:
    """Return what stands in a reply: the final answer if there is one, else the first action that has an input."""
    found = FINAL.search(text) or CALL.search(text)
    if found is None:
        return Reading(text)
    parts = [_stripped(text, role, *found.span(role)) for role in found.groupdict()]
    return Reading(text, (_thought(text), *parts))


def cut(text: str, stop: str | None = STOP) -> str:
    """Return the text up to the stop sequence, as a server that was given one would; ``None`` cuts nothing."""
    return text if stop is None else text.partition(stop)[0]


def _thought(text: str) -> Part:
    """What stands before the first label of another kind, without the label ``Thought:`` it may begin with."""
    label = re.match(r"\s*Thought:", text)
    other = re.search(r"^(?:Action|Action Input|Observation|Final Answer):", text, re.M)
    return _stripped(text, "thought", label.end() if label else 0, other.start() if other else len(text))


def _stripped(text: str, role: str, start: int, end: int) -> Part:
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    return Part(role, start, start + len(body.strip()))
