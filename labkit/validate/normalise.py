"""Undo, before any validator looks, the few spellings that mean one thing only.

Chapter 03. ``5.0`` for an integer, a list sent as JSON text, ``null`` for "use the default", half a character.

    >>> normaliser({"properties": {"n": {"type": "integer"}}})({"n": 5.0})
    ({'n': 5}, ('integral_float',))

Pure. Does not: judge, fill defaults, turn one type into another (``"5"`` stays text), choose between branches that fit.
"""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Callable
from typing import Any

from labkit.calls import Repair
from labkit.validate.decode import read_strictly
from labkit.validate.outline import ITEMS, REST, Outline

Normalise = Callable[[dict[str, Any]], tuple[dict[str, Any], tuple[str, ...]]]


def normaliser(schema: Any, repair: Repair = "lossless") -> Normalise:
    """Return the function that makes arguments normal for a schema, and names what it did.

    The names are ``integral_float``, ``surrogates``, ``null_default`` and ``double_encoding``. The first three make one
    spelling of what is the same for every validator; the last is a repair, and ``repair="none"`` leaves it out. What is
    handed in is never changed; where there is nothing to do, it is handed back as it is.
    """
    places = _Places(copy.deepcopy(schema), repair == "lossless")
    root = places.at(places.outline.root)
    plain = {name: root.part(name).plain_kinds(name in root.droppable) for name in root.names}

    def normalise(values: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        for key, value in values.items():
            kind = type(value)
            if kind not in plain.get(key, _NO_KINDS) or (kind is str and not value.isascii()):
                return _mend_all(root, values)
        return values, ()

    return normalise


_NO_KINDS: frozenset[type] = frozenset()


def _mend_all(root: _Place, values: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    repairs: dict[str, None] = {}
    try:
        mended = root.mend_object(values, repairs)
    except RecursionError:  # JSON text inside JSON text, many times over, can be deeper than the arguments may be
        return values, ()
    return mended, tuple(repairs)


class _Places:
    """All the places met so far, one for each schema, so that a schema that holds itself needs no end of them."""

    def __init__(self, schema: Any, lossless: bool) -> None:
        self.outline = Outline(schema)
        self.lossless = lossless
        self.known: dict[int, _Place] = {}

    def at(self, schema: Any) -> _Place:
        if id(schema) not in self.known:
            self.known[id(schema)] = _Place(self, schema)
        return self.known[id(schema)]


class _Place:
    """One place in the arguments, as its schema describes it, and what is mended there."""

    def __init__(self, places: _Places, schema: Any) -> None:
        outline = places.outline
        self.places, self.schema = places, schema
        self.types = outline.types(schema)
        self.wants_integer = "integer" in self.types and "number" not in self.types
        wants_structure = bool(self.types & _STRUCTURES) and self.types <= _STRUCTURES | {"null"}
        self.wants_structure = wants_structure and places.lossless
        self.names = outline.names(schema)
        self.length = outline.prefix_length(schema)
        self.droppable = {name for name in self.names if self.is_droppable(name)}
        self.parts: dict[Any, _Place] = {}

    def is_droppable(self, name: str) -> bool:
        """Say whether null, for this property, can only mean "use the default"."""
        outline = self.places.outline
        part = outline.part(self.schema, name)
        needed = name in outline.required(self.schema) and not outline.has_default(part)
        return not needed and "null" not in outline.types(part)

    def part(self, key: Any) -> _Place:
        """Return the place of a property by its name, or of an item by its number; all that are alike share one."""
        if isinstance(key, str):
            key = key if key in self.names else REST
        elif isinstance(key, int):
            key = key if key < self.length else ITEMS
        if key not in self.parts:
            self.parts[key] = self.places.at(self.places.outline.part(self.schema, key))
        return self.parts[key]

    def plain_kinds(self, droppable: bool) -> frozenset[type]:
        """Return the Python types of the values that need no look here."""
        kinds = {bool: True, int: True, str: not self.wants_structure, float: not self.wants_integer}
        return frozenset({kind for kind, plain in {**kinds, type(None): not droppable}.items() if plain})

    def mend(self, value: Any, repairs: dict[str, None]) -> Any:
        if type(value) is str:
            decoded = self.decoded(value) if self.wants_structure else None
            if decoded is None:
                return value if value.isascii() else _whole(value, repairs)
            repairs["double_encoding"] = None
            value = decoded
        if type(value) is float and self.wants_integer and value.is_integer():
            repairs["integral_float"] = None
            return int(value)
        if type(value) is dict:
            return self.mend_object(value, repairs)
        if type(value) is list:
            items = [self.part(number).mend(item, repairs) for number, item in enumerate(value)]
            return value if all(map(operator.is_, items, value)) else items
        return value

    def decoded(self, text: str) -> Any:
        """Return the array or object that a text holds, where that is what is wanted here; else None."""
        if text.lstrip(" \t\n\r")[:1] not in ("[", "{"):
            return None
        try:
            value = read_strictly(text)
        except ValueError:
            return None
        return value if ("array" if type(value) is list else "object") in self.types else None

    def mend_object(self, value: dict[str, Any], repairs: dict[str, None]) -> dict[str, Any]:
        mended: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            name = key if key.isascii() else _whole(key, repairs)
            while name is not key and (name in value or name in mended):
                name += "\ufffd"  # two spoilt keys stay two
            if item is None and name in self.droppable:
                repairs["null_default"], same = None, False
                continue
            mended[name] = self.part(name).mend(item, repairs)
            same = same and name is key and mended[name] is item
        return value if same else mended


_STRUCTURES = frozenset({"array", "object"})


def _whole(text: str, repairs: dict[str, None]) -> str:
    """Return a text without lone surrogates; two that make a pair become their character."""
    if not _SURROGATE.search(text):
        return text
    repairs["surrogates"] = None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_SURROGATE = re.compile("[\ud800-\udfff]")
