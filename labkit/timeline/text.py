"""A timeline as text: a Gantt chart for a terminal, for GitHub and for a screen reader, and a table.

Chapter 05. Pure. One character is a round time (1, 2, 5, 10 … of the unit), so that lengths can be counted.

    call_3  search_text   ████████████             120
    call_4  edit_file     ············▓▓▓▓▓▓▓▓      80

``·`` waits, ``█`` reads, ``▓`` writes, ``░`` and ``→`` go on after their limit, a cross never ran, ``?`` has no end,
and ``…`` is not over yet. Of a stream, ``-`` is not known yet, and ``┤`` ends the reply; a last line says so.

Does not: colour; know what a policy means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from labkit.timeline.scale import CELL_DIGITS, Scale, aligned, cells, round_step, ticks
from labkit.timeline.spans import OPEN, Span
from labkit.timeline.words import (
    ID_CELLS,
    NAME_CELLS,
    NOT_KNOWN,
    WAITS,
    WHOLE,
    cells_of,
    facts_line,
    fit,
    heading,
    pad,
    states,
    streamed,
)

if TYPE_CHECKING:
    from labkit.timeline import Timeline

Row = TypeVar("Row")
COLUMNS = 76
NUMBERS = ("", "known", "start", "end")  # columns of the table that are numbers
ROWS = 40  # more calls than this are shown as the first 30 and the last 9
SHOWN_FIRST, SHOWN_LAST = 30, 9
NEVER_RAN = "\N{MULTIPLICATION SIGN}"
NOT_OVER = "…"
REPLY = "reply whole"
MARKS = {"read": "█", "write": "▓"}


def gantt(*timelines: Timeline) -> str:
    """Return the charts under one another, on one axis, without trailing spaces, at most 76 columns wide."""
    frame = _Frame.around(timelines)
    charts = "\n\n".join("\n".join(line.rstrip() for line in _chart(timeline, frame)) for timeline in timelines)
    legend = ", ".join(f"{mark} {meaning}" for mark, meaning in streamed(timelines))
    return f"{charts}\n{legend}" if legend else charts


def table(timeline: Timeline) -> str:
    """Return the chart's twin: call, tool, kind, waits for (numbers of calls, from 1), start, end, state.

    Of a stream also when each call was known.
    """
    scale = Scale.reaching(timeline.end)
    known = ("known",) if any(span.free > span.begin for span in timeline.spans) else ()
    head = ("", "call", "tool", "kind", "waits for", *known, "start", "end", "state")
    numbers = [i for i, name in enumerate(head) if name in NUMBERS]
    columns = zip(*(_cells(i, timeline, scale, bool(known)) for i in range(len(timeline.spans))), strict=True)
    heads = (name if not name or i not in numbers else f"{name} {scale.unit}" for i, name in enumerate(head))
    rows = [(*heads,), *zip(*(aligned(c) if i in numbers else c for i, c in enumerate(columns)), strict=True)]
    widths = [max(map(cells_of, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in numbers else pad(cell, width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all charts of one text share: column widths and the time of one character."""

    ids: int
    names: int
    numbers: int
    chart: int
    step: float
    scale: Scale
    tail: int  # characters behind the last moment, for what goes on

    @classmethod
    def around(cls, timelines: Sequence[Timeline]) -> _Frame:
        spans = [span for timeline in timelines for span in timeline.spans]
        end = max((timeline.end for timeline in timelines), default=0.0)
        scale = Scale.reaching(end)
        ids = max((cells_of(fit(span.call_id, ID_CELLS)) for span in spans), default=0)
        names = max((cells_of(fit(span.name, NAME_CELLS)) for span in spans), default=0)
        names = max(names, len(REPLY) - ids - 2) if any(timeline.replies for timeline in timelines) else names
        numbers = max((len(number) for timeline in timelines for number in _durations(timeline, scale)), default=0)
        word = max((1 + len(span.state) for span in spans if span.state != "ok"), default=0)
        tail = max((3 if span.ghost else int(span.state in OPEN) for span in spans), default=0)
        room = COLUMNS - ids - names - 8 - numbers - word - tail
        step = round_step(end / room, CELL_DIGITS) if end > 0 else scale.seconds
        chart = max(1, *(cells(span.last, step) + (span.duration < step / 2) for span in spans)) if spans else 1
        chart = max(chart, cells(end, step))
        return cls(ids, names, numbers, chart + tail, step, scale, tail)

    @property
    def left(self) -> int:
        return self.ids + 2 + self.names + 3


