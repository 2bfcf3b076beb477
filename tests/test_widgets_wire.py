"""The wire lab: what is special to it. What all labs share is tested over all of them."""

from __future__ import annotations

import re
import threading

import pytest

from labkit.course.wires import ANSWERS, CHAT, RESPONSES, SPOILS, tried
from labkit.widgets import WireLab


@pytest.fixture
def wire_lab() -> WireLab:
    return WireLab()


def rows(wire_lab: WireLab) -> list[str]:
    """The rows of the drawing as text, without the head of the table."""
    html = wire_lab._picture.value
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)][
        1:
    ]


def test_it_shows_what_the_chapter_calls(wire_lab: WireLab) -> None:
    assert wire_lab.text() == repr(tried())
    wire_lab.controls["api"].value = RESPONSES
    wire_lab.controls["answer"].value = "trimmed"
    wire_lab.controls["error"].value = True
    assert wire_lab.text() == repr(tried("trimmed", ["error"], api=RESPONSES))
    assert repr(wire_lab) == "WireLab(Responses, as it is: 400)"


def test_every_answer_and_every_spoil_has_a_knob(wire_lab: WireLab) -> None:
    assert [value for _, value in wire_lab.controls["answer"]._options_full] == list(ANSWERS)
    assert [name for name in wire_lab.controls if name in SPOILS] == list(SPOILS)
    assert next(iter(wire_lab.controls)) == "api" and list(wire_lab.controls)[-2] == "repair"


def test_a_refused_place_is_marked_in_the_drawing(wire_lab: WireLab) -> None:
    wire_lab.controls["answer"].value = "orphaned"
    drawn = rows(wire_lab)
    assert drawn[2].endswith("✗ refused rule 1")
    assert drawn[4].endswith("! spoilt tool_call_id is call_9 ✗ refused rule 2")
    assert "✗ the server answers 400: 2 sentences" in " ".join(re.sub(r"<[^>]+>", " ", wire_lab._picture.value).split())


def test_repair_mends_what_is_sent_and_the_server_takes_it(wire_lab: WireLab) -> None:
    for name in SPOILS:
        wire_lab.controls[name].value = True
    assert wire_lab.tried.status == 400
    wire_lab.controls["repair"].value = True
    for api in (CHAT, RESPONSES):
        wire_lab.controls["api"].value = api
        assert wire_lab.tried.status == 200
        assert any("✓ mended" in row for row in rows(wire_lab))
        assert not any("refused" in row or "spoilt" in row for row in rows(wire_lab))


def test_only_one_of_the_wires_minds_an_id_that_comes_again(wire_lab: WireLab) -> None:
    wire_lab.controls["again"].value = True
    assert wire_lab.tried.status == 200
    wire_lab.controls["api"].value = RESPONSES
    assert wire_lab.tried.status == 400 and "(rule 7)" in wire_lab.text()


def test_no_server_is_left_behind(wire_lab: WireLab) -> None:
    before = threading.active_count()
    for answer in ANSWERS:
        wire_lab.controls["answer"].value = answer
    assert threading.active_count() <= before
