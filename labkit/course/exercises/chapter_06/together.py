"""06.1: run calls at the same time, and hand their results back in call order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise

PATIENCE = 1.5
"""Seconds for which a tool waits for the others."""


def meeting() -> dict[str, Callable[..., str]]:
    """Return tools that notice whether they are at work together; the chapter imports this, too."""
    gates: dict[int, threading.Barrier] = {}
    lock, first_was_here = threading.Lock(), threading.Event()

    def meet(name: str, size: int) -> str:
        with lock:
            gate = gates.setdefault(size, threading.Barrier(size))
        try:
            gate.wait(PATIENCE)
        except threading.BrokenBarrierError:
            return f"{name} alone"
        return f"{name} met"

    def first() -> str:
        first_was_here.set()
        return "first"

    def last() -> str:
        return "last" if first_was_here.wait(PATIENCE) else "last gave up"

    return {"meet": meet, "first": first, "last": last}


def given() -> dict[str, Any]:
    """Return what the cases use beside the learner's names."""
    return {"meeting": meeting}


NAMES = ("ann", "bob", "cy")
TOGETHER = Exercise(
    id="06.1",
    title="Side by side, in order",
    names=("run_together",),
    cases=(
        Case(
            "one call has one result",
            'run_together([("meet", {"name": "ann", "size": 1})], meeting())',
            ["ann met"],
            "What does the function of a call say, and where do you collect it?",
        ),
        Case(
            "where nothing is called there is no result",
            "run_together([], meeting())",
            [],
            "Whatever you make one of for each call, here it is none. Does everything you use allow that?",
        ),
        Case(
            "results stand in call order, also if the first call ends last",
            'run_together([("last", {}), ("first", {})], meeting())',
            ["last", "first"],
            "`last` can only end after `first`. Are both at work? And in which order do you take in what they say?",
        ),
        Case(
            "three calls are at work at one moment, each with a result of its own",
            'run_together([("meet", {"name": name, "size": 3}) for name in ("ann", "bob", "cy")], meeting())',
            ["ann met", "bob met", "cy met"],
            "All three calls are of one tool. Under what do you keep a result?",
        ),
        Case(
            "the same call twice is two calls",
            'run_together([("meet", {"name": "ann", "size": 2})] * 2, meeting())',
            ["ann met", "ann met"],
            "Nothing tells these two apart but their position. Do you keep results by position?",
        ),
        Case(
            "forty calls are at work at one moment, too",
            'set(run_together([("meet", {"name": "x", "size": 40})] * 40, meeting()))',
            {"x met"},
            "Is there a number in your answer that is smaller than forty? Also one that you did not write?",
        ),
        Case(
            "the list of calls stays as it is",
            '[(run_together(c, meeting()), c) for c in [[("meet", {"name": "ann", "size": 1}), ("first", {})]]]',
            [(["ann met", "first"], [("meet", {"name": "ann", "size": 1}), ("first", {})])],
            "The list belongs to the caller. Look at its entries without taking them out, moving or changing them.",
        ),
    ),
    hints=(
        "First begin all calls, and only then wait for the first result.",
        "`run_v0` above is nearly it. Which of its numbers is too small, and what is the right one?",
        "Give the pool as many threads as there are calls, but at least one: a pool of no threads can't be made.",
    ),
    solution='''
from concurrent.futures import ThreadPoolExecutor


def run_together(calls, tools):
    """Run all calls at the same time; return results in call order."""
    with ThreadPoolExecutor(max_workers=max(1, len(calls))) as pool:
        futures = [pool.submit(tools[n], **args) for n, args in calls]
        return [future.result() for future in futures]
''',
    given=given,
)
