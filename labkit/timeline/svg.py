"""A timeline as a picture: SVG with its own paper and ink, the same letter for letter every time.

Chapter 05. Pure. Reads are plain, writes hatched, waiting is dotted, a barrier is dashed, and what outlives
its limit is a ghost that runs off the page; every state is also a word. More than 40 calls share thin lanes.

Does not: hold scripts, styles, times of day or identifiers that differ between two runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.timeline.scale import Scale, round_step, spoken, ticks
from labkit.timeline.shapes import (
    ALARM,
    DIM,
    EDGE,
    FOOT_CELL,
    GREY,
    HALO,
    INK,
    MONO,
    MONO_CELL,
    PAPER,
    READ,
    RULE,
    SANS_CELL,
    WRITE,
    cross,
    dashed,
    dotted,
    header,
    line,
    patch,
    sheet,
    text,
)
from labkit.timeline.spans import Span, barriers, lanes
from labkit.timeline.words import (
    ID_CELLS,
    NAME_CELLS,
    RULES,
    cells_of,
    comparison_line,
    count,
    facts_line,
    fit,
    sentences,
    wrapped,
)

if TYPE_CHECKING:
    from labkit.timeline import Timeline

ROWS = 40  # more calls than this share lanes
NARROWEST = 480


def draw(timelines: Sequence[Timeline], width: int = 780) -> str:
    """Return one picture of the timelines, beneath one another on one axis. Raises ValueError below 480 pixels."""
    if not isinstance(width, int) or width < NARROWEST:
        raise ValueError(f"width is a whole number of pixels, at least {NARROWEST}")
    page = _Page.around(timelines, width)
    parts: list[str] = []
    bottom = 34.0
    for timeline in timelines:
        bottom = _panel(parts, timeline, page, bottom)
    facts = facts_line(timelines[0]) if len(timelines) == 1 else comparison_line(*timelines)
    for row in wrapped(facts, (width - 2 * EDGE) / FOOT_CELL):
        bottom += 18
        parts.append(text(EDGE, bottom + 6, row, INK, 12))
    title = fit(timelines[0].title, 2 * NAME_CELLS) or "tool calls"
    what = " and ".join(timeline.source for timeline in timelines)
    name = f"{title}: {count(len(timelines[0].spans), 'call')}, {what}"
    told = " ".join(sentences(timeline, page.scale) for timeline in timelines)
    parts.insert(0, header(title, RULES.get(timelines[0].title, "")))
    return sheet(page.key, width, bottom + 20, name, told, parts)


@dataclass(frozen=True, slots=True)
class _Page:
    """What all panels share: where names and time stand, and the key that makes ids unique to this picture."""

    key: str
    width: int
    names: float
    left: float
    right: float
    end: float
    scale: Scale

    @classmethod
    def around(cls, timelines: Sequence[Timeline], width: int) -> _Page:
        spans = [span for timeline in timelines for span in timeline.spans]
        end = max((timeline.end for timeline in timelines), default=0.0)
        scale = Scale.reaching(end)
        folded = all(len(timeline.spans) > ROWS for timeline in timelines)
        ids = max((cells_of(fit(span.call_id, ID_CELLS)) for span in spans), default=0) * (not folded)
        tools = max((cells_of(fit(span.name, NAME_CELLS)) for span in spans), default=0) * (not folded)
        names = EDGE + (ids * MONO_CELL + 8 if ids else 0.0)
        labels = max((len(_label(span)) for span in spans if not span.ghost), default=0) * (not folded)
        told = repr([(t.title, t.source, t.max_parallel, t.answered, t.spans) for t in timelines]) + str(width)
        key = "tl" + hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:10]
        right = width - EDGE - max(34.0, labels * SANS_CELL + 6)
        return cls(key, width, names, names + (tools * MONO_CELL + 24 if tools else 0.0), right, end, scale)

    def x(self, seconds: float) -> float:
        """Where a moment stands, in pixels from the left edge of the paper."""
        return self.left + (self.right - self.left) * (seconds / self.end if self.end else 0.0)


def _panel(parts: list[str], timeline: Timeline, page: _Page, top: float) -> float:
    """Draw one timeline and return where it ends."""
    folded = len(timeline.spans) > ROWS
    placed = lanes(timeline.spans) if folded else list(range(len(timeline.spans)))
    rows = max((lane + 1 for lane in placed if lane is not None), default=0)
    pitch = max(0.4, min(10.0, 400 / max(rows, 1))) if folded else 26.0 if rows <= 12 else 19.0
    first = top + 30
    bottom = first + rows * pitch
    parts.append(text(EDGE, top + 20, timeline.source.upper(), DIM, 11, ' font-weight="600" letter-spacing=".6"'))
    if folded:
        parts.append(_legend(timeline, page, rows, top + 20))
    _axis(parts, page, first, bottom)
    if timeline.title == "barriers" and not folded:
        parts += [dashed(page.x(moment), first, bottom) for moment in barriers(timeline.spans)]
    for span, lane in zip(timeline.spans, placed, strict=True):
        if folded and lane is not None:
            parts += _bar(span, page, first + lane * pitch, pitch * 0.8)
        elif lane is not None:
            parts += _row(span, page, first + lane * pitch, pitch)
    return bottom + 22


def _axis(parts: list[str], page: _Page, top: float, bottom: float) -> None:
    step = round_step(max(page.end, page.scale.seconds) / max(3, (page.right - page.left) // 90))
    marks = ticks(page.end, step)
    for mark in marks:
        label = page.scale.time(mark) if mark == marks[-1] else page.scale.number(mark)
        parts.append(line(page.x(mark), top, page.x(mark), bottom, f'stroke="{RULE}"'))
        parts.append(text(page.x(mark), bottom + 14, label, DIM, 11, ' text-anchor="middle"'))


def _row(span: Span, page: _Page, top: float, pitch: float) -> list[str]:
    """Names, waiting, bar and word of one call."""
    height = 16.0 if pitch > 20 else 13.0
    y, base = top + (pitch - height) / 2, top + pitch / 2 + 4
    face = f' font-family="{MONO}"'
    parts = [text(EDGE, base, fit(span.call_id, ID_CELLS), INK, 11.5, face)]
    parts.append(text(page.names, base, fit(span.name, NAME_CELLS), DIM, 11.5, face))
    begin = page.x(span.begin)
    until = page.right if span.state == "unfinished" else begin if span.started is None else page.x(span.started)
    if until - begin > 2:
        parts.append(dotted(begin, until, y + height / 2))
    return parts + _bar(span, page, y, height) + _words(span, page, y, height, base)


def _bar(span: Span, page: _Page, y: float, height: float) -> list[str]:
    if span.started is None or span.finished is None:
        return []
    start, end = page.x(span.started), page.x(span.finished)
    fill = READ if span.kind == "read" else f"url(#{page.key}w)"
    shape = f'y="{y:.1f}" height="{height:.1f}"'
    corner = ' rx="3"' if height > 10 and end - start > 6 else ""
    parts = [f'<rect x="{start:.1f}" {shape} width="{max(1.5, end - start):.1f}"{corner} fill="{fill}"/>']
    if span.ghost:
        off = page.width + 4 - end
        edge = f'stroke="{GREY}" stroke-width=".8"'
        parts.append(f'<rect x="{end:.1f}" {shape} width="{off:.1f}" fill="url(#{page.key}g)" {edge}/>')
    if span.state != "ok":
        reach = min(3.0, height / 4)
        parts.append(line(end, y - reach, end, y + height + reach, f'stroke="{ALARM}" stroke-width="2.4"'))
    return parts


def _words(span: Span, page: _Page, y: float, height: float, base: float) -> list[str]:
    """The kind inside a bar that has room, the time behind it; what became of a call that did not go well."""
    if span.started is None or span.finished is None:
        x = page.right if span.state == "unfinished" else page.x(span.begin)
        mark = text(x + 2, base, "?", ALARM, 12) if span.state == "unfinished" else cross(x + 6, y + height / 2)
        return [mark, text(x + 16, base, _label(span), INK, 11, HALO)]
    start, end, label = page.x(span.started), page.x(span.finished), _label(span)
    needed = len(label) * SANS_CELL
    if not span.ghost:
        inside = [text(start + 7, base, span.kind, PAPER, 11)] if end - start > 44 else []
        return [*inside, text(end + 6, base, label, DIM, 11, HALO)]
    if end - start > needed + 12:
        back = patch(end - needed - 8, y, needed + 4, height, READ if span.kind == "read" else WRITE)
        return [back, text(end - 6, base, label, PAPER, 11, ' text-anchor="end"')]
    if page.width - end > needed + 30:
        return [patch(end + 10, y, needed + 4, height, PAPER), text(end + 14, base, label, INK, 11)]
    return [text(start - 6, base, label.removesuffix(" →"), INK, 11, f' text-anchor="end"{HALO}')]


def _label(span: Span) -> str:
    if span.ghost:
        return f"{span.state} · thread goes on →"
    if span.started is None or span.finished is None:
        return span.state
    return spoken(span.duration) + ("" if span.state == "ok" else f" · {span.state}")


def _legend(timeline: Timeline, page: _Page, rows: int, base: float) -> str:
    words = f"{count(len(timeline.spans), 'call')} in {count(rows, 'lane')}"
    ghosts = any(span.ghost for span in timeline.spans)
    swatch = f'<rect x="{{}}" y="{base - 9:.1f}" width="20" height="10" fill="{{}}"/>'
    return "".join(
        [
            text(120, base, words, DIM, 11),
            swatch.format(300, READ) + text(326, base, "read", DIM, 11),
            swatch.format(370, f"url(#{page.key}w)") + text(396, base, "write", DIM, 11),
            swatch.format(440, f"url(#{page.key}g)") + text(466, base, "goes on", DIM, 11) if ghosts else "",
        ]
    )
