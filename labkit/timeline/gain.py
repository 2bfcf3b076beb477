"""What early dispatch gains on one reply: both ways predicted, and the difference in seconds.

Chapter 10. Pure: a plan, durations, and when each call of a stream is whole; times count from the request.

    >>> predict_gain(plan, [0.2, 0.2], arrivals=[0.1, 0.3], whole=0.4).seconds
    0.1

Does not: know which tools are parallel-safe (a plan does not say so), stream anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from labkit.timeline.predict import NANOSECONDS, nanoseconds
from labkit.timeline.scale import spoken
from labkit.timeline.text import gantt

if TYPE_CHECKING:
    from labkit.schedule import Plan
    from labkit.timeline import Timeline


@dataclass(frozen=True, repr=False)
class Gain:
    """One reply and its tools, without early dispatch and with it. A value; times are seconds from the request."""

    off: Timeline
    on: Timeline

    @property
    def seconds(self) -> float:
        """How much earlier the reply is whole and all its tools have ended."""
        return round(self.off.end - self.on.end, 9)

    @property
    def facts(self) -> str:
        """When all is over, without and with early dispatch, and the difference."""
        ends = f"{spoken(self.off.end)} without early dispatch, {spoken(self.on.end)} with it"
        return f"reply and tools over after {ends} · gained {spoken(self.seconds)}"

    def to_svg(self, width: int = 780) -> str:
        """Return the picture as SVG: without above, with early dispatch beneath."""
        from labkit.timeline.svg import draw  # here, so that importing labkit does not pay for pictures

        return draw([self.off, self.on], width, self.facts)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"{gantt(self.off, self.on)}\n{self.facts}"


def predict_gain(
    plan: Plan,
    durations: Sequence[float | None] | float,
    arrivals: Sequence[float],
    whole: float,
    max_parallel: int = 64,
) -> Gain:
    """Return both predictions for a stream in which call i is whole at ``arrivals[i]`` and the reply at ``whole``.

    Without early dispatch every call is known when the reply is whole. With it a read is known when it and all calls
    before it are whole, any other call when the reply is; what it waits for, the plan says. For a read that is not
    parallel-safe, which never starts early, give ``whole`` as its arrival. Errors: those of ``Timeline.predict``, and
    ValueError for a ``whole`` that is no time or lies before an arrival.
    """
    from labkit.timeline import Timeline

    end = nanoseconds("whole", whole) / NANOSECONDS
    off = Timeline.predict(plan, durations, max_parallel, [end] * len(plan))
    Timeline.predict(plan, durations, max_parallel, arrivals)  # says what is wrong with the arrivals
    if max(arrivals, default=0.0) > end:
        raise ValueError(f"the reply can't be whole, at {spoken(end)}, before its last call is")
    reached = accumulate(arrivals, max)
    known = [moment if call.kind == "read" else end for call, moment in zip(plan.calls, reached, strict=True)]
    on = Timeline.predict(plan, durations, max_parallel, known)
    return Gain(_noted(off, "early dispatch off", end), _noted(on, "early dispatch on", end))


def _noted(timeline: Timeline, note: str, whole: float) -> Timeline:
    """Return a prediction that says which of the two it is, and when its reply is whole."""
    return replace(timeline, spans=tuple(replace(span, whole=whole) for span in timeline.spans), note=note)
