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


def predict_spans(plan: Plan, durations: Sequence[float | None] | float, max_parallel: int) -> tuple[Span, ...]:
    """Return one span per planned call, in call order. Errors: see ``Timeline.predict``."""
    if isinstance(max_parallel, bool) or not isinstance(max_parallel, int) or max_parallel < 1:
        raise ValueError(f"max_parallel is a whole number from 1; not {quote(max_parallel)}")
    given = _one_each(durations, len(plan.calls))
    lengths = [_nanoseconds(i, call.kind, given[i]) for i, call in enumerate(plan.calls)]
    times = moments(plan.waits_for, lengths, max_parallel)
    return tuple(map(_span, plan.calls, times))


def bound(spans: Sequence[Span], waits_for: Sequence[Iterable[int]]) -> float:
    """Return the seconds of the longest chain of calls that wait for each other: the wall with a worker per call."""
    lengths = [None if span.started is None else round(span.duration * NANOSECONDS) for span in spans]
    times = moments(waits_for, lengths, max(1, len(spans)))
    return max((time[1] for time in times if time), default=0) / NANOSECONDS


def moments(
    waits_for: Sequence[Iterable[int]], durations: Sequence[int | None], max_parallel: int
) -> list[tuple[int, int] | None]:
    """Return (start, end) per call, in the integer unit of ``durations``; None for a call that has no duration.

    A call starts when all it waits for has ended and a slot is free; ready calls start in call order.
    Raises ValueError where calls wait for each other in a circle.
    """
    open_waits = [{other for other in others if durations[other] is not None} for others in waits_for]
    followers: list[list[int]] = [[] for _ in durations]
    for position, others in enumerate(open_waits):
        for other in others:
            followers[other].append(position)
    missing = [len(others) for others in open_waits]
    ready = [i for i, length in enumerate(durations) if length is not None and not missing[i]]
    times: list[tuple[int, int] | None] = [None] * len(durations)
    running: list[tuple[int, int]] = []
    now = 0
    while ready or running:
        while ready and len(running) < max_parallel:
            position = heapq.heappop(ready)
            end = now + (durations[position] or 0)
            times[position] = (now, end)
            heapq.heappush(running, (end, position))
        now = running[0][0]
        while running and running[0][0] == now:
            for follower in followers[heapq.heappop(running)[1]]:
                missing[follower] -= 1
                if not missing[follower]:
                    heapq.heappush(ready, follower)
    if any(time is None and length is not None for time, length in zip(times, durations, strict=True)):
        raise ValueError("some calls of this plan wait for each other in a circle")
    return times


def _span(call: PlannedCall, time: tuple[int, int] | None) -> Span:
    kind = cast(Kind, call.kind)
    if time is None:
        return Span(call.id, call.name, kind, 0.0, None, None, "refused")
    return Span(call.id, call.name, kind, 0.0, time[0] / NANOSECONDS, time[1] / NANOSECONDS)


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
    if not isinstance(duration, Real) or not 0 <= duration <= LONGEST or math.isnan(duration):
        raise ValueError(
            f"the duration of call {position + 1} is a number of seconds from 0 to {LONGEST:.0e}; not {quote(duration)}"
        )
    return None if kind == "refused" else round(float(duration) * NANOSECONDS)
