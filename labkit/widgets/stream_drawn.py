"""What the stream lab draws: a chunk, two readers side by side, and when the calls would run. Pure: values to HTML.

Does not: know the knobs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from labkit.course.streams import Forecast, Frame, Lane, Stream, gained
from labkit.course.streams.words import naive_would_run, room_would_run, state
from labkit.widgets.html import FAINT, LINE, block, code, columns, heading, inked, paragraph, table, told

FRESH = "#0072b2"
HEIGHT = "500px"  # of the tallest chunk, nearly, so that what is beneath stays where it is while it plays


def drawn_frame(frame: Frame, stream: Stream, cut: bool) -> str:
    """Return the chunk beside the lanes of both readers, and what would be run if the stream ended here."""
    when = f", {1000 * stream.at[frame.number - 1]:.0f} ms after the first" if frame.number else ""
    chunk = block(json.dumps(frame.chunk, ensure_ascii=False, indent=1)) if frame.number else paragraph("none yet")
    raw = heading(f"Chunk {frame.number} of {len(stream.chunks)}{when}") + chunk
    naive = heading("naive v0") + _lanes(frame.naive, judged=False)
    if frame.died:
        naive += paragraph("") + told("bad", f"died of {frame.died}: this is what it had before")
    room = heading("the room's reader") + _lanes(frame.room, judged=True) + _beside(frame)
    return f'<div style="min-height:{HEIGHT}">{columns([raw, naive, room])}</div>{_ending(frame, cut)}'


def drawn_forecast(found: Forecast, early: bool) -> str:
    """Return the predicted timelines, one above the other, and the gain."""
    head = heading("When the calls would run (predicted)")
    if found.gain is None:
        vain = "".join(f"<li>{code(call.id)} {escape(call.name)}</li>" for call in found.vain) if early else ""
        started = paragraph("Started early, and discarded:") + f"<ul>{vain}</ul>" if vain else ""
        return head + told("bad", "nothing of this reply is run") + (started or paragraph("No call has started."))
    if not early:
        return head + found.gain.off.to_svg(width=640)
    return head + found.gain.to_svg(width=640) + f"<div>{told('good' if found.starts else 'off', gained(found))}</div>"


def _lanes(lanes: Sequence[Lane], *, judged: bool) -> str:
    return "".join(_lane(lane, judged) for lane in lanes) or paragraph("no call yet")


def _lane(lane: Lane, judged: bool) -> str:
    """One call: its header, its arguments with what has just come set apart, its state by word and mark."""
    had = len(lane.arguments) - lane.fresh
    new = f'<u style="{inked(FRESH)};font-weight:600">{escape(lane.arguments[had:])}</u>' if lane.fresh else ""
    style = f"border-left:4px {'solid' if lane.whole or not judged else 'dashed'} {LINE};margin:4px 0;padding-left:8px"
    text = "font-family:var(--jp-code-font-family, monospace);overflow-wrap:anywhere;white-space:pre-wrap"
    head = f"{code(lane.id or '(no id)')} {escape(lane.name or '(no name)')}"
    mark = " " + told("good" if lane.whole else "note", state(lane)) if judged else ""
    waits = f'<i style="color:{FAINT}">no arguments yet</i>' if not lane.arguments else ""
    return (
        f'<div style="{style}">{head}{mark}<div style="{text}">{escape(lane.arguments[:had])}{new}{waits}</div></div>'
    )


def _beside(frame: Frame) -> str:
    parts = [("text", frame.content), ("finish reason", frame.finish_reason)]
    parts.append(("tokens", f"{frame.usage[0]} and {frame.usage[1]}" if frame.usage else None))
    return "".join(paragraph(f"{name}: {value}") for name, value in parts if value)


def _ending(frame: Frame, cut: bool) -> str:
    handed = tuple(lane.call for lane in frame.naive)
    tone = "bad" if frame.died else "off" if not handed else "good" if handed == frame.runs else "note"
    rows = [
        ["naive v0", told(tone, naive_would_run(frame))],
        ["the room's reader", told("good" if frame.runs else "off", room_would_run(frame))],
    ]
    return table(["reader", "hands on"], rows, "The stream ends here" if cut else "If the stream ended here")
