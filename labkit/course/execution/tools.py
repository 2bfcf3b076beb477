"""The tools of the worker lab, and what they note down while they run. A hung one ends when it is let go."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from labkit.course.execution.setting import LET_GO, Setting
from labkit.declare import Tool, ToolRegistry

WORK = 0.1
"""Seconds that the slow tool takes where it ends in time."""
QUICK = 0.05
"""Seconds that a quick tool takes."""
LONGEST = 3.0
"""Seconds after which a hung tool ends, even if nobody lets it go."""


class Notes:
    """What the slow tool notes down, and the two events that it and the quick ones wait for.

    ``beside`` are the positions of those quick calls that may overlap the slow one: they wait until it has begun.
    """

    def __init__(self, beside: frozenset[int] = frozenset(), folder: Path | None = None) -> None:
        self.beside = beside
        self.folder = folder
        self.started = threading.Event()
        self.release = threading.Event()
        self.left = threading.Event()
        self.thread: threading.Thread | None = None
        self.code: CodeType | None = None
        self.cancelled = False

    def enter(self) -> None:
        """Note that the slow tool has begun, and in which thread."""
        self.thread = threading.current_thread()
        self.started.set()

    def pid(self) -> int | None:
        """Return the number of the slow tool's process, where it came to its function."""
        file = self.folder / "pid" if self.folder else None
        return int(file.read_text()) if file and file.exists() else None


def tools(setting: Setting, notes: Notes) -> ToolRegistry:
    """Return the slow tool and the quick one, in the places that the setting asks for."""
    slow = SLOW[setting.place](setting, notes)
    notes.code = slow.__code__
    options: dict[str, Any] = {"touches": lambda values: [values["shelf"]]}
    return ToolRegistry(
        [
            Tool.from_function(
                slow,
                name=setting.slow,
                description="Take a long time over a shelf.",
                readonly=not setting.writes,
                timeout=setting.limit,
                run_in="process" if setting.place == "process" else "thread",
                **options,
            ),
            Tool.from_function(
                _quick_on_loop(notes) if setting.on_loop else _quick(notes),
                name="quick",
                description="Look at a shelf.",
                readonly=True,
                **options,
            ),
        ]
    )


def _in_thread(setting: Setting, notes: Notes) -> Callable[..., Any]:
    def slow(shelf: str, position: int) -> str:
        notes.enter()
        notes.release.wait(LONGEST if setting.hangs else WORK)
        notes.left.set()
        return "done"

    return slow


def _on_loop(setting: Setting, notes: Notes) -> Callable[..., Any]:
    async def slow(shelf: str, position: int) -> str:
        notes.enter()
        try:
            end = time.monotonic() + (LONGEST if setting.hangs else WORK)
            while not notes.release.is_set() and time.monotonic() < end:
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            notes.cancelled = True
            raise
        finally:
            notes.left.set()
        return "done"

    return slow


def _blocking(setting: Setting, notes: Notes) -> Callable[..., Any]:
    async def slow(shelf: str, position: int) -> str:
        notes.enter()
        notes.release.wait(LONGEST if setting.hangs else WORK)  # a wait that is not awaited: nobody else gets the loop
        notes.left.set()
        return "done"

    return slow


def _in_process(setting: Setting, notes: Notes) -> Callable[..., Any]:
    folder = str(notes.folder)
    unlimited = LET_GO if setting.limit is None else LONGEST
    seconds = unlimited if setting.hangs else WORK

    def slow(shelf: str, position: int) -> str:
        # It travels into the other process as it stands here, so it brings its own imports.
        import os
        import time

        with open(os.path.join(folder, "new"), "w") as file:  # noqa: PTH118, PTH123
            file.write(str(os.getpid()))
        os.rename(os.path.join(folder, "new"), os.path.join(folder, "pid"))  # noqa: PTH104, PTH118
        time.sleep(seconds)
        return "done"

    return slow


SLOW: dict[str, Callable[[Setting, Notes], Any]] = {
    "thread": _in_thread,
    "async": _on_loop,
    "blocking": _blocking,
    "process": _in_process,
}


def _quick(notes: Notes) -> Callable[..., Any]:
    def quick(shelf: str, position: int) -> str:
        if position in notes.beside:
            notes.started.wait(LONGEST)
        time.sleep(QUICK)
        return f"saw {shelf}"

    return quick


def _quick_on_loop(notes: Notes) -> Callable[..., Any]:
    async def quick(shelf: str, position: int) -> str:
        while position in notes.beside and not notes.started.is_set():
            await asyncio.sleep(0.005)
        await asyncio.sleep(QUICK)
        return f"saw {shelf}"

    return quick
