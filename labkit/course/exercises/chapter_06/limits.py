"""06.2: a time limit that does not wait, and tells a failure from a timeout."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise

HANGS = 1.0
"""Seconds after which the hung function ends, whatever the learner's code does."""

Limited = Callable[[Callable[[], Any], float], Any]


def goes_on(limited: Limited) -> tuple[Any, bool]:
    """Give ``limited`` a function that hangs; return its answer, and whether the function is still at work then."""
    release, ended = threading.Event(), threading.Event()

    def hang() -> None:
        release.wait(HANGS)
        ended.set()

    try:
        return limited(hang, 0.05), not ended.is_set()
    finally:
        release.set()


def is_daemon(limited: Limited) -> bool | None:
    """Return whether ``limited`` calls its function in a daemon thread; None if it does not call it."""
    seen: list[bool] = []
    limited(lambda: seen.append(threading.current_thread().daemon), 1.0)
    return seen[0] if seen else None


def leaves(limited: Limited) -> Any:
    """Return what ``limited`` makes of a function that calls ``sys.exit``."""
    return limited(sys.exit, 0.1)


def late_shop() -> None:
    """Fail with a TimeoutError of its own; the chapter has the same function."""
    raise TimeoutError("the shop took too long")


def comes_back_early(limited: Limited) -> bool:
    """Return whether ``limited`` comes back when its function does, long before the limit."""
    began = time.monotonic()
    limited(lambda: None, HANGS)
    return time.monotonic() - began < HANGS / 2


def given() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports them, too."""
    probes = {"goes_on": goes_on, "is_daemon": is_daemon, "leaves": leaves, "comes_back_early": comes_back_early}
    return {**probes, "late_shop": late_shop, "time": time}


LIMITED = Exercise(
    id="06.2",
    title="A limit that tells the truth",
    names=("limited",),
    cases=(
        Case(
            "a value comes back with ok",
            'limited(lambda: "quick", 1.0)',
            ("ok", "quick"),
            "What stands first in the pair, and what second?",
        ),
        Case(
            "None is a value",
            "limited(lambda: None, 1.0)",
            ("ok", None),
            "How do you tell a function that returned None from one that has not ended?",
        ),
        Case(
            "a failure is told as one, with its type",
            "limited(lambda: 1 // 0, 0.5)",
            ("error", "ZeroDivisionError"),
            "In which thread was it raised, and who can catch it there? What does `type(problem)` know about itself?",
        ),
        Case(
            "a function that ends the program has ended, too",
            "leaves(limited)",
            ("error", "SystemExit"),
            "`sys.exit` raises an exception that is no `Exception`. What is above it?",
        ),
        Case(
            "a function that fails with TimeoutError has failed: its limit is not over",
            "limited(late_shop, 0.5)",
            ("error", "TimeoutError"),
            "Two things can raise a TimeoutError here: the function, and your own waiting. How do you tell them apart?",
        ),
        Case(
            "a function may take its time within the limit",
            'limited(lambda: time.sleep(0.2) or "slow", 5.0)',
            ("ok", "slow"),
            "Is it `seconds` that you wait for, and in seconds?",
        ),
        Case(
            "what ends early is not waited for until the limit",
            "comes_back_early(limited)",
            True,
            "Do you sleep for the whole limit? Wait for whichever comes first, the end or the limit.",
        ),
        Case(
            "the function is called once",
            "[(limited(lambda: seen.append(1), 1.0), seen) for seen in [[]]]",
            [(("ok", None), [1])],
            "What a tool does would be done twice. Keep what the one call returned.",
        ),
        Case(
            "an exception that is returned was not raised",
            'limited(lambda: KeyError("mint"), 1.0)[0]',
            "ok",
            "Do you decide by looking at the value? The thread itself knows whether it caught something.",
        ),
        Case(
            "nobody waits longer than the limit",
            "goes_on(limited)",
            (("timeout", None), True),
            "The function should still be at work when yours comes back. What in your answer waits for its end?",
        ),
        Case(
            "the thread does not hold the end of the program",
            "is_daemon(limited)",
            True,
            "Python waits at exit for every thread that is not a daemon, also for those of a pool.",
        ),
    ),
    hints=(
        "Begin with `limited_v0`: it waits right, and it is silent about failures.",
        "Write a function for the thread that puts a pair into the queue, whatever happens: in `try` one, in `except` "
        "the other.",
        'Put ("ok", fn()) in the try, ("error", type(problem).__name__) in an except BaseException, and return '
        '("timeout", None) where the queue stays empty.',
    ),
    solution='''
from threading import Thread


def limited(fn, seconds):
    """Call fn in a thread; wait for its end so long at most."""
    box = SimpleQueue()

    def work():
        try:
            box.put(("ok", fn()))
        except BaseException as problem:
            box.put(("error", type(problem).__name__))

    Thread(target=work, daemon=True).start()
    try:
        return box.get(timeout=seconds)
    except Empty:
        return ("timeout", None)
''',
    given=given,
)
