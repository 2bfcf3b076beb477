"""The one switch that leads from the scripted model to a real one. Chapters 09 to 11.

    >>> real_model()
    real model "…" at https://…: at most 20 requests; each sends the task, the tools and the results so far

Without the switch, which is the environment, it says what to set. Does not: run in a test, send anything by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labkit.calls import many, quote
from labkit.models.base import ModelError, ModelReply

MOST_REQUESTS = 20
SENT = "each sends the task, the tools and the results so far"


class Budget:
    """How many requests may be made, and how many were: shared by all ways to ask the same model."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0

    def take(self) -> None:
        """Count one request. Raises ModelError where none is left, before anything is sent."""
        if self.used >= self.most:
            raise ModelError(f"the cap of {many(self.most, 'request')} is reached: make a new real_model()")
        self.used += 1


class RealModel:
    """A model behind a real server, with a cap on what it may be asked."""

    def __init__(self, model: Any, budget: Budget) -> None:
        self.model = model
        self.budget = budget

    def reply(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        on_call: Callable[..., None] | None = None,
    ) -> ModelReply:
        """Count, and ask. Raises ModelError as the model does, and at the cap."""
        self.budget.take()
        answer: ModelReply = self.model.reply(messages, tools, on_call)
        return answer

    def constrained(self, schema: dict[str, Any], name: str = "decision") -> RealModel:
        """Return the same model held to a JSON schema; its requests count here too."""
        return RealModel(self.model.constrained(schema, name), self.budget)

    def __repr__(self) -> str:
        from labkit.models.explaining import place

        where = place(str(self.model.client.base_url))
        most = many(self.budget.most, "request")
        return f"real model {quote(self.model.model)} at {where}: at most {most}; {SENT}"


def real_model(
    max_requests: int = MOST_REQUESTS, *, responses: bool = False, stream: bool = False, **parameters: Any
) -> RealModel:
    """Return the model that ``OPENAI_BASE_URL``, ``OPENAI_API_KEY`` and ``LABKIT_MODEL`` lead to.

    ``max_requests`` is the most that it may be asked; ``responses`` chooses the Responses API; ``parameters`` go into
    every request. Raises ModelError, with what to set, where the switch is off.
    """
    from labkit.models import OpenAIModel, OpenAIResponsesModel

    if type(max_requests) is not int or max_requests < 1:
        raise ValueError(f"max_requests is a whole number of at least 1, not {quote(max_requests)}")
    kind = OpenAIResponsesModel if responses else OpenAIModel
    return RealModel(kind(stream=stream, **parameters), Budget(max_requests))
