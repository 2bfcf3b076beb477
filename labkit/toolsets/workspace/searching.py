"""Two ways to find a file: by looking at a folder, or by a text that stands in it.

Chapters 01 and 05. Acts on the disk, by reading only.

    >>> search_text(Root("work"), "def square")
    'calculator.py:4: def square(n):'

Does not: follow a link that it meets, look into ``.git`` and ``__pycache__``, or know patterns: a text is a text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from labkit.calls import Failure
from labkit.toolsets.workspace.confine import MOST_ENTRIES, Entry, Root
from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.refusals import Refused, answering, wrong_kind
from labkit.toolsets.workspace.streams import pieces
from labkit.toolsets.workspace.text import NotText, shown_name

MOST_CHARACTERS = 6_000
MOST_MATCHES = 100
MOST_READ = 200_000_000
"""Characters that one search looks at; some seconds of work."""
LONGEST_LINE = 200
_MARKS = {"file": "", "folder": "/", "link": " (link)", "other": " (neither file nor folder)", "closed": "/ (closed)"}


@answering
def list_files(
    root: Root,
    path: Annotated[str, Field(description="The folder, relative to the workspace; . is the workspace itself")] = ".",
    max_entries: Annotated[int, Field(ge=1, le=200, description="The most entries to show")] = 100,
) -> str:
    """List what is in a folder of the workspace and in the folders below it, one path a line, sorted.

    Paths are relative to the workspace, ready for read_file. A folder ends in /, links are named and not followed,
    .git and __pycache__ are left out. Says how many entries are not shown. Example: {"path": "src", "max_entries": 50}.
    """
    with root.open(path) as folder:
        if not folder.is_folder:
            raise wrong_kind(path, "a file, not a folder", "read_file shows it")
        return _listing(root.walk(folder), max_entries)


@answering
def search_text(
    root: Root,
    query: Annotated[str, Field(min_length=1, description="The text to find, to the letter; no pattern, one line")],
    path: Annotated[str, Field(description="A folder or a file, relative to the workspace; . is all of it")] = ".",
) -> str:
    """Find a text in one file, or in all text files of a folder: one line per hit, as path:line number: text.

    The query is taken literally, case included; it can't hold a line break. Shows the first 100 lines at most and says
    what was left out: binary files, links, further hits. Example: {"query": "def square", "path": "src"}.
    """
    if not query:
        raise Refused(Failure("query must not be empty", "give the text to find"))
    if "\n" in query or "\r" in query:
        raise Refused(Failure("query holds a line break, and lines are searched one by one", "search for one line"))
    search = _Search(query)
    with root.open(path) as opened:
        if opened.is_folder:
            search.look_below(root, opened)
        else:
            search.look_into(opened)
    return search.text()


def _listing(entries: Iterator[Entry], most: int) -> str:
    lines: list[str] = []
    size = met = 0
    for entry in entries:
        met += 1
        line = shown_name(entry.path) + _MARKS[entry.kind]
        size += len(line) + 1
        if met <= most and size <= MOST_CHARACTERS:
            lines.append(line)
        if met > MOST_ENTRIES:
            break
    hidden = met - len(lines)
    if hidden:
        count = f"{hidden:,} more" if met <= MOST_ENTRIES else f"more than {hidden - 1:,} more"
        lines.append(f"[{count}; raise max_entries, up to 200, or list a folder further down]")
    return "\n".join(lines) or "[the folder is empty]"


@dataclass
class _Search:
    """The hits so far, and what was passed over."""

    query: str
    lines: list[str] = field(default_factory=list)
    size: int = 0
    read: int = 0
    binaries: int = 0
    closed: int = 0
    stopped: str = ""

    def look_below(self, root: Root, folder: Opened) -> None:
        """Look into every file below a folder, until there is too much to show."""
        for met, entry in enumerate(root.walk(folder), 1):
            if met > MOST_ENTRIES:
                self.stopped = f"stopped after {MOST_ENTRIES:,} files and folders; search a folder further down"
            elif entry.kind == "file":
                self._look_at(root, entry)
            elif entry.kind == "closed":
                self.closed += 1
            if self.stopped:
                return

    def _look_at(self, root: Root, entry: Entry) -> None:
        try:
            opened = root.open_entry(entry)
        except Refused:
            self.closed += 1
            return
        with opened:
            if not opened.is_folder:
                with contextlib.suppress(Refused):
                    self.look_into(opened)

    def look_into(self, opened: Opened) -> None:
        """Add the lines of a file that hold the query; a file that is no text is counted instead."""
        overlap, found, begun = "", 0, False
        try:
            for number, piece, ends in pieces(opened):
                # A hit may begin in one piece of a long line and end in the next.
                text = overlap + piece
                at = text.find(self.query) if found != number else -1
                if at >= 0:
                    found = number
                    shown = _around(text, at, len(self.query), begun, not ends)
                    self._add(f"{shown_name(opened.path)}:{number}: {shown}")
                self.read += len(piece)
                if self.read > MOST_READ:
                    self.stopped = f"stopped after {MOST_READ:,} characters; search one file or a folder further down"
                if self.stopped:
                    return
                begun = not ends
                overlap = "" if ends else text[max(0, len(text) - len(self.query) + 1) :]
        except NotText:
            self.binaries += 1

    def _add(self, line: str) -> None:
        self.size += len(line) + 1
        if len(self.lines) == MOST_MATCHES or self.size > MOST_CHARACTERS:
            self.stopped = f"stopped after {len(self.lines)} lines, there are more; make the query or the path narrower"
        else:
            self.lines.append(line)

    def text(self) -> str:
        """Return the hits, and what was passed over."""
        notes = [self.stopped] if self.stopped else []
        if self.binaries:
            notes.append(f"{_files(self.binaries)} skipped: not UTF-8 text")
        if self.closed:
            notes.append(f"{self.closed} could not be looked into")
        found = self.lines or ["[no line holds the query]"]
        return "\n".join([*found, *(f"[{note}]" for note in notes)])


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _around(piece: str, at: int, length: int, begun: bool, goes_on: bool) -> str:
    """Return a line, or of a long one the part around the hit, with … where it is cut."""
    start = max(0, at - max(0, LONGEST_LINE - length) // 2) if len(piece) > LONGEST_LINE else 0
    end = start + LONGEST_LINE
    before = "…" if start or begun else ""
    after = "…" if goes_on or end < len(piece) else ""
    return before + piece[start:end] + after
