"""Every chapter runs through without nbval, in time, and a rebuild of it stores what is stored already.

This is the way out should nbval no longer work with a newer pytest. The run happens on a copy in another folder, so
it also shows that a chapter finds its data from labkit's own place.
"""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path
from time import perf_counter

import nbformat
import pytest

from labkit.commands.rebuilding import NO_STUBS, chapters, notebooks, rebuild_one, rebuild_twin, stored
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


def test_a_chapter_without_exercises_has_no_twin(tmp_path: Path) -> None:
    path = tmp_path / "plain.ipynb"
    path.write_text(FAILING, encoding="utf-8")
    assert rebuild_twin(path) == NO_STUBS
    assert [each.name for each in tmp_path.iterdir()] == ["plain.ipynb"]


def test_a_change_is_shown() -> None:
    assert changes("a\nb\n", "a\nb\n") == ""
    assert "+c" in changes("a\nb\n", "a\nc\n")


def test_there_are_chapters_to_run() -> None:
    assert {"00_start_here.ipynb", "14_mini_agent.ipynb"} <= {path.name for path in chapters()}


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.relative_to(repository()).as_posix())
def test_a_chapter_runs_in_time_and_a_rebuild_changes_nothing(path: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copy(path, tmp_path))
    began = perf_counter()
    problem = rebuild_one(copied)
    seconds = perf_counter() - began
    assert problem is None
    assert seconds < SECONDS
    stored, rebuilt = path.read_text(encoding="utf-8"), copied.read_text(encoding="utf-8")
    assert stored == rebuilt, "\n" + changes(stored, rebuilt)


def test_outputs_are_stored_in_one_form() -> None:
    piece = {"output_type": "stream", "name": "stdout", "text": "a\n"}
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "a slider"}
    shown = {"output_type": "display_data", "data": widget, "metadata": {}, "transient": {"display_id": "x"}}
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["/home/ann/lib.py line 3"]}
    outputs = [piece, {**piece, "text": "b\n"}, {**piece, "name": "stderr"}, piece, shown, error]
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {"tags": ["x"], "execution": {}}, "source": ""}
    notebook = nbformat.from_dict(
        {
            "cells": [{**cell, "outputs": outputs}],
            "metadata": {"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    kept = json.loads(stored(notebook))
    assert [o.get("text") for o in kept["cells"][0]["outputs"][:3]] == [["a\n", "b\n"], ["a\n"], ["a\n"]]
    assert kept["cells"][0]["outputs"][3]["data"] == {"text/plain": ["a slider"]}
    assert kept["cells"][0]["outputs"][4]["traceback"] == ["ValueError: no"]
    assert kept["cells"][0]["metadata"] == {"tags": ["x"]}
    assert "widgets" not in kept["metadata"]
    assert "version" not in kept["metadata"]["language_info"]
