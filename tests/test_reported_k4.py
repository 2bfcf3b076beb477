"""Failures that people have reported of the message protocol: each case by its id, and its siblings.

What a model sent comes through the real client and the whole loop; what goes out again is judged by the rules that the
strict server keeps. Where our design decides otherwise than was hoped for, the test says so: ids and names stay in the
history as they were received, and are made sound on the wire.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_reported_k9 import DONE, Canned, model_of, sse
from tools_for_tests import codes, runtime_of

from labkit import Agent, Run, Tool
from labkit.history import blocks, broken, system, tokens, trim, user
from labkit.models import JsonModeModel, OpenAIModel, OpenAIResponsesModel
from labkit.models.server import broken_rules, responses_broken_rules
from labkit.models.wire import from_chat, to_chat, to_responses


def call(id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asking(*calls: dict[str, Any], reason: Any = "tool_calls", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": None, **({"tool_calls": list(calls)} if calls else {}), **message}
    return {"choices": [{"index": 0, "message": said, "finish_reason": reason}]}


class Told:
    """A run over canned replies, what its tools were called with, and what was sent."""

    def __init__(self, *replies: Any, tools: tuple[Tool, ...] = (), **options: Any) -> None:
        self.ran: list[Any] = []
        self.canned = Canned(*replies, DONE)
        self.run: Run = Agent(model_of(OpenAIModel, self.canned, **options), runtime_of(*(tools or self.tools()))).run(
            "try"
        )
        assert broken(self.run.messages) == []
        assert [broken_rules(body) for body in self.canned.bodies] == [[]] * len(self.canned.bodies)
        assert responses_broken_rules({"model": "any", "input": to_responses(self.run.messages)}) == []

    def tools(self) -> tuple[Tool, ...]:
        def a(x: int) -> str:
            self.ran.append(x)
            return str(x)

        def b(x: int) -> str:
            raise RuntimeError("403")

        def put(k: str) -> str:
            self.ran.append(k)
            return k

        def view(p: str) -> str:
            self.ran.append(p)
            return p

        def view_all() -> str:
            self.ran.append("all")
            return "all"

        return tuple(Tool.from_function(fn, description="Act.") for fn in (a, b, put, view, view_all))

    def sent(self, request: int = 1) -> list[dict[str, Any]]:
        """The messages of a request, from 0, without the task."""
        return list(self.canned.bodies[request]["messages"][1:])

    def codes(self) -> list[str | None]:
        return codes(result for turn in self.run.turns for result in turn.results)


# --- K4-01: one of several calls fails ------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_k4_01_every_call_is_answered_once_in_order(stream: bool) -> None:
    asked = [call("c1", "a", '{"x":1}'), call("c2", "b", '{"x":2}'), call("c3", "nope", "{}"), call("c4", "a", '{"x":')]
    told = Told(streamed(asking(*asked)) if stream else asking(*asked), stream=stream)
    first, *answers = told.sent()
    assert [each["id"] for each in first["tool_calls"]] == ["c1", "c2", "c3", "c4"]
    assert [each["tool_call_id"] for each in answers] == ["c1", "c2", "c3", "c4"]
    assert {each["role"] for each in answers} == {"tool"}
    assert told.codes() == [None, "execution_error", "unknown_tool", "invalid_json"]
    assert "403" in answers[1]["content"] and "nope" in answers[2]["content"]
    assert (told.ran, told.run.answer) == ([1], "done")


def streamed(completion: dict[str, Any]) -> Any:
    """The same reply as a stream of one chunk."""
    [choice] = completion["choices"]
    asked = [each | {"index": n} for n, each in enumerate(choice["message"].get("tool_calls") or ())]
    delta = {key: value for key, value in choice["message"].items() if key != "tool_calls"} | {"tool_calls": asked}
    return sse({"choices": [choice | {"delta": delta, "message": None}]}, "data: [DONE]\n\n")


# --- K4-04: trimming ------------------------------------------------------------------------------------------------

LONG_TALK = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "q1"},
    {"role": "assistant", "content": None, "tool_calls": [call("c1", "a", '{"x":1}'), call("c2", "a", '{"x":2}')]},
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {"role": "tool", "tool_call_id": "c2", "content": "2"},
    {"role": "assistant", "content": "r1"},
    {"role": "user", "content": "q2"},
]


@pytest.mark.parametrize("last", range(1, 7))
def test_k4_04_a_history_that_was_cut_by_count_is_sent_whole(last: int) -> None:
    """Somebody else cut it: what lost its call goes out as a note, what lost its answer gets one."""
    cut = [LONG_TALK[0], *LONG_TALK[-last:]]
    for messages in (cut, from_chat(cut)):
        assert broken_rules({"model": "any", "messages": to_chat(messages)}) == []
        assert responses_broken_rules({"model": "any", "input": to_responses(messages)}) == []
    assert to_chat(cut)[0] == LONG_TALK[0] and to_chat(cut)[-1] == LONG_TALK[-1]


def test_k4_04_our_own_trimming_keeps_calls_and_answers_together() -> None:
    """Ours counts tokens, not messages: at every size the blocks are whole; the system message and the task stay."""
    history = from_chat(LONG_TALK)
    kept = set()
    for most in range(1, tokens(history) + 1):
        try:
            trimmed = trim(history, most)
        except ValueError:
            continue
        assert broken(trimmed) == [] and tokens(trimmed) <= most
        assert trimmed[0] == system("s") and user("q2") in trimmed
        assert all(block in [*blocks(history), [trimmed[1]]] for block in blocks(trimmed))
        kept.add(len(trimmed))
    assert len(kept) > 1 and max(kept) == len(history)


# --- K4-05: ids that are empty or the same --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ids", [("", ""), ("x", "x"), (None, "call_1"), ("call_2", ""), (" ", "\n"), (7, 7), ({}, []), ("x" * 90, "x" * 91)]
)
@pytest.mark.parametrize("stream", [False, True])
def test_k4_05_calls_run_by_position_and_ids_are_made_unique_on_the_wire(ids: tuple[Any, Any], stream: bool) -> None:
    reply = asking(call(ids[0], "put", '{"k":"first"}'), call(ids[1], "put", '{"k":"second"}'))
    told = Told(streamed(reply) if stream else reply, reply, stream=stream)
    assert told.ran == ["first", "second"] * 2 if not stream else ["first", "second"]
    for request in range(1, len(told.canned.requests)):
        sent = [each["id"] for message in told.sent(request) for each in message.get("tool_calls", ())]
        answered = [message["tool_call_id"] for message in told.sent(request) if message["role"] == "tool"]
        assert sent == answered and len(set(sent)) == len(sent) and all(1 <= len(id) <= 40 for id in sent)
    assert [message["content"] for message in told.run.messages if message["role"] == "tool"][:2] == ["first", "second"]


def test_k4_05_an_id_may_come_again_in_a_later_turn() -> None:
    replies = [asking(call("x", "put", json.dumps({"k": str(n)}))) for n in range(3)]
    told = Told(*replies)
    assert told.ran == ["0", "1", "2"]
    assert [each.id for each in told.run.tool_calls] == ["x", "x", "x"]
    sent = [each["id"] for message in told.sent(3) for each in message.get("tool_calls", ())]
    assert sent[0] == "x" and len(set(sent)) == 3


# --- K4-07: the finish reason ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reason", ["stop", None, "function_call", "eos", "tool_calls", "", 5, "STOP", "tool_use"])
def test_k4_07_whether_there_are_calls_decides(reason: Any, stream: bool) -> None:
    """But for a stream, where without any reason nobody knows whether it is whole: then nothing is run."""
    reply = asking(call("c1", "a", '{"x":1}'), reason=reason)
    told = Told(streamed(reply) if stream else reply, stream=stream)
    unknown = stream and not reason
    assert (told.ran, told.run.stop_reason) == (([], "model_error") if unknown else ([1], "final_answer"))


@pytest.mark.parametrize("calls", [[], None, {}, "", 0, [None], ["a"]])
@pytest.mark.parametrize("reason", ["tool_calls", "function_call", "stop", None])
def test_k4_07_a_reason_without_calls_is_an_answer(calls: Any, reason: Any) -> None:
    told = Told(asking(reason=reason, content="hello", tool_calls=calls))
    assert (told.run.stop_reason, told.run.answer, len(told.canned.requests)) == ("final_answer", "hello", 1)


# --- K4-08, K4-09: names that no tool has ---------------------------------------------------------------------------

WRAPPED = '{"tool_uses": [{"recipient_name": "functions.a", "parameters": {"x": 1}}]}'


@pytest.mark.parametrize("name", ["multi_tool_use.parallel", "parallel"])
def test_k4_08_a_wrapper_is_an_unknown_tool_and_is_sent_back_legal(name: str) -> None:
    told = Told(asking(call("c1", name, WRAPPED)))
    first, answer = told.sent()
    assert (told.codes(), told.ran, told.run.answer) == (["unknown_tool"], [], "done")
    assert "view_all" in answer["content"] and told.run.tool_calls[0].name == name
    assert "." not in first["tool_calls"][0]["function"]["name"]


NAMES = [
    "functions.view",
    "default_api:view",
    "making:view",
    "View",
    " view",
    "viewx",
    "",
    "view ",
    "v\u0131ew",
    "v" * 200,
    None,
    5,
]


@pytest.mark.parametrize("name", NAMES)
def test_k4_09_an_invented_name_is_never_guessed_at(name: Any) -> None:
    """No prefix is taken off, and nothing like it is run: the model is told what there is."""
    told = Told(asking(call("c1", name, '{"p":"x"}')))
    _, answer = told.sent()
    assert (told.codes(), told.ran, told.run.answer) == (["unknown_tool"], [], "done")
    assert "view" in answer["content"] and len(answer["content"]) < 1_000


# --- K4-10: what a tool may return ----------------------------------------------------------------------------------


def cycle() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


RETURNED: dict[str, Any] = {
    "None": lambda: None,
    "empty": lambda: "",
    "dict": lambda: {"a": 1},
    "list": lambda: [1, "x", None],
    "bytes": lambda: b"\xff\x00",
    "object": lambda: object(),
    "generator": lambda: (i for i in range(2)),
    "cycle": cycle,
    "set": lambda: {1},
    "nan": lambda: float("nan"),
    "surrogate": lambda: "\ud800",
    "deep": lambda: json.loads("[" * 900 + "]" * 900),
}


@pytest.mark.parametrize("name", RETURNED)
def test_k4_10_whatever_a_tool_returns_the_content_is_text(name: str) -> None:
    """An empty text stays empty, None is null as in JSON; what can't be said is an error that names its type."""
    tool = Tool.from_function(lambda: RETURNED[name](), name="give", description="Give.")
    told = Told(asking(call("c1", "give", "{}")), tools=(tool,))
    content = told.sent()[1]["content"]
    assert type(content) is str and len(content) <= 8_000
    if name in ("object", "generator", "cycle"):
        assert told.codes() == ["execution_error"] and "can't be sent as text" in content
    expected = {"None": "null", "empty": "", "dict": '{"a": 1}', "list": '[1, "x", null]'}
    assert content == expected.get(name, content)


