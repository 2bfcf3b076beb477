"""The recovery player: any trace, line by line, and what becomes of it when its past is changed. Chapter 07.

    >>> player = RecoveryLab()
    >>> player.controls["position"].value = 20
    >>> print(player.text())

Does not: read traces, pair calls or go on from a changed past. ``labkit.course.recovery`` does, for chapter cells too.
"""

from __future__ import annotations

import os
from typing import Any

import ipywidgets as W  # noqa: N812

from labkit.agent import Run
from labkit.course.layout import beside
from labkit.course.recovery import Asked, Branch, Story, as_text, branch, read, why_not
from labkit.course.recovery.sentences import short
from labkit.course.recovery.words import branch_in_words, change_in_words, frame_in_words
from labkit.paths import data
from labkit.trace import Trace
from labkit.widgets.base import View, button, control, dropdown, textarea
from labkit.widgets.html import heading, paragraph, sendable, told
from labkit.widgets.recovery_drawn import drawn, drawn_branch
from labkit.widgets.running import DONE, READY, RUN, RUNNING, STALE, TONES, RunningLab

INTERVAL = 700
"""Milliseconds between two lines while it plays."""
CALLS_OFFERED = 500
SAID = {
    READY: "no branch yet: change the arguments and press Run on from here",
    RUNNING: "the branch is being played",
    STALE: "this branch was made with other arguments: press Run on from here",
    DONE: "the branch has come to its end",
}
TEXT_SIZE = {"width": "700px", "max_width": "98%", "height": "72px"}
SLIDER_SIZE = {"width": "420px", "max_width": "98%"}
CALL_SIZE = {"width": "440px", "max_width": "98%"}


class Branching:
    """One branch on its way; ``branch`` is None until it is there."""

    def __init__(self, story: Story, position: int, arguments: Any) -> None:
        self.story, self.position, self.arguments = story, position, arguments
        self.branch: Branch | None = None

    def __call__(self) -> None:
        self.branch = branch(self.story, self.position, self.arguments)


class RecoveryLab(RunningLab):
    """Play a trace line by line; then change the arguments of one of its calls, and run on from there.

    It takes a ``Run``, a ``Trace`` or the path of one; without any, the recovery of the M2 task. ``story`` is what it
    plays. ``run`` goes to the last line, ``run_on`` makes the branch; ``branch`` is the last one, None before it.
    Raises ValueError for a file that holds no trace.
    """

    name = "recovery player"

    def __init__(self, trace: Run | Trace | str | os.PathLike[str] | None = None) -> None:
        self.story = read(data("traces", "m2.jsonl") if trace is None else trace)
        self.reason = why_not(self.story)
        self._typed: dict[int, str] = {}
        super().__init__(self._knobs())
        self.controls[RUN].description = "Run on from here"
        self.controls[RUN].tooltip = "Play the run again with this call changed, and go on from there"
        self.controls[RUN].layout.width = "auto"
        self.controls[RUN].disabled = self.reason is not None

    def _knobs(self) -> dict[str, Any]:
        last, first = len(self.story.lines), min(1, len(self.story.lines))
        calls = self.story.calls[:CALLS_OFFERED]
        start = self.story.ties[0].failed.position if self.story.ties else 0
        chosen = calls[start] if start < len(calls) else calls[0] if calls else None
        bounds = {"min": first, "max": last, "value": first}
        return {
            "play": control(
                W.Play, "Play", "Play the run line by line, pause it, go back", interval=INTERVAL, **bounds
            ),
            "back": button("Step back", "Go one line of the trace back"),
            "position": control(
                W.IntSlider, "Line", "The line of the trace that is shown", layout=SLIDER_SIZE, **bounds
            ),
            "forward": button("Step forward", "Go one line of the trace on"),
            "call": dropdown(
                "Change the past",
                "The call whose arguments you want to change",
                options=[(_offered(call), call.position) for call in calls] or [("this trace has no call", -1)],
                value=chosen.position if chosen else -1,
                layout=CALL_SIZE,
            ),
            "arguments": textarea(
                "Its arguments",
                "The arguments of this call, as a model would send them; change them as you like",
                value=sendable(as_text(chosen.arguments)) if chosen else "",
                layout=TEXT_SIZE,
            ),
        }

    # what is played

    def run(self) -> None:
        """Go to the last line."""
        self.controls["position"].value = len(self.story.lines)

    def adjust(self, changed: str) -> None:
        play, position = self.controls["play"], self.controls["position"]
        if changed == "play":
            position.value = play.value
        elif changed == "position":
            play.value = position.value
        elif changed == "call" and self._chosen_call:
            call = self._chosen_call
            self.controls["arguments"].value = self._typed.get(call.position, sendable(as_text(call.arguments)))
        elif changed == "arguments" and self._chosen_call:
            self._typed[self._chosen_call.position] = self.controls["arguments"].value

    def press(self, name: str) -> None:
        if name in ("back", "forward"):
            position = self.controls["position"]
            position.value += 1 if name == "forward" else -1
            self.adjust("position")
        elif name != RUN or self.reason is None:
            super().press(name)

    # what is run on

    def run_on(self) -> None:
        """Play the run again with the chosen call changed; returns when the branch is there."""
        super().run()

    @property
    def branch(self) -> Branch | None:
        """The last branch that was made."""
        return self.work.branch if isinstance(self.work, Branching) else None

    def prepare(self) -> Branching:
        call = self.story.calls[self.controls["call"].value]
        typed = self.controls["arguments"].value
        return Branching(self.story, call.position, call.arguments if _same(typed, call) else typed)

    def choice(self) -> Any:
        return self.controls["call"].value, self.controls["arguments"].value

    def summary(self) -> str:
        return f"line {self.controls['position'].value} of {len(self.story.lines)}"

    def look(self) -> View:
        frame = self.story.at(self.controls["position"].value)
        words = f"{frame_in_words(frame)}\n\n{self._past_in_words()}"
        past = self._past()
        return View(sendable(words), sendable(drawn(frame, True) + past), sendable(drawn(frame, False) + past))

    def _seen(self) -> View:
        """The state belongs to the branch, and is said there."""
        return self.look()

    @property
    def _chosen_call(self) -> Asked | None:
        position = self.controls["call"].value
        return self.story.calls[position] if position is not None and position >= 0 else None

    def _changing(self) -> str:
        call, typed = self._chosen_call, self.controls["arguments"].value
        return change_in_words(call, as_text(call.arguments) if _same(typed, call) else typed) if call else ""

    def _past_in_words(self) -> str:
        if self.reason:
            return beside("change the past: ", self.reason)
        made = f"\n\n{branch_in_words(self.branch)}" if self.branch else ""
        return f"{beside('change the past: ', self._changing())}\n{SAID[self.state]}{made}"

    def _past(self) -> str:
        head = heading("Change the past")
        if self.reason:
            return head + paragraph(self.reason)
        state = f'<div style="margin:4px 0">{told(TONES[self.state], SAID[self.state])}</div>'
        return head + paragraph(self._changing()) + state + (drawn_branch(self.branch) if self.branch else "")

    def _put_back(self) -> None:
        self._typed.clear()
        self.controls["play"].playing = False
        super()._put_back()


def _same(typed: str, call: Asked) -> bool:
    """Whether the text is the one that was offered; a browser can't be sent half a character."""
    return typed == sendable(as_text(call.arguments))


def _offered(call: Asked) -> str:
    failed = f", failed: {call.error.get('code')}" if call.error is not None else ""
    return sendable(short(f"{call.id} {call.name}, turn {call.turn}{failed}", 60))
