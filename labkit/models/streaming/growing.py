"""One call that grows piece by piece, and the moment from which it can be told that it is whole. Pure."""

from __future__ import annotations

from labkit.calls import ToolCall


class Growing:
    """A call of which not everything has come yet.

    ``whole`` is True from the moment when ``arguments`` is a complete JSON object, or a complete string (arguments that
    were encoded twice): no character but blank space can follow, so the rest of the stream can't change it. Arguments
    that are still empty, or no JSON from the start, are whole only when the server says so with ``close``.
    """

    def __init__(self, id: str = "", name: str = "") -> None:
        self.id = id
        self.name = name
        self._pieces: list[str] = []
        self._scan = _Scan()
        self._closed = False

    @property
    def arguments(self) -> str:
        """The text of the arguments so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def begun(self) -> bool:
        """Whether anything but blank space of the arguments has come."""
        return self._scan.begun

    @property
    def complete(self) -> bool:
        """Whether the arguments are one complete JSON object or string as they stand."""
        return self._scan.complete

    @property
    def whole(self) -> bool:
        """Whether nothing that may still come belongs to this call."""
        return self._closed or (self._scan.complete and bool(self.name))

    @property
    def call(self) -> ToolCall:
        """The call as far as it is known."""
        return ToolCall(self.id, self.name, self.arguments)

    def add(self, piece: str) -> None:
        """Take one more piece of the arguments."""
        if piece:
            self._pieces.append(piece)
            self._scan.read(piece)

    def set(self, arguments: str) -> None:
        """Take the whole text of the arguments, in place of the pieces."""
        self._pieces, self._scan = [], _Scan()
        self.add(arguments)

    def close(self) -> None:
        """The server says that this call is whole."""
        self._closed = True

    def __repr__(self) -> str:
        state = "whole" if self.whole else "open"
        return f"Growing({self.id} {self.name} {self.arguments!r}, {state})"


class Pieces:
    """A text that grows, joined when it is asked for: with ``+=`` a long one would be copied for every piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Take one more piece."""
        if piece:
            self._pieces.append(piece)

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""


class _Scan:
    """Finds the end of one JSON object or string, reading every character once."""

    def __init__(self) -> None:
        self.begun = False
        self.complete = False
        self._odd = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def read(self, piece: str) -> None:
        for char in piece:
            self._take(char)

    def _take(self, char: str) -> None:
        if self._in_string:
            self._inside(char)
        elif char.isspace():
            return
        elif self.complete or self._odd or (not self.begun and char not in '{"'):
            self._odd, self.complete = True, False  # text around the JSON: only the server knows where it ends
        elif char == '"':
            self._in_string = True
        elif char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            self.complete = self._depth <= 0
        self.begun = True

    def _inside(self, char: str) -> None:
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            self._in_string = False
            self.complete = self._depth == 0
