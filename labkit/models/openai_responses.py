"""The Responses API through the ``openai`` client. Chapter 09.

    >>> OpenAIResponsesModel(base_url="http://127.0.0.1:8080/v1", model="any").request([user("hi")], [])
    {'model': 'any', 'input': [{'type': 'message', 'role': 'user', 'content': 'hi'}], 'store': False}

The whole history is sent each time, and the server is asked to keep none of it. Does not: retry, know a model's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from labkit.models.base import ModelReply
from labkit.models.sdk import SDKModel
from labkit.models.streaming import ResponsesAssembly
from labkit.models.wire import reply_from_response, responses_tools, to_responses


class OpenAIResponsesModel(SDKModel):
    """A model behind a Responses server; settings as for ``OpenAIModel``."""

    def request(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what is sent: ``tools`` only where there are some."""
        request: dict[str, Any] = {"model": self.model, "input": to_responses(messages), "store": False}
        if tools:
            request["tools"] = responses_tools(tools)
        if self.stream:
            request["stream"] = True
        return self._with_parameters(request)

    def constrained(self, schema: dict[str, Any], name: str = "decision") -> Self:
        """Return the same model, asked for replies that fit a JSON schema (``text.format``)."""
        wanted = {"type": "json_schema", "name": name, "schema": schema, "strict": False}
        return self.having(text={**(self.parameters.get("text") or {}), "format": wanted})

    @property
    def _resource(self) -> Any:
        return self.client.responses

    def _read(self, body: Any) -> ModelReply:
        return reply_from_response(body)

    def _assembly(self) -> ResponsesAssembly:
        return ResponsesAssembly()
