"""Follow ``$ref`` inside one schema. Chapter 03.

    >>> look_up({"$defs": {"size": {"type": "integer"}}}, "#/$defs/size")
    {'type': 'integer'}

Pure. Does not: fetch anything, know ``$anchor`` or ``$id``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def behind(schema: dict[str, Any], root: Any) -> Iterator[Any]:
    """Yield the schemas that a ``$ref`` leads to, one behind the other; a circle ends where it closes."""
    seen = [id(schema)]
    while isinstance(schema, dict) and "$ref" in schema:
        schema = look_up(root, schema["$ref"])
        if id(schema) in seen:
            return
        seen.append(id(schema))
        yield schema


def look_up(root: Any, reference: Any) -> Any:
    """Return the part of a schema that a reference such as ``#/$defs/Item`` names; if none, True, which admits all."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return True
    part = root
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(part, dict) and name in part:
            part = part[name]
        elif isinstance(part, list) and name.isdecimal() and int(name) < len(part):
            part = part[int(name)]
        else:
            return True
    return part
