"""Tool calls in plain text: the model writes labelled lines, and two regular expressions read them. Chapter 01.

    >>> read("Thought: look it up\\nAction: get_weather\\nAction Input: {\\"city\\": \\"Oslo\\"}")
    call: get_weather {"city": "Oslo"}

``read`` and ``examine`` are pure. Does not: carry more than one call a turn, judge arguments, run a tool.
"""

from labkit.models.text_protocol.examining import RULES, Finding, examine
from labkit.models.text_protocol.model import TextProtocolModel
from labkit.models.text_protocol.reading import STOP, Part, Reading, cut, read

__all__ = ["RULES", "STOP", "Finding", "Part", "Reading", "TextProtocolModel", "cut", "examine", "read"]
