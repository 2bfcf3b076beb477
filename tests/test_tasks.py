"""The shipped tasks, played whole on real files: what must come out the same in every version."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from labkit import Agent, Run, ScriptedModel, ToolRegistry, ToolRuntime, Trace
from labkit.commands.playing import slow_lookup
from labkit.course.lab import fresh_copy
from labkit.history import broken
from labkit.paths import data, repository
from labkit.toolsets import everyday_tools, workspace_tools


def played(name: str, folder: Path | None = None, **options: Any) -> Run:
    """Play a script on a fresh copy of its workspace, or on a folder."""
    model = ScriptedModel(data("scripts", f"{name}.json"))
    workspace = model.script.get("workspace")
    if workspace:
        tools = workspace_tools(folder or fresh_copy(data("workspaces", workspace)))
    else:
        tools = [*everyday_tools(), slow_lookup()]
    return Agent(model, ToolRuntime(ToolRegistry(tools), **options), trace=Trace()).run(model.task, model.system)


@pytest.fixture
def calculator() -> Path:
    return fresh_copy(data("workspaces", "calculator"))


# --- M2 ---------------------------------------------------------------------------------------------------------


def test_m2_takes_six_decisions_and_seven_calls_and_the_fourth_fails(calculator: Path) -> None:
    run = played("m2_task", calculator)
    assert (run.stop_reason, len(run.turns), len(run.tool_calls)) == ("final_answer", 6, 7)
    answers = [m for m in run.messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == [f"call_{n}" for n in range(1, 8)]
    assert ["error" in m for m in answers] == [False, False, False, True, False, False, False]
    assert answers[3]["error"] == {
        "code": "invalid_range",
        "message": "end_line 2 is less than start_line 6",
        "tool": "read_lines",
    }
    assert all(set(m) == {"role", "content", "tool_call_id"} for m in answers if "error" not in m)
    assert answers[6]["content"].startswith("EXIT 0")
    assert "return n * n" in (calculator / "calculator.py").read_text()


def test_m2_sends_arguments_in_both_forms_and_corrects_them_under_a_new_id() -> None:
    first, second, third = played("m2_task").tool_calls[0], *played("m2_task").tool_calls[3:5]
    assert isinstance(first.arguments, dict)
    assert isinstance(second.arguments, str)
    asked = json.loads(second.arguments)
    assert (asked["start_line"], asked["end_line"]) == (6, 2)
    assert isinstance(third.arguments, dict)
    assert (third.arguments["start_line"], third.arguments["end_line"]) == (4, 6)
    assert second.id != third.id


@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
@pytest.mark.parametrize("policy", ["all_or_nothing", "reads_first", "barriers", "by_resource"])
def test_m2_leaves_a_trace_of_36_lines(policy: str, validator: str) -> None:
    lines = played("m2_task", policy=policy, validator=validator).trace.lines
    assert [line["seq"] for line in lines] == list(range(1, 37))
    shape = [line["event"] if line["type"] == "event" else line["message"]["role"] for line in lines]
    one = ["decision", "assistant", "tool_start", "tool", "tool_finished"]
    three = ["decision", "assistant", "tool_batch", *["tool_start"] * 3, *["tool", "tool_finished"] * 3]
    assert shape == ["session_start", *three, *one * 4, "decision", "assistant", "session_end"]
    by_seq = {line["seq"]: line for line in lines}
    assert by_seq[4]["payload"] == {"mode": "parallel", "size": 3}
    assert by_seq[17]["message"]["tool_call_id"] == "call_4"
    assert by_seq[17]["message"]["error"]["code"] == "invalid_range"
    assert by_seq[18]["payload"]["started"] is None
    assert by_seq[20]["message"]["tool_calls"][0]["id"] == "call_5"
    assert by_seq[36]["payload"] == {"reason": "final_answer", "steps": 6}
    assert {"usage", "finish_reason", "model_seconds"} <= set(by_seq[3])


def test_m2_in_a_row_says_serial() -> None:
    batches = played("m2_task", policy="serial").trace.events("tool_batch")
    assert [line["payload"] for line in batches] == [{"mode": "serial", "size": 3}]


def test_m2_gives_the_same_history_every_time() -> None:
    first, second = played("m2_task"), played("m2_task")
    assert first.messages == second.messages


# --- M1, the older task -----------------------------------------------------------------------------------------


def test_m1_ends_with_an_answer() -> None:
    assert played("m1_task").stop_reason == "final_answer"


def test_m1_has_one_answer_per_call_in_the_same_format() -> None:
    run = played("m1_task")
    roles = [m["role"] for m in run.messages]
    assert roles == ["system", "user", *["assistant", "tool"] * 3, "assistant"]
    assert broken(run.messages) == []
    assert [c.name for c in run.tool_calls] == ["read_file", "edit_file", "run_test"]


def test_m1_edits_the_one_place_and_the_tests_pass(calculator: Path) -> None:
    before = (calculator / "calculator.py").read_text()
    run = played("m1_task", calculator)
    assert (calculator / "calculator.py").read_text() == before.replace("return n + n", "return n * n")
    assert run.turns[2].results[0].content.startswith("EXIT 0")


def test_m1_refuses_an_edit_that_is_not_unique(calculator: Path) -> None:
    (calculator / "calculator.py").write_text("    return n + n\n    return n + n\n")
    run = played("m1_task", calculator)
    error = run.turns[1].results[0].error
    assert error is not None and error.code == "not_unique"
    assert run.stop_reason == "final_answer"


def test_m1_stays_in_its_folder(calculator: Path) -> None:
    (calculator.parent / "secret.txt").write_text("secret")
    script = json.loads(data("scripts", "m1_task.json").read_text(encoding="utf-8"))
    script["decisions"][0]["tool_calls"][0]["arguments"]["path"] = "../secret.txt"
    model = ScriptedModel(script)
    run = Agent(model, ToolRuntime(ToolRegistry(workspace_tools(calculator)))).run(model.task)
    error = run.turns[0].results[0].error
    assert error is not None and error.code == "path_outside_workspace"
    assert not any("secret\n" in m["content"] or m["content"] == "secret" for m in run.messages)


# --- the others -------------------------------------------------------------------------------------------------


def test_the_weather_task_takes_three_turns_and_three_calls() -> None:
    run = played("weather_task")
    assert (len(run.turns), [len(t.results) for t in run.turns]) == (3, [2, 1, 0])
    first, second = (r.data["temperature_c"] for r in run.turns[0].results)
    assert {str(first), str(second)} == {"26.5", "31.2"}
    assert run.turns[1].results[0].content == "4.7"
    assert "4.7" in run.answer


def test_five_calls_of_two_seconds_take_about_two_seconds() -> None:
    began = time.perf_counter()
    run = played("five_slow_calls")
    assert time.perf_counter() - began < 2.2
    assert [r.content for r in run.turns[0].results] == [f"value of {key}" for key in "abcde"]


def test_a_failing_test_run_is_no_error_and_a_failing_call_is_one() -> None:
    results = [result for turn in played("bookings_task").turns for result in turn.results]
    assert (results[0].ok, results[0].error) == (False, None)
    assert results[0].content.startswith("EXIT 1")
    assert [str(r.error.code) for r in results if r.error] == ["not_unique"]
    assert results[-1].content.startswith("EXIT 0")


def test_playing_leaves_the_shipped_workspaces_as_they_are() -> None:
    before = {path: path.read_bytes() for path in data("workspaces").rglob("*") if path.is_file()}
    played("m2_task")
    played("bookings_task")
    assert {path: path.read_bytes() for path in data("workspaces").rglob("*") if path.is_file()} == before
    assert repository() in data("workspaces").parents
