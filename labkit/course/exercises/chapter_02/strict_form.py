"""Exercise 02.3: the strict form of a schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.validate.branches import ALL_RULES
from labkit.validate.subset import check

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


BY_HAND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "weight": {"type": "integer", "minimum": 1, "default": 1},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def _given() -> dict[str, Any]:
    return {"forecast": copy.deepcopy(FORECAST), "by_hand": copy.deepcopy(BY_HAND)}


def _property(rule: str, name: str, expected: Any, step: str) -> Case:
    return Case(rule, f'strict_v0(forecast)["properties"]["{name}"]', expected, step)


def _takes(*values: Any, but_not: tuple[Any, ...]) -> Callable[[Any], bool]:
    """Return a test for a schema, in whichever spelling: it lets these values through, and has no default."""

    def test(part: Any) -> bool:
        spelled = json.dumps(part)
        taken = [value for value in (*values, *but_not) if not check(part, value, ALL_RULES)]
        return taken == [*values] and '"default"' not in spelled and not _twice(part)

    return test


def _twice(part: dict[str, Any]) -> bool:
    """Say whether a list of types or of choices holds something twice, which JSON Schema forbids."""
    lists = [part[key] for key in ("type", "enum") if isinstance(part.get(key), list)]
    return any(each.count(item) > 1 for each in lists for item in each)


STRICT = Exercise(
    id="02.3",
    title="Strict, by hand",
    names=("strict_v0",),
    given=_given,
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
            Wanted("a schema for whole numbers and null, without a default", _takes(3, None, but_not=("x", 0.5))),
            "How do you say that there are two types? Which keyword has no place in a strict schema?",
        ),
        _property(
            "null is one of the choices too",
            "unit",
            Wanted('a schema for "C", "F" and null, each once', _takes("C", "F", None, but_not=("K", 1))),
            "Each keyword is asked for itself. Does the enum admit null?",
        ),
        _property(
            "what may be null already is left so",
            "note",
            Wanted("a schema for text and null, each once, without a default", _takes("x", None, but_not=(1,))),
            "What is its type before you add to it?",
        ),
        Case(
            "bounds are kept",
            'strict_v0(by_hand)["properties"]["weight"]',
            Wanted("a schema for whole numbers from 1 and null", _takes(1, None, but_not=(0, "x"))),
            "Do you change the old property, or build a new one from some of its keywords?",
        ),
        Case(
            "the given schema is not changed",
            "(strict_v0(forecast), forecast)[1]",
            FORECAST,
            "Which dicts and lists in your result are the very same as in what you were given?",
        ),
        Case(
            "unknown properties are refused",
            """strict_v0({"properties": {"city": {"type": "string"}}})["additionalProperties"]""",
            False,
            "This schema says nothing about them. Do you copy what it says, or set it?",
        ),
        Case(
            "no list of required means that nothing was",
            """strict_v0({"properties": {"city": {"type": "string"}}})["properties"]""",
            Wanted(
                "a property city, for text and null",
                lambda made: list(made) == ["city"] and _takes("x", None, but_not=(1,))(made["city"]),
            ),
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
