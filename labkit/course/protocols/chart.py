"""Rates as a chart: a panel for each number of examples, a row for each protocol, a bar for each measure. Chapter 11.

Pure. Every bar has its word and its number, and measures differ by pattern as well as by colour.

    >>> draw(rates(recorded().rows))[:4]
    '<svg'

Does not: hold scripts, styles, or identifiers that differ between two runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from labkit.course.protocols.prompts import PROTOCOLS
from labkit.course.protocols.rates import MEASURES, Rate
from labkit.timeline.shapes import ALARM, DIM, EDGE, HALO, INK, READ, RULE, header, line, sheet, text

NARROWEST = 640
LABELS = 148  # pixels for the names of protocols
WORDS = 126  # pixels for the words beside the longest bar
TOP = 62
PITCH, THICK, GAP = 12.0, 9.0, 12.0  # of bars, and between two protocols


class Panel(NamedTuple):
    """The place of one number of examples. A value; pixels."""

    left: float
    reach: float

    def x(self, percent: float) -> float:
        """Return where a percentage ends."""
        return self.left + self.reach * percent / 100


def draw(rates: Sequence[Rate], width: int = 780) -> str:
    """Return the chart. Raises ValueError below 640 pixels."""
    if not isinstance(width, int) or width < NARROWEST:
        raise ValueError(f"width is a whole number of pixels, at least {NARROWEST}")
    key = "pr" + hashlib.sha256(repr((tuple(rates), width)).encode()).hexdigest()[:10]
    shown = [name for name in PROTOCOLS if any(rate.protocol == name for rate in rates)]
    sets = sorted({rate.examples for rate in rates})
    panels = _panels(sets, width)
    bottom = TOP + len(shown) * _row_height()
    parts = [header("protocols compared", "replies to the same tasks, in percent")]
    parts += [each for examples in sets for each in _axis(examples, panels[examples], bottom)]
    parts += [_label(name, place) for place, name in enumerate(shown)]
    for rate in rates:
        top = TOP + shown.index(rate.protocol) * _row_height()
        parts += _bars(rate, panels[rate.examples], top, key)
    return sheet(key, width, bottom + 30, "protocols compared", " ".join(map(_sentence, rates)), parts)


def _panels(sets: Sequence[int], width: int) -> dict[int, Panel]:
    each = (width - 2 * EDGE - LABELS) / max(1, len(sets))
    return {number: Panel(EDGE + LABELS + place * each, each - WORDS) for place, number in enumerate(sets)}


def _row_height() -> float:
    return len(MEASURES) * PITCH + GAP


def _axis(examples: int, panel: Panel, bottom: float) -> list[str]:
    heading = {0: "NO EXAMPLE SHOWN", 1: "1 EXAMPLE SHOWN"}.get(examples, f"{examples} EXAMPLES SHOWN")
    parts = [text(panel.left, TOP - 14, heading, DIM, 11, ' font-weight="600" letter-spacing=".6"')]
    for percent in (0, 50, 100):
        parts.append(line(panel.x(percent), TOP - 6, panel.x(percent), bottom - 4, f'stroke="{RULE}"'))
        parts.append(text(panel.x(percent), bottom + 10, f"{percent}", DIM, 11, ' text-anchor="middle"'))
    return parts


def _label(name: str, place: int) -> str:
    middle = TOP + place * _row_height() + (len(MEASURES) * PITCH) / 2 + 4
    return text(EDGE, middle, PROTOCOLS[name].label, INK, 12)


def _bars(rate: Rate, panel: Panel, top: float, key: str) -> list[str]:
    looks = {
        "parsed": f'fill="url(#{key}g)" stroke="{DIM}" stroke-width=".8"',
        "valid": f'fill="{READ}"',
        "right_tool": f'fill="url(#{key}w)"',
        "right_arguments": f'fill="{ALARM}"',
    }
    parts = []
    for number, (measure, word) in enumerate(MEASURES.items()):
        y, percent = top + number * PITCH, rate.percent(measure)
        end = max(panel.x(percent), panel.left + 1.5)
        shape = f'x="{panel.left:.1f}" y="{y:.1f}" width="{end - panel.left:.1f}" height="{THICK:.1f}"'
        parts.append(f"<rect {shape} {looks[measure]}/>")
        parts.append(text(end + 5, y + THICK - 0.5, f"{percent} % {word}", INK, 10.5, HALO))
    return parts


def _sentence(rate: Rate) -> str:
    told = ", ".join(f"{words} {rate.percent(measure)} %" for measure, words in MEASURES.items())
    return f"{PROTOCOLS[rate.protocol].label}, {rate.examples} examples, {rate.tasks} tasks: {told}."
