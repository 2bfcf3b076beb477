"""The stubs of a chapter's exercises, as its notebook holds them, and whether a learner has touched one.

Does not: run anything of the learner's. A stub itself is run, in a namespace of its own.
"""

from __future__ import annotations

import json
from functools import cache
from types import FunctionType
from typing import Any

from labkit.course.attempts import alike
from labkit.course.exercise import Exercise
from labkit.paths import repository

TAG = "exercise-"


@cache
def stub(id: str) -> str | None:
    """Return the source of an exercise's stub cell, or None where no chapter has it."""
    for path in (repository() / "notebooks").glob(f"{id.partition('.')[0]}_*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if stub_id(cell) == id:
                return "".join(cell["source"])
    return None


def stub_id(cell: Any) -> str | None:
    """Return the id of the exercise whose stub a cell is, or None."""
    tags = cell["metadata"].get("tags", ())
    return next((tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)), None)


def untouched(exercise: Exercise, namespace: dict[str, Any]) -> tuple[str, ...]:
    """Return those of an exercise's names that still mean what they mean in its stub."""
    source = stub(exercise.id)
    if source is None:
        return ()
    fresh = dict(namespace)
    try:
        exec(compile(source, "<stub>", "exec"), fresh)
    except Exception:  # a learner has changed what the stub stands on
        return ()
    return tuple(name for name in exercise.names if _same(fresh.get(name), namespace[name]))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        return one.__code__ == other.__code__ and one.__defaults__ == other.__defaults__
    try:
        return alike(one, other)
    except Exception:  # an object of the learner's that can't be compared is no stub
        return False
