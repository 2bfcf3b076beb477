"""The thinking behind the concurrency lab: batches as lines, outcomes with and without a disk, runs to look at."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools_for_tests import until

from labkit import POLICIES
from labkit.course.scheduling import (
    LENGTHS,
    MIXES,
    RESOURCES,
    Line,
    Outcome,
    Setting,
    Trial,
    bakery,
    batch,
    differences,
    files,
    outcome,
    trial,
    walls,
    written,
)
from labkit.course.scheduling.report import chain, in_words, numbers, who_waits
from labkit.paths import data

PRICES = "read tea.txt 2\nedit tea.txt 3\nread tea.txt 2"
SAFE = [policy for policy in POLICIES if policy != "reads_first"]


def lines_of(text: str) -> tuple[Line, ...]:
    lines, problems = written(text)
    assert problems == ()
    return lines


def run(text: str, policy: str = "barriers") -> Trial:
    done = Trial(Setting(lines_of(text), policy))
    done()
    return done


# ---- lines ----


@pytest.mark.parametrize(
    ("mix", "kinds"),
    [
        ("reads, one edit, reads", "RRRERR"),
        ("read · edit · read", "RERRER"),
        ("reads only", "RRRRRR"),
        ("reads and edits by turns", "RERERE"),
        ("edits of different files", "EEEEEE"),
    ],
)
def test_each_mix_is_what_its_name_says(mix: str, kinds: str) -> None:
    made = batch(mix, 6, "one file", "equal", 100)
    assert "".join(line.kind[0].upper() for line in made) == kinds
    assert len({line.resource for line in made}) == (6 if mix == "edits of different files" else 1)
    assert "edit" in {line.kind for line in batch(mix, 2, "one file", "equal", 100)} or mix == "reads only"


def test_every_ready_batch_can_be_written_and_read_and_is_soon_over() -> None:
    for mix, count, where, lengths, longest in itertools.product(MIXES, (1, 7, 12), RESOURCES, LENGTHS, (20, 200)):
        made = batch(mix, count, where, lengths, longest)
        assert written("\n".join(line.text for line in made)) == (made, ())
        assert len(made) == count and max(line.ms for line in made) == longest
        assert sum(line.ms for line in made) <= 2_400


@pytest.mark.parametrize(("lengths", "expected"), [("equal", [90] * 3), ("one long", [90, 22, 22])])
def test_lengths_are_shared_out(lengths: str, expected: list[int]) -> None:
    assert [line.ms for line in batch("reads only", 3, "one file", lengths, 90)] == expected
    assert [line.ms for line in batch("reads only", 3, "one file", "growing", 90)] == [30, 60, 90]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("read tea.txt", "has 2 words, not three"),
        ("read", "has 1 word, not three"),
        ("read tea.txt 20 ms", "has 4 words, not three"),
        ("write tea.txt 20", '"write" is none of the two things'),
        ("READ tea.txt 20", '"READ" is none of the two things'),
        ("read ../tea.txt 20", '"../tea.txt" is no name that fits'),
        ("read /etc 20", '"/etc" is no name that fits'),
        ("read a/./b 20", '"a/./b" is no name that fits'),
        ("read a_very_long_name.txt 20", "at most 14 characters"),
        ("read <b> 20", '"<b>" is no name that fits'),
        ("read \ud800 20", "is no name that fits"),
        ("read tea.txt 0", '"0" is no length from 1 to 200'),
        ("read tea.txt 201", '"201" is no length'),
        ("read tea.txt 1e2", '"1e2" is no length'),
        ("read tea.txt ²", "is no length"),
        ("read tea.txt -5", '"-5" is no length'),
    ],
)
def test_a_line_that_can_t_be_read_is_answered_with_what_to_write(row: str, words: str) -> None:
    lines, problems = written(f"\nedit rye.txt 40\n{row}\n")
    assert lines == (Line("edit", "rye.txt", 40),)
    assert len(problems) == 1 and problems[0].startswith("Line 3: ") and words in problems[0]


@pytest.mark.parametrize("resource", ["*", "shop/tea.txt", "北京.txt", "a-b_c"])
def test_files_folders_and_everything_can_be_named(resource: str) -> None:
    assert lines_of(f"  read   {resource}\t20 ") == (Line("read", resource, 20),)


def test_a_text_without_calls_and_one_with_too_many_are_told_apart() -> None:
    assert written(" \n\n")[1] == ("There is no call yet. Write one a line, such as: read tea.txt 120",)
    assert written("read a 1\n" * 13)[1] == ("There are 13 calls; 12 are the most that fit in the picture.",)
    assert written("read a 1\n" * 12)[1] == ()


# ---- outcomes ----


def test_a_read_tells_which_calls_came_before_it() -> None:
    found = outcome(lines_of(PRICES), [0, 1, 2])
    assert found == Outcome(("tea.txt: as it was", "edited", "tea.txt: call_2"), {"tea.txt": "call_2"})
    assert outcome(lines_of(PRICES), [0, 2, 1]).said[2] == "tea.txt: as it was"


def test_folders_and_everything_reach_what_is_in_them() -> None:
    lines = lines_of("edit shop/tea 1\nread shop 1\nread * 1\nread shopping 1\nedit shop 1\nread shop/tea 1")
    said = outcome(lines, range(6)).said
    assert said[1] == "shop: as it was\nshop/tea: call_1"
    assert "shop/tea: call_1" in said[2] and "*: as it was" in said[2]
    assert (said[3], said[5]) == ("shopping: as it was", "shop/tea: call_1 call_5")


@pytest.mark.parametrize(
    ("text", "order", "sentences"),
    [
        (PRICES, [0, 1, 2], ()),
        (PRICES, [0, 2, 1], ("call_3 read tea.txt before call_2 had changed it",)),
        (PRICES, [1, 0, 2], ("call_1 read tea.txt after call_2 had changed it",)),
        ("edit a 1\nedit a 1\nread a 1", [2, 0, 1], ("call_3 read a before call_1 and call_2 had changed it",)),
        ("edit a 1\nedit a 1", [1, 0], ("a does not end as it ends in call order",)),
        ("edit a 1\nread b 1", [1, 0], ()),
    ],
)
def test_what_differs_from_call_order_is_said_in_words(text: str, order: list[int], sentences: tuple[str, ...]) -> None:
    lines = lines_of(text)
    assert differences(lines, outcome(lines, order), outcome(lines, range(len(lines)))) == sentences


def test_a_call_that_said_something_else_altogether_is_told_too() -> None:
    lines = lines_of("read a 1")
    assert differences(lines, Outcome(("ERROR [timeout]: no result",), {"a": ""}), outcome(lines, [0])) == (
        "call_1 (read a) said something else than in call order",
    )


some_lines = st.lists(
    st.builds(
        Line,
        st.sampled_from(["read", "edit"]),
        st.sampled_from(["a", "b", "d", "d/x", "d/y", "dx", "*"]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=7,
).map(tuple)


@given(some_lines, st.sampled_from(SAFE), st.sampled_from([1, 2, 12]))
def test_law_four_policies_end_as_serial_ends(lines: tuple[Line, ...], policy: str, max_parallel: int) -> None:
    assert Setting(lines, policy, max_parallel).warnings == ()


@given(some_lines)
def test_law_reads_first_differs_just_where_a_read_stands_behind_an_edit_of_the_same(lines: tuple[Line, ...]) -> None:
    names = {line.resource for line in lines}
    overtakes = any(
        before.kind == "edit" and after.kind == "read" and files_of(before, names) & files_of(after, names)
        for before, after in itertools.combinations(lines, 2)
    )
    assert bool(Setting(lines, "reads_first").warnings) == overtakes


def files_of(line: Line, names: set[str]) -> set[str]:
    return {n for n in names if line.resource in ("*", n) or n.startswith(f"{line.resource}/")}


def test_the_smallest_batch_that_reads_first_spoils_is_an_edit_and_a_read() -> None:
    each = [Line(kind, name, 1) for kind in ("read", "edit") for name in ("a", "b")]
    spoiled = [
        tuple(line.label for line in lines)
        for count in (1, 2)
        for lines in itertools.product(each, repeat=count)
        if Setting(lines, "reads_first").warnings
    ]
    assert spoiled == [("edit a", "read a"), ("edit b", "read b")]


# ---- runs ----


@settings(max_examples=25, deadline=None)
@given(some_lines, st.sampled_from(list(POLICIES)))
def test_law_a_run_on_real_files_ends_as_the_plan_says(lines: tuple[Line, ...], policy: str) -> None:
    setting = Setting(lines, policy)
    done = Trial(setting)
    done()
    assert done.outcome == outcome(lines, setting.order)
    assert done.warnings == setting.warnings
    assert done.order_kept and done.measured.order_kept and done.measured.facts["errors"] == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_the_price_list_is_spoiled_by_reads_first_only(policy: str) -> None:
    warnings = ("call_3 read tea.txt before call_2 had changed it",) if policy == "reads_first" else ()
    assert run(PRICES, policy).warnings == warnings == Setting(lines_of(PRICES), policy).warnings


class Gate:
    """Stands in place of a call's sleep: holds every call until it is opened, and counts them."""

    def __init__(self) -> None:
        self.opened = Event()
        self.inside = 0

    def __call__(self, seconds: float) -> None:
        self.inside += 1
        assert self.opened.wait(20)


