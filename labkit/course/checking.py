"""Tries an exercise's hidden cases on what the learner defined, and says what differs as the tools of the course do.

    >>> check(exercise("03.1"), globals())
    03.1  passed: 9 cases

Acts: it runs the learner's code, in this process. Does not: show a traceback or a solution, stop code that never ends
(interrupt the kernel), keep progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labkit.calls import many
from labkit.course.attempts import Tried, attempt, shown
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.layout import beside
from labkit.course.stubs import untouched


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check found. A value; its ``repr`` is what the learner reads.

    ``differing`` is how many cases differ, None where not all were tried. ``untouched`` says that the stub is as it
    came, or nothing but begun: that is no try. ``rows`` are label and text of the first case that differs.
    """

    exercise: str
    cases: int
    differing: int | None
    untouched: bool = False
    rows: tuple[tuple[str, str], ...] = ()

    @property
    def passed(self) -> bool:
        return self.differing == 0

    def __repr__(self) -> str:
        if self.passed:
            return f"{self.exercise}  passed: {many(self.cases, 'case')}"
        verb = "differs" if self.differing == 1 else "differ"
        head = "" if self.differing is None else f": {self.differing} of {many(self.cases, 'case')} {verb}"
        return "\n".join([f"{self.exercise}  not yet{head}", *(_row(*row) for row in self.rows)])


def check(exercise: Exercise, namespace: dict[str, Any]) -> Verdict:
    """Return the verdict on what stands in a namespace. An interrupt ends the case that it meets, and the check."""
    total = len(exercise.cases)
    missing = [name for name in exercise.names if name not in namespace]
    if missing:
        told = (("missing", f"{', '.join(missing)}: run the cell that defines it"),)
        return Verdict(exercise.id, total, None, untouched=True, rows=told)
    as_came = untouched(exercise, namespace)
    whole = len(as_came) == len(exercise.names)
    wrong: list[tuple[Case, Tried]] = []
    for case in exercise.cases:
        tried = attempt(case, {**exercise.given(), **{name: namespace[name] for name in exercise.names}})
        if tried.stopped:
            return Verdict(exercise.id, total, None, rows=_stopped(case, tried))
        if tried.unfinished and case is exercise.cases[0]:
            return Verdict(exercise.id, total, None, untouched=True, rows=_still(as_came or exercise.names, case))
        if not tried.fits:
            wrong.append((case, tried))
    return Verdict(exercise.id, total, len(wrong), whole, _difference(*wrong[0]) if wrong else ())


def _difference(case: Case, tried: Tried) -> tuple[tuple[str, str], ...]:
    expected = case.expected.text if isinstance(case.expected, Wanted) else shown(case.expected)
    return (
        ("property", case.rule),
        ("input", case.run),
        ("expected", expected),
        ("yours", tried.text),
        *([("printed", tried.printed)] if tried.printed else []),
        ("next", f"{tried.advice} {case.step}" if tried.advice else case.step),
    )


def _still(names: tuple[str, ...], case: Case) -> tuple[tuple[str, str], ...]:
    return (
        ("still", f"{', '.join(names)}: there is `...` in place of your lines"),
        ("first", case.rule),
        ("input", case.run),
        ("next", "write them, run that cell, then this one"),
    )


def _stopped(case: Case, tried: Tried) -> tuple[tuple[str, str], ...]:
    return (
        ("property", case.rule),
        ("input", case.run),
        ("yours", tried.text),
        ("next", "What makes your loop end? Print what changes in it."),
    )


def _row(label: str, text: str) -> str:
    return beside(f"  {label:<10} ", text)
