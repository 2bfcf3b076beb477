"""A model that is asked for JSON, behind the same interface as every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labkit.calls import ToolCall, many
from labkit.models.base import Model, ModelReply
from labkit.models.in_words import Detours, InWords, made_id
from labkit.models.json_mode.envelope import envelope, read
from labkit.models.json_mode.wording import correction, to_json_mode

Message = dict[str, Any]


class JsonModeModel(InWords):
    """Asks a model for one JSON object, and reads calls or an answer out of it; several calls a turn are possible.

    Corrections and ``requests`` are as in ``InWords``. With ``constrained`` the server is given the envelope as a JSON
    schema too, with the tools' own schemas inside: it repairs the form of a reply, not the choice. That needs a model
    that can pass a schema on, such as ``OpenAIModel``; without it TypeError is raised.
    """

    def __init__(self, model: Model, corrections: int = 2, constrained: bool = False) -> None:
        super().__init__(model, corrections)
        if constrained and not hasattr(model, "constrained"):
            raise TypeError(f"a {type(model).__name__} can't pass a JSON schema on to a server: leave constrained out")
        self.constrained = constrained

    def _model_for(self, tools: Sequence[Message]) -> Model:
        if not self.constrained:
            return self.model
        held: Model = self.model.constrained(envelope(tools))  # type: ignore[attr-defined]
        return held

    def _worded(self, messages: Sequence[Message], tools: Sequence[Message], before: Detours) -> list[Message]:
        return to_json_mode(messages, tools, before)

    def _decide(
        self, raw: ModelReply, text: str, messages: Sequence[Message], tools: Sequence[Message]
    ) -> ModelReply | None:
        """Return what a reply decides; None where it can't be read. One that was cut off is marked, and not mended."""
        cut_off = raw.finish_reason == "length"
        found = read(text, has_tools=bool(tools))
        if found.problems:
            return ModelReply(text, (), "length") if cut_off else None
        if found.answer is not None:
            return ModelReply(found.answer, (), "length" if cut_off else "stop")
        calls = tuple(
            ToolCall(made_id(messages, number), call["name"], call["arguments"])
            for number, call in enumerate(found.calls, 1)
        )
        return ModelReply(found.thought, calls, "length" if cut_off else "tool_calls")

    def _correction(self, text: str, tools: Sequence[Message]) -> str:
        return correction(text, bool(tools))

    def _unreadable(self, text: str, tools: Sequence[Message]) -> str:
        problems = read(text, has_tools=bool(tools)).problems
        more = f" (and {many(len(problems) - 1, 'more reason')})" if len(problems) > 1 else ""
        times = many(self.corrections + 1, "time")
        return f"no decision could be read from the model's reply, asked {times}: {problems[0]}{more}"

    def __repr__(self) -> str:
        return f"JsonModeModel({self.model!r}{', constrained=True' if self.constrained else ''})"
