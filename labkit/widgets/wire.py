"""The wire lab: a history spoilt and mended, as it would be sent, and what a strict server answers. Chapter 09."""

from __future__ import annotations

from labkit.course.wires import ANSWERS, CHAT, RESPONSES, SPOILS, Tried, tried
from labkit.course.wires.trying import TITLES, spelled
from labkit.widgets.base import LabWidget, View, checkbox, dropdown, toggle
from labkit.widgets.html import block, heading, paragraph, table, told

LABELS = {
    "error": ("Field error", "Leave the field error on the last answer"),
    "name": ("Dot in a name", "Call get_weather by the name weather.get"),
    "arguments": ("Cut arguments", "Break the arguments of call_2 off in the middle"),
    "same_id": ("One id for two", "Give call_2 the id of call_1"),
    "again": ("Id comes again", "Give the call of the next turn the id call_1"),
}
WIDE = {"width": "320px", "max_width": "98%"}
TONES = {"spoilt": "note", "mended": "good", "refused": "bad"}


class WireLab(LabWidget):
    """Spoil a history, choose a wire, send it as it is or mended.

    Every picture stands for a real request: over HTTP, to the strict server on this machine, which plays a script.
    ``tried`` is what was sent and what came back.
    """

    name = "wire lab"
    tried: Tried

    def __init__(self) -> None:
        answers = [(words, name) for name, (words, _) in ANSWERS.items()]
        wires = [(TITLES[api], api) for api in (CHAT, RESPONSES)]
        super().__init__(
            {
                "api": toggle("Wire", "Which API the request is written for", options=wires),
                "answer": dropdown(
                    "The answer to call_2", "What becomes of the second tool message", options=answers, layout=WIDE
                ),
                **{name: checkbox(*LABELS[name], value=False) for name in SPOILS},
                "repair": checkbox("Repair with labkit", "Let labkit write what is sent", value=False),
            }
        )

    def look(self) -> View:
        """Send the history as the knobs want it, and show what came back."""
        value = {name: self.controls[name].value for name in self._first}
        spoils = [name for name in SPOILS if value[name]]
        self.tried = tried(value["answer"], spoils, api=value["api"], repair=value["repair"])
        return View(repr(self.tried), _drawn(self.tried))

    def summary(self) -> str:
        way = "mended" if self.tried.repair else "as it is"
        return f"{TITLES[self.tried.api]}, {way}: {self.tried.status}"


def _drawn(shown: Tried) -> str:
    """The answer stands above what was sent: it is what changes with every knob."""
    return paragraph(shown.head) + _answer(shown) + _sent(shown) + _gone(shown)


def _answer(shown: Tried) -> str:
    verdict = told("good" if shown.status == 200 else "bad", shown.verdict)
    return heading("What came back") + verdict + "".join(map(paragraph, shown.answered.sentences))


def _sent(shown: Tried) -> str:
    rows = [[str(place), block(spelled(message)), _said(shown, place)] for place, message in enumerate(shown.sent)]
    return table(["place", "message", "what there is to say"], rows, "What was sent, counted from 0 as the server does")


def _said(shown: Tried, position: int) -> str:
    marked = "".join(_marked(each) for each in shown.said_of(position))
    return f'<div style="min-width:11em;overflow-wrap:anywhere">{marked}</div>'


def _marked(text: str) -> str:
    """Mark the word before the colon, and leave the rest plain."""
    word, _, rest = text.partition(": ")
    return told(TONES[word], word) + paragraph(rest)


def _gone(shown: Tried) -> str:
    if not shown.gone:
        return ""
    return heading("No longer there") + "".join(block(spelled(message)) for message in shown.gone)
