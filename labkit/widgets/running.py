"""What labs share whose work takes time: a Run button, a run that goes on beside the kernel, a picture that grows.

A click is answered at once: the work is done in a thread of its own, and never twice at a time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from labkit.widgets.base import LabWidget, View, button
from labkit.widgets.html import told

RUN = "run"
REFRESH = 0.1
"""Seconds between two pictures of a run."""
PATIENCE = 60

READY, RUNNING, STALE, DONE = "ready", "running", "stale", "done"
SAID = {
    READY: "not run yet: press Run",
    RUNNING: "running",
    STALE: "the knobs have changed since this run: press Run",
    DONE: "the run is over",
}
AHEAD = "running with the knobs as they were; as they are now they count for the next run"
TONES = {READY: "off", RUNNING: "note", STALE: "note", DONE: "good"}

Work = Callable[[], None]


class RunningLab(LabWidget):
    """Knobs, a Run button, and a picture of the last run.

    ``work`` is what ``prepare`` returned for the run that is shown; None before the first one and after a fresh start.
    ``started`` counts runs. Knobs can be turned while a run goes on: they count for the next one.
    """

    def __init__(self, controls: dict[str, Any], head: str = "") -> None:
        self.work: Work | None = None
        self.started = 0
        self._chosen: Any = None
        self._over = Event()
        self._over.set()
        self._thread: Thread | None = None
        super().__init__({**controls, RUN: button("Run", "Run this with the knobs as they are now")}, head)

    # what a subclass says

    @abstractmethod
    def prepare(self) -> Work:
        """Return the work of a run, made from the knobs as they are. It touches no widget; ``look`` may ask it."""

    def choice(self) -> Any:
        """Return what a run depends on; where it is another than that of the shown run, the picture is stale."""
        return {name: self.controls[name].value for name in self._first}

    def blocked(self) -> str | None:
        """Return why no run can be begun with the knobs as they are, in a few words; None where one can."""
        return None

    # what everybody uses

    @property
    def state(self) -> str:
        """How the picture stands to the knobs: ``ready``, ``running``, ``stale`` or ``done``."""
        if self.work is None:
            return READY
        if not self._over.is_set():
            return RUNNING
        return DONE if self.choice() == self._chosen else STALE

    def run(self) -> None:
        """Run with the knobs as they are, or go along with a run that goes on; returns when it is over."""
        self.press(RUN)
        self.wait()

    def wait(self) -> None:
        """Return when no run goes on and its last picture is drawn. Raises TimeoutError after a minute."""
        thread = self._thread
        if thread is not None:
            thread.join(PATIENCE)
            if thread.is_alive():
                raise TimeoutError(f"the {self.name} is still running after {PATIENCE} seconds")

    def press(self, name: str) -> None:
        with self._lock:
            if name == RUN and (self.work is None or self._over.is_set()) and self.blocked() is None:
                self._begin()

    # behind the button

    def _begin(self) -> None:
        work, chosen, over = self.prepare(), self.choice(), Event()
        before, self._over = self._over, over
        self.work, self._chosen = work, chosen
        self.started += 1
        self._thread = Thread(target=self._follow, args=(work, over, before), name="labkit-lab", daemon=True)
        self._thread.start()

    def _follow(self, work: Work, over: Event, before: Event) -> None:
        """Do the work in one more thread, and draw while it goes on: at most ten times a second."""
        failed: list[Exception] = []

        def go() -> None:
            try:
                before.wait()  # a run that Start over has taken off the page may not be over yet
                if self.work is work:  # else Start over has taken this one off as well, before it began
                    work()
            except Exception as problem:
                failed.append(problem)
            finally:
                over.set()

        Thread(target=go, name="labkit-lab-work", daemon=True).start()
        while not over.wait(REFRESH):
            self._show(work)
        self._show(work, *failed)

    def _show(self, work: Work, *failed: Exception) -> None:
        with self._lock:
            if self.work is work:  # else the page shows another run by now
                if failed:
                    self.work = None  # there is no picture of it: what is drawn next says that Run is to be pressed
                self._draw(lambda: _raise(failed))

    def _put_back(self) -> None:
        self.work = None
        super()._put_back()

    def _seen(self) -> View:
        """The picture, and above it in words how it stands to the knobs."""
        view, (tone, said) = self.look(), self._said()
        state = f'<div style="margin:2px 0 6px">{told(tone, said)}</div>'
        return View(f"{said}\n{view.text}", state + view.html, view.stored)

    def _said(self) -> tuple[str, str]:
        """Return the tone and the words of the state."""
        state = self.state
        if state == RUNNING:
            return TONES[state], SAID[state] if self.choice() == self._chosen else AHEAD
        why = self.blocked()
        return (TONES[state], SAID[state]) if why is None else ("bad", why)


def _raise(failed: tuple[Exception, ...]) -> None:
    for problem in failed:
        raise problem
