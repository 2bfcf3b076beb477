"""Finds the one place that an edit means. Pure.

Chapter 04.

    >>> find_once("a = 1\\nb = 1\\n", "b = 1", "b = 2")
    Place(start=10, end=11, new='2', line=2)

Does not: guess which of several places was meant, or overlook a difference in spaces; it says where they are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from labkit.calls import ErrorCode, Failure
from labkit.toolsets.workspace.refusals import Refused
from labkit.toolsets.workspace.text import plain

MOST_COUNTED = 100
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Place:
    """What to replace in the plain text, by position, and with what; ``line`` counts from 1. A value."""

    start: int
    end: int
    new: str
    line: int

    def lines(self) -> str:
        """Return where the new text stands, in words."""
        last = self.line + self.new.count("\n")
        return f"line {self.line}" if last == self.line else f"lines {self.line} to {last}"


def find_once(text: str, old: str, new: str) -> Place:
    """Return the only place of ``old`` in a plain text, without what ``new`` leaves as it is; raise ``Refused``."""
    old, new = plain(old), plain(new)
    if not old:
        raise Refused(Failure("old must not be empty", "give the text that is to be replaced"))
    if old == new:
        raise Refused(Failure("old and new are the same text, so nothing was changed"))
    starts = _starts(text, old)
    if not starts:
        raise Refused(Failure("old does not occur in the file", _near(text, old), ErrorCode.NOT_FOUND))
    if len(starts) > 1:
        raise _ambiguous(text, starts)
    return _narrowed(text, starts[0], old, new)


def _starts(text: str, old: str) -> list[int]:
    """Return where ``old`` begins, overlapping places too; counting stops where the number tells no more."""
    starts: list[int] = []
    at = text.find(old)
    while at >= 0 and len(starts) < MOST_COUNTED:
        starts.append(at)
        at = text.find(old, at + 1)
    return starts


def _narrowed(text: str, start: int, old: str, new: str) -> Place:
    """Leave out what both begin and end with: those bytes are then not touched at all."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    first = start + head
    return Place(first, start + len(old) - tail, new[head : len(new) - tail], text.count("\n", 0, first) + 1)


def _alike(one: str, other: str) -> int:
    """Return with how many equal characters two texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _ambiguous(text: str, starts: list[int]) -> Refused:
    count = f"{len(starts)} times" if len(starts) < MOST_COUNTED else f"{MOST_COUNTED} times or more"
    lines = Counter(text.count("\n", 0, start) + 1 for start in starts[:MOST_NAMED])
    named = ", ".join(str(line) if count == 1 else f"{line} ({count} times)" for line, count in lines.items())
    where = ("line " if len(lines) == 1 else "lines ") + named
    more = " and further on" if len(starts) > MOST_NAMED else ""
    hint = f"it stands in {where}{more}; give more of the text around the one that you mean"
    return Refused(Failure(f"old occurs {count} in the file, and must occur once", hint, ErrorCode.NOT_UNIQUE))


def _near(text: str, old: str) -> str:
    """Say what the likeliest slip is: numbers copied from a listing, or other spaces."""
    if not text:
        return "the file is empty"
    unnumbered = re.sub(r"^\d+: ?", "", old, flags=re.MULTILINE)
    if unnumbered != old and unnumbered.strip() and unnumbered in text:
        return "leave out the line numbers, they are not part of the file"
    line = _line_but_for_spaces(text, old)
    if line:
        return f"the text at line {line} differs only in its spaces; copy it as it stands"
    return "read the file again and copy the text as it stands, spaces and indentation included"


def _line_but_for_spaces(text: str, old: str) -> int | None:
    wanted = [" ".join(line.split()) for line in old.split("\n") if line.strip()]
    lines = [(number, " ".join(line.split())) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    words = [line for _, line in lines]
    for at in range(len(words) - len(wanted) + 1):
        if wanted and words[at : at + len(wanted)] == wanted:
            return lines[at][0]
    return None
