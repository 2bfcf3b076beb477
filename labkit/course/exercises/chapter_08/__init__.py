"""Chapter 08: every call is answered, a circle is told from work, a history is cut between turns; three questions."""

from __future__ import annotations

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_08.answering import ANSWER_ALL
from labkit.course.exercises.chapter_08.circling import CIRCLES
from labkit.course.exercises.chapter_08.questions import QUIZ
from labkit.course.exercises.chapter_08.shortening import NEWEST

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (ANSWER_ALL, CIRCLES, NEWEST)
