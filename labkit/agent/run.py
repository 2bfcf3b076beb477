"""What a run leaves behind, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labkit.calls import ToolCall, ToolResult, many
from labkit.models.base import ModelReply, Usage
from labkit.trace import Trace


@dataclass(frozen=True, repr=False)
class Turn:
    """One decision and what became of its calls. A value; ``model_seconds`` is how long the model took."""

    index: int
    reply: ModelReply
    results: tuple[ToolResult, ...]
    model_seconds: float

    def __repr__(self) -> str:
        return f"Turn({self.index}: {many(len(self.results), 'call')})"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What became of a task. A value.

    ``stop_reason`` is ``final_answer``, ``max_turns``, ``truncated``, ``refused``, ``model_error``, ``stalled`` or
    ``interrupted``; ``detail`` says more where there is no answer. ``messages`` is a valid history to go on from.
    """

    answer: str
    messages: list[dict[str, Any]]
    turns: tuple[Turn, ...]
    stop_reason: str
    usage: Usage
    trace: Trace
    detail: str | None = None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All calls of the run, in order."""
        return tuple(call for turn in self.turns for call in turn.reply.tool_calls)

    def __repr__(self) -> str:
        return f"Run({self.stop_reason}: {many(len(self.turns), 'decision')}, {many(len(self.tool_calls), 'call')})"
