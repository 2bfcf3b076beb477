"""The strict form of a schema: every property required, optional ones nullable. Pure.

Chapter 02. Source of the rules: OpenAI, "Structured Outputs", supported schemas. ``null`` coming back for an optional
parameter means "use the default".

    >>> not_strict({"type": "object", "properties": {"tags": {"type": "object"}}})
    ['tags is a free-form map']

Does not: make strict what is not; it says what stands in the way.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from labkit.declare.tidy import admit_null, children, join

if TYPE_CHECKING:
    from labkit.declare.tools import Tool

MAX_LEVELS = 10
MAX_PROPERTIES = 5_000
MAX_ENUM_VALUES = 1_000
# Left out rather than refused: the arguments are validated against the full schema anyway.
LEFT_OUT = ("default", "uniqueItems", "discriminator")
NOT_KNOWN = (
    *("allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"),
    *("propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems", "contains"),
)
BESIDE_REFERENCE = {"$ref", "title", "description", "default", "examples", "deprecated"}
TYPE_NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}


def strict_schema(tool: Tool) -> dict[str, Any]:
    """Return a tool's parameters in strict form. Raises ValueError that names each place which can't be strict."""
    obstacles = not_strict(tool.parameters)
    if obstacles:
        raise ValueError(f"tool {tool.name} can't be strict: {'; '.join(obstacles)}")
    schema = copy.deepcopy(tool.parameters)
    _make_strict(schema)
    return schema


def not_strict(schema: dict[str, Any]) -> list[str]:
    """Return what stands in the way of a strict form, a sentence a place; empty where nothing does."""
    found: list[str] = []
    properties = enum_values = 0
    for place, level, part in _levels(schema, "", 1):
        properties += len(part.get("properties", ()))
        enum_values += len(part.get("enum", ()))
        where = place or "the root"
        if level == MAX_LEVELS + 1:
            found.append(f"{where} is nested more than {MAX_LEVELS} levels deep")
        found += [f"{where} uses {keyword}" for keyword in NOT_KNOWN if keyword in part]
        found += [f"{where} {words}" for words, applies in OBSTACLES.items() if applies(part)][:1]
    if "anyOf" in schema or "oneOf" in schema:
        found.append("the root is a choice between schemas")
    if properties > MAX_PROPERTIES:
        found.append(f"it has {properties} properties, more than {MAX_PROPERTIES}")
    if enum_values > MAX_ENUM_VALUES:
        found.append(f"it has {enum_values} enum values, more than {MAX_ENUM_VALUES}")
    return found


def _levels(schema: dict[str, Any], place: str, level: int) -> Iterator[tuple[str, int, dict[str, Any]]]:
    yield place, level, schema
    for step, part in children(schema):
        deeper = level + (step.startswith("properties.") or step == "items")
        yield from _levels(part, join(place, step), deeper)


def _is_a(name: str, schema: dict[str, Any]) -> bool:
    return name in ([schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ()))


# The first that applies to a place is said.
OBSTACLES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "is a tuple": lambda part: "prefixItems" in part,
    "is a free-form map": lambda part: _is_a("object", part) and not part.get("properties") and _is_open(part),
    "admits unknown properties": lambda part: bool(part.get("additionalProperties")),
    "has a property without a type": lambda part: any(isinstance(p, bool) for p in part.get("properties", {}).values()),
    "says more than its reference": lambda part: "$ref" in part and bool(set(part) - BESIDE_REFERENCE),
    "is two choices at once": lambda part: "anyOf" in part and "oneOf" in part,
    "has no type": lambda part: {"type", "enum", "const", "$ref", "anyOf", "oneOf"}.isdisjoint(part),
    "does not say what its items are": lambda part: _is_a("array", part) and not isinstance(part.get("items"), dict),
}


def _is_open(part: dict[str, Any]) -> bool:
    return part.get("additionalProperties") is not False


def _make_strict(part: dict[str, Any]) -> None:
    for _, inner in children(part):
        _make_strict(inner)
    for keyword in LEFT_OUT:
        part.pop(keyword, None)
    if "oneOf" in part:
        part["anyOf"] = part.pop("oneOf")
    if "$ref" in part and len(part) > 1:  # nothing may stand beside a reference
        part["anyOf"] = [{"$ref": part.pop("$ref")}]
    if "type" not in part and ("enum" in part or "const" in part):
        part["type"] = _types_of(part.get("enum", [part.get("const")]))
    if _is_a("object", part):
        required = part.get("required", ())
        for name, value in part.setdefault("properties", {}).items():
            if name not in required:
                part["properties"][name] = _nullable(value)
        part |= {"required": list(part["properties"]), "additionalProperties": False}


def _types_of(values: list[Any]) -> str | list[str]:
    types = list(dict.fromkeys(TYPE_NAMES.get(type(value), "null") for value in values))
    return types if len(types) > 1 else types[0]


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a strict schema that admits null too."""
    schema = dict(schema)
    if "anyOf" in schema:
        if not any(_is_a("null", branch) for branch in schema["anyOf"]):
            schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    elif "type" in schema:
        admit_null(schema)
    else:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return schema
