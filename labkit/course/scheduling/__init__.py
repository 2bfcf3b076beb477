"""The thinking behind the concurrency lab: a batch in lines, its plan, its prediction, and a run on real files.

Chapter 05.

    >>> lines, problems = written("read tea.txt 40\nedit tea.txt 60\nread tea.txt 40")
    >>> Setting(lines, "reads_first").warnings
    ('call_3 read tea.txt before call_2 had changed it',)

Does not: plan, predict or run by itself (``schedule``, ``timeline`` and ``runtime`` do), draw, know widgets.
"""

from labkit.course.scheduling.batches import LENGTHS, MIXES, RESOURCES, Line, batch, written
from labkit.course.scheduling.files import bakery, registry_of
from labkit.course.scheduling.outcomes import Outcome, differences, outcome
from labkit.course.scheduling.report import walls
from labkit.course.scheduling.trial import Setting, Trial

__all__ = [
    "LENGTHS",
    "MIXES",
    "RESOURCES",
    "Line",
    "Outcome",
    "Setting",
    "Trial",
    "bakery",
    "batch",
    "differences",
    "outcome",
    "registry_of",
    "walls",
    "written",
]
