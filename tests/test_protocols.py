"""Protocols side by side: tasks that can be judged, judging, rows, rates, table and chart. No model is asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pytest

from labkit import ToolCall
from labkit.course.protocols import (
    MEASURES,
    PROTOCOLS,
    Comparison,
    Rate,
    Task,
    bar,
    compare,
    definitions,
    examples,
    judge,
    measure,
    rates,
    recorded,
    tasks,
    tools,
)
from labkit.course.protocols.judging import fitting
from labkit.course.protocols.prompts import call_schema
from labkit.course.protocols.recorded import Recorded, read, record
from labkit.models import ModelReply, Usage
from labkit.validate import judge as judge_of

WEATHER = {"name": "get_weather", "arguments": {"city": "Berlin", "date": "2026-09-03"}}


def a_call(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def right_arguments(task: Task) -> dict[str, Any]:
    """The arguments that a task accepts, the first of each."""
    spelled = {}
    for name, wanted in task.arguments.items():
        match wanted:
            case {"value": number}:
                spelled[name] = f"{number} + 0"
            case {"words": words}:
                spelled[name] = " ".join(words)
            case {"least": number}:
                spelled[name] = number
            case [first, *_]:
                spelled[name] = first
    return {name: value for name, value in spelled.items() if value is not None}


# ---- the tasks ----


def test_there_are_48_tasks_or_more_balanced_over_six_tools() -> None:
    counts = Counter(task.tool for task in tasks())
    assert set(counts) == {tool.name for tool in tools()}
    assert len(counts) == 6
    assert len(tasks()) >= 48
    assert len(set(counts.values())) == 1
    assert set(Counter(task.tool for task in tasks()[:12]).values()) == {2}


def test_no_two_tasks_are_alike_and_no_example_is_a_task() -> None:
    asked = [task.ask for task in tasks()]
    assert len(set(asked)) == len(asked)
    assert len({task.id for task in tasks()}) == len(asked)
    assert not {example.ask for example in examples()} & set(asked)
    shown = [example.arguments for example in examples()]
    assert not any(right_arguments(task) in shown for task in tasks())


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.id)
def test_every_task_is_one_sentence_or_two_with_its_dates_written_out(task: Task) -> None:
    assert not re.search(r"\b(today|tomorrow|yesterday|now)\b", task.ask, re.I)
    for wanted in task.arguments.values():
        for value in wanted if isinstance(wanted, list) else ():
            if isinstance(value, str) and re.fullmatch(r"[\d:-]+", value):
                assert value in task.ask


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.id)
def test_what_a_task_accepts_fits_its_tool_and_is_judged_right(task: Task) -> None:
    reply = a_call(task.tool, **right_arguments(task))
    assert judge(task, reply) == (True, True, True, True)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.tool)
def test_the_examples_fit_their_tools(example: Any) -> None:
    assert fitting(example.tool, example.arguments) is not None


# ---- judging ----


@pytest.mark.parametrize(
    ("reply", "verdicts"),
    [
        (json.dumps(WEATHER), (1, 1, 1, 1)),
        ("```json\n" + json.dumps(WEATHER) + "\n```", (1, 1, 1, 1)),
        (a_call("get_weather", city=" berlin", date="2026-09-03"), (1, 1, 1, 1)),
        (a_call("get_weather", city="Paris", date="2026-09-03"), (1, 1, 1, 0)),
        (a_call("get_weather", city="Berlin"), (1, 0, 1, 0)),
        (a_call("get_weather", city="Berlin", date="3 September 2026"), (1, 0, 1, 0)),
        (a_call("get_weather", city="Berlin", date="2026-09-03", unit="C"), (1, 0, 1, 0)),
        (a_call("calc", expression="1 + 1"), (1, 1, 0, 0)),
        (a_call("get_wether", city="Berlin", date="2026-09-03"), (1, 0, 0, 0)),
        ('{"city": "Berlin", "date": "2026-09-03"}', (1, 0, 0, 0)),
        ('{"name": ["get_weather"], "arguments": 3}', (1, 0, 0, 0)),
        ("Sure: " + json.dumps(WEATHER), (0, 0, 0, 0)),
        (json.dumps(WEATHER)[:-1], (0, 0, 0, 0)),
        (f"[{json.dumps(WEATHER)}]", (0, 0, 0, 0)),
        ("It was 19.6 degrees.", (0, 0, 0, 0)),
        ("", (0, 0, 0, 0)),
        ("null", (0, 0, 0, 0)),
    ],
)
def test_a_reply_in_json_is_judged_step_by_step(reply: str, verdicts: tuple[int, ...]) -> None:
    assert judge(tasks()[0], reply) == verdicts


@pytest.mark.parametrize(
    ("reply", "verdicts"),
    [
        ('Action: get_weather\nAction Input: {"city": "Berlin", "date": "2026-09-03"}', (1, 1, 1, 1)),
        ('Thought: x\nAction: calc\nAction Input: {"expression": "1"}\nObservation: 1', (1, 1, 0, 0)),
        ('**Action:** get_weather\nAction Input: {"city": "Berlin"}', (0, 0, 0, 0)),
        ("Action: get_weather\nAction Input: Berlin", (0, 0, 0, 0)),
        ("Action: get_weather\nAction Input:", (0, 0, 0, 0)),
        ("Final Answer: 19.6", (0, 0, 0, 0)),
        (json.dumps(WEATHER), (0, 0, 0, 0)),
        ("19.6 degrees", (0, 0, 0, 0)),
    ],
)
def test_a_reply_of_labelled_lines_is_judged_by_the_reader_of_the_protocol(
    reply: str, verdicts: tuple[int, ...]
) -> None:
    assert judge(tasks()[0], reply, "text") == verdicts


def test_calls_of_the_server_count_where_tools_were_sent_and_only_there() -> None:
    task = tasks()[0]
    called = ModelReply("", (ToolCall("call_1", "get_weather", json.dumps(WEATHER["arguments"])),))
    assert judge(task, called, "tool_calling") == (1, 1, 1, 1)
    assert judge(task, called, "only_json") == (0, 0, 0, 0)
    assert judge(task, ModelReply(json.dumps(WEATHER)), "tool_calling") == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "right"),
    [
        ("calc", {"expression": "(31.2 - 26.5)"}, True),
        ("calc", {"expression": "4.7"}, True),
        ("calc", {"expression": "31.2 + 26.5"}, False),
        ("calc", {"expression": "31.2 minus 26.5"}, False),
        ("web_search", {"query": "Guard of RETRY"}, True),
        ("web_search", {"query": "retry guards"}, True),
        ("web_search", {"query": "retry_guard"}, False),
        ("web_search", {"query": "retry"}, False),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-03"}, True),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-03", "status": None}, True),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-03", "status": "paid"}, False),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-03", "limit": 1}, False),
        ("convert_currency", {"amount": 120.0, "source": "EUR", "target": "USD"}, True),
        ("convert_currency", {"amount": 120, "source": "USD", "target": "EUR"}, False),
    ],
)
def test_arguments_are_right_by_meaning_and_not_by_letter(tool: str, arguments: Any, right: bool) -> None:
    task = next(task for task in tasks() if task.tool == tool)
    assert judge(task, a_call(tool, **arguments)) == (True, True, True, right)


# ---- asking ----


class Recorder:
    """Stands in for a model: keeps what it is asked, and gives one reply to everything."""

    def __init__(self, reply: ModelReply, parameters: dict[str, Any] | None = None) -> None:
        self.answer = reply
        self.parameters = parameters or {}
        self.asked: list[tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]] = []

    def having(self, **parameters: Any) -> Recorder:
        changed = Recorder(self.answer, self.parameters | parameters)
        changed.asked = self.asked
        return changed

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        self.asked.append((list(messages), list(tools), self.parameters))
        return self.answer


def test_a_measurement_asks_once_a_task_and_notes_what_came() -> None:
    model = Recorder(ModelReply(json.dumps(WEATHER), usage=Usage(30, 9)))
    told: list[tuple[int, int]] = []
    rows = measure(model, tasks()[:3], "json_mode", examples(), lambda *each: told.append(each))
    assert [row.task for row in rows] == [task.id for task in tasks()[:3]]
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert len(model.asked) == 3
    assert [row.right_tool for row in rows] == [True, False, False]
    assert (rows[0].prompt_tokens, rows[0].completion_tokens, rows[0].examples) == (30, 9, 4)
    assert [judge(task, row.reply(), row.protocol) for task, row in zip(tasks(), rows, strict=False)] == [
        (row.parsed, row.valid, row.right_tool, row.right_arguments) for row in rows
    ]


@pytest.mark.parametrize(
    ("protocol", "parameter"),
    [("text", "stop"), ("json_mode", "response_format"), ("constrained", "response_format")],
)
def test_a_protocol_asks_of_the_server_what_it_needs(protocol: str, parameter: str) -> None:
    model = Recorder(ModelReply(""))
    measure(model, tasks()[:1], protocol)
    [(_, sent, parameters)] = model.asked
    assert list(parameters) == [parameter]
    assert sent == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_prompt_holds_the_tools_the_examples_and_the_sentence_last(protocol: str) -> None:
    model = Recorder(ModelReply(""))
    measure(model, tasks()[:1], protocol, examples())
    [(messages, sent, _)] = model.asked
    assert messages[-1] == {"role": "user", "content": tasks()[0].ask}
    assert [m["content"] for m in messages if m["role"] == "user"][:-1] == [each.ask for each in examples()]
    told = json.dumps(sent) if protocol == "tool_calling" else messages[0]["content"]
    assert all(tool.name in told for tool in tools())


@pytest.mark.parametrize("protocol", ["text", "only_json", "tool_calling"])
def test_the_examples_are_shown_in_the_form_that_is_asked_for(protocol: str) -> None:
    way = PROTOCOLS[protocol]
    for example in examples():
        said = way.shows(example)[1]
        calls = tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in said.get("tool_calls", ()))
        assert way.read(ModelReply(said["content"], calls)) == (example.tool, example.arguments)


def test_the_schema_of_one_call_takes_every_right_call_and_no_wrong_one() -> None:
    held = judge_of("jsonschema", call_schema(definitions()))
    for task in tasks():
        assert held({"name": task.tool, "arguments": right_arguments(task)})[1] == []
    assert held({"name": "calc", "arguments": WEATHER["arguments"]})[1] != []
    assert held({"name": "other", "arguments": {}})[1] != []


def test_a_bar_is_drawn_over_itself_and_ends_its_line() -> None:
    drawn: list[tuple[str, str]] = []
    progress = bar(lambda text, end, flush: drawn.append((text, end)), "JSON mode", width=4)
    for done in (1, 2):
        progress(done, 2)
    assert drawn == [("\rJSON mode  ██··  1 of 2", ""), ("\rJSON mode  ████  2 of 2", "\n")]


# ---- rates, table, chart ----

RATES = (
    Rate("text", 0, 48, 0, 0, 0, 0),
    Rate("constrained", 0, 48, 48, 48, 16, 5),
    Rate("text", 4, 48, 40, 17, 17, 5),
    Rate("constrained", 4, 48, 48, 47, 30, 19),
)


def some_rows() -> Recorded:
    model = Recorder(ModelReply(json.dumps(WEATHER), usage=Usage(30, 9)))
    return record(model, tasks()[:6], [examples(), ()], {"model": "none"}, ["constrained", "text"])


def test_rates_count_rows_by_protocol_and_examples() -> None:
    counted = rates(some_rows().rows)
    assert [(rate.examples, rate.protocol) for rate in counted] == [
        (0, "text"),
        (0, "constrained"),
        (4, "text"),
        (4, "constrained"),
    ]
    assert counted[1] == Rate("constrained", 0, 6, 6, 6, 1, 1)
    assert counted[0] == Rate("text", 0, 6, 0, 0, 0, 0)
    assert counted[1].percent("right_tool") == 17


def test_the_table_says_what_the_rates_say() -> None:
    lines = repr(Comparison(RATES)).splitlines()
    assert re.split(r"  +", lines[0]) == ["protocol", "examples", "tasks", *MEASURES.values()]
    assert re.split(r"  +", lines[-1]) == ["JSON by schema", "4", "48", "100 %", "98 %", "62 %", "40 %"]
    assert len({line.rindex("%") for line in lines[1:]}) == 1, "columns stand under one another"


def test_the_chart_tells_every_rate_in_words_and_has_its_own_paper() -> None:
    svg = Comparison(RATES).to_svg()
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    words = [each.text for each in root.iter(f"{space}text")]
    for rate in RATES:
        for measured, word in MEASURES.items():
            assert f"{rate.percent(measured)} % {word}" in words
    assert root.find(f"{space}rect").get("fill") == "#ffffff"  # type: ignore[union-attr]
    described = root.findtext(f"{space}desc") or ""
    assert "JSON by schema, 4 examples, 48 tasks: parsed 100 %, valid 98 %" in described
    fills = {each.get("fill") for each in root.iter(f"{space}rect")}
    assert len([fill for fill in fills if fill and fill.startswith("url(")]) == 2, "two measures are hatched"
    assert svg == Comparison(RATES)._repr_svg_()
    assert svg != Comparison(RATES[:2]).to_svg()


def test_a_chart_can_be_narrower_but_not_too_narrow() -> None:
    assert 'width="640"' in Comparison(RATES).to_svg(640)
    for width in (639, 700.0):
        with pytest.raises(ValueError, match="at least 640"):
            Comparison(RATES).to_svg(width)  # type: ignore[arg-type]


def test_an_empty_comparison_is_a_heading_and_an_empty_chart() -> None:
    assert len(repr(compare([])).splitlines()) == 1
    assert ElementTree.fromstring(compare([]).to_svg()) is not None


# ---- what is kept ----


def test_what_was_written_is_read_again() -> None:
    kept = some_rows()
    assert read(kept.written()) == kept
    assert repr(kept) == "24 replies: model none"


def test_the_recorded_rows_are_whole_and_judged_as_they_would_be_today() -> None:
    kept = recorded("smollm2")
    assert {"model", "build", "threads", "seed", "date", "temperature", "max_tokens"} <= set(kept.facts)
    by_id = {task.id: task for task in tasks()}
    groups = Counter((row.protocol, row.examples) for row in kept.rows)
    assert set(groups) == {(protocol, number) for protocol in PROTOCOLS for number in (0, len(examples()))}
    assert set(groups.values()) == {len(by_id)}
    for row in kept.rows:
        verdicts = judge(by_id[row.task], row.reply(), row.protocol)
        assert verdicts == (row.parsed, row.valid, row.right_tool, row.right_arguments), row


def test_the_recorded_rates_say_that_a_constraint_repairs_form_and_not_choice() -> None:
    found = {(rate.protocol, rate.examples): rate for rate in rates(recorded("smollm2").rows)}
    for number in (0, len(examples())):
        held, mode = found["constrained", number], found["json_mode", number]
        assert held.percent("valid") >= 90
        assert held.parsed >= mode.parsed
        assert held.right_tool < held.valid
        assert held.right_arguments < held.right_tool


@pytest.mark.parametrize(("limit", "right"), [(20, True), (37, True), (100, True), (19, False), (1, False)])
def test_a_limit_that_lets_all_through_is_right(limit: int, right: bool) -> None:
    task = next(task for task in tasks() if task.id == "query_orders-1")
    said = a_call("query_orders", **{**right_arguments(task), "limit": limit})
    assert judge(task, ModelReply(said), "only_json").right_arguments is right
