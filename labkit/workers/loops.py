"""The background event loop for ``async def`` tools, in a daemon thread; given up when a tool blocks it."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.workers.jobs import LoopJob

ANSWER_WITHIN = 0.2
"""Seconds in which a healthy loop answers a knock."""
HOPS = 4
"""Turns of the loop until a cancellation that was asked for before has reached an ordinary coroutine."""

_lock = threading.Lock()
_current: list[Loop] = []


class _LoopThread(threading.Thread):
    """A thread that serves a loop."""


class Loop:
    """An event loop in a thread of its own. One that is made for a single job ends with it."""

    def __init__(self, single: bool = False) -> None:
        import asyncio  # half as long to load as all of labkit, and only async tools need it

        self.loop = asyncio.new_event_loop()
        self.single = single
        self.given_up = False
        self.thread = _LoopThread(target=self._serve, name="labkit-loop", daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        import asyncio

        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()

    def submit(self, job: LoopJob) -> None:
        """Start a job's coroutine on this loop; returns at once."""
        self.loop.call_soon_threadsafe(self._begin, job)

    def _begin(self, job: LoopJob) -> None:
        job.task = self.loop.create_task(job.work(), context=job.context)
        if self.single:
            job.task.add_done_callback(lambda _: self.loop.stop())

    def cancel(self, job: LoopJob) -> None:
        """Ask for a job's cancellation; returns at once."""
        with contextlib.suppress(RuntimeError):  # the loop was closed: the job has ended
            self.loop.call_soon_threadsafe(lambda: job.task and job.task.cancel())

    def lost(self) -> bool:
        """Knock, and give the loop up if it does not answer in time: a tool is blocking it."""
        if not self.given_up:
            answered = threading.Event()
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._hop, HOPS, answered)
                if not answered.wait(ANSWER_WITHIN):
                    self.given_up = True
                    self.loop.call_soon_threadsafe(self._wind_up)
        return self.given_up

    def _wind_up(self) -> None:
        """Runs when the tool lets go at last: nothing else will come here."""
        import asyncio

        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.call_later(ANSWER_WITHIN, self.loop.stop)

    def _hop(self, left: int, answered: threading.Event) -> None:
        if left:
            self.loop.call_soon(self._hop, left - 1, answered)
        else:
            answered.set()


def current() -> Loop:
    """Return the loop that takes coroutines now; a new one where the last was given up."""
    # A tool on a loop that runs tools itself holds its loop, and those below it: only a new one is surely free.
    if isinstance(threading.current_thread(), _LoopThread):
        return Loop(single=True)
    with _lock:
        if not _current or _current[-1].given_up or not _current[-1].thread.is_alive():
            _current[:] = [Loop()]
        return _current[-1]
