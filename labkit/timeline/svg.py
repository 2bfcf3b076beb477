"""A timeline as a picture: SVG with its own paper and ink, the same letter for letter every time.

Chapter 05. Pure. Up to 40 calls have a row each; more are folded together. Every state is also a word.

    >>> draw([Timeline.predict(plan, 0.05)])[:4]
    '<svg'

Does not: hold scripts, styles, times of day or identifiers that differ between two runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.timeline.folded import folded
from labkit.timeline.page import Page
from labkit.timeline.rows import label, row
from labkit.timeline.scale import Scale
from labkit.timeline.shapes import DIM, EDGE, FOOT_CELL, INK, MONO_CELL, SANS_CELL, dashed, header, sheet, text
from labkit.timeline.spans import barriers
from labkit.timeline.streamed import legend, whole_lines
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
    streamed,
    wrapped,
)

if TYPE_CHECKING:
    from labkit.timeline import Timeline

ROWS = 40  # more calls than this are folded
NARROWEST = 480


def draw(timelines: Sequence[Timeline], width: int = 780, facts: str = "") -> str:
    """Return one picture of the timelines, beneath one another on one axis; ``facts`` stand at its foot.

    Where none are given, they are those of one timeline, or of two compared. Raises ValueError below 480 pixels.
    """
    if not isinstance(width, int) or width < NARROWEST:
        raise ValueError(f"width is a whole number of pixels, at least {NARROWEST}")
    page = _page(timelines, width)
    parts: list[str] = []
    bottom = 34.0
    for timeline in timelines:
        bottom = _panel(parts, timeline, page, bottom)
    if not facts:
        facts = facts_line(timelines[0]) if len(timelines) == 1 else comparison_line(*timelines)
    for line in wrapped(facts, (width - 2 * EDGE) / FOOT_CELL):
        bottom += 18
        parts.append(text(EDGE, bottom + 6, line, INK, 12))
    if marks := legend(timelines, bottom + 26):
        parts += marks
        bottom += 20
    title = fit(timelines[0].title, 2 * NAME_CELLS) or "tool calls"
    what = " and ".join(_source(timeline) for timeline in timelines)
    name = f"{title}: {count(len(timelines[0].spans), 'call')}, {what}"
    told = " ".join(sentences(timeline, page.scale) for timeline in timelines)
    parts.insert(0, header(title, RULES.get(timelines[0].title, "")))
    return sheet(page.key, width, bottom + 20, name, told, parts)


def _page(timelines: Sequence[Timeline], width: int) -> Page:
    """Make room for the names and the words of all calls that have a row."""
    spans = [span for timeline in timelines for span in timeline.spans if len(timeline.spans) <= ROWS]
    end = max((timeline.end for timeline in timelines), default=0.0)
    ids = max((cells_of(fit(span.call_id, ID_CELLS)) for span in spans), default=0)
    tools = max((cells_of(fit(span.name, NAME_CELLS)) for span in spans), default=0)
    names = EDGE + (ids * MONO_CELL + 8 if ids else 0.0)
    labels = max((len(label(span)) for span in spans if not span.ghost), default=0)
    told = repr([(t.title, t.source, t.max_parallel, t.answered, t.spans) for t in timelines]) + str(width)
    told += "".join(t.note + repr([(s.known, s.whole) for s in t.spans]) for t in timelines if t.note or streamed([t]))
    key = "tl" + hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:10]
    right = width - EDGE - max(34.0, labels * SANS_CELL + 6)
    left = names + (tools * MONO_CELL + 24 if tools else 0.0)
    return Page(key, width, names, left, right, end, Scale.reaching(end))


def _panel(parts: list[str], timeline: Timeline, page: Page, top: float) -> float:
    """Draw one timeline and return where it ends."""
    source = _source(timeline).upper()
    parts.append(text(EDGE, top + 20, source, DIM, 11, ' font-weight="600" letter-spacing=".6"'))
    if len(timeline.spans) > ROWS:
        return folded(parts, timeline, page, top + 20) + 22
    pitch = 26.0 if len(timeline.spans) <= 12 else 19.0
    first = top + 30
    bottom = first + len(timeline.spans) * pitch
    parts += page.axis(first, bottom)
    if timeline.title == "barriers":
        parts += [dashed(page.x(moment), first, bottom) for moment in barriers(timeline.spans)]
    parts += whole_lines(timeline, page, first, bottom, len(source))
    for number, span in enumerate(timeline.spans):
        parts += row(span, page, first + number * pitch, pitch)
    return bottom + 22


def _source(timeline: Timeline) -> str:
    """Return whether this is a forecast or a measurement, and what tells it from another one."""
    return f"{timeline.source} · {timeline.note}" if timeline.note else timeline.source
