"""The tasks, the examples for a prompt, and the six tools among which a model has to choose. Chapter 11.

    >>> tasks()[0].ask
    'How warm was it in Berlin on 2026-09-03?'

Does not: run a tool.
"""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from labkit.declare import Tool
from labkit.paths import data
from labkit.toolsets import everyday_tools


class Task(NamedTuple):
    """One sentence of a user, and what is right for it. A value.

    ``arguments`` says for each parameter what is accepted: a list of values, ``{"value": number as text}`` for an
    expression, ``{"least": number}`` for a limit, or ``{"words": [...]}`` for free text. A parameter that is not
    named may have any value that fits.
    """

    id: str
    ask: str
    tool: str
    arguments: dict[str, Any]


class Example(NamedTuple):
    """A sentence of a user with the one call that answers it, to be shown in a prompt. A value."""

    ask: str
    thought: str
    tool: str
    arguments: dict[str, Any]


def tasks() -> tuple[Task, ...]:
    """Return the tasks of ``data/tasks/tasks.jsonl``; the tools take turns."""
    return tuple(Task(**line) for line in _lines("tasks.jsonl"))


def examples() -> tuple[Example, ...]:
    """Return the examples of ``data/tasks/examples.jsonl``, none of which is a task."""
    return tuple(Example(**line) for line in _lines("examples.jsonl"))


@functools.cache
def tools() -> tuple[Tool, ...]:
    """Return the six tools. Two of them are declared only: they have no function that would do anything."""
    told = json.loads(data("tasks", "tools.json").read_text(encoding="utf-8"))
    declared = [Tool.from_schema(fn=_declared_only, readonly=True, **each) for each in told]
    return (*everyday_tools(), *declared)


def definitions() -> list[dict[str, Any]]:
    """Return what a model is told of the six tools."""
    return [tool.definition() for tool in tools()]


def _declared_only(**arguments: Any) -> str:
    return "this tool is declared for a measurement and does nothing"


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data("tasks", name).read_text(encoding="utf-8").splitlines()]
