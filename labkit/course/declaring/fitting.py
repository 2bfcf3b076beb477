"""A value that fits a part of a schema, where one can be found. Pure. Chapter 02.

    >>> Fitter({}).value({"type": "integer", "minimum": 3})
    3

Does not: find a text for every pattern; ``examples`` in the schema are tried first.
"""

from __future__ import annotations

from typing import Any

from labkit.validate.branches import ALL_RULES
from labkit.validate.subset import check

DEEPEST = 4
"""Levels below which only what is required is made."""
MOST_ITEMS = 50
MOST_CHARACTERS = 1_000
LARGEST = 10**15
"""Bounds beyond it, and those that are no number, are left alone."""
TEXTS = ("tea", "a", "A", "1", "12", "123", "1234", "AB", "ABC", "A1", "AB-12", "ab_1", "a@example.org")
BY_FORMAT = {
    "date": "2026-09-01",
    "date-time": "2026-09-01T12:00:00Z",
    "time": "12:00:00",
    "duration": "PT5M",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "email": "ada@example.org",
    "uri": "https://example.org/",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
CHOICES = ("anyOf", "oneOf", "allOf")


def types(part: dict[str, Any]) -> list[str]:
    """Return the types that a schema names; none where it names none."""
    named = part.get("type", [])
    return [named] if isinstance(named, str) else list(named)


class Fitter:
    """Makes values for the parts of one schema, whose references it follows."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.definitions: dict[str, Any] = root.get("$defs", {})

    def value(self, schema: Any, level: int = 0, only_required: bool = False) -> Any:
        """Return a value that fits where one can be found, else the best guess."""
        part = self.part(schema)
        told = [part["const"]] if "const" in part else list(part.get("enum", ()))
        told += [*part.get("examples", ()), part.get("default")]
        fitting = [each for each in told if each is not None and self.fits(schema, each)]
        if fitting:
            return fitting[0]
        kind = next((name for name in types(part) if name != "null"), "null" if types(part) else "string")
        if kind == "object":
            return self._object(part, level, only_required or level >= DEEPEST)
        if kind == "array":
            return self._array(part, level)
        made = {"string": _texts, "integer": _numbers, "number": _numbers}.get(kind, _plain)(part)
        return next((each for each in made if self.fits(schema, each)), made[0])

    def part(self, schema: Any) -> dict[str, Any]:
        """Return a schema with what stands behind its reference, or with the first branch of its choices."""
        part: dict[str, Any] = schema if isinstance(schema, dict) else {}
        for _ in range(DEEPEST):
            branches: list[Any] = next((part[key] for key in CHOICES if part.get(key)), [])
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            behind = self.definitions.get(name) or (branches[0] if branches else None)
            if not isinstance(behind, dict):
                break
            part = behind | {key: value for key, value in part.items() if key not in ("$ref", *CHOICES)}
        return part

    def fits(self, schema: Any, value: Any) -> bool:
        """Say whether a value fits a part of the schema."""
        part = schema if isinstance(schema, dict) else {}
        return not check({"$defs": self.definitions} | part, value, ALL_RULES)

    def _object(self, part: dict[str, Any], level: int, only_required: bool) -> dict[str, Any]:
        if level > 2 * DEEPEST:  # a model that requires itself has no end
            return {}
        required = part.get("required", ())
        properties = part.get("properties", {}).items()
        return {
            name: self.value(inner, level + 1) for name, inner in properties if name in required or not only_required
        }

    def _array(self, part: dict[str, Any], level: int) -> list[Any]:
        first = [self.value(inner, level + 1) for inner in part.get("prefixItems", ())]
        wanted = 1 if "items" in part and level < DEEPEST else 0
        size = max(part.get("minItems", 0), min(wanted, part.get("maxItems", wanted)))
        more = range(len(first), min(size, MOST_ITEMS))
        item = self.value(part.get("items"), level + 1) if more else None
        return first + [_apart(item, number) if part.get("uniqueItems") else item for number in more]


def _texts(part: dict[str, Any]) -> list[Any]:
    low, high = min(part.get("minLength", 0), MOST_CHARACTERS), part.get("maxLength", MOST_CHARACTERS)
    made = [BY_FORMAT[part["format"]]] if part.get("format") in BY_FORMAT else []
    return [*made, *TEXTS, (TEXTS[0] * low)[: max(low, 1)][:high]]


def _numbers(part: dict[str, Any]) -> list[Any]:
    step = part.get("multipleOf", 1)
    told = [part[key] for key in ("minimum", "exclusiveMinimum", "exclusiveMaximum", "maximum") if key in part]
    bounds = [bound for bound in told if abs(bound) <= LARGEST]
    near = [bound + move for bound in bounds for move in (0, step, -step, 0.5, -0.5)]
    near = [each for each in near if abs(each // step) <= LARGEST]
    made = [1, *near, *(int(each // step) * step + step for each in near), step, 0]
    return [int(each) if each == int(each) else each for each in made]


def _plain(part: dict[str, Any]) -> list[Any]:
    return [True] if "boolean" in types(part) else [None]


def _apart(item: Any, number: int) -> Any:
    """Return an item unlike those before it, where its kind allows that."""
    if isinstance(item, str):
        return f"{item}{number}" if number else item
    return item + number if type(item) in (int, float) else item
