"""Chat completions through the ``openai`` client: OpenAI, and whatever speaks its protocol. Chapter 09.

    >>> OpenAIModel(base_url="http://127.0.0.1:8080/v1", model="any").request([user("hi")], [])
    {'model': 'any', 'messages': [{'role': 'user', 'content': 'hi'}]}

Does not: retry, keep a history, know a model's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from labkit.models.base import ModelReply
from labkit.models.sdk import SDKModel
from labkit.models.streaming import ChatAssembly
from labkit.models.wire import chat_tools, reply_from_chat, to_chat


class OpenAIModel(SDKModel):
    """A model behind a chat completions server.

    Without a ``client`` one is made for ``base_url``, or ``OPENAI_BASE_URL``, with the key in ``OPENAI_API_KEY``; a
    server on this machine needs no key. Without ``model`` the name is that of ``LABKIT_MODEL``.
    Raises ModelError where the key or the model's name is missing, or the address is none.
    """

    def request(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what is sent: ``tools`` only where there are some, and the usage asked for in a stream."""
        request: dict[str, Any] = {"model": self.model, "messages": to_chat(messages)}
        if tools:
            request["tools"] = chat_tools(tools)
        if self.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        return self._with_parameters(request)

    def constrained(self, schema: dict[str, Any], name: str = "decision") -> Self:
        """Return the same model, asked for replies that fit a JSON schema (``response_format``)."""
        return self.having(response_format={"type": "json_schema", "json_schema": {"name": name, "schema": schema}})

    @property
    def _resource(self) -> Any:
        return self.client.chat.completions

    def _read(self, body: Any) -> ModelReply:
        return reply_from_chat(body)

    def _assembly(self) -> ChatAssembly:
        return ChatAssembly()
