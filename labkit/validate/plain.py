"""Copy arguments that come as a dict into plain JSON values, or refuse what JSON does not have. Chapter 03.

    >>> plain_copy({"n": [1, 2]})
    {'n': [1, 2]}

Pure, and safe with any object: types are looked at, not asked. Does not: take sets, tuples or bytes for something else.
"""

from __future__ import annotations

import math
from typing import Any

from labkit.calls import CallRefused, quote
from labkit.validate.decode import MAX_DEPTH, MAX_DIGITS
from labkit.validate.faults import refusal
from labkit.validate.tokens import SEND_ONE_OBJECT

MAX_REPEATED = 100_000


def plain_copy(value: dict[Any, Any]) -> dict[str, Any]:
    """Return a deep copy in plain types. Raises ``CallRefused``, naming the dotted place, for what is no JSON."""
    return _Copy().of_dict(value)


class _Copy:
    """One copy on its way: where it is, which containers it is inside, which it has met, what it copied again."""

    def __init__(self) -> None:
        self.path: list[Any] = []
        self.above: dict[int, bool] = {}  # the containers it is inside, and whether each has been met before
        self.met: set[int] = set()
        self.again = 0
        self.repeated = 0

    def of(self, value: Any) -> Any:
        self.repeated += self.again > 0
        if self.repeated > MAX_REPEATED:  # a list that stands twice in a list that stands twice … has no end
            raise refusal("the arguments hold one list or object in too many places", "Send less at a time.")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        for base, copy in self.BY_BASE:
            if issubclass(kind, base):
                return copy(self, value)
        raise self.refusal(f"holds {a_python(value)}, which JSON does not have")

    def of_dict(self, value: dict[Any, Any]) -> dict[str, Any]:
        self.enter(value)
        copy: dict[str, Any] = {}
        for key, item in list(dict.items(value)):
            if not issubclass(type(key), str):
                raise self.refusal(f"has a key that is no text ({a_python(key)})")
            name = str.__str__(key)
            if name in copy:
                raise self.refusal(f"has the key {quote(name)} twice")
            self.path.append(name)
            copy[name] = self.of(item)
            self.path.pop()
        self.leave(value)
        return copy

    def of_list(self, value: list[Any]) -> list[Any]:
        self.enter(value)
        copy = []
        for number, item in enumerate(list.__iter__(value)):
            self.path.append(number)
            copy.append(self.of(item))
            self.path.pop()
        self.leave(value)
        return copy

    def enter(self, value: Any) -> None:
        if id(value) in self.above:
            raise self.refusal("contains itself")
        if len(self.above) == MAX_DEPTH:
            raise self.refusal(f"is nested more than {MAX_DEPTH} levels deep")
        self.above[id(value)] = again = id(value) in self.met
        self.met.add(id(value))
        self.again += again

    def leave(self, value: Any) -> None:
        self.again -= self.above.pop(id(value))

    def of_int(self, value: int) -> int:
        plain = int.__int__(value)
        if plain.bit_length() > 3 * MAX_DIGITS and abs(plain) >= _TOO_LONG:
            raise self.refusal(f"is an integer of more than {MAX_DIGITS:,} digits")
        return plain

    def of_float(self, value: float) -> float:
        plain = float.__float__(value)
        if not math.isfinite(plain):
            raise self.refusal(f"is {plain!r}, which is not a JSON number")
        return plain

    def of_str(self, value: str) -> str:
        return str.__str__(value)

    def refusal(self, what: str) -> CallRefused:
        """Return the refusal of the value that the copy has come to, with its place."""
        parts = [quote(part)[1:-1] if isinstance(part, str) else str(part) for part in self.path]
        shown = parts if len(parts) <= 8 else [*parts[:4], "…", *parts[-3:]]
        place = f"the argument {'.'.join(shown)}" if parts else "the arguments object"
        hint = "Send plain JSON values: objects, arrays, strings, finite numbers, true, false, null."
        return refusal(f"{place} {what}", hint)

    BY_BASE: tuple[tuple[type, Any], ...] = (
        (str, of_str),
        (int, of_int),
        (float, of_float),
        (dict, of_dict),
        (list, of_list),
    )


_TOO_LONG = 10**MAX_DIGITS


def no_json_text(value: Any) -> CallRefused:
    """Return the refusal of arguments that are neither text nor a dict."""
    return refusal(f"the arguments are {a_python(value)}, which is no JSON text", SEND_ONE_OBJECT)


def a_python(value: Any) -> str:
    """Return what a value is, by the name of its type."""
    name = quote(type(value).__name__)[1:-1]
    return f"a Python {name}"
