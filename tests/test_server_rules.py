"""What the server refuses in a chat completions request, and what it lets through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_clients import SCRIPT, TASK, call, chat_body, named, one_turn, real_client, result
from strategies import json_values

from labkit.models.server import ScriptedServer, broken_rules

USER = {"role": "user", "content": "and now?"}


def asking(*calls: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | fields


def declared(**fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}} | fields}


def custom(**fields: Any) -> dict[str, Any]:
    return {"id": "c", "type": "custom", "custom": {"name": "note", "input": "free text"} | fields}


def without(field: str, **fields: Any) -> dict[str, Any]:
    return {name: value for name, value in chat_body(**fields).items() if name != field}


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    return chat_body(asking(asked), result("a"))


def told(message: dict[str, Any]) -> dict[str, Any]:
    return chat_body(asking(call("a")), message)


def said(**fields: Any) -> dict[str, Any]:
    return chat_body({"role": "assistant", "content": "x"} | fields)


FIRST_ID, SECOND_ID = "messages.[1].tool_calls.[0].id", "messages.[1].tool_calls.[1].id"
ARGUMENTS, NAME = "messages.[1].tool_calls.[0].function.arguments", "messages.[1].tool_calls.[0].function.name"
TYPE = "messages.[1].tool_calls.[0].type"
ORPHAN = result("call_9")
# rule, place, a piece of the sentence, the request
BROKEN: list[tuple[int | str, str, str, Any]] = [
    (1, SECOND_ID, "has no tool message", chat_body(*one_turn()[:2])),
    (1, SECOND_ID, "has no tool message", chat_body(*one_turn()[:2], USER, result("call_2"))),
    (1, FIRST_ID, "has no tool message", chat_body(asking(call("call_1")))),
    (1, FIRST_ID, "has no tool message", chat_body(asking(call("a")), *one_turn())),
    (1, "messages.[4].tool_call_id", "answered twice", chat_body(*one_turn(), result("call_1"))),
    (2, "messages.[1].tool_call_id", "no assistant message", chat_body(ORPHAN)),
    (2, "messages.[4].tool_call_id", "asked for no such call", chat_body(*one_turn(), ORPHAN)),
    (2, "messages.[5].tool_call_id", "no assistant message", chat_body(*one_turn(), USER, result("call_2"))),
    (2, "messages.[1]", "needs tool_call_id", chat_body({"role": "tool", "content": "rain"})),
    (4, "messages.[2].content", "needs content", chat_body(asking(call("a")), {"role": "tool", "tool_call_id": "a"})),
    (4, "messages.[2].content", "needs content", told(result("a", None))),
    (4, "messages.[2].content", "not an object", told(result("a", {"temp": 4}))),
    (4, "messages.[2].content", "not a number", told(result("a", 4.7))),
    (4, "messages.[2].content", "at least one", told(result("a", []))),
    (4, "messages.[2].content.[0]", "the type text", told(result("a", [{"type": "image_url"}]))),
    (4, "messages.[2].content.[0].text", "must be text", told(result("a", [{"type": "text"}]))),
    (5, "messages.[1].content", "content or tool_calls", chat_body({"role": "assistant"})),
    (5, "messages.[1].content", "content or tool_calls", chat_body({"role": "assistant", "content": None})),
    (5, "messages.[1].content", "must be text", chat_body({"role": "assistant", "content": {"answer": 4}})),
    (6, ARGUMENTS, "JSON in a text", answered(call("a", {}))),
    (6, ARGUMENTS, "not null", answered(call("a", None))),
    (6, ARGUMENTS, "valid JSON", answered(call("a", ""))),
    (6, ARGUMENTS, "valid JSON", answered(call("a", '{"c'))),
    (6, ARGUMENTS, "valid JSON", answered(call("a", "[NaN]"))),
    (6, ARGUMENTS, "not a list", answered(call("a", "[1]"))),
    (6, ARGUMENTS, "valid JSON", answered(call("a", "[" * 9999))),
    (7, SECOND_ID, "twice", chat_body(asking(call("a"), call("a")), result("a"), result("a"))),
    (7, FIRST_ID, "at most 40", chat_body(asking(call("a" * 41)), result("a" * 41))),
    (7, FIRST_ID, "not empty", chat_body(asking(call("")), result(""))),
    (7, FIRST_ID, "not empty", chat_body(asking(call(7)))),
    (8, NAME, "a.b must match", answered(call("a", "{}", "a.b"))),
    (8, NAME, "must match", answered(call("a", "{}", ""))),
    (8, NAME, "must match", answered(call("a", "{}", "f\n"))),
    (8, "tools.[0].function.name", "must match", chat_body(tools=[declared(name="wetter für heute")])),
    (8, "tools.[0].function.name", "must match", chat_body(tools=[declared(name="n" * 65)])),
    (9, "tools.[0].function.description", "1,024 characters", chat_body(tools=[declared(description="d" * 1025)])),
    (9, "tools.[0].function.description", "must be text", chat_body(tools=[declared(description=["d"])])),
    (10, "tools", "at most 128", chat_body(tools=[declared(name=f"f{number}") for number in range(129)])),
    (11, "tools", "at least one", chat_body(tools=[])),
    (11, "tools", "at least one", chat_body(tools=None)),
    (11, "tool_choice", "only allowed beside tools", without("tools", tool_choice="auto")),
    (11, "parallel_tool_calls", "only allowed beside tools", without("tools", parallel_tool_calls=False)),
    (11, "tool_choice", "g, which tools", chat_body(tool_choice={"type": "function", "function": {"name": "g"}})),
    (16, "messages.[2].error", "no field error", told(result("a") | {"error": {"code": "timeout"}})),
    (16, "messages.[2].name", "no field name", told(result("a") | {"name": "get_weather"})),
    (16, "messages.[1].reasoning", "no field", said(reasoning="y")),
    (16, "messages.[1].function_call", "no field", said(function_call=None)),
    (16, "messages.[1].tool_calls.[0].index", "no field", answered(call("a") | {"index": 0})),
    (16, "messages.[0].at", "no field at", chat_body() | {"messages": [{"role": "user", "content": TASK, "at": 0}]}),
    (16, "tools.[0].readonly", "no field readonly", chat_body(tools=[declared() | {"readonly": True}])),
    (16, "tools.[0].function.timeout", "no field timeout", chat_body(tools=[declared(timeout=10)])),
    (17, TYPE, "function or custom", answered(call("a") | {"type": "tool"})),
    (17, TYPE, "not None", answered({"id": "a", "function": {}})),
    (17, "messages.[1].tool_calls.[0].custom.input", "must be text", chat_body(asking(custom(input={})), result("c"))),
    (18, "max_tokens", "replaces max_tokens", chat_body(max_tokens=5, max_completion_tokens=5)),
    ("form", "model", "needs model", without("model")),
    ("form", "model", "needs model", chat_body(model="")),
    ("form", "messages", "at least one", without("messages")),
    ("form", "messages", "at least one", chat_body(messages=[])),
    ("form", "messages.[1]", "not text", chat_body("hello")),  # type: ignore[arg-type]
    ("form", "messages.[1].role", "not function", chat_body({"role": "function", "name": "f", "content": "4"})),
    ("form", "messages.[1].role", "not None", chat_body({"content": "4"})),
    ("form", "messages.[1].content", "needs content", chat_body({"role": "user"})),
    ("form", "messages.[1].content", "must be text", chat_body({"role": "system", "content": 5})),
    ("form", "messages.[1].tool_calls", "at least one call", said(tool_calls=[])),
    ("form", "messages.[1].tool_calls", "at least one call", said(tool_calls=None)),
    ("form", "messages.[1].tool_calls.[0].function", "an object", answered({"id": "a", "type": "function"})),
    ("form", "tools.[0]", "not text", chat_body(tools=["get_weather"])),
    ("form", "tools.[0].type", "function or custom", chat_body(tools=[{"name": "f"}])),
    ("form", "tools.[0].function", "an object", chat_body(tools=[{"type": "function"}])),
    (16, "tools.[0].name", "no field name", chat_body(tools=[{"type": "function", "name": "flat"}])),
    ("schema", "tools.[0].function.parameters", 'type "object"', chat_body(tools=[declared(parameters={})])),
    ("schema", "tools.[0].function.parameters", "not text", chat_body(tools=[declared(parameters="city")])),
    ("parameter", "temperature", "from 0 to 2", chat_body(temperature=3)),
    ("parameter", "temperature", "from 0 to 2", chat_body(temperature=True)),
    ("parameter", "stream", "true or false", chat_body(stream="yes")),
    ("parameter", "n", "1", chat_body(n=2)),
    ("parameter", "top_k", "no such parameter", chat_body(top_k=4)),
    ("parameter", "stream_options", "beside stream", chat_body(stream_options={"include_usage": True})),
    ("parameter", "tool_choice", "must be none", chat_body(tool_choice="sometimes")),
    ("parameter", "parallel_tool_calls", "true or false", chat_body(parallel_tool_calls="no")),
    ("format", "response_format.type", "one of text", chat_body(response_format={"type": "xml"})),
    ("format", "response_format", "the word JSON", chat_body(response_format={"type": "json_object"})),
    ("format", "response_format.json_schema", "an object", chat_body(response_format={"type": "json_schema"})),
]  # fmt: skip

GOOD: list[dict[str, Any]] = [
    chat_body(),
    without("tools"),
    chat_body(*one_turn()),
    chat_body(one_turn()[0], result("call_2"), result("call_1")),  # rule 3: their order is free
    chat_body(*one_turn(), *one_turn()),  # rule 7: ids may come again in a later turn
    chat_body(*one_turn(), {"role": "assistant", "content": "Rain."}, USER),
    chat_body(asking(call("a"), content="I look."), result("a")),  # rule 5: text and calls together
    chat_body(asking(call("a", "{}")), result("a", [{"type": "text", "text": "rain"}])),
    chat_body(asking(call("a" * 40)), result("a" * 40, "")),
    chat_body(asking(custom()), result("c")),  # rule 17
    chat_body({"role": "assistant", "content": None, "refusal": "no"}, USER),
    chat_body({"role": "assistant", "content": "", "refusal": None}, USER),
    chat_body({"role": "developer", "content": "Be short."}, {"role": "user", "content": TASK, "name": "Ada"}),
    chat_body({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}),
    chat_body(tools=[declared(name=f"f{number}") for number in range(128)]),
    chat_body(tools=[declared(description="d" * 1024), {"type": "custom", "custom": {"name": "note"}}]),
    chat_body(tool_choice={"type": "function", "function": {"name": "get_weather"}}, parallel_tool_calls=False),
    chat_body(temperature=0, top_p=1, seed=7, max_tokens=50, stop=["END"], user="u", n=1, presence_penalty=None),
    chat_body(stream=True, stream_options={"include_usage": True}),
    chat_body({"role": "user", "content": "as Json"}, response_format={"type": "json_object"}),
    chat_body(response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {"oneOf": []}}}),
]  # fmt: skip


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
    server: ScriptedServer, client: openai.OpenAI, rule: int | str, param: str, piece: str, body: dict[str, Any]
) -> None:
    first = broken_rules(body)[0]
    assert (first.rule, first.param) == (rule, param)
    assert piece in first.message
    assert first.message.endswith(named(rule))
    with pytest.raises(openai.BadRequestError) as refused:
        client.post("/chat/completions", body=body, cast_to=object)
    assert refused.value.param == param
    assert first.message in str(refused.value)
    assert first.message in (server.last_error or "")


def test_every_rule_with_something_to_refuse_has_a_case() -> None:
    """3 is a freedom, 12 to 15 are for who reads a reply."""
    assert {case[0] for case in BROKEN if isinstance(case[0], int)} == {*range(1, 19)} - {3, 12, 13, 14, 15}


@pytest.mark.parametrize("body", GOOD)
def test_what_keeps_the_rules_is_let_through(
    server: ScriptedServer, client: openai.OpenAI, body: dict[str, Any]
) -> None:
    assert broken_rules(body) == []
    plain = body | {"stream": False, "stream_options": None}
    completion = client.post("/chat/completions", body=plain, cast_to=object)
    assert isinstance(completion, dict)
    assert server.requests[-1].status == 200


def test_every_fault_of_a_request_is_said_at_once() -> None:
    messages = [asking(call("a", {}, "a.b")), result("z") | {"error": {}}]
    rules = [fault.rule for fault in broken_rules({"messages": messages, "max_tokens": 1, "max_completion_tokens": 1})]
    assert rules == ["form", 18, 8, 6, 16, 1, 2]


def test_a_long_list_of_faults_is_cut_with_their_number(client: openai.OpenAI) -> None:
    body = chat_body(*[result(f"call_{number}") for number in range(9)])
    with pytest.raises(openai.BadRequestError) as refused:
        client.post("/chat/completions", body=body, cast_to=object)
    assert str(refused.value).count("(rule 2)") == 5
    assert "and 4 more" in str(refused.value)


@given(json_values)
def test_any_json_can_be_judged(value: Any) -> None:
    assert broken_rules(value)


@given(st.lists(st.sampled_from(["role", "content", "tool_calls", "tool_call_id", "id"]), max_size=5), json_values)
def test_any_message_can_be_judged(names: list[str], value: Any) -> None:
    for message in (value, dict.fromkeys(names, value), {"role": "assistant", "tool_calls": [value, {"id": value}]}):
        for fault in broken_rules(chat_body() | {"messages": [message], "tools": [value], "tool_choice": value}):
            assert fault.message.isprintable()


def test_a_request_is_not_changed_by_being_judged() -> None:
    for body in [case[3] for case in BROKEN] + GOOD:
        before = json.dumps(body)
        broken_rules(body)
        assert json.dumps(body) == before
