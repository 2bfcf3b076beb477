"""The exercises and questions of chapter 01: reading a decision out of plain text, and what that costs."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_01.questions import QUIZ
from labkit.course.exercises.chapter_01.tasks import MISTAKEN, READER, REQUESTS

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (READER, REQUESTS, MISTAKEN)
