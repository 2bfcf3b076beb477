"""The one interface behind which every model stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from labkit.calls import ToolCall


class Usage(NamedTuple):
    """Tokens of one or more requests. A value; usages add up."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:  # type: ignore[override]
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


class ModelReply(NamedTuple):
    """What a model decided. A value.

    ``finish_reason`` is the server's word: ``stop``, ``tool_calls``, ``length`` (cut off), ``content_filter``.
    ``usage`` is None where nobody counted; ``refusal`` is the model's own sentence where it declined.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage | None = None
    refusal: str | None = None


class ModelError(Exception):
    """No reply could be had. The message says why in one sentence, and what to do about it."""


class Model(Protocol):
    """Anything that can decide. ``messages`` is the history and must not be changed; ``tools`` are definitions."""

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the next decision. Raises ModelError where none can be had."""
        ...
