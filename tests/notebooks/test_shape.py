"""The shape of a chapter: short cells, whole headings, outputs that are the same on every machine.

Every rule is a function from a notebook, as JSON, to what is wrong with it, a sentence each. The rules are tried on
made-up notebooks first, so that they are known to fail, and then on every chapter.
"""

from __future__ import annotations

import copy
import json
import math
import re
import statistics
import warnings
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
SHIPPED = sorted(path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
REQUIRED = {"00_start_here.ipynb", "14_mini_agent.ipynb"}

WIDEST_CODE = 76
LONGEST_CELL = 20
MEDIAN_LINES = 3
MOST_LINES = 12  # nine of ten code cells are no longer
CODE_IN_A_ROW = 2
NOT_RUN = {"nbval-skip", "skip-execution"}
ERROR_TAG = "raises-exception"
MARKERS = re.compile(r"#\s*(?:NBVAL_\w+|PYTEST_VALIDATE_\w+)")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

Notebook = dict[str, Any]
Rule = Callable[[str, Notebook], list[str]]


# ---- the rules ----


def code_is_short(name: str, notebook: Notebook) -> list[str]:
    """Median 3 lines or fewer, nine of ten at most 12, none above 20, no line wider than 76 columns."""
    lengths = [len(text(cell).splitlines()) for cell in cells(notebook, "code")]
    if not lengths:
        return ["there is no code"]
    wrong = [f"a code cell has {n} lines, more than {LONGEST_CELL}" for n in lengths if n > LONGEST_CELL]
    if (median := statistics.median(lengths)) > MEDIAN_LINES:
        wrong.append(f"the median code cell has {median:g} lines, more than {MEDIAN_LINES}")
    if (most := sorted(lengths)[math.ceil(0.9 * len(lengths)) - 1]) > MOST_LINES:
        wrong.append(f"one code cell in ten has {most} lines or more, above {MOST_LINES}")
    lines = [line for cell in cells(notebook, "code") for line in text(cell).splitlines()]
    return wrong + [f"wider than {WIDEST_CODE} columns: {line}" for line in lines if len(line) > WIDEST_CODE]


def headings_are_whole(name: str, notebook: Notebook) -> list[str]:
    """One H1, which comes first, and no level is skipped on the way down."""
    levels = [level for cell in cells(notebook, "markdown") for level in heading_levels(text(cell))]
    wrong = [] if levels.count(1) == 1 else [f"there are {levels.count(1)} first-level headings"]
    for before, level in zip([0, *levels], levels, strict=False):
        if level > before + 1:
            wrong.append(f"a heading of level {level} follows one of level {before}")
    return wrong


def pictures_have_words(name: str, notebook: Notebook) -> list[str]:
    """Whatever is drawn says the same in at least five words of plain text."""
    return [
        f"a picture has only these words: {plain(output)!r}"
        for output in outputs(notebook)
        if any(kind.startswith("image/") or kind == "text/html" for kind in output.get("data", {}))
        and len(re.findall(r"\w+", plain(output))) < 5
    ]


def counts_are_in_order(name: str, notebook: Notebook) -> list[str]:
    """Execution counts are 1…n over the cells that are run; those that are not run have neither count nor output."""
    run = [cell for cell in cells(notebook, "code") if not tags(cell) & NOT_RUN]
    counts = [cell.get("execution_count") for cell in run]
    wrong = [] if counts == list(range(1, len(run) + 1)) else [f"the execution counts are {counts}"]
    other = [cell for cell in cells(notebook, "code") if tags(cell) & NOT_RUN]
    return wrong + ["a cell that is not run has an output" for cell in other if cell.get("outputs")]


def everything_is_compared(name: str, notebook: Notebook) -> list[str]:
    """No tag or comment keeps nbval from comparing a cell that is run."""
    wrong = []
    for cell in notebook["cells"]:
        hidden = {tag for tag in tags(cell) if tag.startswith("nbval-")} - {"nbval-skip"}
        wrong += [f"the tag {tag} is not allowed" for tag in sorted(hidden)]
        if tags(cell) & NOT_RUN and not tags(cell) >= NOT_RUN:
            wrong.append(f"a cell that is not run needs both tags, {' and '.join(sorted(NOT_RUN))}")
        if cell["cell_type"] == "code" and (found := MARKERS.search(text(cell))):
            wrong.append(f"the comment {found[0]} is not allowed")
    return wrong


def no_widget_state(name: str, notebook: Notebook) -> list[str]:
    """Neither the state of widgets nor a view of a model that no reader has."""
    wrong = ["a widget state is saved"] if "widgets" in notebook["metadata"] else []
    views = [output for output in outputs(notebook) if WIDGET_VIEW in output.get("data", {})]
    return wrong + ["an output holds a widget view" for _ in views]


def kernel_is_plain(name: str, notebook: Notebook) -> list[str]:
    """The kernel is python3, and no version of Python is stored."""
    metadata = notebook["metadata"]
    kernel, language = metadata.get("kernelspec", {}).get("name"), metadata.get("language_info", {})
    wrong = [] if kernel == "python3" else [f"the kernel is {kernel}"]
    if re.search(r"\d+\.\d+", json.dumps(language)):
        wrong.append("the language's version is stored")
    return wrong


def opens_with_the_set_up(name: str, notebook: Notebook) -> list[str]:
    """The first code cell is the same everywhere but for the number, which is the file's."""
    wanted = f'from labkit.course import start\n\nlab = start("{name[:2]}")'
    first = next((text(cell) for cell in cells(notebook, "code")), "")
    if without_blank_lines(first) != without_blank_lines(wanted):
        return [f"the first code cell is not the set-up: {first!r}"]
    return []


PRIVATE = {
    "an absolute path": re.compile(
        r"(?<![\w.:/])/(?:home|Users|root|tmp|var|private|work|usr|opt|mnt|media|content|srv)/[\w.]|\b[A-Z]:\\\w"
    ),
    "a folder of one machine": re.compile(r"\bsite-packages\b|File ~|labkit-[a-z0-9_]{8}\b|\bipykernel_\d+"),
    "a port": re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\]):\d+"),
    "a time": re.compile(r"\b\d{1,2}:\d\d:\d\d\b|\b\d{4}-\d\d-\d\dT\d\d:"),
    "a version": re.compile(r"(?<![\w.])[vV]?\d+\.\d+\.\d+(?!\.?\w)|\bPython 3\.\d+\b(?! or newer)"),
    "an address in memory": re.compile(r"\b0x[0-9a-f]{6,}\b"),
}


