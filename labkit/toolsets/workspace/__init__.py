"""Six tools on the files of one folder, which no path, link or name leads out of.

Chapters 00 to 08 and 14. Each tool stands in a room of its own: ``reading``, ``searching``, ``editing``, ``testing``;
``confine`` is the door that all of them go through.

    >>> read_file, edit_file, run_test, list_files, search_text, read_lines = workspace_tools("work")
    >>> read_lines(path="calculator.py", start_line=4, end_line=4)
    '4: def square(n):'

Does not: make, move or delete files, or run anything but the tests. It keeps paths in, not the code under test.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import PurePath
from typing import Any

from labkit.declare import Tool
from labkit.toolsets.workspace.confine import Root
from labkit.toolsets.workspace.editing import edit_file
from labkit.toolsets.workspace.reading import range_rule, read_file, read_lines
from labkit.toolsets.workspace.searching import list_files, search_text
from labkit.toolsets.workspace.testing import run_test

__all__ = ["workspace_tools"]


def workspace_tools(root: str | os.PathLike[str], test_limit: float = 20.0) -> list[Tool]:
    """Return the six tools for the files under ``root``; the tests may take ``test_limit`` seconds.

    Raises NotADirectoryError where ``root`` is no existing folder.
    """
    place = Root(root)

    def reader(fn: Any, **options: Any) -> Tool:
        return Tool.from_function(partial(fn, place), readonly=True, touches=partial(_touched, place), **options)

    return [
        reader(read_file),
        Tool.from_function(partial(edit_file, place), touches=partial(_touched, place)),
        # The inner limit is the one that leaves a report of how far the tests came, so it has to pass first.
        Tool.from_function(
            partial(run_test, root=place, limit=test_limit), timeout=test_limit + 5, touches=partial(_everything, place)
        ),
        reader(list_files),
        reader(search_text),
        reader(read_lines, check=range_rule),
    ]


def _touched(root: Root, values: dict[str, Any]) -> tuple[PurePath, ...]:
    return root.touched(values["path"])


def _everything(root: Root, values: dict[str, Any]) -> tuple[PurePath, ...]:
    return root.touched(".")
