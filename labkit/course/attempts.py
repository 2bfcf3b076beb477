"""One case of an exercise, tried on the learner's code: what came out, in words, and whether it fits.

Acts: it runs the learner's code. Does not: let anything out of it but what it returns.
"""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from labkit.course.exercise import Case, Wanted
from labkit.paths import repository
from labkit.workers import raised_on_purpose

LONGEST = 400
"""Characters of a value that a verdict shows."""
PRINTED = 160
"""Characters that a verdict shows of what was printed."""


@dataclass(frozen=True)
class Tried:
    """What came out of one case. A value; ``advice`` is what can be said of any exercise where this came out."""

    text: str
    fits: bool = False
    unfinished: bool = False
    stopped: bool = False
    advice: str = ""
    printed: str = ""


def attempt(case: Case, names: dict[str, Any]) -> Tried:
    """Try a case over these names. What the learner's code prints is caught; an interrupt ends this case."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            value = eval(case.run, names)
    except KeyboardInterrupt as stop:
        return Tried(f"did not end before you stopped it{_line_of(stop)}", stopped=True)
    except BaseException as problem:  # also what an asyncio task or a class of the learner's raises
        return Tried(_raised(problem), advice=_advice(problem), printed=_beginning(printed.getvalue()))
    test = case.expected.test if isinstance(case.expected, Wanted) else partial(alike, case.expected)
    is_open = _holds(unfinished, value)
    fits = not is_open and _holds(test, value)
    advice = "" if is_open else _remark(case.expected, value)
    return Tried(shown(value), fits, is_open, False, advice, _beginning(printed.getvalue()))


def _holds(test: Callable[[Any], Any], value: Any) -> bool:
    """Say whether a test holds; one that fails over this value does not, and the learner's code raised nothing."""
    try:
        return bool(test(value))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return False


def unfinished(value: Any) -> bool:
    """Say whether a value is, or holds, the ``...`` of a stub."""
    if value is ...:
        return True
    if type(value) is dict:
        return any(map(unfinished, value.values()))
    return type(value) in (list, tuple) and any(map(unfinished, value))


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
        text = "..." if value is ... else repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"a {type(value).__name__} whose repr raises {type(problem).__name__}"
    if " at 0x" in text:
        return f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _remark(expected: Any, value: Any) -> str:
    """Say what can be said of any exercise where this value came out, and not the expected one."""
    if isinstance(expected, Wanted) or expected is None or type(expected) is type(value):
        return ""
    if value is None:
        return "Your code gives None: does it `return` what it finds, or only print it?"
    looks_right = _holds(lambda it: it == expected or str(it) == str(expected), value)
    return f"The kind differs: {type(value).__name__} instead of {type(expected).__name__}." if looks_right else ""


def _raised(problem: BaseException) -> str:
    """Say what was raised and in which line of the learner's; of Python's own texts, which change, no word."""
    said = type(problem).__name__
    frames = traceback.extract_tb(problem.__traceback__)
    if isinstance(problem, NameError) and problem.name:
        said += f": {problem.name}"
    elif (
        Path(frames[-1].filename).is_relative_to(repository() / "labkit")
        and len(frames) > OWN_FRAMES
        and raised_on_purpose(problem)
    ):
        said += f": {problem}"[:LONGEST]  # our own words
    return f"raises {said}{_line_of(problem)}"


def _advice(problem: BaseException) -> str:
    """Say what can be said where nothing of the learner's was even begun."""
    if isinstance(problem, TypeError) and len(traceback.extract_tb(problem.__traceback__)) == OWN_FRAMES:
        return "It can't be called like this: compare its parameters with those of the stub."
    return ""


OWN_FRAMES = 2  # this module's, and the expression's


def _line_of(problem: BaseException) -> str:
    """Return the last line of the learner's that a traceback holds, or nothing."""
    lines = [frame.line for frame in traceback.extract_tb(problem.__traceback__) if _is_learners(frame)]
    return f", in the line: {lines[-1].strip()}" if lines and lines[-1] else ""


def _is_learners(frame: traceback.FrameSummary) -> bool:
    """Cells have file names of their own: IPython's are temporary files, a test's are in angle brackets."""
    return "ipykernel_" in frame.filename or "<cell" in frame.filename or "<ipython" in frame.filename


def _beginning(text: str) -> str:
    text = text.strip("\n")
    return text if len(text) <= PRINTED else text[: PRINTED - 1] + "…"
