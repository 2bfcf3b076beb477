"""The transcripts of chapter 01: a corpus that keeps what it promises, verdicts, the drift table, the microscope."""

from __future__ import annotations

import json
from typing import Any

import pytest

from labkit.course.checking import check
from labkit.course.exercises import exercise
from labkit.course.transcripts import (
    FILES,
    IN_WORDS,
    TOOLS,
    VERDICTS,
    Slide,
    Transcript,
    drift,
    kinds,
    not_right,
    taken,
    transcript,
    transcripts,
    under_the_microscope,
    verdict,
)
from labkit.declare import ToolRegistry
from labkit.models.text_protocol import STOP, cut, examine
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.toolsets import everyday_tools, workspace_tools

CORPUS = transcripts()
CALL = {"name": "calc", "arguments": {"expression": "1 + 1"}}


def test_every_file_of_the_folder_is_loaded_and_every_row_has_its_form() -> None:
    assert {path.stem for path in data("transcripts").glob("*.jsonl")} == set(FILES)
    rows = [json.loads(line) for name in FILES for line in (data("transcripts") / f"{name}.jsonl").open("rb")]
    assert len(rows) == len(CORPUS)
    assert all(list(row) == ["id", "kind", "text", "meant", "note"] for row in rows)
    assert len({each.id for each in CORPUS}) == len(CORPUS)
    assert len({each.text for each in CORPUS}) == len(CORPUS)


def test_there_are_enough_of_every_kind() -> None:
    counts = {kind: sum(each.kind == kind for each in CORPUS) for kind in kinds()}
    assert len(CORPUS) >= 70
    assert counts.pop("ordinary") >= 20
    assert len(counts) >= 12
    assert min(counts.values()) >= 3
    assert sum(not each.text.isascii() for each in CORPUS) >= 10


@pytest.mark.parametrize("each", CORPUS, ids=lambda each: each.id)
def test_what_was_meant_is_one_answer_or_calls_of_known_tools(each: Transcript) -> None:
    assert each.meant
    answers = [meant for meant in each.meant if set(meant) == {"answer"}]
    calls = [meant for meant in each.meant if set(meant) == {"name", "arguments"}]
    assert (len(answers), len(calls)) in [(1, 0), (0, len(each.meant))]
    assert all(meant["name"] in TOOLS and isinstance(meant["arguments"], dict) for meant in calls)


def test_the_calls_that_are_meant_fit_the_declarations(tmp_path: Any) -> None:
    tools = [*everyday_tools(), *workspace_tools(tmp_path)]
    assert {tool.name for tool in tools} == set(TOOLS)
    from labkit.validate import judge

    judges = {tool.name: judge("subset", tool.parameters, None) for tool in ToolRuntime(ToolRegistry(tools)).registry}
    calls = [meant for each in CORPUS for meant in each.meant if "name" in meant]
    problems = [(meant, judges[meant["name"]](meant["arguments"])[1]) for meant in calls]
    assert [(meant, found) for meant, found in problems if found] == []


def test_ordinary_transcripts_are_read_right_and_nothing_in_them_looks_odd() -> None:
    ordinary = [each for each in CORPUS if each.kind == "ordinary"]
    for stop in (STOP, None):
        assert {verdict(taken(cut(each.text, stop)), each.meant) for each in ordinary} == {"right"}
    assert [(each.id, examine(each.text)) for each in ordinary if examine(each.text)] == []


def test_whatever_goes_wrong_is_named_but_for_what_the_text_does_not_tell() -> None:
    unnamed = [
        each.id for each in CORPUS if verdict(taken(each.text), each.meant) != "right" and not examine(each.text)
    ]
    assert unnamed == ["cut_off_3", "cut_off_4"]


def test_the_drift_table_is_counted_and_shown() -> None:
    table = drift()
    assert list(table.counts) == kinds()
    assert sum(table.total.values()) == len(CORPUS)
    assert table.counts["two actions"] == {"right": 0, "WRONG": 4, "missed": 0}
    head, *rows, last = repr(table).splitlines()
    assert head.split() == ["kind", "rows", *VERDICTS]
    assert len(rows) == len(kinds())
    assert last.split()[:2] == ["all", str(len(CORPUS))]


def test_the_stop_sequence_mends_inventions_and_breaks_what_only_names_it() -> None:
    with_stop, without = drift().counts, drift(stop=None).counts
    assert {kind for kind in kinds() if with_stop[kind] != without[kind]} == {"invented observation", "label inside"}
    assert with_stop["invented observation"]["WRONG"] == 0 < without["invented observation"]["WRONG"]
    assert with_stop["label inside"]["right"] < without["label inside"]["right"]


def test_any_reader_can_be_tried_one_that_returns_nothing_sensible_too() -> None:
    for reader in (lambda text: None, lambda text: ..., lambda text: "call"):
        assert drift(reader).total == {"right": 0, "WRONG": 0, "missed": len(CORPUS)}
    perfect = {each.text: each.meant[0] for each in CORPUS}
    several = sum(len(each.meant) > 1 for each in CORPUS)
    assert drift(perfect.__getitem__, stop=None).total == {
        "right": len(CORPUS) - several,
        "WRONG": several,
        "missed": 0,
    }


