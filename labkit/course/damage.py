"""The same decisions in two forms, with the same damage done to both: what does each reader make of it? Chapter 11.

    >>> same_damage("code fence")
    damage      rows  text: right  WRONG  missed  JSON: right  WRONG  missed  fits
    code fence    74            ·     12      62           74      ·       ·     ·

The decisions are those of the transcripts of chapter 01. It says what a reader makes of a damage, and nothing of how
often a model does it. Pure but for reading the files. Does not: mend anything, ask a model.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from labkit.calls import CallRefused
from labkit.course.transcripts import TOOLS, VERDICTS, transcripts
from labkit.declare import ToolRegistry
from labkit.models.json_mode import envelope, read, write
from labkit.models.text_protocol import cut
from labkit.models.text_protocol import read as read_text
from labkit.paths import data
from labkit.toolsets import everyday_tools, workspace_tools
from labkit.validate import parse_arguments

Decision = dict[str, Any]
Decisions = tuple[Decision, ...]
SURE = "Sure, here it is.\n\n"
ANYTHING_ELSE = "\n\nShall I do anything else?"
ANSWER: Decision = {"answer": "This is how it will be."}


class Form(NamedTuple):
    """How a reply is written, and how it is read. A value; ``take`` returns None where nothing can be read."""

    write: Callable[[Decisions], str]
    take: Callable[[str], Decisions | None]
    labels: tuple[str, ...]


def same_damage(*names: str) -> Comparison:
    """Return what both readers make of every decision, for the damages named, or for all. Raises KeyError."""
    counts = {}
    for name in names or tuple(DAMAGES):
        cases = list(_cases(name))
        rows = {form: dict.fromkeys(VERDICTS, 0) for form in FORMS}
        for form, text, meant in cases:
            rows[form][verdict(FORMS[form].take(text), meant)] += 1
        fitting = sum(fits(text) for form, text, _ in cases if form == "JSON")
        counts[name] = Counted(rows, fitting)
    return Comparison(counts)


def damaged(name: str, form: str, number: int = 0) -> str:
    """Return one damaged reply, to look at."""
    return [text for written, text, _ in _cases(name) if written == form][number]


def verdict(taken: Decisions | None, meant: Decisions) -> str:
    """Return ``right``, ``WRONG`` (something else was taken, and nobody notices) or ``missed``, as in chapter 01."""
    if taken is None or any("name" in each and each["name"] not in TOOLS for each in taken):
        return "missed"
    return "right" if taken == meant else "WRONG"


def fits(text: str) -> bool:
    """Say whether a text is JSON that fits the envelope's schema: whether a constrained server could have ended so."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return bool(_schema().is_valid(value))


@functools.cache
def decisions() -> Decisions:
    """Return what the writers of the transcripts meant, every decision once, in the order of the corpus."""
    meant = (each for transcript in transcripts() for each in transcript.meant)
    return tuple({json.dumps(each, sort_keys=True): each for each in meant}.values())


@functools.cache
def _schema() -> Any:
    from jsonschema import Draft202012Validator

    tools = [*everyday_tools(), *workspace_tools(data("workspaces", "calculator"))]
    return Draft202012Validator(envelope(ToolRegistry(tools).definitions()))


def _cases(name: str) -> Iterator[tuple[str, str, Decisions]]:
    """Yield form, damaged text and what was meant, for every decision that can be damaged so."""
    damage = DAMAGES[name]
    every = decisions()
    for one, other in zip(every, every[1:] + every[:1], strict=True):
        if "name" in one or damage not in _CALLS_ONLY:
            other = other if "name" in other else every[0]
            for form in FORMS:
                yield form, *damage(FORMS[form], one, other)


def _lines(meant: Decisions) -> str:
    written = []
    for each in meant:
        if "answer" in each:
            written.append(f"Final Answer: {each['answer']}")
        else:
            arguments = json.dumps(each["arguments"], ensure_ascii=False)
            written.append(f"Thought: I do the next step.\nAction: {each['name']}\nAction Input: {arguments}")
    return "\n".join(written)


