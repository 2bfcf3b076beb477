"""10.3: which calls may be at work before the reply has ended."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.streams.pieces import growing


def calls() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"growing": growing}


def _case(rule: str, text: str, expected: list[int], step: str) -> Case:
    return Case(rule, f"early(growing({text!r}))", expected, step)


EARLY = Exercise(
    id="10.3",
    title="What may start early",
    names=("early",),
    cases=(
        _case("no call, nothing to start", "", [], "What does your function return for an empty list?"),
        _case("a read that is whole may start", "read", [0], "It changes nothing, and nothing stands before it."),
        _case(
            "a read that is open may not", "read...", [], "Its arguments are not all there. What would you run it with?"
        ),
        _case(
            "an order never starts early",
            "write",
            [],
            "If the reply is thrown away afterwards, can an order be taken back?",
        ),
        _case(
            "reads need not wait for each other",
            "read read read",
            [0, 1, 2],
            "Three whole reads. Do you return only the newest?",
        ),
        _case(
            "the read that is still coming is left out",
            "read read...",
            [0],
            "The first one is whole. Does the open one behind it matter to it?",
        ),
        _case(
            "a read before an order may start",
            "read write",
            [0],
            "The order comes after it, and will wait for it. Is there a reason for the read to wait?",
        ),
        _case(
            "a read after an order may not",
            "write read",
            [],
            "The read may be meant to see what the order has done. What would it see if it started now?",
        ),
        _case(
            "an order holds all reads after it, not only the next",
            "read write read read",
            [0],
            "What does your function still remember of the order when it comes to the last read?",
        ),
        _case(
            "nor behind an order that is still open",
            "write... read",
            [],
            "The pieces of two calls alternate here. The order will run before this read, once it is whole.",
        ),
        _case(
            "nor behind a read that is still open",
            "read... read",
            [],
            "Its name may not even be complete, and then nobody knows what it does. What is the careful answer?",
        ),
        _case(
            "what comes after an open call stays where it is",
            "read read... read write read",
            [0],
            "Only the first call has nothing unknown before it.",
        ),
        Case(
            "the list stays as it is",
            '[(early(some), len(some))[1] for some in [growing("read write read")]]',
            [3],
            "The list is asked again with the next piece. Does your function take calls out of it?",
        ),
    ),
    hints=(
        "Go through the calls in order. Two things end the search for good, and one lets it go on.",
        "An open call: nothing behind it is known. An order: everything behind it waits. A whole read: note its place.",
        "For place, call in enumerate(calls): if not call.whole or not call.readonly: break; else append place.",
    ),
    solution='''
def early(calls):
    """Return the places of the calls that may start by now."""
    places = []
    for place, call in enumerate(calls):
        if not call.whole or not call.readonly:
            break
        places.append(place)
    return places
''',
    given=calls,
)
