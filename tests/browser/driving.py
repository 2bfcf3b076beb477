"""What a person does in JupyterLab, as functions over a page of a real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lab

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
FIRST = CHAPTERS[0]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120_000  # milliseconds; a page takes about 10,000

# The prompts of the notebook in front: "[ ]:" not run, "[*]:" running, "[3]:" done.
PROMPTS = """() => [...document.querySelectorAll(
    '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt')].map(node => node.textContent.trim())"""
ALL_DONE = f"(cells) => {{ const all = ({PROMPTS})(); return all.length == cells && all.every(p => /\\d/.test(p)); }}"
NONE_DONE = f"(cells) => {{ const all = ({PROMPTS})(); return all.length == cells && !all.some(p => /\\d/.test(p)); }}"

# Where the browser tests are what was asked for, a missing browser is a failure and no reason to skip.
REQUIRED = os.environ.get("LABKIT_BROWSER") == "required"

DRIVES_A_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None and not REQUIRED, reason="no Chromium or Chrome is installed"),
    pytest.mark.skipif(os.name != "posix", reason="the fresh copy shares the environment through links"),
    pytest.mark.skipif(
        not Path(sysconfig.get_path("purelib"), "labkit.pth").exists() and not REQUIRED,
        reason="needs the environment lab.py makes",
    ),
]


@dataclass
class Opened:
    """A running ``lab.py``, the address it printed, and where its things are."""

    process: subprocess.Popen[str]
    url: str
    checkout: Path
    home: Path

    @property
    def token(self) -> str:
        return self.url.split("token=")[1]

    def page_of(self, chapter: str) -> str:
        return f"{self.url.split('/lab/')[0]}/lab/tree/my/{chapter}?token={self.token}"


def fresh_copy(checkout: Path) -> Path:
    """The project without what was made in it, and with this environment's packages under its own .venv."""
    made = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("labkit", "notebooks", "data"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, checkout / name, ignore=made)
    for name in ("lab.py", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout / name)
    venv = checkout / ".venv"
    venv.mkdir()
    for name in ("bin", "lib", "lib64", "share", "etc", "pyvenv.cfg"):
        if Path(sys.prefix, name).exists():
            (venv / name).symlink_to(Path(sys.prefix, name))
    lab.settle(str(venv))
    (venv / "labkit-stamp.json").write_text(json.dumps(lab.fingerprint(str(checkout.resolve()))))
    return checkout.resolve()


def printed_address(process: subprocess.Popen[str]) -> str:
    """The address among the lines that lab.py prints; all it printed where there is none."""
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if line.strip().startswith("http://127.0.0.1:"):
            return line.strip()
    raise AssertionError("no address was printed:\n" + "".join(lines))


def wait_for(page: Any, chapter: str) -> None:
    """Until the chapter's tab is in front, all its cells are there, and its kernel waits for work."""
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab.lm-mod-current", has_text=chapter).wait_for()
    page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
    page.wait_for_function(
        f"(cells) => ({PROMPTS})().length == cells", arg=len(code_cells(ROOT / "notebooks" / chapter))
    )


def choose(page: Any, menu: str, item: str) -> None:
    page.locator(".lm-MenuBar-itemLabel", has_text=menu).get_by_text(menu, exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


WITH_LABS = [
    name
    for name in CHAPTERS
    if any("labkit.widgets" in "".join(cell["source"]) for cell in code_cells(ROOT / "notebooks" / name))
]


def unexpected_errors(cells: list[dict[str, Any]]) -> list[str]:
    return [
        f"{''.join(cell['source'])}\n{output['ename']}: {output['evalue']}"
        for cell in cells
        for output in cell["outputs"]
        if output["output_type"] == "error" and "raises-exception" not in cell["metadata"].get("tags", [])
    ]


def run_all(page: Any, cells: int) -> None:
    from playwright.sync_api import TimeoutError as TookTooLong

    choose(page, "Edit", "Clear Outputs of All Cells")
    page.wait_for_function(NONE_DONE, arg=cells)
    choose(page, "Run", "Run All Cells")
    try:
        page.wait_for_function(ALL_DONE, arg=cells)
    except TookTooLong:
        shown = page.locator('.jp-RenderedText[data-mime-type*="error"]').all_inner_texts()
        raise AssertionError(f"not every cell was run: {page.evaluate(PROMPTS)}\n" + "\n".join(shown)) from None


def save(page: Any) -> None:
    page.keyboard.press("Control+s")
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab.lm-mod-current:not(.jp-mod-dirty)").wait_for()


def run_to_the_end(page: Any, opened: Opened, chapter: str) -> list[str]:
    """Run All on the chapter in front, save it, and return what is wrong with what was saved."""
    copy = opened.checkout / "my" / chapter
    cells = len(code_cells(copy))
    run_all(page, cells)
    save(page)
    after = code_cells(copy)
    counts = [cell["execution_count"] for cell in after]
    skipped = [f"the cells were numbered {counts}"] if counts != list(range(1, cells + 1)) else []
    return skipped + unexpected_errors(after)


def switch_theme(page: Any, theme: str) -> None:
    """Choose a theme in the menu, and wait until the page wears it."""
    choose(page, "Settings", "Theme")
    page.locator(".lm-Menu-itemLabel").get_by_text(theme, exact=True).click()
    page.locator(f'body[data-jp-theme-name="{theme}"]').wait_for(state="attached")
