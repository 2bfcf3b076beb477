"""The way of one call through the pipeline, stage by stage: what each made of it, where it stopped, what came back.

Chapter 03. For looking, not for running: ``dispatch`` is the short way. The stages are asked with the functions that
``prepare`` uses, the result is the runtime's own, and whether the tool was touched is counted at its function.

    >>> print(passage(runtime, ToolCall("call_1", "add", '{"x": 1}')).verdict)
    refused at judge

Does not: decide anything of its own, keep the call out of the runtime: a tool that may run does run.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from labkit.calls import CallRefused, Problem, ToolCall, ToolResult, many, quote
from labkit.declare import Tool, ToolRegistry
from labkit.runtime.prepare import Gate, Prepared, admit
from labkit.runtime.runtime import ToolRuntime
from labkit.validate import parse
from labkit.workers.processes import CannotSend, pickled

State = Literal["passed", "repaired", "stopped here", "failed", "not reached"]
STAGES = ("look up", "parse", "normalise", "judge", "cross-check", "run")
READINGS = ("integral_float", "null_default", "surrogates")
"""What ``normalise`` may do under every policy: it says what the values mean, and undoes no wrong spelling."""
MARKS: dict[State, str] = {"passed": "✓", "repaired": "!", "stopped here": "✗", "failed": "✗", "not reached": "·"}
SHOWN = 64


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


@dataclass(frozen=True, slots=True, repr=False)
class Passage:
    """One call's way through all six stages. A value; ``runs`` is how often the tool's function was called."""

    call: ToolCall
    stages: tuple[Stage, ...]
    result: ToolResult
    runs: int

    @property
    def stopped_at(self) -> str | None:
        """The name of the stage at which the call ended with an error, or None."""
        return next((stage.name for stage in self.stages if stage.state in ("stopped here", "failed")), None)

    @property
    def verdict(self) -> str:
        """``ran``, ``repaired and ran``, ``ran and failed``, or ``refused at`` a stage."""
        if self.stopped_at is not None:
            return "ran and failed" if self.runs else f"refused at {self.stopped_at}"
        return "repaired and ran" if any(stage.state == "repaired" for stage in self.stages) else "ran"

    @property
    def touched(self) -> str:
        """Whether the tool was touched, as a sentence without its full stop."""
        name = self.call.name if isinstance(self.call.name, str) and self.call.name.isprintable() else "the tool"
        times = "once" if self.runs == 1 else f"{self.runs} times"
        return f"{name[:SHOWN]} ran {times}" if self.runs else f"{name[:SHOWN]} was not run"

    def text(self) -> str:
        """Return the whole way as lines: one a stage, one for each problem, and whether the tool was touched."""
        lines = []
        for stage in self.stages:
            lines.append(f"{MARKS[stage.state]} {stage.name:<12} {stage.state:<13} {stage.said}".rstrip())
            lines += [f"{'':<29}{problem}" for problem in stage.problems]
        return "\n".join([*lines, self.touched])

    def __repr__(self) -> str:
        return f"Passage({self.verdict}; {self.touched})"


def passage(runtime: ToolRuntime, call: ToolCall) -> Passage:
    """Send one call through a runtime and return what each stage made of it.

    The tool runs where ``runtime.dispatch(call)`` would run it, and the result is the one that it would return; a
    tool's own ``check`` is asked once more than there. Raises what ``dispatch`` raises: TypeError for what is no
    ``ToolCall``, and an interrupt.
    """
    gate = _look_up(runtime, call)
    if gate is None:
        result, runs = runtime.dispatch(call), 0
        stages = [_stopped("look up", result)]
    else:
        result, runs = _run_counted(runtime, gate, call)
        stages = [*_stages(gate, call, result, runs)]
    stages += [Stage(name, "not reached", "") for name in STAGES[len(stages) :]]
    return Passage(call, tuple(stages), result, runs)


def _stages(gate: Gate, call: ToolCall, result: ToolResult, runs: int) -> Iterator[Stage]:
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
    item = admit(call, gate)
    filled = [name for name in (item.values if isinstance(item, Prepared) else typed) if name not in values]
    yield Stage("judge", "passed", "fits" + (f"; filled in: {', '.join(filled)}" if filled else ""), typed)
    if isinstance(item, ToolResult):
        yield _stopped("cross-check", item)
        return
    rule = "the values fit together" if gate.tool.check else "this tool has no such rule"
    yield Stage("cross-check", "passed", rule, item.values)
    if result.error is not None:
        yield _stopped("run", result, "failed" if runs else "stopped here")
        return
    yield Stage("run", "passed", _told(result, runs))


def _stopped(name: str, result: ToolResult, state: State = "stopped here") -> Stage:
    said = "" if result.error is None else f"{result.error.code}: {result.error.message}"
    return Stage(name, state, said)


def _handed_on(name: str, values: dict[str, Any], repairs: tuple[str, ...], before: str = "") -> Stage:
    """Say what a stage hands on, and what it had to undo or to read in a certain way for that."""
    undone = [repair for repair in repairs if repair not in READINGS]
    said = f"undone: {', '.join(undone)}; " if undone else ""
    said += "".join(f"read as {repair}; " for repair in repairs if repair in READINGS)
    return Stage(name, "repaired" if undone else "passed", said + before + shown(values), values, repairs)


def _told(result: ToolResult, runs: int) -> str:
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


def _run_counted(runtime: ToolRuntime, gate: Gate, call: ToolCall) -> tuple[ToolResult, int]:
    """Dispatch the call over a twin of the runtime, in which the tool's function leaves a mark when it is called."""
    if gate.tool.run_in == "process" and not _can_be_sent(gate.tool):
        return runtime.dispatch(call), 0
    descriptor, marks = tempfile.mkstemp(prefix="labkit-marks-")
    os.close(descriptor)
    twin = _twin(runtime, gate, call.name, marks)
    try:
        return twin.dispatch(call), Path(marks).stat().st_size
    finally:
        # A call that is still at work holds later ones here, as it would if this runtime had run it.
        runtime._hold(*(each for each in twin._held if each not in runtime._held))
        Path(marks).unlink(missing_ok=True)


def _can_be_sent(tool: Tool) -> bool:
    """Say whether a function can be copied into a process; if not, it never runs, and the error names what it holds."""
    try:
        return bool(pickled(tool, (tool.fn, [], {})))
    except CannotSend:
        return False


def _twin(runtime: ToolRuntime, gate: Gate, name: str, marks: str) -> ToolRuntime:
    """Return a copy of the runtime that knows the tool by a function that counts; all else of it is the same."""
    counted = replace(gate.tool, fn=_counting(gate.tool.fn, marks))
    door = copy.copy(gate)
    door.tool = counted
    twin = copy.copy(runtime)
    twin.registry = ToolRegistry(counted if each is gate.tool else each for each in runtime.registry)
    twin._gates = {**runtime._gates, name: door}
    return twin


def _counting(fn: Callable[..., Any], marks: str) -> Callable[..., Any]:
    """Return the function, leaving one byte in a file for every call: a process of its own can do that too."""

    @functools.wraps(fn)
    def counted(*args: Any, **kwargs: Any) -> Any:
        with suppress(OSError):  # the file is gone once nobody waits for the call any more
            descriptor = os.open(marks, os.O_WRONLY | os.O_APPEND)
            os.write(descriptor, b"x")
            os.close(descriptor)
        return fn(*args, **kwargs)

    return counted
