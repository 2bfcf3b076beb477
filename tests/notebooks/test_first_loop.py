"""Chapter 00 and ``labkit/course/first_loop.py`` hold the same source, to the letter."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOOP = ROOT / "labkit" / "course" / "first_loop.py"
CHAPTER = ROOT / "notebooks" / "00_start_here.ipynb"

IMPORTS = ast.Import | ast.ImportFrom


def functions(source: str) -> dict[str, str]:
    """The text of every function at the top of a source, by name; of two with one name the first."""
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, ast.get_source_segment(source, node) or "")
    return found


def code_of(path: Path) -> str:
    """The code cells of a notebook as one source."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def differences(taught: str, kept: str) -> list[str]:
    """The functions of ``kept`` that ``taught`` lacks or spells in another way."""
    cells, file = functions(taught), functions(kept)
    wrong = [f"{name} is not in the chapter" for name in file if name not in cells]
    return wrong + [f"{name} differs" for name, text in file.items() if name in cells and cells[name] != text]


def test_a_difference_is_found() -> None:
    kept = "def read(call):\n    return call['arguments']\n"
    assert differences(kept + "\nx = 1\n", kept) == []
    assert differences("x = 1\n", kept) == ["read is not in the chapter"]
    assert differences(kept.replace("call[", "call ["), kept) == ["read differs"]
    assert differences(kept.replace("\n    ", "  # the step\n    "), kept) == ["read differs"]
    assert differences(kept + "\n" + kept.replace("read", "ask"), kept) == []


def test_the_chapter_writes_the_loop_that_the_file_holds() -> None:
    kept = LOOP.read_text(encoding="utf-8")
    assert {"ask", "read", "run", "answer", "loop"} <= set(functions(kept)), "the four steps and the loop"
    assert differences(code_of(CHAPTER), kept) == []


def test_the_chapter_imports_what_the_loop_needs() -> None:
    taught = {ast.unparse(node) for node in ast.walk(ast.parse(code_of(CHAPTER))) if isinstance(node, IMPORTS)}
    kept = ast.parse(LOOP.read_text(encoding="utf-8"))
    assert {ast.unparse(node) for node in kept.body if isinstance(node, IMPORTS)} <= taught


def test_each_function_fits_a_cell() -> None:
    lengths = {name: len(textwrap.dedent(text).splitlines()) for name, text in functions(code_of(CHAPTER)).items()}
    assert lengths, "the chapter defines functions"
    assert {name: length for name, length in lengths.items() if length > 20} == {}
