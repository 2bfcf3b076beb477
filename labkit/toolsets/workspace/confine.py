"""The one door to the files of a workspace: every path goes through it, for reading, listing, searching and editing.

Chapter 04. Acts on the disk, by reading only.

    >>> with Root("work").open_file("src/app.py") as opened:
    ...     opened.path
    'src/app.py'

Does not: decode, cut or change anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from labkit.toolsets.workspace import descent, resolving
from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.names import parts_of
from labkit.toolsets.workspace.refusals import Refused, wrong_kind

MOST_ENTRIES = 20_000
DEEPEST = 50
SKIPPED_FOLDERS = frozenset({".git", "__pycache__"})

Kind = Literal["file", "folder", "link", "other", "closed"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something met on a walk through a folder. A value, usable until the walk goes on.

    ``kind`` is ``closed`` for a folder that can't be looked into; links are told, never followed.
    """

    path: str
    kind: Kind
    parent: Opened
    name: str


class Root:
    """A folder that no path leads out of. ``path`` is resolved once, when the root is made."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))
        if not self.path.is_dir():
            raise NotADirectoryError(f"a workspace is an existing folder, and this is none: {path}")
        self._open_path = descent.open_path if descent.SUPPORTED else resolving.open_path
        self._open_child = descent.open_child if descent.SUPPORTED else resolving.open_child

    def open(self, path: str) -> Opened:
        """Return the open file or folder at a path; raise ``Refused``."""
        return self._open_path(self.path, parts_of(path))

    def open_file(self, path: str) -> Opened:
        """Return the open file at a path; raise ``Refused``, for a folder too."""
        opened = self.open(path)
        if opened.is_folder:
            opened.close()
            raise wrong_kind(path, "a folder", "list_files shows what is in it")
        return opened

    def open_entry(self, entry: Entry) -> Opened:
        """Return the open file or folder of an entry; raise ``Refused``, also where it has become a link."""
        return self._open_child(entry.parent, entry.name)

    def walk(self, folder: Opened, depth: int = 0) -> Iterator[Entry]:
        """Yield what is in a folder and in the folders below it, sorted by path."""
        for name, kind in sorted(_entries(folder), key=_by_path):
            entry = Entry(f"{folder.path}/{name}" if folder.path else name, kind, folder, name)
            if kind != "folder":
                yield entry
            elif name not in SKIPPED_FOLDERS:
                yield from self._walk_into(entry, depth + 1)

    def _walk_into(self, entry: Entry, depth: int) -> Iterator[Entry]:
        try:
            if depth > DEEPEST:
                raise wrong_kind(entry.path, "too deep")
            child = self.open_entry(entry)
        except Refused:
            yield Entry(entry.path, "closed", entry.parent, entry.name)
            return
        with child:
            yield entry
            if child.is_folder:
                yield from self.walk(child, depth)

    def touched(self, path: str) -> tuple[Path, ...]:
        """Return the resolved place that a path stands for, as a resource key; nothing for a path that is refused.

        On a file system that ignores case the key is in one case, so that two spellings of one file are one key.
        """
        try:
            place = os.path.realpath(self.path.joinpath(*parts_of(path)))
        except (Refused, OSError):
            return ()
        return (Path(place.casefold() if self._ignores_case() else place),)

    def _ignores_case(self) -> bool:
        swapped = self.path.parent / self.path.name.swapcase()
        return swapped != self.path and swapped.exists() and swapped.samefile(self.path)


def _entries(folder: Opened) -> list[tuple[str, Kind]]:
    """Return names and kinds, at most one more than a walk may meet; a folder that can't be read has none."""
    try:
        with os.scandir(folder.place if folder.fd is None else folder.fd) as found:
            return [(entry.name, _kind(entry)) for entry in islice(found, MOST_ENTRIES + 1)]
    except OSError:
        return []


def _kind(entry: os.DirEntry[str]) -> Kind:
    # A Windows junction counts as a link; Python knows them since 3.12, and open_entry refuses them anyway.
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _by_path(found: tuple[str, Kind]) -> str:
    """A folder sorts as if its name ended in ``/``, which makes the whole walk come in the order of its paths."""
    name, kind = found
    return f"{name}/" if kind == "folder" else name
