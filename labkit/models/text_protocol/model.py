"""A model that is asked in plain text, behind the same interface as every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labkit.calls import ToolCall, many, quote
from labkit.models.base import Model, ModelError, ModelReply, Usage
from labkit.models.text_protocol.reading import STOP, cut, read
from labkit.models.text_protocol.wording import correction, listed, to_text, what_is_wrong


class TextProtocolModel:
    """Asks a model for one step in plain text, and reads at most one call, or the answer, out of its reply.

    The reply is cut at ``stop``; ``stop=None`` leaves it as it is, with whatever the model made up. A reply that can't
    be read is sent back with what is wrong, at most ``corrections`` times for one decision; then there is a
    ModelError. It is never taken for an answer. ``requests`` counts what was asked of the model, corrections included.
    The thought before a call is kept as the content of the reply; the one before an answer is not.
    """

    def __init__(self, model: Model, *, stop: str | None = STOP, corrections: int = 2) -> None:
        if not hasattr(model, "reply"):
            raise TypeError(f"a {type(model).__name__} is no model: it has no reply(messages, tools)")
        if stop is not None and (not isinstance(stop, str) or not stop):
            raise ValueError(f"stop is a text that ends a reply, or None; not {quote(stop)}")
        if type(corrections) is not int or corrections < 0:
            raise ValueError(f"corrections is a whole number of at least 0, not {quote(corrections)}")
        self.model = model
        self.stop = stop
        self.corrections = corrections
        self.requests = 0
        self._detours: dict[int, tuple[str, list[dict[str, Any]]]] = {}

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the next decision, with one call at most. Raises ModelError where none can be read."""
        asked = to_text(messages, tools, self._detours_of(messages))
        detour: list[dict[str, Any]] = []
        usage: Usage | None = None
        while True:
            raw = self._ask([*asked, *detour])
            usage = raw.usage if usage is None else usage + (raw.usage or Usage())
            text = cut(raw.content or "", self.stop)
            decision = self._decide(raw, text, messages, tools)
            if decision is not None:
                self._remember(len(messages), decision, detour)
                return decision._replace(usage=usage)
            if len(detour) // 2 == self.corrections:
                raise ModelError(_unreadable(text, bool(tools), self.corrections + 1))
            detour.append({"role": "assistant", "content": text})
            detour.append({"role": "user", "content": correction(text, bool(tools))})

    def _ask(self, messages: list[dict[str, Any]]) -> ModelReply:
        self.requests += 1
        raw = self.model.reply(messages, [])
        if raw.tool_calls:
            raise ModelError(
                "the model sent structured calls and no text to read; give it to the agent without TextProtocolModel"
            )
        return raw

    def _decide(
        self, raw: ModelReply, text: str, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
    ) -> ModelReply | None:
        """Return what a reply decides; None where it can't be read, or asks for a tool where there are none."""
        if raw.refusal or raw.finish_reason == "content_filter":
            return raw
        reading = read(text)
        # What the server cut off is marked as such. Where our stop came first, the step was whole.
        cut_off = raw.finish_reason == "length" and text == raw.content
        match reading.taken:
            case {"answer": answer}:
                return ModelReply(answer, (), "length" if cut_off else "stop")
            case {"name": name, "arguments": arguments} if tools:
                call = ToolCall(f"call_{_calls_in(messages) + 1}", name, arguments)
                return ModelReply(reading.part("thought") or "", (call,), "length" if cut_off else "tool_calls")
        return ModelReply(text, (), "length") if cut_off else None

    def _remember(self, position: int, decision: ModelReply, detour: list[dict[str, Any]]) -> None:
        """Keep what was said before a decision could be read: the history has no place for it."""
        self._detours.pop(position, None)
        if detour:
            self._detours[position] = (decision.content, detour)

    def _detours_of(self, messages: Sequence[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
        """Return what to tell again, by the position of the message that it led to."""
        return {
            position: detour
            for position, (content, detour) in self._detours.items()
            if position < len(messages) and messages[position].get("content") == content
        }

    def __repr__(self) -> str:
        stop = "" if self.stop == STOP else f", stop={self.stop!r}"
        return f"TextProtocolModel({self.model!r}{stop})"


def _calls_in(messages: Sequence[dict[str, Any]]) -> int:
    return sum(len(listed(message.get("tool_calls"))) for message in messages)


def _unreadable(text: str, has_tools: bool, times: int) -> str:
    reasons = what_is_wrong(text, has_tools)
    more = f" (and {many(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
    return f"no decision could be read from the model's reply, asked {many(times, 'time')}: {reasons[0]}{more}"
