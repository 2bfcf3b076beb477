"""What the server refuses in a Responses request, and what it lets through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from hypothesis import given
from server_clients import SCRIPT, TASK, called, named, output, real_client, responses_body
from strategies import json_values

from labkit.models.server import ScriptedServer, responses_broken_rules

FLAT = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
SAID = {"role": "assistant", "content": [{"type": "output_text", "text": "Rain.", "annotations": []}]}


def pair(call_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return called(call_id), output(call_id)


def asked(**fields: Any) -> dict[str, Any]:
    """A request with one call, bent by these fields, and its answer."""
    return responses_body(called("a") | fields, output("a"))


def told(**fields: Any) -> dict[str, Any]:
    """A request with one call and its answer, bent by these fields."""
    return responses_body(called("a"), output("a") | fields)


def without(field: str, **fields: Any) -> dict[str, Any]:
    return {name: value for name, value in responses_body(**fields).items() if name != field}


# rule, place, a piece of the sentence, the request
BROKEN: list[tuple[int | str, str, str, Any]] = [
    (1, "input.[1].call_id", "no function_call_output", responses_body(called("a"))),
    (1, "input.[2].call_id", "no function_call_output", responses_body(called("a"), called("b"), output("a"))),
    (1, "input.[3].call_id", "answered twice", responses_body(*pair("a"), output("a"))),
    (2, "input.[1].call_id", "no such call", responses_body(output("a"))),
    (2, "input.[1].call_id", "no such call", responses_body(output("a"), called("a"))),
    (2, "input.[2].call_id", "no such call", told(type="custom_tool_call_output")),
    (4, "input.[2].output", "not null", told(output=None)),
    (4, "input.[2].output", "not an object", told(output={"temp": 4})),
    (4, "input.[2].output.[0]", "input_text", told(output=[{"type": "text", "text": "4"}])),
    (5, "input.[1].content", "not null", responses_body({"role": "assistant", "content": None})),
    (5, "input.[1].content.[0]", "output_text", responses_body(SAID | {"content": [{"type": "input_text"}]})),
    (6, "input.[1].arguments", "not an object", asked(arguments={"city": "Oslo"})),
    (6, "input.[1].arguments", "valid JSON", asked(arguments='{"city')),
    (6, "input.[1].arguments", "not a list", asked(arguments="[]")),
    (7, "input.[3].call_id", "two calls", responses_body(*pair("a"), *pair("a"))),
    (7, "input.[1].call_id", "at most 64", responses_body(*pair("a" * 65))),
    (7, "input.[1].call_id", "not empty", responses_body(*pair(""))),
    (8, "input.[1].name", "must match", asked(name="functions.f")),
    (8, "tools.[0].name", "must match", responses_body(tools=[FLAT | {"name": "ü"}])),
    (9, "tools.[0].description", "1,024", responses_body(tools=[FLAT | {"description": "d" * 1025}])),
    (10, "tools", "at most 128", responses_body(tools=[FLAT | {"name": f"f{n}"} for n in range(129)])),
    (11, "tools", "at least one", responses_body(tools=[])),
    (11, "parallel_tool_calls", "beside tools", without("tools", parallel_tool_calls=True)),
    (11, "tool_choice", "does not declare", responses_body(tool_choice={"type": "function", "name": "g"})),
    (16, "input.[2].error", "no field error", told(error={"code": "timeout"})),
    (16, "input.[1].index", "no field index", asked(index=0)),
    (16, "tools.[0].function", "no field function", responses_body(tools=[{"type": "function", "function": FLAT}])),
    (17, "input.[1].input", "must be text", responses_body({"type": "custom_tool_call", "call_id": "a", "name": "n"})),
    ("form", "model", "needs model", without("model")),
    ("form", "input", "at least one item", without("input")),
    ("form", "input", "at least one item", responses_body(input=[])),
    ("form", "input.[1]", "not text", responses_body("hello")),  # type: ignore[arg-type]
    ("form", "input.[1].type", "not item_reference", responses_body({"type": "item_reference", "id": "msg_1"})),
    ("form", "input.[1].role", "not tool", responses_body({"role": "tool", "content": "4"})),
    ("form", "input.[1].id", "begin with fc", asked(id="a")),
    ("form", "input.[1]", "id and summary", responses_body({"type": "reasoning", "id": "rs_1"})),
    ("parameter", "max_tokens", "no such parameter", responses_body(max_tokens=100)),
    ("parameter", "messages", "no such parameter", responses_body(messages=[])),
    ("parameter", "max_output_tokens", "at least 16", responses_body(max_output_tokens=4)),
    ("format", "text.format.type", "one of text", responses_body(text={"format": {"type": "xml"}})),
]

GOOD: list[dict[str, Any]] = [
    responses_body(),
    without("tools"),
    responses_body(input=TASK, instructions="Be short."),
    responses_body(called("a"), called("b"), output("b"), output("a")),
    responses_body(*pair("a"), {"role": "user", "content": "and now?"}, *pair("b")),
    responses_body(called("a"), SAID, output("a")),  # matched over the whole input
    responses_body(SAID | {"type": "message", "id": "msg_1", "status": "completed"}, called("a"), output("a", "")),
    responses_body(called("a" * 64) | {"id": "fc_1", "status": "completed"}, output("a" * 64)),
    told(output=[{"type": "input_text", "text": "rain"}]),
    responses_body({"type": "reasoning", "id": "rs_1", "summary": []}, *pair("a")),
    responses_body(
        {"type": "custom_tool_call", "call_id": "a", "name": "n", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "a", "output": "y"},
    ),
    responses_body(tool_choice={"type": "function", "name": "get_weather"}, max_output_tokens=16, temperature=0),
    responses_body(text={"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}}),
]


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(SCRIPT | {"decisions": [*SCRIPT["decisions"], {"content": "As I said."}] * 2}) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: ScriptedServer) -> Iterator[openai.OpenAI]:
    with real_client(server) as client:
        yield client


@pytest.mark.parametrize(("rule", "param", "piece", "body"), BROKEN)
def test_what_breaks_a_rule_is_refused_by_name(
    client: openai.OpenAI, rule: int | str, param: str, piece: str, body: dict[str, Any]
) -> None:
    first = responses_broken_rules(body)[0]
    assert (first.rule, first.param) == (rule, param)
    assert piece in first.message
    assert first.message.endswith(named(rule))
    with pytest.raises(openai.BadRequestError) as refused:
        client.post("/responses", body=body, cast_to=object)
    assert refused.value.param == param
    assert first.message in str(refused.value)


@pytest.mark.parametrize("body", GOOD)
def test_what_keeps_the_rules_is_let_through(
    server: ScriptedServer, client: openai.OpenAI, body: dict[str, Any]
) -> None:
    assert responses_broken_rules(body) == []
    client.post("/responses", body=body, cast_to=object)
    assert (server.requests[-1].api, server.requests[-1].status) == ("responses", 200)


@given(json_values)
def test_any_json_can_be_judged(value: Any) -> None:
    assert responses_broken_rules(value)
    for item in (value, {"type": value}, {"type": "function_call", "call_id": value, "name": value}, {"role": value}):
        body = {"model": "m", "input": [item, item], "tools": [value], "text": value, "tool_choice": value}
        assert all(fault.message.isprintable() for fault in responses_broken_rules(body))
