"""One call, one row: its names, its waiting, its bar, and a word for what became of it.

Chapter 05. Pure: SVG text. Reads are plain, writes hatched, waiting is dotted, and what outlives its limit is a ghost
that runs off the page; what is not over yet ends in a point. A call that is not known yet is a line of long dashes.

    >>> row(Span("call_1", "read_file", "read", 0.0, 0.0, 0.06), page, 64, 26)[0]
    '<text x="20.0" … >call_1</text>'

Does not: place rows; that is the picture's part.
"""

from __future__ import annotations

from labkit.timeline.page import Page
from labkit.timeline.scale import spoken
from labkit.timeline.shapes import (
    ALARM,
    DIM,
    EDGE,
    GREY,
    HALO,
    INK,
    MONO,
    PAPER,
    READ,
    SANS_CELL,
    WRITE,
    cross,
    dotted,
    line,
    patch,
    text,
    unknown,
)
from labkit.timeline.spans import OPEN, Span
from labkit.timeline.words import ID_CELLS, NAME_CELLS, fit


def row(span: Span, page: Page, top: float, pitch: float) -> list[str]:
    """Return names, waiting, bar and word of one call, in a row that is ``pitch`` pixels high."""
    height = 16.0 if pitch > 20 else 13.0
    y, base = top + (pitch - height) / 2, top + pitch / 2 + 4
    face = f' font-family="{MONO}"'
    parts = [text(EDGE, base, fit(span.call_id, ID_CELLS), INK, 11.5, face)]
    parts.append(text(page.names, base, fit(span.name, NAME_CELLS), DIM, 11.5, face))
    begin, free, until = page.x(span.begin), page.x(span.free), _waits_until(span, page)
    if free - begin > 2:
        parts.append(unknown(begin, free, y + height / 2))
    if until - free > 2:
        parts.append(dotted(free, until, y + height / 2))
    return parts + _bar(span, page, y, height) + _words(span, page, y, height, base)


def label(span: Span) -> str:
    """Return the word beside the bar."""
    if span.ghost:
        return f"{span.state} · thread goes on →"
    if span.started is None or span.finished is None:
        return span.state
    return spoken(span.duration) + ("" if span.state == "ok" else f" · {span.state}")


def _waits_until(span: Span, page: Page) -> float:
    if span.state == "unfinished":
        return page.right
    if span.state == "waiting":
        return page.x(span.last)
    return page.x(span.free if span.started is None else span.started)


def _bar(span: Span, page: Page, y: float, height: float) -> list[str]:
    if span.started is None or span.finished is None:
        return []
    start, end = page.x(span.started), page.x(span.finished)
    fill = READ if span.kind == "read" else f"url(#{page.key}w)"
    shape = f'y="{y:.1f}" height="{height:.1f}"'
    if span.state == "running":
        tip = f"M{start:.1f} {y:.1f}H{end:.1f}l5 {height / 2:.1f}l-5 {height / 2:.1f}H{start:.1f}z"
        return [f'<path d="{tip}" fill="{fill}"/>']
    corner = ' rx="3"' if height > 10 and end - start > 6 else ""
    parts = [f'<rect x="{start:.1f}" {shape} width="{max(1.5, end - start):.1f}"{corner} fill="{fill}"/>']
    if span.ghost:
        off = page.width + 4 - end
        edge = f'stroke="{GREY}" stroke-width=".8"'
        parts.append(f'<rect x="{end:.1f}" {shape} width="{off:.1f}" fill="url(#{page.key}g)" {edge}/>')
    if span.state != "ok":
        parts.append(line(end, y - 3, end, y + height + 3, f'stroke="{ALARM}" stroke-width="2.4"'))
    return parts


def _words(span: Span, page: Page, y: float, height: float, base: float) -> list[str]:
    """The kind inside a bar that has room, the time behind it; what became of a call that did not go well."""
    if span.started is None or span.finished is None:
        return _fate(span, _waits_until(span, page), y + height / 2, base)
    start, end, word = page.x(span.started), page.x(span.finished), label(span)
    needed = len(word) * SANS_CELL
    if not span.ghost:
        inside = [text(start + 7, base, span.kind, PAPER, 11)] if end - start > 44 else []
        return [*inside, text(end + (10 if span.state in OPEN else 6), base, word, DIM, 11, HALO)]
    if end - start > needed + 12:
        back = patch(end - needed - 8, y, needed + 4, height, READ if span.kind == "read" else WRITE)
        return [back, text(end - 6, base, word, PAPER, 11, ' text-anchor="end"')]
    if page.width - end > needed + 30:
        return [patch(end + 10, y, needed + 4, height, PAPER), text(end + 14, base, word, INK, 11)]
    return [text(start - 6, base, word.removesuffix(" →"), INK, 11, f' text-anchor="end"{HALO}')]


def _fate(span: Span, x: float, middle: float, base: float) -> list[str]:
    """The mark and the word of a call that has no bar."""
    if span.state == "waiting":
        return [text(x + 6, base, span.state, DIM, 11, HALO)]
    mark = text(x + 2, base, "?", ALARM, 12) if span.state == "unfinished" else cross(x + 6, middle)
    return [mark, text(x + 16, base, label(span), INK, 11, HALO)]
