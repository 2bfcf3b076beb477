"""Sees that a model goes round in circles, and stops the calls that it repeats.

Chapter 08. A *round* is a tool, its canonical arguments, and the content that came back. ``RetryGuard`` holds settings
and is a value; ``Watch`` is the memory of one run. Neither runs a tool or asks a model.

    >>> watch = RetryGuard(max_same_failures=2).watch(registry)
    >>> for _ in range(2):
    ...     watch.note([call], [runtime.dispatch(call)])          # not_found, twice
    >>> watch.refuse(call).code
    'tool_banned'

Does not: see a circle in which every step changes something, such as an edit that is made and undone; the turn limit
ends that one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.calls import CallRefused, ErrorCode, ToolCall, ToolError, ToolResult, many
from labkit.declare import Tool, ToolRegistry
from labkit.validate import normaliser, parse

PAIRS_OF_A_TOOL = 3
"""So many pairs of one tool that fail again and again withdraw the tool as a whole."""

TURNS_REFUSED = 2
"""After so many turns in a row in which every call was refused, there is nothing left to wait for."""

NAMED = 15

Values = dict[str, Any]
Normalise = Callable[[Values], tuple[Values, tuple[str, ...]]]
Pair = tuple[str, str]
Rounds = dict[Pair, Counter[str]]


@dataclass(frozen=True)
class RetryGuard:
    """How often a model may repeat itself. A value; one guard may serve many runs.

    ``max_same_failures`` counts equal rounds that failed with an error, ``max_same_results`` equal rounds that did not.
    Raises ValueError for a limit that is no whole number of at least 1.
    """

    max_same_failures: int = 2
    max_same_results: int = 3

    def __post_init__(self) -> None:
        for name in ("max_same_failures", "max_same_results"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")

    def watch(self, registry: ToolRegistry) -> Watch:
        """Return the memory of a run that begins now."""
        return Watch(self, registry)


class Watch:
    """What one run has repeated so far.

    A successful call of a tool that is not read-only may have changed the world. From there on the results of all other
    calls count anew, and what was banned for them is free again. Failures do so too, but only after a change that this
    run has not made before: else a harmless call in between would hide a failing one for ever.
    """

    def __init__(self, guard: RetryGuard, registry: ToolRegistry) -> None:
        self.guard = guard
        self.registry = registry
        self._failures: Rounds = {}
        self._results: Rounds = {}
        self._codes: dict[Pair, str] = {}
        self._failing: dict[str, set[Pair]] = {}  # per tool, what was banned since it last worked
        self._changes: set[tuple[Pair, str]] = set()
        self._refused_turns = 0
        self._normal: dict[str, Normalise] = {}

    def refuse(self, call: ToolCall) -> ToolError | None:
        """Return why a call is not to be run, for the model to read; None where it may."""
        pair = self._pair(call)
        if pair[0] in self.withdrawn:
            message = f"not run: {pair[0]} is withdrawn; {PAIRS_OF_A_TOOL} different calls of it kept failing"
            return self._error(call, message, "use another tool")
        if (times := _most(self._failures, pair)) >= self.guard.max_same_failures:
            failed = f"not run: this call failed {_times(times)} in the same way ({self._codes[pair]})"
            change = "" if self._tool(call.name) is None else "change the arguments, "
            return self._error(call, failed, f"{change}use another tool")
        if (times := _most(self._results, pair)) >= self.guard.max_same_results:
            same = f"not run: this call gave the same result {_times(times)}, with no other change in between"
            return self._error(call, same, "use the result you have, change the arguments, use another tool")
        return None

    def note(self, calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> None:
        """Take in the results of a turn, in call order. Equal rounds within one turn count once."""
        seen: set[tuple[Pair, str]] = set()
        for call, result in zip(calls, results, strict=True):
            pair = self._pair(call)
            if (pair, result.content) not in seen and not _unrun(result):
                seen.add((pair, result.content))
                self._count(pair, result)
        codes = {str(result.error.code) if result.error else "" for result in results}
        refused = codes == {ErrorCode.TOOL_BANNED}
        self._refused_turns = self._refused_turns + 1 if refused else 0

    @property
    def withdrawn(self) -> frozenset[str]:
        """The tools that are banned as a whole; they are left out of what the model is offered."""
        return frozenset(name for name, pairs in self._failing.items() if len(pairs) >= PAIRS_OF_A_TOOL)

    @property
    def stuck(self) -> bool:
        """Whether every call of the last turns was refused: the model has been told, and goes on all the same."""
        return self._refused_turns >= TURNS_REFUSED

    def _count(self, pair: Pair, result: ToolResult) -> None:
        if result.error is not None:
            self._failures.setdefault(pair, Counter())[result.content] += 1
            self._codes[pair] = str(result.error.code)
            if _most(self._failures, pair) >= self.guard.max_same_failures:
                self._failing.setdefault(pair[0], set()).add(pair)
            return
        self._failures.pop(pair, None)
        self._failing.pop(pair[0], None)
        tool = self._tool(pair[0])
        if result.ok and tool is not None and not tool.readonly:
            self._changed(pair, result.content)
        self._results.setdefault(pair, Counter())[result.content] += 1

    def _changed(self, pair: Pair, content: str) -> None:
        """A tool that may change the world has worked; what other calls saw before may be otherwise now."""
        self._results = {pair: self._results[pair]} if pair in self._results else {}
        if (pair, content) not in self._changes:
            self._changes.add((pair, content))
            self._failures.clear()
            self._failing.clear()

    def _pair(self, call: ToolCall) -> Pair:
        tool = self._tool(call.name)
        if tool is None:
            return str(call.name), fingerprint(call)
        normal = self._normal.get(tool.name)
        if normal is None:
            normal = self._normal[tool.name] = normaliser(tool.parameters)
        return tool.name, fingerprint(call, lambda values: {**_defaults(tool), **normal(values)[0]})

    def _tool(self, name: Any) -> Tool | None:
        return self.registry.get(name) if isinstance(name, str) else None

    def _error(self, call: ToolCall, message: str, instead: str) -> ToolError:
        """What else there is stands in the hint: other tools by name, or an answer."""
        name = self._pair(call)[0]
        others = [tool.name for tool in self.registry if tool.name not in self.withdrawn | {name}]
        more = f" and {many(len(others) - NAMED, 'more tool')}" if len(others) > NAMED else ""
        named = f" ({', '.join(others[:NAMED])}{more})" if others else ""
        return ToolError(ErrorCode.TOOL_BANNED, message, name, f"{instead}{named}, or answer with what you know")


def fingerprint(call: ToolCall, normal: Callable[[Values], Values] | None = None) -> str:
    """Return the arguments in one spelling: decoded, keys sorted, ``1.0`` as ``1``; what can't be read stays text.

    ``normal`` does what a declaration says besides: it fills defaults, say.
    """
    try:
        values, _ = parse(call.arguments)
    except CallRefused:
        return call.arguments if isinstance(call.arguments, str) else _unread(call.arguments)
    return json.dumps(_plain(normal(values) if normal else values), sort_keys=True, ensure_ascii=False, default=repr)


def _defaults(tool: Tool) -> dict[str, Any]:
    """What the declaration says a parameter is where it is left out."""
    declared: Mapping[str, Any] = tool.parameters.get("properties") or {}
    return {name: each["default"] for name, each in declared.items() if isinstance(each, dict) and "default" in each}


def _unread(arguments: Any) -> str:
    """What is no JSON at all, as Python spells it; its type where even that fails."""
    try:
        return repr(arguments)
    except Exception:
        return type(arguments).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _most(rounds: Rounds, pair: Pair) -> int:
    return max(rounds[pair].values()) if pair in rounds else 0


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _unrun(result: ToolResult) -> bool:
    """Whether the call was answered by the loop itself: that says nothing about the call."""
    return result.error is not None and (
        result.error.code == ErrorCode.TRUNCATED or ErrorCode(result.error.code).layer == "control"
    )
