"""What calls touch, and who touched it before: an index over path parts, so that large batches stay cheap."""

from __future__ import annotations

import os.path
from bisect import bisect
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from labkit.declare import Tool

Key = tuple[str, ...]


class Touched:
    """Who touches what, call after call. ``keys`` are those of ``resource_keys``; ``reads``: the call only reads."""

    def __init__(self) -> None:
        self._writers = _Folder()
        self._readers = _Folder()

    def before(self, keys: frozenset[Key] | None, reads: bool) -> set[int]:
        """Return the calls that one which comes now must wait for directly."""
        return set().union(*(self._of(key, reads) for key in _places(keys)))

    def add(self, position: int, keys: frozenset[Key] | None, reads: bool) -> None:
        """Take a call in. Whoever comes after a writer waits for it, and so for all that it waits for."""
        for key in _places(keys):
            if reads:
                self._readers.open(key).users.append(position)
            else:
                self._readers.clear(key)
                self._writers.clear(key)
                self._writers.open(key).users.append(position)

    def _of(self, key: Key, reads: bool) -> set[int]:
        """The last writer on the way to the key, the readers after it, and all within the key.

        Who stands on the way from before that writer needs no edge: that writer waits for it.
        """
        last = max((user for place in self._writers.way(key) for user in place.users), default=-1)
        found = {last, *self._writers.inside(key)} - {-1}
        if not reads:
            found.update(self._readers.inside(key))
            for place in self._readers.way(key):
                found.update(place.users[bisect(place.users, last) :])
        return found


def resource_keys(tool: Tool, values: Any) -> frozenset[Key] | None:
    """Return the resources that a call touches, as tuples of path parts; None means everything.

    A tool that does not say, or whose ``touches`` fails, is taken to touch everything.
    """
    if tool.touches is None:
        return None
    try:
        keys = tool.touches(values)
        return None if keys is None else frozenset(map(_parts, [keys] if isinstance(keys, str | PurePath) else keys))
    except (Exception, SystemExit, GeneratorExit):  # not knowing what it touches is the same as everything
        return None


def _places(keys: frozenset[Key] | None) -> Iterable[Key]:
    """Everything is what the topmost folder holds."""
    return [()] if keys is None else keys


def _parts(key: str | PurePath) -> Key:
    text = os.path.normcase(str(key)).replace(os.sep, "/")
    return tuple(part for part in text.split("/") if part not in ("", "."))


class _Folder:
    """A tree of path parts, with the calls that touch each place in call order. A folder holds what is in it."""

    __slots__ = ("parts", "users")

    def __init__(self) -> None:
        self.users: list[int] = []
        self.parts: dict[str, _Folder] = {}

    def way(self, key: Key) -> Iterator[_Folder]:
        """The places from here down to the key, as far as there are any."""
        place: _Folder | None = self
        for part in (*key, ""):
            if place is None:
                return
            yield place
            place = place.parts.get(part)

    def inside(self, key: Key) -> Iterator[int]:
        """The calls that touch something within the key."""
        places = list(self.way(key))[len(key) :]
        while places:
            place = places.pop()
            yield from place.users
            places += place.parts.values()

    def open(self, key: Key) -> _Folder:
        """The place of a key, made where there is none."""
        place = self
        for part in key:
            place = place.parts.setdefault(part, _Folder())
        return place

    def clear(self, key: Key) -> None:
        """Forget who touches the key or something within it."""
        for place in list(self.way(key))[len(key) :]:
            place.users, place.parts = [], {}
