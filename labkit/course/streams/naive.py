"""The reader that chapter 10 writes by hand and breaks: a test holds the two texts together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def assemble_v0(chunks: Iterable[Any]) -> list[dict[str, str]]:
    """Put the calls of a stream together, by their index."""
    calls: dict[Any, dict[str, str]] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for piece in choice["delta"].get("tool_calls", []):
                new = {"id": "", "name": "", "arguments": ""}
                call = calls.setdefault(piece.get("index", 0), new)
                call["id"] += piece.get("id", "")
                function = piece["function"]
                call["name"] += function.get("name", "")
                call["arguments"] += function.get("arguments", "")
    return list(calls.values())
