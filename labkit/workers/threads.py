"""Parked daemon threads: one is always free, because an abandoned one is never waited for.

A pool of fixed size starves behind tools that hang, and joins them at exit. These threads do neither.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.workers.jobs import Job

MOST_PARKED = 256

_parked: deque[SimpleQueue[Job]] = deque()


def hand_over(job: Job) -> None:
    """Run a job in a parked thread, or in a new one; returns at once. Raises RuntimeError if no thread can be had."""
    try:
        inbox = _parked.pop()
    except IndexError:
        inbox = SimpleQueue()
        _watch_for_forks()
        threading.Thread(target=_serve, args=(inbox,), name="labkit-worker", daemon=True).start()
    inbox.put(job)


def _serve(inbox: SimpleQueue[Job]) -> None:
    while True:
        job = inbox.get()
        job.run()
        done = job.done
        # Parked before the end is announced: who hears of it and starts the next call finds this thread free.
        stays = len(_parked) < MOST_PARKED
        if stays:
            _parked.append(inbox)
        done.put(job)
        del job, done
        if not stays:
            return


@functools.cache
def _watch_for_forks() -> None:
    """In a forked child no thread of the parent lives on, so none is parked there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_parked.clear)
