"""Chapter 10: pieces become calls, a call becomes whole, a read may start early; three questions."""

from __future__ import annotations

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_10.ending import WHOLE
from labkit.course.exercises.chapter_10.merging import MERGE
from labkit.course.exercises.chapter_10.questions import QUIZ
from labkit.course.exercises.chapter_10.starting import EARLY

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (MERGE, WHOLE, EARLY)
