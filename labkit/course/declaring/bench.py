"""From a source text to what it declares: schema, strict schema, findings, sample calls and their verdicts. Chapter 02.

    >>> found = declared('def roll(sides: int = 6) -> int:\\n    "Roll a die."')
    >>> found.schema["properties"]
    {'sides': {'type': 'integer', 'default': 6}}

The source is executed in this very process, with all that the process may do: it is the learner's own. It gets
``LIMIT`` seconds for that, and for all that describes and judges it; then it is stopped.

Does not: call the function, guard anything against the source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

from labkit.calls import ToolCall, ToolError
from labkit.course.declaring.defining import FILE, NotDeclared, line_of, module_for_source, sentence, tool_in
from labkit.course.declaring.limited import TimeIsUp, TookTooLong, within
from labkit.course.declaring.sampling import SampleCall, sample_calls
from labkit.declare import Finding, Tool, ToolRegistry, lint
from labkit.runtime import ToolRuntime

LIMIT = 1.0
"""Seconds that a source may take to be defined, described and judged."""
WIDTH = 76


class Judged(NamedTuple):
    """A sample call and what the gate said. A value; ``says`` is the first problem, empty where there is none."""

    sample: SampleCall
    accepted: bool
    says: str


@dataclass(frozen=True, repr=False)
class Declared:
    """What a source declares. A value; ``strict`` is None where the schema can't be strict, ``obstacle`` says why."""

    tool: Tool
    schema: dict[str, Any]
    strict: dict[str, Any] | None
    obstacle: str
    findings: tuple[Finding, ...]
    samples: tuple[Judged, ...]

    def __repr__(self) -> str:
        return in_words(self)


def declared(source: str, limit: float = LIMIT) -> Declared:
    """Return what a source declares. Raises NotDeclared, with one sentence, where it declares nothing.

    The source is executed in this process. ``limit`` is in seconds. One source is read at a time, in a module of its
    own that is gone afterwards.
    """
    import docstring_parser  # noqa: F401 - with the next one, loaded here: that is not the source's time

    import labkit.declare.signature  # noqa: F401

    with module_for_source() as module:
        try:
            return within(limit, lambda: _read(source, module), FILE)
        except TookTooLong as problem:
            ended = "was stopped" if problem.stopped else "goes on; restart the kernel if it never ends"
            raise NotDeclared(f"this took longer than {limit:g} s and {ended}", problem.line) from None


def _read(source: str, module: ModuleType) -> Declared:
    """Return what a source declares. No interrupt arrives in a thread, so whatever is raised here is the source's."""
    try:
        return described(tool_in(source, module))
    except (NotDeclared, TimeIsUp):
        raise
    except BaseException as problem:
        raise NotDeclared(sentence(problem), line_of(problem.__traceback__)) from None


def described(tool: Tool) -> Declared:
    """Return what there is to see of a tool."""
    try:
        strict, obstacle = tool.definition(strict=True)["function"]["parameters"], ""
    except ValueError as problem:
        strict, obstacle = None, str(problem)
    schema = tool.definition()["function"]["parameters"]
    return Declared(tool, schema, strict, obstacle, tuple(lint(tool)), tuple(judged(tool)))


def judged(tool: Tool) -> list[Judged]:
    """Return the sample calls of a tool, each judged by a runtime whose tool does nothing but say so."""
    stand_in = replace(tool, fn=_accept, timeout=None, run_in="thread", is_async=False)
    runtime = ToolRuntime(ToolRegistry([stand_in]))
    results = [
        (sample, runtime.dispatch(ToolCall("call_1", tool.name, sample.arguments)))
        for sample in sample_calls(tool.parameters)
    ]
    return [Judged(sample, result.ok, _first(result.error)) for sample, result in results]


def _accept(*values: Any, **named: Any) -> str:
    return "accepted"


def _first(error: ToolError | None) -> str:
    if error is None:
        return ""
    return str(error.problems[0]) if error.problems else error.message


def in_words(found: Declared) -> str:
    """Return all that a source declares as lines of text."""
    strict = found.obstacle if found.strict is None else as_text(found.strict)
    findings = [f"  {finding}" for finding in found.findings] or ["  nothing to say"]
    width = max(len(each.sample.way) for each in found.samples)
    calls = [f"  {verdict(each)}  {each.sample.way:<{width}}  {each.sample.change}" for each in found.samples]
    lines = [row for each, call in zip(found.samples, calls, strict=True) for row in (call, *_says(each))]
    return "\n".join(
        [
            f"{found.tool.name}: {found.tool.description.partition(chr(10))[0] or '(no description)'}",
            *("", "schema", as_text(found.schema), "", "strict schema", strict),
            *("", "lint", *findings, "", "sample calls", *lines),
        ]
    )


def verdict(judged: Judged) -> str:
    """Return the verdict on a sample call in one word."""
    return "accepted" if judged.accepted else "rejected"


def _says(judged: Judged) -> list[str]:
    return [f"            {judged.says}"] if judged.says else []


def as_text(value: Any, indent: int = 0, used: int = 0) -> str:
    """Return a schema as JSON in which whatever fits into a line stands on one.

    ``indent`` is that of the value's own line, ``used`` what stands on that line already, in characters.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if indent + used + len(flat) <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, list):
        parts = [as_text(inner, indent + 2) for inner in value]
    else:
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        parts = [key + as_text(inner, indent + 2, len(key)) for key, inner in zip(keys, value.values(), strict=True)]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return f"{opening}\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * indent}{closing}"
