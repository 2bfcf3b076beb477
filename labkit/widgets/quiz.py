"""One question of a chapter's quiz: choose an option, and it says why it is right or wrong. All chapters."""

from __future__ import annotations

from html import escape

import ipywidgets as W  # noqa: N812

from labkit.course.exercises import question
from labkit.course.progress import here
from labkit.course.quiz import Option, Question
from labkit.widgets.base import LabWidget, View, control
from labkit.widgets.html import paragraph, told, worded

LETTERS = "abcdefgh"


class Quiz(LabWidget):
    """A question by its id, such as ``Quiz("03.q1")``.

    Choose with the arrow keys, or with ``.controls["answer"].value = "b"``.
    Raises ValueError that names the questions there are.
    """

    name = "quiz"

    def __init__(self, id: str) -> None:
        self.question: Question = question(id)
        self._options = dict(zip(LETTERS, self.question.options, strict=False))
        self._asked = f"{self.question.id}  {self.question.ask}"
        options = "".join(
            f"<div>{letter}&nbsp; {worded(option.text)}</div>" for letter, option in self._options.items()
        )
        answer = control(
            W.RadioButtons,
            "Answer",
            "Choose an answer; it says why it is right or wrong",
            options=list(self._options),
            value=None,
            orientation="horizontal",
            layout=W.Layout(width="auto"),
        )
        super().__init__({"answer": answer}, head=f"<div>{worded(self._asked)}</div>{options}")

    def look(self) -> View:
        letter = self.controls["answer"].value
        lines = [self._asked, *(f"  {letter}  {option.text}" for letter, option in self._options.items())]
        stored = f"<div>{worded(self._asked)}</div>" + self._folded()
        if letter is None:
            return View("\n".join(lines), paragraph("Each answer says why it is right or wrong."), stored)
        option = self._options[letter]
        lines += ["", f"{letter}: {_verdict(option)}. {option.why}"]
        return View("\n".join(lines), _explained(letter, option), stored)

    def adjust(self, changed: str) -> None:
        letter = self.controls["answer"].value
        if letter is not None:
            here().tried(self.question.id, self._options[letter].right)

    def summary(self) -> str:
        return self.question.id

    def _folded(self) -> str:
        """Every option with its explanation behind a click, for a page without a kernel."""
        return "".join(
            f"<details><summary>{letter}&nbsp; {worded(option.text)}</summary>{_explained(letter, option)}</details>"
            for letter, option in self._options.items()
        )


def _verdict(option: Option) -> str:
    return "right" if option.right else "not this one"


def _explained(letter: str, option: Option) -> str:
    state = told("good" if option.right else "bad", f"{escape(letter)}: {_verdict(option)}")
    return f'<div role="status" style="margin:4px 0">{state}. {worded(option.why)}</div>'
