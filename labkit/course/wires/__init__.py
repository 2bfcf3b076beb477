"""A small history, the ways to spoil it, and what a server answers to it, over real HTTP.

Chapter 09. A history is spelled field by field, with nothing mended, or by ``labkit.models.wire``; both are sent to the
strict server of this course, which plays a script on this machine.

    >>> tried("left_out").status
    400
    >>> tried("left_out", repair=True).status
    200

Acts in ``post`` only: it starts a server, sends one request, and stops the server. Does not: ask a language model.
"""

from labkit.course.wires.comparing import changes, facts
from labkit.course.wires.history import DEFINITIONS, SCRIPT, the_history
from labkit.course.wires.plain import plain_chat, plain_responses
from labkit.course.wires.posting import CHAT, RESPONSES, Answered, post
from labkit.course.wires.samples import NOT_KEPT, all_legal, asks, says, told
from labkit.course.wires.spoiling import ANSWERS, SPOILS, spoilt
from labkit.course.wires.trying import Tried, tried

__all__ = [
    "ANSWERS",
    "CHAT",
    "DEFINITIONS",
    "NOT_KEPT",
    "RESPONSES",
    "SCRIPT",
    "SPOILS",
    "Answered",
    "Tried",
    "all_legal",
    "asks",
    "changes",
    "facts",
    "plain_chat",
    "plain_responses",
    "post",
    "says",
    "spoilt",
    "the_history",
    "told",
    "tried",
]
