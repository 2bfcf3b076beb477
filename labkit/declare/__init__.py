"""What a tool is and what it may be asked: one declaration, read by the model and by the program.

Chapter 02. A declaration comes from a function's signature, or from a ready-made JSON Schema.

    >>> @tool(readonly=True)
    ... def add(x: int, y: int = 0) -> int:
    ...     "Add two whole numbers."
    >>> add.parameters["required"]
    ['x']

Does not: validate arguments, run tools, send anything.
"""

from labkit.declare.lint import Finding, lint
from labkit.declare.registry import ToolRegistry
from labkit.declare.tools import Tool, tool

__all__ = ["Finding", "Tool", "ToolRegistry", "lint", "tool"]
