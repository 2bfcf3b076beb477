"""Two ways to read a file: the whole of it, or some of its lines.

Chapters 01 and 03. Acts on the disk, by reading only.

    >>> read_lines(Root("work"), "calculator.py", 4, 4)
    '4: def square(n):'

Does not: read what is no text, or more than a model can take in at once.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

from pydantic import Field

from labkit.calls import ErrorCode, Failure, quote
from labkit.toolsets.workspace.confine import Root
from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.refusals import Refused, answering, trouble, wrong_kind
from labkit.toolsets.workspace.streams import pieces
from labkit.toolsets.workspace.text import NotText, Text, decode, shown_name

LARGEST = 1_048_576
"""The most bytes that a file may have to be read or edited as a whole."""
MOST_CHARACTERS = 7_000
LONGEST_LINE = 1_000

FilePath = Annotated[str, Field(description="The file, relative to the workspace, with /, such as src/app.py")]


@answering
def read_file(root: Root, path: FilePath) -> str:
    """Return the text of one file of the workspace, line ends as \\n.

    Takes UTF-8 text of at most 1 MB; shows the first 7,000 characters and says where to go on.
    Use read_lines where you know the lines you need. Example: {"path": "src/app.py"}.
    """
    with root.open_file(path) as opened:
        text = load(opened).plain
    return _fitted(text) if text else "[the file is empty]"


@answering
def read_lines(
    root: Root,
    path: FilePath,
    start_line: Annotated[int, Field(ge=1, description="The first line to show; lines count from 1")],
    end_line: Annotated[
        int | None, Field(ge=1, description="The last line to show, itself included; without it, to the end")
    ] = None,
) -> str:
    """Return some lines of one file, each after its number and a colon, which are not part of the file.

    Lines count from 1 and end_line is included, so 4 to 6 are three lines. Files of any size; shows at most
    7,000 characters and says where to go on. Example: {"path": "src/app.py", "start_line": 4, "end_line": 6}.
    """
    page = _Page(start_line, end_line)
    with root.open_file(path) as opened:
        try:
            for number, piece, ends in pieces(opened, start_line):
                if not page.takes(number, piece, ends):
                    break
        except NotText as problem:
            raise not_text(opened, problem) from None
        return page.text(opened.path)


def range_rule(values: dict[str, Any]) -> str | None:
    """Return what is wrong with the range, or None: the rule of read_lines that needs two values at once."""
    start, end = values["start_line"], values["end_line"]
    return f"end_line {end} is less than start_line {start}" if end is not None and end < start else None


def load(opened: Opened) -> Text:
    """Return the whole text of a file; raise ``Refused`` for a large one and for what is no text."""
    assert opened.fd is not None
    size = os.fstat(opened.fd).st_size
    # A file can grow while it is read, so the reading is bounded too.
    data = b""
    if size <= LARGEST:
        data = _read(opened, LARGEST + 1)
        size = len(data)
    if size > LARGEST:
        kind = f"too large to be read whole: {size:,} bytes, and {LARGEST:,} is the most"
        raise wrong_kind(opened.path, kind, "read_lines shows a part of it, search_text finds a place in it")
    try:
        return decode(data)
    except NotText as problem:
        raise not_text(opened, problem) from None


def not_text(opened: Opened, problem: NotText) -> Refused:
    """Return the refusal of a file that is no text."""
    return wrong_kind(opened.path, f"not readable as text: {problem}")


def _read(opened: Opened, most: int) -> bytes:
    assert opened.fd is not None
    try:
        with open(opened.fd, "rb", closefd=False) as reader:
            return reader.read(most)
    except OSError as error:
        raise trouble(opened.path, error) from None


def _fitted(text: str) -> str:
    """Return a text, cut at the end of a line where it is too long, with a notice of what was cut."""
    if len(text) <= MOST_CHARACTERS:
        return text
    lines = text.count("\n") + (not text.endswith("\n"))
    end = text.rfind("\n", 0, MOST_CHARACTERS) + 1
    if not end:
        return (
            f"{text[:MOST_CHARACTERS]}\n[cut within line 1: {MOST_CHARACTERS:,} of {len(text):,} characters are shown; "
            "search_text finds a place in the rest]"
        )
    shown = text.count("\n", 0, end)
    notice = f"cut: lines 1 to {shown:,} of {lines:,} are shown; read_lines with start_line {shown + 1} goes on"
    return f"{text[:end]}[{notice}]"


class _Page:
    """The lines that read_lines has gathered so far; bounded, however long the file and its lines are."""

    def __init__(self, start: int, end: int | None) -> None:
        self.start, self.end = start, end
        self.lines: list[str] = []
        self.size = 0
        self.last = 0
        self.line = ""
        self.dropped = 0
        self.full = False

    def takes(self, number: int, piece: str, ends: bool) -> bool:
        """Take a piece of a line; False once no more is wanted."""
        self.last = number
        if number < self.start:
            return True
        room = LONGEST_LINE - len(self.line)
        self.line += piece[:room]
        self.dropped += max(0, len(piece) - room)
        if ends:
            self._finish(number)
        return not self.full and not (ends and number == self.end)

    def _finish(self, number: int) -> None:
        line = f"{number}: {self.line}"
        if self.dropped:
            line += f" [and {self.dropped:,} more characters in this line]"
        self.line, self.dropped = "", 0
        self.full = self.size + len(line) > MOST_CHARACTERS
        if not self.full:
            self.lines.append(line)
            self.size += len(line) + 1

    def text(self, path: str) -> str:
        """Return what was gathered, with a notice where something was cut; raise ``Refused`` if it is nothing."""
        if self.full:
            return "\n".join([*self.lines, f"[cut: read_lines with start_line {self.last} goes on]"])
        if not self.lines:
            has = f"{self.last:,} line" + ("" if self.last == 1 else "s")
            reason = f"there is no line {self.start:,} in {quote(shown_name(path))}: it has {has}"
            raise Refused(Failure(reason, "ask for lines that are there", ErrorCode.NOT_FOUND))
        if self.end is not None and self.last < self.end:
            self.lines.append(f"[the file ends with line {self.last:,}]")
        return "\n".join(self.lines)
