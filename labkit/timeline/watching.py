"""What is known of a batch while it goes on: the calls that have ended, and what the plan says of the others.

Chapter 05. Pure: plan, events and a reading of the clock in, spans out; times are seconds since the batch began.

    >>> watch(plan, events, now=0.05)[0].state      # no end has come yet, and nothing stands before it
    'running'

Does not: know when an open call was really started (no event says so until it ends); it says when the call was free to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from labkit.timeline.measure import measure
from labkit.timeline.predict import LONGEST, NANOSECONDS, moments
from labkit.timeline.spans import Kind, Span

if TYPE_CHECKING:
    from labkit.schedule import Plan, PlannedCall

FOREVER = round(LONGEST * NANOSECONDS)


def watch(plan: Plan, events: Iterable[Mapping[str, Any]], now: float, max_parallel: int = 64) -> tuple[Span, ...]:
    """Return one span per call. A call that has ended is as it was measured.

    Of the others, a call is ``running`` since all it waits for has ended and a slot was free, if that is so by now;
    else it is ``waiting``. ``finished`` of both is ``now``.
    """
    seen, _ = measure(events)
    spans = [*seen, *map(_unseen, plan.calls[len(seen) :])]
    times = moments(plan.waits_for, [_length(span) for span in spans[: len(plan)]], max_parallel)
    for position, time in enumerate(times):
        if spans[position].state == "unfinished":
            others = [spans[other].last for other in plan.waits_for[position]]
            spans[position] = _as_of(now, spans[position], time and max([time[0] / NANOSECONDS, *others]))
    return tuple(spans)


def _unseen(call: PlannedCall) -> Span:
    return Span(call.id, call.name, cast(Kind, call.kind), 0.0, None, None, "unfinished")


def _length(span: Span) -> int | None:
    """Nanoseconds of a call; one that has no end yet holds its slot, and those behind it, for good."""
    if "refused" in (span.kind, span.state):
        return None
    return FOREVER if span.state == "unfinished" else round(span.duration * NANOSECONDS)


def _as_of(now: float, span: Span, free: float | None) -> Span:
    if free is None:
        return replace(span, state="refused")
    if free > now:
        return replace(span, begin=0.0, finished=now, state="waiting")
    return replace(span, begin=0.0, started=free, finished=now, state="running")
