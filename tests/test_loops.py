"""Models that repeat themselves: what each of them asks for, what becomes of it, and what it costs."""

from __future__ import annotations

import re

import pytest

from labkit import RetryGuard, ToolCall, ToolRegistry, ToolRuntime
from labkit.course.loops import MODELS, Desk, Growth, compared, play, requests, sent_by_both, told_in_text
from labkit.course.loops.models import last_answers
from labkit.course.loops.report import SHOWN, folded
from labkit.course.loops.samples import asked, reached, said, text_of, turns
from labkit.history import CLOSING_QUESTION, blocks, broken, tokens
from labkit.timeline.shapes import READ

# with the guard: how the run ends, and how many calls reach their tool; then the same without it
ENDS = {
    "same_call": ("stalled", 3, "max_turns", 12),
    "two_in_turn": ("stalled", 4, "max_turns", 12),
    "three_in_turn": ("stalled", 6, "max_turns", 12),
    "other_spelling": ("stalled", 3, "max_turns", 12),
    "refused_each_time": ("stalled", 0, "max_turns", 0),
    "no_such_tool": ("stalled", 0, "max_turns", 0),
    "polls_a_job_that_stands": ("stalled", 3, "max_turns", 12),
    "polls_a_job_that_moves": ("final_answer", 6, "final_answer", 6),
    "tests_and_edits": ("final_answer", 7, "final_answer", 7),
    "flips_an_edit": ("max_turns", 12, "max_turns", 12),
    "too_many_at_once": ("stalled", 36, "max_turns", 96),
}


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def runtime(desk: Desk) -> ToolRuntime:
    return ToolRuntime(ToolRegistry(desk.tools()))


def content(runtime: ToolRuntime, name: str, **arguments: object) -> str:
    return runtime.dispatch(ToolCall("c", name, arguments)).content


# ---- the desk ----


def test_the_tools_of_the_desk_do_what_they_say(desk: Desk, runtime: ToolRuntime) -> None:
    assert content(runtime, "read_file", path="notes.txt") == desk.files["notes.txt"]
    assert content(runtime, "read_lines", path="prices.py", start_line=2, end_line=3) == "MINT = 1\nBASIL = 1"
    assert content(runtime, "search_text", query="pots", limit=2) == (
        "order_1.txt: order 1: 2 pots\norder_2.txt: order 2: 3 pots"
    )
    assert content(runtime, "search_text", query="mint") == 'no line holds "mint"'
    assert content(runtime, "edit_file", path="prices.py", old="= 1", new="= 2").startswith("ERROR [not_unique]")
    assert content(runtime, "edit_file", path="prices.py", old="TEA = 1", new="TEA = 4") == "edited prices.py"
    assert desk.files["prices.py"].startswith("TEA = 4\n")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "x"}),
        ("read_lines", {"path": "x", "start_line": 1, "end_line": 1}),
        ("edit_file", {"path": "x", "old": "a", "new": "b"}),
        ("job_status", {"job": "x"}),
    ],
)
def test_what_is_not_on_the_desk_is_refused_with_a_hint(
    runtime: ToolRuntime, name: str, arguments: dict[str, object]
) -> None:
    result = runtime.dispatch(ToolCall("c", name, arguments))
    assert result.error is not None and result.error.code == "not_found" and result.error.hint


def test_the_backup_moves_and_the_printer_does_not(runtime: ToolRuntime) -> None:
    moving = [content(runtime, "job_status", job="backup") for _ in range(8)]
    assert len(set(moving)) == 6 and moving[5:] == 3 * ["done: 6 of 6 files copied"]
    assert len({content(runtime, "job_status", job="print") for _ in range(4)}) == 1


def test_the_test_passes_when_the_prices_are_right_and_is_no_failed_call_before(runtime: ToolRuntime) -> None:
    before = runtime.dispatch(ToolCall("c", "run_test", {}))
    assert (before.ok, before.error) == (False, None)
    for old, new in (("TEA = 1", "TEA = 4"), ("MINT = 1", "MINT = 2"), ("BASIL = 1", "BASIL = 3")):
        content(runtime, "edit_file", path="prices.py", old=old, new=new)
    assert runtime.dispatch(ToolCall("c", "run_test", {})).ok


