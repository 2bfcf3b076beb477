"""The exercises and questions of all chapters, one file each. Look them up by id.

    >>> exercise("03.2").names
    ('bound_problems',)

Does not: run anything, keep what the learner did.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from labkit.course.exercise import Exercise
from labkit.course.quiz import Question

__all__ = ["chapters", "exercise", "exercises_of", "question", "questions_of"]


@cache
def chapters() -> tuple[str, ...]:
    """Return the numbers of the chapters that have exercises, such as ``("00", "01")``."""
    names = (re.fullmatch(r"chapter_(\d\d)", module.name) for module in iter_modules(__path__))
    return tuple(sorted(found[1] for found in names if found))


def exercises_of(chapter: str) -> tuple[Exercise, ...]:
    """Return the exercises of a chapter in order; none for a chapter that has none."""
    return tuple(_content(chapter).EXERCISES) if chapter in chapters() else ()


def questions_of(chapter: str) -> tuple[Question, ...]:
    """Return the questions of a chapter in order; none for a chapter that has none."""
    return tuple(_content(chapter).QUIZ) if chapter in chapters() else ()


def exercise(id: str) -> Exercise:
    """Return the exercise of that id. Raises ValueError that names those there are."""
    found: Exercise = _one(id, exercises_of, "exercise")
    return found


def question(id: str) -> Question:
    """Return the question of that id. Raises ValueError that names those there are."""
    found: Question = _one(id, questions_of, "question")
    return found


def _content(chapter: str) -> Any:
    return import_module(f"labkit.course.exercises.chapter_{chapter}")


def _one(id: Any, listed: Any, noun: str) -> Any:
    """Look in the chapter that the id names; where it is not there, say what the chapter has."""
    chapter = id.partition(".")[0] if isinstance(id, str) else ""
    found = {each.id: each for each in listed(chapter)}
    if isinstance(id, str) and id in found:
        return found[id]
    if found:
        raise ValueError(f"chapter {chapter} has no {noun} {id!r}; it has {', '.join(found)}")
    having = [number for number in chapters() if listed(number)]
    raise ValueError(f'{id!r} names no {noun}; write it such as "{listed(having[0])[0].id}"')
