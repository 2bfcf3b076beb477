"""How many calls were at work, for every column of a picture that is too narrow to tell them apart.

Chapter 05. Pure, linear but for one sort; times are seconds.

    >>> load([Span("a", "t", "read", 0.0, 0.0, 1.0), Span("b", "t", "write", 0.0, 0.5, 1.0)], end=1.0, columns=2)
    Load(most=[1, 2], reads=[1.0, 1.0], writes=[0.0, 1.0])

Does not: draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from labkit.timeline.spans import Span, changes


class Load(NamedTuple):
    """Per column: the most calls at one moment, and how many reads and writes ran on average. A value."""

    most: list[int]
    reads: list[float]
    writes: list[float]


def load(spans: Sequence[Span], end: float, columns: int) -> Load:
    """Return the load of ``columns`` equal parts of the time from 0 to ``end`` > 0."""
    per = columns / end
    reads = [span for span in spans if span.kind == "read"]
    writes = [span for span in spans if span.kind != "read"]
    return Load(_most(spans, per, columns), _average(reads, per, columns), _average(writes, per, columns))


def _most(spans: Sequence[Span], per: float, columns: int) -> list[int]:
    most = [0] * columns
    running = column = 0
    for moment, change in sorted(change for span in spans for change in changes(span)):
        here = min(int(moment * per), columns - 1)
        most[column + 1 : here + 1] = [running] * (here - column)
        column = here
        running += change
        most[here] = max(most[here], running + (change == 0))
    return most


def _average(spans: Sequence[Span], per: float, columns: int) -> list[float]:
    """Add up what each call takes of each column; the columns that it fills are noted at their two ends only."""
    edges = [0.0] * columns
    steps = [0] * (columns + 1)
    for span in spans:
        if span.started is None or span.finished is None:
            continue
        start, end = span.started * per, span.finished * per
        first, last = min(int(start), columns - 1), min(int(end), columns - 1)
        if first == last:
            edges[first] += end - start
        else:
            edges[first] += first + 1 - start
            edges[last] += end - last
            steps[first + 1] += 1
            steps[last] -= 1
    return [edge + full for edge, full in zip(edges, accumulate(steps), strict=False)]
