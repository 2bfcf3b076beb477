"""Runs the tests of a workspace in a process of its own, and takes everything down with it that they started.

Chapters 00 and 06. Acts: it starts a process, and ends it.

    >>> run_test(Root("work"), 20.0).content
    'EXIT 0\\n...\\n----------------------------------------------------------------------\\nRan 3 tests\\n\\nOK'

Does not: keep the tests from doing harm. They run with the rights of the user; only keys are kept from them.
"""

from __future__ import annotations

import atexit
import functools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from labkit.calls import ErrorCode, Failure, ToolOutput
from labkit.toolsets.workspace.collecting import Collector
from labkit.toolsets.workspace.confine import Root
from labkit.toolsets.workspace.steady import steady

COMMAND = ("-B", "-P", "-s", "-u", "-m", "unittest", "discover", "-s", ".", "-t", ".")
NO_TESTS = 5
_LOOK_EVERY = 0.05
_EXCERPT = 1_000


def run_test(root: Root, limit: float) -> ToolOutput | Failure:
    """Run the tests of the workspace: every test_*.py in it, with unittest.

    The first line of the answer is EXIT and the exit code, 0 where all tests passed; the output follows, cut in its
    middle where it is long. A failing test is an answer, no error. Tests that outlast the time limit are stopped.
    Takes no parameters. Example: {}.
    """
    try:
        process = _start(root.path)
    except OSError:
        return Failure("the tests could not be started", "list_files shows whether the workspace is still there")
    end = functools.partial(_end, process)
    _end_with_the_call(end)
    atexit.register(end)
    assert process.stdout is not None
    output = Collector(process.stdout)
    try:
        output.begin()
        in_time = _wait(process, output, monotonic() + limit)
    finally:
        # Also at an interrupt: nothing that the tests started may outlive this call.
        end()
        atexit.unregister(end)
        text = steady(output.stop(), root.path)
    if not in_time:
        return _timed_out(limit, text)
    return _outcome(process.returncode, text)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    from labkit.workers import own_group

    return subprocess.Popen(
        [sys.executable, *COMMAND],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **own_group(),
    )


def _environment() -> dict[str, str]:
    """No keys, no settings of the parent's Python; no caches in the workspace; the same order of sets at every run."""
    from labkit.workers import clean_environment

    kept = {name: value for name, value in clean_environment().items() if not name.upper().startswith("PYTHON")}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "PYTHONHASHSEED": "0", "NO_COLOR": "1"}


def _wait(process: subprocess.Popen[bytes], output: Collector, deadline: float) -> bool:
    """Return whether the process ended in time. The end of its output tells at once, but not for sure."""
    while process.poll() is None:
        left = deadline - monotonic()
        if left <= 0:
            return False
        if output.ended.wait(min(left, _LOOK_EVERY)):
            try:
                process.wait(min(left, _LOOK_EVERY))
            except subprocess.TimeoutExpired:
                continue
    return True


def _end_with_the_call(end: Callable[[], None]) -> None:
    from labkit.workers import on_stop

    on_stop(end)


def _end(process: subprocess.Popen[bytes]) -> None:
    from labkit.workers import end_process_tree

    end_process_tree(process)


def _timed_out(limit: float, text: str) -> Failure:
    hint = "look for a loop that does not end, or for a wait"
    if text:
        hint += f"; the output so far ends:\n{text[-_EXCERPT:]}"
    reason = f"the tests did not end within {limit:g} seconds and were stopped"
    return Failure(reason, hint, ErrorCode.TIMEOUT)


def _outcome(code: int, text: str) -> ToolOutput:
    if code == 0 and text.endswith("NO TESTS RAN"):
        code = NO_TESTS
    return ToolOutput(f"EXIT {code}\n{text}".rstrip("\n"), ok=code == 0, data={"exit_code": code})
