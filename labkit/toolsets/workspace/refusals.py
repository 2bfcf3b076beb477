"""The ways in which a workspace says no, each worded once.

Chapter 04. Pure.

    >>> missing("notes.txt").failure.code
    'not_found'

Does not: quote a path that was refused, or say whether anything stands at the end of it.
"""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from labkit.calls import ErrorCode, Failure, quote

P = ParamSpec("P")
T = TypeVar("T")

_LOOK = "list_files shows what is there"
_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}
_FORBIDDEN = {errno.EACCES, errno.EPERM}


class Refused(Exception):
    """Carries a ``Failure`` up to the tool, which returns it. Never leaves this package."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def outside(why: str = "it leads outside") -> Refused:
    """Return the refusal of a path that is not plainly inside the workspace. It tells nothing about the target."""
    hint = "give a path relative to the workspace, with / between folders, such as src/app.py"
    return Refused(Failure(f"the path is refused: {why}", hint, ErrorCode.PATH_OUTSIDE_WORKSPACE))


def missing(path: str) -> Refused:
    """Return the refusal of a path at which there is nothing."""
    return Refused(Failure(f"there is no {quote(path)} in the workspace", _LOOK, ErrorCode.NOT_FOUND))


def wrong_kind(path: str, kind: str, hint: str | None = None) -> Refused:
    """Return the refusal of something of another kind than was asked for, such as ``a folder``."""
    return Refused(Failure(f"{quote(path)} is {kind}", hint))


def trouble(path: str, error: OSError) -> Refused:
    """Return the refusal that an error of the operating system stands for, in our own words."""
    if error.errno in _MISSING:
        return missing(path)
    if error.errno in _FORBIDDEN:
        return Refused(Failure(f"access to {quote(path)} is not permitted"))
    name = errno.errorcode.get(error.errno or 0, "no code")
    return Refused(Failure(f"{quote(path)} can't be used: the operating system answered {name}"))


def answering(tool: Callable[P, T]) -> Callable[P, T | Failure]:
    """Make a tool's function return the failure that a refusal carries."""

    @functools.wraps(tool)
    def answer(*args: P.args, **kwargs: P.kwargs) -> T | Failure:
        try:
            return tool(*args, **kwargs)
        except Refused as refusal:
            return refusal.failure

    return answer
