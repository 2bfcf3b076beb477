"""The loop lab: a model that repeats itself, and the limits that stop it, or do not. Chapter 08."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W  # noqa: N812

from labkit.course.loops import MODELS, Played, Row, compared, play, sent_by_both, told_in_text
from labkit.course.loops.growth import picture
from labkit.course.loops.report import ended, folded, left_out, sums
from labkit.guard import RetryGuard
from labkit.widgets.base import LabWidget, View, checkbox, control, dropdown, toggle
from labkit.widgets.html import block, code, heading, paragraph, table, told

KEEPS_ON, GIVES_IN = "keeps on", "gives in when told"
TONES = {"ran": "good", "failed": "bad", "refused": "bad", "banned": "note", "too many": "note"}


class LoopLab(LabWidget):
    """Choose a model with a habit and the limits; its run is played with them, and beside it one without the guard.

    ``played`` is the run that is shown, ``other`` the same with the guard off, or on where it is off.
    """

    name = "loop lab"
    played: Played
    other: Played

    def __init__(self) -> None:
        super().__init__(
            {
                "model": dropdown("Model", "What the model does again and again", options=_models()),
                "temper": toggle("When banned", "What the model does when told no", options=[KEEPS_ON, GIVES_IN]),
                "guard": checkbox("Guard on", "Whether a RetryGuard watches the run", value=True),
                "max_same_failures": _number("Same failures", "Equal failed rounds until a ban", 2, 5),
                "max_same_results": _number("Same results", "Equal other rounds until a ban", 3, 6),
                "max_turns": _number("Turns", "Decisions until the closing question", 12, 30),
                "max_calls_per_turn": _number("Calls per turn", "Calls taken from one message", 8, 16),
            }
        )

    def adjust(self, changed: str) -> None:
        for name in ("max_same_failures", "max_same_results"):
            self.controls[name].disabled = not self.controls["guard"].value

    def look(self) -> View:
        """Play the run twice, with the guard and without it; one of them is looked at closely."""
        value = {name: each.value for name, each in self.controls.items() if hasattr(each, "value")}
        guard = RetryGuard(value["max_same_failures"], value["max_same_results"])
        guarded, free = (
            play(
                value["model"],
                guard=each,
                gives_in=value["temper"] == GIVES_IN,
                max_turns=value["max_turns"],
                max_calls_per_turn=value["max_calls_per_turn"],
            )
            for each in (guard, None)
        )
        self.played, self.other = (guarded, free) if value["guard"] else (free, guarded)
        settings, grown = _settings(value), sent_by_both(guarded, free)
        words = [settings, "", told_in_text(self.played), "", compared(guarded, free), "", repr(grown)]
        drawing = [
            *map(paragraph, settings.splitlines()),
            _log(self.played),
            _told(self.played),
            _ending(self.played),
            _comparison(guarded, free),
            picture(grown, "loop"),
        ]
        return View("\n".join(words), "".join(drawing))

    def summary(self) -> str:
        guard = "guard" if self.controls["guard"].value else "no guard"
        return f"{self.controls['model'].value}, {self.controls['temper'].value}, {guard}"


def _models() -> list[tuple[str, str]]:
    return [(habit.title, name) for name, habit in MODELS.items()]


def _number(description: str, tooltip: str, value: int, most: int) -> Any:
    return control(W.IntSlider, description, tooltip, value=value, min=1, max=most)


def _settings(value: dict[str, Any]) -> str:
    guard = (
        f"guard: {value['max_same_failures']} equal failures, {value['max_same_results']} equal results"
        if value["guard"]
        else "no guard"
    )
    limits = f"limits: {value['max_turns']} turns, {value['max_calls_per_turn']} calls of one message"
    return f"{MODELS[value['model']].title}; {value['temper']}\n{guard}\n{limits}"


def _log(played: Played) -> str:
    rows = [_row(row) if row else ["", "", "", left_out(played.rows)] for row in folded(played.rows)]
    return table(["turn", "call", "came back", "in words"], rows, "What the model asked for, and what came back")


def _row(row: Row) -> list[str]:
    return [str(row.turn), code(row.call), told(TONES[row.came], row.came), escape(row.words)]


def _told(played: Played) -> str:
    said = played.told
    head = "What the loop said to the model" if said else "The loop said nothing to the model"
    return heading(head) + "".join(map(block, said))


def _ending(played: Played) -> str:
    tone = "good" if played.run.stop_reason == "final_answer" else "note"
    return heading("How it ended") + told(tone, ended(played)) + block(played.run.answer)


def _comparison(guarded: Played, free: Played) -> str:
    rows = [
        [name, told("good" if each.run.stop_reason == "final_answer" else "note", each.run.stop_reason), sums(each)]
        for name, each in (("with the guard", guarded), ("without the guard", free))
    ]
    return table(["", "ended", "came to"], rows, "The same model, with and without the guard")
