"""Before anything runs: from untrusted arguments to validated values, or to a refusal. Pure."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from typing import Any

from labkit.calls import CallRefused, ErrorCode, Problem, Repair, ToolCall, ToolError, ToolResult, failed, many, quote
from labkit.declare import Tool, ToolRegistry
from labkit.runtime.content import capped, outcome
from labkit.validate import judge, normaliser, parse
from labkit.workers import fault
from labkit.workers.child import blot

VALIDATORS = ("pydantic", "subset", "jsonschema")
REPAIRS: tuple[Repair, ...] = ("lossless", "none")
CHANGEABLE = (list, dict, set)
MOST_NAMED = 100
"""The most tools that the answer to an unknown name lists; their names are 64 characters at most."""
RULE_BROKE = "the cross-field rule of"


class Prepared:
    """A call that may run: its tool, and its values typed and with defaults."""

    __slots__ = ("call", "gate", "repairs", "tool", "values")

    def __init__(self, call: ToolCall, gate: Gate, values: dict[str, Any], repairs: tuple[str, ...]) -> None:
        self.call = call
        self.gate = gate
        self.tool = gate.tool
        self.values = values
        self.repairs = repairs


class Gate:
    """What stands before and behind one tool, made ready once.

    ``inline`` says that a call may run in the caller's thread where it is alone: no limit has to be kept. ``finish``
    turns what the tool returned into an ``Outcome``.
    """

    __slots__ = ("finish", "inline", "judge", "normalise", "repair", "tool")

    def __init__(self, tool: Tool, validator: str, repair: Repair = "lossless") -> None:
        self.tool = tool
        self.repair = repair
        self.normalise = normaliser(tool.parameters, repair)
        self.judge = judge(validator, tool.parameters, tool.adapter, _authors_words)
        self.finish = partial(outcome, tool.name)
        self.inline = tool.timeout is None and tool.run_in == "thread" and not tool.is_async


def _authors_words(problem: BaseException | str) -> str:
    """Return what may be told of an exception, or of a text, that an author's rule gave; empty for nothing."""
    return blot(problem) if isinstance(problem, str) else fault(problem).words


def admit(call: ToolCall, gate: Gate) -> Prepared | ToolResult:
    """Return the call ready to run, or the result that says why it may not. The tool is not touched."""
    tool = gate.tool
    try:
        values, repairs = parse(call.arguments, gate.repair)
    except CallRefused as refusal:
        return _refused(call, replace(refusal.error, tool=tool.name))
    values, undone = gate.normalise(values)
    if undone:
        repairs += undone
    typed, problems = gate.judge(values)
    if typed is None:
        return _refused(call, _misfit(tool, problems), repairs)
    if tool.defaults:
        fill_defaults(typed, tool.defaults)
    if tool.check is not None and (error := _cross_check(tool, typed)) is not None:
        return _refused(call, error, repairs)
    return Prepared(call, gate, typed, repairs)


def unknown_tool(call: ToolCall, registry: ToolRegistry) -> ToolResult:
    """Return the answer to a call of a tool that does not exist: which tools there are, and the nearest name."""
    from difflib import get_close_matches

    name = call.name if isinstance(call.name, str) else ""
    names = [tool.name for tool in registry]
    near = get_close_matches(name[:100], names, n=1)
    more = f" and {many(len(names) - MOST_NAMED, 'more tool')}" if len(names) > MOST_NAMED else ""
    hint = f"did you mean {near[0]}? " if near else ""
    hint += f"Available tools: {', '.join(names[:MOST_NAMED]) or 'none'}{more}"
    message = f"there is no tool {quote(call.name)}"
    return _refused(call, ToolError(ErrorCode.UNKNOWN_TOOL, message, name[:100], hint))


def _refused(call: ToolCall, error: ToolError, repairs: tuple[str, ...] = ()) -> ToolResult:
    """Return the result of a call that is not run; it is bounded like any other."""
    result = failed(call, error, repairs)
    result.content = capped(result.content)
    return result


def _misfit(tool: Tool, problems: list[Problem]) -> ToolError:
    message = f"{many(len(problems), 'problem')} in the arguments of {tool.name}; the tool was not run"
    return ToolError(ErrorCode.SCHEMA_VALIDATION, message, tool.name, problems=tuple(problems))


def fill_defaults(values: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Put the signature's own defaults in where nothing was sent; what could be changed is copied."""
    for name, default in defaults.items():
        if name not in values:
            values[name] = copy.deepcopy(default) if isinstance(default, CHANGEABLE) else default


def _cross_check(tool: Tool, values: dict[str, Any]) -> ToolError | None:
    try:
        sentence = tool.check(values) if tool.check else None
    except (Exception, SystemExit, GeneratorExit) as problem:  # the author's rule failed, not the model's arguments
        message = f"{RULE_BROKE} {tool.name} failed: {type(problem).__name__}"
        return ToolError(ErrorCode.EXECUTION_ERROR, message, tool.name)
    return None if sentence is None else ToolError(ErrorCode.INVALID_RANGE, sentence, tool.name)
