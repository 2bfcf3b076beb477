"""The loop lab: what is special to it. What all labs share is tested over all of them."""

from __future__ import annotations

import pytest

from labkit.course.loops import MODELS, compared, play, told_in_text
from labkit.widgets import LoopLab


@pytest.fixture
def loop_lab() -> LoopLab:
    return LoopLab()


def test_it_shows_the_run_that_the_chapter_plays(loop_lab: LoopLab) -> None:
    assert told_in_text(play("same_call")) in loop_lab.text()
    assert compared(play("same_call"), play("same_call", guard=None)) in loop_lab.text()
    assert repr(loop_lab) == "LoopLab(same_call, keeps on, guard)"


@pytest.mark.parametrize("name", MODELS)
def test_every_model_can_be_chosen(loop_lab: LoopLab, name: str) -> None:
    loop_lab.controls["model"].value = name
    assert loop_lab.failure is None
    assert told_in_text(play(name)) in loop_lab.text()
    assert all(row.came in loop_lab._picture.value for row in loop_lab.played.rows)


def test_without_the_guard_its_knobs_are_of_no_use(loop_lab: LoopLab) -> None:
    loop_lab.controls["guard"].value = False
    assert loop_lab.controls["max_same_failures"].disabled and loop_lab.controls["max_same_results"].disabled
    assert loop_lab.played.run.stop_reason == "max_turns" and loop_lab.other.run.stop_reason == "stalled"
    assert "no guard" in loop_lab.text() and "banned " not in loop_lab.text()
    loop_lab.controls["guard"].value = True
    assert not loop_lab.controls["max_same_failures"].disabled


@pytest.mark.parametrize(
    ("knob", "value", "model", "executed"),
    [
        ("max_same_failures", 4, "two_in_turn", 8),
        ("max_same_results", 1, "same_call", 1),
        ("max_turns", 5, "flips_an_edit", 5),
        ("max_calls_per_turn", 16, "too_many_at_once", 12),
    ],
)
def test_each_limit_decides_how_many_calls_are_run(
    loop_lab: LoopLab, knob: str, value: int, model: str, executed: int
) -> None:
    loop_lab.controls["model"].value = model
    loop_lab.controls[knob].value = value
    assert loop_lab.played.executed == executed
    assert f"{executed} executed call" in loop_lab.text()


def test_one_that_gives_in_is_told_and_answers(loop_lab: LoopLab) -> None:
    loop_lab.controls["temper"].value = "gives in when told"
    assert "ERROR [tool_banned]" in loop_lab.text()
    assert "final_answer: the model answered by itself" in loop_lab.text()
    assert loop_lab.other.run.stop_reason == "max_turns", "without the guard nobody tells it"


def test_what_was_banned_is_marked_and_said_in_words(loop_lab: LoopLab) -> None:
    picture = loop_lab._picture.value
    assert picture.count("! banned") == 2 and picture.count("✓ ran") == 3
    assert "not run: this call gave the same result 3 times" in picture


def test_the_picture_has_the_sums_of_the_words(loop_lab: LoopLab) -> None:
    for line in loop_lab.text().splitlines()[-2:]:
        assert line in loop_lab._picture.value
