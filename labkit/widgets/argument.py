"""The bad-argument injector of chapter 03: one call's way through the pipeline, and what the model gets to read.

    >>> injector = ArgumentLab()
    >>> injector.controls["fault"].value = "cut_json"
    >>> print(injector.text())

Does not: judge. The picture is drawn from ``passage``, which asks the runtime's own functions.
"""

from __future__ import annotations

import hashlib
import json
from html import escape

from labkit.calls import Repair, ToolCall
from labkit.course.faults import fault_tools, faults, good_calls
from labkit.course.lab import fresh_copy
from labkit.declare import ToolRegistry
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.runtime.passage import MARKS, Passage, Stage, State, passage
from labkit.runtime.prepare import REPAIRS, VALIDATORS
from labkit.timeline.shapes import ALARM, DIM, GREY, INK, PAPER, READ, WRITE, header, line, patch, sheet, text
from labkit.widgets.base import LabWidget, View, dropdown, textarea, toggle
from labkit.widgets.html import block, heading, sendable, table, told

GOOD, TYPED = "nothing", "typed"
FIRST_TOOL, FIRST_FAULT = "read_lines", "cut_json"
FAULT_SIZE = {"width": "440px", "max_width": "98%"}
TEXT_SIZE = {"width": "760px", "max_width": "98%", "height": "72px"}
LONGEST, IN_HEADING = 300, 100
"""Characters of the arguments that are shown in words and over the picture; the injector sends all of them."""


class ArgumentLab(LabWidget):
    """Choose a tool and a fault, or type the arguments; see which stage stops the call, and what the model reads.

    ``passage`` is the way of the call that is shown. The tools work on a throw-away copy of the calculator.
    """

    name = "bad-argument injector"

    def __init__(self) -> None:
        self._registry = ToolRegistry(fault_tools(fresh_copy(data("workspaces", "calculator"))))
        self._runtimes: dict[tuple[str, Repair], ToolRuntime] = {}
        self._faults, self._good = faults(), good_calls()
        self.passage: Passage
        self._typed: str | None = None
        first = _as_text(self._faults[FIRST_FAULT].call(FIRST_TOOL))
        super().__init__(
            {
                "tool": dropdown("Tool", "The tool that the model calls", options=list(self._good), value=FIRST_TOOL),
                "fault": dropdown(
                    "Fault",
                    "What is wrong with the call",
                    options=self._options(FIRST_TOOL),
                    value=FIRST_FAULT,
                    layout=FAULT_SIZE,
                ),
                "arguments": textarea(
                    "Arguments", "The text that the model sends; change it as you like", value=first, layout=TEXT_SIZE
                ),
                "validator": toggle("Validator", "Who judges the values", options=VALIDATORS),
                "repair": toggle("Repair", "Undo what has one reading only, or nothing", options=REPAIRS),
            }
        )

    def look(self) -> View:
        knobs = self.controls
        call = self._call(knobs["tool"].value, knobs["fault"].value)
        self.passage = passage(self._runtime(knobs["validator"].value, knobs["repair"].value), call)
        return View(in_words(self.passage), drawn(self.passage))

    def adjust(self, changed: str) -> None:
        tool, fault, box = (self.controls[name] for name in ("tool", "fault", "arguments"))
        if changed == "tool":
            options = self._options(tool.value)
            kept = fault.value if fault.value in [value for _, value in options] else GOOD
            fault.options = options
            fault.value = kept
        if changed == "fault" and fault.value == TYPED and self._typed is not None:
            box.value = self._typed
        if changed == "arguments":
            if fault.value == TYPED or box.value != _as_text(self._call(tool.value, fault.value)):
                fault.value, self._typed = TYPED, box.value
        elif fault.value != TYPED:
            box.value = _as_text(self._call(tool.value, fault.value))

    def summary(self) -> str:
        return ", ".join(str(self.controls[name].value) for name in ("tool", "fault", "validator", "repair"))

    def _options(self, tool: str) -> list[tuple[str, str]]:
        """Return the faults that apply to a tool, after the good call, before what is typed."""
        fitting = [
            (f"{fault.name}: {fault.title}", fault.name) for fault in self._faults.values() if tool in fault.calls
        ]
        return [("nothing wrong: the good call", GOOD), *fitting, ("the text that I typed", TYPED)]

    def _call(self, tool: str, fault: str) -> ToolCall:
        if fault == TYPED:
            return ToolCall("call_1", tool, self.controls["arguments"].value)
        return self._good[tool] if fault == GOOD else self._faults[fault].call(tool)

    def _runtime(self, validator: str, repair: Repair) -> ToolRuntime:
        if (validator, repair) not in self._runtimes:
            self._runtimes[validator, repair] = ToolRuntime(self._registry, validator=validator, repair=repair)
        return self._runtimes[validator, repair]


# ---- the same thing, said twice ----


def in_words(way: Passage) -> str:
    """Return what was sent, what each stage made of it, whether the tool was touched, and the tool message."""
    return f"{_sent(way.call)}\n\n{way.text()}\n\nThe model gets:\n{_message(way)}"


def drawn(way: Passage) -> str:
    """Return the picture of the pipeline, its table, and the tool message."""
    rows = [(escape(s.name), told(_TONES[s.state], s.state), _made_of(s)) for s in way.stages]
    return "".join(
        [
            heading(_sent(way.call, IN_HEADING)),
            pipeline_svg(way),
            table(("stage", "state", "what it made of the call"), rows, "The same as a table"),
            heading("The model gets"),
            block(_message(way)),
        ]
    )


