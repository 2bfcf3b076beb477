"""When each call of a batch ran, or would run: as text, as a picture, as a table.

Chapter 05. Pure: a timeline is predicted from a plan and durations, or read from a trace; it never runs a call.

    >>> Timeline.predict(plan, [0.060, 0.040, 0.120, 0.080, 0.060])
    barriers · 5 calls · predicted
                          0         100       200 ms
    call_1  read_file     ██████                       60
    call_2  list_files    ████                         40
    call_3  search_text   ████████████                120
    call_4  edit_file     ············▓▓▓▓▓▓▓▓         80
    call_5  read_lines    ····················██████   60
    wall 260 ms · sum 360 ms · peak 3 · order kept

Does not: schedule, run, read a clock. The text of a measured timeline holds times; compare its ``facts`` instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from labkit.timeline.gain import Gain, predict_gain
from labkit.timeline.measure import measure
from labkit.timeline.predict import bound, predict_spans
from labkit.timeline.spans import CLOCK_DIGITS, OPEN, Span, peak
from labkit.timeline.text import gantt, table
from labkit.timeline.watching import watch

if TYPE_CHECKING:
    from labkit.schedule import Plan
    from labkit.trace import Trace

__all__ = ["Comparison", "Gain", "Span", "Timeline", "compare", "predict_gain"]


@dataclass(frozen=True, repr=False)
class Timeline:
    """Calls on one time axis, in call order. A value; all times are seconds.

    ``title`` is the policy, where it is known. ``waits_for`` holds positions from 0 and is None for a measurement.
    ``answered`` holds the positions of the calls in the order in which their results came. ``note`` tells this
    timeline from another of the same title.
    """

    spans: tuple[Span, ...]
    title: str = ""
    source: Literal["predicted", "measured"] = "measured"
    waits_for: tuple[frozenset[int], ...] | None = None
    max_parallel: int | None = None
    answered: tuple[int, ...] = ()
    note: str = ""

    @classmethod
    def predict(
        cls,
        plan: Plan,
        durations: Sequence[float | None] | float,
        max_parallel: int = 64,
        arrivals: Sequence[float] | None = None,
    ) -> Timeline:
        """Return what the executor would do if every call took just its time.

        ``durations`` are seconds, one entry per call of the plan, or one number for all. A refused call
        takes neither time nor slot; its entry may be None. Times are kept to the nanosecond. ``arrivals`` are the
        seconds at which each call becomes known, one entry per call; without them all are known at 0.
        Raises ValueError for a wrong number of entries, for an entry that is negative, NaN or no number,
        for ``max_parallel`` below 1 and for a plan that waits in a circle.
        """
        found = predict_spans(plan, durations, max_parallel, arrivals)
        order = tuple(range(len(found)))
        return cls(found, plan.policy, "predicted", tuple(plan.waits_for), max_parallel, order)

    @classmethod
    def from_trace(cls, trace: Trace | Iterable[Mapping[str, Any]], title: str = "") -> Timeline:
        """Return what a run did, from a ``Trace`` or from its lines.

        A trace that breaks off is drawn as far as it goes. It does not hold its policy; ``title`` may name it.
        """
        found, answered = measure(getattr(trace, "lines", trace))
        return cls(found, title, "measured", answered=answered)

    @classmethod
    def live(cls, plan: Plan, events: Iterable[Mapping[str, Any]], now: float, max_parallel: int = 64) -> Timeline:
        """Return what is known of a batch at ``now``, seconds since it began; ``events`` as ``on_event`` hears them.

        Calls that have ended are as measured. An open call is ``running`` since the plan and the slots let it, else
        ``waiting``: its start is a conclusion, as no event tells it before the call ends. Order is not judged here.
        """
        return cls(watch(plan, events, now, max_parallel), plan.policy, "measured", tuple(plan.waits_for), max_parallel)

    def batches(self) -> tuple[Timeline, ...]:
        """Return one timeline per turn, each from 0."""
        turns: dict[int, list[int]] = {}
        for position, span in enumerate(self.spans):
            turns.setdefault(span.batch, []).append(position)
        rank = {position: rank for turn in turns.values() for rank, position in enumerate(turn)}
        answered: dict[int, list[int]] = {}
        for position in self.answered:
            answered.setdefault(self.spans[position].batch, []).append(rank[position])
        return tuple(self._batch(turns[number], answered.get(number, ())) for number in sorted(turns))

    @cached_property
    def end(self) -> float:
        """The last moment on the axis, in seconds: the last end, or that of the last reply."""
        return max((max(span.last, span.whole or 0.0) for span in self.spans), default=0.0)

    @cached_property
    def replies(self) -> tuple[tuple[float, float], ...]:
        """When a reply was asked for and when it was whole, in seconds, per turn for which that is told."""
        return tuple(sorted({(span.begin, span.whole) for span in self.spans if span.whole is not None}))

    @cached_property
    def wall(self) -> float:
        """Seconds from the begin of a batch to its last end, summed over batches: the time spent waiting for tools."""
        turns: dict[int, list[Span]] = {}
        for span in self.spans:
            turns.setdefault(span.batch, []).append(span)
        walls = (max(s.last for s in turn) - min(s.begin for s in turn) for turn in turns.values())
        return round(math.fsum(walls), CLOCK_DIGITS)

    @cached_property
    def total(self) -> float:
        """Seconds of all calls added up: what one after the other would take."""
        return round(math.fsum(span.duration for span in self.spans), CLOCK_DIGITS)

    @cached_property
    def peak(self) -> int:
        """How many calls ran at the busiest moment. Ends that touch do not overlap."""
        return peak(self.spans)

    @property
    def bound(self) -> float | None:
        """Seconds of the longest chain of calls that wait for each other: no number of workers is faster.

        None for a measurement, which does not know who waited for whom.
        """
        return None if self.waits_for is None else bound(self.spans, self.waits_for)

    @property
    def speed_up(self) -> float:
        """``total`` by ``wall``; 1.0 where nothing took any time."""
        return self.total / self.wall if self.wall > 0 else 1.0

    @property
    def order_kept(self) -> bool:
        """Whether every call has its result, in call order. Live events come in order of completion; a trace tells."""
        return self.answered == tuple(range(len(self.spans)))

    @property
    def facts(self) -> dict[str, int | bool]:
        """What a notebook can show and compare: calls, peak, order_kept, errors. No times.

        The peak of a measurement is stable only where the tools wait for each other, or for long enough.
        """
        errors = sum(span.state not in ("ok", *OPEN) for span in self.spans)
        return {"calls": len(self.spans), "peak": self.peak, "order_kept": self.order_kept, "errors": errors}

    def table(self) -> str:
        """Return the picture's twin in words: one row per call. The same as data: ``spans`` and ``waits_for``."""
        return table(self)

    def to_svg(self, width: int = 780) -> str:
        """Return the picture as SVG, ``width`` pixels wide (at least 480), on a paper of its own."""
        return _draw([self], width)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return gantt(self)

    def _batch(self, positions: Sequence[int], answered: Iterable[int]) -> Timeline:
        chosen = [self.spans[position] for position in positions]
        zero = min(span.begin for span in chosen)
        waits = self.waits_for if len(chosen) == len(self.spans) else None
        spans = tuple(span.moved(-zero) for span in chosen)
        return replace(self, spans=spans, answered=tuple(answered), waits_for=waits)


@dataclass(frozen=True, repr=False)
class Comparison:
    """A prediction and a measurement on one axis. A value."""

    predicted: Timeline
    measured: Timeline

    @property
    def facts(self) -> dict[str, dict[str, int | bool]]:
        """The facts of both, without times."""
        return {"predicted": self.predicted.facts, "measured": self.measured.facts}

    def to_svg(self, width: int = 780) -> str:
        """Return the picture as SVG: prediction above, measurement beneath."""
        return _draw([self.predicted, self.measured], width)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return gantt(self.predicted, self.measured)


def compare(predicted: Timeline, measured: Timeline) -> Comparison:
    """Return both on one axis; a measurement that does not know its policy takes the title of the prediction."""
    return Comparison(predicted, replace(measured, title=measured.title or predicted.title))


def _draw(timelines: Sequence[Timeline], width: int) -> str:
    from labkit.timeline.svg import draw  # here, so that importing labkit does not pay for pictures

    return draw(timelines, width)
