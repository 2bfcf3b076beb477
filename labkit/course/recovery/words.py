"""What the recovery player shows, in words: a frame, a changed call, two branches. Pure; no times."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.calls import CallRefused, many
from labkit.course.layout import beside
from labkit.course.recovery.branching import Branch
from labkit.course.recovery.reading import Frame, Story
from labkit.course.recovery.sentences import short
from labkit.course.recovery.ties import AGAIN, MENDED, NEVER, Tie, as_text, changed
from labkit.course.recovery.turns import Asked, Step
from labkit.validate import parse_arguments

ARGUMENTS_SHOWN = 160


def frame_in_words(frame: Frame) -> str:
    """Return what has happened up to a line: the conversation, the calls, the ties."""
    head = beside(f"line {frame.place} of {len(frame.story.lines)}: ", frame.said)
    rows = [conversation(frame.steps, frame), calls_in_words(frame), *map(tie_in_words, frame.ties)]
    return "\n\n".join([head, *(row for row in rows if row)])


def conversation(steps: Sequence[Step], frame: Frame, chosen: int | None = None) -> str:
    """Return the turns, a line each for what was said, asked and answered; the call that was changed is marked."""
    hidden = [f"(before this: {many(frame.hidden, 'turn')})"] if frame.hidden else []
    shown = {call.position for call in frame.calls}
    lines = [*hidden]
    for step in steps:
        lines.append(beside(f"{step.number:<2} ", short(step.content) or "(no words)"))
        lines += [_call_line(call, frame, call.position == chosen) for call in step.calls if call.position in shown]
        left = sum(call.position not in shown for call in step.calls)
        lines += [f"     and {many(left, 'call')} before those"] if left else []
    return "\n".join(lines)


def calls_in_words(frame: Frame) -> str:
    """Return the calls that were taken up: on which lines, and how they ended: a timing diagram without times."""
    rows = calls_table(frame)
    widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
    lines = [
        "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
    ]
    return "\n".join(["taken up on line, over on line:", *lines]) if rows else ""


def calls_table(frame: Frame) -> list[tuple[str, str, str, str]]:
    """Return a row for each call that was taken up: id, tool, lines, state."""
    return [
        (
            short(call.id, 12),
            short(call.name, 20),
            f"{call.started} to {call.ended if frame.has(call.ended) else '…'}",
            state_of(call, frame),
        )
        for call in frame.calls
        if frame.has(call.started)
    ]


def state_of(call: Asked, frame: Frame) -> str:
    """Return what is known of a call at this line, in a few words."""
    if not frame.has(call.answered):
        return "no answer yet" if len(frame.story.lines) > frame.place else "no answer"
    if call.error is not None:
        return f"failed: {short(str(call.error.get('code')), 40)}"
    if frame.has(call.ended) and call.ok is False:
        return "worked, and what it looked at did not pass"
    return "ok"


def marks_of(call: Asked, ties: Sequence[Tie]) -> list[tuple[str, str]]:
    """Return the marks of a call with what it is to them: the one that fails, or the one that takes it up."""
    roles = {MENDED: "mends it", AGAIN: "fails again"}
    found = []
    for tie in ties:
        if tie.failed.position == call.position:
            found.append((tie.mark, "fails"))
        if tie.then is not None and tie.then.position == call.position:
            found.append((tie.mark, roles.get(tie.state, "takes it up")))
    return found


def tie_in_words(tie: Tie) -> str:
    """Return a failed call, what took it up, and what was changed between the two."""
    failed, message = tie.failed, short(str((tie.failed.error or {}).get("message")))
    lines = [beside(f"{tie.mark}  ", f"{failed.id} {failed.name} in turn {failed.turn} failed, {tie.code}: {message}")]
    lines.append(beside("   ", taken_up(tie)))
    return "\n".join([*lines, *(beside("   ", short(str(change), 2 * ARGUMENTS_SHOWN)) for change in tie.changes)])


def taken_up(tie: Tie) -> str:
    """Return what became of a failed call, as a sentence."""
    if tie.then is None:
        other = "a call of the next turn" if tie.code == "unknown_tool" else f"a later call of {tie.failed.name}"
        return f"never taken up: {other} is not there" if tie.state == NEVER else "not taken up yet"
    same = "" if tie.changes else ", with the same arguments"
    return f"taken up by {tie.then.id} {tie.then.name} in turn {tie.then.turn}{same}: {tie.state}"


def change_in_words(call: Asked, typed: str) -> str:
    """Return what typing this in place of a call's arguments would change, and whether it can be read at all."""
    head = f"{call.id} {call.name} in turn {call.turn}"
    if typed == as_text(call.arguments):
        return f"{head}: nothing is changed yet; it would be the same run again"
    try:
        parse_arguments(typed)
    except CallRefused as refused:
        return f"{head}: {refused.error.message}. It is sent as it stands, and the tool call will fail"
    changes = "; ".join(short(str(change), ARGUMENTS_SHOWN) for change in changed(call.arguments, typed))
    return f"{head}: {changes}" if changes else f"{head}: the same values, spelt in another way"


def branch_in_words(branch: Branch) -> str:
    """Return both runs: what they share, where they part, and how each of them ends."""
    lines = [parting(branch)]
    if branch.parts:
        lines += ["", "as it was", *_rest(branch.old, branch)]
        lines += ["", "the branch (a scripted stand-in goes on)", *_rest(branch.new, branch)]
    return "\n".join(lines)


def parting(branch: Branch) -> str:
    """Return how far two runs are the same, as a sentence."""
    if not branch.parts:
        return f"the same in all {many(len(branch.old.steps), 'turn')}: nothing that matters was changed"
    same = {0: "no turn is the same", 1: "turn 1 is the same"}.get(
        branch.shared, f"turns 1 to {branch.shared} are the same"
    )
    return f"{same}; they part in turn {branch.shared + 1}"


def ending_in_words(story: Story) -> str:
    """Return how a run ended, how much it took, and what the model answered."""
    failures = sum(call.error is not None for call in story.calls)
    took = f"{many(len(story.calls), 'call')}, {failures} failed, {many(len(story.lines), 'line')}"
    return f"{story.ending}; {took}" + (f". It answers: {' '.join(story.answer.split())}" if story.answer else "")


def _rest(story: Story, branch: Branch) -> list[str]:
    frame = story.at(len(story.lines))
    steps = [step for step in frame.steps if step.number > branch.shared and step.calls]
    told = [conversation(steps, frame, branch.position)] if steps else []
    return [*told, beside("  ", ending_in_words(story))]


def _call_line(call: Asked, frame: Frame, chosen: bool) -> str:
    marks = "".join(f"[{mark} {role}] " for mark, role in marks_of(call, frame.ties)) + ("[changed] " if chosen else "")
    asked = f"{marks}{call.id} {call.name} {short(as_text(call.arguments), ARGUMENTS_SHOWN)}"
    return f"{beside('     ', asked)}\n{beside('     → ', answer_line(call, frame))}"


def answer_line(call: Asked, frame: Frame) -> str:
    """Return what was answered, its first line; or that there is no answer yet."""
    if not frame.has(call.answered):
        return state_of(call, frame)
    first, _, more = (call.content or "").partition("\n")
    return (short(first) or "(nothing)") + (" …" if more.strip() else "")
