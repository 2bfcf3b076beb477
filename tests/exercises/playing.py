"""Plays a chapter's cells without a kernel, and tries sources in place of the stubs. No tests."""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from labkit.course.checking import Verdict, check
from labkit.course.exercise import Exercise
from labkit.course.progress import here
from labkit.course.stubs import stub_id

Notebook = dict[str, Any]
STUB, SOLUTION = "the stub", "the solution"


@dataclass(frozen=True)
class Tried:
    """A source in a stub's place, and what became of it: a verdict, or the name of what it raised when it was run."""

    kind: str
    source: str
    verdict: Verdict | None = None
    raised: str = ""

    @property
    def text(self) -> str:
        return repr(self.verdict) if self.verdict else f"raises {self.raised}"


@dataclass(frozen=True)
class Played:
    """What all trials of a chapter came to, by exercise; ``broken`` says which cell ended the chapter, if one did."""

    tried: Mapping[str, Sequence[Tried]]
    broken: str = ""


def play(
    number: str,
    notebook: Notebook,
    exercises: Sequence[Exercise],
    wrong: Mapping[str, Sequence[str]],
) -> Played:
    """Run a chapter's code cells up to its last stub, in one namespace; at each stub try all that may stand there."""
    asked = {exercise.id: exercise for exercise in exercises}
    tried: dict[str, list[Tried]] = {}
    code = [(at, cell) for at, cell in enumerate(notebook["cells"], 1) if cell["cell_type"] == "code"]
    last = max((at for at, cell in code if stub_id(cell) in asked), default=0)
    with _as_in_a_kernel() as names:
        for at, cell in code:
            if at > last:
                break
            place, id = f"<cell {at} of chapter {number}>", stub_id(cell)
            if id in asked:
                sources = {STUB: cell["source"], SOLUTION: asked[id].solution}
                sources |= {f"wrong answer {n}": source for n, source in enumerate(wrong.get(id, ()), 1)}
                tried[id] = [_try(kind, source, place, asked[id], names) for kind, source in sources.items()]
            try:
                _run(cell, place, names)
            except Exception as problem:
                return Played(tried, f"cell {at} ended with {type(problem).__name__}: {cell['source'].splitlines()[0]}")
    return Played(tried)


def _try(kind: str, source: str, place: str, exercise: Exercise, names: dict[str, Any]) -> Tried:
    """Run a source and check it, in the namespace itself: functions of earlier cells must see what it defines."""
    before = dict(names)
    try:
        _execute(source, place, names)
        return Tried(kind, source, check(exercise, names))
    except Exception as problem:
        return Tried(kind, source, raised=type(problem).__name__)
    finally:
        names.clear()
        names.update(before)


def _run(cell: dict[str, Any], place: str, names: dict[str, Any]) -> None:
    tags = cell["metadata"].get("tags", ())
    if "skip-execution" in tags:
        return
    try:
        _execute(cell["source"], place, names)
    except Exception:
        if "raises-exception" not in tags:
            raise


def _execute(source: str, place: str, names: dict[str, Any]) -> None:
    """Run a source as a cell. Its lines can be looked up, as a kernel's can, so that a verdict can quote them."""
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    exec(compile(source, place, "exec", dont_inherit=True), names)


@contextlib.contextmanager
def _as_in_a_kernel() -> Iterator[dict[str, Any]]:
    """Give a ``__main__`` of its own, no file to keep progress in, and nowhere to print to."""
    main = ModuleType("__main__")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.delenv("LABKIT_PROGRESS", raising=False)
        patch.setitem(sys.modules, "__main__", main)
        here.cache_clear()
        try:
            yield main.__dict__
        finally:
            here.cache_clear()
