"""The thinking behind the recovery player: a trace read once, ties between calls, and a run with a changed past."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import Agent, ScriptedModel, ToolCall, ToolError, ToolRegistry, ToolResult, ToolRuntime, Trace, history
from labkit import trace as lines
from labkit.calls import failed
from labkit.course.lab import fresh_copy
from labkit.course.recovery import StandIn, Story, branch, changed, read, why_not
from labkit.course.recovery.words import branch_in_words, frame_in_words
from labkit.models.base import Model
from labkit.models.scripted import read_script
from labkit.paths import data
from labkit.toolsets import workspace_tools

SCRIPT = read_script(data("scripts", "recovery", "m2.json"))
M2 = data("traces", "m2.jsonl")
RIGHT = {"path": "calculator.py", "start_line": 4, "end_line": 6}
EDIT = {"path": "calculator.py", "old": "return n + n"}


def played(model: Model) -> Trace:
    """The trace of the M2 task on a fresh copy."""
    runtime = ToolRuntime(ToolRegistry(workspace_tools(fresh_copy(data("workspaces", "calculator")))))
    return Agent(model, runtime).run(SCRIPT["task"], SCRIPT["system"]).trace


def timeless(trace: Trace) -> list[dict[str, Any]]:
    """The lines of a trace without what a clock has measured."""
    found = copy.deepcopy(trace.lines)
    for line in found:
        line.pop("model_seconds", None)
        for key in ("started", "finished", "time"):
            line.get("payload", {}).pop(key, None)
    return found


def story_of(*turns: list[tuple[str, str, Any, str | None]]) -> Story:
    """A story of turns of calls, each (id, tool, arguments, error code or None)."""
    record = Trace()
    record.record(lines.session_start("look", None, "noon"))
    for step, turn in enumerate(turns, 1):
        calls = [ToolCall(id, name, arguments) for id, name, arguments, _ in turn]
        record.record(lines.decision(step))
        record.record(lines.message(history.assistant(f"turn {step}", calls)))
        for call in calls:
            record.record(lines.tool_start(call, "read"))
        for call, (*_, code) in zip(calls, turn, strict=True):
            bad = failed(call, ToolError(code, "no", call.name)) if code else None
            result = bad or ToolResult(call.id, call.name, True, "fine", started=0.0, finished=0.1)
            record.record(lines.message(result.to_message()))
            record.record(lines.tool_finished(result))
    return read(record)


def told(story: Story) -> list[tuple[str, str, int | None, str]]:
    """Each tie as mark, code, position of what took it up, and state."""
    return [(tie.mark, tie.code, tie.then.position if tie.then else None, tie.state) for tie in story.ties]


# ---- the stand-in ----


def test_the_stand_in_plays_the_same_run_as_the_script_it_stands_in_for() -> None:
    plain = timeless(played(ScriptedModel(data("scripts", "m2_task.json"))))
    assert len(plain) == 36
    assert timeless(played(StandIn(SCRIPT))) == plain
    assert timeless(played(ScriptedModel(SCRIPT))) == plain
    assert timeless(Trace.load(M2)) == plain, "the shipped trace is an old one"


def test_with_the_right_range_from_the_start_one_decision_falls_away() -> None:
    script = copy.deepcopy(SCRIPT)
    script["decisions"][1]["tool_calls"][0]["arguments"] = RIGHT
    assert len(played(StandIn(script)).events("decision")) == 5


# ---- reading ----


def test_the_m2_trace_is_read_as_it_is() -> None:
    story = read(M2)
    assert [(call.id, call.turn, call.asked, call.started, call.answered, call.ended) for call in story.calls[2:5]] == [
        ("call_3", 1, 3, 7, 12, 13),
        ("call_4", 2, 15, 16, 17, 18),
        ("call_5", 3, 20, 21, 22, 23),
    ]
    assert told(story) == [("A", "invalid_range", 4, "mended")]
    assert list(map(str, story.ties[0].changes)) == ["start_line: 6 → 4", "end_line: 2 → 6"]


def test_a_frame_knows_only_what_its_line_knows() -> None:
    story = read(M2)
    states = [[tie.state for tie in story.at(line).ties] for line in (16, 17, 19, 20, 21, 22, 36)]
    assert states == [[], *[["not answered yet"]] * 4, ["mended"], ["mended"]]
    assert story.at(19).ties[0].then is None and story.at(20).ties[0].changes != ()
    assert "not taken up yet" in frame_in_words(story.at(19))


def test_a_run_a_trace_its_lines_and_its_file_are_one_story(tmp_path: Path) -> None:
    trace = Trace.load(M2)
    assert read(trace).said == read(trace.lines).said == read(str(M2)).said
    assert read(Trace()).calls == () and read(Trace()).at(1).place == 0


@given(st.integers(0, M2.stat().st_size))
@settings(deadline=None, max_examples=60)
def test_a_file_that_is_cut_anywhere_is_read_up_to_its_last_whole_line(size: int) -> None:
    raw = M2.read_bytes()[:size]
    kept = [json.loads(line) for line in raw.split(b"\n")[:-1]]
    story = read(kept)
    assert len(story.said) == raw.count(b"\n")
    assert all(frame_in_words(story.at(line)) for line in range(len(kept) + 1))


# ---- ties ----


def test_two_failures_of_one_batch_are_taken_up_by_what_is_most_like_each() -> None:
    story = story_of(
        [
            ("a", "read", {"path": "one", "n": 0}, "schema_validation"),
            ("b", "read", {"path": "two", "n": 0}, "timeout"),
        ],
        [("c", "read", {"path": "two", "n": 5}, None), ("d", "read", {"path": "one", "n": 5}, None)],
    )
    assert told(story) == [("A", "schema_validation", 3, "mended"), ("B", "timeout", 2, "mended")]


def test_ids_that_are_used_again_tie_nothing() -> None:
    call = ("same", "read", {"path": "x"})
    story = story_of([(*call, "timeout"), (*call, None)], [(*call, "timeout")], [(*call, None)])
    assert told(story) == [("A", "timeout", 2, "failed again"), ("B", "timeout", 3, "mended")]
    assert story.ties[0].changes == () and "with the same arguments" in frame_in_words(story.at(len(story.lines)))


def test_an_error_that_is_never_mended_stays_open() -> None:
    story = story_of([("a", "read", {}, "timeout")], [("b", "write", {}, None)])
    assert told(story) == [("A", "timeout", None, "never taken up")]
    assert "never taken up: a later call of read is not there" in frame_in_words(story.at(len(story.lines)))


def test_a_name_that_does_not_exist_is_taken_up_by_another_name_in_the_next_turn() -> None:
    story = story_of(
        [("a", "grep", {"query": "x"}, "unknown_tool")],
        [("b", "list", {}, None), ("c", "search", {"query": "x"}, None)],
    )
    assert told(story) == [("A", "unknown_tool", 2, "mended")]


def test_a_failing_test_run_is_no_failed_call() -> None:
    assert read(branch(read(M2), 5, {**EDIT, "new": "return n - n"}).run).ties[1:] == ()


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('{"a": 1}', {"a": 1.0}, ["a: 1 → 1.0"]),
        ({"a": 1}, {"a": True}, ["a: 1 → true"]),
        ({"a": 1, "b": 2}, '{"b": 2, "c": 3}', ["a: 1 → (not there)", "c: (not there) → 3"]),
        ({"a": 1}, '{"a": ', ['(arguments): {"a": 1} → {"a": ']),
        ("", {}, []),
        ("{", "{", []),
    ],
)
def test_changes_are_told_by_name_or_as_a_whole(old: Any, new: Any, found: list[str]) -> None:
    assert list(map(str, changed(old, new))) == found


def test_marks_go_on_after_z() -> None:
    story = story_of(*[[("a", "read", {}, "timeout")]] * 53)
    assert [story.ties[n].mark for n in (0, 25, 26, 51, 52)] == ["A", "Z", "AA", "AZ", "BA"]


# ---- branches ----

CHANGED: list[tuple[int, Any]] = [
    (0, {"path": "nope.py"}),
    (1, {"path": "../secret"}),
    (2, '{"query": '),
    (3, RIGHT),
    (4, {"path": "calculator.py", "start_line": 900}),
    (5, {**EDIT, "new": "return n - n"}),
    (6, {"fast": True}),
]


@pytest.mark.parametrize(("position", "arguments"), CHANGED)
def test_every_call_can_be_changed_and_the_old_run_stays(position: int, arguments: Any) -> None:
    story = read(M2)
    before = copy.deepcopy(story.lines)
    made = branch(story, position, arguments)
    assert made.run.stop_reason == "final_answer"
    assert made.run.messages != story.lines and made.parts
    assert made.shared == made.before.turn - 1
    assert made.after.arguments == arguments and made.after.name == made.before.name
    assert story.lines == before and history.broken(made.run.messages) == []
    ids = [call.id for call in made.new.calls]
    assert len(set(ids)) == len(ids), "an id was used twice"


@pytest.mark.parametrize("position", range(7))
@pytest.mark.parametrize("typed", ["{", "[]", "null", '{"surprise": 1}', "ß \ud800 \x00"])
def test_nonsense_becomes_a_tool_error_and_the_run_goes_on(position: int, typed: str) -> None:
    made = branch(read(M2), position, typed)
    assert made.run.stop_reason == "final_answer"
    if typed == "null" and position in (1, 6):
        assert made.after.error is None, "null stands for no arguments, and these two need none"
    else:
        assert made.after.error is not None
        assert made.after.error["code"] in ("invalid_json", "schema_validation")
    assert branch_in_words(made)


def test_nothing_changed_is_the_same_run() -> None:
    story = read(M2)
    for call in story.calls:
        made = branch(story, call.position, call.arguments)
        assert not made.parts and made.changes == () and len(made.new.lines) == 36
    assert "the same in all 6 turns" in branch_in_words(made)


@pytest.mark.parametrize(
    ("new", "passes"),
    [("return n - n", True), ("return n * n * 1", True), ("", False), ("return (n", True), ("n", False)],
)
def test_it_never_says_that_tests_pass_where_they_do_not(new: str, passes: bool) -> None:
    made = branch(read(M2), 5, {**EDIT, "new": new})
    tests = [call.content or "" for call in made.new.calls if call.name == "run_test"]
    assert tests[-1].startswith("EXIT 0") is passes
    assert made.new.answer.startswith("The tests pass" if passes else "Not done")


def test_edits_that_nobody_needed_are_taken_back_and_told() -> None:
    made = branch(read(M2), 5, {"path": "garden.py", "old": "35", "new": "40"})
    assert 'garden.py: "40" → "35"' in made.new.answer
    edits = [call.name for call in made.new.calls].count("edit_file")
    assert edits == 3 and made.new.answer.startswith("The tests pass: EXIT 0. I made 3 edits")


def test_the_stand_in_sends_no_failing_call_twice() -> None:
    for position, arguments in CHANGED:
        calls = [(c.name, json.dumps(c.arguments), c.error) for c in branch(read(M2), position, arguments).new.calls]
        assert all(one[:2] != other[:2] or other[2] is None for one, other in pairwise(calls))


def test_a_trace_of_another_task_says_why_it_can_t_be_run_on() -> None:
    story = story_of([("a", "read", {}, None)])
    reason = why_not(story)
    assert reason is not None and "a model that goes on" in reason
    with pytest.raises(ValueError, match="can't be run on"):
        branch(story, 0, {})
    assert why_not(read(Trace())) == "This trace has no call that could be changed."
    with pytest.raises(IndexError, match="7 calls"):
        branch(read(M2), 7, {})
