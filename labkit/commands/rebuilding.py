"""Run chapters again and store their outputs in one form: a rebuild of an unchanged chapter changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from labkit.commands.twins import solved, twin_of
from labkit.paths import repository

Say = Callable[[str], None]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NO_STUBS = "not made, the chapter has no exercises"
KEPT_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_OUTPUT = ("output_type", "data", "metadata", "execution_count", "name", "text", "ename", "evalue", "traceback")


def notebooks() -> list[Path]:
    """Return the shipped notebooks, chapters and solved twins, in order."""
    found = (repository() / "notebooks").rglob("*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def chapters() -> list[Path]:
    """Return the chapters, in order."""
    return sorted((repository() / "notebooks").glob("*.ipynb"))


def rebuild(number: str | None, say: Say) -> int:
    """Rebuild all chapters and their solved twins, or those whose name begins with a number.

    Returns 0, 1 where one failed (it is left as it was), 2 where there is no such chapter.
    """
    chosen = [path for path in chapters() if number is None or path.name.startswith(number.zfill(2) + "_")]
    if not chosen:
        names = ", ".join(sorted({path.name[:2] for path in chapters()}))
        say(f"there is no chapter {number}; there are {names}")
        return 2
    failed = 0
    for path in chosen:
        problems = {path.name: rebuild_one(path), f"solutions/{path.name}": rebuild_twin(path)}
        failed += sum(problem not in (None, NO_STUBS) for problem in problems.values())
        for name, problem in problems.items():
            say(f"{name}: {problem or 'rebuilt'}")
    return 1 if failed else 0


def rebuild_one(path: Path) -> str | None:
    """Execute a notebook on a fresh kernel and store it; return what went wrong, or None."""
    import nbformat

    return _run_and_store(nbformat.read(path, as_version=4), path)


def rebuild_twin(path: Path) -> str | None:
    """Make the solved twin of a chapter anew; return what went wrong, or None, or ``NO_STUBS``: then it has no twin."""
    import nbformat

    twin = twin_of(path)
    try:
        notebook = solved(nbformat.read(path, as_version=4))
    except ValueError as problem:
        return str(problem)
    if notebook is None:
        twin.unlink(missing_ok=True)
        return NO_STUBS
    twin.parent.mkdir(exist_ok=True)
    return _run_and_store(notebook, twin)


def _run_and_store(notebook: Any, path: Path) -> str | None:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    client = NotebookClient(
        notebook, timeout=60, kernel_name="python3", record_timing=False, resources={"metadata": {"path": path.parent}}
    )
    try:
        client.execute()
    except CellExecutionError as problem:
        return f"failed, and is left as it was: {problem.ename} in a cell"
    path.write_text(stored(notebook), encoding="utf-8", newline="\n")
    return None


def stored(notebook: Any) -> str:
    """Return the text of a notebook as it is kept: no widget state, no timing, no patch version, one key order.

    The widget view is dropped from outputs and its fallback kept: a fresh reader has no live model to show.
    """
    import nbformat

    notebook.metadata = nbformat.from_dict(KEPT_METADATA)
    for number, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"cell-{number:03d}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k == "tags"})
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if "traceback" in output:  # it holds paths of the machine, and line numbers of every library
                output["traceback"] = [f"{output['ename']}: {output['evalue']}"]
            for key in [key for key in output if key not in KEPT_OUTPUT]:
                del output[key]
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def _joined(outputs: list[Any]) -> list[Any]:
    """Join pieces of one stream: a kernel sends what a cell prints in as many messages as it likes."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last["text"] += output["text"]
        else:
            joined.append(output)
    return joined
