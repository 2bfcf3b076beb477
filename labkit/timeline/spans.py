"""One call on the time axis, and the facts that follow from many of them.

Chapter 05. Spans are values, the functions are pure; times are seconds.

    >>> read = Span("call_1", "read_file", "read", 0.0, 0.0, 0.06)
    >>> edit = Span("call_2", "edit_file", "write", 0.0, 0.06, 0.14)
    >>> peak([read, edit])
    1

Does not: know plans, traces or pictures.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["read", "write", "refused"]
State = Literal["ok", "error", "timeout", "cancelled", "refused", "unfinished", "running", "waiting"]
OPEN = ("running", "waiting")  # not over yet: neither well nor badly

CLOCK_DIGITS = 9  # Moments that agree to the nanosecond are one moment: sums of floats differ in the last digit.


@dataclass(frozen=True, slots=True)
class Span:
    """What one call did and when. A value; times are seconds from the zero of its timeline.

    ``begin`` is when its batch began; ``started`` and ``finished`` are None if the tool never ran.
    ``state`` is ``unfinished`` where a trace breaks off before the call's end; in a picture of what still goes on it
    is ``running`` or ``waiting``, and ``finished`` is the moment of looking.
    ``ghost`` is true where the thread outlived its limit and goes on; ``batch`` counts turns from 0.
    ``known`` is when the call was known well enough to start, None where that was so at ``begin``; ``whole`` is when
    the reply that holds it was whole, None where that is not told.
    """

    call_id: str
    name: str
    kind: Kind
    begin: float
    started: float | None
    finished: float | None
    state: State = "ok"
    ghost: bool = False
    batch: int = 0
    known: float | None = field(default=None, repr=False)
    whole: float | None = field(default=None, repr=False)

    @property
    def duration(self) -> float:
        """Seconds from start to end; 0.0 for a call that never ran or whose end is not known."""
        if self.started is None or self.finished is None:
            return 0.0
        return max(0.0, round(self.finished - self.started, CLOCK_DIGITS))

    @property
    def last(self) -> float:
        """The last moment that is known of this call."""
        moments = (self.begin, self.known, self.started, self.finished)
        return max(moment for moment in moments if moment is not None)

    @property
    def free(self) -> float:
        """From when on the call waits for others or for a place, and no longer for the model."""
        return self.begin if self.known is None else max(self.begin, self.known)

    def moved(self, seconds: float) -> Span:
        """Return the same span that many seconds later."""
        begin, started, finished, known, whole = (
            None if moment is None else round(moment + seconds, CLOCK_DIGITS)
            for moment in (self.begin, self.started, self.finished, self.known, self.whole)
        )
        return replace(self, begin=begin or 0.0, started=started, finished=finished, known=known, whole=whole)


def peak(spans: Iterable[Span]) -> int:
    """Return how many calls were running at the busiest moment. Ends that touch do not overlap."""
    most = running = 0
    for _, change in sorted(change for span in spans for change in changes(span)):
        running += change
        most = max(most, running + (change == 0))
    return most


def changes(span: Span) -> list[tuple[float, int]]:
    """Return when the count changes. At one moment ends (-1) sort before instants (0), these before starts (1)."""
    if span.started is None or span.finished is None:
        return []
    start, end = round(span.started, CLOCK_DIGITS), round(span.finished, CLOCK_DIGITS)
    return [(start, 1), (end, -1)] if start < end else [(start, 0)]


def lanes(spans: Sequence[Span]) -> list[int | None]:
    """Return a lane for every call that ran, so that no two calls of one lane overlap; None for the others.

    A lane that holds a ghost is never used again.
    """
    placed: list[int | None] = [None] * len(spans)
    free: list[int] = []
    busy: list[tuple[float, int]] = []
    opened = 0
    starts = [(span.started, position) for position, span in enumerate(spans) if span.started is not None]
    for started, position in sorted(starts):
        while busy and round(busy[0][0], CLOCK_DIGITS) <= round(started, CLOCK_DIGITS):
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            lane = heapq.heappop(free)
        else:
            lane, opened = opened, opened + 1
        placed[position] = lane
        finished = spans[position].finished
        if finished is not None and not spans[position].ghost:
            heapq.heappush(busy, (finished, lane))
    return placed


def barriers(spans: Sequence[Span]) -> list[float]:
    """Where an unsafe call that overlaps nothing starts after others, and where it ends before others."""
    ran = [(s.started, s.finished, s) for s in spans if s.started is not None and s.finished is not None]
    found: set[float] = set()
    for start, end, span in ran:
        beside = [other for other in ran if other[2] is not span and other[2].batch == span.batch]
        if span.kind != "write" or any(a < end and start < b for a, b, _ in beside):
            continue
        found |= {start} if any(b <= start for _, b, _ in beside) else set()
        found |= {end} if any(a >= end for a, _, _ in beside) else set()
    return sorted(found)
