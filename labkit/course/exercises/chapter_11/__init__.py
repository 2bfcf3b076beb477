"""Chapter 11: read an envelope strictly, write its schema, judge a reply by four measures."""

from labkit.course.exercise import Exercise
from labkit.course.exercises.chapter_11.judging import JUDGED
from labkit.course.exercises.chapter_11.questions import QUIZ
from labkit.course.exercises.chapter_11.reading import READ_ENVELOPE
from labkit.course.exercises.chapter_11.schema import ENVELOPE_OF

__all__ = ["EXERCISES", "QUIZ"]

EXERCISES: tuple[Exercise, ...] = (READ_ENVELOPE, ENVELOPE_OF, JUDGED)
