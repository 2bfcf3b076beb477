"""What a reader sees who has no kernel: a stored chapter as one page, made without running anything."""

from __future__ import annotations

import base64
import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit.commands.rebuilding import notebooks
from labkit.paths import repository

PAGES = [pytest.param(path, id=path.relative_to(repository()).as_posix()) for path in notebooks()]


@cache
def page_of(path: Path) -> str:
    """The page that nbconvert makes of a stored notebook, without executing it."""
    from nbconvert import HTMLExporter

    return str(HTMLExporter(embed_images=False).from_filename(str(path))[0])


def words_in(page: str) -> str:
    """All text of a page, blanks evened out."""
    body = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", " ", page)
    return squeezed(html.unescape(re.sub(r"<[^>]+>", "", body)))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def is_shown(output: dict[str, Any], page: str, words: str) -> bool:
    """Whether a page shows an output: the drawing itself, or the words."""
    data = {kind: "".join(content) for kind, content in output.get("data", {}).items()}
    if output["output_type"] == "error":
        return squeezed(f"{output['ename']}: {output['evalue']}") in words
    if "text/html" in data:
        return words_in(data["text/html"]) in words  # nbconvert spells the tags anew
    if "image/svg+xml" in data:
        return base64.b64encode(data["image/svg+xml"].encode()).decode() in page
    return squeezed(data.get("text/plain", "".join(output.get("text", "")))) in words


@pytest.mark.parametrize("path", PAGES)
def test_everything_stored_is_on_the_page(path: Path) -> None:
    page = page_of(path)
    words = words_in(page)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert outputs
    assert [each for each in outputs if not is_shown(each, page, words)] == []


@pytest.mark.parametrize("path", PAGES)
def test_nothing_on_the_page_asks_for_a_kernel(path: Path) -> None:
    page = page_of(path)
    assert "model not found" not in page.lower()
    assert "application/vnd.jupyter.widget-view+json" not in page


def test_what_is_missing_would_be_found() -> None:
    words = words_in("<style>x</style><p>a &lt; b</p>")
    assert is_shown({"output_type": "stream", "text": "a < b"}, "", words)
    assert not is_shown({"output_type": "stream", "text": "x"}, "", words)


@pytest.mark.parametrize("path", PAGES)
def test_every_cell_that_ends_on_a_value_shows_it(path: Path) -> None:
    """A cell whose last line is a bare name or a call of something shown must have an output stored."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    silent = []
    for cell in cells:
        source = "".join(cell["source"]).rstrip()
        last = source.splitlines()[-1] if source else ""
        skipped = {"nbval-skip", "skip-execution"} & set(cell["metadata"].get("tags", ()))
        if cell["cell_type"] == "code" and not skipped and re.fullmatch(r"[a-z_]\w*|print\(.*\)", last):
            silent += [last] if not cell["outputs"] else []
    assert silent == []
