"""Exercises of chapter 02: a schema by hand, a signature without findings, a strict form by hand."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_02.by_hand import BY_HAND
from labkit.course.exercises.chapter_02.by_signature import BY_SIGNATURE
from labkit.course.exercises.chapter_02.gate import accepts, declares, found
from labkit.course.exercises.chapter_02.strict_form import STRICT
from labkit.course.quiz import Question

__all__ = ["EXERCISES", "QUIZ", "accepts", "declares", "found"]

EXERCISES: tuple[Exercise, ...] = (BY_HAND, BY_SIGNATURE, STRICT)
QUIZ: tuple[Question, ...] = ()