# ---- the models ----


def test_every_model_is_listed_with_its_end() -> None:
    assert list(ENDS) == list(MODELS)
    assert len({habit.title for habit in MODELS.values()}) == len(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_the_guard_stops_circles_and_leaves_work_alone(name: str) -> None:
    on, off = play(name), play(name, guard=None)
    assert (on.run.stop_reason, on.executed, off.run.stop_reason, off.executed) == ENDS[name]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("limits", [(1, 1), (3, 2), (12, 8), (30, 16)])
@pytest.mark.parametrize("guard", [None, RetryGuard(1, 1), RetryGuard(5, 6)])
@pytest.mark.parametrize("gives_in", [False, True])
def test_whatever_the_limits_the_history_is_whole_and_ends_in_an_answer(
    name: str, limits: tuple[int, int], guard: RetryGuard | None, gives_in: bool
) -> None:
    played = play(name, guard=guard, gives_in=gives_in, max_turns=limits[0], max_calls_per_turn=limits[1])
    assert broken(played.run.messages) == []
    assert played.run.messages[-1] == {"role": "assistant", "content": played.run.answer}
    assert played.run.answer.endswith(".") and len(played.run.turns) <= limits[0] + 1
    assert len(played.rows) == len(played.run.tool_calls)


@pytest.mark.parametrize("name", [name for name, ends in ENDS.items() if ends[0] == "stalled"])
def test_one_that_gives_in_answers_in_the_turn_after_the_ban(name: str) -> None:
    keeps, gives = play(name), play(name, gives_in=True)
    assert gives.run.stop_reason == "final_answer"
    assert len(gives.run.turns) < len(keeps.run.turns)


@pytest.mark.parametrize("name", MODELS)
def test_without_a_guard_nobody_is_told_but_of_the_limit_on_calls(name: str) -> None:
    unguarded = play(name, guard=None, gives_in=True)
    assert unguarded.run.stop_reason == ("final_answer" if name == "too_many_at_once" else ENDS[name][2])


def test_a_model_finds_its_place_in_the_history_alone() -> None:
    messages = play("tests_and_edits").run.messages
    for position, message in enumerate(messages):
        if message["role"] == "assistant":
            reply = MODELS["tests_and_edits"]().reply(messages[:position], [])
            asked_then = [(call["id"], call["name"]) for call in message.get("tool_calls", [])]
            assert [(call.id, call.name) for call in reply.tool_calls] == asked_then


def test_the_closing_question_is_answered_by_every_model() -> None:
    for habit in MODELS.values():
        reply = habit().reply([{"role": "user", "content": CLOSING_QUESTION}], [])
        assert reply.content and not reply.tool_calls


def test_the_last_answers_are_those_of_the_last_turn_only() -> None:
    assert said(last_answers(turns(2, 3))) == "b1 b2 b3"
    assert last_answers(turns()) == []


def test_an_unknown_model_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="there are same_call, two_in_turn"):
        play("patient")


# ---- the log ----


def test_a_row_says_in_a_word_what_came_back() -> None:
    def words(name: str) -> list[str]:
        return [row.came for row in play(name).rows]

    assert words("same_call") == ["ran"] * 3 + ["banned"] * 2
    assert words("two_in_turn") == ["failed"] * 4 + ["banned"] * 2
    assert words("refused_each_time") == ["refused"] * 2 + ["banned"] * 2
    assert words("too_many_at_once")[:12] == ["ran"] * 8 + ["too many"] * 4


def test_what_the_loop_says_is_told_once_of_each_kind() -> None:
    assert play("polls_a_job_that_moves").told == []
    told = play("too_many_at_once").told
    assert [re.match(r"ERROR \[(\w+)\]|The same calls", text)[0] for text in told] == [  # type: ignore[index]
        "ERROR [too_many_calls]",
        "ERROR [tool_banned]",
        "The same calls",
    ]
    assert play("flips_an_edit").told == [CLOSING_QUESTION]


