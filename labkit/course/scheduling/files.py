"""Two tools that take their time and then really touch files, and a folder to try tools on.

    >>> registry_of(Shelf(folder, ["tea.txt"]))
    ToolRegistry(read, edit)

Acts: on the disk. Does not: keep a call from another; that is the plan's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from time import sleep

from labkit.course.lab import fresh_copy
from labkit.course.scheduling.batches import EVERYTHING
from labkit.course.scheduling.outcomes import EDITED, added, covered, told
from labkit.declare import Tool, ToolRegistry
from labkit.paths import data


class Shelf:
    """Small files in a folder, one for each name; the names on the disk are numbers, so any name will do."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._paths = {name: folder / f"{number}.txt" for number, name in enumerate(names)}
        for path in self._paths.values():
            path.write_text("", encoding="utf-8")

    def read(self, resource: str, ms: int) -> str:
        """Read a file, or all files of a folder."""
        sleep(ms / 1000)
        return told({name: self._content(name) for name in covered(resource, self._paths)})

    def edit(self, resource: str, ms: int, call: str) -> str:
        """Write the name of the call at the end of a file, or of all files of a folder."""
        sleep(ms / 1000)
        for name in covered(resource, self._paths):
            self._paths[name].write_text(added(self._content(name), call), encoding="utf-8")
        return EDITED

    def contents(self) -> dict[str, str]:
        """Return what stands in each file."""
        return {name: self._content(name) for name in self._paths}

    def _content(self, name: str) -> str:
        return self._paths[name].read_text(encoding="utf-8")


def registry_of(shelf: Shelf) -> ToolRegistry:
    """Return the two tools of a shelf; both say what they touch."""
    read = Tool.from_function(shelf.read, readonly=True, touches=_touched)
    return ToolRegistry([read, Tool.from_function(shelf.edit, touches=_touched)])


@cache
def for_planning() -> ToolRegistry:
    """Return the same two tools on a shelf without files: to plan, nothing is run."""
    return registry_of(Shelf(Path(), ()))


def bakery() -> Path:
    """Return a fresh copy of the folder of a bakery: four files about what it sells."""
    return fresh_copy(data("bakery"))


def _touched(values: dict[str, object]) -> list[str] | None:
    resource = str(values["resource"])
    return None if resource == EVERYTHING else [resource]
