"""The bad-argument injector: knobs that go together, a picture that stops where the call stopped, words that agree."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

from labkit.course.faults import SETTINGS, faults, good_calls
from labkit.runtime.passage import STAGES
from labkit.widgets import ArgumentLab
from labkit.widgets.argument import GOOD, TYPED, pipeline_svg

SVG = "{http://www.w3.org/2000/svg}"


def set_to(lab: ArgumentLab, **knobs: str) -> ArgumentLab:
    for name, value in knobs.items():
        lab.controls[name].value = value
    return lab


def offered(lab: ArgumentLab) -> list[str]:
    return [value for _, value in lab.controls["fault"].options]


def message_in(lab: ArgumentLab) -> dict[str, object]:
    """The tool message as the words show it."""
    return json.loads(lab.text().partition("The model gets:\n")[2])


@pytest.fixture
def lab() -> ArgumentLab:
    return ArgumentLab()


def test_it_opens_on_a_call_that_is_stopped(lab: ArgumentLab) -> None:
    assert repr(lab) == "ArgumentLab(read_lines, cut_json, pydantic, lossless)"
    assert list(lab.controls) == ["tool", "fault", "arguments", "validator", "repair", "reset"]
    assert lab.controls["arguments"].value == faults()["cut_json"].call("read_lines").arguments
    assert lab.text().splitlines()[-1] == "}"
    assert "read_lines was not run" in lab.text()


def test_only_faults_that_apply_are_offered(lab: ArgumentLab) -> None:
    for tool in good_calls():
        set_to(lab, tool=tool)
        assert offered(lab) == [GOOD, *(f.name for f in faults().values() if tool in f.calls), TYPED]


def test_a_fault_is_kept_where_it_applies_and_dropped_where_not(lab: ArgumentLab) -> None:
    set_to(lab, tool="query_orders", fault="bad_enum")
    set_to(lab, tool="get_weather")
    assert lab.controls["fault"].value == GOOD
    set_to(lab, fault="bad_date", tool="query_orders")
    assert lab.controls["fault"].value == "bad_date"
    assert "01.09.2026" in lab.controls["arguments"].value


@pytest.mark.parametrize("tool", list(good_calls()))
def test_every_fault_is_sent_as_the_catalogue_has_it(lab: ArgumentLab, tool: str) -> None:
    set_to(lab, tool=tool)
    for fault in faults().values():
        if tool in fault.calls:
            set_to(lab, fault=fault.name)
            assert lab.failure is None
            assert lab.passage.call == fault.call(tool)
            assert message_in(lab)["role"] == "tool"
            assert lab.passage.touched in lab.text()


def test_the_message_is_the_one_in_the_history(lab: ArgumentLab) -> None:
    set_to(lab, tool="query_orders", fault="inverted_range")
    assert message_in(lab) == json.loads(json.dumps(lab.passage.result.to_message()))
    assert message_in(lab)["error"]["code"] == "invalid_range"  # type: ignore[index]


def test_validator_and_policy_are_used(lab: ArgumentLab) -> None:
    set_to(lab, tool="get_weather", fault="fenced")
    for validator, repair in SETTINGS:
        set_to(lab, validator=validator, repair=repair)
        runtime = lab._runtime(validator, repair)
        assert (runtime.validator, runtime.repair) == (validator, repair)
        assert lab.passage.verdict == ("repaired and ran" if repair == "lossless" else "refused at parse")


def test_typing_takes_the_place_of_the_fault(lab: ArgumentLab) -> None:
    set_to(lab, tool="get_weather", fault="missing", arguments='{"city": "Lisbon", "date": "2026-09-01"}')
    assert lab.controls["fault"].value == TYPED
    assert lab.passage.verdict == "ran"
    set_to(lab, tool="read_lines")  # what was typed stays, and is judged by the other tool
    assert lab.controls["arguments"].value == '{"city": "Lisbon", "date": "2026-09-01"}'
    assert lab.passage.verdict == "refused at judge"
    set_to(lab, fault="empty")
    assert (lab.controls["arguments"].value, lab.passage.call.arguments) == ("", "")


def test_typed_text_is_shown_and_never_runs_in_the_page(lab: ArgumentLab) -> None:
    set_to(lab, arguments='{"path": "<script>alert(1)</script>", "start_line": "<b>"}')
    page = lab._repr_mimebundle_()["text/html"]
    assert "<script" not in page
    assert "<b>" not in page
    assert "<script>alert(1)</script>" in unescape(page)


def test_half_a_character_and_long_texts_can_be_typed(lab: ArgumentLab) -> None:
    for text in ("\ud83d", '{"path": "\ud83d", "start_line": 1}', "x" * 5000):
        set_to(lab, arguments=text)
        assert lab.failure is None
        (lab.text() + lab._repr_mimebundle_()["text/html"]).encode()
    assert "(5,000 characters)" in lab.text()


def test_a_long_text_without_a_blank_is_cut_in_the_heading(lab: ArgumentLab) -> None:
    set_to(lab, arguments="x" * 200_000)
    page = lab._repr_mimebundle_()["text/html"]
    assert "(200,000 characters)" in page
    assert max(len(run) for run in re.findall("x+", unescape(page))) <= 100


def test_start_over_puts_everything_back(lab: ArgumentLab) -> None:
    before = (repr(lab), lab.text())
    set_to(lab, tool="query_orders", fault="bad_enum", validator="subset", repair="none", arguments="{")
    lab.controls["reset"].click()
    assert (repr(lab), lab.text()) == before


# ---- the picture ----


def drawing(lab: ArgumentLab) -> ET.Element:
    return ET.fromstring(pipeline_svg(lab.passage))


def words(picture: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("tool", "fault", "stage"),
    [
        ("get_weather", "unknown_tool", "look up"),
        ("get_weather", "cut_json", "parse"),
        ("get_weather", "bad_date", "judge"),
        ("read_lines", "inverted_range", "cross-check"),
        ("read_lines", "not_there", "run"),
        ("list_files", "path_escape", "run"),
        ("read_lines", "fenced", None),
    ],
)
def test_the_picture_stops_where_the_call_was_stopped(
    lab: ArgumentLab, tool: str, fault: str, stage: str | None
) -> None:
    set_to(lab, tool=tool, fault=fault)
    picture = drawing(lab)
    said = words(picture)
    assert [name for name in said if name in STAGES] == list(STAGES)
    marks = [each for each in said if each[:2] in ("✓ ", "! ", "✗ ", "· ")]
    assert [each[2:] for each in marks] == [each.state for each in lab.passage.stages]
    assert lab.passage.stopped_at == stage
    assert ("✗ failed" in said) is (stage == "run")
    assert f"{lab.passage.touched}." in said
    told = picture.find(f"{SVG}desc").text
    assert all(f"{each.name}: {each.state}" in told for each in lab.passage.stages)
    assert lab.passage.touched in told


def test_states_differ_by_outline_and_hatch_too(lab: ArgumentLab) -> None:
    set_to(lab, tool="get_weather", fault="fenced")
    boxes = drawing(lab).findall(f"{SVG}rect")
    looks = {(box.get("stroke-dasharray"), re.sub(r"pl[0-9a-f]+", "", box.get("fill"))) for box in boxes[1:13:2]}
    assert looks == {(None, "#ffffff"), ("9 3", "url(#w)")}
    set_to(lab, fault="bad_date")
    boxes = drawing(lab).findall(f"{SVG}rect")
    looks = {(box.get("stroke-dasharray"), re.sub(r"pl[0-9a-f]+", "", box.get("fill"))) for box in boxes[1:13:2]}
    assert looks == {(None, "#ffffff"), (None, "url(#g)"), ("3 4", "#ffffff")}


def test_the_picture_is_the_same_every_time(lab: ArgumentLab) -> None:
    assert pipeline_svg(lab.passage) == pipeline_svg(ArgumentLab().passage)
    page = lab._repr_mimebundle_()["text/html"]
    assert page.count("<svg") == 1
    assert "<table" in page


def test_a_flood_of_problems_stays_a_page() -> None:
    lab = ArgumentLab()
    lab.controls["arguments"].value = json.dumps({f"extra_{n}": n for n in range(20_000)})
    assert lab.failure is None
    assert "more characters" in lab.text() and len(lab.text()) < 20_000
    assert len(lab._picture.value) < 60_000
