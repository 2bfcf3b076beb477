"""The concurrency lab of chapter 05: which calls may run together, what that gains, and what it may cost.

    >>> concurrency = ConcurrencyLab()
    >>> concurrency.controls["policy"].value = "reads_first"
    >>> concurrency.run()
    >>> print(concurrency.text())

Does not: plan, predict or run. ``labkit.course.scheduling`` does, by the functions that the chapter calls.
"""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W  # noqa: N812

from labkit.course.scheduling.batches import LENGTHS, LONGEST, MIXES, MOST_CALLS, OWN_FILES, RESOURCES, batch, written
from labkit.course.scheduling.report import ROWS, in_words, numbers, verdict, who_waits
from labkit.course.scheduling.trial import Setting, Trial
from labkit.schedule import POLICIES
from labkit.timeline import Timeline, compare
from labkit.timeline.words import RULES
from labkit.widgets.base import View, checkbox, control, dropdown, textarea
from labkit.widgets.html import columns, heading, paragraph, sendable, table, told
from labkit.widgets.running import RUNNING, RunningLab

WRITTEN = "as written below"
MAKERS = ("mix", "count", "resources", "lengths", "longest")
"""The knobs that the lines are made from."""
FIRST: dict[str, Any] = {
    "mix": "read · edit · read",
    "count": 9,
    "resources": "two files",
    "lengths": "equal",
    "longest": 200,
}
"""Long enough to be watched, and the policies differ."""
OFF = "Concurrency is off: one call at a time, in call order. That is the policy serial."
NOT_RUN = "Nothing is run until every line can be read."
SHOWN_PROBLEMS = 5
BOX = {"width": "330px", "height": "150px"}


class ConcurrencyLab(RunningLab):
    """Choose a policy and a batch, or write the batch line by line; see who waits for whom, and run it.

    ``work`` is the ``Trial`` that is shown. The calls of a run really sleep, and really touch files of their own.
    """

    name = "concurrency lab"

    def __init__(self) -> None:
        self._typed: str | None = None
        super().__init__(_knobs())

    def look(self) -> View:
        setting, trial = self.choice(), self.work
        if setting is None:
            return _unreadable(written(self.controls["calls"].value)[1])
        assert trial is None or isinstance(trial, Trial)
        off = "" if self.controls["together"].value else OFF
        fits = trial is not None and trial.setting == setting
        words = in_words(setting, trial if fits else None)
        text = f"{off}\n{words}" if off else words
        head, waits = paragraph(off) if off else "", _who_waits(setting)
        tables = columns([waits, _numbers(setting.predicted)])
        ahead = head + _verdict(setting.warnings, "predicted") + setting.predicted.to_svg() + tables
        if trial is None or not fits:
            return View(text, ahead + (_other(trial, self.state) if trial else ""), ahead)
        seen, found = trial.measured, _verdict(trial.warnings, "measured")
        table_of_both = _numbers(setting.predicted, seen, going=trial.results is None)
        waits = _who_waits(setting, seen)
        now = head + found + compare(setting.predicted, seen).to_svg() + columns([waits, table_of_both])
        return View(text, now, ahead + ("" if trial.warnings is None else found))

    def adjust(self, changed: str) -> None:
        mix, box = self.controls["mix"], self.controls["calls"]
        if changed == "calls" and box.value != self._made():
            mix.value, self._typed = WRITTEN, box.value
        elif changed in MAKERS and mix.value != WRITTEN:
            box.value = self._made()
        elif changed == "mix" and self._typed is not None:
            box.value = self._typed
        for name in MAKERS[1:]:
            self.controls[name].disabled = mix.value == WRITTEN or (name == "resources" and mix.value == OWN_FILES)
        self.controls["policy"].disabled = not self.controls["together"].value

    def prepare(self) -> Trial:
        setting = self.choice()
        assert setting is not None, "nothing is run that can't be read: see blocked"
        return Trial(setting)

    def blocked(self) -> str | None:
        return "a line can't be read: mend it, then press Run" if self.choice() is None else None

    def choice(self) -> Setting | None:
        """Return what a run depends on: what the lines say, however they came about. None where one can't be read."""
        lines, problems = written(self.controls["calls"].value)
        policy = self.controls["policy"].value if self.controls["together"].value else "serial"
        return None if problems else Setting(lines, policy, self.controls["max_parallel"].value)

    def summary(self) -> str:
        setting, mix = self.choice(), self.controls["mix"].value
        return f"{setting.policy}, {len(setting.lines)} calls, {mix}" if setting else "a line can't be read"

    def _put_back(self) -> None:
        self._typed = None
        super()._put_back()

    def _made(self) -> str:
        """Return the lines that the other knobs stand for; for those that leave it to the learner, what was written."""
        knobs = {name: self.controls[name].value for name in MAKERS}
        return (self._typed or "") if knobs["mix"] == WRITTEN else _lines(knobs)


