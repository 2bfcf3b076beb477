"""Who gets which stream right: the naive reader and the room's, over all quirks and all recorded streams."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.course.streams.frames import stream_of, vars_of
from labkit.course.streams.naive import assemble_v0
from labkit.models.base import ModelError
from labkit.models.server.streams import QUIRKS
from labkit.models.streaming import assemble
from labkit.paths import data

RIGHT = "right"


@dataclass(frozen=True)
class Verdict:
    """What both readers made of one stream, in words; ``right`` where it is what the server meant. A value."""

    name: str
    naive: str
    room: str


def verdicts() -> tuple[Verdict, ...]:
    """Return a verdict for every quirk, on a reply of two calls; where that does not show it, on one of one call."""
    found = []
    for quirk in QUIRKS:
        straight, bent = stream_of("two_look_ups"), stream_of("two_look_ups", quirk)
        if quirk != "none" and bent.chunks == straight.chunks:
            straight, bent = stream_of("one_order"), stream_of("one_order", quirk)
        ends = quirk != "no_finish"
        wanted = [{**call, "id": ""} if quirk == "legacy_function_call" else call for call in _calls(straight.chunks)]
        found.append(verdict(quirk, bent.chunks, wanted if ends else None))
    return tuple(found)


def verdict(name: str, chunks: Sequence[Any], wanted: Sequence[dict[str, str]] | None) -> Verdict:
    """Judge both readers on one stream. ``wanted`` are its calls; None where nothing of it may be run."""
    return Verdict(name, _judged(_naive, chunks, wanted), _judged(_calls, chunks, wanted))


def recorded() -> Iterator[Verdict]:
    """Yield a verdict for each recorded stream of chat completions."""
    for path in sorted(data("streams").glob("*.json")):
        stream = json.loads(path.read_text(encoding="utf-8"))
        if stream["api"] == "chat":
            yield verdict(path.stem, stream["chunks"], stream["expect"].get("calls"))


def _naive(chunks: Sequence[Any]) -> list[dict[str, str]]:
    return assemble_v0(chunks)


def _calls(chunks: Sequence[Any]) -> list[dict[str, str]]:
    return [vars_of(call) for call in assemble(chunks).tool_calls]


def _judged(reader: Any, chunks: Sequence[Any], wanted: Sequence[dict[str, str]] | None) -> str:
    try:
        calls = reader(chunks)
    except ModelError:
        return RIGHT if wanted is None else "refuses a reply that is whole"
    except (TypeError, KeyError, AttributeError, IndexError) as problem:
        return f"dies: {type(problem).__name__}"
    if wanted is None:
        return f"would run {_count(len(calls))} of a reply that never ended" if calls else RIGHT
    if len(calls) != len(wanted):
        return f"{_count(len(calls))} in place of {len(wanted)}"
    wrong = [
        key for key in ("id", "name", "arguments") if any(a[key] != b[key] for a, b in zip(calls, wanted, strict=True))
    ]
    return f"wrong {' and '.join(wrong)}" if wrong else RIGHT


def _count(number: int) -> str:
    return f"{number or 'no'} call{'' if number == 1 else 's'}"
