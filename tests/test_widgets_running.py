"""Labs whose work takes time: what is said while it goes on, and what a click may not do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import pytest
from test_widgets import on_another_thread, turn
from tools_for_tests import until

from labkit.widgets import running
from labkit.widgets.base import RESET, View, dropdown
from labkit.widgets.html import paragraph
from labkit.widgets.running import REFRESH, RUN, RunningLab


class Work:
    """Counts to its number, one step each time it is let."""

    def __init__(self, number: int, steps: threading.Semaphore) -> None:
        self.number = number
        self.steps = steps
        self.done = 0

    def __call__(self) -> None:
        for _ in range(self.number):
            self.steps.acquire(timeout=30)
            self.done += 1
        if self.number == 13:
            raise RuntimeError("an unlucky number")


class Counting(RunningLab):
    name = "counting lab"

    def __init__(self) -> None:
        self.steps = threading.Semaphore(0)
        self.begun: list[Work] = []
        self.closed = False
        super().__init__({"number": dropdown("Number", "How far to count", options=[3, 2, 1, 13, 0])})

    def prepare(self) -> Work:
        if self.controls["number"].value == 0:
            raise ValueError("nothing to count")
        self.begun.append(Work(self.controls["number"].value, self.steps))
        return self.begun[-1]

    def blocked(self) -> str | None:
        return "two can't be counted to" if self.controls["number"].value == 2 and self.closed else None

    def look(self) -> View:
        counted = self.work.done if isinstance(self.work, Work) else "nothing"
        text = f"up to {self.controls['number'].value}: counted {counted}"
        return View(text, paragraph(text))


@pytest.fixture
def lab() -> Iterator[Counting]:
    made = Counting()
    yield made
    for _ in range(100):
        made.steps.release()
    made.wait()


def shows(lab: RunningLab, words: str) -> bool:
    return until(lambda: words in lab._picture.value)


def press(lab: RunningLab) -> None:
    lab.controls[RUN].click()


def let(lab: Counting, steps: int) -> None:
    for _ in range(steps):
        lab.steps.release()


def test_it_is_built_without_a_run(lab: Counting) -> None:
    assert (lab.state, lab.started) == ("ready", 0)
    assert lab.text() == "not run yet: press Run\nup to 3: counted nothing"
    assert list(lab.controls) == ["number", RUN, RESET]


def test_a_click_is_answered_at_once_and_the_picture_grows(lab: Counting) -> None:
    press(lab)
    assert (lab.state, lab.started) == ("running", 1)
    for step in (1, 2):
        let(lab, 1)
        assert shows(lab, f"counted {step}")
        assert "running" in lab._picture.value
    let(lab, 1)
    lab.wait()
    assert lab.state == "done"
    assert lab.text() == "the run is over\nup to 3: counted 3"


def test_run_returns_when_the_run_is_over(lab: Counting) -> None:
    let(lab, 3)
    lab.run()
    assert (lab.state, lab.started) == ("done", 1)
    let(lab, 3)
    lab.run()
    assert lab.started == 2


def test_pressing_again_starts_nothing_twice(lab: Counting) -> None:
    for _ in range(5):
        press(lab)
    on_another_thread(lambda: press(lab))
    assert lab.started == len(lab.begun) == 1
    let(lab, 3)
    lab.wait()
    assert lab.begun[0].done == 3


def test_presses_from_many_threads_start_one_run(lab: Counting) -> None:
    together = threading.Barrier(8)

    def work() -> None:
        together.wait(10)
        press(lab)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert lab.started == 1


def test_knobs_turned_during_a_run_count_for_the_next_one(lab: Counting) -> None:
    press(lab)
    lab.controls["number"].value = 2
    assert "up to 2" in lab.text() and lab.state == "running"
    assert lab.text().startswith("running with the knobs as they were; as they are now they count for the next run\n")
    let(lab, 3)
    lab.wait()
    assert lab.begun[0].number == 3
    assert lab.state == "stale"
    assert lab.text().startswith("the knobs have changed since this run: press Run\n")
    let(lab, 2)
    lab.run()
    assert lab.begun[1].number == 2
    assert lab.state == "done"


def test_a_knob_put_back_makes_the_picture_fresh_again(lab: Counting) -> None:
    let(lab, 3)
    lab.run()
    lab.controls["number"].value = 1
    assert lab.state == "stale"
    lab.controls["number"].value = 3
    assert lab.state == "done"


def test_start_over_during_a_run_takes_it_off_the_page_and_two_never_run_at_once(lab: Counting) -> None:
    press(lab)
    let(lab, 1)
    assert shows(lab, "counted 1")
    turn_without_waiting(lab, RESET)
    assert lab.text() == Counting().text()
    press(lab)
    assert (lab.state, lab.started) == ("running", 2)
    let(lab, 2)
    assert until(lambda: lab.begun[0].done == 3)
    assert lab.begun[1].done == 0
    let(lab, 3)
    lab.wait()
    assert lab.text() == "the run is over\nup to 3: counted 3"


def turn_without_waiting(lab: RunningLab, name: str) -> None:
    lab.controls[name].click()


def test_a_run_that_fails_is_said_and_the_next_one_works(lab: Counting) -> None:
    lab.controls["number"].value = 13
    let(lab, 13)
    lab.run()
    assert isinstance(lab.failure, RuntimeError)
    assert "can't draw this: RuntimeError" in lab.text()
    lab.controls["number"].value = 1
    let(lab, 1)
    lab.run()
    assert lab.failure is None and "counted 1" in lab.text()


def test_a_run_that_can_t_be_prepared_is_said_and_starts_nothing(lab: Counting) -> None:
    lab.controls["number"].value = 0
    press(lab)
    assert isinstance(lab.failure, ValueError) and lab.started == 0
    turn(lab, "number", 3)
    assert lab.failure is None and lab.state == "ready"


def test_what_can_t_be_run_says_why_and_starts_nothing(lab: Counting) -> None:
    lab.closed = True
    lab.controls["number"].value = 2
    assert lab.text().startswith("two can't be counted to\n")
    lab.run()
    assert lab.started == 0
    lab.controls["number"].value = 3
    press(lab)
    lab.controls["number"].value = 2
    assert lab.text().startswith("running with the knobs as they were")
    let(lab, 3)
    lab.wait()
    assert lab.text().startswith("two can't be counted to\n")


def test_a_run_without_end_is_not_waited_for_for_ever(lab: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PATIENCE", 0.05)
    with pytest.raises(TimeoutError, match=r"the counting lab is still running after 0\.05 seconds"):
        lab.run()


def test_nothing_is_printed_by_a_run(lab: Counting, capsys: pytest.CaptureFixture[str]) -> None:
    let(lab, 3)
    lab.run()
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_pictures_come_at_most_ten_times_a_second(lab: Counting) -> None:
    drawn: list[Any] = []
    lab._picture.observe(lambda change: drawn.append(change["new"]), names="value")
    lab.controls["number"].value = 13
    began = perf_counter()
    press(lab)
    for step in range(12):
        let(lab, 1)
        assert until(lambda step=step: lab.begun[0].done > step)
    assert len(drawn) <= 3 + (perf_counter() - began) / REFRESH, "it draws at every step"
