"""What the cases of chapter 02 ask: whether a call is let through, and what lint finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.declare import Tool, lint
from labkit.validate import validate


def accepts(declared: Any, arguments: dict[str, Any]) -> Any:
    """Say whether the gate lets a call of a schema, or of a function's declaration, through."""
    if declared is ...:
        return declared
    schema = Tool.from_function(declared).parameters if callable(declared) else declared
    return not validate(schema, arguments)[1]


def found(function: Callable[..., Any], rule: str) -> list[str]:
    """Return the places for which lint has a finding of one rule."""
    return [finding.place for finding in lint(Tool.from_function(function)) if finding.rule == rule]
