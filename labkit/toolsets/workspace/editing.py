"""Changes one place in one file, and nothing else of it.

Chapters 01 and 04. Acts on the disk: the only tool of the workspace that writes.

    >>> edit_file(Root("work"), "calculator.py", "return n + n", "return n * n")
    'edited calculator.py, line 6'

Does not: create a file, choose among several places, touch a byte outside the place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import Annotated

from pydantic import Field

from labkit.calls import ErrorCode, Failure, quote
from labkit.toolsets.workspace.confine import Root
from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.reading import LARGEST, FilePath, load
from labkit.toolsets.workspace.refusals import Refused, answering, trouble, wrong_kind
from labkit.toolsets.workspace.replacing import Place, find_once
from labkit.toolsets.workspace.text import Text, shown_name

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@answering
def edit_file(
    root: Root,
    path: FilePath,
    old: Annotated[str, Field(min_length=1, description="The text to replace; it must occur exactly once in the file")],
    new: Annotated[str, Field(description="The text to put in its place; may be empty")],
) -> str:
    """Replace one text in one file of the workspace; all else in the file stays as it is, byte for byte.

    old must occur exactly once, spaces and indentation included: give a line or more around the change. Line breaks are
    written as \\n, whatever the file uses. Takes UTF-8 text of at most 1 MB; never creates a file.
    Example: {"path": "src/app.py", "old": "retries = 1", "new": "retries = 3"}.
    """
    with root.open_file(path) as opened:
        text = load(opened)
        place = find_once(text.plain, old, new)
        _replace(opened, _edited(text, place))
        return f"edited {shown_name(opened.path)}, {place.lines()}"


def _edited(text: Text, place: Place) -> bytes:
    try:
        data = text.encode(text.splice(place.start, place.end, place.new))
    except UnicodeEncodeError:
        raise Refused(Failure("new holds half of a surrogate pair, which no file can hold")) from None
    if len(data) > LARGEST:
        raise Refused(Failure(f"the file would grow to {len(data):,} bytes, and {LARGEST:,} is the most"))
    return data


def _replace(opened: Opened, data: bytes) -> None:
    """Put a new file in the place of the old one in a single step, so that nobody ever sees half of it."""
    assert opened.fd is not None
    before = os.fstat(opened.fd)
    if not before.st_mode & 0o222:
        raise wrong_kind(opened.path, "read-only")
    target, temporary = opened.beside(opened.place.name), opened.beside(f".{secrets.token_hex(8)}.tmp")
    try:
        _write(temporary, data, before.st_mode, opened.folder)
        try:
            _require_unchanged(opened, target, before)
            opened.close_file()  # Windows replaces no file that is open
            os.replace(temporary, target, src_dir_fd=opened.folder, dst_dir_fd=opened.folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=opened.folder)
            raise
    except OSError as error:
        raise trouble(opened.path, error) from None


def _write(name: str, data: bytes, mode: int, folder: int | None) -> None:
    fd = os.open(name, _FLAGS, 0o600, dir_fd=folder)
    try:
        with os.fdopen(fd, "wb") as file:
            if hasattr(os, "fchmod"):
                os.fchmod(fd, stat.S_IMODE(mode))
            file.write(data)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise


def _require_unchanged(opened: Opened, target: str, before: os.stat_result) -> None:
    """Refuse where the file is no more the one that was read: the edit would undo somebody else's."""
    now = os.stat(target, dir_fd=opened.folder, follow_symlinks=False)
    same = ("st_dev", "st_ino", "st_mtime_ns", "st_size")
    if any(getattr(now, each) != getattr(before, each) for each in same):
        reason = f"{quote(opened.path)} changed while it was edited, and was left alone"
        raise Refused(Failure(reason, "read it again", ErrorCode.FAILED))