def _envelope(meant: Decisions) -> str:
    calls = [each for each in meant if "name" in each]
    answers = [each["answer"] for each in meant if "answer" in each]
    if not calls:
        return write("I do the next step.", (), answers[0])
    text = write("I do the next step.", calls)
    return text if not answers else json.dumps(json.loads(text) | {"answer": answers[0]}, ensure_ascii=False)


def _take_lines(text: str) -> Decisions | None:
    match read_text(cut(text)).taken:
        case {"answer": answer}:
            return ({"answer": answer},)
        case {"name": name, "arguments": arguments}:
            try:
                return ({"name": name, "arguments": parse_arguments(arguments)},)
            except CallRefused:
                return None
    return None


def _take_envelope(text: str) -> Decisions | None:
    found = read(text, has_tools=True)
    if found.problems:
        return None
    return found.calls or ({"answer": found.answer},)


FORMS = {
    "text": Form(_lines, _take_lines, ("Thought:", "Action:", "Action Input:", "Final Answer:")),
    "JSON": Form(_envelope, _take_envelope, ('"thought"', '"tool_calls"', '"name"', '"arguments"', '"answer"')),
}
Damage = Callable[[Form, Decision, Decision], tuple[str, Decisions]]


def _around(before: str, after: str) -> Damage:
    return lambda form, one, _: (before + form.write((one,)) + after, (one,))


def _cut_off(form: Form, one: Decision, _: Decision) -> tuple[str, Decisions]:
    text = form.write((one,))
    return text[: -max(1, len(text) // 10)], (one,)


def _capitals(form: Form, one: Decision, _: Decision) -> tuple[str, Decisions]:
    text = form.write((one,))
    for label in form.labels:
        text = text.replace(label, label.upper())
    return text, (one,)


def _two_calls(form: Form, one: Decision, other: Decision) -> tuple[str, Decisions]:
    return form.write((one, other)), (one, other)


def _two_replies(form: Form, one: Decision, other: Decision) -> tuple[str, Decisions]:
    return f"{form.write((one,))}\n{form.write((other,))}", (one, other)


def _answer_too(form: Form, one: Decision, _: Decision) -> tuple[str, Decisions]:
    return form.write((one, ANSWER)), (one,)


DAMAGES: dict[str, Damage] = {
    "none": _around("", ""),
    "two calls at once": _two_calls,
    "two replies in one": _two_replies,
    "a call and an answer": _answer_too,
    "prose before": _around(SURE, ""),
    "prose after": _around("", ANYTHING_ELSE),
    "code fence": _around("```\n", "\n```"),
    "other capitals": _capitals,
    "last tenth cut off": _cut_off,
}
_CALLS_ONLY = (_two_calls, _two_replies, _answer_too)


class Counted(NamedTuple):
    """The verdicts of one damage by form, and how many of the damaged envelopes fit the schema. A value."""

    verdicts: dict[str, dict[str, int]]
    fitting: int


@dataclass(frozen=True, repr=False)
class Comparison:
    """Verdicts counted by damage. A value; shown as a table."""

    counts: dict[str, Counted]

    def total(self, form: str) -> dict[str, int]:
        """The verdicts on one form, all damages together."""
        return {each: sum(row.verdicts[form][each] for row in self.counts.values()) for each in VERDICTS}

    def __repr__(self) -> str:
        width = max(len(name) for name in (*self.counts, "damage"))
        heads = [f"{form}: {VERDICTS[0]}  {'  '.join(VERDICTS[1:])}" for form in FORMS]
        lines = ["  ".join(["damage".ljust(width), "rows", *heads, FITS])]
        return "\n".join([*lines, *(_line(name.ljust(width), row) for name, row in self.counts.items())])


FITS = "fits"


def _line(name: str, row: Counted) -> str:
    rows = sum(row.verdicts["JSON"].values())
    cells = [_cells(form, row.verdicts[form]) for form in FORMS]
    return "  ".join([name, f"{rows:>4}", *cells, f"{row.fitting or '·':>{len(FITS)}}"])


def _cells(form: str, counts: dict[str, int]) -> str:
    widths: Sequence[int] = [len(f"{form}: {VERDICTS[0]}"), *(len(each) for each in VERDICTS[1:])]
    return "  ".join(f"{counts[each] or '·':>{width}}" for each, width in zip(VERDICTS, widths, strict=True))
