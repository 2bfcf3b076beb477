"""Chapter 00: how long a run gets, a step that reads both forms of arguments, a step that nothing kills."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_00.questions import QUIZ
from labkit.course.exercises.chapter_00.steps import MESSAGES, READ_BOTH, RUN_SAFE

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (MESSAGES, READ_BOTH, RUN_SAFE)
