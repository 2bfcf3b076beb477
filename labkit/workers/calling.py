"""How a tool's function is called with its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.declare import Tool


def call_function(tool: Tool, values: dict[str, Any]) -> Any:
    """Call a tool's function; positional-only parameters are passed by position."""
    if tool.positional:
        fn, args, values = parts(tool, values)
        return fn(*args, **values)
    return tool.fn(**values)


def parts(tool: Tool, values: dict[str, Any]) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    """Return a call as a function, its positional and its named arguments."""
    named = dict(values)
    return tool.fn, [named.pop(name) for name in tool.positional], named
