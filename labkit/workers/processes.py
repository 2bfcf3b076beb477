"""Processes that can be killed, with all that they started."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.workers.child import Fault

if TYPE_CHECKING:
    import subprocess

    from labkit.declare import Tool

Call = tuple[Callable[..., Any], list[Any], dict[str, Any]]

# What a program needs to run at all, on Linux, macOS and Windows. Keys and tokens are never among it.
NEEDED = frozenset(
    (
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "USER",
        "LOGNAME",
        "VIRTUAL_ENV",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "COMSPEC",
        "PATHEXT",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "NUMBER_OF_PROCESSORS",
    )
)


class CannotSend(Exception):
    """The call can't be copied into another process; the message says why."""


class Child:
    """One call in one process. ``kill`` works from any thread, at any time, also before the process was made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    @property
    def made(self) -> bool:
        """Whether there was a process at all."""
        return self._process is not None

    def call(self, tool: Tool, call: Call) -> tuple[Any, Fault | None]:
        """Return the value of a call, or what went wrong with it; waits until the process ends."""
        import pickle

        try:
            text = pickle.dumps(sys.path) + pickled(tool, call)
            process = self._begin()
        except (CannotSend, OSError) as problem:
            return None, Fault(type(problem).__name__, str(problem) if isinstance(problem, CannotSend) else "")
        answer = _talk(process, text)
        try:
            value, words = pickle.loads(answer)
        except Exception:  # no answer, or half of one: the process ended before it could give it
            return None, Fault("ChildProcessError", f"the process ended with exit code {process.returncode}")
        return value, Fault(*words) if words else None

    def _begin(self) -> subprocess.Popen[bytes]:
        import subprocess

        with self._lock:
            if self._killed:
                raise CannotSend("stopped before it began")
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("child.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                **own_group(),
            )
            return self._process

    def kill(self) -> None:
        """Kill the process and its children."""
        with self._lock:
            self._killed = True
            process = self._process
        if process is not None:
            end_process_tree(process)


def _talk(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    """Send the call, return the answer. A killed child breaks the pipe, which is an empty answer."""
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.write(text)
    with contextlib.suppress(OSError):
        process.stdin.close()
    length = int.from_bytes(process.stdout.read(8), "big")
    answer = process.stdout.read(length)
    process.wait()
    process.stdout.close()
    return answer


def pickled(tool: Tool, call: Call) -> bytes:
    """Return a call as bytes, the function by value where it was defined in a notebook or a script."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(call))
    except Exception:  # pickling runs code of every captured object
        raise CannotSend(f"{_culprit(tool)} can't be copied into another process") from None


def call_pickled(text: bytes) -> Any:
    """Make a pickled call; runs in a worker of the caller's executor."""
    import pickle

    fn, args, values = pickle.loads(text)
    return fn(*args, **values)


def _culprit(tool: Tool) -> str:
    """Name the captured value that can't be copied, such as a lock or an open file."""
    import cloudpickle

    try:
        seen = inspect.getclosurevars(tool.fn)
    except (TypeError, ValueError):
        return "something in the function"
    for name, value in {**seen.globals, **seen.nonlocals}.items():
        try:
            cloudpickle.dumps(value)
        except Exception:
            return f"the captured {name} (a {type(value).__name__})"
    return "something in the function"


def own_group() -> dict[str, Any]:
    """Return the ``Popen`` options that start a child in a group of its own, so that it can be ended as a whole."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def clean_environment() -> dict[str, str]:
    """Return what a child needs of this process's environment to run: no key, no token, nothing else."""
    return {name: value for name, value in os.environ.items() if name.upper() in NEEDED}


def end_process_tree(process: subprocess.Popen[Any]) -> None:
    """Kill a process, its group and every descendant, also those that left the group; never raises."""
    import signal
    import subprocess

    import psutil

    family: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        family = psutil.Process(process.pid).children(recursive=True)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    for member in family:
        with contextlib.suppress(psutil.Error):
            member.kill()
    with contextlib.suppress(OSError):
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)
