"""The three channels, side by side: one failure, three ways to tell of it, and what comes of each. Chapter 04."""

from __future__ import annotations

from labkit.course.channels import FAILURES, QUESTIONS, WORDINGS, Comparison, Played, answers, compare, script
from labkit.widgets.base import LabWidget, View, dropdown, toggle
from labkit.widgets.html import block, paragraph, table, told


class ChannelsLab(LabWidget):
    """Choose a failure and its wording; the same faulty run is played under the three designs.

    A failure that is none, or that has one wording only, takes the usual words.
    """

    name = "three channels"

    def __init__(self) -> None:
        names = [(script(name)["failure"], name) for name in FAILURES]
        super().__init__(
            {
                "failure": dropdown("Failure", "What goes wrong in the run", options=names),
                "wording": toggle("Words", "The words that the tool finds for it", options=WORDINGS),
            }
        )

    def look(self) -> View:
        comparison = compare(self.controls["failure"].value, self.controls["wording"].value)
        return View(repr(comparison), _drawn(comparison))

    def adjust(self, changed: str) -> None:
        wording, worded = self.controls["wording"], "reworded" in script(self.controls["failure"].value)
        wording.disabled = not worded
        if not worded:
            wording.value = WORDINGS[0]

    def summary(self) -> str:
        return f"{self.controls['failure'].value}, {self.controls['wording'].value}"


def _drawn(comparison: Comparison) -> str:
    cells = [_column(played) for played in comparison.played]
    rows = [[_label(ask), *row] for ask, row in zip(QUESTIONS, zip(*cells, strict=True), strict=True)]
    designs = ["", *(played.design for played in comparison.played)]
    return paragraph(comparison.head) + table(designs, rows, "The same run under three designs")


def _label(text: str) -> str:
    return f'<div style="white-space:nowrap">{paragraph(text)}</div>'


def _column(played: Played) -> tuple[str, ...]:
    """Return the cells of one design; what went well and what did not is said in words, and marked."""
    got, *rest = answers(played)
    tones = ("good" if played.right else "bad", _tone_of_next(played), _tone_of_run(played))
    return (
        paragraph(got) if played.got is None else block(got),
        *(_marked(tone, text) for tone, text in zip(tones, rest, strict=True)),
    )


def _tone_of_next(played: Played) -> str:
    if played.next is None:
        return "off"
    if played.true_code is None:
        return "bad" if played.mended else "good"
    return "good" if played.mended else "note"


def _tone_of_run(played: Played) -> str:
    """A run that answers is well, unless none of its calls worked: then the answer stands on nothing."""
    if played.next is None:
        return "bad"
    return "good" if played.worked else "note"


def _marked(tone: str, text: str) -> str:
    """Mark the word or two before the colon, and leave the rest plain."""
    state, _, rest = text.partition(": ")
    return told(tone, state) + (paragraph(rest) if rest else "")