def _lines(knobs: dict[str, Any]) -> str:
    return "\n".join(line.text for line in batch(**knobs))


# ---- what it shows ----


def _unreadable(problems: tuple[str, ...]) -> View:
    """What can't be read, line by line, and what to write instead."""
    more = len(problems) - SHOWN_PROBLEMS
    shown = [sendable(problem) for problem in problems[:SHOWN_PROBLEMS]]
    shown += [f"And {more} more."] if more > 0 else []
    rows = "".join(_line("bad", problem) for problem in shown)
    return View("\n".join([*shown, NOT_RUN]), rows + paragraph(NOT_RUN))


def _who_waits(setting: Setting, measured: Timeline | None = None) -> str:
    """The plan as a table; of a run, when each call began and ended, in milliseconds."""
    rows = [(_whole(call), _whole(does), escape(waits)) for call, does, waits in who_waits(setting)]
    heads = ("call", "what it does", "waits for")
    title = f"The plan: {setting.policy}, {RULES[setting.policy]}"
    if measured is None:
        return table(heads, rows, title)
    times = [(_milliseconds(span.started), _milliseconds(span.finished)) for span in measured.spans]
    both = [(*row, *moments) for row, moments in zip(rows, times, strict=True)]
    return table((*heads, "began, ms", "ended, ms"), both, f"{title}; and what was measured")


def _milliseconds(moment: float | None) -> str:
    return "-" if moment is None else f"{1000 * moment:.0f}"


def _whole(text: str) -> str:
    return f'<span style="white-space:nowrap">{escape(text)}</span>'


def _verdict(warnings: tuple[str, ...] | None, source: str) -> str:
    """Say whether the outcome is that of serial; of a run that is not over yet, that this is not known."""
    if warnings is None:
        return _line("off", "same outcome as serial? Not known yet: calls go on")
    same, sentence = verdict(warnings, source)
    return _line("good" if same else "bad", sentence)


def _line(tone: str, sentence: str) -> str:
    return f'<div style="margin:6px 0">{told(tone, sentence)}</div>'


def _numbers(predicted: Timeline, measured: Timeline | None = None, *, going: bool = False) -> str:
    seen = [numbers(measured)] if measured else []
    if going:  # what only a whole run can tell
        seen = [
            tuple("-" if row in ROWS[2::2] else value for row, value in zip(ROWS, each, strict=True)) for each in seen
        ]
    told_by = [ROWS, numbers(predicted), *seen]
    heads = ("", "predicted", "measured, so far" if going else "measured")[: len(told_by)]
    rows = [tuple(map(escape, row)) for row in zip(*told_by, strict=True)]
    return table(heads, rows, "What it comes to")


def _other(trial: Trial, state: str) -> str:
    """The run that the knobs do not fit any more: on an axis of its own, because it had other calls."""
    when = "The run that goes on" if state == RUNNING else "The last run"
    found = _verdict(trial.warnings, "measured")
    return heading(f"{when} had other knobs: {trial.setting.policy}") + trial.measured.to_svg() + found


# ---- what it asks ----


def _knobs() -> dict[str, Any]:
    return {
        "together": checkbox("Concurrency", "Off means one call at a time, in call order: serial", value=True),
        "policy": dropdown(
            "Policy", "Who decides which calls wait for which", options=list(POLICIES), value="barriers"
        ),
        "mix": dropdown("Calls", "Ready batches, or your own lines", options=[*MIXES, WRITTEN], value=FIRST["mix"]),
        "count": _slider("Number", "How many calls the message holds", 1, MOST_CALLS, FIRST["count"]),
        "resources": dropdown(
            "Files", "Which file each call touches", options=list(RESOURCES), value=FIRST["resources"]
        ),
        "lengths": dropdown("Lengths", "How long the calls take", options=list(LENGTHS), value=FIRST["lengths"]),
        "longest": _slider("Longest, ms", "How long the longest call takes", 20, LONGEST, FIRST["longest"], 10),
        "max_parallel": _slider("At once, at most", "How many calls may be at work at once", 1, MOST_CALLS, MOST_CALLS),
        "calls": textarea(
            "The calls",
            "One call a line: read or edit, a file, milliseconds. Change them as you like",
            value=_lines(FIRST),
            layout=BOX,
        ),
    }


def _slider(description: str, tooltip: str, least: int, most: int, value: int, step: int = 1) -> Any:
    bounds = {"min": least, "max": most, "step": step, "continuous_update": False}
    return control(W.IntSlider, description, tooltip, value=value, **bounds)
