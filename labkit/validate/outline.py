"""Read off a schema what may stand at a place, through ``$ref``, ``allOf``, ``anyOf`` and ``oneOf``. Chapter 03.

    >>> size = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    >>> sorted(Outline(size).types(size))
    ['integer', 'null']

Pure. Where several branches fit a kind of value, a part of it is described by all of them together.
Does not: look at values, judge, know keywords beyond those that name types and parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labkit.validate.keywords import TYPE_NAMES
from labkit.validate.references import look_up

ITEMS, REST = object(), object()
ALL_TYPES = frozenset({"object", "array", "string", "boolean", "integer", "number", "null"})


class Outline:
    """The outline of one schema. Schemas made on the way are kept, so that one place is always one object."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.joined: dict[tuple[Any, ...], dict[str, Any]] = {}

    def types(self, schema: Any, above: tuple[int, ...] = ()) -> frozenset[str]:
        """Return the JSON types that a schema admits; a type ``number`` stands there with ``integer`` beside it."""
        if not isinstance(schema, dict) or id(schema) in above:
            return frozenset() if schema is False else ALL_TYPES
        above = (*above, id(schema))
        found = _own_types(schema)
        for part in self.all_of(schema):
            found &= self.types(part, above)
        for branches in _branches(schema):
            found &= frozenset().union(*(self.types(branch, above) for branch in branches))
        return found

    def part(self, schema: Any, key: Any, above: tuple[int, ...] = ()) -> Any:
        """Return the schema of a part: a property's name, an item's number, ``ITEMS`` or ``REST`` for all others."""
        if not isinstance(schema, dict) or id(schema) in above:
            return schema is not False
        above = (*above, id(schema))
        kind = "object" if isinstance(key, str) or key is REST else "array"
        parts = [_own_part(schema, key), *(self.part(other, key, above) for other in self.all_of(schema))]
        for branches in _branches(schema):
            fitting = [branch for branch in branches if kind in self.types(branch)]
            parts.append(self.join("anyOf", [self.part(branch, key, above) for branch in fitting]))
        return self.join("allOf", parts)

    def names(self, schema: Any) -> set[str]:
        """Return every property name that the schema or one of its branches declares."""
        return {name for part in self.pieces(schema) for name in _mapping(part.get("properties"))}

    def required(self, schema: Any) -> set[str]:
        """Return every property name that the schema or one of its branches requires."""
        return {name for part in self.pieces(schema) for name in _sequence(part.get("required"))}

    def prefix_length(self, schema: Any) -> int:
        """Return how many first items have a schema of their own."""
        return max((len(_sequence(part.get("prefixItems"))) for part in self.pieces(schema)), default=0)

    def has_default(self, schema: Any) -> bool:
        """Say whether the schema, or what it refers to, gives a default."""
        return any("default" in part for part in self.pieces(schema))

    def pieces(self, schema: Any) -> Iterator[dict[str, Any]]:
        """Yield the schema and all schemas about the same value: behind ``$ref``, in ``allOf``, in the branches."""
        waiting, seen = [schema], set()
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part
                waiting += [*self.all_of(part), *(branch for branches in _branches(part) for branch in branches)]

    def all_of(self, schema: dict[str, Any]) -> list[Any]:
        behind = [look_up(self.root, schema["$ref"])] if "$ref" in schema else []
        return [*behind, *_sequence(schema.get("allOf"))]

    def join(self, keyword: str, parts: list[Any]) -> Any:
        """Return one schema for several: one that decides, or the only one, or all of them under the keyword."""
        decides = keyword == "anyOf"  # one True decides an anyOf, one False an allOf
        if any(part is decides for part in parts):
            return decides
        rest = list({id(part): part for part in parts if isinstance(part, dict)}.values())
        if len(rest) < 2:
            return rest[0] if rest else not decides
        return self.joined.setdefault((keyword, *map(id, rest)), {keyword: rest})


def _own_types(schema: dict[str, Any]) -> frozenset[str]:
    found = ALL_TYPES
    declared = schema.get("type")
    if declared is not None:
        found = frozenset([declared] if isinstance(declared, str) else _sequence(declared))
        found |= {"integer"} if "number" in found else set()
    choices = _sequence(schema.get("enum")) if "enum" in schema else [schema["const"]] if "const" in schema else None
    if choices is not None:
        kinds = {TYPE_NAMES.get(type(choice), "null") for choice in choices}
        found &= kinds | ({"number"} if declared is not None and "integer" in kinds else set())
    return found


def _own_part(schema: dict[str, Any], key: Any) -> Any:
    if isinstance(key, str) or key is REST:
        known = _mapping(schema.get("properties"))
        rest = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        return known.get(key, rest)
    first = _sequence(schema.get("prefixItems"))
    return first[key] if isinstance(key, int) and key < len(first) else schema.get("items", True)


def _branches(schema: dict[str, Any]) -> list[list[Any]]:
    return [_sequence(schema[keyword]) for keyword in ("anyOf", "oneOf") if keyword in schema]


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _sequence(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
