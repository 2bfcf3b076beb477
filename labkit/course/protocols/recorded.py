"""Measurements that are kept: the rows of all tasks with what has to be told beside them. Chapter 11.

    >>> recorded("smollm2").facts["threads"]
    1

Does not: average over machines; a row is what one build gave on one day.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.course.protocols.measuring import Adjustable, Progress, Row, measure
from labkit.course.protocols.prompts import PROTOCOLS
from labkit.course.protocols.tasks import Example, Task
from labkit.paths import data


@dataclass(frozen=True, repr=False)
class Recorded:
    """Rows, and the facts that belong to them: model, build, threads, seed, parameters, date. A value."""

    facts: dict[str, Any]
    rows: tuple[Row, ...]

    def written(self) -> str:
        """Return the text that ``read`` reads: one JSON object a line, the facts first."""
        lines = [{"facts": self.facts}, *(row._asdict() for row in self.rows)]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        return f"{len(self.rows)} replies: {told}"


def recorded(name: str = "smollm2") -> Recorded:
    """Return a measurement of ``data/measured/``. Raises FileNotFoundError where there is none of this name."""
    return read(data("measured", f"{name}.jsonl").read_text(encoding="utf-8"))


def read(text: str) -> Recorded:
    """Return the measurement that ``written`` wrote."""
    first, *lines = map(json.loads, text.splitlines())
    return Recorded(first["facts"], tuple(Row(**line | {"calls": tuple(line["calls"])}) for line in lines))


def record(
    model: Adjustable,
    tasks: Sequence[Task],
    example_sets: Sequence[Sequence[Example]],
    facts: dict[str, Any],
    protocols: Sequence[str] = tuple(PROTOCOLS),
    on_progress: Callable[[str], Progress] | None = None,
) -> Recorded:
    """Measure every protocol with every set of examples, and return it all with the facts.

    ``on_progress`` is given the name of a protocol and returns what is told of its tasks, such as ``bar(print, name)``.
    """
    rows: list[Row] = []
    for examples in example_sets:
        for protocol in protocols:
            rows += measure(model, tasks, protocol, examples, on_progress and on_progress(protocol))
    return Recorded(facts, tuple(rows))
