"""More calls than there is room for rows: they share lanes, or, where even lanes are too many, one curve.

Chapter 05. Pure: SVG text. In lanes a bar is a call. The curve tells, for every pixel, how many calls were at work: its
pale part the most at once, its full part the average. What did not go well has a mark of its own in a strip below.

    >>> can_be_told_apart(calls=1000, lanes=64), can_be_told_apart(calls=25_000, lanes=2)
    (True, False)

Does not: name calls; the table does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from labkit.timeline.load import load
from labkit.timeline.page import Page
from labkit.timeline.shapes import ALARM, DIM, EDGE, GREY, READ, RULE, SANS_CELL, text
from labkit.timeline.spans import OPEN, Span, lanes
from labkit.timeline.streamed import whole_lines
from labkit.timeline.words import count

if TYPE_CHECKING:
    from labkit.timeline import Timeline

MOST_LANES = 130
MOST_PER_LANE = 230
MOST_BARS = 10_000
MOST_TURNS = 60  # more have no marks of their own
TALLEST, CURVE = 400.0, 130.0  # pixels
GAP = 0.8  # pixels left free behind a bar, so that neighbours in a lane are two


def folded(parts: list[str], timeline: Timeline, page: Page, top: float) -> float:
    """Draw a timeline below its heading at ``top``; return where it ends."""
    ran = [span for span in timeline.spans if span.started is not None and span.finished is not None]
    bad = [span for span in timeline.spans if span.state not in ("ok", *OPEN)]
    in_lanes = can_be_told_apart(len(ran), timeline.peak + sum(span.ghost for span in ran))
    placed = lanes(timeline.spans) if in_lanes else []
    rows = max((lane + 1 for lane in placed if lane is not None), default=0)
    parts.append(text(120, top, _told(timeline, rows if in_lanes else None), DIM, 11))
    parts += _legend(timeline, bad, page, top + 18, in_lanes)
    first = top + 34
    height = min(10.0 * rows, TALLEST) if in_lanes else CURVE
    bottom = first + height + (10.0 if bad else 0.0)
    parts += page.axis(first, bottom)
    parts += whole_lines(timeline, page, first, bottom)
    if in_lanes:
        parts += _bars(timeline.spans, placed, page, first, height / max(rows, 1))
    else:
        parts += _curve(ran, timeline.peak, page, first)
    parts += _ticks((page.x(span.last) for span in bad), first + height + 3, 7, ALARM)
    parts += _ticks((page.x(begin) for begin in _turns(timeline)), first - 6, 5, DIM)
    return bottom


def can_be_told_apart(calls: int, lanes: int) -> bool:
    """Whether lanes are about three pixels high, and bars three pixels wide."""
    return lanes <= MOST_LANES and calls <= min(MOST_PER_LANE * lanes, MOST_BARS)


def _told(timeline: Timeline, rows: int | None) -> str:
    turns = len({span.batch for span in timeline.spans})
    calls = count(len(timeline.spans), "call") + (f" of {count(turns, 'turn')}" if turns > 1 else "")
    return f"{calls} in {count(rows, 'lane')}" if rows is not None else f"{calls}, at most {timeline.peak} at once"


def _turns(timeline: Timeline) -> list[float]:
    """Where turns begin, if there are several and few enough to be seen."""
    begins = {span.batch: span.begin for span in reversed(timeline.spans)}
    return sorted(begins.values()) if 1 < len(begins) <= MOST_TURNS else []


def _legend(timeline: Timeline, bad: Sequence[Span], page: Page, base: float, in_lanes: bool) -> list[str]:
    kinds = {span.kind for span in timeline.spans}
    average = "" if in_lanes else ", average"
    entries = [
        (not in_lanes, f'height="10" width="20" fill="{GREY}" fill-opacity=".35"', "most at once in a pixel"),
        ("read" in kinds, f'height="10" width="20" fill="{READ}"', f"read{average}"),
        ("write" in kinds, f'height="10" width="20" fill="url(#{page.key}w)"', f"write{average}"),
        (any(s.ghost for s in timeline.spans), f'height="10" width="20" fill="url(#{page.key}g)"', "goes on"),
        (bool(bad), f'height="10" width="2" fill="{ALARM}"', "did not go well"),
        (bool(_turns(timeline)), f'height="6" width="2" fill="{DIM}"', "a turn begins"),
    ]
    parts, x = [], float(EDGE)
    for shown, swatch, words in entries:
        if shown:
            room = 8 if 'width="2"' in swatch else 26
            parts.append(f'<rect x="{x:.1f}" y="{base - 9:.1f}" {swatch}/>' + text(x + room, base, words, DIM, 11))
            x += room + len(words) * SANS_CELL + 14
    return parts


def _bars(spans: Sequence[Span], placed: Sequence[int | None], page: Page, top: float, pitch: float) -> list[str]:
    """All bars of one look are one path: a thousand shapes would be slow to show."""
    bars: dict[str, list[str]] = {READ: [], f"url(#{page.key}w)": [], f"url(#{page.key}g)": []}
    read, write, ghost = bars.values()
    marks: list[str] = []
    high = f"{pitch * 0.8:.1f}"
    for span, lane in zip(spans, placed, strict=True):
        if lane is None or span.started is None or span.finished is None:
            continue
        start, end, y = page.x(span.started), page.x(span.finished), top + lane * pitch
        wide = f"{max(1.5, end - start - GAP):.1f}"
        (read if span.kind == "read" else write).append(f"M{start:.1f} {y:.1f}h{wide}v{high}h-{wide}z")
        if span.ghost:
            ghost.append(f"M{end:.1f} {y:.1f}H{page.width + 4}v{high}H{end:.1f}z")
        if span.state not in ("ok", *OPEN):
            marks.append(f"M{end:.1f} {y - 1:.1f}v{pitch * 0.8 + 2:.1f}")
    parts = [f'<path d="{"".join(shapes)}" fill="{fill}"/>' for fill, shapes in bars.items() if shapes]
    return parts + ([f'<path d="{"".join(marks)}" stroke="{ALARM}" stroke-width="2.4"/>'] if marks else [])


def _curve(ran: Sequence[Span], peak: int, page: Page, top: float) -> list[str]:
    base = top + CURVE
    parts = [f'<path d="M{page.left:.1f} {y:.1f}H{page.right:.1f}" stroke="{RULE}"/>' for y in (top, base)]
    parts += [text(page.right + 6, y + 4, number, DIM, 11) for y, number in ((top, str(peak)), (base, "0"))]
    if not page.end:
        return parts
    found = load(ran, page.end, int(page.right - page.left))
    both = [reads + writes for reads, writes in zip(found.reads, found.writes, strict=True)]
    areas = (
        (found.most, f'{GREY}" fill-opacity=".35'),
        (both, f"url(#{page.key}w)"),
        (found.reads, READ),
    )
    for heights, fill in areas:
        if any(heights):
            parts.append(f'<path d="{_area([base - CURVE * h / peak for h in heights], page, base)}" fill="{fill}"/>')
    return parts


def _area(tops: Sequence[float], page: Page, base: float) -> str:
    """The outline of columns, equal neighbours joined."""
    wide = (page.right - page.left) / len(tops)
    steps, x = [f"M{page.left:.1f} {base:.1f}"], page.left
    for y, columns in groupby(f"{top:.1f}" for top in tops):
        x += wide * len(list(columns))
        steps.append(f"V{y}H{x:.1f}")
    return "".join([*steps, f"V{base:.1f}z"])


def _ticks(places: Iterable[float], y: float, high: int, ink: str) -> list[str]:
    """Short upright strokes; those on one pixel are one."""
    pixels = sorted({round(x) for x in places})
    marks = "".join(f"M{x} {y:.1f}v{high}" for x in pixels)
    return [f'<path d="{marks}" stroke="{ink}" stroke-width="2"/>'] if marks else []
