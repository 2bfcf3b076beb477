"""The worker lab's run: two batches through a real runtime, and a look at what is still alive.

Acts. What is said of a thread is read off its stack, of a process off the system's table, of a coroutine off the
exception that reached it; nothing is concluded from the answer that the call got.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.calls import ToolCall, ToolResult
from labkit.course.execution.rules import beside, planned
from labkit.course.execution.setting import LET_GO, PLACES, SAME, Setting
from labkit.course.execution.tools import Notes, tools
from labkit.runtime import ToolRuntime
from labkit.schedule import Plan, plan
from labkit.timeline import Timeline

LINGER = 0.3
"""Seconds for which a tool that goes on is left alone, so that it can be seen."""
PATIENCE = 2.0


@dataclass(frozen=True)
class Look:
    """What was found alive, and when: ``at`` is seconds since the first batch began. A value."""

    when: str
    said: str
    at: float


class Sent:
    """One batch on its way: its plan, what was heard of it, and its results once it is over."""

    def __init__(self, title: str, made: Plan) -> None:
        self.title = title
        self.plan = made
        self.events: list[dict[str, Any]] = []
        self.began = time.perf_counter()
        self.ended: float | None = None
        self.results: list[ToolResult] = []

    def timeline(self) -> Timeline:
        """Return what is known of it by now; once it is over, what it was."""
        now = (self.ended or time.perf_counter()) - self.began
        return Timeline.live(self.plan, tuple(self.events), now)


class Trial:
    """A setting, tried for real when it is called. ``sent``, ``looks`` and ``ran_in`` fill up as it goes on."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.sent: list[Sent] = []
        self.looks: list[Look] = []
        self.ran_in = ""
        self.over = False
        self._answered: float | None = None
        self._ghost_ended: float | None = None

    @property
    def ghost(self) -> tuple[float, bool] | None:
        """For how many seconds the slow tool has outlived its limit, and whether it goes on; None where it did not."""
        if self._answered is None:
            return None
        return (self._ghost_ended or time.perf_counter()) - self._answered, self._ghost_ended is None

    def __call__(self) -> None:
        """Run both batches, look, let go of what hangs, and look again; returns within about two seconds."""
        folder = Path(tempfile.mkdtemp(prefix="labkit-"))
        notes = Notes(beside(planned(self.setting), self.setting.position), folder)
        if self.setting.place == "process":
            notes.beside = frozenset()  # nobody hears from there that it has begun
        try:
            self._try(notes)
        finally:
            notes.release.set()
            shutil.rmtree(folder, ignore_errors=True)
        self.over = True

    def _try(self, notes: Notes) -> None:
        runtime = ToolRuntime(tools(self.setting, notes), self.setting.policy)
        if self.setting.hangs and self.setting.limit is None:
            letting_go = threading.Timer(LET_GO, notes.release.set)
            letting_go.daemon = True
            letting_go.start()
        self._send("first batch", runtime, self.setting.first())
        self.ran_in = _place(notes)
        if inside(notes):
            self._answered = self.sent[0].ended
        self._look("right after the first batch", notes)
        if self.setting.again:
            self._send("second batch", runtime, self.setting.second())
        if inside(notes):
            time.sleep(LINGER)
            notes.release.set()
            until(lambda: not inside(notes))
            self._ghost_ended = time.perf_counter()
            self._look("after the tool was let go", notes)
        last = ToolCall("call_9", "quick", {"shelf": SAME, "position": -1})
        until(lambda: runtime.dispatch(last).ok)
        self._note("one more quick read", "ok" if runtime.dispatch(last).ok else "not ok")

    def _send(self, title: str, runtime: ToolRuntime, calls: list[ToolCall]) -> None:
        sent = Sent(title, plan(calls, runtime.registry, runtime.policy))
        self.sent.append(sent)
        sent.results = runtime.dispatch_many(calls, on_event=sent.events.append, began=sent.began)
        sent.ended = time.perf_counter()

    def _look(self, when: str, notes: Notes) -> None:
        self._note(when, alive(self.setting, notes))

    def _note(self, when: str, said: str) -> None:
        self.looks.append(Look(when, said, time.perf_counter() - self.sent[0].began))

    def text(self) -> str:
        """Return what became of every call, and what was found alive: no times, so the same on every machine."""
        lines = [self.setting.told()]
        for sent in self.sent if self.over else ():
            lines.append(f"{sent.title}:")
            lines += [
                f"  {result.call_id}  {result.name:<10}  {state(result):<9}  {words(result)}".rstrip()
                for result in sent.results
            ]
        if self.over:
            lines += ["looked up:", f"  {self.setting.slow} ran {self.ran_in}"]
            lines += [f"  {look.when}: {look.said}" for look in self.looks]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()


def state(result: ToolResult) -> str:
    """Return ``ok`` or the code of the error."""
    return str(result.error.code) if result.error else "ok"


def words(result: ToolResult) -> str:
    """Return what the model is told: the message of the error, or the content."""
    return result.error.message if result.error else result.content


def inside(notes: Notes) -> bool:
    """Whether the thread that the slow tool began in is still inside its function, by its stack."""
    frame = sys._current_frames().get(notes.thread.ident or 0) if notes.thread else None
    while frame is not None:
        if frame.f_code is notes.code:
            return True
        frame = frame.f_back
    return False


def alive(setting: Setting, notes: Notes) -> str:
    """Say what of the slow call is still alive, in the terms of its place."""
    match setting.place:
        case "process":
            return _process(notes.pid())
        case "async":
            notes.left.wait(PATIENCE)
            return "its coroutine was cancelled" if notes.cancelled else "its coroutine came to its end"
        case _:
            whose = "the loop's thread" if setting.place == "blocking" else "its thread"
            return f"{whose} is {'still inside' if inside(notes) else 'out of'} {setting.slow}"


def _process(pid: int | None) -> str:
    import psutil

    if pid is None:
        return "its process never came to its function"
    try:
        gone = psutil.Process(pid).status() == psutil.STATUS_ZOMBIE  # it has ended, and only waits to be counted
    except psutil.NoSuchProcess:
        gone = True
    return "its process is gone" if gone else "its process is alive"


def _place(notes: Notes) -> str:
    """Say where the slow tool was, as it has noted itself."""
    if (pid := notes.pid()) is not None:
        return "in this process" if pid == os.getpid() else PLACES["process"]
    thread = notes.thread
    if thread is threading.current_thread():
        return "in the caller's own thread"
    return "in the thread of the event loop" if thread and thread.name == "labkit-loop" else "in a worker thread"


def until(condition: Callable[[], object]) -> None:
    """Wait until something is so, for two seconds at most."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
