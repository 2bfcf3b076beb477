"""A trace as a story that can be played, and run on from a changed past.

Chapter 07. ``read`` reads any trace once; a story says what every line says, which calls failed, and which later call
took each of them up. ``branch`` plays the run again with one call changed.

    >>> story = read(data("traces", "m2.jsonl"))
    >>> [(tie.failed.id, tie.then.id, tie.state) for tie in story.ties]
    [('call_4', 'call_5', 'mended')]
    >>> branch(story, 3, {"path": "calculator.py", "start_line": 4, "end_line": 6})
    Branch(call_4 changed, parts in turn 2: 5 decisions)

Acts only in ``branch``. Does not: ask a language model; what goes on from a changed past is a script with rules.
"""

from labkit.course.recovery.branching import Branch, branch, why_not
from labkit.course.recovery.reading import Frame, Story, read
from labkit.course.recovery.stand_in import StandIn
from labkit.course.recovery.ties import Change, Tie, as_text, changed
from labkit.course.recovery.turns import Asked, Step

__all__ = [
    "Asked",
    "Branch",
    "Change",
    "Frame",
    "StandIn",
    "Step",
    "Story",
    "Tie",
    "as_text",
    "branch",
    "changed",
    "read",
    "why_not",
]
