"""Every chapter runs through without nbval, in time, and a rebuild of it stores what is stored already.

This is the way out should nbval no longer work with a newer pytest. The run happens on a copy in another folder, so
it also shows that a chapter finds its data from labkit's own place.
"""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path
from time import perf_counter

import pytest

from labkit.commands.rebuilding import chapters, rebuild_one
from labkit.paths import repository

SECONDS = 15.0
SHOWN_LINES = 40

FAILING = """{
 "cells": [
  {"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [], "source": "1 / 0"}
 ],
 "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"""


def changes(before: str, after: str) -> str:
    """The first lines of the difference between two texts; empty where there is none."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "stored", "rebuilt", lineterm="")
    return "\n".join(list(lines)[:SHOWN_LINES])


def test_a_chapter_that_fails_is_told_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "failing.ipynb"
    path.write_text(FAILING, encoding="utf-8")
    assert "ZeroDivisionError" in (rebuild_one(path) or "")
    assert path.read_text(encoding="utf-8") == FAILING


def test_a_change_is_shown() -> None:
    assert changes("a\nb\n", "a\nb\n") == ""
    assert "+c" in changes("a\nb\n", "a\nc\n")


def test_there_are_chapters_to_run() -> None:
    assert {"00_start_here.ipynb", "14_mini_agent.ipynb"} <= {path.name for path in chapters()}


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.relative_to(repository()).as_posix())
def test_a_chapter_runs_in_time_and_a_rebuild_changes_nothing(path: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copy(path, tmp_path))
    began = perf_counter()
    problem = rebuild_one(copied)
    seconds = perf_counter() - began
    assert problem is None
    assert seconds < SECONDS
    stored, rebuilt = path.read_text(encoding="utf-8"), copied.read_text(encoding="utf-8")
    assert stored == rebuilt, "\n" + changes(stored, rebuilt)
