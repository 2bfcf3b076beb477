"""The solved twin of a chapter: the same cells, with our solution in place of each exercise's stub."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from labkit.course.exercises import exercise
from labkit.course.stubs import stub_id

SOLVED = "*This is the solved twin of a chapter. It is made from the chapter and from our solutions.*"


def twin_of(chapter: Path) -> Path:
    """Return where the solved twin of a chapter stands."""
    return chapter.parent / "solutions" / chapter.name


def solved(notebook: Any) -> Any | None:
    """Return a chapter with every stub solved and nothing run yet, or None where there is no stub.

    Raises ValueError for a stub whose exercise does not exist.
    """
    twin = copy.deepcopy(notebook)
    stubs = [cell for cell in twin["cells"] if stub_id(cell)]
    if not stubs:
        return None
    for cell in stubs:
        cell["source"] = exercise(str(stub_id(cell))).solution.strip("\n")
    for cell in twin["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    first = next(cell for cell in twin["cells"] if cell["cell_type"] == "markdown")
    title, _, rest = first["source"].partition("\n")
    first["source"] = f"{title} (solved)\n\n{SOLVED}\n{rest}"
    return twin