@pytest.mark.parametrize(
    ("took", "expected"),
    [
        (None, "missed"),
        ({"name": "calc", "arguments": '{"expression": "1 + 1"}'}, "right"),
        ({"name": "calc", "arguments": '```json\n{"expression": "1 + 1"}\n```'}, "right"),
        ({"name": "calc", "arguments": "{'expression': '1 + 1'}"}, "missed"),
        ({"name": "calc", "arguments": "[1]"}, "missed"),
        ({"name": "calculator", "arguments": '{"expression": "1 + 1"}'}, "missed"),
        ({"name": "calc", "arguments": '{"expression": "1 + 2"}'}, "WRONG"),
        ({"name": "calc", "arguments": ""}, "WRONG"),
        ({"answer": "2"}, "WRONG"),
    ],
)
def test_a_verdict_tells_the_silent_fault_from_the_noticed_one(took: Any, expected: str) -> None:
    assert verdict(took, (CALL,)) == expected


def test_one_of_two_calls_is_not_half_right() -> None:
    took = {"name": "calc", "arguments": {"expression": "1 + 1"}}
    assert verdict(took, (CALL, CALL)) == "WRONG"


def test_a_transcript_is_found_by_its_id() -> None:
    assert transcript("ordinary_1") is CORPUS[0]
    assert repr(CORPUS[0]) == "Transcript(ordinary_1: one call, as agreed)"
    with pytest.raises(KeyError, match="ids are a kind and a number"):
        transcript("ordinary_0")


def test_a_slide_says_line_by_line_what_was_taken_and_what_was_cut_off() -> None:
    slide = under_the_microscope(transcript("invented_observation_2").text)
    margins = [line.partition("|")[0].strip() for line in repr(slide).split("\n\n")[0].split("\n")]
    assert margins == ["thought", "action", "input", "cut off", "cut off"]
    assert "69 characters cut off" in repr(slide)
    assert slide.lost == 69
    assert slide.verdict == "", "nobody has said what is meant"


def test_a_slide_of_an_empty_reply_can_be_shown() -> None:
    lines = repr(under_the_microscope("")).splitlines()
    assert [line.strip() for line in lines] == ["|", "", "taken    nothing", "notice   line 1: the reply is empty"]


@pytest.mark.parametrize("each", CORPUS, ids=lambda each: each.id)
@pytest.mark.parametrize("stop", [STOP, None], ids=["stop", "no stop"])
def test_a_slide_names_taken_meant_and_verdict(each: Transcript, stop: str | None) -> None:
    slide = under_the_microscope(each.text, stop, each.meant)
    words = [word for word, _ in slide.spelled()]
    assert words.count("taken") == words.count("verdict") == 1
    assert words.count("meant") == len(each.meant)
    assert words.count("notice") == len(slide.findings)
    assert ("stop" in words) == (stop is not None and STOP in each.text)
    assert dict(slide.spelled())["verdict"] == IN_WORDS[verdict(taken(cut(each.text, stop)), each.meant)]


def test_a_verdict_in_words_says_what_becomes_of_the_reply() -> None:
    assert list(IN_WORDS) == list(VERDICTS)
    assert [IN_WORDS[each].partition(" ")[0] for each in VERDICTS] == list(VERDICTS)
    assert "verdict  missed (noticed)" in repr(slide_of("prose_2"))
    assert "verdict  WRONG (goes its way)" in repr(slide_of("two_actions_1"))


def slide_of(id: str) -> Slide:
    return under_the_microscope(transcript(id).text, meant=transcript(id).meant)


@pytest.mark.parametrize("kind", kinds())
def test_what_a_reader_does_not_take_right_is_named_and_counted_alike(kind: str) -> None:
    ids = not_right(taken, kind)
    counts = drift().counts[kind]
    assert len(ids) == counts["WRONG"] + counts["missed"]
    assert {transcript(id).kind for id in ids} <= {kind}
    assert len(not_right(lambda text: ..., kind)) == sum(counts.values())


SPLIT = r"""
import re

LABEL = re.compile(
    r"^[^\w\n]*(?:\d+[.)] *)?(thought|action input|action|observation|final answer)[ \d*_`]*[:\uff1a][*_`]*",
    re.M | re.I,
)

def read_v1(text):
    found = [*LABEL.finditer(text)]
    ends = [mark.start() for mark in found[1:]] + [len(text)]
    labels = [mark[1].lower() for mark in found]
    for n, mark in enumerate(found):
        body = text[mark.end() : ends[n]].strip()
        if labels[n] == "final answer":
            return {"answer": text[mark.end() :].strip()}
        if labels[n : n + 2] == ["action", "action input"]:
            return {"name": body.strip("`*"), "arguments": text[found[n + 1].end() : ends[n + 1]].strip()}
    return None
"""


def test_a_reader_of_another_make_passes_exercise_01_1() -> None:
    names: dict[str, Any] = {}
    exec(SPLIT, names)
    assert repr(check(exercise("01.1"), names)).startswith("01.1  passed")


def test_of_very_many_findings_the_first_are_kept() -> None:
    slide = under_the_microscope("action: x\n" * 2_000)
    assert len(slide.findings) == 50
    assert f"and {slide.more} more places like these" in repr(slide)
    assert slide.more > 1_000
