"""What a batch leaves behind: what every call said, and what stands in the files. Pure.

    >>> lines, _ = written("read tea.txt 40\nedit tea.txt 60\nread tea.txt 40")
    >>> outcome(lines, [0, 1, 2]).said[2]
    'tea.txt: call_2'

A file holds the names of the calls that have changed it, in that order: so whoever reads it tells what came before.
Does not: touch a file; ``files`` does the same on a disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labkit.course.scheduling.batches import EVERYTHING, Line

EDITED = "edited"


@dataclass(frozen=True)
class Outcome:
    """A value: what each call said, in call order, and what stands in each file at the end."""

    said: tuple[str, ...]
    files: dict[str, str]


def outcome(lines: Sequence[Line], order: Iterable[int]) -> Outcome:
    """Return what comes of the calls when they are made one by one in this order."""
    files = dict.fromkeys(resources(lines), "")
    said = [""] * len(lines)
    for i in order:
        mine = covered(lines[i].resource, files)
        if lines[i].kind == "edit":
            files |= {name: added(files[name], call_id(i)) for name in mine}
            said[i] = EDITED
        else:
            said[i] = told({name: files[name] for name in mine})
    return Outcome(tuple(said), files)


def differences(lines: Sequence[Line], found: Outcome, serial: Outcome) -> tuple[str, ...]:
    """Return a sentence for each thing that came out in another way than one by one in call order."""
    told_apart = []
    for i, line in enumerate(lines):
        if found.said[i] == serial.said[i]:
            continue
        seen, due = set(_calls_in(found.said[i])), set(_calls_in(serial.said[i]))
        too_early, too_late = _listed(due - seen), _listed(seen - due)
        if too_early:
            told_apart.append(f"{call_id(i)} read {line.resource} before {too_early} had changed it")
        if too_late:
            told_apart.append(f"{call_id(i)} read {line.resource} after {too_late} had changed it")
        if not (too_early or too_late):
            told_apart.append(f"{call_id(i)} ({line.label}) said something else than in call order")
    other = [name for name in serial.files if found.files.get(name) != serial.files[name]]
    return (*told_apart, *(f"{name} does not end as it ends in call order" for name in other))


def call_id(position: int) -> str:
    """Return the label of the call at this position."""
    return f"call_{position + 1}"


def resources(lines: Sequence[Line]) -> list[str]:
    """Return everything that the calls name, sorted."""
    return sorted({line.resource for line in lines})


def covered(resource: str, names: Iterable[str]) -> list[str]:
    """Return what a resource stands for among these: itself, what is in it if it is a folder, or all."""
    return [name for name in names if resource in (EVERYTHING, name) or name.startswith(f"{resource}/")]


def added(content: str, call: str) -> str:
    """Return what stands in a file after one more call has changed it."""
    return f"{content} {call}".lstrip()


def told(files: dict[str, str]) -> str:
    """Return what a read says of these files."""
    return "\n".join(f"{name}: {content or 'as it was'}" for name, content in files.items())


def _calls_in(said: str) -> list[str]:
    return [word for row in said.splitlines() for word in row.partition(": ")[2].split() if word.startswith("call_")]


def _listed(calls: set[str]) -> str:
    return " and ".join(sorted(calls, key=lambda call: int(call.removeprefix("call_"))))
