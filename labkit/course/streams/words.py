"""A frame of a stream in words, and a chunk without what every chunk repeats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from labkit.course.layout import WIDTH, beside
from labkit.course.streams.ahead import Forecast
from labkit.course.streams.frames import Frame, Lane, Stream

WHOLE, OPEN = "whole", "open"


def delta_of(chunk: Any) -> str:
    """Return what is new in a chunk as one line of JSON: without what every chunk of a stream repeats."""
    shown = {key: chunk[key] for key in ("choices", "usage", "error") if chunk.get(key) is not None}
    choices = shown.get("choices")
    if isinstance(choices, list) and len(choices) == 1 and set(choices[0]) <= {"index", "delta", "finish_reason"}:
        only = choices[0]
        extra = {"choice": only["index"]} if only.get("index") else {}
        reason = {"finish_reason": only["finish_reason"]} if only.get("finish_reason") else {}
        if isinstance(only.get("delta"), dict):
            shown = {**extra, **only["delta"], **reason, **{k: v for k, v in shown.items() if k != "choices"}}
    return json.dumps(shown, ensure_ascii=False)


def listing(chunks: Iterable[Any]) -> str:
    """Return a row for each piece of a call: number of its chunk, index, id, name, arguments; other chunks as JSON.

    ``-`` stands for a field that is not there.
    """
    rows: list[tuple[str, ...]] = [("", "index", "id", "name", "arguments")]
    for number, chunk in enumerate(chunks, 1):
        pieces = [piece for choice in chunk.get("choices") or () for piece in _pieces(choice)]
        rows += [(str(number), *_fields(piece)) for piece in pieces] or [(str(number), delta_of(chunk))]
    widths = [max(len(row[i]) for row in rows if len(row) == 5 or i == 0) for i in range(4)]
    return "\n".join("  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows)


def _pieces(choice: Any) -> list[Any]:
    return list((choice.get("delta") or {}).get("tool_calls") or ())


def _fields(piece: Any) -> list[str]:
    function = piece["function"]
    places = [(piece, "index"), (piece, "id"), (function, "name"), (function, "arguments")]
    fields = [where.get(key, "-") for where, key in places]
    return [each if isinstance(each, str) and each else json.dumps(each, ensure_ascii=False) for each in fields]


def states(stream: Stream) -> str:
    """Return one line per chunk: what came of the arguments, and which calls are whole by then."""
    lines = []
    for number in range(1, len(stream.chunks) + 1):
        lanes = stream.known(number)
        lines.append(f"{number:>3}  " + "  ".join(f"{lane.id}: {state(lane)}" for lane in lanes))
    return "\n".join(line.rstrip() for line in lines)


def state(lane: Lane) -> str:
    """Return whether a call is whole, as a word."""
    return WHOLE if lane.whole else OPEN


def frame_in_words(frame: Frame, stream: Stream, cut: bool = False) -> str:
    """Return the chunk, what both readers have, and what would be run if the stream ended here, or is where it does."""
    head = f"chunk {frame.number} of {len(stream.chunks)}"
    if frame.number:
        head += f", at {1000 * stream.at[frame.number - 1]:.0f} ms"
    told = [head, *([beside("  ", delta_of(frame.chunk))] if frame.number else [])]
    died = f"  died of {frame.died}" if frame.died else ""
    told += [f"naive v0:{died}", *_lanes(frame.naive, False), "the room's:", *_lanes(frame.room, True)]
    if frame.content:
        told.append(beside("  text: ", frame.content))
    return "\n".join([*told, *_ending(frame, cut)])


def would_run(calls: Iterable[Any]) -> str:
    """Return names and arguments of calls as they would be run."""
    return ", ".join(f"{call.name}({call.arguments})" for call in calls)


def naive_would_run(frame: Frame) -> str:
    """Return what the naive reader would hand on if the stream ended here."""
    if frame.died:
        return "nothing: it has died, and the loop with it"
    return would_run(frame.naive) or "nothing"


def room_would_run(frame: Frame) -> str:
    """Return what the room's reader would hand on if the stream ended here, or why it is nothing."""
    return would_run(frame.runs) or f"nothing: {frame.refuses or 'there is no call'}"


def _lanes(lanes: Sequence[Lane], judged: bool) -> list[str]:
    if not lanes:
        return ["  no call yet"]
    rows = [(lane.id or "(no id)", lane.name or "(no name)", state(lane) if judged else "") for lane in lanes]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return [_row(row, widths, lane.arguments) for row, lane in zip(rows, lanes, strict=True)]


def _row(cells: Sequence[str], widths: Sequence[int], arguments: str) -> str:
    head = "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
    if len(head) <= WIDTH // 2:
        return beside(f"{head}  ", arguments)
    return f"{head}\n{beside('    ', arguments)}"


def _ending(frame: Frame, cut: bool) -> list[str]:
    return [
        "the stream ends here" if cut else "if the stream ended here",
        beside("  naive v0 hands on    ", naive_would_run(frame)),
        beside("  the room's hands on  ", room_would_run(frame)),
    ]


def forecast_in_words(found: Forecast, early: bool) -> str:
    """Return when the calls would run, with early dispatch beside without it where it is on, and what is gained."""
    if found.gain is None:
        started = ", ".join(f"{call.id} {call.name}" for call in found.vain) if early else ""
        vain = f"started early, and discarded: {started}" if started else "no call has started"
        return f"nothing of this reply is run\n{vain}"
    if not early:
        return f"{found.gain.off!r}\nno call starts before the reply is whole"
    return f"{found.gain!r}\n{gained(found)}"


def gained(found: Forecast) -> str:
    """Return which calls start early, and the gain in milliseconds."""
    if found.gain is None or not found.starts:
        return "no call may start early: nothing is gained"
    names = ", ".join(found.calls[position].id or found.calls[position].name for position in sorted(found.starts))
    return f"early: {names} · gained {1000 * found.gain.seconds:.0f} ms"
