"""The worker lab: a run that is watched, words without times, and what was looked up."""

from __future__ import annotations

import re

from labkit.course.execution import PLACES, Setting, Trial, forecast
from labkit.widgets import WorkerLab
from labkit.widgets.base import RESET
from labkit.widgets.running import RUN


def ran(**knobs: object) -> WorkerLab:
    """A lab with these knobs, after its run."""
    worker = WorkerLab()
    for name, value in knobs.items():
        worker.controls[name].value = value
    worker.run()
    assert worker.failure is None
    return worker


def test_its_knobs_are_the_fields_of_a_setting() -> None:
    worker = WorkerLab()
    assert set(worker.controls) - {RUN, RESET} == set(Setting.__dataclass_fields__)
    assert worker.choice() == Setting()
    worker.controls["place"].value = "process"
    worker.controls["limit"].value = None
    assert worker.choice() == Setting("process", limit=None)
    assert [value for _, value in worker.controls["place"].options] == list(PLACES)


def test_before_a_run_it_shows_the_prediction_of_the_knobs() -> None:
    worker = WorkerLab()
    assert worker.text().splitlines()[0] == "not run yet: press Run"
    assert repr(forecast(Setting())) in worker.text() and "looked up" not in worker.text()
    worker.controls["writes"].value = True
    assert repr(forecast(Setting(writes=True))) in worker.text()


def test_after_a_run_it_says_what_became_of_each_call_and_what_is_alive() -> None:
    told = ran(writes=True).text()
    assert told.startswith("the run is over\n")
    assert re.search(r"call_2 +slow_write +timeout", told)
    assert len(re.findall(r"cancelled +not run: a call before it is still running", told)) == 3
    assert "right after the first batch: its thread is still inside slow_write" in told
    assert "after the tool was let go: its thread is out of slow_write" in told
    assert "its process is gone" in ran(place="process").text()


def test_measured_times_are_drawn_and_neither_told_nor_stored() -> None:
    worker = ran()
    bundle = worker._repr_mimebundle_()
    assert re.search(r"\d\.\d\d s past its limit", worker._picture.value)
    assert "MEASURED" in worker._picture.value and "MEASURED" not in bundle["text/html"]
    assert "past its limit" not in bundle["text/html"] + bundle["text/plain"]
    assert "still inside slow_read" in bundle["text/html"]
    again = ran()._repr_mimebundle_()
    assert (again["text/html"], again["text/plain"]) == (bundle["text/html"], bundle["text/plain"])


def test_the_picture_grows_while_calls_run() -> None:
    worker = WorkerLab()
    frames: list[str] = []
    worker._picture.observe(lambda change: frames.append(change["new"]), names="value")
    worker.run()
    assert isinstance(worker.work, Trial)
    assert len({frame for frame in frames if "running" in frame}) >= 3
    assert any("goes on" in frame and "still inside" in frame for frame in frames), "no frame shows the ghost"


def test_run_pressed_twice_starts_one_run_and_knobs_turned_meanwhile_count_for_the_next() -> None:
    worker = WorkerLab()
    worker.controls[RUN].click()
    worker.controls[RUN].click()
    worker.controls["place"].value = "async"
    worker.wait()
    assert worker.started == 1
    assert worker.work is not None and worker.work.setting.place == "thread"
    assert worker.text().startswith("the knobs have changed since this run")
    assert "its thread is still inside slow_read" in worker.text()
    worker.run()
    assert worker.started == 2 and "its coroutine was cancelled" in worker.text()
