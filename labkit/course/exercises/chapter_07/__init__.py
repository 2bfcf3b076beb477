"""Chapter 07: complete a history that was broken off, find failed calls in a trace, say what a correction changed."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_07.comparing import CHANGES
from labkit.course.exercises.chapter_07.gap import CLOSE_GAP
from labkit.course.exercises.chapter_07.questions import QUIZ
from labkit.course.exercises.chapter_07.searching import FAILURES

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (CLOSE_GAP, FAILURES, CHANGES)
