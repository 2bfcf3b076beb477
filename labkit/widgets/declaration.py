"""The declaration bench: edit a function's source, and see what a model is told and what the gate lets through.

Chapter 02. The source is executed in the learner's own kernel; it is theirs.
"""

from __future__ import annotations

from html import escape

from labkit.course.declaring import Declared, NotDeclared, as_text, declared, in_words, verdict
from labkit.course.declaring.examples import EXAMPLES
from labkit.widgets.base import LabWidget, View, dropdown, textarea
from labkit.widgets.html import block, code, columns, heading, paragraph, table, told

OWN = "my own source"
STALE = "Below: the last source that declared something."


class DeclarationLab(LabWidget):
    """Choose an example or write a source; schema, strict schema, findings and sample calls answer to it.

    The source is executed in this kernel when the box is left, and the function itself is never called. A source that
    declares nothing gets one sentence, and the last picture stays.
    """

    name = "declaration bench"

    def __init__(self) -> None:
        self._last: Declared | None = None
        self._fault = ""
        first = next(iter(EXAMPLES))
        super().__init__(
            {
                "example": dropdown(
                    "Example", "A source to begin with; it replaces what is in the box", options=[*EXAMPLES, OWN]
                ),
                "source": textarea(
                    "Source",
                    "One function with its imports; it is read when you leave the box",
                    value=EXAMPLES[first],
                    rows=18,
                    continuous_update=False,  # half a line is no source, and would be executed
                    layout={"width": "100%"},
                ),
            }
        )

    def adjust(self, changed: str) -> None:
        example, source = self.controls["example"], self.controls["source"]
        if example.value != OWN and changed == "example":
            source.value = EXAMPLES[example.value]
        elif example.value != OWN and source.value != EXAMPLES[example.value]:
            example.value = OWN

    def look(self) -> View:
        source = self.controls["source"].value
        try:
            self._last, self._fault = declared(source), ""
        except NotDeclared as problem:
            self._fault = f"Nothing is declared. {str(problem)[:1].upper()}{str(problem)[1:]}."
        text, html = _seen(self._last, self._fault)
        return View(text, html, stored=heading("Source") + block(source) + html)  # a stored page has no box

    def summary(self) -> str:
        if self._fault or self._last is None:
            return "nothing declared"
        accepted = sum(each.accepted for each in self._last.samples)
        return f"{self._last.tool.name}, {accepted} of {len(self._last.samples)} sample calls accepted"


def _seen(last: Declared | None, fault: str) -> tuple[str, str]:
    """Return the last declaration as text and as HTML, under the fault of the source where there is one."""
    text, html = ("", "") if last is None else (in_words(last), _drawn(last))
    if not fault:
        return text, html
    stale = ("", "") if last is None else (f"\n{STALE}\n\n{text}", paragraph(STALE) + html)
    return fault + stale[0], told("bad", fault) + stale[1]


def _drawn(found: Declared) -> str:
    strict = told("bad", found.obstacle) if found.strict is None else block(as_text(found.strict))
    schemas = columns([heading("Schema") + block(as_text(found.schema)), heading("Strict schema") + strict])
    return code(found.tool.name) + paragraph(found.tool.description) + schemas + _findings(found) + _samples(found)


def _findings(found: Declared) -> str:
    if not found.findings:
        return heading("Lint") + told("good", "nothing to say")
    rows = [[told("note", each.place or "(tool)"), escape(each.message)] for each in found.findings]
    return heading("Lint") + table(["where", "what"], rows, "What a model would stumble over")


def _samples(found: Declared) -> str:
    rows = [
        [
            f'<div style="white-space:nowrap">{told("good" if each.accepted else "bad", verdict(each))}</div>',
            escape(each.sample.way),
            code(each.sample.change),
            escape(each.says),
        ]
        for each in found.samples
    ]
    return heading("Sample calls") + table(
        ["verdict", "what is tried", "change", "first problem"], rows, "Made from the schema, judged by the real gate"
    )
