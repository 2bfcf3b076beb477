"""The concurrency lab: what is special to it. What all labs share is tested over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from threading import Event
from time import perf_counter
from typing import Any

import pytest
from tools_for_tests import until

from labkit import POLICIES
from labkit.course.scheduling import Trial, files
from labkit.widgets import ConcurrencyLab
from labkit.widgets.base import RESET

PRICES = "read prices.txt 20\nedit prices.txt 30\nread prices.txt 20"
WARNED = "call_3 read prices.txt before call_2 had changed it"
MAKERS = ("count", "resources", "lengths", "longest")


@pytest.fixture
def concurrency() -> ConcurrencyLab:
    return ConcurrencyLab()


class Gate:
    """Stands in place of a call's sleep: holds every call until it is opened, and counts them."""

    def __init__(self) -> None:
        self.opened = Event()
        self.passed: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.passed.append(seconds)
        assert self.opened.wait(20)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    held = Gate()
    monkeypatch.setattr(files, "sleep", held)
    yield held
    held.opened.set()


def trial_of(lab: ConcurrencyLab) -> Trial:
    assert isinstance(lab.work, Trial)
    return lab.work


# ---- the run ----


def test_the_diagram_grows_while_calls_run(concurrency: ConcurrencyLab, gate: Gate) -> None:
    """The calls go on only after three pictures of the run have been seen, each another one."""
    seen: list[str] = []

    def look(change: Any) -> None:
        if "! running" in change["new"] and change["new"] not in seen:
            seen.append(change["new"])
        if len(seen) >= 3:
            gate.opened.set()

    concurrency._picture.observe(look, "value")
    concurrency.run()
    assert gate.opened.is_set() and len(seen) >= 3
    assert all("PREDICTED" in picture and "MEASURED" in picture and "running" in picture for picture in seen[1:])
    assert "Not known yet" in seen[-1]
    assert "the run is over" in concurrency._picture.value and "same outcome as serial (measured)" in concurrency.text()


def test_run_twice_starts_one_run(concurrency: ConcurrencyLab, gate: Gate) -> None:
    concurrency.controls["calls"].value = PRICES
    concurrency.controls["run"].click()
    first = concurrency.work
    concurrency.controls["run"].click()
    assert (concurrency.started, concurrency.state) == (1, "running")
    assert concurrency.work is first
    gate.opened.set()
    concurrency.wait()
    assert gate.passed == [0.02, 0.03, 0.02]
    concurrency.run()
    assert concurrency.started == 2 and concurrency.work is not first and len(gate.passed) == 6


def test_knobs_turned_during_a_run_harm_nothing_and_mark_it_stale(concurrency: ConcurrencyLab, gate: Gate) -> None:
    concurrency.controls["calls"].value = PRICES
    concurrency.controls["run"].click()
    assert until(lambda: gate.passed)
    concurrency.controls["policy"].value = "reads_first"
    concurrency.controls["max_parallel"].value = 2
    assert concurrency.failure is None and concurrency.text().startswith(
        "running with the knobs as they were; as they are now they count for the next run\nreads_first · 3 calls"
    )
    assert "The run that goes on had other knobs: barriers" in concurrency._picture.value
    gate.opened.set()
    concurrency.wait()
    assert concurrency.state == "stale" and concurrency.started == 1
    assert concurrency.text().startswith("the knobs have changed since this run: press Run\nreads_first")
    assert "The last run had other knobs: barriers" in concurrency._picture.value
    assert trial_of(concurrency).setting.policy == "barriers" and trial_of(concurrency).warnings == ()
    concurrency.controls["policy"].value = "barriers"
    concurrency.controls["max_parallel"].value = 12
    assert concurrency.state == "done", "the knobs are where they were"


def test_lines_that_can_t_be_read_during_a_run_harm_nothing(concurrency: ConcurrencyLab, gate: Gate) -> None:
    concurrency.controls["run"].click()
    concurrency.controls["calls"].value = "nonsense"
    assert concurrency.failure is None and "Line 1: has 1 word, not three" in concurrency.text()
    concurrency.controls["run"].click()
    gate.opened.set()
    concurrency.wait()
    assert concurrency.started == 1 and trial_of(concurrency).results is not None


def test_start_over_during_a_run_takes_it_off_the_page(concurrency: ConcurrencyLab, gate: Gate) -> None:
    concurrency.controls["run"].click()
    assert until(lambda: gate.passed), "a run that has not begun would be dropped, and never have results"
    old = trial_of(concurrency)
    concurrency.controls[RESET].click()
    assert concurrency.text() == ConcurrencyLab().text()
    gate.opened.set()
    concurrency.wait()
    assert until(lambda: old.results is not None)
    assert concurrency.state == "ready" and concurrency.text() == ConcurrencyLab().text()


# ---- the outcome ----


