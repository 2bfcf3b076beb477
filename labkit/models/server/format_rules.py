"""The format that a reply must have: ``response_format`` of chat completions, ``text.format`` of Responses. Pure."""

from __future__ import annotations

from typing import Any

from labkit.models.server.broken import Broken, broken, foreign_fields, spelled
from labkit.models.server.message_rules import name_faults
from labkit.models.server.tool_rules import schema_faults

KINDS = ("text", "json_object", "json_schema")
SCHEMA_FIELDS = {"name", "description", "schema", "strict"}


def format_faults(wanted: Any, param: str, messages: Any, flat: bool) -> list[Broken]:
    """Return what is wrong with a wanted format; none is wanted where it is null. ``flat`` for Responses."""
    if wanted is None:
        return []
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind not in KINDS:
        return [broken("format", f"{param}.type", f"must be one of {', '.join(KINDS)}, not {spelled(kind)}")]
    if kind == "json_object" and not _mentions_json(messages):
        return [broken("format", param, "json_object needs the word JSON somewhere in the messages")]
    if kind != "json_schema":
        return []
    if flat:
        found = foreign_fields(wanted, SCHEMA_FIELDS | {"type"}, param, "a format")
        inner: Any = wanted
        place = param
    else:
        found = foreign_fields(wanted, {"type", "json_schema"}, param, "a format")
        inner, place = wanted.get("json_schema"), f"{param}.json_schema"
        if not isinstance(inner, dict):
            return [*found, broken("format", place, "must be an object with name and schema")]
        found += foreign_fields(inner, SCHEMA_FIELDS, place, "a format")
    found += name_faults(inner.get("name"), f"{place}.name")
    return found + schema_faults(inner.get("schema"), inner.get("strict"), f"{place}.schema")


def _mentions_json(value: Any) -> bool:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and "json" in each.lower():
            return True
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return False
