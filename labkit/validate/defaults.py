"""Fill in the defaults that a schema gives, after the values have been checked. Chapter 03.

    >>> fill({"properties": {"n": {"default": 3}}}, {})
    {'n': 3}

Pure: what is handed in is never changed. Does not: check anything, look into branches (``anyOf`` and its like).
"""

from __future__ import annotations

import copy
from typing import Any

from labkit.validate.references import behind


def fill(schema: Any, value: Any, root: Any = None) -> Any:
    """Return the value with a deep copy of each default, at every depth, where it has nothing."""
    if not isinstance(schema, dict):
        return value
    root = schema if root is None else root
    for part in (schema, *behind(schema, root)) if "$ref" in schema else (schema,):
        if isinstance(part, dict) and isinstance(value, dict):
            value = _fill_object(part, value, root)
        elif isinstance(part, dict) and isinstance(value, list) and "items" in part and "prefixItems" not in part:
            value = [fill(part["items"], item, root) for item in value]
    return value


def _fill_object(schema: dict[str, Any], value: dict[str, Any], root: Any) -> dict[str, Any]:
    declared, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    filled = dict(value)
    for name, item in value.items():
        if isinstance(item, (dict, list)):
            filled[name] = fill(declared.get(name, rest), item, root)
    for name, part in declared.items():
        if name not in value and isinstance(part, dict):
            sources = [source for source in (part, *behind(part, root)) if isinstance(source, dict)]
            given = [source["default"] for source in sources if "default" in source]
            if given:
                filled[name] = copy.deepcopy(given[0])
    return filled
