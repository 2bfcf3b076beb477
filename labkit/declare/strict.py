"""The strict form of a schema: every property required, optional ones nullable. Pure.

Source of the rules: OpenAI, "Structured Outputs", supported schemas. ``null`` coming back means "use the default".
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from labkit.declare.tidy import children

if TYPE_CHECKING:
    from labkit.declare.tools import Tool

MAX_LEVELS = 10
MAX_PROPERTIES = 5_000
MAX_ENUM_VALUES = 1_000


def strict_schema(tool: Tool) -> dict[str, Any]:
    """Return a tool's parameters in strict form. Raises ValueError that names each place which can't be strict."""
    obstacles = not_strict(tool.parameters)
    if obstacles:
        raise ValueError(f"tool {tool.name} can't be strict: {'; '.join(obstacles)}")
    schema = copy.deepcopy(tool.parameters)
    schema.setdefault("additionalProperties", False)
    _make_strict(schema)
    return schema


def not_strict(schema: dict[str, Any]) -> list[str]:
    """Return what stands in the way of a strict form, a sentence a place; empty where nothing does."""
    found: list[str] = []
    counts = {"properties": 0, "enum values": 0}
    _look(schema, "", 1, found, counts)
    for what, limit in (("properties", MAX_PROPERTIES), ("enum values", MAX_ENUM_VALUES)):
        if counts[what] > limit:
            found.append(f"it has {counts[what]} {what}, more than {limit}")
    return found


def _look(schema: dict[str, Any], place: str, level: int, found: list[str], counts: dict[str, int]) -> None:
    where = place or "the root"
    counts["properties"] += len(schema.get("properties", {}))
    counts["enum values"] += len(schema.get("enum", ()))
    if level > MAX_LEVELS:
        found.append(f"{where} is nested more than {MAX_LEVELS} levels deep")
        return
    if _is_object(schema) and (schema.get("additionalProperties") or not schema.get("properties")) and place:
        found.append(f"{where} is a free-form map")
    elif schema.get("additionalProperties"):
        found.append(f"{where} admits unknown properties")
    if "prefixItems" in schema:
        found.append(f"{where} is a tuple")
    for step, part in children(schema):
        deeper = level + (step.startswith("properties.") or step == "items")
        _look(part, f"{place}.{step}" if place else step, deeper, found, counts)


def _make_strict(schema: dict[str, Any]) -> None:
    for _, part in children(schema):
        _make_strict(part)
    schema.pop("default", None)
    if _is_object(schema):
        properties = schema.setdefault("properties", {})
        required = set(schema.get("required", ()))
        for name, part in properties.items():
            if name not in required:
                properties[name] = nullable(part)
        schema["required"] = list(properties)


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that admits null too."""
    types = schema.get("type")
    if types is None:
        return {"anyOf": [schema, {"type": "null"}]} if schema else schema
    types = [types] if isinstance(types, str) else types
    if "null" not in types:
        schema = schema | {"type": [*types, "null"]}
    if "const" in schema:
        schema = {k: v for k, v in schema.items() if k != "const"} | {"enum": [schema["const"]]}
    if "enum" in schema and None not in schema["enum"]:
        schema = schema | {"enum": [*schema["enum"], None]}
    return schema


def _is_object(schema: dict[str, Any]) -> bool:
    types = schema.get("type", ())
    return types == "object" or (isinstance(types, list) and "object" in types)
