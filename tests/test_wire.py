"""History to the wire and back: what is sent is acceptable, whatever the history went through."""

from __future__ import annotations

import json
import re
import signal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import Agent, RetryGuard, Tool, ToolCall, ToolRegistry, ToolRuntime, history
from labkit.models import ModelReply
from labkit.models.base import ModelError
from labkit.models.server import broken_rules, responses_broken_rules
from labkit.models.wire import (
    chat_tools,
    from_chat,
    from_responses,
    reply_from_chat,
    reply_from_response,
    responses_tools,
    to_chat,
    to_responses,
)

USER = {"role": "user", "content": "go"}


def turn(*calls: tuple[Any, Any, Any], content: str = "", answers: list[dict[str, Any]] | None = None) -> list[Any]:
    """A model's message with calls (id, name, arguments), and an answer to each where none are given."""
    asked = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in calls]
    told = [{"role": "tool", "content": "done", "tool_call_id": call[0]} for call in calls]
    return [{"role": "assistant", "content": content, "tool_calls": asked}, *(told if answers is None else answers)]


def sent_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [call for message in to_chat(messages) for call in message.get("tool_calls", ())]


def refused(messages: list[Any]) -> list[str]:
    """What the strict server has against what both wires make of a history."""
    chat = {"model": "m", "messages": to_chat(messages)}
    responses = {"model": "m", "input": to_responses(messages)}
    json.dumps([chat, responses], ensure_ascii=False, allow_nan=False).encode()
    return [broken.message for broken in (*broken_rules(chat), *responses_broken_rules(responses))]


# ---- out ----


def test_a_plain_history_is_sent_as_the_protocol_writes_it() -> None:
    messages = [history.system("be brief"), USER, *turn(("call_1", "add", {"x": 1}), content="let me see")]
    assert to_chat(messages) == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": "let me see",
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"x": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "done"},
    ]
    assert to_responses(messages)[2:] == [
        {"type": "message", "role": "assistant", "content": "let me see"},
        {"type": "function_call", "call_id": "call_1", "name": "add", "arguments": '{"x": 1}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "done"},
    ]


def test_the_history_is_not_changed() -> None:
    messages = [USER, *turn(("x", "a.b", "{"), ("x", "", {"a": [1]}))]
    before = json.dumps(messages)
    to_chat(messages), to_responses(messages)
    assert json.dumps(messages) == before


def test_an_error_does_not_leave_the_house() -> None:
    failed = {"role": "tool", "content": "ERROR [failed]: no", "tool_call_id": "c", "error": {"code": "failed"}}
    assert to_chat([USER, *turn(("c", "add", {}), answers=[failed])])[-1] == {
        "role": "tool",
        "tool_call_id": "c",
        "content": "ERROR [failed]: no",
    }


@pytest.mark.parametrize(
    ("received", "sent"),
    [
        ('{"x": 1}', '{"x": 1}'),
        ('  {"x":1}\n', '  {"x":1}\n'),
        ({"x": "é"}, '{"x": "é"}'),
        (None, "{}"),
        ("", "{}"),
        ("null", "{}"),
        ('```json\n{"x": 1}\n```', '{"x": 1}'),
        ('"{\\"x\\": 1}"', '{"x": 1}'),
        ('{"x":', '{"arguments_as_received": "{\\"x\\":"}'),
        ("[1]", '{"arguments_as_received": "[1]"}'),
        ('{"x": NaN}', '{"arguments_as_received": "{\\"x\\": NaN}"}'),
        ('{"x": 1, "x": 2}', '{"arguments_as_received": "{\\"x\\": 1, \\"x\\": 2}"}'),
        ('{"x": "\ud83d"}', '{"x": "\ufffd"}'),
        ('{"x": "\\ud83d"}', '{"x": "\ufffd"}'),
        ('{"x": "\\ud83d\\ude00"}', '{"x": "😀"}'),
    ],
)
def test_arguments_are_sent_as_the_text_of_an_object(received: Any, sent: str) -> None:
    messages = [USER, *turn(("c", "add", received))]
    assert sent_calls(messages)[0]["function"]["arguments"] == sent
    assert refused(messages) == []


@pytest.mark.parametrize(
    ("received", "sent"),
    [
        ("read_file", "read_file"),
        ("functions.read", "functions_read"),
        ("multi_tool_use.parallel", "multi_tool_use_parallel"),
        (" view", "_view"),
        ("", "unnamed_tool"),
        ("…", "unnamed_tool"),
        ("é" * 3 + "a", "___a"),
    ],
)
def test_names_are_sent_legal(received: str, sent: str) -> None:
    assert sent_calls([USER, *turn(("c", received, {}))])[0]["function"]["name"] == sent


def test_two_long_names_do_not_become_one() -> None:
    names = ["a" * 70 + end for end in "xy"]
    sent = [call["function"]["name"] for call in sent_calls([USER, *turn(*((n, n, {}) for n in names))])]
    assert len(set(sent)) == 2 and all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in sent)


