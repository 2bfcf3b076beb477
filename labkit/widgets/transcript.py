"""The transcript microscope of chapter 01: one reply, what the reader took from it, and what it missed.

    >>> microscope = TranscriptLab()
    >>> microscope.controls["stop"].value = False
    >>> print(microscope.text())

Does not: read. The picture is drawn from ``under_the_microscope``, which the chapter calls too.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise

from labkit.course.transcripts import Slide, kinds, transcript, transcripts, under_the_microscope
from labkit.models.text_protocol import RULES, STOP
from labkit.widgets.base import LabWidget, View, checkbox, dropdown, textarea
from labkit.widgets.html import FAINT, FIXED, INK, LINE, PAPER, inked, sendable, table, told

TYPED = "typed"
FIRST = "invented_observation_2"
BROAD = {"width": "min(100%, 44em)"}
"""Room for an id and a note."""


class TranscriptLab(LabWidget):
    """Choose a transcript, or type a reply of your own; what the reader took is marked, what it missed is named.

    ``slide`` is what is shown.
    """

    name = "transcript microscope"

    def __init__(self) -> None:
        first = transcript(FIRST)
        self.slide: Slide
        super().__init__(
            {
                "kind": dropdown("Kind", "What the transcripts have in common", options=kinds(), value=first.kind),
                "transcript": dropdown(
                    "Transcript", "One reply of a model", options=_options(first.kind), value=first.id, layout=BROAD
                ),
                "text": textarea(
                    "Reply",
                    "The reply to look at; change it as you like",
                    value=first.text,
                    rows=7,
                    layout={"width": "100%"},
                ),
                "stop": checkbox(f'Stop at "{STOP}"', "Cut the reply where the stop sequence begins", value=True),
            }
        )

    def look(self) -> View:
        chosen = self.controls["transcript"].value
        meant = () if chosen == TYPED else transcript(chosen).meant
        stop = STOP if self.controls["stop"].value else None
        self.slide = under_the_microscope(sendable(self.controls["text"].value), stop, meant)
        return View(repr(self.slide), drawn(self.slide))

    def adjust(self, changed: str) -> None:
        kind, chosen, box = (self.controls[name] for name in ("kind", "transcript", "text"))
        if changed == "kind":
            options = _options(kind.value)
            ids = [id for _, id in options if id != TYPED]
            kept = chosen.value if chosen.value in ids else ids[0]
            chosen.options = options
            chosen.value = kept
        if changed == "text":
            if chosen.value != TYPED and box.value != transcript(chosen.value).text:
                chosen.value = TYPED
        elif chosen.value != TYPED:
            box.value = transcript(chosen.value).text

    def summary(self) -> str:
        stop = "with" if self.controls["stop"].value else "without"
        return f"{self.controls['transcript'].value}, {stop} the stop sequence"


def _options(kind: str) -> list[tuple[str, str]]:
    listed = [(f"{each.id}: {each.note}", each.id) for each in transcripts() if each.kind == kind]
    return [*listed, ("the reply that I typed", TYPED)]


# ---- the picture ----

INKS = {"thought": "#777", "action": "#0072b2", "input": "#007a5a", "answer": "#a0468a", "cut off": "#d55e00"}
LINES = {"thought": "dotted", "action": "solid", "input": "dashed", "answer": "double"}
"""Each part has an ink, a kind of line and, before it, its name: no state is told by colour alone."""


def drawn(slide: Slide) -> str:
    """Return the reply with its marks, and the rows that say the same in words."""
    style = f"{FIXED};white-space:pre-wrap;overflow-wrap:anywhere;margin:4px 0;padding:8px;line-height:2"
    page = f'<pre style="{style};border:1px solid {LINE};color:{INK};background:{PAPER}">{_marked(slide)}</pre>'
    rows = [(_word(word, text), _cell(text)) for word, text in slide.spelled() if word != "notice"]
    numbered = [
        (f"{number}", escape(RULES[each.rule]), escape(each.message)) for number, each in enumerate(slide.findings, 1)
    ]
    notices = table(("mark", "what", "in words"), numbered, "What the reader missed or may have taken wrong")
    return page + table(("", "in words"), rows, "What became of the reply") + (notices if numbered else "")


def _marked(slide: Slide) -> str:
    """Cut the text where a part or a finding begins or ends, and put each piece into its marks."""
    spans = [part for part in slide.reading.parts if part.start < part.end]
    edges = {0, len(slide.text), len(slide.seen), *(edge for _, start, end in spans for edge in (start, end))}
    edges |= {finding.start for finding in slide.findings}
    places, notes = sorted(edges), _notes(slide)
    pieces = [notes.get(start, "") + _piece(slide, start, end) for start, end in pairwise(places)]
    empty = "" if slide.text else f'<span style="color:{FAINT}">(the reply is empty)</span>'
    return "".join([*pieces, notes.get(places[-1], ""), empty])


def _piece(slide: Slide, start: int, end: int) -> str:
    text = escape(slide.text[start:end])
    if start >= len(slide.seen):
        return _in_marks("cut off", text, first=start == len(slide.seen))
    for role, begin, stop in slide.reading.parts:
        if begin <= start and end <= stop and begin < stop:
            return _in_marks(role, text, first=start == begin)
    return f'<span style="color:{FAINT}">{text}</span>'


def _in_marks(role: str, text: str, *, first: bool) -> str:
    ink = INKS[role]
    frame = f"border:1.5px solid {ink};padding:0 4px;border-radius:3px;color:{INK};background:{PAPER}"
    name = f'<small style="{frame}">{role}</small> '
    line = "text-decoration:line-through" if role == "cut off" else f"border-bottom:3px {LINES[role]} {ink}"
    return (name if first else "") + f'<span style="{line}">{text}</span>'


def _notes(slide: Slide) -> dict[int, str]:
    """The numbers of the findings, by the place where they begin."""
    notes: dict[int, str] = {}
    for number, each in enumerate(slide.findings, 1):
        mark = f'<sup style="{inked(INKS["cut off"])};font-weight:700">✗{number}</sup>'
        notes[each.start] = notes.get(each.start, "") + mark
    return notes


def _word(word: str, text: str) -> str:
    tones = {"right": "good", "WRONG": "bad", "missed": "note"}
    return told(tones[text.partition(" ")[0]], word) if word == "verdict" else escape(word)


def _cell(text: str) -> str:
    return escape(text).replace("\n", "<br>")
