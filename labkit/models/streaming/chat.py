"""Chunks of chat completions to a reply. Pure and total: a field that is missing, null or odd counts as absent.

The rules, one for each deviation that servers have been seen to send:

- A call is found by its ``index``; where there is none, by its ``id``; a piece with neither goes on with the last call.
- A new ``id`` at a known index opens a new call, unless it comes alone amid the arguments. After a call that
  is complete so does another name, or a name with arguments.
- ``id`` and ``type`` are assigned once. A name that comes again is no second name; one that comes in pieces is joined.
- ``arguments`` are joined; null is no text, and an object is its JSON.
- Reading does not stop at ``finish_reason``: the usage comes later. Without one the reply is not whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from labkit.models.base import ModelReply
from labkit.models.streaming.assembly import Assembly
from labkit.models.streaming.growing import Growing
from labkit.models.wire.reading import found_fault, mapping, text, text_of, usage_of

HELD_BACK = ("length", "content_filter")
"""Finish reasons after which no call is whole, whatever else a server sends."""


class ChatAssembly(Assembly):
    """What is known of a reply after the chunks so far."""

    def __init__(self) -> None:
        super().__init__()
        self._at: dict[int, Growing] = {}
        self._choice: Any = None

    def feed(self, chunk: Any) -> None:
        """Take one chunk, a dict as it came."""
        chunk = mapping(chunk)
        self.fault = self.fault or found_fault(chunk)
        self.usage = usage_of(chunk.get("usage")) or self.usage
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            self._take(mapping(choice))

    def reply(self) -> ModelReply:
        """Return the reply. Raises ModelError where the server sent an error, or never said that it had ended."""
        finish_reason = self._ended()
        calls = tuple(growing.call for growing in self._calls)
        return ModelReply(self.content, calls, finish_reason, self.usage, self.refusal or None)

    def _take(self, choice: Mapping[str, Any]) -> None:
        number = choice.get("index") or 0
        if self._choice is None:
            self._choice = number
        if number != self._choice:
            return  # a second opinion: we ask for one reply
        delta = mapping(choice.get("delta"))
        self._content.add(text_of(delta.get("content")))
        self._refusal.add(text(delta.get("refusal")))
        pieces = delta.get("tool_calls")
        for piece in pieces if isinstance(pieces, list) else ():
            self._take_piece(mapping(piece))
        if isinstance(delta.get("function_call"), Mapping):  # the older shape: one call, no id
            self._take_piece({"index": 0, "function": delta["function_call"]})
        reason = choice.get("finish_reason")
        if reason == "error" or choice.get("error"):
            self.fault = self.fault or found_fault({"error": choice.get("error")}) or "it gave no reason"
        elif reason and self.finish_reason not in HELD_BACK:
            self.finish_reason = str(reason)
            close_all(self._calls, self.finish_reason)

    def _take_piece(self, piece: Mapping[str, Any]) -> None:
        function = mapping(piece.get("function")) or mapping(piece.get("custom"))
        arguments = function.get("arguments", function.get("input"))
        more = as_text(arguments)
        header = (text(piece.get("id")), text(function.get("name")))
        index = piece.get("index")
        known = int(text(index)) if text(index).isdecimal() else None
        growing = self._find(known, *header, more)
        if known is not None:
            self._at[known] = growing
        _name(growing, *header, more)
        growing.add(more)

    def _find(self, index: int | None, id: str, name: str, more: str) -> Growing:
        """Return the call that a piece belongs to; a new one where it opens one."""
        growing = self._at.get(index) if index is not None else self._with_id(id)
        if growing is None and self._calls and not id and (index is None or not name):
            growing = self._calls[-1]
        if growing is None or _opens(growing, id, name, more):
            growing = Growing()
            self._calls.append(growing)
        return growing

    def _with_id(self, id: str) -> Growing | None:
        return next((call for call in reversed(self._calls) if id and call.id == id), None)


def assemble(chunks: Iterable[Any]) -> ModelReply:
    """Return the reply that the chunks of one stream make. Raises ModelError as ``ChatAssembly.reply`` does."""
    assembly = ChatAssembly()
    for chunk in chunks:
        assembly.feed(chunk)
    return assembly.reply()


def close_all(calls: Iterable[Growing], finish_reason: str) -> None:
    """The reply has ended: its calls are whole, unless it was cut off or held back."""
    if finish_reason not in HELD_BACK:
        for growing in calls:
            growing.close()


def _opens(growing: Growing, id: str, name: str, more: str) -> bool:
    """Whether a piece is the beginning of another call than the one at its place."""
    if id and growing.id and id != growing.id:
        return bool(name) or growing.complete  # before that it is the next piece of an id, or made up for each piece
    return bool(name) and growing.complete and (bool(more.strip()) or growing.name not in ("", name))


def _name(growing: Growing, id: str, name: str, more: str) -> None:
    """Take a header. The same name again is a repetition, unless it comes all alone: then it is the next piece."""
    if id and id != growing.id and not (growing.id and growing.begun):
        growing.id += id
    again = name == growing.name and bool(id or more)
    if name and not (growing.name and growing.begun) and not again:
        growing.name += name


def as_text(arguments: Any) -> str:
    """Return a piece of arguments as text: null is none, and an object is its JSON."""
    if isinstance(arguments, str) or arguments is None:
        return arguments or ""
    return _json(arguments)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
