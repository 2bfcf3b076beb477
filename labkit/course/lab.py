"""The start of a chapter, and the files it works on."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
import weakref
from dataclasses import dataclass, field
from pathlib import Path

from labkit.paths import data, repository

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Lab:
    """One chapter at work. ``root`` is the checkout; copies of workspaces live until the kernel ends."""

    chapter: str
    root: Path = field(repr=False)

    def script(self, name: str) -> Path:
        """Return the file of a script, such as ``m2_task``. Raises FileNotFoundError that names those there are."""
        return _one_of(data("scripts"), f"{name}.json")

    def workspace(self, name: str) -> Path:
        """Return a fresh copy of a workspace, such as ``calculator``: break it as you like."""
        return fresh_copy(_one_of(data("workspaces"), name))


def start(chapter: str) -> Lab:
    """Begin a chapter: say which model will answer, and see to it that nothing else is said unasked.

    Safe to run twice. Raises ValueError for a chapter that is not a two-digit number.
    """
    if not (isinstance(chapter, str) and len(chapter) == 2 and chapter.isdigit()):
        raise ValueError(f'a chapter is two digits, such as start("05"), not {chapter!r}')
    warnings.simplefilter("ignore")
    _reach_loopback_directly()
    print("scripted model")
    return Lab(chapter, repository())


def _one_of(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.exists():
        names = ", ".join(sorted(entry.stem for entry in folder.iterdir()))
        raise FileNotFoundError(f"data/{folder.name} has no {path.stem}; it has {names}")
    return path


def fresh_copy(folder: Path) -> Path:
    """Return a throw-away copy of a folder, removed when the program ends."""
    outer = Path(tempfile.mkdtemp(prefix="labkit-"))
    copy = shutil.copytree(folder, outer / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    weakref.finalize(_keeper, shutil.rmtree, outer, ignore_errors=True)
    return copy


class _Keeper:
    """What the copies live as long as: this module."""


_keeper = _Keeper()


def _reach_loopback_directly() -> None:
    """A proxy set for the outside world must not stand between this machine and itself."""
    for name in ("NO_PROXY", "no_proxy"):
        listed = [host for host in os.environ.get(name, "").split(",") if host]
        os.environ[name] = ",".join(listed + [host for host in LOOPBACK if host not in listed])
