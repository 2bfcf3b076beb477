"""Chapter 06: side by side and in order, a limit that tells the truth, who must wait for a hung call; three questions.

    >>> [each.id for each in EXERCISES]
    ['06.1', '06.2', '06.3']

Does not: run anything.
"""

from __future__ import annotations

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_06.holding import HELD
from labkit.course.exercises.chapter_06.limits import LIMITED
from labkit.course.exercises.chapter_06.questions import QUIZ
from labkit.course.exercises.chapter_06.together import TOGETHER

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (TOGETHER, LIMITED, HELD)
