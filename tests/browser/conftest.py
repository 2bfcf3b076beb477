"""A lab that runs and a browser that looks at it, for all tests of this folder."""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from browser.driving import BROWSER, PATIENCE, REQUIRED, Opened, fresh_copy, printed_address


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
