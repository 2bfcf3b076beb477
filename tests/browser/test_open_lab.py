"""Opens the lab as a learner does, in a real browser, on a fresh copy of the checkout with an empty home folder."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

import lab

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120_000  # milliseconds; a page takes about 10,000

# The prompts of the notebook in front: "[ ]:" not run, "[*]:" running, "[3]:" done.
PROMPTS = """() => [...document.querySelectorAll(
    '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt')].map(node => node.textContent.trim())"""
ALL_DONE = f"(cells) => {{ const all = ({PROMPTS})(); return all.length == cells && all.every(p => /\\d/.test(p)); }}"
NONE_DONE = f"(cells) => {{ const all = ({PROMPTS})(); return all.length == cells && !all.some(p => /\\d/.test(p)); }}"

# Where the browser tests are what was asked for, a missing browser is a failure and no reason to skip.
REQUIRED = os.environ.get("LABKIT_BROWSER") == "required"

pytestmark = [
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


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """``lab.py --no-browser`` on a fresh copy; whatever a test leaves running is ended."""
    folder = tmp_path_factory.mktemp("a place é")
    checkout, home = fresh_copy(folder / "checkout"), folder / "home"
    home.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LABKIT_", "XDG_"))}
    process = subprocess.Popen(
        [sys.executable, str(checkout / "lab.py"), "--no-browser", "--port", str(port)],
        env={**kept, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
    )
    family = psutil.Process(process.pid)
    try:
        yield Opened(process, printed_address(process), checkout, home)
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            for one in [*family.children(recursive=True), family]:
                one.kill()
        process.wait(10)


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


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    if REQUIRED:
        playwright = importlib.import_module("playwright.sync_api")
    else:
        playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 2000})
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("LABKIT_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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


def set_theme(page: Any, opened: Opened, theme: str) -> None:
    address = f"{opened.url.split('/lab/')[0]}/lab/api/settings/@jupyterlab/apputils-extension:themes"
    body = {"raw": json.dumps({"theme": theme})}
    answer = page.request.put(address, data=body, headers={"Authorization": f"token {opened.token}"})
    assert answer.ok, answer.text()


def test_the_first_chapter_is_open_without_a_click(opened: Opened, page: Any) -> None:
    page.goto(opened.url)
    wait_for(page, "00_start_here.ipynb")
    assert page.locator(".jp-Dialog").count() == 0
    assert page.locator(".jp-Notification-Toast, .Toastify__toast").count() == 0


def test_stored_pictures_are_trusted(opened: Opened, page: Any) -> None:
    address = f"{opened.url.split('/lab/')[0]}/api/contents/my/"
    for chapter in CHAPTERS:
        answer = page.request.get(address + chapter, headers={"Authorization": f"token {opened.token}"}).json()
        cells = [cell for cell in answer["content"]["cells"] if cell["cell_type"] == "code"]
        assert cells and all(cell["metadata"]["trusted"] for cell in cells), chapter


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_run_all_ends_without_an_error(opened: Opened, page: Any, pictures: Path, chapter: str) -> None:
    copy = opened.checkout / "my" / chapter
    cells = len(code_cells(copy))
    page.goto(opened.page_of(chapter))
    wait_for(page, chapter)
    run_all(page, cells)
    save(page)
    after = code_cells(copy)
    assert [cell["execution_count"] for cell in after] == list(range(1, cells + 1))
    assert unexpected_errors(after) == []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        set_theme(page, opened, theme)
        page.goto(opened.page_of(chapter))
        wait_for(page, chapter)
        page.locator(f'body[data-jp-theme-name="{theme}"]').wait_for(state="attached")
        page.screenshot(path=pictures / f"{Path(chapter).stem}-{theme.split()[1].lower()}.png")


def test_nothing_is_left_at_home_or_in_the_shipped_chapters(opened: Opened) -> None:
    assert [path.name for path in opened.home.iterdir()] == []
    for chapter in CHAPTERS:
        shipped = opened.checkout / "notebooks" / chapter
        assert shipped.read_bytes() == (ROOT / "notebooks" / chapter).read_bytes()


def test_ctrl_c_ends_the_server_and_its_kernels(opened: Opened) -> None:
    kernels = psutil.Process(opened.process.pid).children(recursive=True)
    opened.process.send_signal(signal.SIGINT)
    rest, _ = opened.process.communicate(timeout=30)
    assert opened.process.returncode == 0
    assert "Traceback" not in rest and "[y]" not in rest, rest
    _, alive = psutil.wait_procs(kernels, timeout=10)
    assert [one.cmdline() for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
