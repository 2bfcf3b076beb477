"""The worker lab: one slow call among quick ones, in a place of your choice, and what is alive when its limit is over.

Chapter 06. A ``Setting`` says what is tried, ``expected`` what the rules make of it, a ``Trial`` does it for real.

    >>> trial = Trial(Setting(place="process"))
    >>> trial()
    >>> trial.looks[0].said
    'its process is gone'

Does not: draw; let anything hang longer than a few seconds, however often it is run.
"""

from labkit.course.execution.rules import Expected, expected, forecast
from labkit.course.execution.setting import LIMITS, MOST_SIBLINGS, PLACES, Setting
from labkit.course.execution.trial import Look, Trial, state, words

__all__ = [
    "LIMITS",
    "MOST_SIBLINGS",
    "PLACES",
    "Expected",
    "Look",
    "Setting",
    "Trial",
    "expected",
    "forecast",
    "state",
    "words",
]