def test_a_run_can_be_looked_at_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate()
    monkeypatch.setattr(files, "sleep", gate)
    going = Trial(Setting(lines_of("read a 40\nread b 40\nedit a 40"), "barriers", max_parallel=1))
    assert [span.state for span in going.measured.spans] == ["running", "waiting", "waiting"]
    thread = Thread(target=going)
    thread.start()
    assert until(lambda: gate.inside == 1)
    early, late = going.measured, going.measured
    assert [span.state for span in early.spans] == ["running", "waiting", "waiting"]
    assert 0 < early.spans[0].last < late.spans[0].last, "a running call is drawn up to now, and grows"
    assert (going.results, going.warnings, going.order_kept) == (None, None, False)
    assert "measured" not in in_words(going.setting, going)
    gate.opened.set()
    thread.join(20)
    assert [span.state for span in going.measured.spans] == ["ok", "ok", "ok"]
    assert [span.name for span in going.measured.spans] == ["read a", "read b", "edit a"]
    first, second = going.measured, going.measured
    assert first == second, "what is over does not grow"


def test_a_run_leaves_no_folder_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []
    real = trial.TemporaryDirectory

    def remembered(**options: Any) -> Any:
        folder = real(**options)
        made.append(Path(folder.name))
        return folder

    monkeypatch.setattr(trial, "TemporaryDirectory", remembered)
    run(PRICES)
    assert len(made) == 1 and not made[0].exists()


