"""Takes what a child process writes as it comes, and keeps its beginning and its end.

Chapter 06. Acts: it reads a pipe in a thread of its own.

    >>> output = Collector(process.stdout)
    >>> output.begin()
    >>> output.ended.wait(1.0), output.stop()
    (True, 'first line\\n[… 1,234 characters left out …]\\nlast line')

Does not: hold more than two short texts, however much comes; wait for a pipe that somebody else keeps open.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import selectors
import threading
from typing import IO

HEAD = 2_500
TAIL = 3_000
"""Characters kept of the beginning and of the end."""
CHUNK = 65_536
_LOOK_EVERY = 0.1
_DRAIN = 0.5


class Collector:
    """The output of a child. ``ended`` is set when every writer has closed the pipe."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.ended = threading.Event()
        self._pipe = pipe
        self._given_up = threading.Event()
        self._lock = threading.Lock()
        self._head = self._tail = ""
        self._length = 0

    def begin(self) -> None:
        """Start to read; returns at once."""
        threading.Thread(target=self._collect, name="labkit-output", daemon=True).start()

    def stop(self) -> str:
        """Return what came, cut in its middle; waits a moment for the rest, and no longer."""
        self.ended.wait(_DRAIN)
        self._given_up.set()
        with self._lock:
            dropped = self._length - len(self._head) - len(self._tail)
            middle = f"\n[… {dropped:,} characters left out …]\n" if dropped else ""
            return (self._head + middle + self._tail).replace("\r\n", "\n")

    def _collect(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        with self._pipe:
            fd = self._pipe.fileno()
            while self._readable(fd) and (data := _read(fd)):
                self._keep(decoder.decode(data))
        self._keep(decoder.decode(b"", final=True))
        self.ended.set()

    def _readable(self, fd: int) -> bool:
        """Wait for output; False once nobody wants it. Windows can't look into a pipe: there the read itself waits."""
        if os.name == "nt":
            return not self._given_up.is_set()
        with selectors.DefaultSelector() as selector:
            selector.register(fd, selectors.EVENT_READ)
            while not self._given_up.is_set():
                if selector.select(_LOOK_EVERY):
                    return True
        return False

    def _keep(self, text: str) -> None:
        with self._lock:
            self._length += len(text)
            room = HEAD - len(self._head)
            self._head += text[:room]
            self._tail = (self._tail + text[room:])[-TAIL:]


def _read(fd: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(fd, CHUNK)
    return b""
