"""What a trace tells about the time axis.

Chapters 05 and 13. Pure: lines in, spans out; times are seconds since the run began.

    >>> start = {"type": "event", "event": "tool_start", "payload": {"call_id": "c", "name": "add", "kind": "read"}}
    >>> measure([start])[0][0].state
    'unfinished'

Does not: read files, know the policy (a trace does not hold it), trust the lines to be complete.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Iterable, Mapping
from typing import Any, cast

from labkit.timeline.spans import CLOCK_DIGITS, Kind, Span, State

Payload = Mapping[str, Any]


def measure(lines: Iterable[Mapping[str, Any]]) -> tuple[tuple[Span, ...], tuple[int, ...]]:
    """Return the spans in call order, and their positions in the order in which the results stand in the trace.

    A turn is a run of start events with nothing between them. A call that has no end event is ``unfinished``.
    A turn of which a call started early begins when the model was asked; each of its calls was known when it started,
    or else when the reply was whole.
    """
    turns: list[list[Payload]] = []
    asked: list[float | None] = []
    model: float | None = None
    ends: dict[int, Payload] = {}
    waiting = _Waiting(0)
    after_start = False
    count = 0
    for line in lines:
        event = line.get("event")
        if event == "tool_start":
            payload = line.get("payload") or {}
            if not after_start:
                turns.append([])
                asked.append(model)
                waiting = _Waiting(count)
            turns[-1].append(payload)
            waiting.add(count, payload)
            count += 1
        elif event == "tool_finished" and (position := waiting.take(line.get("payload") or {}, ends)) is not None:
            ends[position] = line.get("payload") or {}
        elif "model_seconds" in line:
            model = _moment(line, "model_seconds")
        after_start = event == "tool_start"
    return _spans(turns, asked, ends), tuple(ends)


class _Waiting:
    """The calls of one turn, to find the one that an end belongs to: the first open call of that id and name.

    Ids may repeat, so the order decides among equals; an end that fits no call is the end of the first open one.
    """

    def __init__(self, first: int) -> None:
        self._first = self._behind = first
        self._named: dict[tuple[str, str], deque[int]] = {}
        self._labels: list[tuple[str, str]] = []

    def add(self, position: int, start: Payload) -> None:
        label = _label(start)
        self._named.setdefault(label, deque()).append(position)
        self._labels.append(label)

    def take(self, end: Payload, ends: Container[int]) -> int | None:
        """Return the position of the call that ends here, None where all have ended; ``ends`` holds those that have."""
        same = self._named.get(_label(end))
        if not same:
            while self._behind in ends:
                self._behind += 1
            if self._behind - self._first >= len(self._labels):
                return None
            same = self._named[self._labels[self._behind - self._first]]
        return same.popleft()


def _spans(turns: list[list[Payload]], asked: list[float | None], ends: dict[int, Payload]) -> tuple[Span, ...]:
    spans: list[Span] = []
    reached = 0.0
    for turn, starts in enumerate(turns):
        first = len(spans)
        found = [ends.get(first + i, {}) for i in range(len(starts))]
        begun = [moment for end in found if (moment := _moment(end, "started")) is not None]
        begin = min(begun, default=reached)
        whole = _whole(found)
        if whole is not None:
            begin = max(0.0, min(begin, round(whole - (asked[turn] or 0.0), CLOCK_DIGITS)))
        spans += [_span(start, end, begin, turn, whole) for start, end in zip(starts, found, strict=True)]
        reached = max([reached, *(span.last for span in spans[first:])])
    return tuple(spans)


def _whole(ends: Iterable[Payload]) -> float | None:
    """Return when the reply of a turn was whole, where a call that started early tells it."""
    for end in ends:
        started, early = _moment(end, "started"), _moment(end, "early")
        if started is not None and early is not None:
            return round(started + early, CLOCK_DIGITS)
    return None


def _span(start: Payload, end: Payload, begin: float, turn: int, whole: float | None) -> Span:
    kind = start.get("kind")
    known = _moment(end, "started") if whole is not None and "early" in end else whole
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
        known=known,
        whole=whole,
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


def _label(payload: Payload) -> tuple[str, str]:
    return str(payload.get("call_id")), str(payload.get("name"))


def _moment(payload: Payload, key: str) -> float | None:
    value = payload.get(key)
    return float(value) if isinstance(value, int | float) and 0 <= value < math.inf else None
