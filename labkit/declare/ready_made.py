"""Ready-made schemas as people really write them, put right where nothing has to be guessed. Pure.

Public collections of declarations spell types as Python or Java do, and give defaults that their own type refuses.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from labkit.calls import quote
from labkit.declare.tidy import children, close
from labkit.validate import validate

SPELLINGS = {
    spelling: name
    for name, spellings in {
        "object": "dict Dict map Map hashmap HashMap Hashtable Object struct",
        "array": "list List tuple Tuple set Set Array ArrayList Vector",
        "string": "str String char Char character text",
        "integer": "int Int Integer long Long short Short byte Byte BigInteger",
        "number": "float Float double Double decimal Decimal Number BigDecimal",
        "boolean": "bool Bool Boolean",
        "null": "none None NoneType Null void",
    }.items()
    for spelling in spellings.split()
}
ANYTHING = ("any", "Any", "mixed")


def normalise_schema(parameters: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a tidy copy of a schema for arguments, and what was changed, a sentence each.

    Raises ValueError where the schema is not one of an object.
    """
    if not isinstance(parameters, dict):
        raise ValueError(f"parameters must be a JSON Schema object, not {quote(parameters)}")
    schema = copy.deepcopy(parameters)
    notes: list[str] = []
    if not isinstance(schema.get("properties"), dict):
        if schema.get("properties") is not None:
            raise ValueError(f"properties must be an object, not {quote(schema['properties'])}")
        schema["properties"] = {}
    schema.setdefault("type", "object")
    _put_right(schema, "", notes)
    if schema["type"] != "object":
        raise ValueError(f"the parameters of a tool must be an object, not {quote(schema['type'])}")
    schema.setdefault("additionalProperties", False)
    return schema, notes


def legal_name(name: str) -> str:
    """Return a name that every server takes: ``[a-zA-Z0-9_-]{1,64}``. Raises ValueError for a name without letters."""
    legal = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]
    if not legal.strip("_"):
        raise ValueError(f"no legal tool name can be made of {quote(name)}; use letters of a-z, digits, _ and -")
    return legal


def _put_right(schema: dict[str, Any], place: str, notes: list[str]) -> None:
    where = place or "the root"
    _respell(schema, where, notes)
    _collect_required(schema, where, notes)
    for step, part in children(schema):
        _put_right(part, f"{place}.{step}" if place else step, notes)
    if close(schema):
        notes.append(f"{where}: unknown properties are refused")
    if "default" in schema and validate({k: v for k, v in schema.items() if k != "default"}, schema["default"])[1]:
        notes.append(f"{where}: the default {quote(schema.pop('default'))} is dropped, its own type refuses it")


def _respell(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    types = schema.get("type")
    if isinstance(types, str) and types in ANYTHING:
        del schema["type"]
        notes.append(f"{where}: the type {quote(types)} is dropped, anything goes")
    elif isinstance(types, str) and types in SPELLINGS:
        schema["type"] = SPELLINGS[types]
        notes.append(f"{where}: the type {quote(types)} is spelled {quote(schema['type'])}")
    elif isinstance(types, list):
        schema["type"] = [SPELLINGS.get(t, t) for t in types if isinstance(t, str)]
        if schema["type"] != types:
            notes.append(f"{where}: the types are spelled {', '.join(map(quote, schema['type']))}")


def _collect_required(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    """Move ``required: true`` from a property, where an old draft had it, to the object's list."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return
    flags = {name: part.pop("required") for name, part in properties.items() if _has_flag(part)}
    if flags:
        required = schema.get("required")
        listed = required if isinstance(required, list) else []
        schema["required"] = [*listed, *(name for name, flag in flags.items() if flag and name not in listed)]
        notes.append(f"{where}: required stands in one list now")


def _has_flag(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("required"), bool)
