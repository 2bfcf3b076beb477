"""Tools that tests share: they wait for events, count themselves, hang, fail. None of them is labkit's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import psutil

from labkit import Tool, ToolCall, ToolRegistry, ToolRuntime, tool

LONG = 30.0
"""Seconds that a hung tool would take; a test that waits for it has failed."""


def calls(*pairs: tuple[str, Any]) -> list[ToolCall]:
    """Return one call per (name, arguments), with counter ids."""
    return [ToolCall(f"call_{n}", name, arguments) for n, (name, arguments) in enumerate(pairs, 1)]


def runtime_of(*tools: Tool, **options: Any) -> ToolRuntime:
    """Return a runtime over these tools."""
    return ToolRuntime(ToolRegistry(tools), **options)


class Counter:
    """Counts how many calls are at work at once, and in which order they began."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = 0
        self.peak = 0
        self.order: list[str] = []

    def __enter__(self) -> Counter:
        with self.lock:
            self.now += 1
            self.peak = max(self.peak, self.now)
        return self

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.now -= 1


def hanging(release: threading.Event, **options: Any) -> Tool:
    """Return a tool that waits for ``release``."""

    @tool(**({"timeout": 0.1} | options))
    def hang() -> str:
        release.wait(LONG)
        return "late"

    return hang


def quick(name: str = "quick", body: Callable[[], Any] | None = None, **options: Any) -> Tool:
    """Return a tool that answers at once."""

    def answer() -> Any:
        return body() if body else "quick"

    return Tool.from_function(answer, name=name, description="Answer at once.", **({"readonly": True} | options))


def codes(results: Iterable[Any]) -> list[str | None]:
    """Return the error codes of results, None where there is none."""
    return [str(result.error.code) if result.error else None for result in results]


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has, it only was not reaped yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until(condition: Callable[[], object], within: float = 10.0) -> bool:
    """Look again and again at what another process does, which sends no event; return whether it came true."""
    end = time.monotonic() + within
    while not condition() and time.monotonic() < end:
        threading.Event().wait(0.01)
    return bool(condition())
