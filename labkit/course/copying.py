"""Copies of what is shipped, so that it stays as it is.

    >>> copied(data("workspaces", "calculator"), Path("somewhere")).name
    'calculator'

Does not: remove a copy; whoever made the folder around it does.
"""

from __future__ import annotations

import shutil
from pathlib import Path


def copied(folder: Path, into: Path) -> Path:
    """Copy a folder into another one, without what Python has cached in it; return the copy."""
    return shutil.copytree(folder, into / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
