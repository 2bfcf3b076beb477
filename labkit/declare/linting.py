"""What a model will stumble over in a declaration: a check to run before the model does. Pure.

Chapter 02. A schema is a tool's manual; most rules are what a reader of manuals misses, some are what servers refuse.

    >>> [str(finding) for finding in lint(Tool.from_schema("ping", "", {}, lambda: "pong"))]
    ['(tool): has no description; the model chooses by it']

Does not: change a declaration, refuse one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from labkit.declare.strict import not_strict
from labkit.declare.tidy import children, join
from labkit.declare.tools import Tool

SHORT_DESCRIPTION = 20
LONG_DESCRIPTION = 1_024
UNFIT_DEFAULT = "has a default that does not fit its type, and the function gets it unchecked"
BOUNDS = {"format", "pattern", "enum", "const"}


@dataclass(frozen=True)
class Finding:
    """One thing to improve in a declaration. A value; ``place`` is empty for the tool itself."""

    place: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.place or '(tool)'}: {self.message}"


def lint(tool: Tool) -> list[Finding]:
    """Return the findings for a tool: its own first, then each parameter's in order."""
    found = [Finding("", "changed", note) for note in tool.notes]
    found += _tool_findings(tool)
    unfit = _unfit(tool)
    found += [Finding(name, "unfit_default", UNFIT_DEFAULT) for name in tool.defaults if name in unfit]
    for place, schema in _parameters(tool.parameters, ""):
        found += [
            Finding(place, rule, message)
            for rule, (applies, message) in PARAMETER_RULES.items()
            if applies(place, schema)
        ]
    found += [Finding("", "not_strict", f"can't be sent as strict: {why}") for why in not_strict(tool.parameters)]
    return found


def _tool_findings(tool: Tool) -> Iterator[Finding]:
    length = len(tool.description)
    if not length:
        yield Finding("", "no_description", "has no description; the model chooses by it")
    elif length < SHORT_DESCRIPTION:
        yield Finding("", "short_description", "says little; say what it does, when to use it, and what it does not do")
    elif length > LONG_DESCRIPTION:
        yield Finding("", "long_description", f"is described in {length} characters; servers refuse over 1,024")


def _unfit(tool: Tool) -> set[str]:
    """Return the parameters whose default no call could have brought: text for a date counts too, though it reads."""
    lax, strict = _refused(tool, strict=False), _refused(tool, strict=True)
    return lax | {name for name in strict if isinstance(tool.defaults[name], str | dict)}


def _refused(tool: Tool, strict: bool) -> set[str]:
    """Return the parameters whose default pydantic refuses; with ``strict`` it reads nothing into another type."""
    from pydantic import ValidationError

    if tool.adapter is None:  # a ready-made schema has lost its wrong defaults already, and says so
        return set()
    try:
        tool.adapter.validate_python(tool.defaults, strict=strict)
    except ValidationError as problem:
        places = [each["loc"] for each in problem.errors(include_input=False, include_context=False)]
        return {str(place[0]) for place in places if place} & set(tool.defaults)
    except Exception:  # of a validator that somebody hung on a type
        return set()
    return set()


def _parameters(schema: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for step, part in children(schema):
        path = join(place, step)
        if step.startswith("properties."):
            yield path, part
        yield from _parameters(part, path)


def _last(place: str) -> str:
    return place.rpartition(".")[2]


def _names_a_date(place: str) -> bool:
    return re.search("(?:^|_)date(?:$|_)|[a-z]Date", _last(place)) is not None


Rule = Callable[[str, dict[str, Any]], bool]
PARAMETER_RULES: dict[str, tuple[Rule, str]] = {
    "no_parameter_description": (
        lambda place, schema: not schema.get("description"),
        "has no description; one example value helps more than ten sentences",
    ),
    "no_type": (
        lambda place, schema: not {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"} & set(schema),
        "has no type, so anything is accepted",
    ),
    "one_letter_name": (
        lambda place, schema: len(_last(place)) == 1,
        "has a name of one letter, which tells the model nothing",
    ),
    "date_as_text": (
        lambda place, schema: (
            _names_a_date(place) and schema.get("type") == "string" and set(schema).isdisjoint(BOUNDS)
        ),
        'looks like a date but takes any text, "yesterday" too; annotate it as a date',
    ),
    "unbounded_limit": (
        lambda place, schema: (
            _last(place) in ("limit", "top_k", "max_entries", "count", "n")
            and schema.get("type") == "integer"
            and {"maximum", "exclusiveMaximum", "enum", "const"}.isdisjoint(schema)
        ),
        "has no upper bound",
    ),
    "bare_array": (
        lambda place, schema: schema.get("type") == "array" and not {"items", "prefixItems"} & set(schema),
        "does not say what its items are",
    ),
}
