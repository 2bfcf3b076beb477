"""Which calls may start before the reply has ended, and what that gains: predicted, nothing runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labkit.calls import CallRefused, ToolCall
from labkit.course.streams.frames import Lane, Stream
from labkit.course.streams.samples import SECONDS
from labkit.declare import ToolRegistry
from labkit.schedule import plan
from labkit.timeline.gain import Gain, predict_gain
from labkit.validate import parse_arguments, validate


@dataclass(frozen=True)
class Forecast:
    """What becomes of one stream, with early dispatch and without. A value; times are seconds from the first chunk.

    ``starts`` holds, for each call that may start before the stream has ended, its position and the moment from which
    it may. ``calls`` are those that are run, and ``gain`` has both predictions. Where there is nothing to run,
    ``refuses`` says why, ``gain`` is None, and what had started early was for nothing: ``vain``.
    """

    calls: tuple[ToolCall, ...]
    refuses: str
    starts: dict[int, float]
    vain: tuple[ToolCall, ...]
    gain: Gain | None = None


def may_start(calls: Sequence[Lane], registry: ToolRegistry, policy: str = "barriers") -> tuple[int, ...]:
    """Return the positions of the calls that may be at work, as far as the reply is known.

    A call may if it and all before it are whole, its tool only reads and is safe beside others, and it waits for
    nobody. The runtime's own early dispatch decides the same; a test holds the two together.
    """
    known = []
    for lane in calls:
        if not lane.whole:
            break
        known.append(_valid(lane.call, registry))
    made = plan(known, registry, policy)
    return tuple(
        position
        for position, call in enumerate(known)
        if call is not None and _only_reads(call, registry) and not made[position]
    )


def forecast(stream: Stream, registry: ToolRegistry) -> Forecast:
    """Return what becomes of a stream that ends after its last chunk. Tools take the times of ``SECONDS``."""
    end = stream.frame(len(stream.chunks))
    starts = starts_of(stream, registry)
    if not end.runs:
        return Forecast((), end.refuses, starts, tuple(end.room[position].call for position in sorted(starts)))
    made = plan([_valid(call, registry) for call in end.runs], registry)
    takes = [SECONDS.get(call.name, 0.0) for call in end.runs]
    return Forecast(end.runs, "", starts, (), predict_gain(made, takes, arrivals(stream), stream.at[-1]))


def arrivals(stream: Stream) -> list[float]:
    """Return when each call of a stream is whole, in seconds from the first chunk."""
    found: dict[int, float] = {}
    for number, moment in enumerate(stream.at, 1):
        for position, lane in enumerate(stream.known(number)):
            if lane.whole:
                found.setdefault(position, moment)
    return [found.get(position, stream.at[-1]) for position in range(len(stream.known(len(stream.chunks))))]


def starts_of(stream: Stream, registry: ToolRegistry) -> dict[int, float]:
    """Return the calls that may start before the stream has ended, by position, each with its moment."""
    starts: dict[int, float] = {}
    for number, moment in enumerate(stream.at[:-1], 1):
        for position in may_start(stream.known(number), registry):
            starts.setdefault(position, moment)
    return starts


def _only_reads(call: ToolCall, registry: ToolRegistry) -> bool:
    tool = registry[call.name]
    return bool(tool.readonly and tool.parallel_safe)


def _valid(call: ToolCall, registry: ToolRegistry) -> ToolCall | None:
    """Return the call with its values, or None where it would be refused."""
    if call.name not in registry:
        return None
    try:
        values = parse_arguments(call.arguments)
    except CallRefused:
        return None
    values, problems = validate(registry[call.name].parameters, values)
    return None if problems else ToolCall(call.id, call.name, values)
