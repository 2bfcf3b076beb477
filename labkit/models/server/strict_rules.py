"""The rules of a strict schema, as a server checks them. Pure.

Source: OpenAI, "Structured Outputs", supported schemas. Every property is required; an optional one is nullable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labkit.models.server.broken import Broken, broken, spelled

Object = dict[str, Any]

RULE = "strict schemas"
MAX_LEVELS, MAX_PROPERTIES, MAX_ENUM_VALUES = 10, 5_000, 1_000
UNKNOWN = (
    *("default", "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
    *("patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"),
    *("unevaluatedItems", "contains", "uniqueItems"),
)
SAYS_A_TYPE = {"type", "enum", "const", "$ref", "anyOf"}


def strict_faults(schema: Object, param: str) -> list[Broken]:
    """Return what a strict schema must not hold, each with its place."""
    said: list[tuple[str, str]] = []
    properties = enum_values = 0
    if schema.get("type") != "object" or "anyOf" in schema:
        said.append(("", "the root must be an object, and no choice between schemas"))
    for place, level, part in _parts(schema):
        if not isinstance(part, dict):
            said.append((place, "must be a schema with a type"))
            continue
        if level == MAX_LEVELS + 1:
            said.append((place, f"nested more than {MAX_LEVELS} levels deep"))
        said += [(place, sentence) for sentence in _part_faults(part)]
        properties += len(part["properties"]) if isinstance(part.get("properties"), dict) else 0
        enum_values += len(part["enum"]) if isinstance(part.get("enum"), list) else 0
    if properties > MAX_PROPERTIES:
        said.append(("", f"{properties:,} properties, more than {MAX_PROPERTIES:,}"))
    if enum_values > MAX_ENUM_VALUES:
        said.append(("", f"{enum_values:,} enum values, more than {MAX_ENUM_VALUES:,}"))
    return [broken(RULE, param + place, sentence) for place, sentence in said]


def _parts(schema: Object) -> Iterator[tuple[str, int, Any]]:
    """Every schema inside a schema: its place, its level, itself. Below the deepest level nothing is looked at."""
    waiting: list[tuple[str, int, Any]] = [("", 1, schema)]
    while waiting:
        place, level, part = waiting.pop()
        yield place, level, part
        if not isinstance(part, dict) or level > MAX_LEVELS:
            continue
        inner = [
            (f".{word}.{name}", level, each) for word in ("$defs", "definitions") for name, each in _in(part, word)
        ]
        inner += [(f".properties.{name}", level + 1, each) for name, each in _in(part, "properties")]
        if isinstance(part.get("anyOf"), list):
            inner += [(f".anyOf.[{number}]", level, each) for number, each in enumerate(part["anyOf"])]
        if "items" in part and not isinstance(part["items"], list):
            inner.append((".items", level + 1, part["items"]))
        waiting += [(place + step, deeper, each) for step, deeper, each in reversed(inner)]


def _in(part: Object, keyword: str) -> list[tuple[str, Any]]:
    held = part.get(keyword)
    return [(spelled(name), each) for name, each in held.items()] if isinstance(held, dict) else []


def _part_faults(part: Object) -> Iterator[str]:
    yield from (f"{keyword} is not allowed" for keyword in UNKNOWN if keyword in part)
    if "$ref" in part and len(part) > 1:
        yield "nothing may stand beside $ref"
    if SAYS_A_TYPE.isdisjoint(part):
        yield "has no type"
    if "prefixItems" in part or isinstance(part.get("items"), list):
        yield "a tuple is not allowed"
    elif _is_a("array", part) and "items" not in part:
        yield "a list must say what its items are"
    if _is_a("object", part) or "properties" in part:
        yield from _object_faults(part)


def _object_faults(part: Object) -> Iterator[str]:
    properties = part.get("properties", {})
    if not isinstance(properties, dict):
        yield "properties must be an object"
        return
    if part.get("additionalProperties") is not False:
        free = "" if properties else "; a free-form map is not allowed"
        yield f"additionalProperties must be false{free}"
    required = part.get("required", [])
    listed = required if isinstance(required, list) else []
    if missing := [spelled(name) for name in properties if name not in listed]:
        yield f"required must list every property; missing: {', '.join(missing)}"
    if unknown := [spelled(name) for name in listed if not isinstance(name, str) or name not in properties]:
        yield f"required lists what is no property: {', '.join(unknown)}"


def _is_a(name: str, part: Object) -> bool:
    kinds = part.get("type")
    return name in kinds if isinstance(kinds, list) else name == kinds
