"""The worker lab of chapter 06: where a call runs, what its limit can do there, and what remains alive.

    >>> worker = WorkerLab()
    >>> worker.controls["place"].value = "process"
    >>> worker.run()
    >>> print(worker.text())

Does not: run or look up anything. ``labkit.course.execution`` does, by the functions that the chapter calls.
"""

from __future__ import annotations

from html import escape

import ipywidgets as W  # noqa: N812

from labkit.course.execution import LIMITS, MOST_SIBLINGS, PLACES, Look, Setting, Trial, forecast, state, words
from labkit.schedule import POLICIES
from labkit.timeline import Timeline, compare
from labkit.widgets.base import View, checkbox, control, dropdown, toggle
from labkit.widgets.html import heading, paragraph, table, told
from labkit.widgets.running import RunningLab

TONES = {"ok": "good", "timeout": "bad", "cancelled": "note"}
STILL = "still inside"


class WorkerLab(RunningLab):
    """Choose a place for the slow call, what it does, and who stands beside it; run it, and see what is still alive.

    ``work`` is the ``Trial`` that is shown, or None.
    """

    name = "worker lab"
    work: Trial | None

    def __init__(self) -> None:
        limits = [("no limit" if limit is None else f"{limit:g} s", limit) for limit in LIMITS]
        super().__init__(
            {
                "place": dropdown(
                    "Where it runs",
                    "The place in which the slow call runs",
                    options=[(words, place) for place, words in PLACES.items()],
                    layout={"width": "340px", "max_width": "98%"},
                ),
                "hangs": toggle(
                    "What it does", "What the slow call does", options=[("hangs", True), ("ends in time", False)]
                ),
                "limit": toggle("Its limit", "How long the runtime waits for the slow call", options=limits),
                "writes": toggle(
                    "It is a", "Whether the slow call may change something", options=[("read", False), ("write", True)]
                ),
                "siblings": control(
                    W.IntSlider,
                    "Quick reads beside it",
                    "How many quick reads stand beside the slow call",
                    value=2,
                    max=MOST_SIBLINGS,
                ),
                "policy": dropdown("Policy", "Which calls may overlap", options=list(POLICIES), value="barriers"),
                "again": checkbox("a second batch follows", "Send two more quick reads afterwards", value=True),
            }
        )

    def prepare(self) -> Trial:
        return Trial(self.choice())

    def choice(self) -> Setting:
        """Return the setting that the knobs stand for."""
        return Setting(**{name: self.controls[name].value for name in Setting.__dataclass_fields__})

    def look(self) -> View:
        setting, trial = self.choice(), self.work
        predicted = forecast(setting)
        before = [setting.told(), repr(predicted)]
        drawn = paragraph(setting.told()) + predicted.to_svg()
        if trial is None:
            return View("\n".join(before), drawn)
        facts = ["measured:" if trial.over else "running …", trial.text()]
        stored = drawn + _calls(trial) + _looks(trial, timed=False)
        live = _measured(trial, setting, predicted) + _looks(trial, timed=True)
        return View("\n".join(before + facts), live, stored)

    def summary(self) -> str:
        setting = self.choice()
        return f"{setting.slow}, {setting.place}, {'hangs' if setting.hangs else 'ends in time'}"


def _measured(trial: Trial, setting: Setting, predicted: Timeline) -> str:
    """What has happened by now, with its times; the first batch on one axis with its forecast where that is of it."""
    own = trial.setting == setting
    parts = [paragraph(setting.told())]
    parts += [] if own else [predicted.to_svg(), heading(f"measured with other knobs: {trial.setting.told()}")]
    for number, sent in enumerate(tuple(trial.sent)):
        seen = sent.timeline()
        both = own and number == 0
        parts += [heading(sent.title), (compare(predicted, seen) if both else seen).to_svg()]
    if own and not trial.sent:
        parts.append(predicted.to_svg())
    return "".join(parts) + (_calls(trial) if trial.over else "")


def _calls(trial: Trial) -> str:
    rows = [
        [escape(sent.title), escape(result.call_id), escape(result.name), _marked(state(result)), escape(words(result))]
        for sent in trial.sent
        for result in sent.results
    ]
    return table(["batch", "call", "tool", "state", "what the model is told"], rows, "What became of every call")


def _marked(state: str) -> str:
    return told(TONES.get(state, "bad"), state)


def _looks(trial: Trial, *, timed: bool) -> str:
    """What was looked up; a place that goes on is marked, whatever the answer of its call was."""
    rows = [[escape(look.when), _found(look), *([f"{look.at:.2f} s"] if timed else [])] for look in tuple(trial.looks)]
    if trial.ran_in:
        rows.insert(0, ["where it ran", escape(trial.ran_in), *([""] if timed else [])])
    if timed and (ghost := trial.ghost) is not None:
        seconds, goes_on = ghost
        state = told("note", "goes on") if goes_on else told("good", "has ended")
        rows.append(["the ghost", state, f"{seconds:.2f} s past its limit"])
    headings = ["looked up", "found", *(["after"] if timed else [])]
    return table(headings, rows, "What remains alive") if rows else ""


def _found(look: Look) -> str:
    return told("note" if STILL in look.said else "good", look.said)
