"""Ready-made schemas as people really write them, put right where nothing has to be guessed. Pure.

Chapter 02. Public collections of declarations spell types as Python or Java do, and give defaults that their own type
refuses.

    >>> normalise_schema({"type": "dict", "properties": {"n": {"type": "int"}}})[1]
    ['the root: the type "dict" is spelled "object"', 'n: the type "int" is spelled "integer"']

Does not: guess. What can't be read is refused, with its place.
"""

from __future__ import annotations

import json
import re
from typing import Any

from labkit.calls import quote
from labkit.declare.shapes import SHAPES, misshapen
from labkit.declare.tidy import children, closable, describes_together, join, places
from labkit.validate import validate

MAX_NAME = 64
MAX_LEVELS = 64  # of arrays and objects; validators follow a schema by recursion
SPELLINGS = {
    spelling: name
    for name, spellings in {
        "object": "object dict map hashmap hashtable struct",
        "array": "array list tuple set arraylist vector queue stack",
        "string": "string str char character text",
        "integer": "integer int long short byte bigint biginteger",
        "number": "number float double decimal bigdecimal",
        "boolean": "boolean bool",
        "null": "null none nonetype void",
    }.items()
    for spelling in spellings.split()
}
ANYTHING = ("any", "mixed")
# They name a document, and a request holds none.
OF_DOCUMENTS = ("$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary")


def normalise_schema(parameters: Any) -> tuple[dict[str, Any], list[str]]:
    """Return a tidy copy of a schema for arguments, and what was changed, a sentence each.

    Raises ValueError, with the place, for what is not the JSON Schema of an object.
    """
    schema = _copy(parameters)
    notes: list[str] = []
    asked = schema["type"] = "object" if schema.get("type") is None else schema["type"]
    _put_right(schema, "", notes)
    if schema.get("type") not in ("object", ["object"]):
        raise ValueError(f"the parameters of a tool must be an object, not {quote(asked)}")
    schema = {"type": "object", "properties": {}, "required": []} | schema | {"type": "object"}
    _check_references(schema)
    _close(schema, notes)
    _drop_wrong_defaults(schema, notes)
    return schema, notes


def legal_name(name: str) -> str:
    """Return a name that every server takes: ``[a-zA-Z0-9_-]{1,64}``. Two long names never become one.

    Raises ValueError for a name without any legal letter.
    """
    legal = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    if not legal.strip("_"):
        raise ValueError(f"no legal tool name can be made of {quote(name)}; use letters of a-z, digits, _ and -")
    if len(legal) > MAX_NAME:
        import hashlib

        digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
        legal = f"{legal[: MAX_NAME - 9]}_{digest}"
    return legal


def _copy(parameters: Any) -> dict[str, Any]:
    """Return a copy through JSON: what is not JSON, holds itself or has no end is found here."""
    if not isinstance(parameters, dict):
        raise ValueError(f"parameters must be a JSON Schema object, not {quote(parameters)}")
    try:
        schema: dict[str, Any] = json.loads(json.dumps(parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("parameters must be JSON: text, numbers, true, false, null, arrays and objects") from None
    level: list[Any] = [schema]
    for _ in range(MAX_LEVELS):
        inner = (part.values() if isinstance(part, dict) else part for part in level)
        level = [value for values in inner for value in values if isinstance(value, (dict, list))]
    if level:
        raise ValueError(f"parameters are nested more than {MAX_LEVELS} levels deep")
    return schema


def _put_right(schema: dict[str, Any], place: str, notes: list[str]) -> None:
    where = place or "the root"
    _drop_empty(schema, where, notes)
    _respell(schema, where, notes)
    _collect_required(schema, where, notes)
    if wrong := misshapen(schema):
        raise ValueError(f"{where}: {wrong}")
    for step, part in children(schema):
        _put_right(part, join(place, step), notes)


def _drop_empty(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    """Leave out keywords that say nothing: those of documents, and those whose value is null."""
    for keyword in OF_DOCUMENTS:
        schema.pop(keyword, None)
    for keyword in [keyword for keyword in SHAPES if keyword in schema and schema[keyword] is None]:
        del schema[keyword]
        notes.append(f"{where}: {keyword} is dropped, it is null")


def _respell(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    types = schema.get("type")
    names: list[Any] = types if isinstance(types, list) else [types]
    if not all(isinstance(name, str) for name in names):
        return
    if any(name.lower() in ANYTHING for name in names):
        del schema["type"]
        notes.append(f"{where}: the type {_listed(names)} is dropped, anything goes")
        return
    spelled = list(dict.fromkeys(SPELLINGS.get(name.lower(), name) for name in names))
    if spelled != names:
        schema["type"] = spelled if isinstance(types, list) else spelled[0]
        notes.append(f"{where}: the type {_listed(names)} is spelled {_listed(spelled)}")


def _listed(names: list[str]) -> str:
    return " or ".join(map(quote, names))


def _collect_required(schema: dict[str, Any], where: str, notes: list[str]) -> None:
    """Move ``required: true`` from a property, where an old draft had it, to the object's list."""
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return
    flags = {
        name: part.pop("required")
        for name, part in properties.items()
        if isinstance(part, dict) and isinstance(part.get("required"), bool)
    }
    if flags:
        schema["required"] = [*required, *(name for name, flag in flags.items() if flag and name not in required)]
        notes.append(f"{where}: required stands in one list now")


def _check_references(schema: dict[str, Any]) -> None:
    """Refuse a reference that leads to no schema in here, or round in a circle."""
    known = {id(part) for _, part in places(schema)}
    for place, part in places(schema):
        seen: set[int] = set()
        while isinstance(part, dict) and "$ref" in part:
            reference, where = part["$ref"], place or "the root"
            if id(part) in seen:
                raise ValueError(f"{where}: the reference {quote(reference)} leads back to itself")
            seen.add(id(part))
            part = _behind(reference, schema)
            if id(part) not in known and not isinstance(part, bool):
                raise ValueError(f"{where}: the reference {quote(reference)} leads to no schema in here")


def _behind(reference: str, schema: Any) -> Any:
    target = schema
    start, *steps = reference.split("/")
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        else:
            target = target.get(name) if isinstance(target, dict) else None
    return target if start == "#" else None


def _close(schema: dict[str, Any], notes: list[str]) -> None:
    """Refuse unknown properties where nothing is said about them, and names that are required but unknown."""
    for place, part in closable(schema):
        part["additionalProperties"] = False
        if place:
            notes.append(f"{place}: unknown properties are refused")
    if not describes_together(schema):
        schema.setdefault("additionalProperties", False)
    for place, part in places(schema):
        if part.get("additionalProperties") is False and "patternProperties" not in part:
            unknown = [name for name in part.get("required", ()) if name not in part.get("properties", ())]
            if unknown:
                listed = ", ".join(map(quote, unknown))
                raise ValueError(f"{place or 'the root'}: required names {listed}, which the properties lack")


def _drop_wrong_defaults(schema: dict[str, Any], notes: list[str]) -> None:
    definitions: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    for place, part in places(schema):
        if "default" in part and not admits(part, part["default"], definitions):
            notes.append(
                f"{place or 'the root'}: the default {quote(part.pop('default'))} is dropped, its type refuses it"
            )


def admits(schema: dict[str, Any], value: Any, definitions: dict[str, Any]) -> bool:
    """Say whether a part of a schema admits a value; ``definitions`` are those that its references lead to."""
    return not validate(definitions | {key: part for key, part in schema.items() if key != "default"}, value)[1]
