"""What the recovery player draws: a frame of a trace, and two branches. Pure: values in, HTML out.

Does not: know the knobs. Measured times are drawn only where ``live`` says so; a stored page has none.
"""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape

from labkit.course.recovery import Asked, Branch, Frame, Story, Tie, as_text
from labkit.course.recovery.sentences import short
from labkit.course.recovery.words import (
    answer_line,
    calls_table,
    ending_in_words,
    marks_of,
    parting,
    state_of,
    taken_up,
)
from labkit.timeline import Timeline
from labkit.trace import Line
from labkit.widgets.html import FAINT, INK, LINE, block, code, columns, heading, paragraph, table, told

CHARACTERS = 2_000
INKS = ("#8e3b74", "#0072b2", "#8a6100", "#00795c")


def drawn(frame: Frame, live: bool) -> str:
    """Return a frame: the line, the conversation beside the timing and the ties. Times are drawn only where live."""
    left = (
        heading("Conversation") + _hidden(frame) + "".join(_turn(frame, number) for number in range(len(frame.steps)))
    )
    right = [heading("Calls in time"), _timing(frame, live), *map(_tie, frame.ties)]
    line = frame.story.lines[frame.place - 1] if frame.place else {}
    written = block(_cut(json.dumps(line if live else _timeless(line), ensure_ascii=False, default=str)))
    head = heading(f"Line {frame.place} of {len(frame.story.lines)}: {frame.said}")
    return head + columns([left, "".join(right)]) + heading("This line in the file") + written


def drawn_branch(made: Branch) -> str:
    """Return both runs side by side, from where they part."""
    if not made.parts:
        return paragraph(parting(made))
    sides = [("As it was", made.old), ("The branch (a scripted stand-in goes on)", made.new)]
    return paragraph(parting(made)) + columns(_side(title, story, made) for title, story in sides)


def _side(title: str, story: Story, made: Branch) -> str:
    frame = story.at(len(story.lines))
    kept = [number for number, step in enumerate(frame.steps) if step.number > made.shared and step.calls]
    new = [tie for tie in frame.ties if tie.failed.turn > made.shared] if story is made.new else []
    ties = "".join(map(_tie, new))
    turns = "".join(_turn(frame, number, made.position) for number in kept)
    return heading(title) + turns + ties + paragraph(ending_in_words(story))


def _hidden(frame: Frame) -> str:
    return paragraph(f"before this: turns 1 to {frame.hidden}") if frame.hidden else ""


def _turn(frame: Frame, number: int, chosen: int | None = None) -> str:
    step, shown = frame.steps[number], {call.position for call in frame.calls}
    rows = "".join(_call(call, frame, call.position == chosen) for call in step.calls if call.position in shown)
    left = sum(call.position not in shown for call in step.calls)
    more = paragraph(f"and {left} calls before those") if left else ""
    words = f"<b>{step.number}</b> {escape(step.content) or '(no words)'}"
    return f'<div style="margin:6px 0;overflow-wrap:anywhere">{words}{rows}{more}</div>'


def _call(call: Asked, frame: Frame, chosen: bool) -> str:
    """A call with its marks, and its answer; the mark's colour runs down its side."""
    marks = marks_of(call, frame.ties)
    edge = _ink(marks[0][0]) if marks else LINE
    badges = "".join(f"{_badge(mark)} {escape(role)} · " for mark, role in marks)
    badges += told("note", "changed") + " · " if chosen else ""
    asked = f"{badges}{code(call.id)} {escape(call.name)} {code(short(as_text(call.arguments), 160))}"
    state = state_of(call, frame)
    tone = "bad" if call.error is not None and frame.has(call.answered) else "good" if state == "ok" else "note"
    said = "" if state.startswith("no answer") else f"<br>{code(answer_line(call, frame))}"
    style = f"border-left:4px solid {edge};margin:3px 0 3px 10px;padding-left:8px"
    return f'<div style="{style}">{asked}<br>{told(tone, state)}{said}</div>'


def _timing(frame: Frame, live: bool) -> str:
    rows = [tuple(map(escape, row)) for row in calls_table(frame)]
    if not rows:
        return paragraph("no call has been taken up yet")
    words = "The same as a table: no times, the lines of the trace instead"
    as_table = table(("call", "tool", "lines", "state"), rows, words)
    return (_timeline(frame).to_svg(width=560) + as_table) if live else as_table


def _timeline(frame: Frame) -> Timeline:
    """The calls shown, as far as they are over; where turns are left out, from the first one that is shown."""
    timeline = Timeline.from_trace(frame.events())
    zero = min((span.begin for span in timeline.spans), default=0.0) if frame.hidden else 0.0
    return replace(timeline, spans=tuple(span.moved(-zero) for span in timeline.spans))


def _tie(tie: Tie) -> str:
    """The failed call, its error as it stands in the trace, and what was changed, under one mark."""
    head = f"{_badge(tie.mark)} {code(tie.failed.id)} failed"
    rows = [[code(change.name), *map(_value, (change.old, change.new))] for change in tie.changes]
    changes = table(("argument", "old", "new"), rows, "What was changed") if rows else ""
    tone = {"mended": "good", "not answered yet": "off"}.get(tie.state, "bad")
    error = block(_cut(json.dumps(tie.failed.error, ensure_ascii=False, indent=1, default=str)))
    style = f"border-left:4px solid {_ink(tie.mark)};padding-left:8px;margin:8px 0"
    return f'<div style="{style}">{head}{error}{told(tone, taken_up(tie))}{changes}</div>'


def _value(value: str | None) -> str:
    return f'<i style="color:{FAINT}">not there</i>' if value is None else code(_cut(value))


def _badge(mark: str) -> str:
    return f'<b style="border:2px solid {_ink(mark)};border-radius:4px;padding:0 5px;color:{INK}">{escape(mark)}</b>'


def _ink(mark: str) -> str:
    return INKS[(ord(mark[-1]) - ord("A")) % len(INKS)]


def _cut(text: str) -> str:
    hidden = len(text) - CHARACTERS
    return text if hidden <= 0 else f"{text[:CHARACTERS]} … and {hidden} more characters"


def _timeless(line: Line) -> Line:
    """The line without what a clock has measured."""
    payload = {
        key: "…" if key in ("started", "finished", "time") and value is not None else value
        for key, value in line.get("payload", {}).items()
    }
    beside = {"model_seconds": "…"} if "model_seconds" in line else {}
    return {**line, **beside, **({"payload": payload} if payload else {})}
