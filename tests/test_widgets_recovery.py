"""The recovery player: what it shows at each line, and the branch beside the old run."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import pytest

from labkit import ToolCall, ToolError, ToolResult, Trace, history
from labkit import trace as lines
from labkit.calls import failed
from labkit.paths import data
from labkit.widgets import RecoveryLab

RIGHT = '{"path": "calculator.py", "start_line": 4, "end_line": 6}'
LINES = 2_000
STEP = 0.05


def long_trace() -> Trace:
    """A trace of 2,000 lines, with a failure in every second turn."""
    trace = Trace()
    trace.record(lines.session_start("look", None, "noon"))
    step = 0
    while len(trace) < LINES:
        step += 1
        call = ToolCall(f"call_{step % 5}", "read_file", {"path": f"{step}.txt"})
        good = ToolResult(call.id, call.name, True, "text " * 50, started=step / 10, finished=step / 10 + 0.05)
        result = failed(call, ToolError("not_found", "no", call.name)) if step % 2 else good
        trace.record(lines.decision(step))
        trace.record(lines.message(history.assistant("Again.", [call])))
        trace.record(lines.tool_start(call, "read"))
        trace.record(lines.message(result.to_message()))
        trace.record(lines.tool_finished(result))
    return trace


def at(player: RecoveryLab, line: int) -> str:
    """What the player says at a line."""
    player.controls["position"].value = line
    return player.text()


def test_it_plays_m2_line_by_line_to_the_end() -> None:
    player = RecoveryLab()
    play = player.controls["play"]
    heads = [player.text().partition("\n")[0]]
    while play.value < play.max:
        play.value += 1  # what the browser does while it plays
        assert player.controls["position"].value == play.value
        heads.append(player.text().partition("\n")[0])
    assert len(heads) == len(set(heads)) == 36
    assert heads[-1] == "line 36 of 36: the run ends: final_answer after 6 decisions"


def test_slider_buttons_and_play_are_one_place() -> None:
    player = RecoveryLab()
    player.controls["forward"].click()
    player.controls["forward"].click()
    player.controls["back"].click()
    assert (player.controls["position"].value, player.controls["play"].value) == (2, 2)
    player.run()
    player.controls["forward"].click()
    assert player.controls["play"].value == 36 and "line 36 of 36" in player.text()


def test_the_failing_call_and_its_correction_wear_one_mark() -> None:
    player = RecoveryLab()
    assert "[A fails] call_4" not in at(player, 16)
    assert "[A fails] call_4" in at(player, 17) and "not taken up yet" in player.text()
    assert "[A takes it up] call_5" in at(player, 20)
    assert "[A mends it] call_5" in at(player, 22)
    assert "start_line: 6 → 4" in player.text() and "end_line: 2 → 6" in player.text()
    html = player._picture.value
    assert html.count(">A</b>") == 3 and "invalid_range" in html


def test_measured_times_are_drawn_live_and_nowhere_else() -> None:
    player = RecoveryLab()
    player.run()
    assert "<svg" in player._picture.value and " ms" in player._picture.value
    bundle = player._repr_mimebundle_()
    assert "<svg" not in bundle["text/html"] and " ms" not in bundle["text/html"] + bundle["text/plain"]
    at(player, 18)
    assert '"started": null' in player._repr_mimebundle_()["text/html"].replace("&quot;", '"')
    at(player, 9)
    assert '"started": "…"' in player._repr_mimebundle_()["text/html"].replace("&quot;", '"')


def test_the_diagram_grows_with_the_lines() -> None:
    player = RecoveryLab()
    shown = []
    for line in (4, 7, 9, 18, 33):
        at(player, line)
        shown.append(player._picture.value.count('scope="col"') and player.text().count(" to "))
    assert shown == sorted(shown) and shown[0] < shown[1] < shown[3] < shown[4]


def test_a_changed_past_gives_a_second_branch() -> None:
    player = RecoveryLab()
    before = copy.deepcopy(player.story.lines)
    assert player.branch is None and "no branch yet" in player.text()
    player.controls["arguments"].value = RIGHT
    assert "start_line: 6 → 4" in player.text()
    player.run_on()
    assert player.branch is not None and player.branch.run.messages != player.story.lines
    said = player.text()
    assert "turn 1 is the same; they part in turn 2" in said
    assert "after 6 decisions" in said and "after 5 decisions" in said and "scripted stand-in" in said
    assert player.story.lines == before
    player.controls["position"].value = 5
    assert player.state == "done", "to look at another line is no change of the past"
    player.controls["call"].value = 6
    assert player.state == "stale" and "made with other arguments" in player.text()


def test_every_call_of_m2_can_be_chosen_changed_and_run_on() -> None:
    player = RecoveryLab()
    for position in range(7):
        player.controls["call"].value = position
        player.controls["arguments"].value = '{"nothing": '
        said = " ".join(player.text().split())
        assert "not valid JSON" in said and "the tool call will fail" in said
        player.controls["run"].click()
        player.wait()
        assert player.failure is None
        assert player.branch is not None and player.branch.position == position
        assert player.branch.after.error is not None and player.branch.after.error["code"] == "invalid_json"
    assert player.started == 7


def test_a_second_click_starts_nothing_twice() -> None:
    player = RecoveryLab()
    player.controls["arguments"].value = RIGHT
    player.controls["run"].click()
    player.controls["run"].click()
    player.wait()
    assert player.started == 1


def test_what_was_typed_for_a_call_is_there_again() -> None:
    player = RecoveryLab()
    arguments = player.controls["arguments"]
    arguments.value = "mine"
    player.controls["call"].value = 0
    assert arguments.value == '{"path": "calculator.py"}'
    player.controls["call"].value = 3
    assert arguments.value == "mine"
    player.controls["reset"].click()
    assert arguments.value != "mine" and player.controls["position"].value == 1


def test_an_unchanged_past_is_the_same_run() -> None:
    player = RecoveryLab()
    player.run_on()
    assert player.branch is not None and not player.branch.parts
    assert "the same in all 6 turns" in player.text()


def test_any_trace_can_be_played_and_one_that_is_not_known_says_why_it_can_t_be_run_on() -> None:
    player = RecoveryLab(long_trace())
    assert player.controls["run"].disabled and "can't be run on" in " ".join(player.text().split())
    player.controls["run"].click()
    assert player.started == 0 and player.failure is None
    player.run()
    assert "before this: 392 turns" in player.text()


@pytest.mark.parametrize("size", [0, 1, 500, 5_000])
def test_a_file_that_breaks_off_is_played_as_far_as_it_goes(size: int, tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_bytes(data("traces", "m2.jsonl").read_bytes()[:size])
    player = RecoveryLab(file)
    player.run()
    assert player.failure is None
    whole = file.read_bytes().count(b"\n")
    assert player.text().startswith(f"line {whole} of {whole}: ")


def test_what_a_trace_holds_is_escaped() -> None:
    trace = Trace()
    call = ToolCall("<b>", "<i>", '{"x": "<script>"}')
    trace.record(lines.message(history.assistant("<u>", [call])))
    trace.record(lines.tool_start(call, "read"))
    trace.record(lines.message(failed(call, ToolError("<code>", "<s>", "<i>")).to_message()))
    player = RecoveryLab(trace)
    player.run()
    html = player._picture.value
    assert player.failure is None
    assert not any(tag in html for tag in ("<i>", "<u>", "<s>", "<script>"))


def test_scrubbing_a_long_trace_answers_at_once() -> None:
    player = RecoveryLab(long_trace())
    story = player.story
    took: list[Any] = []
    for line in range(1, LINES, 101):
        began = time.perf_counter()
        player.controls["position"].value = line
        took.append(time.perf_counter() - began)
    assert player.story is story, "the trace was read again"
    assert sorted(took)[len(took) // 2] < STEP
