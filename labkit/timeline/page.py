"""What all panels of a picture share: where names and time stand, and the axis.

Chapter 05. Pure; times are seconds, places are pixels from the upper left corner of the paper.

    >>> page = Page("tl", 780, 20.0, 100.0, 700.0, 0.26, Scale.reaching(0.26))
    >>> page.x(0.13)
    400.0

Does not: know how a call is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

from labkit.timeline.scale import Scale, round_step, ticks
from labkit.timeline.shapes import DIM, RULE, line, text


@dataclass(frozen=True, slots=True)
class Page:
    """The places of one picture. A value; ``key`` makes its ids unique among the pictures of a notebook."""

    key: str
    width: int
    names: float
    left: float
    right: float
    end: float
    scale: Scale

    def x(self, seconds: float) -> float:
        """Where a moment stands, in pixels from the left edge of the paper."""
        return self.left + (self.right - self.left) * (seconds / self.end if self.end else 0.0)

    def axis(self, top: float, bottom: float) -> list[str]:
        """Lines at round times, with their numbers beneath."""
        step = round_step(max(self.end, self.scale.seconds) / max(3, (self.right - self.left) // 90))
        marks = ticks(self.end, step)
        parts: list[str] = []
        for mark in marks:
            label = self.scale.time(mark) if mark == marks[-1] else self.scale.number(mark)
            parts.append(line(self.x(mark), top, self.x(mark), bottom, f'stroke="{RULE}"'))
            parts.append(text(self.x(mark), bottom + 14, label, DIM, 11, ' text-anchor="middle"'))
        return parts
