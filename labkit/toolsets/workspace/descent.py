"""Opens a path one part at a time, each from the open folder before it, so that no link can be slipped in between.

Chapter 04. Acts on the disk, by reading only. For systems with ``dir_fd`` and ``O_NOFOLLOW`` (Linux, macOS).

    >>> with open_path(root, ["src", "app.py"]) as opened:
    ...     os.read(opened.fd, 10)

No part is ever opened through a link. A link is read as text instead, and its parts are walked like any others, from
the folder it stands in: one that leaves the workspace is refused before its target is looked at.

Does not: keep a process out that may write to the workspace's folders from outside; it keeps paths in.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from labkit.toolsets.workspace.refusals import outside, trouble, wrong_kind

MOST_LINKS = 40
# Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY"))
_SWAPPED = {errno.ELOOP, errno.EMLINK}
SUPPORTED = {os.open, os.stat, os.readlink, os.rename, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


@dataclass(slots=True)
class Opened:
    """An open file or folder of the workspace; a context manager that closes it.

    ``path`` is what may be shown: relative, links resolved, with ``/``, empty for the workspace itself.
    ``folder`` is the descriptor of the folder that holds it; where there is none, ``place`` is used instead.
    """

    path: str
    place: Path
    fd: int | None
    folder: int | None = None

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder; anything else is a regular file."""
        return self.fd is None or stat.S_ISDIR(os.fstat(self.fd).st_mode)

    def beside(self, name: str) -> str:
        """Return how a file in the same folder is called, to be used together with ``dir_fd=self.folder``."""
        return name if self.folder is not None else str(self.place.parent / name)

    def close_file(self) -> None:
        """Close the file, and keep the folder that holds it."""
        fd, self.fd = self.fd, None
        if fd is not None:
            os.close(fd)

    def close(self) -> None:
        """Close what is still open."""
        self.close_file()
        folder, self.folder = self.folder, None
        if folder is not None:
            os.close(folder)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_path(root: Path, parts: Sequence[str]) -> Opened:
    """Return what stands at ``parts`` under ``root``; raise ``Refused``. Links that stay inside are followed."""
    walk = _Walk(root, parts)
    try:
        walk.begin()
        while walk.pending:
            walk.step()
        return walk.arrive()
    except OSError as error:
        raise trouble(walk.asked, error) from None
    finally:
        walk.close()


def open_child(folder: Opened, name: str) -> Opened:
    """Return a direct child of an open folder; raise ``Refused`` for a link, and for what is no file or folder."""
    path = f"{folder.path}/{name}" if folder.path else name
    try:
        fd = os.open(name, _FLAGS, dir_fd=folder.fd)
    except OSError as error:
        raise trouble(path, error) from None
    opened = Opened(path, folder.place / name, fd)
    _require_ordinary(path, os.fstat(fd).st_mode, opened)
    return opened


class _Walk:
    """The state of one descent: the folders that are open, by name, and the parts still to walk."""

    def __init__(self, root: Path, parts: Sequence[str]) -> None:
        self.root = root
        self.asked = "/".join(parts) or "."
        self.pending = deque(parts)
        self.names: list[str] = []
        self.links = 0
        self.fds: list[int] = []

    def begin(self) -> None:
        """Open the workspace itself, from which everything else is reached."""
        self.fds.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def step(self) -> None:
        """Walk one part: up, into a link's text, or down."""
        part = self.pending.popleft()
        if part == "..":
            self._up()
            return
        mode = os.stat(part, dir_fd=self.fds[-1], follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            self._through_link(part)
        else:
            _require_ordinary(self.asked, mode)
            self._down(part)

    def _up(self) -> None:
        if not self.names:
            raise outside()
        self.names.pop()
        os.close(self.fds.pop())

    def _down(self, part: str) -> None:
        try:
            fd = os.open(part, _FLAGS, dir_fd=self.fds[-1])
        except OSError as error:
            if error.errno not in _SWAPPED:
                raise
            # It was no link a moment ago. Look again; the count of links bounds how often.
            self._count_link()
            self.pending.appendleft(part)
            return
        self.fds.append(fd)
        self.names.append(part)
        _require_ordinary(self.asked, os.fstat(fd).st_mode)

    def _through_link(self, part: str) -> None:
        self._count_link()
        target = Path(os.readlink(part, dir_fd=self.fds[-1]))
        if target.is_absolute():
            if not target.is_relative_to(self.root):
                raise outside()
            target = target.relative_to(self.root)
            while self.names:
                self._up()
        self.pending.extendleft(reversed(target.parts))

    def _count_link(self) -> None:
        self.links += 1
        if self.links > MOST_LINKS:
            raise wrong_kind(self.asked, f"a link that leads round in a circle, or over more than {MOST_LINKS} links")

    def arrive(self) -> Opened:
        """Return what was reached, and leave its two descriptors to the caller."""
        fd = self.fds.pop()
        folder = self.fds.pop() if self.fds else None
        return Opened("/".join(self.names), self.root.joinpath(*self.names), fd, folder)

    def close(self) -> None:
        """Close whatever was not handed over."""
        while self.fds:
            os.close(self.fds.pop())


def _require_ordinary(path: str, mode: int, opened: Opened | None = None) -> None:
    """Refuse pipes, devices and sockets: reading them could wait for ever or have effects."""
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        if opened is not None:
            opened.close()
        raise wrong_kind(path, "neither a file nor a folder")
