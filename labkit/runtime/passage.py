"""The way of one call through the pipeline, stage by stage: what each made of it, where it stopped, what came back.

Chapter 03. For looking, not for running: ``dispatch`` is the short way. The result is the runtime's own, and with it
whether the tool was started. The stages before it are pure: they are asked once more, with what ``prepare`` uses.

    >>> print(passage(runtime, ToolCall("call_1", "add", '{"x": 1}')).verdict)
    refused at judge

Does not: decide anything of its own, keep the call out of the runtime: a tool that may run does run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from labkit.calls import CallRefused, ErrorCode, Problem, ToolCall, ToolResult, many, quote
from labkit.declare import Tool
from labkit.runtime.prepare import RULE_BROKE, Gate, fill_defaults
from labkit.runtime.runtime import ToolRuntime
from labkit.validate import parse

State = Literal["passed", "repaired", "stopped here", "failed", "not reached"]
STAGES = ("look up", "parse", "normalise", "judge", "cross-check", "run")
READINGS = ("integral_float", "null_default", "surrogates")
"""What ``normalise`` may do under every policy: it says what the values mean, and undoes no wrong spelling."""
MARKS: dict[State, str] = {"passed": "✓", "repaired": "!", "stopped here": "✗", "failed": "✗", "not reached": "·"}
SHOWN = 64
TOLD = 20


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage made of a call. A value; ``values`` are those that it handed on, None where it handed on none.

    ``stopped here`` is a refusal; ``failed`` is said of ``run`` alone, where the tool was run and has no result.
    """

    name: str
    state: State
    said: str
    values: dict[str, Any] | None = None
    repairs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def told(self) -> list[str]:
        """Return the problems, a line each; of very many the first, and how many more there are."""
        hidden = len(self.problems[TOLD:])
        return [*map(str, self.problems[:TOLD]), *([f"and {many(hidden, 'more problem')}"] if hidden else [])]


@dataclass(frozen=True, slots=True, repr=False)
class Passage:
    """One call's way through all six stages. A value."""

    call: ToolCall
    stages: tuple[Stage, ...]
    result: ToolResult

    @property
    def ran(self) -> bool:
        """Whether the tool was touched: the runtime sets the start where it calls the tool's function."""
        return self.result.started is not None

    @property
    def stopped_at(self) -> str | None:
        """The name of the stage at which the call ended with an error, or None."""
        return next((stage.name for stage in self.stages if stage.state in ("stopped here", "failed")), None)

    @property
    def verdict(self) -> str:
        """``ran``, ``repaired and ran``, ``ran and failed``, or ``refused at`` a stage."""
        if self.stopped_at is not None:
            return "ran and failed" if self.ran else f"refused at {self.stopped_at}"
        return "repaired and ran" if any(stage.state == "repaired" for stage in self.stages) else "ran"

    @property
    def touched(self) -> str:
        """Whether the tool was touched, as a sentence without its full stop."""
        name = self.call.name if isinstance(self.call.name, str) and self.call.name.isprintable() else "the tool"
        return f"{name[:SHOWN]} {'ran once' if self.ran else 'was not run'}"

    def text(self) -> str:
        """Return the whole way as lines: one a stage, one for each problem, and whether the tool was touched."""
        lines = []
        for stage in self.stages:
            lines.append(f"{MARKS[stage.state]} {stage.name:<12} {stage.state:<13} {stage.said}".rstrip())
            lines += [f"{'':<29}{told}" for told in stage.told()]
        return "\n".join([*lines, self.touched])

    def __repr__(self) -> str:
        return f"Passage({self.verdict}; {self.touched})"


def passage(runtime: ToolRuntime, call: ToolCall) -> Passage:
    """Send one call through a runtime and return what each stage made of it.

    The call is dispatched, so a tool that may run does run. Validators of a tool's own models are asked once more than
    by ``dispatch``. Raises what that raises: TypeError for what is no ``ToolCall``, and an interrupt.
    """
    result = runtime.dispatch(call)
    gate = _look_up(runtime, call)
    stages = [_stopped("look up", result)] if gate is None else [*_stages(gate, call, result)]
    stages += [Stage(name, "not reached", "") for name in STAGES[len(stages) :]]
    return Passage(call, tuple(stages), result)


def _stages(gate: Gate, call: ToolCall, result: ToolResult) -> Iterator[Stage]:
    """Yield the stages that the call reached; the last one may have stopped it."""
    yield Stage("look up", "passed", f"there is a tool {gate.tool.name}")
    try:
        values, repairs = parse(call.arguments, gate.repair)
    except CallRefused:
        yield _stopped("parse", result)
        return
    yield _handed_on("parse", values, repairs, "" if values else "no arguments: ")
    values, undone = gate.normalise(values)
    yield _handed_on("normalise", values, undone) if undone else Stage("normalise", "passed", "as it was", values)
    typed, problems = gate.judge(values)
    if typed is None:
        yield Stage("judge", "stopped here", many(len(problems), "problem"), problems=tuple(problems))
        return
    whole = dict(typed)
    fill_defaults(whole, gate.tool.defaults)
    filled = [name for name in whole if name not in values]
    yield Stage("judge", "passed", "fits" + (f"; filled in: {', '.join(filled)}" if filled else ""), typed)
    if _rule_refused(gate.tool, result):
        yield _stopped("cross-check", result)
        return
    rule = "the values fit together" if gate.tool.check else "this tool has no such rule"
    yield Stage("cross-check", "passed", rule, whole)
    if result.error is not None:
        yield _stopped("run", result, "stopped here" if result.started is None else "failed")
        return
    yield Stage("run", "passed", _told(result))


def _rule_refused(tool: Tool, result: ToolResult) -> bool:
    """Say whether a tool's own rule stopped the call, by what came back: to ask the rule again could change it."""
    if tool.check is None or result.error is None or result.started is not None:
        return False
    broke = result.error.code == ErrorCode.EXECUTION_ERROR and result.error.message.startswith(RULE_BROKE)
    return result.error.code == ErrorCode.INVALID_RANGE or broke


def _stopped(name: str, result: ToolResult, state: State = "stopped here") -> Stage:
    said = "" if result.error is None else f"{result.error.code}: {result.error.message}"
    return Stage(name, state, said)


def _handed_on(name: str, values: dict[str, Any], repairs: tuple[str, ...], before: str = "") -> Stage:
    """Say what a stage hands on, and what it had to undo or to read in a certain way for that."""
    undone = [repair for repair in repairs if repair not in READINGS]
    said = f"undone: {', '.join(undone)}; " if undone else ""
    said += "".join(f"read as {repair}; " for repair in repairs if repair in READINGS)
    return Stage(name, "repaired" if undone else "passed", said + before + shown(values), values, repairs)


def _told(result: ToolResult) -> str:
    return ("" if result.ok else "it ran, and what it looked at did not pass: ") + quote(result.content)


def shown(values: dict[str, Any]) -> str:
    """Return values as JSON on one line, cut where they are long; typed ones as their text."""
    text = json.dumps(values, ensure_ascii=False, default=str)
    text = "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in text[: SHOWN + 1])
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _look_up(runtime: ToolRuntime, call: ToolCall) -> Gate | None:
    """Return what stands before the tool, made new where the runtime has not met the tool yet; None where it can't."""
    tool = runtime.registry.get(call.name) if isinstance(call, ToolCall) else None
    if tool is None:
        return None
    try:
        return runtime._gates.get(call.name) or Gate(tool, runtime.validator, runtime.repair)
    except ValueError:  # the schema holds what the validator does not know; ``dispatch`` says so
        return None