_TONES: dict[State, str] = {
    "passed": "good",
    "repaired": "note",
    "stopped here": "bad",
    "failed": "bad",
    "not reached": "off",
}


CHARACTERS = 8_000  # what a page can show; the message itself is whole


def _made_of(stage: Stage) -> str:
    return "<br>".join(escape(sendable(line)) for line in (stage.said, *stage.told()))


def _message(way: Passage) -> str:
    """The tool message as it stands in the history; of a very long one its beginning."""
    message = sendable(json.dumps(way.result.to_message(), indent=2, ensure_ascii=False))
    hidden = len(message) - CHARACTERS
    return message if hidden <= 0 else f"{message[:CHARACTERS]}\n… and {hidden} more characters"


def _sent(call: ToolCall, room: int = LONGEST) -> str:
    shown = _as_text(call)
    more = f"… ({len(shown):,} characters)" if len(shown) > room else ""
    return f"The model calls {call.name} with " + ("no arguments" if call.arguments is None else shown[:room] + more)


def _as_text(call: ToolCall) -> str:
    return sendable(call.arguments) if isinstance(call.arguments, str) else ""


# ---- the picture ----

WIDTH, LEFT, TOP = 780, 20, 44
BOX, GAP, HIGH = 108, 18, 54
_INKS: dict[State, str] = {
    "passed": READ,
    "repaired": WRITE,
    "stopped here": ALARM,
    "failed": ALARM,
    "not reached": GREY,
}


def pipeline_svg(way: Passage) -> str:
    """Return six boxes in a row, one a stage, and what goes back to the model beneath the one where the call ended."""
    lines = [f"{stage.name}: {stage.state}" for stage in way.stages]
    key = "pl" + hashlib.sha256(repr((lines, way.touched, _answer(way))).encode()).hexdigest()[:10]
    parts = [header(sendable(str(way.call.name))[:40], way.verdict)]
    last = max(number for number, stage in enumerate(way.stages) if stage.state != "not reached")
    for number, stage in enumerate(way.stages):
        parts += _box(key, LEFT + number * (BOX + GAP), stage)
        if number:
            parts += _arrow(LEFT + number * (BOX + GAP) - GAP, reached=number <= last)
    parts += _back(way, LEFT + last * (BOX + GAP) + BOX / 2)
    told_all = ". ".join([*lines, way.touched, f"The model reads: {_answer(way)}"])
    return sheet(key, WIDTH, TOP + HIGH + 96, f"the way of one call: {way.verdict}", told_all, parts)


def _box(key: str, x: float, stage: Stage) -> list[str]:
    """A box: its outline, its hatch where the call ended or was mended, its name, and its state as mark and word."""
    ink = _INKS[stage.state]
    hatch = {"repaired": f"url(#{key}w)", "stopped here": f"url(#{key}g)", "failed": f"url(#{key}g)"}
    dash = {"not reached": ' stroke-dasharray="3 4"', "repaired": ' stroke-dasharray="9 3"'}.get(stage.state, "")
    thick = {"not reached": 1.0, "stopped here": 2.6, "failed": 2.6}.get(stage.state, 1.8)
    fill = hatch.get(stage.state, PAPER)
    outline = f'width="{BOX}" height="{HIGH}" rx="6" fill="{fill}" stroke="{ink}" stroke-width="{thick}"{dash}'
    bold = ' text-anchor="middle" font-weight="600"'
    faint = DIM if stage.state == "not reached" else INK
    return [
        f'<rect x="{x:.1f}" y="{TOP}" {outline}/>',
        patch(x + 8, TOP + 7, BOX - 16, HIGH - 14, PAPER),
        text(x + BOX / 2, TOP + 23, stage.name, faint, 13, bold),
        text(x + BOX / 2, TOP + 41, f"{MARKS[stage.state]} {stage.state}", faint, 11, ' text-anchor="middle"'),
    ]


def _arrow(x: float, *, reached: bool) -> list[str]:
    y = TOP + HIGH / 2
    if not reached:
        return [line(x + 2, y, x + GAP - 2, y, f'stroke="{GREY}" stroke-dasharray="1 3"')]
    head = f'<path d="M{x + GAP - 7:.1f} {y - 4:.1f}l6 4l-6 4z" fill="{INK}"/>'
    return [line(x + 2, y, x + GAP - 6, y, f'stroke="{INK}" stroke-width="1.4"'), head]


def _back(way: Passage, x: float) -> list[str]:
    """The way back to the model, and beneath it whether the tool was touched."""
    y = TOP + HIGH + 26
    bar = f'y="{y}" width="{WIDTH - 2 * LEFT}" height="28" rx="6" fill="{PAPER}" stroke="{INK}"'
    return [
        line(x, TOP + HIGH + 2, x, y - 6, f'stroke="{INK}" stroke-width="1.4"'),
        f'<path d="M{x - 4:.1f} {y - 7}l4 6l4 -6z" fill="{INK}"/>',
        f'<rect x="{LEFT}" {bar}/>',
        text(LEFT + 12, y + 18, f"the model reads: {_answer(way)}", INK, 12),
        text(LEFT, y + 50, f"{sendable(way.touched)}.", INK, 13, ' font-weight="600"'),
    ]


def _answer(way: Passage) -> str:
    """The first line of the content that the model gets, as far as there is room for it."""
    words = sendable(way.result.content.partition("\n")[0])
    return words if len(words) <= 96 else words[:95] + "…"