def outputs_are_of_no_machine(name: str, notebook: Notebook) -> list[str]:
    """No absolute path, port, time, version or address stands in an output."""
    return [
        f"an output holds {what}: {found[0]}"
        for output in outputs(notebook)
        for what, pattern in PRIVATE.items()
        if (found := pattern.search(printable(output)))
    ]


def errors_are_on_purpose(name: str, notebook: Notebook) -> list[str]:
    """An error is stored exactly where a cell is tagged for one."""
    wrong = []
    for cell in cells(notebook, "code"):
        errors = [output["ename"] for output in cell.get("outputs", ()) if output["output_type"] == "error"]
        if errors and ERROR_TAG not in tags(cell):
            wrong.append(f"a cell ended with {errors[0]}")
        if ERROR_TAG in tags(cell) and not errors:
            wrong.append("a cell is tagged for an error and has none")
    return wrong


RULES: tuple[Rule, ...] = (
    code_is_short,
    headings_are_whole,
    pictures_have_words,
    counts_are_in_order,
    everything_is_compared,
    no_widget_state,
    kernel_is_plain,
    opens_with_the_set_up,
    outputs_are_of_no_machine,
    errors_are_on_purpose,
)


def faults(name: str, notebook: Notebook) -> list[str]:
    """All that is wrong with a notebook."""
    return [f"{rule.__name__}: {fault}" for rule in RULES for fault in rule(name, notebook)]


def rows_of_code(notebook: Notebook) -> list[int]:
    """How many code cells stand in a row, for each row of them."""
    kinds = groupby(notebook["cells"], key=lambda cell: cell["cell_type"])
    return [len(list(row)) for kind, row in kinds if kind == "code"]


# ---- reading a notebook ----


def text(cell: dict[str, Any]) -> str:
    return joined(cell["source"])


