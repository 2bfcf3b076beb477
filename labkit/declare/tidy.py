"""A generated schema made plain: no titles, closed objects, simple unions flattened. Pure.

Chapter 02. Fewer keywords are fewer things that a model can misread, and that a validator must know.

    >>> tidy({"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "N"}}})["properties"]
    {'n': {'type': ['integer', 'null']}}

Does not: change what a schema accepts, except that a closed object refuses properties which it does not list.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

SCHEMA_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMA_VALUES = (
    *("items", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
    *("not", "if", "then", "else"),
)
# Pydantic's names for what JSON Schema has no format for; to a model and to other validators they say nothing.
FOREIGN_FORMATS = ("path", "file-path", "directory-path", "binary")
FIRST = ("type", "description", "properties", "required", "additionalProperties")


def tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without titles, with closed objects, flat Optionals and enums in place; the rest as it was."""
    schema = copy.deepcopy(schema)
    schema.setdefault("properties", {})
    schema.setdefault("required", [])
    definitions = schema.get("$defs", {})
    for _, part in list(places(schema)):
        _strip(part)
    for _, part in list(places(schema)):
        _inline_enum(part, definitions)
    for _, part in list(places(schema)):
        _flatten(part)
    _drop_unused(schema)
    for _, part in closable(schema):
        part["additionalProperties"] = False
    for _, part in list(places(schema)):
        _sort(part)
    return schema


def places(schema: dict[str, Any], place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and every schema in it, each with its dotted place: empty for the root, then ``order.items``."""
    yield place, schema
    for step, part in children(schema):
        yield from places(part, join(place, step))


def children(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas directly in a schema, each with the step to it; values such as ``default`` are not schemas."""
    for key in SCHEMA_MAPS:
        if isinstance(schema.get(key), dict):
            yield from ((f"{key}.{name}", part) for name, part in schema[key].items() if isinstance(part, dict))
    for key in SCHEMA_LISTS:
        if isinstance(schema.get(key), list):
            yield from ((f"{key}.{n}", part) for n, part in enumerate(schema[key]) if isinstance(part, dict))
    for key in SCHEMA_VALUES:
        if isinstance(schema.get(key), dict):
            yield key, schema[key]


def join(place: str, step: str) -> str:
    """Return the dotted place of a part; a property goes by its name alone."""
    name = step.removeprefix("properties.")
    return f"{place}.{name}" if place else name


def closable(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the objects that may refuse unknown properties: they list their own and say nothing about others.

    None may where several schemas describe one object together: each would refuse what the others list.
    """
    parts = list(places(schema))
    if any(describes_together(part) for _, part in parts):
        return []
    says_more = ("additionalProperties", "patternProperties", "unevaluatedProperties")
    return [
        (place, part) for place, part in parts if part.get("properties") and not any(key in part for key in says_more)
    ]


def describes_together(part: dict[str, Any]) -> bool:
    """Say whether a schema leaves a part of the description of its object to other schemas."""
    others = [*part.get("allOf", ()), *(part[key] for key in ("not", "if", "then", "else") if key in part)]
    others += part.get("dependentSchemas", {}).values()
    if "properties" in part:
        others += [*part.get("anyOf", ()), *part.get("oneOf", ()), *([part] if "$ref" in part else ())]
    speaks = {"properties", "additionalProperties", "$ref", "allOf", "anyOf", "oneOf"}
    return any(isinstance(other, dict) and not speaks.isdisjoint(other) for other in others)


def _strip(part: dict[str, Any]) -> None:
    if isinstance(part.get("title"), str):
        del part["title"]
    if part.get("format") in FOREIGN_FORMATS:
        del part["format"]


def _inline_enum(part: dict[str, Any], definitions: dict[str, Any]) -> None:
    target = definitions.get(str(part.get("$ref", "")).removeprefix("#/$defs/"), {})
    if "enum" in target or "const" in target:
        del part["$ref"]
        part.update({key: copy.deepcopy(value) for key, value in target.items() if key not in part})


def _flatten(part: dict[str, Any]) -> None:
    """Write ``anyOf`` of plain types as a list of types, and "X or null" as a nullable X."""
    branches = part.get("anyOf")
    if not branches or not all(isinstance(b, dict) and isinstance(b.get("type"), str) for b in branches):
        return
    others = [branch for branch in branches if branch != {"type": "null"}]
    if len(others) == 1 and others[0].keys().isdisjoint(part):
        del part["anyOf"]
        part.update(others[0])
        admit_null(part)
    elif all(set(branch) == {"type"} for branch in branches):
        del part["anyOf"]
        types = list(dict.fromkeys(branch["type"] for branch in branches))
        part["type"] = types if len(types) > 1 else types[0]


def admit_null(part: dict[str, Any]) -> None:
    """Change a schema that has a type so that it admits null too."""
    types = [part["type"]] if isinstance(part["type"], str) else part["type"]
    if "null" not in types:
        part["type"] = [*types, "null"]
    if "const" in part:
        part["enum"] = [part.pop("const")]
    if "enum" in part and None not in part["enum"]:
        part["enum"] = [*part["enum"], None]


def _drop_unused(schema: dict[str, Any]) -> None:
    definitions = schema.get("$defs", {})
    used = {part["$ref"] for _, part in places(schema) if "$ref" in part}
    for name in [name for name in definitions if f"#/$defs/{name}" not in used]:
        del definitions[name]
    if not definitions:
        schema.pop("$defs", None)


def _sort(part: dict[str, Any]) -> None:
    """Put first what a reader looks for first."""
    rest = dict(part)
    part.clear()
    part.update({key: rest.pop(key) for key in FIRST if key in rest})
    part.update(rest)
