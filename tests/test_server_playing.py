"""The server plays its script: the same decisions over both APIs, in one piece, as a stream, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from server_clients import SCRIPT, TASK, call, called, chat_body, one_turn, output, real_client, responses_body, result

from labkit.models.scripted import ScriptedModel
from labkit.models.server import ScriptedServer
from labkit.paths import data

M2 = ScriptedModel(data("scripts", "m2_task.json")).script
NO_TOOLS: dict[str, Any] = {"model": "scripted", "messages": [{"role": "user", "content": TASK}]}


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    with ScriptedServer(SCRIPT) as server, real_client(server) as client:
        yield client


def asked(reply: Any) -> list[tuple[str, str, str]]:
    """The calls of a chat completion."""
    calls = reply.choices[0].message.tool_calls or ()
    return [(call.id, call.function.name, call.function.arguments) for call in calls]


def asked_flat(reply: Any) -> list[tuple[str, str, str]]:
    """The calls of a response."""
    return [(item.call_id, item.name, item.arguments) for item in reply.output if item.type == "function_call"]


def test_the_first_decision_is_the_same_on_both_apis(client: openai.OpenAI) -> None:
    chat = client.chat.completions.create(**chat_body())
    flat = client.responses.create(**responses_body())
    assert asked(chat) == [
        ("call_1", "get_weather", '{"city": "Oslo"}'),  # an object of the script travels as JSON text
        ("call_2", "get_weather", '{"city": "Bergen"}'),  # a text as it is
    ]
    assert asked_flat(flat) == asked(chat)
    assert chat.choices[0].message.content == flat.output_text == "Two look-ups."
    assert chat.choices[0].finish_reason == "tool_calls"
    assert (chat.model, flat.model) == ("scripted", "scripted")


def test_the_place_in_the_script_is_found_from_the_messages(client: openai.OpenAI) -> None:
    for _ in range(2):  # a repeated request gets the same answer
        chat = client.chat.completions.create(**chat_body(*one_turn()))
        assert (chat.choices[0].message.content, asked(chat)) == ("Rain in both.", [])
    said = {"role": "assistant", "content": "Two look-ups."}
    turn = [said, called("call_1"), called("call_2"), output("call_2"), output("call_1")]
    assert client.responses.create(**responses_body(*turn)).output_text == "Rain in both."
    assert client.responses.create(**responses_body(*turn[1:])).output_text == "Rain in both."
    plain = client.responses.create(**responses_body(input=TASK))
    assert len(asked_flat(plain)) == 2


def test_an_error_calls_for_its_own_decision_on_every_wire(client: openai.OpenAI) -> None:
    failed = "ERROR [not_found]: no such city\nHint: see list_cities"
    turn = [one_turn()[0], result("call_1", [{"type": "text", "text": failed}]), result("call_2")]
    assert asked(client.chat.completions.create(**chat_body(*turn))) == [("call_3", "list_cities", "{}")]
    items = [called("call_1"), called("call_2"), output("call_1", failed), output("call_2")]
    assert asked_flat(client.responses.create(**responses_body(*items))) == [("call_3", "list_cities", "{}")]
    in_words = [
        {"role": "assistant", "content": '{"tool_calls": [{"name": "get_weather", "arguments": {}}]}'},
        {"role": "user", "content": f"Results:\n1. {failed}\n2. rain"},
    ]
    body = NO_TOOLS | {"messages": [*NO_TOOLS["messages"], *in_words]}
    told = client.chat.completions.create(**body).choices[0].message.content
    assert json.loads(told or "") == {"tool_calls": [{"name": "list_cities", "arguments": {}}]}


def test_a_script_that_is_over_is_said(client: openai.OpenAI) -> None:
    body = chat_body(*one_turn(), {"role": "assistant", "content": "Rain."}, {"role": "user", "content": "and now?"})
    with pytest.raises(openai.BadRequestError, match="the script has 2 decisions, and no more is left") as over:
        client.chat.completions.create(**body)
    assert over.value.code == "script_is_over"


def test_a_stream_holds_what_the_whole_reply_holds() -> None:
    start = {"role": "user", "content": M2["task"]}
    with ScriptedServer(M2) as server, real_client(server) as client:
        body = chat_body() | {"messages": [start]}
        whole = client.chat.completions.create(**body)
        chunks = [*client.chat.completions.create(**body, stream=True, stream_options={"include_usage": True})]
        pieces = [piece for chunk in chunks for c in chunk.choices for piece in c.delta.tool_calls or ()]
        joined = ["".join(p.function.arguments or "" for p in pieces if p.index == n and p.function) for n in range(3)]
        assert joined == [arguments for _, _, arguments in asked(whole)]
        assert (chunks[-1].choices, chunks[-1].usage) == ([], whole.usage)
        assert all(chunk.usage is None for chunk in chunks[:-1])
        without_usage = [*client.chat.completions.create(**body, stream=True)]
        assert len(without_usage) == len(chunks) - 1
        flat = responses_body(input=M2["task"])
        events = [*client.responses.create(**flat, stream=True)]
        assert events[-1].type == "response.completed"
        assert asked_flat(events[-1].response) == asked_flat(client.responses.create(**flat)) == asked(whole)


def test_without_tools_the_decision_is_an_envelope(client: openai.OpenAI) -> None:
    first = client.chat.completions.create(**NO_TOOLS)
    envelope = json.loads(first.choices[0].message.content or "")
    assert envelope == {
        "thought": "Two look-ups.",
        "tool_calls": [
            {"name": "get_weather", "arguments": {"city": "Oslo"}},
            {"name": "get_weather", "arguments": {"city": "Bergen"}},
        ],
    }
    assert (first.choices[0].finish_reason, asked(first)) == ("stop", [])
    told = [{"role": "assistant", "content": json.dumps(envelope)}, {"role": "user", "content": "rain, rain"}]
    cut_off = [{"role": "assistant", "content": '{"tool_ca'}, {"role": "user", "content": "That is no JSON."}]
    for more in (told, [*cut_off, *told]):
        body = NO_TOOLS | {"messages": [*NO_TOOLS["messages"], *more]}
        content = client.chat.completions.create(**body).choices[0].message.content
        assert json.loads(content or "") == {"answer": "Rain in both."}
    flat = client.responses.create(model="scripted", input=TASK)
    assert json.loads(flat.output_text) == envelope
    chunks = client.chat.completions.create(**NO_TOOLS, stream=True)
    assert json.loads("".join(c.choices[0].delta.content or "" for c in chunks)) == envelope


def test_tools_that_were_once_there_keep_the_reply_plain(client: openai.OpenAI) -> None:
    """The closing question of a loop goes out without tools, after a history full of them."""
    body = chat_body(*one_turn())
    del body["tools"]
    assert client.chat.completions.create(**body).choices[0].message.content == "Rain in both."
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
    content = client.chat.completions.create(**body, response_format=wanted).choices[0].message.content
    assert json.loads(content or "") == {"answer": "Rain in both."}


def test_a_text_that_is_no_object_stays_text_in_the_envelope() -> None:
    broken = {"id": "a", "name": "f", "arguments": '{"city'}
    with ScriptedServer({"task": TASK, "decisions": [{"tool_calls": [broken]}]}) as server, real_client(server) as one:
        content = one.chat.completions.create(**NO_TOOLS).choices[0].message.content
        assert json.loads(content or "") == {"tool_calls": [{"name": "f", "arguments": '{"city'}]}
        assert asked(one.chat.completions.create(**chat_body())) == [("a", "f", '{"city')]


def test_tokens_are_counted_by_the_rule_of_thumb(client: openai.OpenAI) -> None:
    short = client.chat.completions.create(**chat_body()).usage
    long = client.chat.completions.create(**chat_body(*one_turn())).usage
    assert short and long
    assert 0 < short.prompt_tokens < long.prompt_tokens
    assert 0 < long.completion_tokens < short.completion_tokens  # an answer is shorter than two calls
    assert short.total_tokens == short.prompt_tokens + short.completion_tokens
    flat = client.responses.create(**responses_body()).usage
    assert flat and flat.output_tokens == short.completion_tokens


def test_a_named_choice_ends_with_stop_although_there_are_calls(client: openai.OpenAI) -> None:
    choice = {"type": "function", "function": {"name": "get_weather"}}
    reply = client.chat.completions.create(**chat_body(tool_choice=choice))
    assert (reply.choices[0].finish_reason, len(asked(reply))) == ("stop", 2)


def test_parallel_tool_calls_false_is_a_hint_that_nobody_takes(client: openai.OpenAI) -> None:
    assert len(asked(client.chat.completions.create(**chat_body(parallel_tool_calls=False)))) == 2


def test_a_decision_can_be_a_refusal() -> None:
    script = {"task": TASK, "decisions": [{"content": "", "refusal": "I would rather not."}]}
    with ScriptedServer(script) as server, real_client(server) as client:
        for body in (chat_body(), NO_TOOLS):
            message = client.chat.completions.create(**body).choices[0].message
            assert (message.content, message.refusal) == (None, "I would rather not.")
        item = client.responses.create(**responses_body()).output[0]
        assert item.to_dict()["content"] == [{"type": "refusal", "refusal": "I would rather not."}]


def test_the_reason_for_ending_is_that_of_the_script() -> None:
    cut = {"tool_calls": [{"id": "a", "name": "f", "arguments": '{"p": "/tm'}], "finish_reason": "length"}
    with ScriptedServer({"task": TASK, "decisions": [cut]}) as server, real_client(server) as client:
        reply = client.chat.completions.create(**chat_body())
        assert (reply.choices[0].finish_reason, asked(reply)) == ("length", [("a", "f", '{"p": "/tm')])
        flat = client.responses.create(**responses_body())
        assert flat.status == "incomplete"


def test_half_a_surrogate_pair_in_a_script_reaches_the_client() -> None:
    script = {"task": TASK, "decisions": [{"tool_calls": [{"id": "a", "name": "f", "arguments": {"x": "\ud83d"}}]}]}
    with ScriptedServer(script) as server, real_client(server) as client:
        assert asked(client.chat.completions.create(**chat_body())) == [("a", "f", '{"x": "\ud83d"}')]


@pytest.mark.parametrize("quirk", ["no_index", "all_at_once", "unknown_keys"])
def test_a_quirk_bends_the_stream_and_nothing_else(quirk: str) -> None:
    wholes, streams = [], []
    for chosen in ("none", quirk):
        with ScriptedServer(SCRIPT, quirk=chosen) as server, real_client(server) as client:
            wholes.append(client.chat.completions.create(**chat_body()).to_dict())
            chunks = client.chat.completions.create(**chat_body(), stream=True)
            streams.append([chunk.to_dict() for chunk in chunks])
    assert wholes[0] == wholes[1]
    assert streams[0] != streams[1]


def test_a_script_fault_or_quirk_of_the_wrong_form_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="needs a"):
        ScriptedServer({"decisions": []})
    with pytest.raises(ValueError, match="no quirk 'sideways'; choose one of none, "):
        ScriptedServer(SCRIPT, quirk="sideways")
    with pytest.raises(ValueError, match="no fault 'flood'; choose one of rate_limit, "):
        ScriptedServer(SCRIPT, faults=["flood"])


def test_calls_of_a_script_keep_their_ids_and_names() -> None:
    script = {"task": TASK, "decisions": [{"tool_calls": [call("x") | {"name": "a.b", "arguments": None}]}]}
    with ScriptedServer(script) as server, real_client(server) as client:
        assert asked(client.chat.completions.create(**chat_body())) == [("x", "a.b", "{}")]