def test_the_log_in_words_is_as_wide_as_a_page_and_says_what_it_leaves_out() -> None:
    for name in MODELS:
        for guard in (None, RetryGuard()):
            text = told_in_text(play(name, guard=guard, max_turns=30, max_calls_per_turn=16))
            assert max(map(len, text.splitlines())) <= 76, name
    many = play("too_many_at_once", guard=None)
    assert len(folded(many.rows)) == 19 and folded(many.rows[:SHOWN]) == many.rows[:SHOWN]
    assert f"{len(many.rows) - 18} more calls" in told_in_text(many)


def test_the_comparison_names_both_runs() -> None:
    lines = compared(play("same_call"), play("same_call", guard=None)).splitlines()
    assert [line.split("  ")[0] for line in lines] == ["with the guard", "without the guard max_turns"]
    assert "3 executed calls" in lines[0] and "12 executed calls" in lines[1]


# ---- the bill ----


def test_a_request_carries_all_that_came_before_it_but_the_error_field() -> None:
    messages = play("two_in_turn").run.messages
    sent = [{key: m[key] for key in m if key != "error"} for m in messages]
    at = [position for position, message in enumerate(messages) if message["role"] == "assistant"]
    assert requests(messages) == tuple(tokens(sent[:position]) for position in at)
    assert any("error" in message for message in messages)


def test_the_sum_grows_as_the_square_and_trimmed_it_does_not() -> None:
    def sums(max_tokens: int | None) -> list[int]:
        runs = (play("same_call", guard=None, max_turns=turns).run for turns in (20, 40, 80))
        return [sum(requests(run.messages, max_tokens)) for run in runs]

    whole, trimmed = sums(None), sums(400)
    assert 3.5 < whole[1] / whole[0] < 4.2 and 3.5 < whole[2] / whole[1] < 4.2
    assert 1.8 < trimmed[2] / trimmed[1] < 2.2


def test_bars_in_text_have_the_length_of_their_numbers() -> None:
    lines = repr(Growth({"one": (10, 20, 40), "two": (40,)})).splitlines()
    assert [line.count("█") for line in lines[1:4]] == [4 + 16, 8, 16]
    assert lines[-2:] == ["one: 70 tokens in 3 requests", "two: 40 tokens in 1 request"]
    assert "…" in repr(Growth({"one": range(1, 40)})) and "…" not in repr(Growth({"one": range(1, 17)}))


@pytest.mark.parametrize("runs", [{}, {"none": ()}, {"one": (5,)}, {"a": range(1, 2001), "b": range(1, 90)}])
def test_any_number_of_requests_can_be_drawn(runs: dict[str, tuple[int, ...]]) -> None:
    growth = Growth(runs)
    assert growth._repr_svg_().count("<rect") < 120
    assert repr(growth).count("\n") < 22


def test_the_picture_has_a_bar_for_each_request_and_says_its_sums() -> None:
    growth = sent_by_both(play("same_call"), play("same_call", guard=None))
    svg = growth._repr_svg_()
    assert svg.count(f'fill="{READ}"') == 6 + 1 and svg.count('fill="url(#gw)"') == 13 + 1  # and the patch at the foot
    assert f'<desc id="gd">{growth.said}</desc>' in svg
    assert growth.sums == {"with the guard": 1165, "without the guard": 4810}


# ---- what the exercises are made of ----


def test_samples_are_what_they_say() -> None:
    assert said(turns(2, 1)) == "task a a1 a2 b b1" and broken(turns(2, 1)) == []
    assert [len(block) for block in blocks(turns(2, 1))] == [1, 3, 2]
    assert [text_of(call) for call in asked(2)] == ["text of 1.txt", "text of 2.txt"]
    assert reached(lambda calls, run, limit: [run(call) and call for call in calls[limit:]], 4, 2) == [
        "call_3",
        "call_4",
    ]
