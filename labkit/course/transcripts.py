"""The transcripts of chapter 01: replies in the text protocol, with what the writer of each one meant.

    >>> transcripts()[0]
    Transcript(ordinary_1: one call, as agreed)

We wrote all of them, to have every kind of drift. They say what a reader makes of a kind, and nothing of how often a
model sends it. Pure but for reading the files. Does not: decide how a reply is read.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labkit.calls import CallRefused, many
from labkit.models.text_protocol import STOP, Finding, Reading, cut, examine, read
from labkit.paths import data
from labkit.validate import parse_arguments

FILES = ("ordinary", "calls", "observations", "labels", "inputs", "answers")
TOOLS = (
    *("get_weather", "calc", "web_search", "query_orders"),
    *("read_file", "edit_file", "run_test", "list_files", "search_text", "read_lines"),
)
VERDICTS = ("right", "WRONG", "missed")
IN_WORDS = {"right": "right", "WRONG": "WRONG (goes its way)", "missed": "missed (noticed)"}
Taken = Mapping[str, Any] | None
Reader = Callable[[str], Taken]


@dataclass(frozen=True, repr=False)
class Transcript:
    """One reply. A value.

    ``meant`` holds ``{"name", "arguments"}`` for each call that the writer meant, in order, or one ``{"answer"}``.
    """

    id: str
    kind: str
    text: str
    meant: tuple[dict[str, Any], ...]
    note: str

    def __repr__(self) -> str:
        return f"Transcript({self.id}: {self.note})"


@functools.cache
def transcripts() -> tuple[Transcript, ...]:
    """Return the corpus: the ordinary ones first, then kind by kind."""
    lines = [line for name in FILES for line in data("transcripts", f"{name}.jsonl").read_text("utf-8").split("\n")]
    return tuple(_transcript(json.loads(line)) for line in lines if line)


def transcript(id: str) -> Transcript:
    """Return the transcript of this id. Raises KeyError that names the kinds there are."""
    found = next((each for each in transcripts() if each.id == id), None)
    if found is None:
        raise KeyError(f"there is no transcript {id}; ids are a kind and a number: {', '.join(kinds())}")
    return found


def kinds() -> list[str]:
    """Return the kinds of the corpus, in its order."""
    return list(dict.fromkeys(each.kind for each in transcripts()))


def taken(text: str) -> Taken:
    """Return what labkit's own reader takes from a text."""
    return read(text).taken


def verdict(taken: Taken, meant: tuple[dict[str, Any], ...]) -> str:
    """Return ``right``, ``WRONG`` or ``missed``.

    WRONG is what nobody notices: something else than was meant is taken and goes its way. ``missed`` is noticed:
    nothing was taken, or there is no tool of that name, or its arguments are no JSON object.
    """
    if not isinstance(taken, Mapping):
        return "missed"
    if "answer" in taken:
        return "right" if meant == ({"answer": taken["answer"]},) else "WRONG"
    try:
        arguments = parse_arguments(taken["arguments"])
    except CallRefused:
        return "missed"
    if taken["name"] not in TOOLS:
        return "missed"
    return "right" if meant == ({"name": taken["name"], "arguments": arguments},) else "WRONG"


def drift(reader: Reader = taken, stop: str | None = STOP) -> Drift:
    """Return what a reader makes of the whole corpus, counted by kind; each reply is cut at ``stop`` first."""
    counts = {kind: dict.fromkeys(VERDICTS, 0) for kind in kinds()}
    for each in transcripts():
        counts[each.kind][verdict(reader(cut(each.text, stop)), each.meant)] += 1
    return Drift(counts)


def not_right(reader: Reader, kind: str) -> list[str]:
    """Return the ids of the replies of one kind that a reader does not take right."""
    mine = [each for each in transcripts() if each.kind == kind]
    return [each.id for each in mine if verdict(reader(cut(each.text)), each.meant) != "right"]


