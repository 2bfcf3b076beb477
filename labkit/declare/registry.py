"""The tools of a run, by name.

Chapter 02.

    >>> ToolRegistry([Tool.from_function(len, name="count")])
    ToolRegistry(count)

Does not: run tools, rename them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from labkit.calls import quote
from labkit.declare.tools import Tool, tool


class ToolRegistry:
    """Tools in the order in which they were registered; a second tool of one name is refused.

    A tool that is registered later is seen by runtimes that are already running.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._originals: dict[str, Tool] = {}
        for each in tools:
            self.register(each)

    def register(self, tool: Tool) -> Tool:
        """Add a tool and return it. Raises ValueError where its name is taken, TypeError where it is no tool."""
        if not isinstance(tool, Tool):
            raise TypeError(f"register takes a Tool, not {type(tool).__name__}; decorate the function with @tool")
        for name in (tool.name, tool.original_name):
            if name in self:
                raise ValueError(f"there is a tool {quote(name)} already; give the second one another name")
        self._tools[tool.name] = tool
        self._originals[tool.original_name] = tool
        return tool

    def tool(self, fn: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Declare the function below and register it: ``@registry.tool`` or ``@registry.tool(readonly=True)``.

        The options are those of ``labkit.tool``.
        """
        if fn is None:
            return lambda fn: self.register(tool(**options)(fn))
        return self.register(tool(fn))

    def definitions(self, strict: bool = False) -> list[dict[str, Any]]:
        """Return fresh copies of all declarations; spoiling them does not spoil the registry."""
        return [each.definition(strict) for each in self]

    def get(self, name: object) -> Tool | None:
        """Return the tool of this name, also by the name it had before it was made legal; else None."""
        if not isinstance(name, str):
            return None
        return self._tools.get(name) or self._originals.get(name)

    def __getitem__(self, name: object) -> Tool:
        found = self.get(name)
        if found is None:
            raise KeyError(f"there is no tool {quote(name)}; there are: {', '.join(self._tools) or 'none'}")
        return found

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"
