"""The worker lab's thinking: what its rules expect is what a real runtime does, and what it looks up is so."""

from __future__ import annotations

import random
import threading
import time
from itertools import product
from typing import Any

import pytest
from tools_for_tests import until

from labkit.course.execution import LIMITS, MOST_SIBLINGS, PLACES, Setting, Trial, expected, forecast, state
from labkit.course.execution.rules import goes_on
from labkit.course.execution.tools import Notes
from labkit.course.execution.trial import alive, inside
from labkit.schedule import POLICIES


def tried(setting: Setting) -> Trial:
    trial = Trial(setting)
    trial()
    return trial


def states(trial: Trial) -> list[tuple[str, ...]]:
    """What became of the calls of each batch, in the words of ``expected``."""
    return [
        tuple("lost" if "that it shared was blocked" in r.content else state(r) for r in sent.results)
        for sent in trial.sent
    ]


def said(trial: Trial) -> list[str]:
    return [look.said for look in trial.looks]


# ---- the rules, and what happens ----


def all_tried(settings: list[Setting]) -> list[Trial]:
    """Try settings side by side. Coroutines share one loop then, and what becomes of them is another matter."""
    trials = [Trial(setting) for setting in settings]
    threads = [threading.Thread(target=trial) for trial in trials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert all(trial.over for trial in trials)
    return trials


def differing(trial: Trial) -> list[str]:
    """What a run did that the rules do not say."""
    rules = expected(trial.setting)
    wrong = [] if states(trial) == [rules.first, rules.second] else [f"{trial!r}\nexpected {rules}"]
    if trial.sent[0].results[trial.setting.position].abandoned != goes_on(trial.setting):
        wrong.append(f"{trial.setting} is abandoned, or not, against the rules")
    return wrong


@pytest.mark.parametrize("place", ["thread", "process"])
def test_what_the_rules_expect_of_a_hung_call_is_what_happens(place: str) -> None:
    policies = ["barriers", "by_resource", "reads_first"]
    settings = [Setting(place, writes=w, policy=p, siblings=3) for p in policies for w in (False, True)]
    assert [wrong for trial in all_tried(settings) for wrong in differing(trial)] == []


@pytest.mark.parametrize(
    ("place", "writes", "policy"),
    [
        ("async", True, "barriers"),
        ("blocking", False, "barriers"),
        ("blocking", True, "barriers"),
        ("blocking", True, "by_resource"),
        ("blocking", True, "reads_first"),
    ],
)
def test_what_the_rules_expect_on_the_event_loop_is_what_happens(place: str, writes: bool, policy: str) -> None:
    assert differing(tried(Setting(place, writes=writes, policy=policy, siblings=3))) == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("limit", [LIMITS[-2], None])
def test_a_call_that_ends_in_time_or_has_no_limit_is_answered(place: str, limit: float | None) -> None:
    setting = Setting(place, hangs=limit is None, limit=limit, siblings=2, writes=True)
    trial = tried(setting)
    assert states(trial) == [("ok",) * 3, ("ok",) * 2] == [expected(setting).first, expected(setting).second]
    assert "still" not in trial.text()


def test_law_the_rules_answer_every_call_of_every_setting() -> None:
    siblings, either = range(MOST_SIBLINGS + 1), (True, False)
    everything = [*product(PLACES, either, LIMITS, siblings, either, POLICIES, either)]
    for values in random.Random(6).sample(everything, 200):
        setting = Setting(*values)
        rules, picture = expected(setting), forecast(setting)
        assert len(rules.first) == len(picture.spans) == setting.siblings + 1
        assert len(rules.second) == (2 if setting.again else 0)
        assert ("timeout" in rules.first) == setting.outlived
        if not (setting.writes and goes_on(setting)):
            assert "cancelled" not in rules.first + rules.second
        assert [span.state for span in picture.spans] == ["timeout" if s == "lost" else s for s in rules.first]


def test_a_hung_write_that_can_be_stopped_holds_nobody() -> None:
    held = {place: "cancelled" in expected(Setting(place, writes=True)).second for place in PLACES}
    assert held == {"thread": True, "async": False, "blocking": True, "process": False}


def test_by_resource_only_the_same_shelf_is_held() -> None:
    rules = expected(Setting(writes=True, siblings=4, policy="by_resource"))
    assert rules.first == ("ok", "ok", "timeout", "ok", "cancelled")
    assert rules.second == ("cancelled", "ok")


def test_a_forecast_draws_the_ghost_and_not_what_never_runs() -> None:
    thread, process = forecast(Setting(writes=True)), forecast(Setting("process", writes=True))
    assert [span.ghost for span in thread.spans] == [False, True, False]
    assert thread.spans[2].started is None and thread.facts["errors"] == 2
    assert not any(span.ghost for span in process.spans) and process.spans[2].started is not None
    assert len({repr(forecast(Setting())) for _ in range(3)}) == 1


# ---- what is looked up ----


def test_what_remains_of_a_hung_call_in_each_place() -> None:
    assert {place: said(tried(Setting(place))) for place in PLACES} == {
        "thread": ["its thread is still inside slow_read", "its thread is out of slow_read", "ok"],
        "async": ["its coroutine was cancelled", "ok"],
        "blocking": ["the loop's thread is still inside slow_read", "the loop's thread is out of slow_read", "ok"],
        "process": ["its process is gone", "ok"],
    }


def test_a_single_call_without_a_limit_runs_in_the_callers_thread() -> None:
    assert tried(Setting(limit=None, siblings=0, hangs=False)).ran_in == "in the caller's own thread"
    assert tried(Setting(limit=None, siblings=1, hangs=False)).ran_in == "in a worker thread"
    assert tried(Setting("async", hangs=False)).ran_in == "in the thread of the event loop"
    assert tried(Setting("process", hangs=False)).ran_in == "in a process of its own"


def test_inside_reads_the_stack_and_not_the_answer() -> None:
    notes, go = Notes(), threading.Event()

    def work() -> None:
        notes.enter()
        go.wait(10)

    def then_wait() -> None:
        work()
        notes.left.set()
        notes.release.wait(10)

    assert not inside(notes), "nothing has begun"
    notes.code = work.__code__
    thread = threading.Thread(target=then_wait, daemon=True)
    thread.start()
    assert notes.started.wait(10) and inside(notes)
    assert alive(Setting(), notes) == "its thread is still inside slow_read"
    go.set()
    assert notes.left.wait(10)
    assert thread.is_alive() and not inside(notes)
    notes.release.set()


def test_a_process_that_lives_is_said_to_live(tmp_path: Any) -> None:
    import os

    notes = Notes(folder=tmp_path)
    assert alive(Setting("process"), notes) == "its process never came to its function"
    (tmp_path / "pid").write_text(str(os.getpid()))
    assert alive(Setting("process"), notes) == "its process is alive"


def test_ten_runs_leave_nothing_behind() -> None:
    trials = all_tried([Setting(writes=True)] * 8) + [tried(Setting("blocking", writes=True)) for _ in range(2)]
    assert {trial.looks[-2].said.partition(" is ")[2] for trial in trials} == {"out of slow_write"}
    loops = [thread for thread in threading.enumerate() if thread.name == "labkit-loop"]
    assert until(lambda: sum(thread.is_alive() for thread in loops) <= 1), "the loops that were given up go on"


@pytest.mark.parametrize("place", PLACES)
def test_a_run_is_over_soon(place: str) -> None:
    began = time.monotonic()
    tried(Setting(place, limit=LIMITS[-2], siblings=MOST_SIBLINGS, writes=True))
    assert time.monotonic() - began < 4


def test_the_text_is_the_same_each_time_and_holds_no_times() -> None:
    setting = Setting(writes=True)
    first, second = tried(setting), tried(setting)
    assert first.text() == second.text() == repr(first)
    assert first.text().splitlines()[0] == setting.told()
    assert "ms" not in first.text().replace("herbs", "")
    assert Trial(setting).text() == setting.told(), "nothing is said of a run that was not made"
