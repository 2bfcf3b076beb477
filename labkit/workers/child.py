"""The child's side of a process tool, and what may be said of an exception. Standard library only.

The child runs this file by its path, so that it starts without importing labkit: a call costs some 50 ms, not 200.
"""

from __future__ import annotations

import dis
import os
import re
import sys
from types import TracebackType
from typing import Any, NamedTuple

LONGEST = 300
_START = r"(?:file:/+|~?/|\\\\|[A-Za-z]:[\\/])(?=[\w.~])"
# What a message must not carry out of the house, and what stands in its place. The order matters: keys before paths.
KEYS = (
    (r"\b(\w+://)[^/\s:@]+:[^/\s@]+@", r"\1[hidden]@"),
    (r"\b(Bearer|Basic)\s+[\w.~+/=-]{6,}", r"\1 [hidden]"),
    (r"\b(sk|pk|ghp|xox[a-z])[-_][A-Za-z0-9_-]{8,}|\bAKIA[0-9A-Z]{12,}", "[hidden]"),
    (r"(?i)\b(passw(?:or)?d|secret|token|api[_-]?key)(\s*[=:]\s*)\S+", r"\1\2[hidden]"),
)
PATHS = (
    (rf"(['\"]){_START}[^'\"]*\1", "[path]"),
    (rf"(?<![\w.:/\\]){_START}[^\s'\",;:]+(?: [^\s'\",;:/\\]+[\\/][^\s'\",;:]*)*", "[path]"),
)


class Fault(NamedTuple):
    """What may be told of an exception: the name of its type, and the author's own words where there are any."""

    kind: str
    words: str = ""


def fault(problem: BaseException) -> Fault:
    """Return what may be told of an exception that a tool raised.

    Words are passed on only where the author's own code wrote them in a ``raise``: texts of Python and of libraries
    change with versions, and they quote paths. Whatever looks like a path or a key is blotted out.
    """
    kind = type(problem).__name__
    if not raised_on_purpose(problem) or _in_library(problem):
        return Fault(kind)
    try:
        return Fault(kind, blot(str(problem)))
    except BaseException:  # an exception whose text can't be had, or that raises another in giving it
        return Fault(kind)


def raised_on_purpose(problem: BaseException) -> bool:
    """Whether a ``raise`` statement raised it, and not Python itself, a library in C, or a signal."""
    trace = _innermost(problem)
    return trace is not None and dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def blot(text: str) -> str:
    """Return a text on one line without absolute paths, and without keys: neither known ones nor their look-alikes."""
    text = hide_keys(" ".join(text.split()))
    for pattern, instead in PATHS:
        text = re.sub(pattern, instead, text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def hide_keys(text: str) -> str:
    """Return a text without keys: neither those of the environment nor their look-alikes."""
    for name, value in os.environ.items():
        if len(value) >= 8 and re.search("KEY|TOKEN|SECRET|PASSWORD", name, re.IGNORECASE):
            text = text.replace(value, "[hidden]")
    for pattern, instead in KEYS:
        text = re.sub(pattern, instead, text)
    return text


def _innermost(problem: BaseException) -> TracebackType | None:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _in_library(problem: BaseException) -> bool:
    trace = _innermost(problem)
    file = trace.tb_frame.f_code.co_filename if trace else ""
    return "site-packages" in file or file.startswith(("<frozen", os.path.dirname(os.__file__)))  # noqa: PTH120


def main() -> None:
    """Read a call from standard input, make it, write the outcome to what was standard output."""
    import pickle

    source = os.fdopen(os.dup(0), "rb")
    answer = os.fdopen(os.dup(1), "wb")
    # What the tool prints must not mix with the outcome, and it must not read the call.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.path[:] = pickle.load(source)
    try:
        fn, args, values = pickle.load(source)
        outcome: tuple[Any, Any] = (fn(*args, **values), None)
    except BaseException as problem:
        outcome = (None, tuple(fault(problem)))
    text = _dump(outcome)
    # Its length first: a process that the tool left behind may hold the pipe open long after.
    answer.write(len(text).to_bytes(8, "big") + text)
    answer.close()
    os._exit(0)  # threads that the tool left behind must not hold the process


def _dump(outcome: tuple[Any, Any]) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(outcome))
    except Exception:
        kind = type(outcome[0]).__name__
        return bytes(cloudpickle.dumps((None, ("TypeError", f"a {kind} can't be sent back from a process"))))


if __name__ == "__main__":
    main()
