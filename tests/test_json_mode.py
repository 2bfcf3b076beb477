"""JSON mode: an envelope read strictly, a model that never guesses, and the schema that a server is held to."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import arguments, odd_histories, texts
from tools_for_tests import quick, runtime_of

from labkit import Agent, ScriptedModel, Tool, ToolRegistry, ToolRuntime, parse_arguments, tool
from labkit.agent import Run
from labkit.history import CLOSING_QUESTION, broken
from labkit.models import (
    JsonModeModel,
    ModelError,
    ModelReply,
    OpenAIModel,
    OpenAIResponsesModel,
    ScriptedServer,
    Usage,
)
from labkit.models.json_mode import Envelope, envelope, read, write
from labkit.models.json_mode.wording import to_json_mode
from labkit.paths import data
from labkit.toolsets import everyday_tools, workspace_tools

CALL = '{"thought": "why", "tool_calls": [{"name": "quick", "arguments": {"value": 1}}]}'
TWO = '{"tool_calls": [{"name": "quick", "arguments": {}}, {"name": "quick", "arguments": {"n": 2}}]}'
ANSWER = '{"answer": "4"}'
TOOLS = [{"type": "function", "function": {"name": "quick", "description": "Quick.", "parameters": {}}}]
TASK = [{"role": "user", "content": "task"}]

# ---- the reader ----


def test_calls_and_a_thought_are_read() -> None:
    assert read(CALL, has_tools=True) == Envelope("why", ({"name": "quick", "arguments": {"value": 1}},))
    assert [call["arguments"] for call in read(TWO, has_tools=True).calls] == [{}, {"n": 2}]


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"  \n{ANSWER}\n",
        f"```json\n{ANSWER}\n```",
        json.dumps(ANSWER),
        '{"thought": "t", "answer": "4"}',
    ],
)
@pytest.mark.parametrize("has_tools", [True, False])
def test_an_answer_is_read_and_what_can_be_undone_without_guessing_is(text: str, has_tools: bool) -> None:
    found = read(text, has_tools=has_tools)
    assert (found.answer, found.calls, found.problems) == ("4", (), ())


BROKEN = {
    "prose before": (f"Sure: {ANSWER}", "stands before"),
    "prose after": (f"{ANSWER} Anything else?", "after"),
    "two objects": (f"{CALL}\n{ANSWER}", "second JSON value"),
    "cut off": (CALL[:-8], "ends"),
    "both keys": (CALL[:-1] + ', "answer": "4"}', "both"),
    "neither key": ('{"thought": "hm"}', "neither"),
    "nothing": ("", "empty"),
    "blank": (" \n", "empty"),
    "null": ("null", "neither"),
    "a list": ('[{"name": "quick", "arguments": {}}]', "an array"),
    "arguments as text": ('{"tool_calls": [{"name": "quick", "arguments": "{}"}]}', "tool_calls.0.arguments"),
    "no arguments": ('{"tool_calls": [{"name": "quick"}]}', "tool_calls.0.arguments: is required"),
    "no name": ('{"tool_calls": [{"arguments": {}}]}', "tool_calls.0.name: is required"),
    "no call": ('{"tool_calls": []}', "tool_calls: "),
    "a call outside its list": ('{"tool_calls": {"name": "quick", "arguments": {}}}', "tool_calls: must be an array"),
    "the wire's own form": ('{"tool_calls": [{"function": {"name": "quick", "arguments": "{}"}}]}', "function"),
    "an answer that is no text": ('{"answer": 4}', "answer: must be a string"),
    "an empty answer": ('{"answer": ""}', "answer: "),
    "one key twice": ('{"answer": "4", "answer": "5"}', "stands twice"),
    "another key": ('{"answer": "4", "confidence": 1}', "confidence"),
    "a thought that is no text": ('{"thought": null, "answer": "4"}', "thought: must be a string"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_can_not_be_read_without_guessing_is_not_read(kind: str) -> None:
    text, reason = BROKEN[kind]
    found = read(text, has_tools=True)
    assert found == Envelope(problems=found.problems)
    assert reason in " · ".join(found.problems)
    assert all(problem and "\n" not in problem for problem in found.problems)


def test_every_problem_is_said_at_once() -> None:
    text = '{"thought": 1, "tool_calls": [{"name": 2, "arguments": []}, {"arguments": {}}], "answer": "", "x": 0}'
    said = " · ".join(read(text, has_tools=True).problems)
    for place in ("thought: ", "tool_calls.0.name: ", "tool_calls.0.arguments: ", "tool_calls.1.name: ", "answer: "):
        assert place in said
    assert "x: " in said and "both" in said


def test_without_tools_only_an_answer_counts() -> None:
    assert read(CALL, has_tools=False).problems == ("it asks for a tool, and there are none now",)


@given(st.text(st.characters()) | texts)
def test_whatever_the_text_there_is_a_decision_or_a_problem_and_never_both(text: str) -> None:
    found = read(text, has_tools=True)
    assert bool(found.problems) != bool(found.calls or found.answer)
    assert not (found.calls and found.answer is not None)


named_calls = st.fixed_dictionaries({"name": texts, "arguments": arguments})


@given(texts, st.lists(named_calls, min_size=1, max_size=3))
def test_calls_that_were_written_read_the_same_again(thought: str, calls: list[dict[str, Any]]) -> None:
    assert read(write(thought, calls), has_tools=True) == Envelope(thought, tuple(calls))


@given(texts, st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_an_answer_that_was_written_reads_the_same_again(thought: str, answer: str) -> None:
    assert read(write(thought, (), answer), has_tools=False) == Envelope(thought, answer=answer)


@given(st.lists(named_calls, min_size=1, max_size=2), st.data())
def test_no_part_of_an_envelope_is_taken_for_the_whole(calls: list[dict[str, Any]], cut: st.DataObject) -> None:
    text = write("because", calls)
    end = cut.draw(st.integers(0, len(text) - 1))
    assert read(text[:end], has_tools=True).problems


# ---- the model ----


class Recorded:
    """A model that gives these replies in turn, and keeps what it was sent."""

    def __init__(self, *replies: ModelReply | str) -> None:
        self.replies = [ModelReply(each) if isinstance(each, str) else each for each in replies]
        self.sent: list[list[dict[str, Any]]] = []
        self.tools: list[Sequence[dict[str, Any]]] = []

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        self.sent.append(copy.deepcopy(list(messages)))
        self.tools.append(tools)
        return self.replies[len(self.sent) - 1]


def ask(model: JsonModeModel, messages: Sequence[dict[str, Any]] = TASK) -> ModelReply:
    return model.reply(messages, TOOLS)


def test_several_calls_leave_in_one_reply_with_ids_that_were_made() -> None:
    reply = ask(JsonModeModel(Recorded(TWO)))
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("call_1", "quick", {}),
        ("call_2", "quick", {"n": 2}),
    ]
    assert (reply.content, reply.finish_reason) == ("", "tool_calls")


def test_ids_are_counted_over_the_whole_history() -> None:
    inner = Recorded(TWO, CALL, TWO, ANSWER)
    run = Agent(JsonModeModel(inner), runtime_of(quick())).run("task")
    assert [call.id for call in run.tool_calls] == [f"call_{n}" for n in range(1, 6)]
    assert not broken(run.messages)


def test_the_thought_is_the_content_of_a_call_and_an_answer_stands_alone() -> None:
    assert ask(JsonModeModel(Recorded(CALL))).content == "why"
    assert ask(JsonModeModel(Recorded('{"thought": "t", "answer": "4"}'))).content == "4"


def test_the_server_is_told_of_no_tools_and_the_system_message_holds_them() -> None:
    inner = Recorded(ANSWER)
    tools = ToolRegistry(everyday_tools()).definitions()
    JsonModeModel(inner).reply([{"role": "system", "content": "Be brief."}, *TASK], tools)
    assert inner.tools == [[]]
    system, user = inner.sent[0]
    assert system["content"].startswith("Be brief.\n\n") and user == TASK[0]
    for each in tools:
        told = {key: each["function"][key] for key in ("name", "description", "parameters")}
        assert json.dumps(told, ensure_ascii=False) in system["content"]


def test_results_come_back_as_one_message_in_the_order_of_the_calls() -> None:
    numbered = tool(readonly=True, name="quick")(lambda n=1: f"said {n}")
    inner = Recorded(TWO, ANSWER)
    Agent(JsonModeModel(inner), runtime_of(numbered)).run("task")
    *_, asked, results = inner.sent[1]
    assert asked == {"role": "assistant", "content": TWO} and results["role"] == "user"
    told = json.loads(results["content"])["tool_results"]
    assert told == [{"name": "quick", "content": "said 1"}, {"name": "quick", "content": "said 2"}]


def test_what_can_not_be_read_is_sent_back_with_every_reason() -> None:
    inner = Recorded('{"thought": 1, "answer": 4}', ANSWER)
    model = JsonModeModel(inner)
    assert ask(model).content == "4" and model.requests == 2
    wrong, told = inner.sent[1][-2:]
    assert wrong == {"role": "assistant", "content": '{"thought": 1, "answer": 4}'}
    assert told["role"] == "user" and "- thought: " in told["content"] and "- answer: " in told["content"]


@pytest.mark.parametrize("corrections", [0, 1, 2, 3])
def test_after_the_last_correction_there_is_one_plain_sentence(corrections: int) -> None:
    inner = Recorded(*["hm"] * 9)
    model = JsonModeModel(inner, corrections=corrections)
    with pytest.raises(ModelError, match="no decision could be read from the model's reply, asked") as raised:
        ask(model)
    assert model.requests == len(inner.sent) == corrections + 1
    assert "\n" not in str(raised.value)


def test_two_corrections_are_the_default_and_the_run_ends_with_a_valid_history() -> None:
    inner = Recorded(CALL, *["4.7"] * 9)
    run = Agent(JsonModeModel(inner), runtime_of(quick())).run("task")
    assert (run.stop_reason, run.answer, len(inner.sent)) == ("model_error", "", 4)
    assert not broken(run.messages)
    assert [message["role"] for message in run.messages] == ["user", "assistant", "tool"]


def test_corrections_are_counted_for_each_decision_anew() -> None:
    inner = Recorded("hm", "hm", CALL, "hm", "hm", ANSWER)
    run = Agent(JsonModeModel(inner), runtime_of(quick())).run("task")
    assert (run.stop_reason, run.answer, len(inner.sent)) == ("final_answer", "4", 6)


def test_a_detour_is_told_again_before_what_it_led_to_and_only_there() -> None:
    inner = Recorded("hm", CALL, ANSWER, CALL, ANSWER)
    agent = Agent(JsonModeModel(inner), runtime_of(quick()))
    agent.run("task")
    begins = [message["content"][:4] for message in inner.sent[2]]
    assert begins[1:] == ["task", "hm", "Your", CALL[:4], '{"to']
    agent.run("task")
    assert "hm" not in [message["content"] for message in inner.sent[-1]]


def test_usage_of_all_requests_is_added_up() -> None:
    inner = Recorded(ModelReply("hm", usage=Usage(10, 1)), ModelReply(CALL, usage=Usage(20, 2)))
    assert ask(JsonModeModel(inner)).usage == Usage(30, 3)


def test_the_closing_question_is_asked_without_tools_and_a_call_is_no_answer_to_it() -> None:
    inner = Recorded(CALL, CALL, '{"answer": "that is all"}')
    run = Agent(JsonModeModel(inner), runtime_of(quick()), max_turns=1).run("task")
    assert (run.stop_reason, run.answer) == ("max_turns", "that is all")
    assert "You have no tools now" in inner.sent[1][0]["content"]
    assert inner.sent[1][-1]["content"] == CLOSING_QUESTION
    assert "there are none now" in inner.sent[2][-1]["content"]


@pytest.mark.parametrize("raw", [ModelReply("no", refusal="I will not"), ModelReply("", (), "content_filter")])
def test_a_refusal_is_handed_on_unread(raw: ModelReply) -> None:
    inner = Recorded(raw)
    run = Agent(JsonModeModel(inner), runtime_of(quick())).run("task")
    assert (run.stop_reason, len(inner.sent)) == ("refused", 1)


@pytest.mark.parametrize("text", [ANSWER, CALL[:-8], '{"answer": "it is'])
def test_a_reply_cut_off_by_the_server_is_not_trusted_and_not_sent_back(text: str) -> None:
    inner = Recorded(ModelReply(text, finish_reason="length"))
    run = Agent(JsonModeModel(inner), runtime_of(quick())).run("task")
    assert (run.stop_reason, len(inner.sent)) == ("truncated", 1)


def test_calls_of_a_reply_that_met_its_limit_are_not_run() -> None:
    ran: list[int] = []
    model = JsonModeModel(Recorded(ModelReply(CALL, finish_reason="length"), ANSWER))
    run = Agent(model, runtime_of(quick(body=lambda: ran.append(1)))).run("task")
    assert ran == [] and not broken(run.messages)
    assert [m["error"]["code"] for m in run.messages if m["role"] == "tool"] == ["truncated"]


def test_structured_calls_behind_the_envelope_are_a_clear_error() -> None:
    with pytest.raises(ModelError, match="without JsonModeModel"):
        ask(JsonModeModel(ScriptedModel(data("scripts", "weather_task.json"))))


def test_a_wrong_setting_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="no model"):
        JsonModeModel("gpt")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="leave constrained out"):
        JsonModeModel(Recorded(), constrained=True)
    with pytest.raises(ValueError, match="corrections is"):
        JsonModeModel(Recorded(), corrections=-1)


# ---- the wording ----


@given(odd_histories, st.booleans())
def test_whatever_a_history_holds_becomes_text_and_a_reply(history: list[dict[str, Any]], has_tools: bool) -> None:
    before = copy.deepcopy(history)
    sent = to_json_mode(history, TOOLS if has_tools else [])
    assert all(set(message) == {"role", "content"} and isinstance(message["content"], str) for message in sent)
    assert [message["role"] for message in sent].count("system") == 1
    assert JsonModeModel(Recorded(ANSWER)).reply(history, TOOLS).content == "4"
    assert repr(history) == repr(before)


def test_what_the_model_said_is_told_again_as_it_would_say_it() -> None:
    inner = Recorded(CALL, ANSWER, ANSWER)
    agent = Agent(JsonModeModel(inner), runtime_of(quick()))
    run = agent.run("task")
    agent.run("and now?", history=run.messages)
    said = [message["content"] for message in inner.sent[2] if message["role"] == "assistant"]
    assert said == [CALL, ANSWER]


# ---- the schema ----


def fits(schema: dict[str, Any], value: Any) -> bool:
    return Draft202012Validator(schema).is_valid(value)


def all_tools(root: Path) -> list[Tool]:
    return [*everyday_tools(), *workspace_tools(root)]


def test_the_envelope_of_any_number_of_tools_is_a_valid_json_schema(tmp_path: Path) -> None:
    definitions = ToolRegistry(all_tools(tmp_path)).definitions()
    for count in range(len(definitions) + 1):
        schema = envelope(definitions[:count])
        Draft202012Validator.check_schema(schema)
        assert fits(schema, {"answer": "4"}) and not fits(schema, {"tool_calls": []})


def test_a_decision_that_fits_the_envelope_can_be_read_and_the_other_forms_do_not_fit() -> None:
    schema = envelope(ToolRegistry(everyday_tools()).definitions())
    good = {"name": "calc", "arguments": {"expression": "1 + 1"}}
    assert fits(schema, {"tool_calls": [good, good]}) and fits(schema, {"thought": "t", "answer": "4"})
    for value in (
        {},
        [],
        {"tool_calls": []},
        {"answer": ""},
        {"tool_calls": [good], "answer": "4"},
        {"tool_calls": [good], "x": 1},
        {"tool_calls": [{"name": "calc"}]},
        {"tool_calls": [{"name": "nothing", "arguments": {}}]},
        {"tool_calls": [{"name": "calc", "arguments": '{"expression": "1"}'}]},
    ):
        assert not fits(schema, value), value


def test_arguments_have_to_fit_the_tool_that_is_named() -> None:
    schema = envelope(ToolRegistry(everyday_tools()).definitions())
    weather = {"city": "Oslo", "date": "2026-09-01"}
    assert fits(schema, {"tool_calls": [{"name": "get_weather", "arguments": weather}]})
    assert not fits(schema, {"tool_calls": [{"name": "calc", "arguments": weather}]})
    assert not fits(schema, {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]})


def test_without_tools_only_an_answer_fits() -> None:
    schema = envelope([])
    assert fits(schema, {"answer": "4"}) and not fits(schema, json.loads(CALL))


ITEM = {"type": "object", "properties": {"qty": {"type": "integer", "minimum": 1}}, "required": ["qty"]}
TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Item"}}}}


def shared(name: str, keyword: str, **defs: Any) -> dict[str, Any]:
    properties = {"one": {"$ref": f"#/{keyword}/Item"}}
    parameters = {"type": "object", "properties": properties, "required": ["one"], keyword: defs}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


def test_what_two_tools_share_by_name_is_kept_apart_and_definitions_stay_as_they_were() -> None:
    definitions = [shared("order", "$defs", Item=ITEM), shared("note", "definitions", Item={"type": "string"})]
    before = copy.deepcopy(definitions)
    schema = envelope(definitions)
    Draft202012Validator.check_schema(schema)
    assert definitions == before

    def one(name: str, value: Any) -> bool:
        return fits(schema, {"tool_calls": [{"name": name, "arguments": {"one": value}}]})

    assert one("order", {"qty": 2}) and one("note", "hello")
    assert not one("order", {"qty": 0}) and not one("order", "hello") and not one("note", {"qty": 2})


def test_a_recursive_definition_still_points_to_itself() -> None:
    schema = envelope([shared("grow", "$defs", Item=TREE)])
    assert fits(schema, {"tool_calls": [{"name": "grow", "arguments": {"one": {"kids": [{"kids": []}]}}}]})
    assert not fits(schema, {"tool_calls": [{"name": "grow", "arguments": {"one": {"kids": [{"kids": 1}]}}}]})


def one_tool(parameters: dict[str, Any]) -> dict[str, Any]:
    return envelope([{"type": "function", "function": {"name": "t", "description": "t", "parameters": parameters}}])


@pytest.mark.parametrize(
    ("parameters", "good", "bad"),
    [
        ({"type": "object", "properties": {"kid": {"$ref": "#"}}}, {"kid": {"kid": {}}}, {"kid": 1}),
        ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "integer"}}}, {"a": 1}, {"a": "x"}),
        (
            {"properties": {"a": {"$defs": {"I": {"type": "integer"}}, "items": {"$ref": "#/properties/a/$defs/I"}}}},
            {"a": [1]},
            {"a": ["x"]},
        ),
        (
            {
                "$id": "https://x/y",
                "properties": {"a": {"$ref": "#/definitions/I"}},
                "definitions": {"I": {"type": "integer"}},
            },
            {"a": 1},
            {"a": "x"},
        ),
        ({"properties": {"x": {"enum": [{"$ref": "#/$defs/A"}]}}}, {"x": {"$ref": "#/$defs/A"}}, {"x": 1}),
    ],
)
def test_references_of_every_kind_still_lead_to_where_they_led(
    parameters: dict[str, Any], good: dict[str, Any], bad: dict[str, Any]
) -> None:
    schema = one_tool(parameters)
    assert fits(schema, {"tool_calls": [{"name": "t", "arguments": good}]})
    assert not fits(schema, {"tool_calls": [{"name": "t", "arguments": bad}]})


def test_problems_speak_of_the_reply_and_not_of_arguments() -> None:
    for text in ("Sure: {}", "[1]", '{"a": 1'):
        assert "arguments" not in read(text, has_tools=True).problems[0]


# ---- through a server ----

M2 = json.loads(data("scripts", "m2_task.json").read_text("utf-8"))


def play(model: Any, folder: Path) -> Run:
    shutil.copytree(data("workspaces", "calculator"), folder)
    runtime = ToolRuntime(ToolRegistry(workspace_tools(folder)))
    return Agent(model, runtime).run(M2["task"], M2["system"])


def without_times(run: Run) -> list[dict[str, Any]]:
    """The lines of a trace, arguments decoded, times and usage taken away."""
    lines: list[dict[str, Any]] = json.loads(json.dumps(list(run.trace)))
    for line in lines:
        for key in ("usage", "model_seconds"):
            line.pop(key, None)
        for key in ("started", "finished", "time"):
            line.get("payload", {}).pop(key, None)
        for call in line.get("message", {}).get("tool_calls", ()):
            call["arguments"] = parse_arguments(call["arguments"])
    return lines


Kind = Callable[..., OpenAIModel | OpenAIResponsesModel]


@pytest.mark.parametrize("kind", [OpenAIModel, OpenAIResponsesModel])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("constrained", [False, True])
def test_the_m2_task_leaves_the_same_lines_as_with_the_scripted_model(
    kind: Kind, stream: bool, constrained: bool, tmp_path: Path
) -> None:
    expected = without_times(play(ScriptedModel(M2), tmp_path / "scripted"))
    with ScriptedServer(M2) as server:
        model = kind(base_url=server.base_url, model="scripted", stream=stream)
        run = play(JsonModeModel(model, constrained=constrained), tmp_path / "asked")
        assert len(server.requests) == 6 and all(each.status == 200 for each in server.requests)
        assert not any("tools" in each.body for each in server.requests)
    assert len(run.trace) == 36 and without_times(run) == expected


def format_of(body: dict[str, Any]) -> dict[str, Any]:
    """The schema that a request holds the server to, whichever the protocol is."""
    asked = body["response_format"]["json_schema"] if "response_format" in body else body["text"]["format"]
    assert (body.get("response_format") or body["text"]["format"])["type"] == "json_schema"
    schema: dict[str, Any] = asked["schema"]
    return schema


@pytest.mark.parametrize("kind", [OpenAIModel, OpenAIResponsesModel])
def test_the_server_gets_the_envelope_as_response_format(kind: Kind) -> None:
    script = {"task": "task", "decisions": [{"content": "4"}]}
    tools = ToolRegistry(everyday_tools()).definitions()
    with ScriptedServer(script) as server:
        model = JsonModeModel(kind(base_url=server.base_url, model="scripted"), constrained=True)
        assert model.reply(TASK, tools).content == model.reply(TASK, []).content == "4"
        first, second = (format_of(each.body) for each in server.requests)
    assert first == envelope(tools) and second == envelope([])


def test_without_constrained_no_response_format_is_sent() -> None:
    with ScriptedServer({"task": "task", "decisions": [{"content": "4"}]}) as server:
        ask(JsonModeModel(OpenAIModel(base_url=server.base_url, model="scripted")))
        assert "response_format" not in server.requests[0].body


@pytest.mark.parametrize(
    ("fault", "reason"), [("refuse", "refused"), ("content_filter", "refused"), ("length", "truncated")]
)
def test_what_a_server_withholds_or_cuts_ends_the_run_as_with_every_model(fault: str, reason: str) -> None:
    script = {"task": "task", "decisions": [{"content": "It is four, and not five."}]}
    with ScriptedServer(script, faults=[fault]) as server:
        model = JsonModeModel(OpenAIModel(base_url=server.base_url, model="scripted"))
        run = Agent(model, runtime_of(quick())).run("task")
        assert len(server.requests) == 1
    assert run.stop_reason == reason and not broken(run.messages)


def test_a_blank_answer_and_a_foreign_field_are_said_as_what_they_are() -> None:
    assert read('{"answer": " "}', has_tools=True).problems == ("answer: must say something",)
    assert read('{"answer": "4", "x": 1}', has_tools=True).problems == ("x: there is no such field",)