def joined(value: Any) -> str:
    """Texts are stored whole or in lines; other values, such as JSON, are spelled."""
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def cells(notebook: Notebook, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def tags(cell: dict[str, Any]) -> set[str]:
    return set(cell["metadata"].get("tags", ()))


def outputs(notebook: Notebook) -> Iterator[dict[str, Any]]:
    for cell in cells(notebook, "code"):
        yield from cell.get("outputs", ())


def plain(output: dict[str, Any]) -> str:
    return joined(output.get("data", {}).get("text/plain", ""))


def printable(output: dict[str, Any]) -> str:
    """All text of an output: what was printed, shown in any form, or raised, without colours."""
    parts = [output.get("text", ""), output.get("evalue", ""), "\n".join(output.get("traceback", ()))]
    parts += [data for kind, data in output.get("data", {}).items() if kind not in ("image/png", "image/jpeg")]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(map(joined, parts)))


def heading_levels(markdown: str) -> Iterator[int]:
    """The levels of the headings of a text; a ``#`` in fenced code is no heading."""
    fenced = False
    for line in markdown.splitlines():
        if re.match(r"\s{0,3}(```|~~~)", line):
            fenced = not fenced
        elif not fenced and (found := re.match(r"(#{1,6})\s+\S", line)):
            yield len(found[1])


def without_blank_lines(code: str) -> list[str]:
    return [line for line in code.splitlines() if line.strip()]


# ---- the rules can fail ----


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str, count: int | None, *outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)} if tags else {},
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
    }


def shown(**data: Any) -> dict[str, Any]:
    kinds = {"plain": "text/plain", "svg": "image/svg+xml", "html": "text/html", "view": WIDGET_VIEW}
    data = {kinds[kind]: value for kind, value in data.items()}
    return {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 2}


def raised(name: str, *lines: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": "", "traceback": list(lines)}


SET_UP = 'from labkit.course import start\n\nlab = start("05")'
PRINTED = {"output_type": "stream", "name": "stdout", "text": ["scripted model\n"]}
SOUND: Notebook = {
    "cells": [
        markdown("# Which calls may overlap\n\nA promise.\n\n```\n#### no heading\n```"),
        code(SET_UP, 1, PRINTED),
        markdown("## A picture\n\n### In words"),
        code("timeline", 2, shown(plain="barriers · 5 calls · wall 260 ms · peak 3", svg="<svg>1.5</svg>")),
        markdown("## An error, shown on purpose"),
        code("edit()", 3, raised("ValueError", "ValueError: no such line"), tags=(ERROR_TAG,)),
        code("ask_a_real_model()", None, tags=tuple(NOT_RUN)),
    ],
    "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def spoiled(change: Callable[[Notebook], Any]) -> Notebook:
    notebook = copy.deepcopy(SOUND)
    change(notebook)
    return notebook


def test_a_sound_notebook_passes() -> None:
    assert faults("05_scheduling.ipynb", SOUND) == []


def put(position: int, key: str, value: Any) -> Callable[[Notebook], Any]:
    return lambda notebook: notebook["cells"][position].__setitem__(key, value)


def show(position: int, output: dict[str, Any]) -> Callable[[Notebook], Any]:
    return lambda notebook: notebook["cells"][position]["outputs"].append(output)


def many(*lengths: int) -> Callable[[Notebook], Any]:
    """Code cells of these lengths after the set-up, and no others."""
    made = [code("x\n" * length, number) for number, length in enumerate(lengths, 2)]
    return lambda notebook: notebook.update(cells=[*notebook["cells"][:2], *made])


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        (code_is_short, put(3, "source", "x\n" * 21)),
        (code_is_short, put(3, "source", "x" * 77)),
        (code_is_short, many(4, 4, 4)),
        (code_is_short, many(*[1] * 8, 13, 13)),
        (code_is_short, lambda notebook: notebook.update(cells=notebook["cells"][:1])),
        (headings_are_whole, put(2, "source", "# A second title")),
        (headings_are_whole, put(0, "source", "A text without a title")),
        (headings_are_whole, put(2, "source", "### Two levels down")),
        (pictures_have_words, show(3, shown(svg="<svg/>", plain="<Timeline>"))),
        (pictures_have_words, show(3, shown(html="<table/>"))),
        (counts_are_in_order, put(3, "execution_count", 7)),
        (counts_are_in_order, put(3, "execution_count", None)),
        (counts_are_in_order, show(6, PRINTED)),
        (everything_is_compared, put(3, "metadata", {"tags": ["nbval-ignore-output"]})),
        (everything_is_compared, put(6, "metadata", {"tags": ["nbval-skip"]})),
        (everything_is_compared, put(3, "source", "timeline  # NBVAL_IGNORE_OUTPUT")),
        (no_widget_state, lambda notebook: notebook["metadata"].update(widgets={})),
        (no_widget_state, show(3, shown(view={"model_id": "1"}, plain="ConcurrencyLab(5 calls)"))),
        (kernel_is_plain, lambda notebook: notebook["metadata"]["kernelspec"].update(name="labkit")),
        (kernel_is_plain, lambda notebook: notebook["metadata"]["language_info"].update(version="3.11.9")),
        (opens_with_the_set_up, put(1, "source", SET_UP.replace("05", "06"))),
        (opens_with_the_set_up, put(1, "source", "import labkit\n" + SET_UP)),
        (outputs_are_of_no_machine, show(3, shown(plain="'/home/" + "ann/labkit'"))),
        (outputs_are_of_no_machine, show(5, raised("E", "File \x1b[32m/usr/" + "lib/python/json.py\x1b[0m:3"))),
        (outputs_are_of_no_machine, show(3, shown(plain="C:" + "\\temp"))),
        (outputs_are_of_no_machine, show(3, shown(plain="http://127.0.0.1:8765/v1"))),
        (outputs_are_of_no_machine, show(3, shown(plain="{'time': '2026-09-01T10:00:00+00:00'}"))),
        (outputs_are_of_no_machine, show(3, shown(plain="pydantic 2.13.1"))),
        (outputs_are_of_no_machine, show(3, shown(plain="Python 3.12"))),
        (outputs_are_of_no_machine, show(3, shown(plain="<object at 0x7f1c2a3b4d50>"))),
        (errors_are_on_purpose, show(3, raised("KeyError"))),
        (errors_are_on_purpose, put(5, "outputs", [])),
    ],
)
def test_a_spoiled_notebook_fails_by_the_rule_that_is_meant(rule: Rule, change: Callable[[Notebook], Any]) -> None:
    assert rule("05_scheduling.ipynb", spoiled(change)) != []


