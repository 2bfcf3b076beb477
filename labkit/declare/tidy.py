"""A generated schema made plain: no titles, closed objects, simple unions flattened. Pure.

Fewer keywords are fewer things that a model can misread, and that a validator must know.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

SCHEMA_MAPS = ("properties", "$defs", "definitions", "patternProperties")
SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMA_VALUES = ("items", "additionalProperties", "not", "contains", "propertyNames")


def tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without titles, with closed objects, flat Optionals and enums in place; the rest as it was."""
    schema = copy.deepcopy(schema)
    for part in list(walk(schema)):
        if isinstance(part.get("title"), str):
            del part["title"]
    definitions = schema.get("$defs", {})
    for part in list(walk(schema)):
        _inline_enum(part, definitions)
        close(part)
    for part in list(walk(schema)):
        _flatten(part)
    used = {part["$ref"] for part in walk(schema) if "$ref" in part}
    for name in [name for name in definitions if f"#/$defs/{name}" not in used]:
        del definitions[name]
    if not definitions:
        schema.pop("$defs", None)
    schema.setdefault("properties", {})
    return schema


def children(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas directly in a schema, each with its place; values such as ``default`` are not schemas."""
    for key in SCHEMA_MAPS:
        if isinstance(schema.get(key), dict):
            yield from ((f"{key}.{name}", part) for name, part in schema[key].items() if isinstance(part, dict))
    for key in SCHEMA_LISTS:
        if isinstance(schema.get(key), list):
            yield from ((f"{key}.{n}", part) for n, part in enumerate(schema[key]) if isinstance(part, dict))
    for key in SCHEMA_VALUES:
        if isinstance(schema.get(key), dict):
            yield key, schema[key]


def walk(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema in it."""
    yield schema
    for _, part in children(schema):
        yield from walk(part)


def close(schema: dict[str, Any]) -> bool:
    """Refuse unknown properties where an object lists its own and says nothing about others; True if it did."""
    if schema.get("properties") and "additionalProperties" not in schema:
        schema["additionalProperties"] = False
        return True
    return False


def _inline_enum(part: dict[str, Any], definitions: dict[str, Any]) -> None:
    target = definitions.get(str(part.get("$ref", "")).removeprefix("#/$defs/"), {})
    if "enum" in target or "const" in target:
        del part["$ref"]
        part.update({k: copy.deepcopy(v) for k, v in target.items() if k not in part})


def _flatten(part: dict[str, Any]) -> None:
    """Write ``anyOf`` of plain types as a list of types, and "X or null" as a nullable X."""
    branches = part.get("anyOf")
    if not branches or not all(isinstance(b, dict) and isinstance(b.get("type"), str) for b in branches):
        return
    others = [b for b in branches if b != {"type": "null"}]
    nullable = len(others) < len(branches)
    if len(others) == 1 and not set(others[0]) & set(part):
        del part["anyOf"]
        part.update(others[0])
        _admit_null(part)
    elif all(set(b) == {"type"} for b in others):
        del part["anyOf"]
        part["type"] = [b["type"] for b in others] + ["null"] * nullable


def _admit_null(part: dict[str, Any]) -> None:
    part["type"] = [part["type"], "null"]
    if "const" in part:
        part["enum"] = [part.pop("const"), None]
    elif "enum" in part and None not in part["enum"]:
        part["enum"] = [*part["enum"], None]
