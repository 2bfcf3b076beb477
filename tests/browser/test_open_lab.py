"""Opens the lab as a learner does, in a real browser, on a fresh copy of the checkout with an empty home folder."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
from browser.driving import (
    CHAPTERS,
    DRIVES_A_BROWSER,
    FIRST,
    ROOT,
    WITH_LABS,
    Opened,
    run_to_the_end,
    switch_theme,
    wait_for,
)

pytestmark = DRIVES_A_BROWSER


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


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if name == FIRST or name not in WITH_LABS])
def test_run_all_ends_without_an_error(opened: Opened, page: Any, pictures: Path, chapter: str) -> None:
    """The chapters with labs are run to their end where their labs are driven."""
    page.goto(opened.page_of(chapter))
    wait_for(page, chapter)
    assert run_to_the_end(page, opened, chapter) == []
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        switch_theme(page, theme)
        page.screenshot(path=pictures / f"{Path(chapter).stem}-{theme.split()[1].lower()}.png")


def test_what_was_done_is_kept_where_a_restarted_kernel_finds_it(opened: Opened) -> None:
    """The chapters above have asked for their hints; the server tells its kernels where that is kept."""
    kept = json.loads((opened.checkout / "my" / ".progress.json").read_text(encoding="utf-8"))
    assert kept["00.1"]["hints"] == 1


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
