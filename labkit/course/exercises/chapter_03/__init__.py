"""Chapter 03: two keywords of a validator, a repair that guesses nothing, a rule over two values, three questions.

    >>> [each.id for each in EXERCISES]
    ['03.1', '03.2', '03.3', '03.4']

Does not: run anything.
"""

from __future__ import annotations

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_03.keywords import ENUM, ITEMS
from labkit.course.exercises.chapter_03.questions import QUIZ
from labkit.course.exercises.chapter_03.rules import SPAN, UNFENCE

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (ENUM, ITEMS, SPAN, UNFENCE)
