"""07.2: find the failed calls of a trace, from its lines alone."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.recovery.samples import lines_of
from labkit.paths import data
from labkit.trace import Trace


def given() -> dict[str, Any]:
    """Return what the cases use beside the learner's names: the chapter has both."""
    return {"lines": list(Trace.load(data("traces", "m2.jsonl"))), "lines_of": lines_of}


FAILURES = Exercise(
    id="07.2",
    title="Find the failures",
    names=("failures",),
    cases=(
        Case(
            "a run without calls has no failures",
            "failures(lines_of())",
            [],
            "What does your function return before it has seen a failure?",
        ),
        Case(
            "the run of this chapter has one, on line 17",
            "failures(lines)",
            [(17, "invalid_range")],
            "Which line carries an `error`? The number is its `seq`, and the code stands inside the error.",
        ),
        Case(
            "a call that went well is none",
            'failures(lines_of("read", "read"))',
            [],
            "These answers have no `error` field. Do you look for it before you take it?",
        ),
        Case(
            "a file that quotes an error was read all right",
            'failures(lines_of("quoted", "read"))',
            [],
            "The words came out of a file. Which field does no file write?",
        ),
        Case(
            "a failed call need not say ERROR",
            'failures(lines_of("plain"))',
            [(5, "not_found")],
            "Its words are polite, and it failed all the same. Where does a message say so for programs?",
        ),
        Case(
            "a failing test run is no failed call",
            'failures(lines_of("tests_fail"))',
            [],
            "Its end line says `ok: false`, and has no code. The tool worked. Does your function ask for `ok`?",
        ),
        Case(
            "an id that is used again is another call",
            'failures(lines_of("missing", "read", "missing"))',
            [(5, "not_found"), (15, "not_found")],
            "All three calls have one id. Do you collect by id, or line by line?",
        ),
        Case(
            "whatever the code is",
            'failures(lines_of("hung"))',
            [(5, "timeout")],
            "The code stands inside the error. Do you take it from there, or from a list of your own?",
        ),
        Case(
            "to read a trace is to leave it as it is",
            '[(failures(some), len(some))[1] for some in [lines_of("read")]]',
            [6],
            "What is left in the list after your function?",
        ),
        Case(
            "a trace may break off right behind the answer",
            'failures(lines_of("missing")[:5])',
            [(5, "not_found")],
            "The end line of the call is not there any more. Which line is enough?",
        ),
    ),
    hints=(
        "Go through the lines. Only lines of the type message can hold an answer; the others are events.",
        'A failed answer is a message with a field "error": line["message"]["error"]["code"].',
        'For each line with line["type"] == "message" and "error" in line["message"]: append (line["seq"], code).',
    ),
    solution='''
def failures(lines):
    """Return (seq, code) for each failed call."""
    found = []
    for line in lines:
        error = line.get("message", {}).get("error")
        if error is not None:
            found.append((line["seq"], error["code"]))
    return found
''',
    given=given,
)
