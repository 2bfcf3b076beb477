"""How the requests of a run grow, as bars in text and as a picture.

Chapter 08. Pure. Every request carries the whole history so far, or what was kept of it.

    >>> Growth({"whole": (60, 120, 180)}).sums
    {'whole': 360}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from labkit.calls import many
from labkit.history import tokens, trim
from labkit.timeline.shapes import DIM, EDGE, INK, READ, RULE, header, line, sheet, text

BAR = 16  # characters of the longest bar in text
ROWS = 16  # more requests than this are shown as the first ten and the last five
FIRST, LAST = 10, 5
DRAWN = 48  # more bars than this can't be told apart: every second, third … is drawn
WIDTH, HEIGHT, FOOT = 700, 170, 46


def requests(messages: Sequence[dict[str, Any]], max_tokens: int | None = None) -> tuple[int, ...]:
    """Return the estimated tokens of each request that led to this history, in order.

    With ``max_tokens`` each of them is trimmed first. Only messages are counted, without the field ``error``, which is
    not sent; declarations of tools come on top of each request.
    """
    asked = [position for position, message in enumerate(messages) if message["role"] == "assistant"]
    if max_tokens is None:
        so_far = [0, *accumulate(map(_cost, messages))]
        return tuple(so_far[position] for position in asked)
    return tuple(sum(map(_cost, trim(messages[:position], max_tokens))) for position in asked)


def _cost(message: dict[str, Any]) -> int:
    return tokens([{key: message[key] for key in message if key != "error"}])


@dataclass(frozen=True, repr=False)
class Growth:
    """One or two runs, by name: the tokens of each of their requests. A value; shown as text and as a picture."""

    runs: Mapping[str, Sequence[int]]

    @property
    def sums(self) -> dict[str, int]:
        """All tokens of each run."""
        return {name: sum(sent) for name, sent in self.runs.items()}

    @property
    def said(self) -> str:
        """What the picture says, in a line."""
        return " · ".join(self._told())

    def _told(self) -> list[str]:
        return [f"{name}: {sum(sent):,} tokens in {many(len(sent), 'request')}" for name, sent in self.runs.items()]

    def __repr__(self) -> str:
        longest = max(map(len, self.runs.values()), default=0)
        shown: list[int | None] = list(range(longest))
        if longest > ROWS:
            shown[FIRST:-LAST] = [None]
        most = max((max(sent) for sent in self.runs.values() if sent), default=1)
        head = f"{'request':>7}  " + "".join(f"{name[: BAR + 6]:<{BAR + 10}}" for name in self.runs)
        rows = [head, *(self._row(number, most) for number in shown)]
        return "\n".join(row.rstrip() for row in [*rows, "estimated tokens, messages only", *self._told()])

    def _row(self, number: int | None, most: int) -> str:
        if number is None:
            return f"{'…':>7}"
        cells = (_bar(sent, number, most) for sent in self.runs.values())
        return f"{number + 1:>7}  " + "".join(f"{cell:<{BAR + 10}}" for cell in cells)

    def _repr_svg_(self) -> str:
        return picture(self)


def _bar(sent: Sequence[int], number: int, most: int) -> str:
    if number >= len(sent):
        return ""
    return "█" * max(1, round(BAR * sent[number] / most)) + f" {sent[number]:,}"


def picture(growth: Growth, key: str = "g") -> str:
    """Return the bars as SVG: plain for the first run, hatched for the second. ``key`` begins every id."""
    most = max((max(sent) for sent in growth.runs.values() if sent), default=1)
    longest = max(map(len, growth.runs.values()), default=0)
    every = -(-longest // DRAWN) or 1
    drawn = range(0, longest, every)
    floor, left = 44.0 + HEIGHT, EDGE + 40.0
    slot = (WIDTH - left - EDGE) / max(1, len(drawn))
    rule = "estimated tokens of each request" + (f", one of {every} is drawn" if every > 1 else "")
    parts = [header("What is sent", rule), *_axis(most, left, floor)]
    fills = (READ, f"url(#{key}w)")
    breadth = min(26.0, slot * 0.8 / max(1, len(growth.runs)))
    for place, number in enumerate(drawn):
        x = left + slot * (place + 0.5) - breadth * len(growth.runs) / 2
        for (_, sent), fill, at in zip(growth.runs.items(), fills, range(2), strict=False):
            if number < len(sent):
                tall = HEIGHT * sent[number] / most
                parts.append(_box(x + at * breadth, floor - tall, breadth, tall, fill))
        if place % (1 + len(drawn) // 16) == 0:
            middle = left + slot * (place + 0.5)
            parts.append(text(middle, floor + 16, str(number + 1), DIM, 11, ' text-anchor="middle"'))
    return sheet(
        key, WIDTH, floor + FOOT, "Tokens of each request", growth.said, [*parts, *_foot(growth, fills, floor)]
    )


def _axis(most: int, left: float, floor: float) -> list[str]:
    ink = f'stroke="{RULE}"'
    lines = [line(left, floor - HEIGHT * share, WIDTH - EDGE, floor - HEIGHT * share, ink) for share in (0, 0.5, 1)]
    right = ' text-anchor="end"'
    words = [text(left - 6, floor - HEIGHT * s + 4, f"{round(most * s):,}", DIM, 11, right) for s in (0, 0.5, 1)]
    return lines + words


def _foot(growth: Growth, fills: Sequence[str], floor: float) -> list[str]:
    """The sums, each beside a patch of its bars' ink."""
    parts, x = [], float(EDGE)
    for (name, sent), fill in zip(growth.runs.items(), fills, strict=False):
        words = f"{name}: {sum(sent):,} in {many(len(sent), 'request')}"
        parts += [_box(x, floor + 25, 12, 12, fill), text(x + 18, floor + 35, words, INK, 12)]
        x += 18 + 6.8 * len(words) + 24
    return parts


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'
