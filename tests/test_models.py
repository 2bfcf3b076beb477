"""The scripted model: the same decisions every time, found again from the history alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools_for_tests import quick, runtime_of

from labkit import Agent, ScriptedModel
from labkit.models import ModelReply, Usage


def script(*decisions: Any, **more: Any) -> dict[str, Any]:
    return {"task": "task", "decisions": list(decisions)} | more


def call(name: str, arguments: Any = None) -> dict[str, Any]:
    return {"content": "", "tool_calls": [{"id": "call_1", "name": name, "arguments": arguments}]}


def test_a_script_is_played_in_order_and_its_end_is_a_clear_error() -> None:
    run = Agent(ScriptedModel(script(call("quick"))), runtime_of(quick())).run("task")
    assert run.stop_reason == "model_error"
    assert run.detail == "the script has 1 decision, and no more is left to play; add one, or start again from the task"


def test_a_repeated_request_gets_the_same_answer() -> None:
    model = ScriptedModel(script(call("quick"), {"content": "done"}))
    user = {"role": "user", "content": "task"}
    first = model.reply([user], [])
    assert model.reply([user], []) == first
    assert model.reply([{"role": "user", "content": "task"}], []) == first
    later = [user, {"role": "assistant", "content": ""}, {"role": "tool", "content": "x", "tool_call_id": "call_1"}]
    assert model.reply(later, []).content == "done"
    assert model.reply([user], []) == first
    again = [*later, {"role": "assistant", "content": "done"}, {"role": "user", "content": "task"}]
    assert model.reply(again, []) == first


def test_a_decision_for_an_error_comes_once_per_code() -> None:
    told = script(
        call("nope"), call("nope"), {"content": "done"}, on_error={"unknown_tool": {"content": "", **call("quick")}}
    )
    run = Agent(ScriptedModel(told), runtime_of(quick())).run("task")
    assert [c.name for c in run.tool_calls] == ["nope", "quick", "nope"]
    assert (run.stop_reason, run.answer) == ("final_answer", "done")


def test_many_turns_are_found_without_reading_the_history_again() -> None:
    reads = 0

    class Counted(list[Any]):
        def __getitem__(self, key: Any) -> Any:
            nonlocal reads
            if isinstance(key, slice):
                found = super().__getitem__(key)
                reads += len(found)
                return found
            return super().__getitem__(key)

    model = ScriptedModel(script(*[call("quick")] * 100, {"content": "done"}))
    messages = Counted([{"role": "user", "content": "task"}])
    for _ in range(100):
        model.reply(messages, [])
        messages += [{"role": "assistant", "content": ""}, {"role": "tool", "content": "", "tool_call_id": "call_1"}]
    assert reads < 1_000


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({}, '"task"'),
        ({"task": "t"}, '"decisions"'),
        ({"task": "t", "decisions": []}, "at least one"),
        ({"task": "t", "decisions": [{}]}, "decision 1"),
        ({"task": "t", "decisions": [{"content": "a"}, {"tool_calls": [{"id": 1}]}]}, "decision 2, call 1"),
        ({"task": "t", "decisions": [{"content": "a"}], "on_error": {"timeout": 1}}, "on_error.timeout"),
    ],
)
def test_a_script_of_another_form_is_refused_with_the_place(bad: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ScriptedModel(bad)


def test_a_script_file_that_is_no_script_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{")
    with pytest.raises(ValueError, match=r"s\.json is not valid JSON"):
        ScriptedModel(tmp_path / "s.json")
    (tmp_path / "s.json").write_text("[]")
    with pytest.raises(ValueError, match=r"s\.json must hold one JSON object"):
        ScriptedModel(tmp_path / "s.json")
    (tmp_path / "s.json").write_text(json.dumps(script({"content": "done"})))
    assert ScriptedModel(tmp_path / "s.json").reply([], []).content == "done"


def test_usages_add_up() -> None:
    assert Usage(1, 2) + Usage(10, 20) == Usage(11, 22)
    assert ModelReply("hi") == ModelReply("hi", (), "stop", None, None)
