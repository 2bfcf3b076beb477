"""Models that go round in circles, the log of a run that stops them, and what such a run costs.

Chapter 08. The models are scripted: each follows one rule, which its class spells out.

    >>> play("same_call").run.stop_reason
    'stalled'
    >>> play("same_call", guard=None).run.stop_reason
    'max_turns'

Does not: decide what is a circle; ``labkit.guard`` does.
"""

from labkit.course.loops.desk import Desk
from labkit.course.loops.growth import Growth, requests
from labkit.course.loops.models import MODELS, Habit
from labkit.course.loops.played import Played, Row, play
from labkit.course.loops.report import compared, sent_by_both, told_in_text

__all__ = [
    "MODELS",
    "Desk",
    "Growth",
    "Habit",
    "Played",
    "Row",
    "compared",
    "play",
    "requests",
    "sent_by_both",
    "told_in_text",
]
