"""Chapter 05: the longest chain, what two calls have to do with each other, a batch that tells the policies apart."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_05.batch import TELL_APART
from labkit.course.exercises.chapter_05.chain import LONGEST_CHAIN
from labkit.course.exercises.chapter_05.conflicts import CONFLICT
from labkit.course.quiz import Question

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (LONGEST_CHAIN, CONFLICT, TELL_APART)
QUIZ: tuple[Question, ...] = ()