@pytest.mark.parametrize(
    ("received", "sent"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a"], ["a", "a_2"]),
        (["", ""], ["call_1", "call_2"]),
        (["", "call_1"], ["call_1_2", "call_1"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["   "], ["call_1"]),
    ],
)
def test_ids_are_sent_unique_and_answered_in_order(received: list[str], sent: list[str]) -> None:
    answers = [{"role": "tool", "content": str(n), "tool_call_id": id} for n, id in enumerate(received)]
    messages = to_chat([USER, *turn(*((id, "add", {}) for id in received), answers=answers)])
    assert [call["id"] for call in messages[1]["tool_calls"]] == sent
    assert [(m["tool_call_id"], m["content"]) for m in messages[2:]] == [(id, str(n)) for n, id in enumerate(sent)]


def test_an_id_that_comes_again_in_a_later_turn_is_another_on_the_wire() -> None:
    sent = to_chat([USER, *turn(("x", "add", {})), *turn(("x", "add", {}))])
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ["x", "x_2"]


def test_what_was_sent_once_is_sent_the_same_way_when_the_history_grows() -> None:
    """Servers keep what they have read of a prompt: a beginning that changes would be paid for again."""
    messages = [USER, *turn(("", "a", {}), ("x", "a", {})), *turn(("x", "a", "{")), *turn(("call_1", "a", {}))]
    whole = to_chat(messages)
    for end in (1, 4, 6, 8):
        assert to_chat(messages[:end]) == whole[:end]


def test_a_long_id_is_cut_and_two_do_not_become_one() -> None:
    sent = [call["id"] for call in sent_calls([USER, *turn(("i" * 50 + "a", "add", {}), ("i" * 50 + "b", "add", {}))])]
    assert len(set(sent)) == 2 and {len(id) for id in sent} == {40}


def test_a_call_without_an_answer_gets_one_and_an_answer_without_a_call_becomes_a_note() -> None:
    stray = {"role": "tool", "content": "26.5", "tool_call_id": "gone"}
    messages = to_chat([USER, stray, *turn(("a", "add", {}), ("b", "add", {}), answers=[stray])])
    assert messages[1] == {"role": "user", "content": "[a tool result that answers no open call] 26.5"}
    assert [m["content"] for m in messages[3:5]] == ["ERROR [cancelled]: no result of this call was kept"] * 2
    assert messages[5]["role"] == "user"


def test_calls_of_one_turn_that_were_stored_as_two_messages_are_sent_as_one() -> None:
    first, second = (turn((id, "add", {}), answers=[])[0] for id in "ab")
    answers = [{"role": "tool", "content": id, "tool_call_id": id} for id in "ab"]
    sent = to_chat([USER, first, second, *answers])
    assert [call["id"] for call in sent[1]["tool_calls"]] == ["a", "b"]
    assert [m["content"] for m in sent[2:]] == ["a", "b"]


def test_an_empty_message_of_the_model_is_left_out() -> None:
    assert to_chat([USER, {"role": "assistant", "content": ""}]) == [USER]


def test_what_a_user_sends_besides_text_is_passed_on() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,A"}}]
    assert to_chat([{"role": "user", "content": parts}])[0]["content"] == parts
    told = to_responses([{"role": "user", "content": parts}])
    assert [part["type"] for part in told[0]["content"]] == ["input_text", "input_image"]
    assert from_responses(told) == [{"role": "user", "content": parts}]


def test_a_list_of_plain_texts_is_not_lost() -> None:
    assert to_chat([{"role": "user", "content": ["go", " on"]}]) == [{"role": "user", "content": "go on"}]


def test_declarations_are_sent_legal_and_flat_where_that_is_asked_for() -> None:
    function = {"name": "a.b", "description": "d" * 2_000, "parameters": {"type": "object"}}
    (sent,) = chat_tools([{"type": "function", "function": function}])
    assert sent["function"]["name"] == "a_b" and len(sent["function"]["description"]) == 1_024
    (flat,) = responses_tools([{"type": "function", "function": function}])
    assert flat == {"type": "function", "strict": False, **sent["function"]}
    assert function["name"] == "a.b"


# ---- in ----


def completion(message: Any, reason: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


def test_a_reply_is_read_with_its_calls_usage_and_refusal() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"x": 1}'}}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    reply = reply_from_chat(completion({"content": None, "tool_calls": [call]}, "tool_calls", usage=usage))
    assert reply == ModelReply("", (ToolCall("c", "add", '{"x": 1}'),), "tool_calls", (5, 2))
    assert reply_from_chat(completion({"content": None, "refusal": "no"})).refusal == "no"


@pytest.mark.parametrize(
    ("call", "read"),
    [
        ({"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}, ToolCall("c", "shell", "ls")),
        ({"id": None, "function": {"name": "add", "arguments": {"x": 1}}}, ToolCall("", "add", {"x": 1})),
        ({"function": {"name": None, "arguments": None}}, ToolCall("", "", None)),
        ({"id": 7, "function": {"name": "add", "arguments": [1]}}, ToolCall("7", "add", "[1]")),
    ],
)
def test_odd_calls_are_read_as_far_as_they_go(call: Any, read: ToolCall) -> None:
    assert reply_from_chat(completion({"tool_calls": [call]})).tool_calls == (read,)


def test_the_older_shape_of_a_call_is_read() -> None:
    old = completion({"content": None, "function_call": {"name": "add", "arguments": "{}"}}, "function_call")
    assert reply_from_chat(old).tool_calls == (ToolCall("", "add", "{}"),)


NO_REPLIES = [None, [], "ok", 5, {}, {"choices": None}, {"choices": []}, {"choices": [None]}, completion(None, "error")]


@pytest.mark.parametrize("body", [*NO_REPLIES, {"error": {"message": "busy", "code": 429}}, {"error": "busy"}])
def test_what_holds_no_reply_is_an_error_that_quotes_it(body: Any) -> None:
    for read in (reply_from_chat, reply_from_response):
        with pytest.raises(ModelError, match=r"^the server") as raised:
            read(body)
        assert len(str(raised.value)) < 400
        if isinstance(body, dict) and "error" in body:
            assert "busy" in str(raised.value)


def test_a_response_is_read_with_calls_text_and_why_it_is_incomplete() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hm"}]},
        {"type": "function_call", "id": "fc", "call_id": "c", "name": "add", "arguments": "{}"},
    ]
    usage = {"input_tokens": 5, "output_tokens": 2}
    whole = reply_from_response({"status": "completed", "output": output, "usage": usage})
    assert whole == ModelReply("hm", (ToolCall("c", "add", "{}"),), "tool_calls", (5, 2))
    for why, reason in (("max_output_tokens", "length"), ("content_filter", "content_filter"), (None, "length")):
        cut = {"status": "incomplete", "incomplete_details": {"reason": why}, "output": output}
        assert reply_from_response(cut).finish_reason == reason
    refusal = [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]
    assert reply_from_response({"status": "completed", "output": refusal}).refusal == "no"
    with pytest.raises(ModelError, match="too busy"):
        reply_from_response(
            {"status": "failed", "error": {"code": "server_error", "message": "too busy"}, "output": []}
        )


# ---- laws ----

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
texts = st.text(st.characters(), max_size=12)  # lone surrogates included
names = st.sampled_from(["add", "fail", "change", "no.such", "", "é", "x" * 80]) | texts
raw_arguments = (
    st.sampled_from(['{"x": 1}', "{}", "", "null", '{"x":', "[1]", '{"x": NaN}', '```json\n{"x": 2}\n```', "\ud83d"])
    | st.none()
    | st.dictionaries(texts, values, max_size=2)
    | texts
)
ids = st.sampled_from(["call_1", "call_2", "x", "", "i" * 60]) | texts
odd_calls = st.fixed_dictionaries({"id": ids | st.none(), "name": names, "arguments": raw_arguments}) | values
odd_messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "developer", "function"]) | texts},
    optional={
        "content": texts | st.none() | values,
        "tool_calls": st.lists(odd_calls, max_size=3) | st.none(),
        "tool_call_id": ids | st.none(),
        "error": values,
        "name": texts,
    },
)


