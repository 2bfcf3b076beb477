"""What a picture has more where the calls stood in a reply that streamed: when it was whole, and what the marks mean.

Chapter 10. Pure: SVG text.

    >>> whole_lines(timeline, page, 64, 142)[0].startswith("<line")
    True

Does not: draw calls; their rows do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.timeline.page import Page
from labkit.timeline.shapes import DIM, EDGE, HALO, INK, SANS_CELL, dotted, line, text, unknown
from labkit.timeline.words import NOT_KNOWN, WAITS, WHOLE, streamed

if TYPE_CHECKING:
    from labkit.timeline import Timeline

SWATCH = 26
THIN = f'stroke="{INK}" stroke-width="1.2"'
LABEL_CELL = 8.0  # pixels per letter of a panel's own name


def whole_lines(timeline: Timeline, page: Page, top: float, bottom: float, name: int = 0) -> list[str]:
    """Return a thin line per reply where it was whole, the first with its word, which keeps off a name so long."""
    parts = []
    for number, (_, whole) in enumerate(timeline.replies):
        x = page.x(whole)
        parts.append(line(x, top - 3, x, bottom + 2, THIN))
        if number == 0:
            words = "reply whole"
            fits = x + 4 + len(words) * SANS_CELL < page.width - EDGE
            place = max(x + 4, EDGE + name * LABEL_CELL + 8) if fits else x - 4
            parts.append(text(place, top - 6, words, DIM, 11, HALO if fits else f' text-anchor="end"{HALO}'))
    return parts


def legend(timelines: Sequence[Timeline], base: float) -> list[str]:
    """Return the marks and what they mean, on one line; nothing where no call had to become known."""
    parts: list[str] = []
    x, middle = float(EDGE), base - 4
    for mark, meaning in streamed(timelines):
        swatch = {
            NOT_KNOWN: unknown(x, x + SWATCH - 6, middle),
            WAITS: dotted(x, x + SWATCH - 6, middle),
            WHOLE: line(x + SWATCH / 2, base - 10, x + SWATCH / 2, base + 2, THIN),
        }
        parts += [swatch[mark], text(x + SWATCH, base, meaning, DIM, 11)]
        x += SWATCH + len(meaning) * SANS_CELL + 14
    return parts
