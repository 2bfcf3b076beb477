"""Timelines: the picture of five calls as values, and laws that hold for any plan and any trace."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.schedule import POLICIES, Plan, PlannedCall
from labkit.timeline import Span, Timeline, compare
from labkit.timeline.words import RULES
from labkit.trace import Trace

FIVE = Plan(
    "barriers",
    tuple(
        PlannedCall(f"call_{number}", name, "write" if name == "edit_file" else "read")
        for number, name in enumerate(["read_file", "list_files", "search_text", "edit_file", "read_lines"], 1)
    ),
    (frozenset(), frozenset(), frozenset(), frozenset({0, 1, 2}), frozenset({3})),
)
SECONDS = (0.060, 0.040, 0.120, 0.080, 0.060)
SVG = "{http://www.w3.org/2000/svg}"


def event(name: str, /, **payload: object) -> dict[str, object]:
    return {"type": "event", "event": name, "payload": payload}


def written(*spans: Span, order: tuple[int, ...] | None = None) -> list[dict[str, object]]:
    """The lines that a run of these spans leaves: one turn, results in call order or in the order given."""
    codes = {"ok": None, "error": "failed", "refused": "unknown_tool"}
    lines = [event("decision", step=1), event("tool_batch", mode="parallel", size=len(spans))]
    lines += [event("tool_start", call_id=span.call_id, name=span.name, kind=span.kind) for span in spans]
    for span in (spans[i] for i in order or range(len(spans))):
        line = event("tool_finished", call_id=span.call_id, name=span.name, ok=span.state == "ok")
        line["payload"] |= {"started": span.started, "finished": span.finished}  # type: ignore[operator]
        code = codes.get(span.state, span.state)
        line["payload"] |= ({"code": code} if code else {}) | ({"abandoned": True} if span.ghost else {})  # type: ignore[operator]
        lines.append(line)
    return lines


def ran(call_id: str, start: float, end: float, kind: str = "read", state: str = "ok", ghost: bool = False) -> Span:
    return Span(call_id, "tool", kind, 0.0, start, end, state, ghost)  # type: ignore[arg-type]


def never_ran(call_id: str, state: str, kind: str = "write") -> Span:
    return Span(call_id, "tool", kind, 0.0, None, None, state)  # type: ignore[arg-type]


def words(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def display_width(text: str) -> int:
    return sum(0 if unicodedata.combining(ch) else 1 + (unicodedata.east_asian_width(ch) in "WF") for ch in text)


# The picture of five calls


def test_five_calls_as_text_can_be_counted_character_by_character() -> None:
    assert repr(Timeline.predict(FIVE, SECONDS)).splitlines() == [
        "barriers · 5 calls · predicted",
        "                      0         100       200 ms",
        "call_1  read_file     ██████                       60",
        "call_2  list_files    ████                         40",
        "call_3  search_text   ████████████                120",
        "call_4  edit_file     ············▓▓▓▓▓▓▓▓         80",
        "call_5  read_lines    ····················██████   60",
        "wall 260 ms · sum 360 ms · peak 3 · order kept",
    ]


def test_five_calls_as_values() -> None:
    timeline = Timeline.predict(FIVE, SECONDS)
    assert [(span.started, span.finished) for span in timeline.spans] == [
        (0.0, 0.06),
        (0.0, 0.04),
        (0.0, 0.12),
        (0.12, 0.2),
        (0.2, 0.26),
    ]
    assert (timeline.wall, timeline.total, timeline.peak, timeline.bound) == (0.26, 0.36, 3, 0.26)
    assert timeline.speed_up == pytest.approx(36 / 26)
    assert timeline.facts == {"calls": 5, "peak": 3, "order_kept": True, "errors": 0}


def test_five_calls_as_a_table() -> None:
    assert Timeline.predict(FIVE, SECONDS).table().splitlines() == [
        "   call    tool         kind   waits for  start ms  end ms  state",
        "1  call_1  read_file    read   nobody            0      60  ok",
        "2  call_2  list_files   read   nobody            0      40  ok",
        "3  call_3  search_text  read   nobody            0     120  ok",
        "4  call_4  edit_file    write  1-3             120     200  ok",
        "5  call_5  read_lines   read   4               200     260  ok",
    ]


def test_five_calls_as_a_picture_with_barriers_hatch_and_a_description() -> None:
    svg = Timeline.predict(FIVE, SECONDS).to_svg()
    root = ElementTree.fromstring(svg)
    assert {"read", "write", "60 ms", "80 ms", "120 ms", "search_text", "PREDICTED"} <= set(words(svg))
    assert sum(rect.get("fill", "").endswith("w)") for rect in root.iter(f"{SVG}rect")) == 1
    assert sum(line.get("stroke-dasharray") == "2 3" for line in root.iter(f"{SVG}line")) == 2
    assert sum(line.get("stroke-dasharray") == "1 3" for line in root.iter(f"{SVG}line")) == 2
    described = root.findtext(f"{SVG}desc") or ""
    assert "call_4 edit_file waits, then writes from 120 to 200 ms." in described
    assert root.get("aria-labelledby", "").split() == [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]  # type: ignore[union-attr]


def test_no_barrier_is_drawn_for_another_policy() -> None:
    timeline = Timeline.predict(replace(FIVE, policy="by_resource"), SECONDS)
    root = ElementTree.fromstring(timeline.to_svg())
    assert not [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray") == "2 3"]


# Predicting


def test_a_slot_that_frees_goes_to_the_first_ready_call() -> None:
    plan = Plan("serial", tuple(PlannedCall(c, "tool", "read") for c in "abcd"), (frozenset(),) * 4)
    timeline = Timeline.predict(plan, [3, 1, 1, 1], max_parallel=2)
    assert [span.started for span in timeline.spans] == [0, 0, 1, 2]
    assert repr(timeline).endswith("wall 3 s · sum 6 s · peak 2 of 2 · order kept")


def test_a_call_may_wait_for_a_later_one() -> None:
    calls = (PlannedCall("a", "edit", "write"), PlannedCall("b", "read", "read"))
    timeline = Timeline.predict(Plan("reads_first", calls, (frozenset({1}), frozenset())), [2, 1])
    assert [span.started for span in timeline.spans] == [1, 0]


def test_a_refused_call_takes_neither_time_nor_slot_nor_anybody_s_place() -> None:
    calls = (PlannedCall("a", "nope", "refused"), PlannedCall("b", "read", "read"))
    for nothing in (None, 0, 5.0):
        timeline = Timeline.predict(Plan("serial", calls, (frozenset(), frozenset({0}))), [nothing, 1], max_parallel=1)
        assert [(span.started, span.state) for span in timeline.spans] == [(None, "refused"), (0, "ok")]


def test_one_number_stands_for_all() -> None:
    assert Timeline.predict(FIVE, 0.1).wall == 0.3


@pytest.mark.parametrize(
    ("durations", "says"),
    [
        ([1, 2, 3], "takes 5 durations, one per call; not 3"),
        ([1, 1, 1, -1, 1], "call 4 is a number of seconds from 0 to 1e\\+09; not -1"),
        ([1, math.nan, 1, 1, 1], "call 2 .*not nan"),
        ([1, 1, math.inf, 1, 1], "call 3 .*not inf"),
        ([None, 1, 1, 1, 1], "call 1 .*not null"),
        (["1", 1, 1, 1, 1], 'call 1 .*not "1"'),
        (-1.0, "call 1 .*not -1.0"),
        ("12345", "one entry per call"),
        ({"call_1": 1}, "one entry per call"),
    ],
)
def test_impossible_durations_are_refused_by_name(durations: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Timeline.predict(FIVE, durations)  # type: ignore[arg-type]


@pytest.mark.parametrize("slots", [0, -1, 1.5, True])
def test_impossible_slots_are_refused(slots: object) -> None:
    with pytest.raises(ValueError, match="max_parallel is a whole number from 1"):
        Timeline.predict(FIVE, SECONDS, max_parallel=slots)  # type: ignore[arg-type]


def test_calls_that_wait_in_a_circle_are_refused() -> None:
    calls = (PlannedCall("a", "x", "read"), PlannedCall("b", "y", "read"))
    with pytest.raises(ValueError, match="circle"):
        Timeline.predict(Plan("made up", calls, (frozenset({1}), frozenset({0}))), [1, 1])


# Reading a trace


def test_calls_are_told_apart_by_position_when_ids_repeat() -> None:
    spans = (ran("same", 0.0, 1.0), ran("same", 0.0, 3.0), ran("same", 0.0, 2.0))
    timeline = Timeline.from_trace(written(*spans))
    assert [span.finished for span in timeline.spans] == [1.0, 3.0, 2.0]
    assert timeline.order_kept


def test_results_out_of_order_find_their_call_and_are_not_called_kept() -> None:
    spans = (ran("a", 0.0, 2.0), ran("b", 0.0, 1.0))
    timeline = Timeline.from_trace(written(*spans, order=(1, 0)))
    assert timeline.spans == spans
    assert not timeline.order_kept
    assert "order kept" not in repr(timeline)


def test_turns_become_batches_that_start_at_zero() -> None:
    first, second = (ran("a", 0.5, 1.0), ran("b", 0.5, 0.7)), ran("c", 2.25, 2.5)
    lines = [*written(*first), event("decision", step=2), *written(second)[2:]]
    timeline = Timeline.from_trace(lines, title="serial")
    assert [span.batch for span in timeline.spans] == [0, 0, 1]
    assert (timeline.wall, timeline.end) == (0.75, 2.5)
    assert repr(timeline).startswith("serial · 3 calls in 2 turns · measured\n")
    one, two = timeline.batches()
    assert [(span.started, span.finished) for span in one.spans] == [(0.0, 0.5), (0.0, 0.2)]
    assert [(span.begin, span.started, span.finished) for span in two.spans] == [(0.0, 0.0, 0.25)]
    assert one.order_kept and two.order_kept and two.title == "serial"


def test_a_trace_that_breaks_off_is_drawn_as_far_as_it_goes() -> None:
    lines = written(ran("a", 0.0, 1.0), ran("b", 0.0, 2.0), ran("c", 1.0, 2.0))[:-1]
    timeline = Timeline.from_trace(lines)
    assert [span.state for span in timeline.spans] == ["ok", "ok", "unfinished"]
    assert not timeline.order_kept
    assert repr(timeline).splitlines()[4].endswith("?  unfinished")
    assert "unfinished" in words(timeline.to_svg())


def test_a_trace_object_and_its_lines_are_the_same_and_other_lines_do_not_matter() -> None:
    trace = Trace()
    for line in written(ran("a", 0.0, 1.0)):
        trace.record(line)
        if line["event"] == "tool_start":
            trace.record({"type": "message", "message": {"role": "tool", "content": "x", "tool_call_id": "a"}})
    assert (
        Timeline.from_trace(trace) == Timeline.from_trace(trace.lines) == Timeline.from_trace(written(ran("a", 0, 1)))
    )


def test_bad_news_from_a_tool_that_worked_is_no_error() -> None:
    end = event("tool_finished", call_id="a", name="run_test", ok=False, started=0.0, finished=1.0)
    lines = [event("tool_start", call_id="a", name="run_test", kind="write"), end]
    assert Timeline.from_trace(lines).facts["errors"] == 0
    end["payload"] |= {"code": "execution_error"}  # type: ignore[operator]
    assert Timeline.from_trace(lines).spans[0].state == "error"
    assert Timeline.from_trace(lines).facts["errors"] == 1


def test_what_did_not_go_well_is_said_in_words_in_text_and_picture() -> None:
    spans = (
        ran("a", 0.0, 0.1, state="error"),
        ran("b", 0.0, 0.3, state="timeout", ghost=True),
        never_ran("c", "refused", "refused"),
        never_ran("d", "cancelled"),
        ran("e", 0.3, 0.4, state="timeout"),
    )
    timeline = Timeline.from_trace(written(*spans))
    assert timeline.spans == spans
    assert repr(timeline).splitlines()[1:] == [
        "          0         100       200       300       400 ms",
        "a  tool   ██████████                                   100 error",
        "b  tool   ██████████████████████████████░░░░░░░░░░░░→  300 timeout",
        "c  tool   \N{MULTIPLICATION SIGN}                                            refused",
        "d  tool   \N{MULTIPLICATION SIGN}                                            cancelled",
        "e  tool   ······························██████████     100 timeout",
        "wall 400 ms · sum 500 ms · peak 2 · order kept · 1 cancelled · 1 error · 1 refused · 2 timeouts",
    ]
    found = words(timeline.to_svg())
    assert {"100 ms · error", "timeout · thread goes on →", "refused", "cancelled", "100 ms · timeout"} <= set(found)


def test_a_measurement_does_not_know_who_waited_for_whom() -> None:
    assert Timeline.from_trace(written(ran("a", 0.0, 1.0))).bound is None


# The busiest moment


@pytest.mark.parametrize(
    ("spans", "peak"),
    [
        ((), 0),
        ((never_ran("a", "refused"),), 0),
        ((ran("a", 0.0, 0.1), ran("b", 0.1, 0.2)), 1),
        ((ran("a", 0.0, 0.1 + 0.2), ran("b", 0.3, 0.4)), 1),
        ((ran("a", 0.0, 0.2), ran("b", 0.1, 0.3), ran("c", 0.25, 0.3)), 2),
        ((ran("a", 0.1, 0.1), ran("b", 0.1, 0.1)), 1),
        ((ran("a", 0.0, 0.2), ran("b", 0.1, 0.1)), 2),
        ((ran("a", 0.1, 0.2), ran("b", 0.1, 0.1)), 1),
    ],
)
def test_ends_that_touch_do_not_overlap(spans: tuple[Span, ...], peak: int) -> None:
    assert Timeline(spans).peak == peak


# Text and picture hold what they are given


def test_long_wide_and_broken_names_keep_the_columns() -> None:
    names = ["x" * 300, "天气查询工具的很长的名字啊", "two\nlines\x00", "\ud800", "", "e\u0301" * 8, "a<b>&\"'"]
    calls = tuple(PlannedCall(f"{name}{i}", name, "read") for i, name in enumerate(names))
    timeline = Timeline.predict(Plan("a<b & \x07", calls, (frozenset(),) * len(calls)), 0.05)
    rows = repr(timeline).splitlines()[2:-1]
    assert len(rows) == len(names)
    assert len({display_width(row[: row.index("█")]) for row in rows}) == 1
    assert all(display_width(row) <= 76 for row in rows)
    assert "two\\nlines\\x00" in repr(timeline) and "two\\nlines\\x00" in words(timeline.to_svg())
    assert len(timeline.table().splitlines()) == len(names) + 1


def test_the_shortest_call_is_one_mark_and_no_false_zero() -> None:
    plan = replace(FIVE, calls=FIVE.calls[:2], waits_for=FIVE.waits_for[:2])
    row = repr(Timeline.predict(plan, [0.000_001, 0.4])).splitlines()[2]
    assert row.count("█") == 1
    assert row.endswith(" <1")


@pytest.mark.parametrize(
    ("seconds", "axis", "footer"),
    [
        (2.0, "0         0.4       0.8       1.2       1.6       2 s", "wall 2 s · sum 2 s"),
        (0.0125, "0         4         8         12 ms", "wall 12.5 ms · sum 12.5 ms"),
        (0.000_08, "0         20        40        60        80 µs", "wall 80 µs · sum 80 µs"),
        (0.0, "0 ms", "wall 0 ms · sum 0 ms"),
    ],
)
def test_the_unit_suits_the_length(seconds: float, axis: str, footer: str) -> None:
    rows = repr(Timeline.predict(Plan("serial", FIVE.calls[:1], (frozenset(),)), [seconds])).splitlines()
    assert rows[1].strip() == axis
    assert rows[3].startswith(footer)


def test_no_calls_are_a_timeline_too() -> None:
    nothing = Timeline.predict(Plan("serial", (), ()), [])
    assert repr(nothing) == "serial · no calls · predicted"
    assert (nothing.wall, nothing.peak, nothing.bound, nothing.speed_up) == (0.0, 0, 0.0, 1.0)
    assert ElementTree.fromstring(nothing.to_svg()).tag == f"{SVG}svg"
    assert nothing.batches() == Timeline.from_trace([]).batches() == ()


def test_two_pictures_on_one_page_share_no_id() -> None:
    one, two = (Timeline.predict(FIVE, seconds).to_svg() for seconds in (0.1, 0.2))
    ids = [{e.get("id") for e in ElementTree.fromstring(svg).iter() if e.get("id")} for svg in (one, two)]
    assert len(ids[0]) == 4 and not ids[0] & ids[1]
    assert one == Timeline.predict(FIVE, 0.1).to_svg()


@pytest.mark.parametrize("width", [479, 0, 780.0])
def test_a_picture_has_a_smallest_width(width: object) -> None:
    assert 'width="480"' in Timeline.predict(FIVE, SECONDS).to_svg(480)
    with pytest.raises(ValueError, match="at least 480"):
        Timeline.predict(FIVE, SECONDS).to_svg(width)  # type: ignore[arg-type]


def test_prediction_and_measurement_share_one_axis() -> None:
    predicted = Timeline.predict(FIVE, SECONDS)
    slower = [replace(span, started=2 * span.started, finished=2 * span.finished) for span in predicted.spans]  # type: ignore[operator]
    picture = compare(predicted, Timeline.from_trace(written(*slower)))
    above, beneath = (part.splitlines() for part in repr(picture).split("\n\n"))
    assert above[1] == beneath[1]
    assert (above[4].count("█"), beneath[4].count("█")) == (6, 12)
    assert beneath[0] == "barriers · 5 calls · measured"
    found = words(picture._repr_svg_())
    assert {"PREDICTED", "MEASURED"} <= set(found)
    assert found[-1].startswith("wall 520 ms, predicted 260 ms · sum 720 ms, predicted 360 ms · peak 3, predicted 3")
    assert picture.facts["measured"] == picture.facts["predicted"]


# Laws


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, list[float]]:
    """Any plan without a circle (a call may wait for later ones), and durations, some of them equal, some zero."""
    order = draw(st.permutations(range(draw(st.integers(1, 12)))))
    waits: list[set[int]] = [set() for _ in order]
    for rank, position in enumerate(order):
        waits[position] = draw(st.sets(st.sampled_from(order[:rank]), max_size=4)) if rank else set()
    kinds = draw(st.lists(st.sampled_from(["read", "read", "write"]), min_size=len(order), max_size=len(order)))
    names = draw(st.lists(st.text(max_size=30), min_size=len(order), max_size=len(order)))
    calls = tuple(PlannedCall(name, name[::-1], kind) for name, kind in zip(names, kinds, strict=True))
    seconds = st.sampled_from([0.0, 0.1, 0.2, 0.3]) | st.floats(0, 20)
    durations = draw(st.lists(seconds, min_size=len(order), max_size=len(order)))
    return Plan(draw(st.sampled_from(["barriers", "serial", "x"])), calls, tuple(map(frozenset, waits))), durations


@given(plans(), st.integers(1, 13))
def test_no_call_starts_before_what_it_waits_for_ends(case: tuple[Plan, list[float]], slots: int) -> None:
    plan, durations = case
    spans = Timeline.predict(plan, durations, slots).spans
    for span, others in zip(spans, plan.waits_for, strict=True):
        assert all(span.started >= spans[other].finished for other in others)  # type: ignore[operator]


@given(plans(), st.integers(1, 13))
def test_bounds_of_any_prediction(case: tuple[Plan, list[float]], slots: int) -> None:
    timeline = Timeline.predict(*case, slots)
    noise = 1e-8
    assert timeline.total == pytest.approx(sum(case[1]), abs=noise)
    assert 1 <= timeline.peak <= slots
    assert timeline.bound is not None
    assert max(timeline.bound, timeline.total / slots) - noise <= timeline.wall <= timeline.total + noise
    if slots >= len(timeline.spans):
        assert timeline.wall == timeline.bound


@given(plans())
def test_one_slot_is_serial(case: tuple[Plan, list[float]]) -> None:
    timeline = Timeline.predict(*case, max_parallel=1)
    assert timeline.wall == timeline.total
    assert timeline.peak == 1


@given(plans(), st.integers(1, 13))
def test_a_prediction_written_as_a_trace_reads_back_as_the_same_spans(
    case: tuple[Plan, list[float]], slots: int
) -> None:
    predicted = Timeline.predict(*case, slots)
    measured = Timeline.from_trace(written(*predicted.spans), title=predicted.title)
    assert measured.spans == predicted.spans
    assert measured.facts == predicted.facts
    assert repr(measured) == repr(replace(predicted, source="measured", max_parallel=None))


@settings(deadline=None)
@given(plans(), st.integers(1, 13), st.lists(st.sampled_from(["error", "timeout", "cancelled", "ghost", "refused"])))
def test_text_and_picture_hold_for_any_calls(case: tuple[Plan, list[float]], slots: int, states: list[str]) -> None:
    timeline = Timeline.predict(*case, slots)
    spans = list(timeline.spans)
    for i, state in enumerate(states[: len(spans)]):
        if state in ("cancelled", "refused"):
            spans[i] = replace(spans[i], state=state, started=None, finished=None)  # type: ignore[arg-type]
        else:
            spans[i] = replace(spans[i], state="timeout" if state == "ghost" else state, ghost=state == "ghost")  # type: ignore[arg-type]
    timeline = replace(timeline, spans=tuple(spans))
    rows = repr(timeline).splitlines()
    assert len(rows) == len(spans) + 3
    assert all(display_width(row) <= 76 and row == row.rstrip() for row in rows[1:-1])
    assert "\n".join(rows) == repr(replace(timeline))
    svg = timeline.to_svg()
    assert svg == replace(timeline).to_svg()
    assert len(ElementTree.fromstring(svg).findtext(f"{SVG}desc", "").split()) >= 5


def test_the_picture_explains_every_policy() -> None:
    assert set(RULES) == set(POLICIES)