@settings(max_examples=400)
@given(st.lists(odd_messages, max_size=7))
def test_whatever_a_history_holds_what_is_sent_is_accepted(messages: list[Any]) -> None:
    assert refused([USER, *messages]) == []


@settings(max_examples=200)
@given(st.lists(odd_messages, max_size=7))
def test_what_was_sent_and_read_back_is_sent_the_same_way(messages: list[Any]) -> None:
    sent = to_chat([USER, *messages])
    assert to_chat(from_chat(sent)) == sent
    assert history.broken(from_chat(sent)) == []
    items = to_responses([USER, *messages])
    assert to_responses(from_responses(items)) == items
    assert history.broken(from_responses(items)) == []


@settings(max_examples=500)
@given(values | odd_messages)
def test_reading_an_answer_raises_nothing_but_a_model_error(body: Any) -> None:
    for read, whole in ((reply_from_chat, completion(body)), (reply_from_response, {"output": [body]})):
        for each in (body, whole):
            try:
                reply = read(each)
            except ModelError:
                continue
            assert isinstance(reply.content, str) and all(isinstance(call.id, str) for call in reply.tool_calls)


# ---- what an agent leaves behind ----

replies = st.builds(
    ModelReply,
    texts,
    st.lists(st.builds(ToolCall, ids, names, raw_arguments), max_size=4).map(tuple),
    st.sampled_from(["tool_calls", "stop", "length", "content_filter"]),
    st.none(),
    st.none() | texts,
)


