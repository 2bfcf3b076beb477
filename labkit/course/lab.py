"""The start of a chapter, and the files it works on."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
import weakref
from dataclasses import dataclass, field
from pathlib import Path

from labkit.calls import many
from labkit.course.checking import Verdict, check
from labkit.course.copying import copied
from labkit.course.exercises import exercise
from labkit.course.notes import Note, Report, report
from labkit.course.progress import here
from labkit.course.source import Source
from labkit.paths import data, repository

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Lab:
    """One chapter at work. ``root`` is the checkout; copies of workspaces live until the kernel ends."""

    chapter: str
    root: Path = field(repr=False)

    def script(self, name: str) -> Path:
        """Return the file of a script, such as ``m2_task``. Raises FileNotFoundError that names those there are."""
        scripts = data("scripts")
        names = [path.relative_to(scripts).with_suffix("").as_posix() for path in scripts.rglob("*.json")]
        return scripts / f"{_one_of(name, names, scripts)}.json"

    def workspace(self, name: str) -> Path:
        """Return a fresh copy of a workspace, such as ``calculator``: break it as you like."""
        workspaces = data("workspaces")
        return fresh_copy(workspaces / _one_of(name, [path.name for path in workspaces.iterdir()], workspaces))

    def check(self, id: str) -> Verdict:
        """Try the exercise on what the calling cell's notebook defines, and return the verdict."""
        verdict = check(exercise(id), sys._getframe(1).f_globals)
        if not verdict.untouched:
            here().tried(id, verdict.passed)
        return verdict

    def hint(self, id: str) -> Note:
        """Return the next of the exercise's three hints; after the last one, that one again."""
        hints = exercise(id).hints
        number = here().next_hint(id, len(hints))
        return Note(f"{id}  hint {number} of {len(hints)}", hints[number - 1])

    def solution(self, id: str, now: bool = False) -> Source | Note:
        """Return our solution, once the exercise is passed or its three hints are read; with ``now`` at once."""
        asked, entry = exercise(id), here().entry(id)
        if now or entry.passed or entry.hints >= len(asked.hints):
            return Source(asked.solution.strip("\n"))
        left = many(len(asked.hints) - entry.hints, "hint")
        return Note(f"{id}  the solution can wait", f'{left} left. lab.solution("{id}", now=True) shows it at once.')

    def progress(self) -> Report:
        """Return what was done in this chapter, and in every other one where something was."""
        return report(here(), self.chapter)


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


def _one_of(name: str, names: list[str], folder: Path) -> str:
    if name not in names:
        raise FileNotFoundError(f"data/{folder.name} has no {name}; it has {', '.join(sorted(names))}")
    return name


def fresh_copy(folder: Path) -> Path:
    """Return a throw-away copy of a folder, removed when the program ends."""
    outer = Path(tempfile.mkdtemp(prefix="labkit-"))
    copy = copied(folder, outer)
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
