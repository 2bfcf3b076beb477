"""From the text of a path to its parts, refusing every spelling that could mean a place outside.

Chapter 04. Pure: it looks at the text alone, so the answer is the same on every platform.

    >>> parts_of("src/./app.py")
    ['src', 'app.py']
    >>> parts_of("~/notes")
    ['~', 'notes']

Absolute paths are refused even where they point into the workspace: a model never needs to know where
the workspace lies. A tilde is an ordinary character. ``..`` is allowed as long as it stays inside.

Does not: look at the disk; links are the business of ``descent`` and ``resolving``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from labkit.toolsets.workspace.refusals import outside

LONGEST = 4096
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)


def parts_of(path: str) -> list[str]:
    """Return the parts of a relative path, without empty ones and ``.``; raise ``Refused`` for any other spelling."""
    for applies, why in _WHOLE:
        if applies(path):
            raise outside(why)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for part in parts:
        _judge_part(part)
    _judge_depth(parts)
    return parts


def _unencodable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


# The order matters: the first rule that applies words the refusal.
_WHOLE: tuple[tuple[Callable[[str], object], str], ...] = (
    (lambda path: "\0" in path, "it holds a NUL character"),
    (lambda path: len(path) > LONGEST, f"it is longer than {LONGEST:,} characters"),
    (_unencodable, "it holds half of a surrogate pair"),
    (_URL.match, "it is a URL"),
    (_DRIVE.match, "it begins with a drive letter"),
    (lambda path: "\\" in path, "it holds a backslash"),
    (lambda path: path.startswith("/"), "it is absolute"),
)


def _judge_part(part: str) -> None:
    """Refuse names that Windows reads as something else. Workspaces travel, so most hold everywhere."""
    bare = part.rstrip(" .")
    if not bare and part != "..":
        raise outside("a part of it is made of dots and spaces only")
    if _DEVICE.fullmatch(bare.split(".")[0].rstrip(" ")):
        raise outside("a part of it is the name of a device")
    if os.name == "nt" and part != ".." and (":" in part or bare != part):
        raise outside("a part of it holds a colon, or ends in a dot or a space")


def _judge_depth(parts: list[str]) -> None:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            raise outside()
