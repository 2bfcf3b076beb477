"""A batch as lines that a person can read and write: what each call does, to what, and for how long. Pure.

    >>> batch("reads and edits by turns", 3, "one file", "equal", 40)[1].text
    'edit tea.txt 40'

Does not: plan, run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from labkit.calls import many, quote

EVERYTHING = "*"
KINDS = ("read", "edit")
MOST_CALLS = 12
LONGEST = 200
"""Milliseconds of one call at most: twelve of them, one after the other, are over before anybody gets bored."""
PATH = re.compile(r"[\w.-]+(/[\w.-]+)*")
LONGEST_PATH = 14
EXAMPLE = "read tea.txt 120"


class Line(NamedTuple):
    """One call. A value; ``resource`` is a file, a folder or ``*`` for everything, ``ms`` are milliseconds."""

    kind: str
    resource: str
    ms: int

    @property
    def label(self) -> str:
        """What the call does, such as ``read tea.txt``."""
        return f"{self.kind} {self.resource}"

    @property
    def text(self) -> str:
        """The line as it is written."""
        return f"{self.label} {self.ms}"


# Position and number of calls to kind, resource and length.
MIXES: dict[str, Callable[[int, int], str]] = {
    "reads, one edit, reads": lambda i, n: "edit" if n > 1 and i == n // 2 else "read",
    "read · edit · read": lambda i, n: "edit" if i % 3 == 1 else "read",
    "reads only": lambda i, n: "read",
    "reads and edits by turns": lambda i, n: KINDS[i % 2],
    "edits of different files": lambda i, n: "edit",
}
OWN_FILES = "edits of different files"
"""The one mix that decides about files too."""

NAMES = ("tea", "rye", "oat", "fig", "dill", "mint", "sage", "leek", "kale", "pear", "plum", "nuts")
RESOURCES: dict[str, Callable[[int], int]] = {
    "one file": lambda i: 0,
    "two files": lambda i: (i + 1) // 2 % 2,
    "each its own": lambda i: i,
}
LENGTHS: dict[str, Callable[[int, int, int], float]] = {
    "equal": lambda i, n, longest: longest,
    "one long": lambda i, n, longest: longest if i == 0 else longest / 4,
    "growing": lambda i, n, longest: longest * (i + 1) / n,
}


def batch(mix: str, count: int, resources: str, lengths: str, longest: int) -> tuple[Line, ...]:
    """Return a ready batch of ``count`` calls; ``longest`` are milliseconds. The other three name an entry each."""
    files = RESOURCES["each its own" if mix == OWN_FILES else resources]
    return tuple(
        Line(MIXES[mix](i, count), f"{NAMES[files(i)]}.txt", max(1, round(LENGTHS[lengths](i, count, longest))))
        for i in range(count)
    )


def written(text: str) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """Return the calls of a text, one a line, and what is wrong with it: a sentence for each line that can't be read.

    Empty lines mean nothing. Where there are problems, the calls are those of the lines that can be read.
    """
    lines: list[Line] = []
    problems: list[str] = []
    for number, row in enumerate(text.splitlines(), 1):
        words = row.split()
        if wrong := _wrong(words):
            problems.append(f"Line {number}: {wrong}")
        elif words:
            lines.append(Line(words[0], words[1], int(words[2])))
    if len(lines) > MOST_CALLS:
        problems.append(f"There are {len(lines)} calls; {MOST_CALLS} are the most that fit in the picture.")
    if not lines and not problems:
        problems.append(f"There is no call yet. Write one a line, such as: {EXAMPLE}")
    return tuple(lines), tuple(problems)


def _wrong(words: list[str]) -> str:
    """Return what is wrong with one line and what to write, or nothing."""
    if not words:
        return ""
    if len(words) != 3:
        return f"has {many(len(words), 'word')}, not three. Write what, which file, how many ms: {EXAMPLE}"
    kind, path, ms = words
    if kind not in KINDS:
        return f"{quote(kind)} is none of the two things that a call can do. Begin with read or edit: {EXAMPLE}"
    if path != EVERYTHING and not (PATH.fullmatch(path) and len(path) <= LONGEST_PATH and _plain(path)):
        return (
            f"{quote(path)} is no name that fits. Write a file such as tea.txt or shop/tea.txt, a folder such as shop, "
            f"or {EVERYTHING} for everything; at most {LONGEST_PATH} characters."
        )
    if not re.fullmatch(r"[0-9]{1,4}", ms) or not 1 <= int(ms) <= LONGEST:
        return f"{quote(ms)} is no length from 1 to {LONGEST}. It is a whole number of milliseconds: {EXAMPLE}"
    return ""


def _plain(path: str) -> bool:
    return not any(part in (".", "..") for part in path.split("/"))
