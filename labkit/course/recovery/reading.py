"""A trace read once: its turns, its calls with their answers, and what can be seen at each of its lines."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from labkit.agent import Run
from labkit.calls import many
from labkit.course.recovery.sentences import sentence
from labkit.course.recovery.ties import Tie, ties_of
from labkit.course.recovery.turns import Asked, Step, steps_of
from labkit.trace import Line, Trace

TURNS_SHOWN = 8
CALLS_SHOWN = 24
"""Of a long run the last turns and calls are shown; what stands before them is counted."""


@dataclass(frozen=True, repr=False)
class Story:
    """A trace, read once. A value; lines and turns count from 1, positions of calls from 0.

    ``said`` has a sentence for every line, ``ties`` the pairs of a call that failed and the call that took it up.
    """

    lines: tuple[Line, ...]
    steps: tuple[Step, ...]
    said: tuple[str, ...]
    ties: tuple[Tie, ...]
    _began: tuple[int, ...] = field(repr=False)

    @cached_property
    def calls(self) -> tuple[Asked, ...]:
        """All calls of the run, in order."""
        return tuple(call for step in self.steps for call in step.calls)

    @property
    def task(self) -> str | None:
        """The task that the opening line tells; None where there is none."""
        return self._opening.get("task")

    @property
    def system(self) -> str | None:
        """The system message that the opening line tells."""
        return self._opening.get("system")

    @property
    def _opening(self) -> Mapping[str, Any]:
        first = self.lines[0] if self.lines else {}
        return first["payload"] if first.get("event") == "session_start" else {}

    @property
    def ending(self) -> str:
        """How the run ends, in a few words."""
        return self.said[-1] if self.said and self.lines[-1].get("event") == "session_end" else "the trace breaks off"

    @property
    def answer(self) -> str:
        """The model's last words, where it asked for nothing any more."""
        return self.steps[-1].content if self.steps and not self.steps[-1].calls else ""

    def at(self, line: int) -> Frame:
        """Return what can be seen when the trace has come to a line; 0 is before the first one."""
        place = max(0, min(line, len(self.lines)))
        begun = bisect_right(self._began, place)
        shown = self.steps[max(0, begun - TURNS_SHOWN) : begun]
        return Frame(self, place, shown, begun - len(shown))

    def __repr__(self) -> str:
        told = (many(len(self.lines), "line"), many(len(self.calls), "call"), many(len(self.ties), "failed call"))
        return f"Story({', '.join(told)})"


@dataclass(frozen=True, repr=False)
class Frame:
    """What can be seen at one line of a story. A value; ``hidden`` counts the turns before those that are shown."""

    story: Story
    place: int
    steps: tuple[Step, ...]
    hidden: int

    @property
    def said(self) -> str:
        """What this line says, as a sentence."""
        return self.story.said[self.place - 1] if self.place else "nothing has happened yet"

    @cached_property
    def calls(self) -> tuple[Asked, ...]:
        """The last calls that were asked for, at most ``CALLS_SHOWN``."""
        return tuple(call for step in self.steps for call in step.calls)[-CALLS_SHOWN:]

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """The ties whose failure, or what took it up, is among the calls shown, as far as this line knows of them."""
        shown = {call.position for call in self.calls}
        known = (tie.seen_at(self.place) for tie in self.story.ties if shown & tie.positions)
        return tuple(tie for tie in known if tie is not None)

    def has(self, line: int | None) -> bool:
        """Whether a line has been reached."""
        return line is not None and line <= self.place

    def events(self) -> Iterator[Line]:
        """The start and end lines of the calls shown, as far as they have been reached: what a timeline needs."""
        places: set[int] = set()
        for call in self.calls:
            over = call.ended if self.has(call.answered) else None  # the end line stands behind the answer
            begun = [line for line in (call.asked, call.started) if self.has(line)]
            places |= {line for line in (*begun, over) if line is not None}
        return (self.story.lines[place - 1] for place in sorted(places))


def read(source: Run | Trace | str | os.PathLike[str] | Sequence[Line]) -> Story:
    """Read a run, a trace, the lines of one, or the file of one; what was read before is not changed.

    A trace that breaks off is read as far as it goes. Raises ValueError for a file that holds no trace, OSError for one
    that can't be read.
    """
    if isinstance(source, Run):
        source = source.trace
    elif isinstance(source, str | os.PathLike):
        source = Trace.load(Path(source))
    lines = tuple(source)
    steps = steps_of(lines)
    return Story(
        lines,
        steps,
        tuple(map(sentence, lines)),
        ties_of([call for step in steps for call in step.calls]),
        tuple(step.line for step in steps),
    )
