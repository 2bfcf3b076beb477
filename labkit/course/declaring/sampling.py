"""Calls made from a schema: some that fit, and one for each way of going wrong. Pure. Chapter 02.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    >>> [sample.change for sample in sample_calls(schema)]
    ['{"n": 1}', 'without n', 'n = null', 'n = "some text"', 'n = "1"', 'n = true']

Does not: judge the calls, know a tool, guess a text for every pattern (``examples`` in the schema help).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from labkit.course.declaring.fitting import DEEPEST, Fitter, types
from labkit.validate.branches import ALL_RULES
from labkit.validate.subset import check

SPELLED = 76
"""Characters of a change that are shown."""
OTHERS: dict[str, Any] = {
    "string": "some text",
    "integer": 7,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
    "number": 1.5,
}


class SampleCall(NamedTuple):
    """Arguments made from a schema. A value; ``way`` says what they are for, ``change`` what is spoilt in them."""

    way: str
    change: str
    arguments: dict[str, Any]


def sample_calls(schema: dict[str, Any]) -> list[SampleCall]:
    """Return calls that fit, then at most one for each way of going wrong, the first place where it can.

    Where no fitting value can be made (of a pattern without ``examples``), there is only a guess, and nothing to spoil.
    A call that would go wrong but happens to fit is left out.
    """
    fitter = Fitter(schema)
    full = fitter.value(schema)
    if check(schema, full, ALL_RULES):
        return [SampleCall("everything, as a guess", _spelled(full), full)]
    least = fitter.value(schema, only_required=True)
    samples = [] if least == full else [SampleCall("nothing but what is required", _spelled(least), least)]
    samples.append(SampleCall("everything", _spelled(full), full))
    seen: set[str] = set()
    for way, path, value in _Spoiler(fitter).spoils(schema, ()):
        arguments = _put(full, path, value)
        if way not in seen and (way == NULL_FOR_NONE or check(schema, arguments, ALL_RULES)):
            seen.add(way)
            samples.append(SampleCall(way, _change(path, value), arguments))
    return samples


def _change(path: Path, value: Any) -> str:
    place = ".".join(map(str, path))
    return f"without {place}" if value is MISSING else f"{place} = {_spelled(value)}"


def _spelled(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SPELLED else text[: SPELLED - 1] + "…"


MISSING = object()
NULL_FOR_NONE = "null where it may be left out"
Path = tuple[str | int, ...]
Spoil = tuple[str, Path, Any]


def _put(arguments: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with another value at a place, or without what stands there."""
    changed = copy.deepcopy(arguments)
    target: Any = changed
    for step in path[:-1]:
        target = target[step]
    if value is MISSING:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return changed


class _Spoiler:
    """Knows how each part of a schema can be got wrong, and where that stands in a fitting value."""

    def __init__(self, fitter: Fitter) -> None:
        self.fitter = fitter

    def spoils(self, schema: Any, path: Path) -> Iterator[Spoil]:
        """Yield ways to spoil the value at a place: its own, then those of its parts."""
        part, value = self.fitter.part(schema), self.fitter.value(schema, len(path))
        if isinstance(value, dict):
            yield from self._spoil_object(part, value, path)
        for way, make in SPOILS.items() if path else ():
            yield from ((way, path, wrong) for wrong in make(part, value))
        if len(path) < DEEPEST:
            for step, inner in _inside(part, value):
                yield from self.spoils(inner, (*path, step))

    def _spoil_object(self, part: dict[str, Any], value: dict[str, Any], path: Path) -> Iterator[Spoil]:
        required = [name for name in part.get("required", ()) if name in value]
        yield from (("a missing argument", (*path, name), MISSING) for name in required[:1])
        if part.get("additionalProperties") is False:
            yield "an argument too many", (*path, "colour"), "red"
        for name in value:
            inner = self.fitter.part(part.get("properties", {}).get(name))
            if name in required:
                yield "null where a value is required", (*path, name), None
            elif not self.fitter.fits(inner, None):
                yield NULL_FOR_NONE, (*path, name), None


def _inside(part: dict[str, Any], value: Any) -> Iterator[tuple[str | int, Any]]:
    """Yield the schemas of the parts that a value has, each with the step to it; of an array the first item only."""
    if isinstance(value, dict):
        properties = part.get("properties", {})
        yield from ((name, properties[name]) for name in value if name in properties)
    if isinstance(value, list) and value:
        yield 0, (part.get("prefixItems") or [part.get("items")])[0]


def _is_number(part: dict[str, Any]) -> bool:
    return bool({"integer", "number"} & set(types(part))) and "string" not in types(part)


SPOILS: dict[str, Callable[[dict[str, Any], Any], list[Any]]] = {
    "a wrong type": lambda part, value: [
        other for name, other in OTHERS.items() if types(part) and name not in types(part)
    ],
    "a number in quotes": lambda part, value: [str(value)] if _is_number(part) else [],
    "true for a number": lambda part, value: [True] if _is_number(part) else [],
    "not one of the list": lambda part, value: ["something else", 99] if {"enum", "const"} & set(part) else [],
    "below the least": lambda part, value: [part[key] - 1 for key in ("minimum", "exclusiveMinimum") if key in part],
    "above the most": lambda part, value: [part[key] + 1 for key in ("maximum", "exclusiveMaximum") if key in part],
    "not a multiple": lambda part, value: [value + part["multipleOf"] / 2] if "multipleOf" in part else [],
    "words for a date": lambda part, value: ["yesterday"] if part.get("format") in ("date", "date-time") else [],
    "a date in another order": lambda part, value: ["04/17/2026"] if part.get("format") == "date" else [],
    "text of another form": lambda part, value: ["???"] if {"format", "pattern"} & set(part) else [],
    "text too short": lambda part, value: [value[: part["minLength"] - 1]] if part.get("minLength") else [],
    "text too long": lambda part, value: ["x" * (part["maxLength"] + 1)] if part.get("maxLength", 999) < 999 else [],
    "too few items": lambda part, value: [value[: part["minItems"] - 1]] if part.get("minItems") else [],
    "too many items": lambda part, value: (
        [(value or [None]) * (part["maxItems"] + 1)] if part.get("maxItems", 999) < 999 else []
    ),
    "an item twice": lambda part, value: [value + value[:1]] if part.get("uniqueItems") and value else [],
}
