"""Runs a job for a limited time, in a thread that is stopped when the time is up. For the benches of the chapters.

    >>> within(1.0, lambda: 2 + 2, "<source>")
    4

Acts. Does not: stop a loop written in C (``sum(count())``), or a loop within a ``try`` that catches everything.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

GRACE = 0.2
"""Seconds that a stopped job gets to end, and how often it is told so."""
TIMES = 5

Result = TypeVar("Result")


class TookTooLong(Exception):
    """A job did not end in time. ``line`` is where it was, in the file that was asked for; ``stopped`` if it ended."""

    def __init__(self, line: int | None, stopped: bool) -> None:
        super().__init__("the job did not end in time")
        self.line = line
        self.stopped = stopped


class TimeIsUp(BaseException):
    """Raised in the job's thread, which must let it through."""


def within(limit: float, job: Callable[[], Result], file: str) -> Result:
    """Return what a job gives, or raise what it raises. Raises TookTooLong after ``limit`` seconds.

    An interrupt while waiting stops the job and comes through.
    """
    given: SimpleQueue[Result] = SimpleQueue()
    raised: SimpleQueue[BaseException] = SimpleQueue()

    def work() -> None:
        try:
            given.put(job())
        except BaseException as problem:
            raised.put(problem)

    thread = Thread(target=work, daemon=True, name="limited job")
    thread.start()
    line = None
    try:
        thread.join(limit)
        line = _line_in(thread, file)
    finally:
        stopped = _stop(thread)
    if not given.empty():
        return given.get()
    problem = raised.get() if not raised.empty() else TimeIsUp()
    if isinstance(problem, TimeIsUp):
        raise TookTooLong(line, stopped) from None
    raise problem


def _line_in(thread: Thread, file: str) -> int | None:
    """Return the line of a file that a thread is at, or None where it is not in that file."""
    frame = sys._current_frames().get(thread.ident or 0) if thread.is_alive() else None
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


def _stop(thread: Thread) -> bool:
    """Raise an exception in a thread until it ends; return whether it did. One that sleeps hears of it afterwards."""
    for _ in range(TIMES):
        if not thread.is_alive():
            return True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeIsUp))
        thread.join(GRACE)
    return not thread.is_alive()
