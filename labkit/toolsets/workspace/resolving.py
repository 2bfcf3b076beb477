"""Opens a path where folders can't be held open: resolve it, judge it, open it, and look whether it is still the same.

Chapter 04. Acts on the disk, by reading only. For Windows, and wherever ``descent`` is not supported.

    >>> with open_path(root, ["src", "app.py"]) as opened:
    ...     os.read(opened.fd, 10)

A link made between the judging and the opening is found out afterwards, before a single byte is read.

Does not: close the gap for a writer that can swap a folder twice within one call; ``descent`` does.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.refusals import Refused, missing, outside, trouble, wrong_kind

_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOINHERIT", "O_NONBLOCK", "O_CLOEXEC"))


def open_path(root: Path, parts: Sequence[str]) -> Opened:
    """Return what stands at ``parts`` under ``root``; raise ``Refused``. Links that stay inside are followed."""
    asked = "/".join(parts) or "."
    place = _judged(root, parts, asked)
    try:
        mode = place.stat().st_mode
        if stat.S_ISDIR(mode):
            return Opened(_shown(root, place), place, None)
        if not stat.S_ISREG(mode):
            raise wrong_kind(asked, "neither a file nor a folder")
        return _verified(root, parts, Opened(_shown(root, place), place, os.open(place, _FLAGS)))
    except OSError as error:
        raise trouble(asked, error) from None


def open_child(folder: Opened, name: str) -> Opened:
    """Return a direct child of an open folder; raise ``Refused`` for a link, and for what is no file or folder."""
    root = folder.place
    for _ in folder.path.split("/") if folder.path else ():
        root = root.parent
    opened = open_path(root, [*(folder.path.split("/") if folder.path else ()), name])
    if os.path.normcase(opened.place) != os.path.normcase(folder.place / name):
        opened.close()
        raise missing(name)
    return opened


def _judged(root: Path, parts: Sequence[str], asked: str) -> Path:
    """Return the resolved place, having made sure that it is inside."""
    try:
        # Not strict, so that a link to a missing file outside is refused like one to a file that exists.
        place = Path(os.path.realpath(root.joinpath(*parts)))
        if not _is_inside(root, place):
            raise outside()
        if place.is_symlink():
            raise wrong_kind(asked, "a link that leads round in a circle")
    except OSError as error:
        raise trouble(asked, error) from None
    return place


def _verified(root: Path, parts: Sequence[str], opened: Opened) -> Opened:
    """Hand the file on if the path still leads to it, from inside."""
    try:
        again = _judged(root, parts, opened.path)
        assert opened.fd is not None
        now = os.fstat(opened.fd)
        if not (stat.S_ISREG(now.st_mode) and os.path.samestat(again.stat(), now)):
            raise wrong_kind(opened.path, "not the same file any more", "ask again")
    except (OSError, Refused):
        opened.close()
        raise
    return opened


def _is_inside(root: Path, place: Path) -> bool:
    """Compare part by part, so that a neighbour with the same beginning is outside; case as the platform has it."""
    return Path(os.path.normcase(place)).is_relative_to(os.path.normcase(root))


def _shown(root: Path, place: Path) -> str:
    return "" if place == root else "/".join(place.parts[len(root.parts) :])
