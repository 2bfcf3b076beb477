"""08.3: shorten a history between turns, never within one."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.loops.samples import said, turns
from labkit.history import blocks, broken


def histories() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"blocks": blocks, "broken": broken, "said": said, "turns": turns}


NEWEST = Exercise(
    id="08.3",
    title="Cut between turns",
    names=("newest",),
    cases=(
        Case(
            "a task without turns is just that",
            "newest(turns(), 1)",
            [{"role": "user", "content": "task"}],
            "There is no newest turn here. What is always returned?",
        ),
        Case(
            "what fits stays whole",
            "said(newest(turns(1, 2), 10))",
            "task a a1 b b1 b2",
            "There is room for ten messages. What is left out here, and why?",
        ),
        Case(
            "what fits exactly stays whole",
            "said(newest(turns(1, 2), 6))",
            "task a a1 b b1 b2",
            "Six messages, and room for six. Is your comparison off by one?",
        ),
        Case(
            "the task stays, and the newest turns",
            "said(newest(turns(1, 1, 1), 5))",
            "task b b1 c c1",
            "The task is one of the five. Which four come with it, and in which order?",
        ),
        Case(
            "the task takes a place, too",
            "said(newest(turns(1, 1, 1), 4))",
            "task c c1",
            "Four messages in all. With the task, how many are yours?",
        ),
        Case(
            "a turn is kept whole or not at all",
            "said(newest(turns(3, 1), 5))",
            "task b b1",
            "Two places are left, and the older turn has four messages. What may stay of it?",
        ),
        Case(
            "calls and answers still pair",
            "[broken(newest(turns(3, 2, 1), room)) for room in range(1, 9)]",
            8 * [[]],
            "For which size does your cut fall between a call and its answers? Cut between `blocks`.",
        ),
        Case(
            "no gap: what is older than a turn that does not fit, goes too",
            "said(newest(turns(1, 4, 1), 6))",
            "task c c1",
            "Turn a would fit, but the model would read it as if b had never been.",
        ),
        Case(
            "the newest turn stays, even where it is too long",
            "said(newest(turns(1, 4), 3))",
            "task b b1 b2 b3 b4",
            "Without the newest answers the model would ask for them again. Which turn is never left out?",
        ),
        Case(
            "the list that was given stays as it is",
            "[(newest(some, 3), newest(some, 9) is some, said(some))[1:] for some in [turns(1, 1)]]",
            [(False, "task a a1 b b1")],
            "The history is what happened. Return a new list, and take nothing out of the old one.",
        ),
    ),
    hints=(
        "`blocks(messages)` gives the history in pieces that must stay together. The first is the task.",
        "Go through the other blocks from the newest to the oldest, and put each *before* what you have kept.",
        "For block in reversed(rest): stop where something is kept already and len(task) + len(kept) + len(block) is "
        "more than `most`; else kept = block + kept. Return task + kept.",
    ),
    solution='''
def newest(messages, most):
    """Return the task and the newest turns, whole."""
    task, *rest = blocks(messages)
    kept = []
    for block in reversed(rest):
        too_long = len(task) + len(kept) + len(block) > most
        if kept and too_long:
            break
        kept = block + kept
    return task + kept
''',
    given=histories,
)
