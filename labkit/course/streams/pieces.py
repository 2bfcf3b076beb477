"""Pieces of calls, and calls half known, for the exercises of chapter 10."""

from __future__ import annotations

from typing import Any, NamedTuple

from labkit.course.streams.frames import stream_of


class Seen(NamedTuple):
    """A call of a reply that still streams: whether its tool only reads, whether all of it has come. A value."""

    readonly: bool
    whole: bool


def pieces_of(quirk: str) -> list[dict[str, Any]]:
    """Return the entries of ``delta.tool_calls`` of two look-ups, as a server with that quirk sends them."""
    chunks = stream_of("two_look_ups", quirk).chunks
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return [_copied(piece) for delta in deltas for piece in delta.get("tool_calls", ())]


def one_piece(index: int | None, id: str = "", name: str = "", text: str = "") -> dict[str, Any]:
    """Return one piece: a header where it has a name, else a fragment of the arguments; None for no index at all."""
    place = {} if index is None else {"index": index}
    if name:
        return {**place, "id": id, "type": "function", "function": {"name": name, "arguments": text}}
    return {**place, "function": {"arguments": text}}


def growing(words: str) -> list[Seen]:
    """Return calls in order from words such as ``read write read...``; the dots stand for a call that is still open."""
    return [Seen(word.rstrip(".") == "read", not word.endswith("...")) for word in words.split()]


def _copied(piece: dict[str, Any]) -> dict[str, Any]:
    return {**piece, "function": dict(piece["function"])}
