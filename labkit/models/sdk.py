"""What both adapters to a real server share: how a request is made through the SDK, plain or as a stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

from labkit.calls import ToolCall, quote
from labkit.models.base import ModelError, ModelReply
from labkit.models.endpoint import connect, discreet, named
from labkit.models.explaining import explained, place, without_keys
from labkit.models.streaming import ChatAssembly, ResponsesAssembly
from labkit.models.wire.reading import excerpt

if TYPE_CHECKING:
    from openai import OpenAI

OnCall = Callable[[int, ToolCall], None]
MOST_TOOLS = 128
OURS = ("messages", "input", "tools", "stream", "model")
BESIDE_TOOLS = ("tool_choice", "parallel_tool_calls")


class SDKModel(ABC):
    """A model behind a server. The history is translated for every request, and never changed.

    ``parameters`` go into every request as they are, such as ``temperature=0``, ``timeout=20`` (seconds), or one that
    only this server knows; those about tools only where there are tools. ``max_retries`` is the client's. The key
    is the client's too, and is kept nowhere else.
    """

    model = ""  # so that a traceback can show a model whose making failed
    stream = False

    def __init__(
        self,
        client: OpenAI | None = None,
        model: str | None = None,
        base_url: str | None = None,
        stream: bool = False,
        **parameters: Any,
    ) -> None:
        if client is not None and base_url is not None:
            raise ValueError("give a client or a base_url, not both: a client has its address already")
        for name in OURS:
            if name in parameters:
                raise ValueError(f"{quote(name)} is set by the loop, request by request; leave it out")
        self.model = named(model)
        self.client = discreet(client) if client is not None else connect(base_url)
        if "max_retries" in parameters:
            self.client = self.client.with_options(max_retries=parameters.pop("max_retries"))
        self.stream = stream
        self.parameters = parameters

    def reply(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], on_call: OnCall | None = None
    ) -> ModelReply:
        """Ask for the next decision. Raises ModelError, in one sentence, whatever goes wrong on the way.

        With ``stream=True`` ``on_call(position, call)`` hears of every call as soon as it is whole, while the rest is
        still on its way; whether the reply as a whole counts is known only at its end.
        """
        if len(tools) > MOST_TOOLS:
            raise ModelError(f"a request takes at most {MOST_TOOLS} tools, not {len(tools)}: offer those that may help")
        request = self._split(self.request(messages, tools))
        try:
            return self._ask_stream(request, on_call) if self.stream else self._ask(request)
        except ModelError as problem:
            said = ModelError(without_keys(str(problem), self.client))
        except _failures() as problem:
            said = explained(problem, self.client)
        raise said  # out here, so that the SDK's exception, which holds the request with its key, does not hang on it

    @abstractmethod
    def request(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what is sent for a history and declarations, as a dict. Pure."""

    @abstractmethod
    def constrained(self, schema: dict[str, Any], name: str = "decision") -> Self:
        """Return the same model whose replies have to fit a JSON schema, where the server can see to that."""

    @property
    @abstractmethod
    def _resource(self) -> Any: ...

    @abstractmethod
    def _read(self, body: Any) -> ModelReply: ...

    @abstractmethod
    def _assembly(self) -> ChatAssembly | ResponsesAssembly: ...

    def having(self, **parameters: Any) -> Self:
        """Return the same model with more parameters."""
        for name in OURS:
            if name in parameters:
                raise ValueError(f"{quote(name)} is no parameter: make a new {type(self).__name__}")
        changed = self.parameters | parameters
        return type(self)(client=self.client, model=self.model, stream=self.stream, **changed)

    def _with_parameters(self, request: dict[str, Any]) -> dict[str, Any]:
        """Add the parameters; what may only stand beside tools (rule 11) not where there are none, as at the end."""
        unfit = () if "tools" in request else BESIDE_TOOLS
        return request | {name: value for name, value in self.parameters.items() if name not in unfit}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({quote(self.model)}{', stream=True' if self.stream else ''})"

    def _ask(self, request: dict[str, Any]) -> ModelReply:
        answer = self._sent(self._resource.with_raw_response, request)
        return self._read(self._body(answer.http_response))

    def _ask_stream(self, request: dict[str, Any], on_call: OnCall | None) -> ModelReply:
        with self._sent(self._resource, request) as stream:
            if "event-stream" not in stream.response.headers.get("content-type", "event-stream"):
                stream.response.read()  # a server that does not stream answers in one piece
                return self._read(self._body(stream.response))
            assembly, told = self._assembly(), set[int]()
            for event in self._events(stream):
                assembly.feed(event)
                if on_call is not None:
                    for position, call in _news(assembly, told):
                        on_call(position, call)
        return assembly.reply()

    def _sent(self, resource: Any, request: dict[str, Any]) -> Any:
        """Send a request. Raises ModelError for one that can't be made, such as with NaN in it: JSON has none."""
        try:
            return resource.create(**request)
        except (TypeError, ValueError, RecursionError) as problem:
            said = excerpt(str(problem))
            raise ModelError(f"the request could not be made: {said}; check the parameters and the tools") from None

    def _events(self, stream: Any) -> Iterator[Any]:
        """Yield the events as they come. Raises ModelError for one that can't be read; what ``on_call`` raises is not
        touched here."""
        events, end = iter(stream), object()
        while True:
            try:
                event = next(events, end)
                event = event.to_dict(warnings=False) if hasattr(event, "to_dict") else event
            except (ValueError, RecursionError) as problem:
                raise explained(problem, self.client) from None
            if event is end:
                return
            yield event

    def _body(self, response: Any) -> Any:
        """Return the JSON of an answer. Raises ModelError where it is none: mostly another page of the same host."""
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            kind = excerpt(response.headers.get("content-type", "of no stated type"))
            remedy = "try again later" if "json" in kind else "check the address: it often has to end in /v1"
            raise ModelError(
                f"the answer of {place(str(response.url))} ({response.status_code}, {kind}) is no JSON: "
                f"{quote(excerpt(response.text))}; {remedy}"
            ) from None

    def _split(self, request: dict[str, Any]) -> dict[str, Any]:
        """Put what the SDK does not know by name where it takes anything."""
        known = signature(self._resource.create).parameters
        unknown = {name: value for name, value in request.items() if name not in known}
        request = {name: value for name, value in request.items() if name in known}
        return request | {"extra_body": {**unknown, **(request.get("extra_body") or {})}} if unknown else request


def _failures() -> tuple[type[Exception], ...]:
    from httpx2 import HTTPError
    from openai import OpenAIError

    return OpenAIError, HTTPError  # the second where a body is read here, after the SDK has handed it over


def _news(assembly: ChatAssembly | ResponsesAssembly, told: set[int]) -> Iterator[tuple[int, ToolCall]]:
    """Yield the calls that have become whole since the last time."""
    if assembly.fault is not None:
        return
    for position, growing in enumerate(assembly.calls):
        if growing.whole and position not in told:
            told.add(position)
            yield position, growing.call