# --- K4-12: calls of one turn in several messages -------------------------------------------------------------------


def test_k4_12_a_saved_history_with_split_calls_is_found_and_sent_as_one() -> None:
    split = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "a", '{"x":1}')]},
        {"role": "assistant", "content": None, "tool_calls": [call("c2", "a", '{"x":2}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "tool", "tool_call_id": "c2", "content": "2"},
    ]
    history = from_chat(split)
    assert any("c1" in fault for fault in broken(history))
    with pytest.raises(ValueError, match="can't be gone on from"):
        Agent(model_of(OpenAIModel, Canned(DONE)), runtime_of()).run("go on", history=history)
    _, asked, *answers = to_chat(history)
    assert [each["id"] for each in asked["tool_calls"]] == ["c1", "c2"]
    assert [each["content"] for each in answers] == ["1", "2"]
    assert broken_rules({"model": "any", "messages": to_chat(history)}) == []


# --- K4-13: a refusal -----------------------------------------------------------------------------------------------

SAID = "I can't help with that."
REFUSALS: dict[str, Any] = {
    "a field": asking(reason="stop", refusal=SAID),
    "a part": asking(reason="stop", content=[{"type": "refusal", "refusal": SAID}]),
    "beside empty text": asking(reason="stop", content="", refusal=SAID),
    "beside calls": asking(call("c1", "a", '{"x":1}'), refusal=SAID),
    "streamed": sse(
        {"choices": [{"index": 0, "delta": {"refusal": "I can't"}}]},
        {"choices": [{"index": 0, "delta": {"refusal": " help with that."}, "finish_reason": "stop"}]},
    ),
}
FILTERED: dict[str, Any] = {
    "filtered": asking(reason="content_filter", content=""),
    "filtered, null": asking(reason="content_filter"),
    "filtered with a call": asking(call("c1", "a", '{"x":1}'), reason="content_filter"),
}


@pytest.mark.parametrize(
    ("case", "json_mode"),
    [(case, mode) for case in [*REFUSALS, *FILTERED] for mode in (False, True) if not (mode and "call" in case)],
)
def test_k4_13_a_refusal_ends_the_run_after_one_request(case: str, json_mode: bool) -> None:
    canned = Canned((REFUSALS | FILTERED)[case], DONE)
    model = model_of(OpenAIModel, canned, stream=case == "streamed")
    run = Agent(JsonModeModel(model, constrained=True) if json_mode else model, runtime_of(*Told(DONE).tools())).run(
        "try"
    )
    assert (run.stop_reason, len(canned.requests)) == ("refused", 1)
    assert run.answer == (SAID if case in REFUSALS else "")
    assert broken(run.messages) == [] and run.tool_calls == run.turns[0].reply.tool_calls
    assert all(not turn.results for turn in run.turns)


def test_k4_13_so_it_is_with_the_other_api() -> None:
    content = [{"type": "refusal", "refusal": SAID}]
    body = {"status": "completed", "output": [{"type": "message", "role": "assistant", "content": content}]}
    run = Agent(model_of(OpenAIResponsesModel, Canned(body)), runtime_of()).run("try")
    assert (run.stop_reason, run.answer) == ("refused", SAID)


# --- K4-15: older shapes --------------------------------------------------------------------------------------------

OLDER = {"name": "a", "arguments": '{"x": 1}'}


@pytest.mark.parametrize("stream", [False, True])
def test_k4_15_one_call_without_an_id_is_run_and_answered_in_the_newer_shape(stream: bool) -> None:
    reply = asking(reason="function_call", function_call=OLDER)
    told = Told(streamed(reply) if stream else reply, stream=stream)
    asked, answer = told.sent()
    assert (told.ran, told.run.answer) == ([1], "done")
    assert asked["tool_calls"][0]["id"] == answer["tool_call_id"] != ""
    assert "function_call" not in asked


def test_k4_15_both_shapes_at_once_are_one_call() -> None:
    assert Told(asking(call("c1", "a", '{"x":1}'), function_call=OLDER)).ran == [1]


WRITTEN = '{"type":"function_call","function_call":{"name":"a","arguments":{"x":1}}}'


def test_k4_15_a_call_in_the_text_is_text() -> None:
    told = Told(asking(reason="stop", content=WRITTEN))
    assert (told.ran, told.run.answer) == ([], WRITTEN)


def test_k4_15_json_mode_asks_again_for_its_own_envelope() -> None:
    """Strictly one envelope: another shape is not guessed at, it is sent back with what is wrong."""
    told = Told(DONE)
    right = json.dumps({"tool_calls": [{"name": "a", "arguments": {"x": 1}}]})
    texts = [WRITTEN, right, '{"answer": "done"}']
    canned = Canned(*[asking(reason="stop", content=text) for text in texts])
    run = Agent(JsonModeModel(model_of(OpenAIModel, canned)), runtime_of(*told.tools())).run("try")
    assert (told.ran, run.answer, len(canned.requests)) == ([1], "done", 3)
    assert "could not be read" in canned.bodies[1]["messages"][-1]["content"]
