"""Ready-made sets of tools: six on the files of a workspace, four for everyday questions.

Every chapter takes its tools from here.

    >>> [tool.name for tool in workspace_tools(".")][:2]
    ['read_file', 'edit_file']

Does not: hold any tool itself; look into the two rooms for that.
"""

from __future__ import annotations

from labkit.toolsets.everyday import everyday_tools
from labkit.toolsets.workspace import workspace_tools

__all__ = ["everyday_tools", "workspace_tools"]
