"""What a plan and known durations make of the time axis: a deterministic run of the small executor.

Chapter 05. Pure: no clock is read, nothing runs. Durations are seconds.

    >>> moments([[], [], [0, 1]], [60, 40, 80], max_parallel=64)
    [(0, 60), (0, 40), (60, 140)]

Does not: know policies; a plan says who waits for whom, and that is all that is needed.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, cast

from labkit.calls import quote
from labkit.timeline.spans import Kind, Span

if TYPE_CHECKING:
    from labkit.schedule import Plan, PlannedCall

NANOSECONDS = 1_000_000_000
LONGEST = 1e9  # seconds, about 31 years


def predict_spans(
    plan: Plan,
    durations: Sequence[float | None] | float,
    max_parallel: int,
    arrivals: Sequence[float] | None = None,
) -> tuple[Span, ...]:
    """Return one span per planned call, in call order. Errors: see ``Timeline.predict``."""
    if isinstance(max_parallel, bool) or not isinstance(max_parallel, int) or max_parallel < 1:
        raise ValueError(f"max_parallel is a whole number from 1; not {quote(max_parallel)}")
    given = _one_each(durations, len(plan.calls))
    lengths = [_nanoseconds(i, call.kind, given[i]) for i, call in enumerate(plan.calls)]
    known = None if arrivals is None else _arrivals(arrivals, len(plan.calls))
    times = moments(plan.waits_for, lengths, max_parallel, known)
    arrived: Sequence[int | None] = [None] * len(times) if known is None else known
    return tuple(map(_span, plan.calls, times, arrived))


def bound(spans: Sequence[Span], waits_for: Sequence[Iterable[int]]) -> float:
    """Return the seconds of the longest chain of calls that wait for each other: the wall with a worker per call."""
    lengths = [None if span.started is None else round(span.duration * NANOSECONDS) for span in spans]
    times = moments(waits_for, lengths, max(1, len(spans)))
    return max((time[1] for time in times if time), default=0) / NANOSECONDS


def moments(
    waits_for: Sequence[Iterable[int]],
    durations: Sequence[int | None],
    max_parallel: int,
    arrivals: Sequence[int] | None = None,
) -> list[tuple[int, int] | None]:
    """Return (start, end) per call, in the integer unit of ``durations``; None for a call that has no duration.

    A call starts when it has arrived, all it waits for has ended and a slot is free; ready calls start in call order.
    Raises ValueError where calls wait for each other in a circle.
    """
    open_waits = [{other for other in others if durations[other] is not None} for others in waits_for]
    followers: list[list[int]] = [[] for _ in durations]
    for position, others in enumerate(open_waits):
        for other in others:
            followers[other].append(position)
    missing = [len(others) for others in open_waits]
    coming = [(arrivals[i] if arrivals else 0, i) for i, n in enumerate(durations) if n is not None and not missing[i]]
    heapq.heapify(coming)
    ready: list[int] = []
    times: list[tuple[int, int] | None] = [None] * len(durations)
    running: list[tuple[int, int]] = []
    now = 0
    while coming or ready or running:
        while coming and coming[0][0] <= now:
            heapq.heappush(ready, heapq.heappop(coming)[1])
        while ready and len(running) < max_parallel:
            position = heapq.heappop(ready)
            end = now + (durations[position] or 0)
            times[position] = (now, end)
            heapq.heappush(running, (end, position))
        now = min(heap[0][0] for heap in (coming, running) if heap)
        while running and running[0][0] == now:
            for follower in followers[heapq.heappop(running)[1]]:
                missing[follower] -= 1
                if not missing[follower]:
                    heapq.heappush(coming, (max(now, arrivals[follower]) if arrivals else now, follower))
    if any(time is None and length is not None for time, length in zip(times, durations, strict=True)):
        raise ValueError("some calls of this plan wait for each other in a circle")
    return times


def _span(call: PlannedCall, time: tuple[int, int] | None, arrival: int | None) -> Span:
    kind = cast(Kind, call.kind)
    known = None if arrival is None else arrival / NANOSECONDS
    if time is None:
        return Span(call.id, call.name, kind, 0.0, None, None, "refused", known=known)
    return Span(call.id, call.name, kind, 0.0, time[0] / NANOSECONDS, time[1] / NANOSECONDS, known=known)


def _arrivals(arrivals: Sequence[float], count: int) -> list[int]:
    """Check that there is one arrival per call, and make them whole nanoseconds."""
    if not isinstance(arrivals, Sequence) or isinstance(arrivals, str) or len(arrivals) != count:
        raise ValueError(f"arrivals are the seconds at which each call becomes known; this plan takes {count} of them")
    return [nanoseconds(f"the arrival of call {i + 1}", moment) for i, moment in enumerate(arrivals)]


def _one_each(durations: Sequence[float | None] | float, count: int) -> Sequence[float | None]:
    """Spread one number over all calls, or check that there is one entry per call."""
    if isinstance(durations, Real):
        return [float(durations)] * count
    if not isinstance(durations, Sequence) or isinstance(durations, str):
        raise ValueError("durations are a sequence with one entry per call, or one number for all; in seconds")
    if len(durations) != count:
        raise ValueError(f"a plan of {count} calls takes {count} durations, one per call; not {len(durations)}")
    return durations


def _nanoseconds(position: int, kind: str, duration: float | None) -> int | None:
    """Make one duration whole nanoseconds: sums of whole numbers are exact, sums of floats are not."""
    if duration is None and kind == "refused":
        return None
    length = nanoseconds(f"the duration of call {position + 1}", duration)
    return None if kind == "refused" else length


def nanoseconds(what: str, seconds: float | None) -> int:
    """Return a time as whole nanoseconds. Raises ValueError, naming it, for what is no time."""
    if not isinstance(seconds, Real) or not 0 <= seconds <= LONGEST or math.isnan(seconds):
        raise ValueError(f"{what} is a number of seconds from 0 to {LONGEST:.0e}; not {quote(seconds)}")
    return round(float(seconds) * NANOSECONDS)
