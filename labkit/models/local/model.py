"""A small model on this machine, behind the same interface as every other."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Self

from labkit.calls import quote
from labkit.models.base import ModelReply
from labkit.models.json_mode import JsonModeModel
from labkit.models.local.choosing import OneCall
from labkit.models.local.finding import weights
from labkit.models.local.serving import serving

if TYPE_CHECKING:
    from labkit.models.openai_chat import OpenAIModel

Message = dict[str, Any]
LONGEST = 256
"""Tokens of one reply: a small model seldom finds an end by itself once it repeats itself."""


class LocalModel:
    """A language model that runs in this process, greedy and seeded.

    ``path`` names a .gguf file; else that of ``LABKIT_GGUF`` or of the weights' package is taken. The model is loaded
    at the first reply (about half a second) and freed by ``close``, or when nobody uses it any more; models of one
    file share it. ``parameters`` go into every request, such as ``temperature=0.7``.

    Its server drops ``tools`` where the model's template knows none. So where there are tools, each reply is held to
    a JSON schema and read as one call or an answer: that repairs its form, not its choice.
    Raises ModelError, with the lines that bring them, where the engine or the weights are missing.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, n_threads: int = 1, seed: int = 1, **parameters: Any
    ) -> None:
        if type(n_threads) is not int or n_threads < 1:
            raise ValueError(f"n_threads is a whole number of at least 1, not {quote(n_threads)}")
        self.path = weights(path)
        self.n_threads = n_threads
        self.seed = seed
        self.parameters = {"temperature": 0, "max_tokens": LONGEST} | parameters
        self._lock = threading.Lock()
        self._connections: Any = None
        self._plain: OpenAIModel | None = None
        self._in_words: JsonModeModel | None = None

    def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """Return the next decision. Raises ModelError where none can be had, or none can be read."""
        if tools or any(message.get("tool_calls") for message in messages):
            return self._held().reply(messages, tools)
        return self.plain.reply(messages, [])

    @property
    def plain(self) -> OpenAIModel:
        """The model as any client of its server sees it, by the adapter that reaches every other server too."""
        from labkit.models.openai_chat import OpenAIModel

        with self._lock:
            if self._plain is None:
                client, self._connections = serving(self.path, self.n_threads).connect()
                asked: dict[str, Any] = {"seed": self.seed} | self.parameters
                self._plain = OpenAIModel(client=client, model=self.path.stem, **asked)
            return self._plain

    def constrained(self, schema: dict[str, Any], name: str = "decision") -> OpenAIModel:
        """Return the plain model, whose replies have to fit a JSON schema."""
        return self.plain.constrained(schema, name)

    def having(self, **parameters: Any) -> OpenAIModel:
        """Return the plain model with more parameters in every request."""
        return self.plain.having(**parameters)

    @property
    def facts(self) -> dict[str, Any]:
        """What has to be told beside a measurement: model, build of the engine, threads, seed, parameters."""
        try:
            build = f"xllamacpp {version('xllamacpp')}"
        except PackageNotFoundError:
            build = "xllamacpp"
        told = {"model": self.path.stem, "build": build, "threads": self.n_threads, "seed": self.seed}
        return told | self.parameters

    def close(self) -> None:
        """Free the model; copies made by ``having`` and ``constrained`` end too. A later reply loads it anew."""
        with self._lock:
            if self._connections is not None:
                self._connections.served_by = None
            self._plain = self._connections = self._in_words = None

    def _held(self) -> JsonModeModel:
        """One for all turns: it remembers what it had to correct."""
        plain = self.plain
        with self._lock:
            if self._in_words is None:
                self._in_words = JsonModeModel(OneCall(plain), constrained=True)
            return self._in_words

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"LocalModel({self.path.stem})"
