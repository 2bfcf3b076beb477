"""Protocols side by side: text, JSON asked in words, JSON mode, JSON held to a schema, tool calling. Chapter 11.

Does not: choose a protocol for an agent.
"""

from labkit.course.protocols.judging import Judged, judge
from labkit.course.protocols.measuring import Row, bar, measure
from labkit.course.protocols.prompts import PROTOCOLS
from labkit.course.protocols.rates import MEASURES, Comparison, Rate, compare, rates, table
from labkit.course.protocols.recorded import Recorded, record, recorded
from labkit.course.protocols.tasks import Example, Task, definitions, examples, tasks, tools

__all__ = [
    "MEASURES",
    "PROTOCOLS",
    "Comparison",
    "Example",
    "Judged",
    "Rate",
    "Recorded",
    "Row",
    "Task",
    "bar",
    "compare",
    "definitions",
    "examples",
    "judge",
    "measure",
    "rates",
    "record",
    "recorded",
    "table",
    "tasks",
    "tools",
]
