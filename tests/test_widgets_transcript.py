"""The transcript microscope: its knobs follow each other, and the drawing says what the words say."""

from __future__ import annotations

import html
import re

import pytest

from labkit.course.transcripts import kinds, transcript, transcripts, under_the_microscope
from labkit.models.text_protocol import STOP
from labkit.widgets import TranscriptLab


def marked(lab: TranscriptLab) -> list[tuple[str, str]]:
    """The pieces of the drawing that carry a name, with that name."""
    page = lab._repr_mimebundle_()["text/html"]
    found = re.findall(r"<small[^>]*>([^<]+)</small> <span[^>]*>(.*?)</span>", page, re.S)
    return [(role, html.unescape(re.sub(r"<sup.*?</sup>", "", text, flags=re.S))) for role, text in found]


def test_it_opens_on_an_invented_observation_that_was_cut_off() -> None:
    lab = TranscriptLab()
    assert repr(lab) == "TranscriptLab(invented_observation_2, with the stop sequence)"
    assert list(lab.controls) == ["kind", "transcript", "text", "stop", "reset"]
    assert [role for role, _ in marked(lab)] == ["thought", "action", "input", "cut off"]


def test_a_kind_offers_its_own_transcripts_and_shows_the_first() -> None:
    lab = TranscriptLab()
    for kind in kinds():
        lab.controls["kind"].value = kind
        offered = [value for _, value in lab.controls["transcript"]._options_full]
        mine = [each for each in transcripts() if each.kind == kind]
        assert offered == [*(each.id for each in mine), "typed"]
        assert lab.controls["text"].value == mine[0].text
        assert lab.slide.meant == mine[0].meant


@pytest.mark.parametrize("stop", [True, False])
def test_it_shows_what_the_pure_function_says(stop: bool) -> None:
    lab = TranscriptLab()
    lab.controls["stop"].value = stop
    for each in transcripts():
        lab.controls["kind"].value = each.kind
        lab.controls["transcript"].value = each.id
        slide = under_the_microscope(each.text, STOP if stop else None, each.meant)
        assert lab.text() == repr(slide)
        taken = [(part.role, each.text[part.start : part.end]) for part in slide.reading.parts if part.start < part.end]
        drawn = marked(lab)
        assert [role for role, _ in drawn if role != "cut off"] == [role for role, _ in taken]
        for (role, whole), (_, first) in zip(taken, drawn, strict=False):
            assert whole.startswith(first), role


def test_the_list_of_transcripts_has_room_for_an_id_and_a_note() -> None:
    lab = TranscriptLab()
    found = re.search(r"(\d+)em", lab.controls["transcript"].layout.width)
    assert found is not None
    longest = max(len(f"{each.id}: {each.note}") for each in transcripts())
    assert int(found[1]) >= 0.55 * longest  # an average sign is about half an em wide


def test_a_missed_reply_is_shown_as_noticed() -> None:
    lab = TranscriptLab()
    lab.controls["kind"].value = "prose"
    lab.controls["transcript"].value = "prose_2"
    page = lab._repr_mimebundle_()["text/html"]
    assert "missed (noticed)" in page
    assert "at line 1, column 42 of the input" in page


def test_typing_makes_it_a_text_of_ones_own_without_a_verdict() -> None:
    lab = TranscriptLab()
    lab.controls["text"].value = "Final Answer: <b>42</b>"
    assert lab.controls["transcript"].value == "typed"
    assert lab.slide.verdict == ""
    assert "verdict" not in lab.text()
    assert marked(lab) == [("answer", "<b>42</b>")]
    assert "<b>42" not in lab._repr_mimebundle_()["text/html"]


def test_a_transcript_comes_back_after_typing_and_reset_puts_all_back() -> None:
    lab = TranscriptLab()
    first = lab.text()
    lab.controls["text"].value = "x"
    lab.controls["transcript"].value = "invented_observation_1"
    assert lab.controls["text"].value == transcript("invented_observation_1").text
    lab.controls["stop"].value = False
    lab.controls["kind"].value = "two answers"
    lab.controls["reset"].click()
    assert lab.text() == first


def test_every_finding_has_its_number_in_the_text_and_its_row() -> None:
    lab = TranscriptLab()
    lab.controls["stop"].value = False
    lab.controls["transcript"].value = "invented_observation_1"
    page = lab._repr_mimebundle_()["text/html"]
    numbers = re.findall(r"<sup[^>]*>✗(\d+)</sup>", page)
    assert numbers == [str(n) for n in range(1, len(lab.slide.findings) + 1)]
    for finding in lab.slide.findings:
        assert html.escape(finding.message) in page


def test_an_empty_reply_and_half_a_character_can_be_drawn() -> None:
    lab = TranscriptLab()
    for text in ("", "\ud800", "Action: x\nAction Input: "):
        lab.controls["text"].value = text
        assert lab.failure is None
        assert lab.text().encode("utf-8")
        assert lab._repr_mimebundle_()["text/html"].encode("utf-8")
    lab.controls["text"].value = ""
    assert "(the reply is empty)" in lab._repr_mimebundle_()["text/html"]
