"""Which calls of a turn may run, and how the loop answers the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.agent.answers import cut_off, surplus
from labkit.calls import ToolCall, ToolResult, failed
from labkit.models.base import ModelReply

if TYPE_CHECKING:
    from labkit.guard import Watch


class Door:
    """Lets the calls of one turn pass, up to a limit, unless the guard refuses them; asked in call order."""

    def __init__(self, watch: Watch | None, limit: int) -> None:
        self.watch = watch
        self.limit = limit
        self.passed = 0

    def refuse(self, call: ToolCall) -> ToolResult | None:
        """Return the answer to the next call where it is not to be run, else None."""
        error = self.watch.refuse(call) if self.watch is not None else None
        if error is not None:
            return failed(call, error)
        if self.passed == self.limit:
            return surplus(call, self.limit)
        self.passed += 1
        return None


def unrun(reply: ModelReply, door: Door) -> dict[int, ToolResult]:
    """Return the answers to the calls that are not run, by position: all of a reply that was cut off, the surplus, and
    what the guard refuses."""
    if reply.finish_reason == "length":
        return {position: cut_off(call) for position, call in enumerate(reply.tool_calls)}
    answers = {position: door.refuse(call) for position, call in enumerate(reply.tool_calls)}
    return {position: answer for position, answer in answers.items() if answer is not None}