def _chart(timeline: Timeline, frame: _Frame) -> list[str]:
    if not timeline.spans:
        return [heading(timeline)]
    numbers = _durations(timeline, frame.scale)
    rows = [_row(span, number, frame) for span, number in zip(_shown(timeline.spans), _shown(numbers), strict=True)]
    if len(rows) < len(timeline.spans):
        rows.insert(SHOWN_FIRST, _hidden(timeline.spans[SHOWN_FIRST:-SHOWN_LAST]))
    if timeline.replies:
        rows.insert(0, _reply_row(timeline, frame))
    return [heading(timeline), _axis(frame), *rows, facts_line(timeline)]


def _shown(rows: Sequence[Row]) -> Sequence[Row]:
    return rows if len(rows) <= ROWS else [*rows[:SHOWN_FIRST], *rows[-SHOWN_LAST:]]


def _hidden(spans: Sequence[Span]) -> str:
    """Stand for rows that are not shown; what did not go well among them is counted, never hidden."""
    return " · ".join([f"… {len(spans)} more calls", *states(spans)]) + " …"


def _durations(timeline: Timeline, scale: Scale) -> list[str]:
    """The right column: empty for a call that never ran."""
    ran = (span.started is not None and span.finished is not None for span in timeline.spans)
    return aligned([scale.number(s.duration) if has else "" for s, has in zip(timeline.spans, ran, strict=True)])


def _axis(frame: _Frame) -> str:
    """A label every ten characters, the unit behind the last."""
    end = frame.step * (frame.chart - frame.tail)
    labels = [frame.scale.number(tick) for tick in ticks(end, 10 * frame.step)]
    return " " * frame.left + "".join(label.ljust(10) for label in labels[:-1]) + f"{labels[-1]} {frame.scale.unit}"


def _reply_row(timeline: Timeline, frame: _Frame) -> str:
    """From when a reply was asked for to when it was whole."""
    line = ""
    for begin, whole in timeline.replies:
        first = cells(begin, frame.step)
        line = line.ljust(first) + "─" * (cells(whole, frame.step) - first - 1) + WHOLE
    return pad(REPLY, frame.left) + line


def _row(span: Span, number: str, frame: _Frame) -> str:
    names = pad(fit(span.call_id, ID_CELLS), frame.ids) + "  " + pad(fit(span.name, NAME_CELLS), frame.names)
    word = "" if span.state == "ok" else span.state
    right = f"{number.rjust(frame.numbers)} {word}" if number.strip() else word
    return f"{names}   {_bar(span, frame).ljust(frame.chart)}  {right}"


def _bar(span: Span, frame: _Frame) -> str:
    """Wait, work, and what comes after; even the shortest work is one mark."""
    begin, free = cells(span.begin, frame.step), cells(span.free, frame.step)
    lead = " " * begin + NOT_KNOWN * (free - begin)
    if span.state == "unfinished":
        return lead.ljust(frame.chart - 1, WAITS) + "?"
    if span.state == "waiting":
        return lead + WAITS * (cells(span.last, frame.step) - free) + NOT_OVER
    if span.started is None or span.finished is None:
        return lead[: frame.chart - 1] + NEVER_RAN
    start, end = cells(span.started, frame.step), cells(span.finished, frame.step)
    bar = lead + WAITS * (start - free) + MARKS.get(span.kind, "▓") * max(1, end - start)
    if span.state == "running":
        return bar + NOT_OVER
    return bar.ljust(frame.chart - 1, "░") + "→" if span.ghost else bar


def _cells(position: int, timeline: Timeline, scale: Scale, streams: bool) -> tuple[str, ...]:
    span = timeline.spans[position]
    names = fit(span.call_id, ID_CELLS), fit(span.name, NAME_CELLS)
    waits = "" if timeline.waits_for is None else _ranges(sorted(timeline.waits_for[position]))
    over = None if span.state in OPEN else span.finished  # what goes on has no end yet
    start, end = ("" if moment is None else scale.number(moment) for moment in (span.started, over))
    known = (scale.number(span.free),) if streams else ()
    return (str(position + 1), *names, span.kind, waits, *known, start, end, span.state)


def _ranges(positions: Sequence[int]) -> str:
    """Write positions as numbers from 1, neighbours joined: ``1-3 5``."""
    runs: list[list[int]] = []
    for position in positions:
        if runs and position == runs[-1][1] + 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    return " ".join(f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in runs) or "nobody"
