"""The history that a run begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labkit import history


def opening(task: str, system: str | None, earlier: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Return the history that a run begins with. Raises ValueError where it can't be gone on from."""
    messages = list(earlier or ())
    odd = next((m for m in messages if not isinstance(m, dict)), None)
    if odd is not None:
        raise ValueError(f"a history holds messages as dicts, not a {type(odd).__name__}")
    faults = history.broken(messages)
    if faults:
        raise ValueError(f"this history can't be gone on from: {'; '.join(faults)}")
    if system is not None:
        told = [m["content"] for m in messages if m.get("role") == "system"]
        if told and told != [system]:
            raise ValueError("the history has a system message already; leave system out, or begin without history")
        if not told:
            messages.insert(0, history.system(system))
    return [*messages, history.user(task)]
