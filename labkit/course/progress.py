"""Keeps what a learner has done: in a file where ``lab.py`` opened the lab, else in memory.

    >>> Progress(None).entry("03.2")
    Entry(tries=0, passed=False, hints=0)

Acts on one file, named by ``LABKIT_PROGRESS``. Does not: judge anything, keep what the learner wrote.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Entry:
    """What was done about one exercise or question. A value; a pass is never taken back."""

    tries: int = 0
    passed: bool = False
    hints: int = 0


class Progress:
    """What was done about all of them. Read from the file each time: two chapters may be open at once."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.trouble: str | None = None
        self._entries: dict[str, Entry] = {}
        self._read()

    def _read(self) -> None:
        if self.path is not None:
            for id, kept in _read(self.path).items():
                self._entries[id] = _joined(self._entries.get(id, Entry()), kept)

    def entry(self, id: str) -> Entry:
        """Return what was done about one; an empty entry where nothing was."""
        self._read()
        return self._entries.get(id, Entry())

    def tried(self, id: str, passed: bool) -> None:
        """Note one try."""
        entry = self.entry(id)
        self._put(id, replace(entry, tries=entry.tries + 1, passed=entry.passed or passed))

    def hinted(self, id: str, hints: int) -> None:
        """Note how many hints were shown."""
        self._put(id, replace(self.entry(id), hints=max(hints, self.entry(id).hints)))

    def _put(self, id: str, entry: Entry) -> None:
        self._entries[id] = entry
        if self.path is not None:
            try:
                _write(self.path, self._entries)
                self.trouble = None
            except OSError:
                self.trouble = f"{self.path.name} can't be written, so this is kept until the kernel ends"


@cache
def here() -> Progress:
    """Return the learner's progress: that of the file where there is one to keep, else this process's own."""
    named = os.environ.get("LABKIT_PROGRESS")
    return Progress(Path(named) if named else None)


def _joined(one: Entry, other: Entry) -> Entry:
    """What two chapters know of one exercise: nothing that either of them has seen is taken back."""
    return Entry(max(one.tries, other.tries), one.passed or other.passed, max(one.hints, other.hints))


def _read(path: Path) -> dict[str, Entry]:
    """Return the entries of a file; one that can't be read is set aside, so that nothing is written over."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {id: _entry(values) for id, values in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        _set_aside(path)
        return {}


def _entry(values: dict[str, Any]) -> Entry:
    entry = Entry(**values)
    if not all(type(getattr(entry, name)) is type(default) for name, default in asdict(Entry()).items()):
        raise TypeError("not an entry")
    return entry


def _set_aside(path: Path) -> None:
    number = 1
    while (free := path.with_name(f"{path.name}.unreadable-{number}")).exists():
        number += 1
    try:
        path.rename(free)
    except OSError:
        return


def _write(path: Path, entries: dict[str, Entry]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}.new")
    text = json.dumps({id: asdict(entry) for id, entry in sorted(entries.items())}, indent=1)
    half.write_text(text + "\n", encoding="utf-8")
    half.replace(path)