class Told:
    """A model that says what it was given, then falls silent; it interrupts or breaks where it was told to."""

    def __init__(self, decisions: list[ModelReply], end: type[BaseException] | None) -> None:
        self.left = list(decisions)
        self.end = end

    def reply(self, messages: Any, tools: Any) -> ModelReply:
        if self.left:
            return self.left.pop(0)
        if self.end is not None:
            raise self.end("over")
        return ModelReply("done")


class Interrupting:
    """Tools of which one interrupts the run, as a learner's Stop does, when it is called for the n-th time."""

    def __init__(self, at: int) -> None:
        self.left = at

    def registry(self) -> ToolRegistry:
        def add(x: int = 0) -> int:
            """Add."""
            return x

        def change(x: int = 0) -> str:
            """Change."""
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGINT)
            return "changed"

        def fail() -> None:
            """Fail."""
            raise OSError("no")

        read = {"readonly": True, "timeout": None}
        made = [Tool.from_function(add, **read), Tool.from_function(fail, **read)]
        return ToolRegistry([*made, Tool.from_function(change, timeout=None)])


@settings(max_examples=1_250)
@given(
    st.lists(replies, max_size=4),
    st.sampled_from([None, ModelError, KeyboardInterrupt]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
    st.integers(1, 3),
    st.integers(20, 300),
)
def test_whatever_a_run_went_through_its_history_is_accepted(
    decisions: list[ModelReply], end: Any, turns: int, per_turn: int, guarded: bool, interrupt: int, room: int
) -> None:
    """Interrupted, banned, truncated, at its limits, gone on from, trimmed: four histories an example, 5,000 in all."""
    runtime = ToolRuntime(Interrupting(interrupt).registry())
    guard = RetryGuard(1, 1) if guarded else None
    agent = Agent(Told(decisions, end), runtime, turns, per_turn, guard)
    messages: list[Any] = []
    for _ in range(2):
        try:
            run = agent.run("go", history=messages)
        except KeyboardInterrupt as problem:
            run = problem.run  # type: ignore[attr-defined]
        messages = run.messages
        assert refused(messages) == []
        try:
            shorter = history.trim(messages, room)
        except ValueError:
            shorter = history.trim(messages, 10_000)
        assert refused(shorter) == []
