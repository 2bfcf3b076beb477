"""One stream, and what two readers have of it after each chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from labkit.calls import ToolCall
from labkit.course.streams.naive import assemble_v0
from labkit.course.streams.samples import REPLIES
from labkit.models.base import ModelError, Usage
from labkit.models.server.streams import chat_chunks
from labkit.models.streaming import ChatAssembly

GAP = 0.05
"""Seconds between two chunks of a stream whose times are made up."""


@dataclass(frozen=True)
class Lane:
    """One call as a reader has it. A value; ``fresh`` is how many characters of the arguments have just come."""

    id: str
    name: str
    arguments: str
    whole: bool
    fresh: int = 0

    @property
    def call(self) -> ToolCall:
        """The call as far as it has come."""
        return ToolCall(self.id, self.name, self.arguments)


@dataclass(frozen=True)
class Frame:
    """What has come after ``number`` chunks, and what both readers make of it. A value.

    ``died`` names the exception that the naive reader has died of; its lanes are then those from before.
    ``runs`` are the calls that the room's reader would run if the stream ended here; ``refuses`` says why there are
    none, and is empty where the reply is whole.
    """

    number: int
    chunk: Any
    naive: tuple[Lane, ...]
    died: str
    room: tuple[Lane, ...]
    content: str
    finish_reason: str | None
    usage: Usage | None
    runs: tuple[ToolCall, ...]
    refuses: str


@dataclass(frozen=True)
class Stream:
    """Chunks and the moment of each, in seconds from the first. A value."""

    chunks: tuple[Any, ...]
    at: tuple[float, ...]

    def cut(self, number: int) -> Stream:
        """Return the stream that ends after that many chunks."""
        return Stream(self.chunks[:number], self.at[:number])

    def frame(self, number: int) -> Frame:
        """Return what there is after that many chunks, 0 for none yet."""
        number = max(0, min(number, len(self.chunks)))
        now, before = self._room(number), self._room(number - 1)
        naive, died = self._naive(number)
        earlier, _ = self._naive(number - 1)
        runs, refuses = _outcome(now)
        return Frame(
            number,
            self.chunks[number - 1] if number else None,
            _lanes([(each["id"], each["name"], each["arguments"], False) for each in naive], earlier),
            died,
            _lanes([(g.id, g.name, g.arguments, g.whole) for g in now.calls], [vars_of(g) for g in before.calls]),
            now.content,
            now.finish_reason,
            now.usage,
            runs,
            refuses,
        )

    def known(self, number: int) -> tuple[Lane, ...]:
        """Return the calls that the room's reader has after that many chunks."""
        calls = self._room(number).calls
        return tuple(Lane(growing.id, growing.name, growing.arguments, growing.whole) for growing in calls)

    def _room(self, number: int) -> ChatAssembly:
        assembly = ChatAssembly()
        for chunk in self.chunks[: max(0, number)]:
            assembly.feed(chunk)
        return assembly

    def _naive(self, number: int) -> tuple[list[dict[str, str]], str]:
        """Return what the naive reader has, and what it has died of; a dead reader keeps what it had."""
        calls: list[dict[str, str]] = []
        for count in range(1, max(0, number) + 1):
            try:
                calls = assemble_v0(self.chunks[:count])
            except (TypeError, KeyError, AttributeError) as problem:
                return calls, type(problem).__name__
        return calls, ""


@cache
def stream_of(reply: str, quirk: str = "none") -> Stream:
    """Return a reply of REPLIES as a server with that quirk streams it, a chunk every 50 ms.

    Raises KeyError for an unknown reply, ValueError for an unknown quirk.
    """
    chunks = tuple(chat_chunks(REPLIES[reply].reply, quirk, include_usage=True))
    return Stream(chunks, tuple(round(GAP * number, 3) for number in range(len(chunks))))


def vars_of(growing: Any) -> dict[str, str]:
    """Return a growing call as the naive reader writes one down."""
    return {"id": growing.id, "name": growing.name, "arguments": growing.arguments}


def _lanes(calls: Sequence[tuple[str, str, str, bool]], before: Sequence[dict[str, str]]) -> tuple[Lane, ...]:
    had = [len(each["arguments"]) for each in before] + [0] * len(calls)
    return tuple(Lane(*call, fresh=max(0, len(call[2]) - had[i])) for i, call in enumerate(calls))


def _outcome(assembly: ChatAssembly) -> tuple[tuple[ToolCall, ...], str]:
    """Return the calls that may be run if the stream ends now, and why there are none."""
    try:
        reply = assembly.reply()
    except ModelError as problem:
        return (), str(problem)
    if reply.finish_reason == "length":
        return (), "the reply was cut off by the token limit: its calls are answered truncated, and not run"
    if reply.refusal or reply.finish_reason == "content_filter":
        return (), "the reply was refused"
    return reply.tool_calls, ""
