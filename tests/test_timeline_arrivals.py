"""Timelines of calls that become known one after the other: predicted with arrivals, measured with early starts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools_for_tests import calls, quick

from labkit import Plan, Timeline, ToolRegistry, plan
from labkit.calls import ToolCall, ToolResult
from labkit.timeline import Span, compare, predict_gain
from labkit.timeline.shapes import dotted, unknown
from labkit.trace import message, tool_finished, tool_start

REGISTRY = ToolRegistry(
    [
        quick("read", touches=lambda values: ["a"]),
        quick("far", touches=lambda values: ["b"]),
        quick("write", readonly=False, touches=lambda values: ["a"]),
    ]
)
DURATIONS = [0.2, 0.1, 0.05, 0.06]
ARRIVALS = [0.05, 0.16, 0.22, 0.3]


def planned(*names: str, policy: str = "barriers") -> Plan:
    return plan([ToolCall(c.id, c.name, {}) for c in calls(*[(name, "") for name in names])], REGISTRY, policy)


FOUR = planned("read", "read", "write", "read")


def times(timeline: Timeline) -> list[tuple[float | None, float | None]]:
    return [(span.started, span.finished) for span in timeline.spans]


# ---- predicted ----


def test_no_call_starts_before_it_arrives() -> None:
    found = Timeline.predict(planned("read", "far"), [0.1, 0.1], arrivals=[0.3, 0.05])
    assert times(found) == [(0.3, 0.4), (0.05, 0.15)]
    assert [span.known for span in found.spans] == [0.3, 0.05]


def test_a_call_waits_for_its_arrival_for_others_and_for_a_place() -> None:
    late_write = Timeline.predict(FOUR, DURATIONS, arrivals=ARRIVALS)
    assert times(late_write) == [(0.05, 0.25), (0.16, 0.26), (0.26, 0.31), (0.31, 0.37)]
    one_place = Timeline.predict(planned("read", "read", "read"), 0.1, 1, [0.0, 0.05, 0.25])
    assert times(one_place) == [(0.0, 0.1), (0.1, 0.2), (0.25, 0.35)]
    first_come = Timeline.predict(planned("read", "read"), 0.1, 1, [0.05, 0.0])
    assert times(first_come) == [(0.1, 0.2), (0.0, 0.1)]


def test_a_prediction_with_arrivals_can_be_read_as_text() -> None:
    assert repr(Timeline.predict(FOUR, 0.1, arrivals=[0, 0.1, 0.15, 0.2])) == (
        "barriers · 4 calls · predicted\n"
        "                0         100       200       300       400 ms\n"
        "call_1  read    ██████████                                100\n"
        "call_2  read    ----------██████████                      100\n"
        "call_3  write   ---------------·····▓▓▓▓▓▓▓▓▓▓            100\n"
        "call_4  read    --------------------··········██████████  100\n"
        "wall 400 ms · sum 400 ms · peak 1 · order kept\n"
        "- not known yet, · waits"
    )


def test_the_table_has_a_column_for_arrivals_only_where_there_are_some() -> None:
    assert Timeline.predict(FOUR, DURATIONS, arrivals=ARRIVALS).table() == (
        "   call    tool   kind   waits for  known ms  start ms  end ms  state\n"
        "1  call_1  read   read   nobody           50        50     250  ok\n"
        "2  call_2  read   read   nobody          160       160     260  ok\n"
        "3  call_3  write  write  1-2             220       260     310  ok\n"
        "4  call_4  read   read   3               300       310     370  ok"
    )
    assert "known" not in Timeline.predict(FOUR, DURATIONS).table()


def test_all_known_at_once_is_the_picture_without_arrivals() -> None:
    plain, at_once = Timeline.predict(FOUR, DURATIONS), Timeline.predict(FOUR, DURATIONS, arrivals=[0] * 4)
    assert times(plain) == times(at_once)
    assert (repr(plain), plain.table()) == (repr(at_once), at_once.table())
    assert plain.to_svg() == at_once.to_svg()


@pytest.mark.parametrize(
    ("arrivals", "says"),
    [
        ([0.1], "this plan takes 4"),
        (0.1, "arrivals are the seconds at which each call becomes known"),
        ("abcd", "this plan takes 4"),
        ([0, 0, -1, 0], "the arrival of call 3 is a number of seconds from 0"),
        ([0, float("nan"), 0, 0], "the arrival of call 2"),
        ([0, 0, 0, None], "the arrival of call 4"),
    ],
)
def test_impossible_arrivals_are_refused_by_name(arrivals: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Timeline.predict(FOUR, DURATIONS, arrivals=arrivals)


def test_what_is_not_known_yet_is_drawn_and_told_otherwise_than_what_waits() -> None:
    svg = Timeline.predict(FOUR, DURATIONS, arrivals=ARRIVALS).to_svg()
    ET.fromstring(svg)
    dashes = [re.search(r'stroke-dasharray="[^"]*"', each(0, 1, 0)) for each in (unknown, dotted)]
    assert dashes[0] and dashes[1] and dashes[0][0] != dashes[1][0]
    assert svg.count(dashes[0][0]) == 4 + 1, "one per call, one in the legend"
    assert ">not known yet</text>" in svg and ">waits</text>" in svg
    assert "call_3 write is known at 220 ms, then waits, then writes from 260 to 310 ms." in svg
    plain = Timeline.predict(FOUR, DURATIONS).to_svg()
    assert "not known yet" not in plain and dashes[0][0] not in plain


def test_a_refused_call_takes_no_time_and_needs_no_arrival_to_be_drawn() -> None:
    refused = plan([None, ToolCall("1", "read", {})], REGISTRY)
    found = Timeline.predict(refused, [None, 0.1], arrivals=[0.1, 0.0])
    assert [span.state for span in found.spans] == ["refused", "ok"]
    assert "----------\N{MULTIPLICATION SIGN}" in repr(found)


# ---- what early dispatch gains ----


def test_the_gain_on_a_stream_is_that_of_the_last_end() -> None:
    gain = predict_gain(FOUR, DURATIONS, ARRIVALS, 0.34)
    assert times(gain.off) == [(0.34, 0.54), (0.34, 0.44), (0.54, 0.59), (0.59, 0.65)]
    assert times(gain.on) == [(0.05, 0.25), (0.16, 0.26), (0.34, 0.39), (0.39, 0.45)]
    assert gain.seconds == 0.2
    assert repr(gain).endswith(
        "barriers · 4 calls · predicted · early dispatch on\n"
        "                0         200       400       600 ms\n"
        "reply whole     ────────────────┤\n"
        "call_1  read    ---██████████                      200\n"
        "call_2  read    --------█████                      100\n"
        "call_3  write   -----------------▓▓▓                50\n"
        "call_4  read    ---------------·····███             60\n"
        "wall 450 ms · sum 410 ms · peak 2 · reply whole at 340 ms · order kept\n"
        "- not known yet, · waits, ┤ reply whole\n"
        "reply and tools over after 650 ms without early dispatch, 450 ms with it · gained 200 ms"
    )


def test_the_picture_of_a_gain_holds_both_and_the_line_of_the_reply() -> None:
    svg = predict_gain(FOUR, DURATIONS, ARRIVALS, 0.34).to_svg()
    ET.fromstring(svg)
    assert "PREDICTED · EARLY DISPATCH OFF" in svg and "PREDICTED · EARLY DISPATCH ON" in svg
    assert svg.count(">reply whole</text>") == 3, "at both lines, and in the legend"
    assert "gained 200 ms" in svg


def test_nothing_is_gained_where_nothing_may_start_early() -> None:
    assert predict_gain(planned("write", "read"), 0.1, [0.1, 0.2], 0.5).seconds == 0
    assert predict_gain(planned("write", "far", policy="by_resource"), 0.1, [0.1, 0.2], 0.5).seconds == 0
    assert predict_gain(planned("far", "write", policy="by_resource"), [0.4, 0.1], [0.1, 0.2], 0.5).seconds == 0.3


def test_a_read_is_known_only_when_all_before_it_are() -> None:
    gain = predict_gain(planned("read", "read"), 0.1, [0.3, 0.1], 0.4)
    assert [span.started for span in gain.on.spans] == [0.3, 0.3]


def test_a_gain_is_never_more_than_the_tools_or_the_stream_take() -> None:
    all_over = predict_gain(planned("read"), 0.1, [0.0], 1.0)
    assert (all_over.on.end, all_over.seconds) == (1.0, 0.1)


@pytest.mark.parametrize("whole", [0.29, -1, float("inf"), None])
def test_a_reply_is_not_whole_before_its_calls(whole: Any) -> None:
    with pytest.raises(ValueError, match="whole"):
        predict_gain(FOUR, DURATIONS, ARRIVALS, whole)


# ---- measured ----


def lines(*ended: tuple[str, float | None, float | None], whole: float, model: float | None = None) -> list[Any]:
    """The lines of a turn: a reply that was whole at ``whole``, and its calls with their real starts and ends."""
    asked = calls(*[(name, "") for name, _, _ in ended])
    found = [message({"role": "assistant"}, **({} if model is None else {"model_seconds": model}))]
    found += [tool_start(call, "write" if call.name == "write" else "read") for call in asked]
    results = [
        ToolResult(c.id, c.name, True, "", started=a, finished=b) for c, (_, a, b) in zip(asked, ended, strict=True)
    ]
    return found + [tool_finished(result, whole) for result in results]


EARLY = lines(("read", 1.05, 1.25), ("read", 1.16, 1.26), ("write", 1.34, 1.39), whole=1.34, model=0.34)


def test_an_end_event_says_by_how_much_its_tool_was_early() -> None:
    payloads = [line["payload"] for line in EARLY if line.get("event") == "tool_finished"]
    assert [round(payload.get("early", 0), 3) for payload in payloads] == [0.29, 0.18, 0]
    assert "early" not in payloads[2]
    never = tool_finished(ToolResult("c", "read", False, ""), 1.0)
    assert "early" not in never["payload"]


def test_a_trace_with_early_starts_shows_when_the_reply_was_whole() -> None:
    found = Timeline.from_trace(EARLY, title="barriers")
    assert found.replies == ((1.0, 1.34),)
    assert [span.known for span in found.spans] == [1.05, 1.16, 1.34]
    (turn,) = found.batches()
    assert times(turn) == [(0.05, 0.25), (0.16, 0.26), (0.34, 0.39)]
    assert turn.replies == ((0.0, 0.34),)
    assert repr(turn) == (
        "barriers · 3 calls · measured\n"
        "                0         100       200       300 ms\n"
        "reply whole     ─────────────────────────────────┤\n"
        "call_1  read    -----████████████████████                200\n"
        "call_2  read    ----------------██████████               100\n"
        "call_3  write   ----------------------------------▓▓▓▓▓   50\n"
        "wall 390 ms · sum 350 ms · peak 2 · reply whole at 340 ms · order kept\n"
        "- not known yet, · waits, ┤ reply whole"
    )
    assert ">reply whole</text>" in turn.to_svg()
    assert "known ms" in turn.table()


def test_without_the_model_s_seconds_a_turn_begins_with_its_first_call() -> None:
    found = Timeline.from_trace(lines(("read", 1.05, 1.25), ("read", 1.34, 1.4), whole=1.3))
    assert [span.begin for span in found.spans] == [1.05, 1.05]
    assert [span.known for span in found.spans] == [1.05, 1.3]


def test_a_trace_without_early_starts_is_measured_as_before() -> None:
    plain = lines(("read", 1.4, 1.5), ("write", 1.5, 1.6), whole=1.4, model=0.4)
    found = Timeline.from_trace(plain)
    assert found.replies == ()
    assert [(span.begin, span.known, span.whole) for span in found.spans] == [(1.4, None, None)] * 2
    assert "reply whole" not in repr(found) + found.to_svg() + found.table()


def test_a_prediction_and_a_measurement_of_one_stream_share_their_axis() -> None:
    gain = predict_gain(planned("read", "read", "write"), DURATIONS[:3], ARRIVALS[:3], 0.34)
    both = compare(gain.on, Timeline.from_trace(EARLY).batches()[0])
    assert "reply whole at 340 ms, predicted 340 ms" in both.to_svg()
    assert repr(both).count(f"reply whole     {'─' * 33}┤") == 2


def test_several_turns_of_one_run_have_a_reply_each() -> None:
    second = lines(("read", 2.1, 2.2), whole=2.3, model=0.3)
    found = Timeline.from_trace([*EARLY, *second])
    assert [whole for _, whole in found.replies] == [1.34, 2.3]
    row = next(line for line in repr(found).splitlines() if line.startswith("reply whole"))
    assert row.count("┤") == 2
    assert [turn.replies[0][1] for turn in found.batches()] == [0.34, 0.3]
    assert found.to_svg().count(">reply whole</text>") == 2, "one at the lines, one in the legend"


def test_more_calls_than_rows_keep_the_line_of_the_reply() -> None:
    many = planned(*["read"] * 60)
    gain = predict_gain(many, 0.05, [0.01 * n for n in range(60)], 0.7)
    ET.fromstring(gain.to_svg())
    assert gain.on.to_svg().count(">reply whole</text>") == 2


# ---- laws ----

cases = st.lists(
    st.tuples(st.sampled_from(["read", "far", "write"]), st.integers(0, 500), st.integers(0, 500)), max_size=8
)


@settings(deadline=None)
@given(cases, st.integers(1, 3), st.sampled_from(["barriers", "by_resource"]), st.integers(0, 300))
def test_laws_of_arrivals_and_gains(case: list[tuple[str, int, int]], slots: int, policy: str, more: int) -> None:
    made = planned(*[name for name, _, _ in case], policy=policy)
    durations, arrivals = [ms / 1000 for _, ms, _ in case], [ms / 1000 for _, _, ms in case]
    found = Timeline.predict(made, durations, slots, arrivals)
    for position, span in enumerate(found.spans):
        assert span.started is not None and span.started >= arrivals[position]
        assert all(span.started >= (found.spans[i].finished or 0) for i in made[position])
    assert found.peak <= slots
    gain = predict_gain(made, durations, arrivals, max(arrivals, default=0) + more / 1000, 64)
    assert 0 <= gain.seconds <= gain.off.wall
    widest = max(map(len, repr(gain).splitlines()[:-1]), default=0)
    assert widest <= 90
    ET.fromstring(gain.to_svg())
    back = Span("c", "t", "read", 0.0, 0.1, 0.2, known=0.05, whole=0.3)
    assert back.moved(0.5).moved(-0.5) == back
