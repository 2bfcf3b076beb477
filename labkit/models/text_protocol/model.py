"""A model that is asked in plain text, behind the same interface as every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labkit.calls import ToolCall, many, quote
from labkit.models.base import Model, ModelReply
from labkit.models.in_words import Detours, InWords, made_id
from labkit.models.text_protocol.reading import STOP, cut, read
from labkit.models.text_protocol.wording import correction, to_text, what_is_wrong

Message = dict[str, Any]


class TextProtocolModel(InWords):
    """Asks a model for one step in plain text, and reads at most one call, or the answer, out of its reply.

    The reply is cut at ``stop``; ``stop=None`` leaves it as it is, with whatever the model made up. Corrections and
    ``requests`` are as in ``InWords``. The thought before a call is kept as the content of the reply; the one before
    an answer is not.
    """

    def __init__(self, model: Model, *, stop: str | None = STOP, corrections: int = 2) -> None:
        if stop is not None and (not isinstance(stop, str) or not stop):
            raise ValueError(f"stop is a text that ends a reply, or None; not {quote(stop)}")
        super().__init__(model, corrections)
        self.stop = stop

    def _worded(self, messages: Sequence[Message], tools: Sequence[Message], before: Detours) -> list[Message]:
        return to_text(messages, tools, before)

    def _text(self, raw: ModelReply) -> str:
        return cut(raw.content or "", self.stop)

    def _decide(
        self, raw: ModelReply, text: str, messages: Sequence[Message], tools: Sequence[Message]
    ) -> ModelReply | None:
        """Return what a reply decides; None where it can't be read, or asks for a tool where there are none."""
        # What the server cut off is marked as such. Where our stop came first, the step was whole.
        cut_off = raw.finish_reason == "length" and text == raw.content
        reading = read(text)
        match reading.taken:
            case {"answer": answer}:
                return ModelReply(answer, (), "length" if cut_off else "stop")
            case {"name": name, "arguments": arguments} if tools:
                call = ToolCall(made_id(messages), name, arguments)
                return ModelReply(reading.part("thought") or "", (call,), "length" if cut_off else "tool_calls")
        return ModelReply(text, (), "length") if cut_off else None

    def _correction(self, text: str, tools: Sequence[Message]) -> str:
        return correction(text, bool(tools))

    def _unreadable(self, text: str, tools: Sequence[Message]) -> str:
        reasons = what_is_wrong(text, bool(tools))
        more = f" (and {many(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
        times = many(self.corrections + 1, "time")
        return f"no decision could be read from the model's reply, asked {times}: {reasons[0]}{more}"

    def __repr__(self) -> str:
        stop = "" if self.stop == STOP else f", stop={self.stop!r}"
        return f"TextProtocolModel({self.model!r}{stop})"
