"""Chapter 04: an error without a leak, two kinds of a result that is not ok, failures counted by layer."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_04.counting import BY_LAYER, CALL_OR_CODE
from labkit.course.exercises.chapter_04.telling import NO_LEAK
from labkit.course.quiz import Question

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (NO_LEAK, CALL_OR_CODE, BY_LAYER)
QUIZ: tuple[Question, ...] = ()
