"""One unit for a whole picture, and round numbers for its axis.

Chapter 05. Pure; all times are seconds.

    >>> scale = Scale.reaching(0.26)
    >>> scale.number(0.06), scale.time(0.12)
    ('60', '120 ms')

Does not: know calls or pictures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
AXIS_DIGITS = (1.0, 2.0, 5.0)
CELL_DIGITS = (1.0, 2.0, 2.5, 4.0, 5.0)  # so that a chart of characters fills at least half its room
NOISE = 1e-9  # relative: far below what a picture shows, far above what float sums differ by


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit of time and the decimals worth showing in it. A value."""

    seconds: float
    unit: str
    decimals: int

    @classmethod
    def reaching(cls, end: float) -> Scale:
        """Return the scale for an axis from 0 to ``end``: its largest number has about three digits."""
        size, unit = next((entry for entry in UNITS if end >= entry[0] * (1 - NOISE)), UNITS[-1 if end > 0 else 1])
        finest = 3 if unit == "s" else 2
        return cls(size, unit, 0 if end >= 100 * size else 1 if end >= 10 * size else finest)

    def number(self, seconds: float) -> str:
        """Return the time without its unit; what is too short to show is ``<1``, never a false 0."""
        value = seconds / self.seconds
        text = _plain(math.floor(value * 10**self.decimals + 0.5 + NOISE) / 10**self.decimals, self.decimals)
        return text if float(text) or value < NOISE else f"<{_plain(10.0**-self.decimals, self.decimals)}"

    def time(self, seconds: float) -> str:
        """Return the time with its unit."""
        return f"{self.number(seconds)} {self.unit}"


def spoken(seconds: float) -> str:
    """Return a time in the unit that suits it: ``80 ms``, ``1.2 s``."""
    return Scale.reaching(seconds).time(seconds)


def round_step(least: float, digits: Sequence[float] = AXIS_DIGITS) -> float:
    """Return the smallest of the round numbers that is not below ``least`` > 0: a digit times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    steps = (digit * power for digit in (*digits, 10 * digits[0], 10 * digits[1]))
    return next(step for step in steps if step >= least * (1 - NOISE))


def cells(length: float, step: float) -> int:
    """Return how many steps fit a length, rounded to the nearest, halves upwards."""
    return math.floor(length / step + 0.5 + NOISE)


def aligned(numbers: Sequence[str]) -> list[str]:
    """Return the numbers of one column with equally many decimals, right-aligned."""
    most = max((len(number.partition(".")[2]) for number in numbers if "<" not in number), default=0)
    spelled = [number if not number or "<" in number else f"{float(number):.{most}f}" for number in numbers]
    width = max(map(len, spelled), default=0)
    return [number.rjust(width) for number in spelled]


def ticks(end: float, step: float) -> list[float]:
    """Return the multiples of ``step`` from 0 up to ``end``."""
    return [count * step for count in range(math.floor(end / step + NOISE) + 1)]


def _plain(value: float, decimals: int) -> str:
    """Spell a number without the zeros that say nothing."""
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
