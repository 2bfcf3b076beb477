"""The stream lab of chapter 10: a reply chunk by chunk, as two readers put it together, and what may start early.

    >>> stream_lab = StreamLab()
    >>> stream_lab.controls["quirk"].value = "index_zero"
    >>> print(stream_lab.text())

Does not: talk to a server or run a call; all times are predicted. ``labkit.course.streams`` does the thinking.
"""

from __future__ import annotations

from typing import Any

import ipywidgets as W  # noqa: N812

from labkit.course.layout import beside
from labkit.course.streams import (
    REPLIES,
    Stream,
    forecast,
    forecast_in_words,
    frame_in_words,
    shop_registry,
    stream_of,
)
from labkit.models.server.streams import QUIRKS
from labkit.widgets.base import LabWidget, View, button, checkbox, control, dropdown
from labkit.widgets.html import paragraph
from labkit.widgets.stream_drawn import drawn_forecast, drawn_frame

INTERVAL = 500
"""Milliseconds between two chunks while it plays."""
FIRST = ("two_look_ups", "index_zero")
SLIDER_SIZE = {"width": "420px", "max_width": "98%"}


class StreamLab(LabWidget):
    """Choose a reply and what is odd about the server; go through the stream chunk by chunk, or cut it off.

    ``stream`` is what is shown. ``run`` goes to its last chunk.
    """

    name = "stream lab"

    def __init__(self) -> None:
        self._registry = shop_registry()
        bounds = {"min": 0, "max": len(stream_of(*FIRST).chunks), "value": 6}
        super().__init__(
            {
                "reply": dropdown("Reply", "What the scripted model asks for", options=_replies(), value=FIRST[0]),
                "quirk": dropdown(
                    "Server", "What is odd about the server that streams", options=list(QUIRKS), value=FIRST[1]
                ),
                "play": control(
                    W.Play, "Play", "Play the stream chunk by chunk, pause it, go back", interval=INTERVAL, **bounds
                ),
                "back": button("Step back", "Go one chunk of the stream back"),
                "position": control(
                    W.IntSlider, "Chunk", "How many chunks have come so far", layout=SLIDER_SIZE, **bounds
                ),
                "forward": button("Step forward", "Go one chunk of the stream on"),
                "cut": checkbox("Cut here", "The stream ends after this chunk, without a word", value=False),
                "early": checkbox("Early dispatch", "Start reads before the reply has ended", value=True),
            }
        )

    @property
    def stream(self) -> Stream:
        """The stream that is shown."""
        return stream_of(self.controls["reply"].value, self.controls["quirk"].value)

    def run(self) -> None:
        """Go to the last chunk."""
        self.controls["position"].value = len(self.stream.chunks)

    def adjust(self, changed: str) -> None:
        play, position = self.controls["play"], self.controls["position"]
        if changed in ("reply", "quirk"):
            last = len(self.stream.chunks)
            for each in (play, position):
                each.value = min(each.value, last)
                each.max = last
        elif changed == "play":
            position.value = play.value
        elif changed == "position":
            play.value = position.value

    def press(self, name: str) -> None:
        self.controls["position"].value += 1 if name == "forward" else -1
        self.adjust("position")

    def look(self) -> View:
        knobs, stream = self.controls, self.stream
        frame = stream.frame(knobs["position"].value)
        cut, early = knobs["cut"].value, knobs["early"].value
        found = forecast(stream.cut(frame.number) if cut else stream, self._registry)
        said = f"{REPLIES[knobs['reply'].value].title}; {knobs['quirk'].value}: {QUIRKS[knobs['quirk'].value]}"
        words = [beside("", said), frame_in_words(frame, stream, cut), forecast_in_words(found, early)]
        drawn = paragraph(said) + drawn_frame(frame, stream, cut) + drawn_forecast(found, early)
        return View("\n\n".join(words), drawn)

    def summary(self) -> str:
        reply, quirk, position = (self.controls[name].value for name in ("reply", "quirk", "position"))
        ends = ", cut here" if self.controls["cut"].value else ""
        return f"{reply}, {quirk}, chunk {position} of {len(self.stream.chunks)}{ends}"

    def _put_back(self) -> None:
        self.controls["play"].playing = False
        super()._put_back()


def _replies() -> list[tuple[str, Any]]:
    return [(sample.title, name) for name, sample in REPLIES.items()]
