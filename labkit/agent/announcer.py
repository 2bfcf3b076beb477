"""The opening lines of a turn's calls, in the order in which the file has them."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any

from labkit import trace
from labkit.calls import ToolCall

if TYPE_CHECKING:
    from labkit.agent.session import Session

Listener = Callable[[dict[str, Any]], None]


class Announcer:
    """Writes the opening lines of a turn in call order: those of the calls that run as the runtime sends them.

    ``unrun`` holds the positions of the calls that the loop answers itself.
    """

    def __init__(self, session: Session, calls: Sequence[ToolCall], unrun: Container[int]) -> None:
        self.session = session
        self.calls = calls
        self.runs = [position not in unrun for position in range(len(calls))]
        self.next = 0
        self.opened = False

    def __call__(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if name == "tool_finished":
            if self.session.on_event is not None:
                self.session.on_event(event)
        elif name == "early_discarded":
            self.session.record(event)
        elif name == "tool_batch":
            self.open(event["payload"]["mode"])
        else:
            self.start(event)

    def open(self, mode: str) -> None:
        """Write the batch line, once, for a turn of more than one call."""
        if not self.opened and len(self.calls) > 1:
            self.session.record(trace.tool_batch(mode, len(self.calls)))
        self.opened = True

    def start(self, event: dict[str, Any]) -> None:
        """Write a start line, and those of the calls around it that are not run."""
        self.open("serial")
        self.skip()
        self.session.record(event)
        self.next += 1
        self.skip()

    def skip(self) -> None:
        """Write the start lines up to the next call that runs."""
        self.open("serial")
        while self.next < len(self.calls) and not self.runs[self.next]:
            self.session.record(trace.tool_start(self.calls[self.next], "refused"))
            self.next += 1
