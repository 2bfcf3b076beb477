"""What the protocols share that ask a model for one decision in words: read it, send it back where it can't be read.

Chapters 01 and 11. Does not: know any protocol; ``text_protocol`` and ``json_mode`` do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from labkit.calls import quote
from labkit.models.base import Model, ModelError, ModelReply, Usage

Message = dict[str, Any]
Detours = Mapping[int, Sequence[Message]]


class InWords(ABC):
    """Asks a model without telling its server of tools: they stand in the text, and so does the decision.

    A reply that can't be read is sent back with what is wrong, at most ``corrections`` times for one decision; then
    there is a ModelError. It is never taken for an answer. ``requests`` counts what was asked of the model, corrections
    included.
    """

    def __init__(self, model: Model, corrections: int = 2) -> None:
        if not hasattr(model, "reply"):
            raise TypeError(f"a {type(model).__name__} is no model: it has no reply(messages, tools)")
        if type(corrections) is not int or corrections < 0:
            raise ValueError(f"corrections is a whole number of at least 0, not {quote(corrections)}")
        self.model = model
        self.corrections = corrections
        self.requests = 0
        self._detours: dict[int, tuple[list[Message], str, list[Message]]] = {}

    def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """Return the next decision. Raises ModelError where none can be read."""
        asked = self._worded(messages, tools, self._detours_of(messages))
        model = self._model_for(tools)
        detour: list[Message] = []
        usage: Usage | None = None
        while True:
            raw = self._ask(model, [*asked, *detour])
            usage = raw.usage if usage is None else usage + (raw.usage or Usage())
            text = self._text(raw)
            declined = raw.refusal or raw.finish_reason == "content_filter"
            decision = raw if declined else self._decide(raw, text, messages, tools)
            if decision is not None:
                self._remember(messages, decision, detour)
                return decision._replace(usage=usage)
            if len(detour) // 2 == self.corrections:
                raise ModelError(self._unreadable(text, tools))
            detour.append({"role": "assistant", "content": text})
            detour.append({"role": "user", "content": self._correction(text, tools)})

    @abstractmethod
    def _worded(self, messages: Sequence[Message], tools: Sequence[Message], before: Detours) -> list[Message]:
        """Return the history and the rules as messages of text; ``before`` goes before the messages at its places."""

    @abstractmethod
    def _decide(
        self, raw: ModelReply, text: str, messages: Sequence[Message], tools: Sequence[Message]
    ) -> ModelReply | None:
        """Return what a text decides; None where it can't be read."""

    @abstractmethod
    def _correction(self, text: str, tools: Sequence[Message]) -> str:
        """Return what the model is told about a text that could not be read."""

    @abstractmethod
    def _unreadable(self, text: str, tools: Sequence[Message]) -> str:
        """Return why no decision could be had."""

    def _model_for(self, tools: Sequence[Message]) -> Model:
        return self.model

    def _text(self, raw: ModelReply) -> str:
        return raw.content or ""

    def _ask(self, model: Model, messages: list[Message]) -> ModelReply:
        self.requests += 1
        raw = model.reply(messages, [])
        if raw.tool_calls:
            name = type(self).__name__
            raise ModelError(
                f"the model sent structured calls and no text to read; give it to the agent without {name}"
            )
        return raw

    def _remember(self, before: Sequence[Message], decision: ModelReply, detour: list[Message]) -> None:
        """Keep what was said before a decision could be read: the history has no place for it."""
        self._detours.pop(len(before), None)
        if detour:
            self._detours[len(before)] = (list(before), decision.content, detour)

    def _detours_of(self, messages: Sequence[Message]) -> dict[int, list[Message]]:
        """Return what to tell again, by the position of the message that it led to; never in another conversation."""
        return {
            position: detour
            for position, (before, content, detour) in list(self._detours.items())
            if position < len(messages)
            and messages[position].get("content") == content
            and list(messages[:position]) == before
        }


def made_id(messages: Sequence[Mapping[str, Any]], number: int = 1) -> str:
    """Return the id of the next call, counted over the history: nobody sends one in words."""
    before = sum(len(calls) for m in messages if isinstance(calls := m.get("tool_calls"), list | tuple))
    return f"call_{before + number}"
