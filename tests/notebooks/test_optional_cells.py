"""The cells that ask a real model are run too: against a strict server that stands in for a foreign endpoint.

Tests never ask a real one. What is tried here is all that can be: that the cells of a chapter run to their end once an
endpoint, a key and a model's name are given, in the state in which the chapter leaves the kernel.
"""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from labkit.models import ScriptedServer
from labkit.paths import data, repository

SKIPPED = {"nbval-skip", "skip-execution"}
KEY = "sk-" + "made-up-and-foreign-0001"  # in pieces, so that no scanner takes it for a real one
CHAPTERS = ("09_real_client", "10_streaming", "11_json_mode")


OFF = """import os
switch = {name: os.environ.pop(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "LABKIT_MODEL")}"""
ON = "os.environ.update(switch)"


def with_optional_cells(path: Path) -> nbformat.NotebookNode:
    """Return a chapter that ends with its optional cell, once with the switch off and once with it on.

    What needs a local model stays as it is: it is left out.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    optional = [c for c in notebook.cells if set(c.metadata.get("tags", [])) >= SKIPPED and "real_model(" in c.source]
    assert len(optional) == 1, "a chapter has one cell that may ask a real model"
    for source in (OFF, optional[0].source, ON, optional[0].source):
        notebook.cells.append(nbformat.v4.new_code_cell(source))  # type: ignore[no-untyped-call]
    return notebook


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_optional_cells_of_a_chapter_run_against_an_endpoint(
    chapter: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    notebook = with_optional_cells(repository() / "notebooks" / f"{chapter}.ipynb")
    with ScriptedServer(data("scripts", "weather_task.json")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("LABKIT_MODEL", "scripted")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(repository()), os.environ.get("PYTHONPATH", "")]))
        NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
        assert server.requests and all(each.status == 200 for each in server.requests)
    off, on = ("".join(out.text for out in notebook.cells[i].outputs) for i in (-3, -1))
    assert "set LABKIT_MODEL" in off
    assert "at most" in on and "4.7" in on, "the cap is said before, and the answer comes"
    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    assert KEY not in text and server.token not in text
