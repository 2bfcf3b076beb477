"""What the cases of chapter 02 ask: whether a call is let through, and what lint finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.declare import Tool, lint
from labkit.validate.branches import ALL_RULES
from labkit.validate.subset import check


def accepts(declared: Any, arguments: dict[str, Any]) -> bool:
    """Say whether the gate lets a call of a schema, or of a function's declaration, through."""
    schema = Tool.from_function(declared).parameters if callable(declared) else declared
    return not check(schema, arguments, ALL_RULES)


def declares(declared: Any) -> str:
    """Return what keeps a schema or a function from being declared, in one sentence; empty where nothing does."""
    try:
        tool = Tool.from_function(declared) if callable(declared) else _tool_of(declared)
    except (TypeError, ValueError) as problem:
        return str(problem)
    return "" if tool.parameters.get("properties") else "it has no properties"


def _tool_of(schema: Any) -> Tool:
    if not isinstance(schema, dict):
        raise TypeError(f"a schema is a dict, not a {type(schema).__name__}")
    return Tool.from_schema("declared", "Stands for the tool of a schema.", schema, lambda **values: "")


def found(function: Callable[..., Any], rule: str) -> list[str]:
    """Return the places for which lint has a finding of one rule."""
    return [finding.place for finding in lint(Tool.from_function(function)) if finding.rule == rule]
