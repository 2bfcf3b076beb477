"""Strict schemas: what the server refuses in them, and that it takes those which labkit makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from server_clients import chat_body, responses_body

from labkit.models.server import broken_rules, responses_broken_rules
from labkit.toolsets import everyday_tools, workspace_tools

TEXT = {"type": "string"}
ROOT = "tools.[0].function.parameters"


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = closed(leaf=TEXT)
    for _ in range(levels - 2):
        schema = closed(inner=schema)
    return schema


def declared(schema: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": schema, "strict": True}}


BROKEN = [
    ("", "additionalProperties must be false", closed(a=TEXT) | {"additionalProperties": True}),
    ("", "free-form map", {"type": "object", "properties": {}, "required": []}),
    ("", "missing: b", closed(a=TEXT, b=TEXT) | {"required": ["a"]}),
    ("", "no property: c", closed(a=TEXT) | {"required": ["a", "c"]}),
    ("", "no choice between schemas", closed(a=TEXT) | {"anyOf": [closed(a=TEXT)]}),
    (".properties.a", "default is not allowed", closed(a={"type": "integer", "default": 3})),
    (".properties.a", "a tuple", closed(a={"type": "array", "prefixItems": [TEXT]})),
    (".properties.a", "a tuple", closed(a={"type": "array", "items": [TEXT]})),
    (".properties.a", "what its items are", closed(a={"type": "array"})),
    (".properties.a", "free-form map", closed(a={"type": "object", "additionalProperties": TEXT})),
    (".properties.a", "free-form map", closed(a={"type": ["object", "null"]})),
    (".properties.a", "has no type", closed(a={"description": "anything"})),
    (".properties.a", "must be a schema", closed(a=True)),
    (".properties.a", "oneOf is not allowed", closed(a={"oneOf": [TEXT], "type": "string"})),
    (".properties.a", "beside $ref", closed(a={"$ref": "#/$defs/x", "description": "d"}) | {"$defs": {"x": TEXT}}),
    (".properties.a.items", "missing: b", closed(a={"type": "array", "items": closed(b=TEXT) | {"required": []}})),
    (".properties.a.anyOf.[1]", "has no type", closed(a={"anyOf": [TEXT, {}]})),
    (".$defs.x", "additionalProperties", closed(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": {"type": "object"}}}),
    (".properties.inner" * 9 + ".properties.leaf", "more than 10 levels", deep(11)),
    ("", "5,001 properties", closed(**{f"p{number}": TEXT for number in range(5001)})),
    ("", "1,001 enum values", closed(a={"type": "integer", "enum": [*range(1001)]})),
]

GOOD = [
    closed(),
    closed(a=TEXT, b={"type": ["integer", "null"]}),
    closed(a={"anyOf": [TEXT, {"type": "null"}]}),
    closed(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": closed(b=TEXT)}},
    closed(a={"type": "array", "items": closed(b={"type": "string", "enum": ["x"]}), "minItems": 1}),
    deep(10),
    closed(**{f"p{number}": TEXT for number in range(5000)}),
]


@pytest.mark.parametrize(("place", "piece", "schema"), BROKEN)
def test_what_a_strict_schema_must_not_hold_is_refused(place: str, piece: str, schema: dict[str, Any]) -> None:
    found = broken_rules(chat_body(tools=[declared(schema)]))
    assert [fault.rule for fault in found if piece in fault.message] == ["strict schemas"]
    assert any(fault.param == ROOT + place and piece in fault.message for fault in found)
    lax = declared(schema)
    del lax["function"]["strict"]
    assert broken_rules(chat_body(tools=[lax])) == []


@pytest.mark.parametrize("schema", GOOD)
def test_a_strict_schema_is_let_through(schema: dict[str, Any]) -> None:
    assert broken_rules(chat_body(tools=[declared(schema)])) == []


def test_a_strict_schema_is_judged_in_every_place_that_holds_one() -> None:
    open_schema = {"type": "object", "properties": {"a": TEXT}}
    wanted = {"name": "n", "schema": open_schema, "strict": True}
    chat = chat_body(response_format={"type": "json_schema", "json_schema": wanted})
    flat = responses_body(text={"format": {"type": "json_schema"} | wanted})
    tool = responses_body(tools=[{"type": "function", "name": "f", "parameters": open_schema, "strict": True}])
    places = ["response_format.json_schema.schema", "text.format.schema", "tools.[0].parameters"]
    judged = [broken_rules(chat), responses_broken_rules(flat), responses_broken_rules(tool)]
    assert [{fault.param for fault in found} for found in judged] == [{place} for place in places]


@pytest.mark.parametrize("schema", [None, True, "x", {"type": "array", "items": TEXT}])
def test_strict_without_an_object_is_refused(schema: Any) -> None:
    assert len(broken_rules(chat_body(tools=[declared(schema)]))) == 1


def test_the_strict_definitions_of_the_shipped_tools_are_let_through(tmp_path: Path) -> None:
    definitions = [tool.definition(strict=True) for tool in [*everyday_tools(), *workspace_tools(tmp_path)]]
    assert len(definitions) >= 10
    assert broken_rules(chat_body(tools=definitions)) == []
