"""A validator for the part of JSON Schema that tools use, written by hand so that it can be traced line by line.

Chapter 03. ``validate`` walks schema and value together; each keyword is one small function in a table.

    >>> validate({"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}, {})
    ({'n': 3}, [])

Pure. Does not: convert values, know ``anyOf`` and its like (``unsupported`` names what it does not know), look at
anything outside the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.calls import Problem, quote
from labkit.validate.defaults import fill
from labkit.validate.keywords import VALUE_RULES, WHAT_IT_IS, listed
from labkit.validate.references import behind

GUESSES = 5


def validate(schema: Any, value: Any) -> tuple[Any, list[Problem]]:
    """Return the value with the schema's defaults filled in, and the problems: all of them, in the schema's order.

    Any JSON value may stand at the root. The value is checked first; defaults are filled afterwards, unchecked, and
    only where there are no problems. Nothing is changed in place. Patterns are searched for, as JSON Schema says.
    """
    problems = check(schema, value)
    return (value if problems else fill(schema, value)), problems


def check(schema: Any, value: Any, rules: dict[str, Rule] | None = None) -> list[Problem]:
    """Return the problems of a value. Other judges hand in rules for more keywords than these here."""
    try:
        return problems_at(schema, value, "", Walk(schema, rules or PART_RULES))
    except RecursionError:
        return [Problem("", "type", "is nested too deeply to be checked")]


class Walk:
    """What stays the same during one check: the whole schema, for ``$ref``, and the rules that look into parts."""

    __slots__ = ("root", "rules")

    def __init__(self, root: Any, rules: dict[str, Rule]) -> None:
        self.root = root
        self.rules = rules


Rule = Callable[[dict[str, Any], Any, str, Walk], list[Problem]]


def problems_at(schema: Any, value: Any, path: str, walk: Walk) -> list[Problem]:
    """Return the problems of one value: those its schema sees, then those of the schemas behind a ``$ref``."""
    if not isinstance(schema, dict):
        return [Problem(path, "false", "is not allowed")] if schema is False else []
    problems = _seen_by(schema, value, path, walk)
    if "$ref" in schema:
        for target in behind(schema, walk.root):
            if isinstance(target, dict):
                problems += _seen_by(target, value, path, walk)
    return problems


def _seen_by(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    """Look at a value keyword by keyword; where it is the wrong thing altogether, nothing more is said about it."""
    problems: list[Problem] = []
    value_rules = VALUE_RULES.get(type(value), WHAT_IT_IS)
    for keyword, wanted in schema.items():
        if keyword in value_rules:
            message = value_rules[keyword](wanted, value)
            if message is not None:
                problems.append(Problem(path, keyword, message))
                if keyword in WHAT_IT_IS:
                    break
        elif keyword in walk.rules:
            problems += walk.rules[keyword](schema, value, path, walk)
    return problems


# The keywords that look into the parts of a value. An object's are looked at together, so that its problems come in
# one order: the declared names in the order of the schema, then the others in the order in which they were sent.


def _properties(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    problems: list[Problem] = []
    if isinstance(value, dict):
        required = schema.get("required", ())
        for name, part in schema["properties"].items():
            if name in value:
                problems += problems_at(part, value[name], join(path, name), walk)
            elif name in required:
                problems.append(Problem(join(path, name), "required", "is required"))
        problems += _missing(schema, value, path) + _others(schema, value, path, walk)
    return problems


def _required(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    return _missing(schema, value, path) if isinstance(value, dict) and "properties" not in schema else []


def _additional(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    return _others(schema, value, path, walk) if isinstance(value, dict) and "properties" not in schema else []


def _missing(schema: dict[str, Any], value: dict[str, Any], path: str) -> list[Problem]:
    """Return the required names that are absent and not declared."""
    declared = schema.get("properties", ())
    missing = [name for name in schema.get("required", ()) if name not in value and name not in declared]
    return [Problem(join(path, name), "required", "is required") for name in missing]


def _others(schema: dict[str, Any], value: dict[str, Any], path: str, walk: Walk) -> list[Problem]:
    """Return the problems of the names that are not declared: with each name, or with each value."""
    declared, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    problems: list[Problem] = []
    if rest is True or "patternProperties" in schema:
        return problems
    for name in value:
        if name not in declared:
            place = join(path, quote(name)[1:-1])
            if rest is False:
                message = _not_known(name, list(declared), "field" if path else "parameter", len(problems) < GUESSES)
                problems.append(Problem(place, "additionalProperties", message))
            else:
                problems += problems_at(rest, value[name], place, walk)
    return problems


def _not_known(name: str, declared: list[str], noun: str, guess: bool) -> str:
    near = _nearest(name[:100], declared) if guess else None
    known = f"known: {listed(declared) or 'none'}"
    return f'is not a {noun}; did you mean "{near}"? {known}' if near else f"is not a {noun}; {known}"


def _nearest(name: str, declared: list[str]) -> str | None:
    import difflib

    begun = [other for other in declared if other.startswith(name) or name.startswith(other)]
    return next(iter(begun or difflib.get_close_matches(name, declared, n=1)), None)


def _items(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    problems: list[Problem] = []
    if isinstance(value, list) and "prefixItems" not in schema:
        for number, item in enumerate(value):
            problems += problems_at(schema["items"], item, join(path, number), walk)
    return problems


PART_RULES: dict[str, Rule] = {
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
}


def join(path: str, name: object) -> str:
    """Return the dotted path of a part."""
    return f"{path}.{name}" if path else str(name)
