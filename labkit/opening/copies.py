"""Keeps the learner's own copy of the chapters: follows what is shipped, puts a chapter back, loses no change.

For every chapter. Acts on files in ``my/`` alone.

    >>> follow(notebooks, my)
    Followed(new=('00_start_here.ipynb',), renewed=(), behind=())

A learner's chapter counts as changed when the *sources* of its cells differ from those that were copied; running
a chapter changes only outputs, so it does not count. ``solutions/`` is not copied: ``lab.solution`` shows those.

Does not: write into ``notebooks/``, delete anything a learner wrote, judge exercises.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

MANIFEST = ".shipped.json"  # in my/: what was copied, so that a change can be told from an update
NOT_COPIED = ("solutions", "__pycache__")


@dataclass(frozen=True)
class Followed:
    """What a start did to the learner's copy, as names of files. A value."""

    new: tuple[str, ...]
    renewed: tuple[str, ...]  # untouched, so the newer shipped one took its place
    behind: tuple[str, ...]  # changed by the learner, so kept although a newer one is shipped


def follow(notebooks: Path, my: Path) -> Followed:
    """Bring the learner's copy up to what is shipped, without losing a change."""
    manifest = _read_manifest(my)
    new, renewed, behind = [], [], []
    for name in shipped(notebooks):
        original, copy = notebooks / name, my / name
        before, now = manifest.get(name), _identity(original)
        if not copy.exists():
            new.append(name)
        elif _sources(copy) == now["sources"]:
            if before and before["file"] == now["file"]:
                continue  # perhaps with the learner's own outputs
            renewed.append(name)
        elif before and _sources(copy) == before["sources"]:
            renewed.append(name)
        else:
            if not before or before["sources"] != now["sources"]:
                behind.append(name)
            continue
        _copy(original, copy)
        manifest[name] = now
    _write_manifest(my, manifest)
    return Followed(tuple(new), tuple(renewed), tuple(behind))


def shipped(notebooks: Path) -> list[str]:
    """The files a learner gets a copy of, as sorted names relative to ``notebooks`` (with ``/``)."""
    found = (path.relative_to(notebooks) for path in notebooks.rglob("*") if path.is_file())
    return sorted(
        path.as_posix() for path in found if not any(part.startswith(".") or part in NOT_COPIED for part in path.parts)
    )


def chapters(notebooks: Path, wanted: str | None) -> list[str]:
    """The shipped chapters that ``wanted`` names: ``5``, ``05``, a file name, or None for all. Else ValueError."""
    every = [name for name in shipped(notebooks) if name.endswith(".ipynb") and "/" not in name]
    if wanted is None:
        return every
    stem = Path(wanted).name.removesuffix(".ipynb")
    number = stem.zfill(2) if stem.isdecimal() else stem
    found = [name for name in every if stem == name.removesuffix(".ipynb") or name.split("_")[0] == number]
    if not found:
        raise ValueError(f"There is no chapter {wanted!r}. The chapters are:\n" + "\n".join(f"  {n}" for n in every))
    return found


def put_back(notebooks: Path, my: Path, name: str, today: datetime.date) -> str | None:
    """Put one chapter back as shipped; returns the name under which a changed version was kept, or None."""
    original, copy = notebooks / name, my / name
    kept = None
    if copy.exists() and _sources(copy) != _sources(original):
        kept = _free_name(copy, today)
        copy.rename(kept)
    _copy(original, copy)
    _write_manifest(my, {**_read_manifest(my), name: _identity(original)})
    return kept.name if kept else None


def _free_name(copy: Path, today: datetime.date) -> Path:
    """A name beside the copy with the day in it, that no file has yet."""
    count, label = 1, today.isoformat()
    while (free := copy.with_name(f"{copy.stem}.{label}{copy.suffix}")).exists():
        count += 1
        label = f"{today.isoformat()}-{count}"
    return free


def _sources(path: Path) -> str:
    """A hash of what a person wrote in a file: of a notebook the kinds and sources of its cells, else all bytes."""
    content = path.read_bytes()
    if path.suffix == ".ipynb":
        try:
            cells = json.loads(content)["cells"]
            written = [[cell["cell_type"], "".join(cell["source"])] for cell in cells]
            content = json.dumps(written).encode()
        except (ValueError, KeyError, TypeError):
            pass  # no notebook any more: then every byte counts
    return hashlib.sha256(content).hexdigest()


def _identity(path: Path) -> dict[str, str]:
    return {"file": hashlib.sha256(path.read_bytes()).hexdigest(), "sources": _sources(path)}


def _copy(original: Path, copy: Path) -> None:
    """Copy content only (a read-only original gives a copy that can be saved), whole or not at all."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    half = copy.with_name(f".{copy.name}.copying")
    shutil.copyfile(original, half)
    half.replace(copy)


def _read_manifest(my: Path) -> dict[str, dict[str, str]]:
    try:
        entries = json.loads((my / MANIFEST).read_text(encoding="utf-8"))
        return {name: {"file": one["file"], "sources": one["sources"]} for name, one in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write_manifest(my: Path, manifest: dict[str, dict[str, str]]) -> None:
    my.mkdir(exist_ok=True)
    half = my / f"{MANIFEST}.new"
    half.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    half.replace(my / MANIFEST)
