"""The text protocol: what the reader takes, what the examination names, and a model behind it that never guesses."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
import timeit
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import odd_histories
from tools_for_tests import quick, runtime_of

from labkit import Agent, ScriptedModel, ToolRegistry, ToolRuntime
from labkit.history import CLOSING_QUESTION, broken
from labkit.models import ModelError, ModelReply, TextProtocolModel, Usage
from labkit.models.text_protocol import RULES, STOP, cut, examine, read
from labkit.models.text_protocol.labels import LABELS, OTHER_WORDS, marks
from labkit.models.text_protocol.wording import to_text
from labkit.paths import data
from labkit.toolsets import everyday_tools

CALL = 'Thought: why\nAction: quick\nAction Input: {"value": 1}'
TOOLS = [{"type": "function", "function": {"name": "quick", "description": "Quick.", "parameters": {}}}]

# ---- the reader ----


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        (CALL, "quick", '{"value": 1}'),
        ("Action: quick\nAction Input:", "quick", ""),
        ("Action:  quick \n\n\nAction Input: \n{\n}\n\n", "quick", "{\n}"),
        ("Action: quick\r\nAction Input: {}\r\n", "quick", "{}"),
        (CALL + "\nObservation: 1", "quick", '{"value": 1}'),
        (CALL + "\nThought: on", "quick", '{"value": 1}'),
        (CALL + "\nAction: slow\nAction Input: {}", "quick", '{"value": 1}'),
        ("Action: quick\nAction Input: not JSON at all", "quick", "not JSON at all"),
        ('Action: quick\nAction Input: {"a": "Final Answer: no"}', "quick", '{"a": "Final Answer: no"}'),
    ],
)
def test_the_first_action_with_an_input_is_taken(text: str, name: str, arguments: str) -> None:
    assert read(text).taken == {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Final Answer: yes", "yes"),
        ("Thought: t\nFinal Answer:\n1. a\n2. b\n", "1. a\n2. b"),
        (CALL + "\nObservation: 1\nFinal Answer: made up", "made up"),
        ("Final Answer: a\nAction: quick\nAction Input: {}", "a\nAction: quick\nAction Input: {}"),
    ],
)
def test_an_answer_wins_over_every_action(text: str, answer: str) -> None:
    assert read(text).taken == {"answer": answer}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "Action: quick",
        "Action Input: {}",
        "Action:\nAction Input: {}",
        "Final Answer:  \n ",
        "action: quick\naction input: {}",
        "**Action:** quick\n**Action Input:** {}",
        "I say Final Answer: 4",
        "Action Input: {}\nAction: quick",
    ],
)
def test_nothing_else_is_taken(text: str) -> None:
    assert read(text).taken is None
    assert repr(read(text)) == "nothing"


def test_each_part_says_where_it_stands() -> None:
    reading = read(CALL + "\nObservation: 1")
    assert [(part.role, reading.text[part.start : part.end]) for part in reading.parts] == [
        ("thought", "why"),
        ("action", "quick"),
        ("input", '{"value": 1}'),
    ]
    assert read("Thought: a\nAction: x\nObservation: y\nFinal Answer: z").part("thought") == "a"


PIECES = st.sampled_from([*(f"{label}:" for label in LABELS), "\n", " ", "quick", '{"a": 1}', "text", "**", ""])


@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60))
def test_whatever_the_text_parts_lie_inside_and_findings_too(text: str) -> None:
    reading = read(text)
    spans = [(part.start, part.end) for part in reading.parts]
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    for rule, start, end, message in examine(text):
        assert rule in RULES
        assert 0 <= start <= end <= len(text)
        assert message.isprintable()
    assert cut(text).count(STOP) == 0
    assert text.startswith(cut(text))


def test_nothing_taken_is_never_without_a_reason() -> None:
    @given(st.lists(PIECES, max_size=10).map("".join))
    def law(text: str) -> None:
        if read(text).taken is None:
            assert examine(text), text

    law()


@pytest.mark.parametrize(
    "text",
    [
        "Action: " + " " * 60_000 + "x",
        "Action: x\n" * 20_000,
        "Action: x\n" + "\n" * 60_000,
        "Action: x\nAction Input: " + " " * 60_000 + "y",
        "Final Answer:\n" * 20_000,
        "*" * 60_000 + "Action:",
        "a " * 30_000 + ":",
        "\n" * 60_000,
        "f(" * 30_000,
    ],
)
def test_long_hostile_texts_are_read_in_linear_time(text: str) -> None:
    began = time.perf_counter()
    read(text)
    examine(text)
    assert time.perf_counter() - began < 5


# ---- the examination ----


EXAMINED: list[tuple[str, list[str]]] = [
    (CALL, []),
    ("Final Answer: yes", []),
    (CALL + "\nAction: slow\nAction Input: {}", ["second_action"]),
    (CALL + "\nObservation: 1", ["invented_observation"]),
    (CALL + "\nObservation: 1\nFinal Answer: 1", ["call_dropped", "invented_observation"]),
    ("Action: quick", ["action_without_input"]),
    ("Action Input: {}", ["input_without_action"]),
    ("Action Input: {}\nAction: quick", ["input_elsewhere"]),
    ("Final Answer:", ["blank_answer"]),
    ("action: quick\naction input: {}", ["label_case", "label_case"]),
    ("**Action:** quick\n2. Action Input: {}", ["label_decoration", "label_decoration"]),
    ("Aktion: quick\nArguments: {}", ["label_word", "label_word"]),
    ("Action\uff1aquick\nAction Input\uff1a{}", ["label_colon", "label_colon"]),
    ("Action: quick\nAction Input: {'a': 1}", ["input_not_json"]),
    ("Action: quick\nAction Input: ```{}```", ["input_fenced"]),
    ("Action: quick\nAction Input: {} and so on", ["prose_after_json"]),
    ('Action: quick\nAction Input: {"a": "b', ["cut_off"]),
    ("Action: `quick`\nAction Input: {}", ["name_decorated"]),
    ("Final Answer: 1\nFinal Answer: 2", ["two_answers"]),
    ("Final Answer: 1\nThought: 2", ["swallowed"]),
    ("So the Final Answer: 1", ["label_inside", "no_labels"]),
    ('{"name": "quick"}', ["other_format"]),
    ('quick(a="1")', ["other_format"]),
    ("Thought: I will", ["only_a_thought"]),
    ("hello", ["no_labels"]),
    ("", ["empty"]),
    (" \n", ["empty"]),
]


@pytest.mark.parametrize(("text", "rules"), EXAMINED)
def test_the_examination_names_what_was_missed(text: str, rules: list[str]) -> None:
    assert sorted(finding.rule for finding in examine(text)) == sorted(rules)


def test_a_place_in_the_input_is_called_one() -> None:
    (finding,) = examine('Thought: a\nAction: quick\nAction Input: {"a": 1} and so on')
    assert finding.message.endswith("at line 1, column 10 of the input")
    (finding,) = examine("Action: quick\nAction Input: [1]")
    assert "of the input" not in finding.message, "there is no place in it"


def test_every_rule_of_the_list_is_found_somewhere() -> None:
    assert {rule for _, rules in EXAMINED for rule in rules} == set(RULES)


@pytest.mark.parametrize("label", LABELS)
def test_a_label_in_another_word_is_known_by_its_place_and_colon(label: str) -> None:
    for word in OTHER_WORDS[label].split(", "):
        (mark,) = marks(f"{word}: x")
        assert (mark.label, mark.drift) == (label, "word")
        assert marks(f"the {word} x: y") == []


# ---- the model ----


class Recorded:
    """A model that says what it is told to, and keeps what it was sent."""

    def __init__(self, *replies: ModelReply | str) -> None:
        self.replies = [reply if isinstance(reply, ModelReply) else ModelReply(reply) for reply in replies]
        self.sent: list[list[dict[str, Any]]] = []

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        assert list(tools) == [], "tools go to the model in words"
        self.sent.append(copy.deepcopy(list(messages)))
        return self.replies[len(self.sent) - 1]


def ask(model: TextProtocolModel, *messages: dict[str, Any], tools: Any = TOOLS) -> ModelReply:
    return model.reply([{"role": "user", "content": "task"}, *messages], tools)


def script(name: str) -> ScriptedModel:
    return ScriptedModel(data("scripts", "text", f"{name}.json"))


@pytest.fixture(scope="module")
def everyday() -> ToolRuntime:
    return ToolRuntime(ToolRegistry(everyday_tools()))


@pytest.mark.parametrize(("name", "requests"), [("weather_task", 4), ("weather_invented", 4), ("weather_drift", 5)])
def test_the_agent_runs_unchanged_and_requests_are_counted(name: str, requests: int, everyday: ToolRuntime) -> None:
    scripted = script(name)
    model = TextProtocolModel(scripted)
    run = Agent(model, everyday).run(scripted.task, scripted.system)
    assert run.stop_reason == "final_answer"
    assert run.answer == "On 2026-09-01 Shanghai is 4.7 °C warmer than Beijing: 31.2 °C against 26.5 °C."
    assert [(call.id, call.name) for call in run.tool_calls] == [
        ("call_1", "get_weather"),
        ("call_2", "get_weather"),
        ("call_3", "calc"),
    ]
    assert (len(run.turns), model.requests) == (4, requests)
    assert broken(run.messages) == []


def test_both_protocols_make_the_same_calls_and_text_needs_one_request_more(everyday: ToolRuntime) -> None:
    text = script("weather_task")
    data_model = ScriptedModel(data("scripts", "weather_task.json"))
    in_text = Agent(TextProtocolModel(text), everyday).run(text.task)
    as_data = Agent(data_model, everyday).run(data_model.task)
    assert (len(in_text.turns), len(as_data.turns)) == (4, 3)
    assert in_text.answer == as_data.answer
    called = [[(c.name, c.arguments) for c in run.tool_calls] for run in (in_text, as_data)]
    assert [(name, json.loads(arguments)) for name, arguments in called[0]] == called[1]


def test_without_the_stop_sequence_an_invented_run_becomes_the_answer(everyday: ToolRuntime) -> None:
    scripted = script("weather_invented")
    run = Agent(TextProtocolModel(scripted, stop=None), everyday).run(scripted.task)
    assert (run.answer, run.tool_calls) == ("On 2026-09-01 Shanghai is 4.0 °C warmer than Beijing.", ())


def test_a_run_can_be_gone_on_from_and_detours_are_found_again(everyday: ToolRuntime) -> None:
    scripted = script("weather_drift")
    model = TextProtocolModel(scripted)
    run = Agent(model, everyday).run(scripted.task)
    more = Agent(model, everyday).run(scripted.task, history=run.messages)
    assert (more.answer, model.requests) == (run.answer, 10)
    assert broken(more.messages) == []


def test_a_repeated_request_gets_the_same_answer() -> None:
    model = TextProtocolModel(ScriptedModel({"task": "task", "decisions": [{"content": CALL}]}))
    first, again = ask(model), ask(model)
    assert first == again
    assert model.requests == 2


def test_arguments_are_handed_on_as_the_text_they_are() -> None:
    reply = ask(TextProtocolModel(Recorded("Action: quick\nAction Input: {'a': 1,}")))
    assert reply.tool_calls[0].arguments == "{'a': 1,}"
    run = Agent(
        TextProtocolModel(Recorded("Action: quick\nAction Input: {'a'}", "Final Answer: so")), runtime_of(quick())
    )
    assert run.run("task").messages[2]["error"]["code"] == "invalid_json"


def test_the_thought_is_the_content_of_a_call_and_the_answer_stands_alone() -> None:
    model = TextProtocolModel(Recorded(CALL, "Thought: enough\nFinal Answer: 4"))
    assert ask(model).content == "why"
    assert ask(model) == ModelReply("4")


def test_what_can_not_be_read_is_sent_back_with_the_reason() -> None:
    inner = Recorded("action: quick", CALL)
    model = TextProtocolModel(inner)
    assert ask(model).tool_calls[0].name == "quick"
    told = inner.sent[1][-2:]
    assert told[0] == {"role": "assistant", "content": "action: quick"}
    assert told[1]["role"] == "user"
    assert '"action" is spelled with other capitals than Action:' in told[1]["content"]
    assert model.requests == 2


@pytest.mark.parametrize("corrections", [0, 1, 3])
def test_after_the_last_correction_there_is_one_plain_sentence(corrections: int) -> None:
    inner = Recorded(*["hm"] * 9)
    model = TextProtocolModel(inner, corrections=corrections)
    with pytest.raises(ModelError, match="no decision could be read from the model's reply, asked") as raised:
        ask(model)
    assert model.requests == len(inner.sent) == corrections + 1
    assert "\n" not in str(raised.value)


def test_an_unreadable_reply_ends_the_run_and_is_no_answer() -> None:
    run = Agent(TextProtocolModel(Recorded(*["4.7"] * 3)), runtime_of(quick())).run("task")
    assert (run.stop_reason, run.answer, run.turns) == ("model_error", "", ())


def test_a_detour_is_told_again_before_what_it_led_to_and_only_there() -> None:
    inner = Recorded("hm", CALL, "Final Answer: 4", CALL, "Final Answer: 4")
    model = TextProtocolModel(inner)
    agent = Agent(model, runtime_of(quick()))
    agent.run("task")
    roles = [message["content"].partition(" ")[0].partition("\n")[0] for message in inner.sent[2]]
    assert roles[1:] == ["task", "hm", "Your", "Thought:", "Observation:"]
    agent.run("task")
    assert [message["content"] for message in inner.sent[-1]].count("hm") == 0


def test_usage_of_all_requests_is_added_up() -> None:
    inner = Recorded(ModelReply("hm", usage=Usage(10, 1)), ModelReply(CALL, usage=Usage(20, 2)))
    assert ask(TextProtocolModel(inner)).usage == Usage(30, 3)
    assert ask(TextProtocolModel(Recorded(CALL))).usage is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CALL, "truncated"),
        ("Final Answer: 4", "truncated"),
        ("Thought: I need", "truncated"),
    ],
)
def test_a_reply_cut_off_by_the_server_is_not_trusted(text: str, reason: str) -> None:
    model = TextProtocolModel(Recorded(ModelReply(text, finish_reason="length"), "Final Answer: 4"))
    run = Agent(model, runtime_of(quick())).run("task")
    assert reason in (run.stop_reason, *(m.get("error", {}).get("code") for m in run.messages))


def test_a_length_limit_behind_the_stop_sequence_does_not_count() -> None:
    reply = ask(TextProtocolModel(Recorded(ModelReply(CALL + "\nObservation: 1", finish_reason="length"))))
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize("raw", [ModelReply("no", refusal="I will not"), ModelReply("", (), "content_filter")])
def test_a_refusal_is_handed_on_unread(raw: ModelReply) -> None:
    run = Agent(TextProtocolModel(Recorded(raw)), runtime_of(quick())).run("task")
    assert run.stop_reason == "refused"


def test_structured_calls_behind_the_protocol_are_a_clear_error() -> None:
    structured = ScriptedModel(data("scripts", "weather_task.json"))
    with pytest.raises(ModelError, match="without TextProtocolModel"):
        ask(TextProtocolModel(structured))


def test_at_the_turn_limit_only_an_answer_counts() -> None:
    inner = Recorded(CALL, CALL, "Final Answer: that is all")
    run = Agent(TextProtocolModel(inner), runtime_of(quick()), max_turns=1).run("task")
    assert (run.stop_reason, run.answer) == ("max_turns", "that is all")
    assert "You have no tools now" in inner.sent[1][0]["content"]
    assert "there are none now" in inner.sent[2][-1]["content"]


def test_a_wrong_setting_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="no model"):
        TextProtocolModel("gpt")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="stop is"):
        TextProtocolModel(Recorded(), stop="")
    with pytest.raises(ValueError, match="corrections is"):
        TextProtocolModel(Recorded(), corrections=True)


# ---- the wording ----


def test_the_system_message_holds_the_rules_and_the_tools() -> None:
    history = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "task"}]
    definitions = ToolRegistry(everyday_tools()).definitions()
    system, user = to_text(history, definitions)
    assert system["content"].startswith("Be brief.\n\nYou can use tools.")
    for each in definitions:
        assert f"- {each['function']['name']}: " in system["content"]
        assert json.dumps(each["function"]["parameters"], ensure_ascii=False) in system["content"]
    assert user == {"role": "user", "content": "task"}


def test_several_calls_of_one_message_are_told_one_by_one_each_with_its_answer() -> None:
    calls = [{"id": f"call_{n}", "name": "quick", "arguments": {"n": n}} for n in (1, 2)]
    answers = [{"role": "tool", "content": f"said {n}", "tool_call_id": f"call_{n}"} for n in (2, 1)]
    history = [{"role": "assistant", "content": "both", "tool_calls": calls}, *answers]
    assert [(m["role"], m["content"]) for m in to_text(history, [])[1:]] == [
        ("assistant", 'Thought: both\nAction: quick\nAction Input: {"n": 1}'),
        ("user", "Observation: said 1"),
        ("assistant", 'Action: quick\nAction Input: {"n": 2}'),
        ("user", "Observation: said 2"),
    ]


def test_what_was_read_is_worded_so_that_it_reads_the_same_again() -> None:
    call = ask(TextProtocolModel(Recorded(CALL))).tool_calls[0]
    asked = {"id": call.id, "name": call.name, "arguments": call.arguments}
    (_, worded) = to_text([{"role": "assistant", "content": "why", "tool_calls": [asked]}], [])
    assert worded["content"] == CALL
    (_, answer) = to_text([{"role": "assistant", "content": "4"}], [])
    assert read(answer["content"]).taken == {"answer": "4"}


@given(odd_histories, st.booleans())
def test_whatever_a_history_holds_becomes_text_and_a_reply(history: list[dict[str, Any]], has_tools: bool) -> None:
    before = copy.deepcopy(history)
    sent = to_text(history, TOOLS if has_tools else [])
    assert all(set(message) == {"role", "content"} and isinstance(message["content"], str) for message in sent)
    assert [message["role"] for message in sent].count("system") == 1
    model = TextProtocolModel(Recorded("Final Answer: 4"))
    assert model.reply(history, TOOLS).content == "4"
    assert repr(history) == repr(before)


def test_a_failed_tool_message_and_the_closing_question_are_worded() -> None:
    failed = {"role": "tool", "content": "ERROR [failed]: no", "tool_call_id": "x", "error": {"code": "failed"}}
    closing = {"role": "user", "content": CLOSING_QUESTION}
    assert [m["content"] for m in to_text([failed, closing], [])[1:]] == [
        "Observation: ERROR [failed]: no",
        CLOSING_QUESTION,
    ]


def test_import_labkit_does_not_load_the_text_protocol() -> None:
    program = "import sys, labkit; print(any('text_protocol' in name for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert loaded.stdout.strip() == "False"
    from labkit import models

    with pytest.raises(AttributeError, match="has no NoSuchModel"):
        _ = models.NoSuchModel  # type: ignore[attr-defined]


def test_the_time_of_an_examination_grows_with_the_text_and_not_with_its_square() -> None:
    def seconds(times: int) -> float:
        text = "<" + "tool" * times
        return min(timeit.repeat(lambda: examine(text), number=1, repeat=3))

    assert seconds(16_000) < 40 * seconds(1_000) + 0.05