@pytest.mark.parametrize(
    "words",
    [
        "127.0.0.1 alone",
        "2026-09-01",
        "31.2 - 26.5 = 4.7",
        "wall 260 ms",
        "src/app.py:12",
        "https://a.org/b/c",
        "Python 3.11 or newer",
    ],
)
def test_plain_facts_belong_to_no_machine(words: str) -> None:
    assert outputs_are_of_no_machine("05.ipynb", spoiled(show(3, shown(plain=words)))) == []


def test_rows_of_code_cells_are_counted() -> None:
    assert rows_of_code(SOUND) == [1, 1, 2]


# ---- every chapter ----


def test_the_chapters_are_there() -> None:
    assert {path.name for path in SHIPPED} >= REQUIRED


def test_the_chapters_are_numbered_and_told_apart() -> None:
    names = [path.name for path in SHIPPED if path.parent == NOTEBOOKS]
    assert [name for name in names if not re.fullmatch(r"\d\d_[a-z0-9_]+\.ipynb", name)] == []
    assert len({name[:2] for name in names}) == len(names)


def minutes_told(notebook: Notebook) -> int | None:
    """How long a chapter says that it takes, in its first text."""
    found = re.search(r"(\d+) minutes", text(cells(notebook, "markdown")[0]))
    return int(found[1]) if found else None


def minutes_listed(readme: str) -> dict[str, int]:
    """The chapters in the table of the README, with their minutes."""
    return {name: int(minutes) for name, minutes in re.findall(r"(?m)^\| `(\d\d_\w+)` \| (\d+) \|", readme)}


def test_the_readme_lists_the_chapters_with_their_minutes() -> None:
    assert minutes_told({"cells": [markdown("# Begin\n\nAbout 45 minutes, no key needed.")]}) == 45
    assert minutes_listed("| `05_scheduling` | 50 | plan |\n") == {"05_scheduling": 50}
    chapters = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in NOTEBOOKS.glob("*.ipynb")}
    told = {name: minutes_told(notebook) for name, notebook in chapters.items()}
    assert minutes_listed((ROOT / "README.md").read_text(encoding="utf-8")) == told


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.relative_to(NOTEBOOKS).as_posix())
def test_a_chapter_has_the_shape_of_one(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    wrong = faults(path.name, notebook)
    if longest := [row for row in rows_of_code(notebook) if row > CODE_IN_A_ROW]:
        warnings.warn(f"{path.name}: {max(longest)} code cells in a row; say something between them", stacklevel=1)
    assert not wrong, "\n" + "\n".join(wrong)
