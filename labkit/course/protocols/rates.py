"""From rows to rates: how many replies of a protocol could be read, fit, named the right tool, were right. Chapter 11.

    >>> rates(recorded().rows)[0].percent("parsed") <= 100
    True

Pure. Does not: say how far two rates would differ by chance; the counts stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labkit.course.protocols.measuring import Row
from labkit.course.protocols.prompts import PROTOCOLS

MEASURES = {
    "parsed": "parsed",
    "valid": "valid",
    "right_tool": "right tool",
    "right_arguments": "right arguments",
}
"""What is counted, with its name in tables and pictures: two measures of form, two of choice. Only the last has all.

A call may be of the right tool without being valid, so ``right_tool`` can exceed ``valid``.
"""


class Rate(NamedTuple):
    """The counts of one protocol with one number of examples. A value; ``tasks`` is how many were asked."""

    protocol: str
    examples: int
    tasks: int
    parsed: int
    valid: int
    right_tool: int
    right_arguments: int

    def percent(self, measure: str) -> int:
        """Return one of the counts in percent of the tasks, rounded."""
        return round(100 * int(getattr(self, measure)) / self.tasks)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Rates side by side: a table as text, and a chart. A value."""

    rates: tuple[Rate, ...]

    def __repr__(self) -> str:
        return table(self.rates)

    def to_svg(self, width: int = 780) -> str:
        """Return the chart as SVG with its own paper; ``width`` in pixels."""
        from labkit.course.protocols.chart import draw

        return draw(self.rates, width)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def compare(rows: Iterable[Row]) -> Comparison:
    """Return the rates of some rows as a value that shows itself as table and chart."""
    return Comparison(rates(rows))


def rates(rows: Iterable[Row]) -> tuple[Rate, ...]:
    """Return a rate for every protocol and number of examples: fewest examples first, then as in ``PROTOCOLS``."""
    groups: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.examples, row.protocol), []).append(row)
    order = list(PROTOCOLS)
    keys = sorted(groups, key=lambda key: (key[0], order.index(key[1])))
    return tuple(_counted(protocol, examples, groups[examples, protocol]) for examples, protocol in keys)


def _counted(protocol: str, examples: int, rows: Sequence[Row]) -> Rate:
    counts = (sum(getattr(row, measure) for row in rows) for measure in MEASURES)
    return Rate(protocol, examples, len(rows), *counts)


def table(rates: Sequence[Rate]) -> str:
    """Return the rates in percent, a line for each, under headings."""
    headings = ("protocol", "examples", "tasks", *MEASURES.values())
    lines = [headings, *(_cells(rate) for rate in rates)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(_line(line, widths) for line in lines)


def _cells(rate: Rate) -> tuple[str, ...]:
    percents = (f"{rate.percent(measure)} %" for measure in MEASURES)
    return (PROTOCOLS[rate.protocol].label, str(rate.examples), str(rate.tasks), *percents)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.ljust(w) if column == 0 else cell.rjust(w)
        for column, (cell, w) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()
