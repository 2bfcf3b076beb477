"""What all labs share: knobs in keyboard order, one picture beneath them, and the same in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import Any

import ipywidgets as W  # noqa: N812

from labkit.widgets.html import framed, paragraph

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
RESET = "reset"


@dataclass(frozen=True)
class View:
    """What a lab shows, said twice: ``text`` is complete on its own, ``html`` is the drawing. A value.

    ``stored`` stands in a page without a kernel where the drawing of the moment says too little there.
    """

    text: str
    html: str
    stored: str | None = None


class LabWidget(ABC):
    """Knobs and a picture. A subclass says which knobs there are, and ``look`` what they show.

    ``controls`` maps names to controls, in keyboard order; a button that puts all back comes last. ``head`` is HTML
    above them. Whatever thread a change comes on, it takes the lock, changes plain state and sets traits, and no more.
    ``failure`` is what the last ``look`` raised, if it did: the page then says so, and the knobs stay as they are.
    """

    name = "lab"

    def __init__(self, controls: dict[str, Any], head: str = "") -> None:
        self.controls = {**controls, RESET: button("Start over", "Put every knob back to where it was at first")}
        self.failure: Exception | None = None
        self._lock = RLock()
        self._muted = False
        self._view = View("", "")
        self._picture = W.HTML()
        self._first = {name: control.value for name, control in self.controls.items() if hasattr(control, "value")}
        for name, control in self.controls.items():
            self._listen(name, control)
        above = [W.HTML(framed(head))] if head else []
        self._box = W.VBox([*above, _row_of(self.controls), self._picture])
        with self._quietly():
            for name in self._first:
                self.adjust(name)
        self._draw(lambda: None)

    # what a subclass says

    @abstractmethod
    def look(self) -> View:
        """Return what the knobs show. Reads them, and touches no widget."""

    def adjust(self, changed: str) -> None:  # noqa: B027, not every lab has something to say here
        """Set other controls after one has changed: their options, whether they can be used."""

    def press(self, name: str) -> None:  # noqa: B027, nor here
        """Do what a button of the subclass stands for, before the picture is drawn anew."""

    def summary(self) -> str:
        """Return what the knobs are set to, in a few words."""
        return ""

    # what everybody uses

    def run(self) -> None:
        """Look at the knobs and draw anew; returns when the picture is new."""
        self._draw(lambda: None)

    def wait(self) -> None:  # noqa: B027, where nothing takes time there is nothing to wait for
        """Return when nothing goes on any more; here nothing ever does."""

    def _seen(self) -> View:
        """Return what is shown: what a subclass looks at, and what the base has to say of it."""
        return self.look()

    def _draw(self, before: Callable[[], None]) -> None:
        """Set what has to be set first, and draw anew; what either of them raises is told in the picture's place."""
        with self._lock:
            try:
                with self._quietly():
                    before()
                self._view, self.failure = self._seen(), None
            except Exception as problem:
                self.failure = problem
                sentence = f"The {self.name} can't draw this: {type(problem).__name__}. Change a knob, or start over."
                self._view = View(sentence, paragraph(sentence))
            self._picture.value = framed(self._view.html)

    def text(self) -> str:
        """Return what the picture says, in words."""
        with self._lock:
            return self._view.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.summary()})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The live view; and for a page without a kernel the drawing as it is now, and the words."""
        with self._lock:
            view = self._view
        return {
            "text/plain": f"{self!r}\n{view.text}",
            "text/html": framed(view.stored or view.html),
            WIDGET_VIEW: self._box._repr_mimebundle_()[WIDGET_VIEW],
        }

    # behind the knobs

    def _listen(self, name: str, control: Any) -> None:
        if isinstance(control, W.Button):
            control.on_click(lambda _: self._pressed(name))
        else:
            control.observe(lambda _: self._changed(name), names="value")

    def _changed(self, name: str) -> None:
        with self._lock:
            if not self._muted:
                self._draw(lambda: self.adjust(name))

    def _pressed(self, name: str) -> None:
        self._draw(self._put_back if name == RESET else lambda: self.press(name))

    def _put_back(self) -> None:
        """Set every knob to its first value, one after the other: one may decide what the next can be set to."""
        for name, value in self._first.items():
            self.controls[name].value = value
            self.adjust(name)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """While the lab itself sets knobs, they are not taken for the learner's."""
        self._muted = True
        try:
            yield
        finally:
            self._muted = False


WIDE = {"description_width": "initial"}


def button(description: str, tooltip: str) -> Any:
    """Return a button."""
    return W.Button(description=description, tooltip=tooltip)


def control(kind: Callable[..., Any], description: str, tooltip: str, **options: Any) -> Any:
    """Return a control with its label whole and its tooltip set."""
    return kind(description=description, tooltip=tooltip, style=WIDE, **options)


dropdown = partial(control, W.Dropdown)
toggle = partial(control, W.ToggleButtons)
checkbox = partial(control, W.Checkbox, indent=False)
textarea = partial(control, W.Textarea)


def _row_of(controls: dict[str, Any]) -> Any:
    """Lay controls side by side where there is room, in the order in which the keyboard reaches them."""
    layout = W.Layout(display="flex", flex_flow="row wrap", align_items="flex-end", grid_gap="4px 12px")
    return W.Box(list(controls.values()), layout=layout)
