"""Timelines of many calls, of long traces, and of a batch that still goes on."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_timeline import FIVE, SECONDS, SVG, event, never_ran, plans, ran, words, written

from labkit.schedule import Plan, PlannedCall
from labkit.timeline import Span, Timeline, compare
from labkit.timeline.load import load
from labkit.timeline.measure import measure
from labkit.trace import Trace

Result = TypeVar("Result")
FAILED = "#8E3B74"
FATES: list[Any] = ["error", "timeout", "cancelled"]


def thousand(max_parallel: int = 64) -> Timeline:
    """A thousand calls of which each twelfth writes; a few did not go well."""
    dice = random.Random(1)
    calls = tuple(PlannedCall(f"call_{i}", "read_file", "read" if i % 12 else "write") for i in range(1000))
    plan = Plan("by_resource", calls, (frozenset(),) * 1000)
    spans = list(Timeline.predict(plan, [dice.uniform(0.02, 0.08) for _ in calls], max_parallel).spans)
    spans[100] = replace(spans[100], state="error")
    spans[500] = replace(spans[500], state="timeout", ghost=True)
    spans[900] = replace(spans[900], state="cancelled", started=None, finished=None)
    return Timeline(tuple(spans), "by_resource", answered=tuple(range(1000)))


def long_trace(turns: int) -> list[dict[str, Any]]:
    """The lines of a run of two calls a turn, nine lines each; one call in fifty fails."""
    dice = random.Random(2)
    lines: list[dict[str, Any]] = []
    for turn in range(turns):
        begin = turn * 0.1
        spans = [ran(f"call_{turn}_{i}", begin, begin + dice.uniform(0.01, 0.09)) for i in range(2)]
        spans = [replace(span, state="error") if dice.random() < 0.02 else span for span in spans]
        said = {"type": "message", "message": {"role": "tool", "content": "some text", "tool_call_id": "call"}}
        lines += [*written(*spans), said, said, said]
    return lines


def seconds_of(task: Callable[[], Result]) -> tuple[float, Result]:
    """The least processor time of three: other programs of this machine do not count."""
    took = []
    for _ in range(3):
        began = time.process_time()
        result = task()
        took.append(time.process_time() - began)
    return min(took), result


def ink(svg: str, stroke: str) -> int:
    """How many strokes there are of a colour, in paths and lines."""
    elements = [e for e in ElementTree.fromstring(svg).iter() if e.get("stroke") == stroke]
    return sum(element.get("d", "M").count("M") for element in elements)


# A thousand calls


@pytest.mark.parametrize("show", [Timeline.to_svg, repr, Timeline.table])
def test_a_thousand_calls_are_shown_in_a_tenth_of_a_second(show: Callable[[Timeline], str]) -> None:
    timeline = thousand()
    took, shown = seconds_of(lambda: show(replace(timeline)))
    assert took < 0.1
    assert len(shown) < 100_000


def test_a_thousand_calls_share_lanes_and_none_is_lost() -> None:
    svg = thousand().to_svg()
    assert "1000 calls in 65 lanes" in words(svg) and "call_7" not in words(svg)
    bars = [e.get("d", "") for e in ElementTree.fromstring(svg).iter(f"{SVG}path") if e.get("d", "").endswith("z")]
    assert [path.count("M") for path in bars[-3:]] == [916, 83, 1]  # reads, writes, a ghost; one write was cancelled


def test_what_did_not_go_well_is_seen_in_lanes_in_a_curve_and_in_text() -> None:
    lanes, curve = thousand().to_svg(), thousand(1000).to_svg()
    assert ink(lanes, FAILED) == 2 + 3  # at the ends of two bars, and all three in the strip
    assert ink(curve, FAILED) == 3
    for svg in (lanes, curve):
        assert "did not go well" in words(svg)
        assert words(svg)[-1].endswith("order kept · 1 cancelled · 1 error · 1 timeout")
    rows = repr(thousand()).splitlines()
    assert len(rows) == 43
    assert rows[32] == "… 961 more calls · 1 cancelled · 1 error · 1 timeout …"


def test_rows_that_are_not_shown_are_counted() -> None:
    calls = (PlannedCall("call", "read_file", "read"),) * 1000
    assert "\n… 961 more calls …\n" in repr(Timeline.predict(Plan("serial", calls, (frozenset(),) * 1000), 0.05))


def test_too_many_lanes_become_a_curve_that_says_what_it_shows() -> None:
    told = words(thousand(1000).to_svg())
    assert "1000 calls, at most 999 at once" in told
    assert {"most at once in a pixel", "read, average", "write, average", "999"} <= set(told)


def test_turns_are_marked_while_they_can_be_told_apart() -> None:
    few, many = (Timeline.from_trace(long_trace(turns)).to_svg() for turns in (30, 300))
    assert "60 calls of 30 turns in 2 lanes" in words(few) and "a turn begins" in words(few)
    assert "600 calls of 300 turns, at most 2 at once" in words(many) and "a turn begins" not in words(many)


def test_prediction_and_measurement_of_many_calls_share_one_axis() -> None:
    predicted = replace(thousand(), source="predicted")
    svg = compare(predicted, thousand()).to_svg()
    assert words(svg).count("1000 calls in 65 lanes") == 2


# A long trace


def test_a_trace_of_a_hundred_thousand_lines_is_read_and_drawn_in_two_seconds(tmp_path: Path) -> None:
    def shown(lines: list[dict[str, Any]]) -> tuple[float, str]:
        path = tmp_path / f"{len(lines)}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return seconds_of(lambda: Timeline.from_trace(Trace.load(path)).to_svg())

    lines = long_trace(11_200)
    assert len(lines) > 100_000
    quarter, _ = shown(lines[: len(lines) // 4])
    whole, svg = shown(lines)
    assert whole < 2.0
    assert whole < 6.5 * quarter  # linear would be 4, quadratic 16
    assert len(svg) < 100_000
    assert "22400 calls of 11200 turns, at most 2 at once" in words(svg)
    assert ink(svg, FAILED) > 300  # of 460 failures; those on one pixel are one mark
    assert " errors" in words(svg)[-1]


def test_a_long_run_comes_apart_into_its_turns_in_linear_time() -> None:
    timeline = Timeline.from_trace(long_trace(4_000))
    took, turns = seconds_of(timeline.batches)
    assert took < 1.0
    assert len(turns) == 4_000
    assert all(turn.order_kept and len(turn.spans) == 2 and turn.spans[0].begin == 0 for turn in turns)
    assert sum(turn.wall for turn in turns) == pytest.approx(timeline.wall)


ends_and_starts = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=8)


@given(ends_and_starts, ends_and_starts)
def test_an_end_belongs_to_the_first_open_call_of_its_name_or_else_to_the_first(
    starts: list[tuple[str, str]], ends: list[tuple[str, str]]
) -> None:
    """The rule as one would write it down, looking at every open call for every end."""
    open_calls = list(enumerate(starts))
    expected = {}
    for number, label in enumerate(ends):
        if open_calls:
            same = [place for place, (_, start) in enumerate(open_calls) if start == label]
            expected[open_calls.pop((same or [0])[0])[0]] = float(number)
    lines = [event("tool_start", call_id=i, name=n, kind="read") for i, n in starts]
    lines += [
        event("tool_finished", call_id=i, name=n, ok=True, started=0.0, finished=float(number))
        for number, (i, n) in enumerate(ends)
    ]
    spans, answered = measure(lines)
    assert answered == tuple(expected)
    assert {i: span.finished for i, span in enumerate(spans) if span.state == "ok"} == expected


@given(plans(), st.integers(1, 13), st.integers(1, 40))
def test_the_curve_adds_up_to_the_work_and_its_edge_to_the_peak(
    case: tuple[Plan, list[float]], slots: int, columns: int
) -> None:
    timeline = Timeline.predict(*case, slots)
    if timeline.end < 1e-6:
        return
    found = load(timeline.spans, timeline.end, columns)
    average = [reads + writes for reads, writes in zip(found.reads, found.writes, strict=True)]
    assert sum(average) * timeline.end / columns == pytest.approx(timeline.total, abs=1e-6)
    assert max(found.most) == timeline.peak
    assert all(most >= mean - 1e-6 for most, mean in zip(found.most, average, strict=True))


# A batch that still goes on


def heard(spans: tuple[Span, ...], now: float) -> list[dict[str, Any]]:
    """What a listener has heard by ``now``: all starts, and the ends so far in order of completion."""
    lines = written(*spans, order=tuple(sorted(range(len(spans)), key=lambda i: spans[i].finished or 0.0)))
    return [line for line in lines if (line["payload"].get("finished") or 0.0) <= now]  # type: ignore[attr-defined]


def test_a_batch_at_work_as_text_can_be_counted_character_by_character() -> None:
    spans = Timeline.predict(FIVE, SECONDS).spans
    assert repr(Timeline.live(FIVE, heard(spans, 0.15), 0.15)).splitlines() == [
        "barriers · 5 calls · measured",
        "                      0         40        80        120 ms",
        "call_1  read_file     ███████████████                            60",
        "call_2  list_files    ██████████                                 40",
        "call_3  search_text   ██████████████████████████████            120",
        "call_4  edit_file     ······························▓▓▓▓▓▓▓▓…    30 running",
        "call_5  read_lines    ······································…   waiting",
        "wall 150 ms · sum 250 ms · peak 3 · 1 running · 1 waiting",
    ]


def test_a_batch_at_work_says_so_in_picture_table_and_facts() -> None:
    live = Timeline.live(FIVE, heard(Timeline.predict(FIVE, SECONDS).spans, 0.15), 0.15)
    svg = compare(Timeline.predict(FIVE, SECONDS), live).to_svg()
    assert {"30 ms · running", "waiting"} <= set(words(svg))
    assert ink(svg, FAILED) == 0
    assert live.facts == {"calls": 5, "peak": 3, "order_kept": False, "errors": 0}
    assert [row.split()[-2:] for row in live.table().splitlines()[4:]] == [["120", "running"], ["4", "waiting"]]
    assert "call_4 edit_file waits, then writes from 120 to 150 ms and goes on. call_5 read_lines waits." in svg


def test_before_the_first_event_all_that_may_run_runs() -> None:
    live = Timeline.live(FIVE, [], 0.01, max_parallel=2)
    assert [span.state for span in live.spans] == ["running", "running", "waiting", "waiting", "waiting"]
    refused = Plan("serial", (PlannedCall("a", "x", "refused"), PlannedCall("b", "y", "read")), (frozenset(),) * 2)
    assert [span.state for span in Timeline.live(refused, [], 0.0).spans] == ["refused", "running"]


def test_a_call_behind_a_cancelled_one_is_free_when_those_before_both_have_ended() -> None:
    calls = tuple(PlannedCall(name, "tool", "write") for name in "abc")
    plan = Plan("serial", calls, (frozenset(), frozenset({0}), frozenset({1})))
    lines = written(ran("a", 0.0, 0.1, state="error"), never_ran("b", "cancelled"), ran("c", 0.0, 0.1))[:-1]
    live = Timeline.live(plan, lines, 0.3)
    assert [(span.state, span.started) for span in live.spans] == [
        ("error", 0.0),
        ("cancelled", None),
        ("running", 0.1),
    ]


@given(plans(), st.integers(1, 13), st.floats(0, 1))
def test_law_a_look_at_a_run_that_keeps_to_its_prediction_sees_what_is_so(
    case: tuple[Plan, list[float]], slots: int, share: float
) -> None:
    plan = replace(case[0], calls=tuple(PlannedCall(f"{i}", "tool", c.kind) for i, c in enumerate(case[0].calls)))
    true = Timeline.predict(plan, case[1], slots)
    now = share * true.end
    seen = Timeline.live(plan, heard(true.spans, now), now, slots)
    for span, fact in zip(seen.spans, true.spans, strict=True):
        assert fact.started is not None and fact.finished is not None
        if fact.finished <= now:
            assert (span.state, span.started, span.finished) == ("ok", fact.started, fact.finished)
        elif fact.started <= now:
            assert (span.state, span.started, span.finished) == ("running", pytest.approx(fact.started), now)
        else:
            assert (span.state, span.started) == ("waiting", None)