@pytest.mark.parametrize("policy", POLICIES)
def test_only_reads_first_is_warned_of_on_the_price_list(concurrency: ConcurrencyLab, policy: str) -> None:
    concurrency.controls["calls"].value = PRICES
    concurrency.controls["policy"].value = policy
    assert (WARNED in concurrency.text()) == (policy == "reads_first"), "already predicted"
    concurrency.run()
    wrong = f"not the same outcome as serial (measured): {WARNED}. No error says so."
    right = "\nsame outcome as serial (measured)"
    assert (wrong in concurrency.text(), right in concurrency.text()) == (
        policy == "reads_first",
        policy != "reads_first",
    )
    assert (f"✗ {wrong}" in concurrency._picture.value) == (policy == "reads_first")
    assert "order of results kept" in concurrency.text()


@pytest.mark.parametrize("policy", POLICIES)
def test_words_and_the_stored_page_hold_nothing_of_the_clock(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for speed in (1.0, 0.1):
        monkeypatch.setattr(files, "sleep", lambda seconds, speed=speed: Event().wait(seconds * speed))
        lab = ConcurrencyLab()
        lab.controls["policy"].value = policy
        lab.run()
        bundle = lab._repr_mimebundle_()
        told.append((lab.text(), bundle["text/plain"], bundle["text/html"]))
    assert told[0] == told[1]
    assert "(measured)" in told[0][0] and "(measured)" in told[0][2]


def test_off_means_serial_whatever_the_policy_says(concurrency: ConcurrencyLab) -> None:
    concurrency.controls["policy"].value = "reads_first"
    concurrency.controls["together"].value = False
    assert concurrency.controls["policy"].disabled
    assert "That is the policy serial." in concurrency.text() and "serial · 9 calls · serial" in concurrency.text()
    concurrency.controls["longest"].value = 20
    concurrency.run()
    spans = trial_of(concurrency).measured.spans
    assert all(before.finished <= after.started for before, after in pairwise(spans))
    concurrency.controls["together"].value = True
    assert not concurrency.controls["policy"].disabled and "reads_first · 9 calls" in concurrency.text()


def test_at_most_so_many_run_at_once(concurrency: ConcurrencyLab) -> None:
    concurrency.controls["mix"].value = "reads only"
    concurrency.controls["max_parallel"].value = 2
    assert "peak 2 of 2" in concurrency.text()
    concurrency.run()
    assert trial_of(concurrency).measured.peak <= 2


# ---- the lines ----


def test_knobs_write_the_lines_and_typing_takes_them_over(concurrency: ConcurrencyLab) -> None:
    knobs = concurrency.controls
    knobs["mix"].value, knobs["count"].value, knobs["longest"].value = "reads, one edit, reads", 3, 180
    assert knobs["calls"].value == "read tea.txt 180\nedit rye.txt 180\nread rye.txt 180"
    knobs["calls"].value = PRICES
    assert knobs["mix"].value == "as written below"
    assert all(knobs[name].disabled for name in MAKERS)
    knobs["mix"].value = "reads only"
    assert knobs["calls"].value == "read tea.txt 180\nread rye.txt 180\nread rye.txt 180"
    assert not any(knobs[name].disabled for name in MAKERS)
    knobs["mix"].value = "as written below"
    assert knobs["calls"].value == PRICES, "nothing that was typed is lost"


@pytest.mark.parametrize("typed", ["", "   \n", "<script>alert(1)</script>", "read tea.txt", "ß 北京 \ud800 \x00"])
def test_nonsense_is_answered_in_words_kept_and_not_run(concurrency: ConcurrencyLab, typed: str) -> None:
    concurrency.controls["calls"].value = typed
    assert concurrency.failure is None
    assert "read tea.txt 120" in concurrency.text() and "Nothing is run" in concurrency.text()
    assert "<script" not in concurrency._picture.value
    concurrency.run()
    assert (concurrency.started, concurrency.state) == (0, "ready")
    assert concurrency.controls["calls"].value == typed
    assert repr(concurrency) == "ConcurrencyLab(a line can't be read)"


def test_of_many_bad_lines_the_first_five_are_told(concurrency: ConcurrencyLab) -> None:
    concurrency.controls["calls"].value = "x\n" * 9
    assert "Line 5: " in concurrency.text() and "Line 6: " not in concurrency.text()
    assert "And 4 more." in concurrency.text()


def test_a_mix_that_decides_about_files_says_so(concurrency: ConcurrencyLab) -> None:
    concurrency.controls["mix"].value = "edits of different files"
    assert concurrency.controls["resources"].disabled and not concurrency.controls["count"].disabled


@pytest.mark.parametrize("policy", POLICIES)
def test_a_picture_of_twelve_calls_is_drawn_in_time(concurrency: ConcurrencyLab, policy: str) -> None:
    concurrency.controls["count"].value, concurrency.controls["longest"].value = 12, 20
    concurrency.controls["policy"].value = policy
    concurrency.run()
    took = []
    for _ in range(7):
        begin = perf_counter()
        concurrency._draw(lambda: None)
        took.append(perf_counter() - begin)
    assert min(took) < 0.05
