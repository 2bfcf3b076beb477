"""The opening lines of a turn's calls, in the order in which the file has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from labkit import trace
from labkit.calls import ToolCall

if TYPE_CHECKING:
    from labkit.agent.session import Session

Listener = Callable[[dict[str, Any]], None]


class Announcer:
    """Writes the opening lines of a batch as the runtime sends them, and those of the surplus right after them."""

    def __init__(self, session: Session, calls: Sequence[ToolCall], kept: int) -> None:
        self.session = session
        self.calls = calls
        self.kept = kept
        self.started = 0

    def __call__(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if name == "tool_finished":
            if self.session.on_event is not None:
                self.session.on_event(event)
        elif name == "tool_batch":
            self.session.record(trace.tool_batch(event["payload"]["mode"], len(self.calls)))
        else:
            self.start(event)

    def start(self, event: dict[str, Any]) -> None:
        """Write a start line; after the last one of the batch, those of the surplus."""
        if self.kept == 1 < len(self.calls):
            self.session.record(trace.tool_batch("serial", len(self.calls)))
        self.session.record(event)
        self.started += 1
        if self.started == self.kept:
            for call in self.calls[self.kept :]:
                self.session.record(trace.tool_start(call, "refused"))

    def surplus(self, mode: str) -> None:
        """Write the opening lines of a turn of which nothing is run."""
        if len(self.calls) > 1:
            self.session.record(trace.tool_batch(mode, len(self.calls)))
        for call in self.calls:
            self.session.record(trace.tool_start(call, "refused"))
