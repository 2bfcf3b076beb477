"""What a trace tells about the time axis.

Chapters 05 and 13. Pure: lines in, spans out; times are seconds since the run began.

    >>> start = {"type": "event", "event": "tool_start", "payload": {"call_id": "c", "name": "add", "kind": "read"}}
    >>> measure([start])[0][0].state
    'unfinished'

Does not: read files, know the policy (a trace does not hold it), trust the lines to be complete.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from labkit.timeline.spans import Kind, Span, State

Payload = Mapping[str, Any]


def measure(lines: Iterable[Mapping[str, Any]]) -> tuple[tuple[Span, ...], tuple[int, ...]]:
    """Return the spans in call order, and their positions in the order in which the results stand in the trace.

    A turn is a run of start events with nothing between them. A call that has no end event is ``unfinished``.
    """
    turns: list[list[Payload]] = []
    ends: dict[int, Payload] = {}
    waiting: list[tuple[int, Payload]] = []
    after_start = False
    count = 0
    for line in lines:
        event, payload = line.get("event"), line.get("payload") or {}
        if event == "tool_start":
            if not after_start:
                turns.append([])
                waiting.clear()
            turns[-1].append(payload)
            waiting.append((count, payload))
            count += 1
        elif event == "tool_finished" and waiting:
            ends[_take(waiting, payload)] = payload
        after_start = event == "tool_start"
    return _spans(turns, ends), tuple(ends)


def _take(waiting: list[tuple[int, Payload]], end: Payload) -> int:
    """Remove and return the call that this end belongs to: the first open call of that id and name.

    Ids may repeat, so the order decides among equals. In a file, where ends stand in call order,
    it is always the first open call.
    """
    same = (i for i, (_, start) in enumerate(waiting) if _label(start) == _label(end))
    return waiting.pop(next(same, 0))[0]


def _spans(turns: list[list[Payload]], ends: dict[int, Payload]) -> tuple[Span, ...]:
    spans: list[Span] = []
    reached = 0.0
    for turn, starts in enumerate(turns):
        first = len(spans)
        found = [ends.get(first + i, {}) for i in range(len(starts))]
        begun = [moment for end in found if (moment := _moment(end, "started")) is not None]
        begin = min(begun, default=reached)
        spans += [_span(start, end, begin, turn) for start, end in zip(starts, found, strict=True)]
        reached = max([reached, *(span.last for span in spans[first:])])
    return tuple(spans)


def _span(start: Payload, end: Payload, begin: float, turn: int) -> Span:
    kind = start.get("kind")
    return Span(
        call_id=str(start.get("call_id") or ""),
        name=str(start.get("name") or ""),
        kind=cast(Kind, kind if kind in ("read", "refused") else "write"),
        begin=begin,
        started=_moment(end, "started"),
        finished=_moment(end, "finished"),
        state=_state(end),
        ghost=bool(end.get("abandoned")),
        batch=turn,
    )


def _state(end: Payload) -> State:
    """Name what became of a call. ``ok`` false without a code is a tool that worked and brought bad news."""
    code = end.get("code")
    match code:
        case _ if not end:
            return "unfinished"
        case "timeout" | "cancelled":
            return cast(State, code)
        case None:
            return "ok"
        case _:
            return "refused" if end.get("started") is None else "error"


def _label(payload: Payload) -> tuple[Any, Any]:
    return payload.get("call_id"), payload.get("name")


def _moment(payload: Payload, key: str) -> float | None:
    value = payload.get(key)
    return float(value) if isinstance(value, int | float) and 0 <= value < math.inf else None
