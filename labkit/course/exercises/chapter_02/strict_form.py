"""Exercise 02.3: the strict form of a schema."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted

FORECAST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 3},
        "unit": {"type": "string", "enum": ["C", "F"]},
        "note": {"type": ["string", "null"], "default": None},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def given_strict() -> dict[str, Any]:
    """Return a fresh schema, and what looks at it before and after."""

    def unchanged(make: Callable[[Any], Any]) -> Any:
        schema = copy.deepcopy(FORECAST)
        made = make(schema)
        return made if made is ... else schema == FORECAST

    size = {"type": "integer", "description": "1 to 9", "minimum": 1, "maximum": 9, "default": 2}
    open_schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    other = {"type": "object", "properties": {"size": size}, "required": []}
    return {"forecast": copy.deepcopy(FORECAST), "unchanged": unchanged, "open_schema": open_schema, "other": other}


def _property(rule: str, name: str, expected: Any, step: str) -> Case:
    return Case(rule, f'strict_v0(forecast)["properties"]["{name}"]', expected, step)


def _admits(*types: str) -> Callable[[Any], bool]:
    return lambda part: (
        isinstance(part, dict) and isinstance(part.get("type"), list) and sorted(part["type"]) == [*types]
    )


STRICT = Exercise(
    id="02.3",
    title="Strict, by hand",
    names=("strict_v0",),
    given=given_strict,
    cases=(
        Case(
            "the result is a schema",
            "strict_v0(forecast)",
            Wanted("a dict with properties", lambda made: isinstance(made, dict) and "properties" in made),
            "What does your function return?",
        ),
        Case(
            "every property is required",
            'sorted(strict_v0(forecast)["required"])',
            ["city", "days", "note", "unit"],
            "Where do the names of all properties stand?",
        ),
        _property(
            "what was required stays as it was", "city", {"type": "string"}, "A required value may not become null."
        ),
        _property(
            "an optional number may be null, and has no default",
            "days",
            Wanted('{"type": ["integer", "null"]}', lambda part: _admits("integer", "null")(part) and len(part) == 1),
            "A type may be a list of types. Which keyword has no place in a strict schema?",
        ),
        _property(
            "null is one of the choices too",
            "unit",
            Wanted(
                '{"type": ["string", "null"], "enum": ["C", "F", None]}',
                lambda part: _admits("null", "string")(part) and None in part["enum"] and len(part["enum"]) == 3,
            ),
            "Each keyword is asked for itself. Does the enum admit null?",
        ),
        _property(
            "what may be null already is left so",
            "note",
            Wanted('{"type": ["string", "null"]}', lambda part: _admits("null", "string")(part) and len(part) == 1),
            "What is its type before you add to it?",
        ),
        Case(
            "a description and bounds are kept",
            'strict_v0(other)["properties"]["size"]',
            Wanted(
                '{"type": ["integer", "null"], "description": "1 to 9", "minimum": 1, "maximum": 9}',
                lambda part: (
                    _admits("integer", "null")(part)
                    and {**part, "type": 0} == {"type": 0, "description": "1 to 9", "minimum": 1, "maximum": 9}
                ),
            ),
            "Do you change the old property, or build a new one from some of its keywords?",
        ),
        Case(
            "the given schema is not changed",
            "unchanged(strict_v0)",
            True,
            "Which dicts and lists in your result are the very same as in what you were given?",
        ),
        Case(
            "unknown properties are refused",
            'strict_v0(open_schema)["additionalProperties"]',
            False,
            "This schema says nothing about them: {'type': 'object', 'properties': {'city': {'type': 'string'}}}.",
        ),
        Case(
            "no list of required means that nothing was",
            'strict_v0(open_schema)["properties"]["city"]["type"]',
            Wanted('["string", "null"]', lambda types: isinstance(types, list) and sorted(types) == ["null", "string"]),
            "What does your code do where there is no required at all?",
        ),
    ),
    hints=(
        "Two questions for each property: was it required before, and what has to change if it was not?",
        "Begin with copy.deepcopy(schema), and change the copy. A type may be text or a list; make it a list first.",
        'For each optional property: drop "default", put "null" behind its types where it is not there yet, '
        'and None behind its "enum" where there is one. Then set required and additionalProperties of the copy.',
    ),
    solution='''
import copy


def strict_v0(schema):
    """Return the strict form of a flat schema."""
    strict = copy.deepcopy(schema)
    for name, part in strict["properties"].items():
        if name in schema.get("required", []):
            continue
        part.pop("default", None)
        types = part["type"]
        types = types if isinstance(types, list) else [types]
        part["type"] = [t for t in types if t != "null"] + ["null"]
        if "enum" in part and None not in part["enum"]:
            part["enum"] += [None]
    strict["required"] = list(strict["properties"])
    return strict | {"additionalProperties": False}
''',
)
