"""Early dispatch as the loop sees it: a reply is asked for, calls of it start, and what may not be used is dropped."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from labkit.agent.admission import Door
from labkit.calls import ToolResult
from labkit.runtime.early import EarlyCalls, require_policy

if TYPE_CHECKING:
    from labkit.agent.agent import Agent
    from labkit.guard import Watch
    from labkit.models.base import Model, ModelReply
    from labkit.runtime import ToolRuntime

DISCARDED = ("interrupted", "model_error", "refused", "truncated")
"""Stop reasons that say why an early result is not used; where a run ends with an answer, the reply had changed."""


def require_early(model: Model, runtime: ToolRuntime) -> None:
    """Raise ValueError or TypeError, saying what to do, where calls can't start before a reply is whole."""
    require_policy(runtime.policy)
    if getattr(model, "stream", True) is False:
        raise ValueError("early dispatch needs a reply that streams: make the model with stream=True")
    try:
        parameters = inspect.signature(model.reply).parameters
    except (TypeError, ValueError):  # a callable that does not tell what it takes
        return
    if "on_call" not in parameters and all(each.kind is not each.VAR_KEYWORD for each in parameters.values()):
        raise TypeError(
            f"early dispatch needs a model that streams, with reply(messages, tools, on_call=None); the reply of a "
            f"{type(model).__name__} takes no on_call: use another model, or leave early_dispatch out"
        )


class Ahead:
    """The calls of the reply that is asked for now, or was last. One run has one."""

    def __init__(self, agent: Agent, watch: Watch | None, began: float) -> None:
        self.agent = agent
        self.watch = watch
        self.began = began
        self.calls = EarlyCalls(agent.runtime, began)

    @property
    def whole(self) -> float | None:
        """When the last reply was whole, in seconds since the run began."""
        return self.calls.whole

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the model's reply; calls that may run already are at work by then."""
        door = Door(self.watch, self.agent.max_calls_per_turn)
        self.calls = EarlyCalls(self.agent.runtime, self.began, door.refuse)
        model: Any = self.agent.model
        try:
            reply: ModelReply = model.reply(messages, tools, on_call=self.calls.offer)
        finally:
            self.calls.close()
        return reply

    def settle(self, unrun: Mapping[int, ToolResult], count: int) -> Iterator[dict[str, Any]]:
        """Keep what is to be run, under its place among the calls that are; discard the rest, and yield the events."""
        runs = [position for position in range(count) if position not in unrun]
        for position in sorted(set(self.calls.started) - set(runs)):
            error = unrun[position].error if position in unrun else None
            yield self.calls.discard(position, str(error.code) if error else "changed")
        self.calls.renumber(runs)

    def discard_all(self, reason: str) -> Iterator[dict[str, Any]]:
        """Discard what is left when a run ends, and yield the events."""
        self.calls.close()
        for position in sorted(self.calls.started):
            yield self.calls.discard(position, reason if reason in DISCARDED else "changed")
