"""Tries an exercise's hidden cases on what the learner defined, and says what differs as the tools of the course do.

    >>> check(exercise("03.1"), globals())
    03.1  passed: 9 cases

Acts: it runs the learner's code, in this process. Does not: show a traceback or a solution, stop code that never ends
(interrupt the kernel), keep progress.
"""

from __future__ import annotations

import textwrap
import traceback
from dataclasses import dataclass
from typing import Any

from labkit.calls import many
from labkit.course.exercise import Case, Exercise, Wanted

WIDTH = 76
LONGEST = 400
"""Characters of a value that a verdict shows."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check found. A value; its ``repr`` is what the learner reads.

    ``untouched`` says that the stub is still as it came. ``rows`` are label and text of the first case that differs.
    """

    exercise: str
    cases: int
    differing: int
    untouched: bool = False
    rows: tuple[tuple[str, str], ...] = ()

    @property
    def passed(self) -> bool:
        return not self.untouched and not self.differing

    def __repr__(self) -> str:
        if self.passed:
            return f"{self.exercise}  passed: {many(self.cases, 'case')}"
        verb = "differs" if self.differing == 1 else "differ"
        head = "" if self.untouched else f": {self.differing} of {many(self.cases, 'case')} {verb}"
        return "\n".join([f"{self.exercise}  not yet{head}", *(_row(*row) for row in self.rows)])


def check(exercise: Exercise, namespace: dict[str, Any]) -> Verdict:
    """Return the verdict on what stands in a namespace. Interrupts come through; nothing else does."""
    total = len(exercise.cases)
    missing = [name for name in exercise.names if name not in namespace]
    if missing:
        told = (("missing", f"{', '.join(missing)}: run the cell that defines it"),)
        return Verdict(exercise.id, total, total, untouched=True, rows=told)
    wrong: list[tuple[Case, _Seen]] = []
    for case in exercise.cases:
        seen = _try(case, {**exercise.given(), **{name: namespace[name] for name in exercise.names}})
        if seen.unfinished:
            return Verdict(exercise.id, total, total, untouched=True, rows=_still(exercise, case))
        if not seen.fits:
            wrong.append((case, seen))
    rows = _difference(*wrong[0]) if wrong else ()
    return Verdict(exercise.id, total, len(wrong), rows=rows)


@dataclass(frozen=True)
class _Seen:
    """What came out of one case."""

    text: str
    fits: bool
    unfinished: bool = False


def _try(case: Case, names: dict[str, Any]) -> _Seen:
    try:
        value = eval(case.run, names)
        fits = case.expected.test(value) if isinstance(case.expected, Wanted) else alike(case.expected, value)
        return _Seen(shown(value), bool(fits), unfinished=unfinished(value))
    except (Exception, SystemExit, GeneratorExit) as problem:
        return _Seen(_raised(problem), fits=False)


def unfinished(value: Any) -> bool:
    """Say whether a value is, or holds, the ``...`` of a stub."""
    if value is ...:
        return True
    if isinstance(value, dict):
        return any(map(unfinished, value.values()))
    return isinstance(value, list | tuple) and any(map(unfinished, value))


def alike(expected: Any, value: Any) -> bool:
    """Say whether two values are the same in kind as well as in worth: ``True`` is not ``1``, at any depth."""
    if type(expected) is not type(value):
        return False
    if isinstance(expected, dict):
        return expected.keys() == value.keys() and all(alike(expected[key], value[key]) for key in expected)
    if isinstance(expected, list | tuple):
        return len(expected) == len(value) and all(map(alike, expected, value))
    return bool(expected == value)


def shown(value: Any) -> str:
    """Return a value as a learner would write it, at most ``LONGEST`` characters of it."""
    try:
        text = repr(value)
    except Exception as problem:
        return f"a {type(value).__name__} whose repr raises {type(problem).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _raised(problem: BaseException) -> str:
    """Say what was raised and in which line of the learner's; no text of Python's own, which changes with versions."""
    lines = [frame.line for frame in traceback.extract_tb(problem.__traceback__) if _is_learners(frame)]
    place = f", in the line: {lines[-1].strip()}" if lines and lines[-1] else ""
    return f"raises {type(problem).__name__}{place}"


def _is_learners(frame: traceback.FrameSummary) -> bool:
    """Cells have file names of their own: IPython's are temporary files, a test's are in angle brackets."""
    return "ipykernel_" in frame.filename or "<cell" in frame.filename or "<ipython" in frame.filename


def _difference(case: Case, seen: _Seen) -> tuple[tuple[str, str], ...]:
    expected = case.expected.text if isinstance(case.expected, Wanted) else shown(case.expected)
    return (
        ("property", case.rule),
        ("input", case.run),
        ("expected", expected),
        ("yours", seen.text),
        ("next", case.step),
    )


def _still(exercise: Exercise, case: Case) -> tuple[tuple[str, str], ...]:
    verbs = "is as it came: it gives" if len(exercise.names) == 1 else "are as they came: they give"
    return (
        ("still", f"{', '.join(exercise.names)} {verbs} `...`"),
        ("first", case.rule),
        ("input", case.run),
        ("next", "put your lines in place of `...`, run that cell, then this one"),
    )


def _row(label: str, text: str) -> str:
    head = f"  {label:<10} "
    lines = [textwrap.wrap(line, WIDTH - len(head), break_on_hyphens=False) or [""] for line in text.splitlines()]
    return head + f"\n{' ' * len(head)}".join(line for wrapped in lines for line in wrapped)