@dataclass(frozen=True, repr=False)
class Drift:
    """Verdicts counted by kind. A value; shown as a table."""

    counts: dict[str, dict[str, int]]

    @property
    def total(self) -> dict[str, int]:
        """The counts of all kinds together."""
        return {each: sum(row[each] for row in self.counts.values()) for each in VERDICTS}

    def __repr__(self) -> str:
        rows = [*self.counts.items(), ("all", self.total)]
        width = max(len(kind) for kind, _ in rows)
        head = f"{'kind':<{width}}  rows  {'  '.join(VERDICTS)}"
        return "\n".join([head, *(_row(kind.ljust(width), counts) for kind, counts in rows)])


FINDINGS_KEPT = 50


@dataclass(frozen=True, repr=False)
class Slide:
    """One reply under the microscope. A value; shown line by line, with what was taken and what was missed.

    ``seen`` is what is left of ``text`` where the stop sequence was met. ``verdict`` is empty where nobody has said
    what the text means. Of very many findings the first are kept; ``more`` says how many are not.
    """

    text: str
    seen: str
    meant: tuple[dict[str, Any], ...] = ()
    reading: Reading = field(init=False)
    findings: tuple[Finding, ...] = field(init=False)
    more: int = field(init=False)

    def __post_init__(self) -> None:
        found = examine(self.seen)
        object.__setattr__(self, "reading", read(self.seen))
        object.__setattr__(self, "findings", found[:FINDINGS_KEPT])
        object.__setattr__(self, "more", len(found[FINDINGS_KEPT:]))

    @property
    def verdict(self) -> str:
        """What became of the meaning: one of ``VERDICTS``."""
        return verdict(self.reading.taken, self.meant) if self.meant else ""

    @property
    def lost(self) -> int:
        """How many characters the stop sequence cut off, itself included."""
        return len(self.text) - len(self.seen)

    def spelled(self) -> list[tuple[str, str]]:
        """Return what there is to say about the reply, in rows of a word and a text."""
        rows = [("taken", repr(self.reading))]
        rows += [("notice", f"line {self.line(each.start)}: {each.message}") for each in self.findings]
        if self.more:
            rows.append(("notice", f"and {many(self.more, 'more place')} like these"))
        if self.lost:
            rows.append(("stop", f"the stop sequence was met; {many(self.lost, 'character')} cut off"))
        if self.meant:
            rows += [("meant", _meaning(each)) for each in self.meant]
            rows.append(("verdict", IN_WORDS[self.verdict]))
        return rows

    def line(self, position: int) -> int:
        """Return the line of a position in the text, counted from 1."""
        return self.text.count("\n", 0, position) + 1

    def __repr__(self) -> str:
        margins = [", ".join(roles) for roles in self._roles()]
        lines = [f"{margin:>8} | {line}" for margin, line in zip(margins, self.text.split("\n"), strict=True)]
        rows = [f"{word:<8} {text}".replace("\n", "\n" + " " * 9) for word, text in self.spelled()]
        return "\n".join([*(line.rstrip() for line in lines), "", *rows])

    def _roles(self) -> list[list[str]]:
        """Return, for each line of the text, the parts that were taken from it, and whether it was cut off."""
        roles, start = [], 0
        for line in self.text.split("\n"):
            end = start + len(line)
            found = [role for role, first, last in self.reading.parts if first < last and first <= end and last > start]
            roles.append([*found, "cut off"] if self.lost and end > len(self.seen) else found)
            start = end + 1
        return roles


def under_the_microscope(text: str, stop: str | None = STOP, meant: tuple[dict[str, Any], ...] = ()) -> Slide:
    """Return what the reader makes of a reply that is cut at ``stop``, and what the examination finds in it."""
    return Slide(text, cut(text, stop), meant)


def _meaning(meant: dict[str, Any]) -> str:
    if "answer" in meant:
        return f"answer: {meant['answer']}"
    return f"call: {meant['name']} {json.dumps(meant['arguments'], ensure_ascii=False)}"


def _row(kind: str, counts: dict[str, int]) -> str:
    cells = "  ".join(f"{counts[each] or '·':>{len(each)}}" for each in VERDICTS)
    return f"{kind}  {sum(counts.values()):>4}  {cells}"


def _transcript(row: dict[str, Any]) -> Transcript:
    meant = row["meant"] if isinstance(row["meant"], list) else [row["meant"]]
    return Transcript(row["id"], row["kind"], row["text"], tuple(meant), row["note"])
