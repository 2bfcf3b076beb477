"""What a tool is and what it may be asked: one declaration, read by the model and by the program.

Chapter 02. A declaration comes from a function's signature, or from a ready-made JSON Schema.

    >>> @tool(readonly=True)
    ... def add(x: int, y: int = 0) -> int:
    ...     "Add two whole numbers."
    >>> add.parameters["required"]
    ['x']

Does not: validate arguments, run tools, send anything.
"""

from typing import TYPE_CHECKING, Any

from labkit.declare.registry import ToolRegistry
from labkit.declare.tools import Tool, tool

if TYPE_CHECKING:
    from labkit.declare.linting import Finding, lint

__all__ = ["Finding", "Tool", "ToolRegistry", "lint", "tool"]


def __getattr__(name: str) -> Any:
    """Load the advice on declarations when it is asked for: no run needs it."""
    if name not in ("Finding", "lint"):
        raise AttributeError(f"labkit.declare has no {name}")
    from labkit.declare import linting

    globals()[name] = getattr(linting, name)
    return globals()[name]
