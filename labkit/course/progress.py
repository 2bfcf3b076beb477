"""Keeps what a learner has done: in a file where ``lab.py`` opened the lab, else in memory.

    >>> Progress(None).entry("03.2")
    Entry(tries=0, passed=False, hints=0)

Acts on one file, named by ``LABKIT_PROGRESS``. Does not: judge anything, keep what the learner wrote.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any


@dataclass(frozen=True)
class Entry:
    """What was done about one exercise or question. A value; a pass is never taken back."""

    tries: int = 0
    passed: bool = False
    hints: int = 0


class Progress:
    """What was done about all of them. Read from the file each time: two chapters may be open at once.

    ``trouble`` says why it can't be kept, ``damaged`` what became of a file that held something else.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.trouble: str | None = None
        self.damaged: str | None = None
        self._entries: dict[str, Entry] = {}
        self._hinted: dict[str, int] = {}
        self._read()

    def entry(self, id: str) -> Entry:
        """Return what was done about one; an empty entry where nothing was."""
        with _ONE_AT_A_TIME:
            self._read()
            return self._entries.get(id, Entry())

    def tried(self, id: str, passed: bool) -> None:
        """Note one try."""
        with _ONE_AT_A_TIME:
            entry = self.entry(id)
            self._put(id, replace(entry, tries=entry.tries + 1, passed=entry.passed or passed))

    def next_hint(self, id: str, of: int) -> int:
        """Return the number of the hint to show now, and note it.

        Counted from 1 in each kernel anew: running a whole chapter again must not lead to the last one.
        """
        with _ONE_AT_A_TIME:
            number = self._hinted[id] = min(self._hinted.get(id, 0) + 1, of)
            entry = self.entry(id)
            self._put(id, replace(entry, hints=max(number, entry.hints)))
        return number

    def _put(self, id: str, entry: Entry) -> None:
        self._entries[id] = entry
        if self.path is None or not self._read():
            return
        try:
            _write(self.path, self._entries)
            self.trouble = None
        except OSError:
            self.trouble = f"{self.path.name} can't be written, so this is kept until the kernel ends"

    def _read(self) -> bool:
        """Take in what the file holds; return whether that could be read, and may so be written anew."""
        if self.path is None:
            return True
        try:
            found, sound = _read(self.path)
        except OSError:  # this says nothing of what the file holds
            self.trouble = f"{self.path.name} can't be read, so this is kept until the kernel ends"
            return False
        if not sound:
            self.damaged = f"{self.path.name} was damaged; it is kept as {_set_aside(self.path)}"
        for id, kept in found.items():
            self._entries[id] = _joined(self._entries.get(id, Entry()), kept)
        return True


@cache
def here() -> Progress:
    """Return the learner's progress: that of the file where there is one to keep, else this process's own."""
    named = os.environ.get("LABKIT_PROGRESS")
    return Progress(Path(named) if named else None)


_ONE_AT_A_TIME = RLock()


def _joined(one: Entry, other: Entry) -> Entry:
    """What two chapters know of one exercise: nothing that either of them has seen is taken back."""
    return Entry(max(one.tries, other.tries), one.passed or other.passed, max(one.hints, other.hints))


def _read(path: Path) -> tuple[dict[str, Entry], bool]:
    """Return the entries of a file that can be read, and whether the file holds nothing else. Raises OSError."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}, True
    try:
        kept = json.loads(raw)
    except (ValueError, RecursionError):
        return {}, False
    if not isinstance(kept, dict):
        return {}, False
    entries = {id: _entry(values) for id, values in kept.items()}
    return {id: entry for id, entry in entries.items() if entry}, None not in entries.values()


def _entry(values: Any) -> Entry | None:
    """Return an entry, or None for what is none; fields of a newer version are passed over."""
    if not isinstance(values, dict):
        return None
    known = {field.name: values[field.name] for field in fields(Entry) if field.name in values}
    fits = all(type(value) is type(getattr(Entry, name)) for name, value in known.items())
    return Entry(**known) if fits else None


def _set_aside(path: Path) -> str:
    """Put a damaged file beside its place, so that nothing is written over; return where it is now."""
    number = 1
    while (free := path.with_name(f"{path.name}.unreadable-{number}")).exists():
        number += 1
    try:
        path.rename(free)
    except OSError:
        return path.name
    return free.name


def _write(path: Path, entries: dict[str, Entry]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}.new")
    text = json.dumps({id: asdict(entry) for id, entry in sorted(entries.items())}, indent=1)
    half.write_text(text + "\n", encoding="utf-8")
    half.replace(path)
