"""Chapter 09: every call is answered once, names are legal and lead back, a reply is read; three questions."""

from __future__ import annotations

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_09.answering import ANSWERED
from labkit.course.exercises.chapter_09.naming import LEGAL_NAMES
from labkit.course.exercises.chapter_09.questions import QUIZ
from labkit.course.exercises.chapter_09.reading import WHAT_NOW

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (ANSWERED, LEGAL_NAMES, WHAT_NOW)