def test_the_bakery_is_a_copy() -> None:
    (bakery() / "prices.txt").write_text("rye 9.90\n", encoding="utf-8")
    assert (bakery() / "prices.txt").read_bytes() == data("bakery", "prices.txt").read_bytes() == b"rye 3.80\n"


# ---- in words ----


def test_the_plan_is_told_by_call() -> None:
    assert who_waits(Setting(lines_of("read a 20\nread b 20\nedit a 30"))) == [
        ("call_1", "read a 20 ms", "nobody"),
        ("call_2", "read b 20 ms", "nobody"),
        ("call_3", "edit a 30 ms", "call_1, call_2"),
    ]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("serial", ["call_1", "call_2", "call_3"]), ("reads_first", ["call_3", "call_2"]), ("by_resource", ["call_2"])],
)
def test_the_longest_chain_is_named(policy: str, expected: list[str]) -> None:
    setting = Setting(lines_of("read a 10\nedit b 90\nread c 20"), policy)
    assert chain(setting) == expected
    assert setting.predicted.bound == sum(setting.lines[int(c[-1]) - 1].ms for c in expected) / 1000


def test_the_numbers_of_a_prediction() -> None:
    ahead = Setting(lines_of("read a 20\nread b 40\nedit a 30")).predicted
    assert numbers(ahead) == ("70 ms", "90 ms", "1.29", "2", "70 ms", "kept")


def test_walls_are_those_of_every_policy() -> None:
    found = walls("edit a 100\nedit b 100\nread a 20")
    assert found == {"serial": 220, "all_or_nothing": 220, "reads_first": 220, "barriers": 220, "by_resource": 120}


@pytest.mark.parametrize("policy", POLICIES)
def test_words_are_the_same_however_fast_the_machine_is(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = run(PRICES, policy)
    no_sleep: Callable[[float], None] = lambda seconds: None  # noqa: E731
    monkeypatch.setattr(files, "sleep", no_sleep)
    quick = run(PRICES, policy)
    assert in_words(slow.setting, slow) == in_words(quick.setting, quick)
    assert "measured: 3 calls · no errors · order of results kept" in in_words(slow.setting, slow)
