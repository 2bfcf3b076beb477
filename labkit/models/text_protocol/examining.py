"""The examination: what the reader missed in a reply, or took in another sense than it may have been meant. Pure.

Does not: decide what was meant. A finding is a reason to look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from labkit.calls import CallRefused, quote
from labkit.models.text_protocol.labels import ACTION, ANSWER, COLONS, INPUT, LABELS, OBSERVATION, Mark, marks
from labkit.models.text_protocol.reading import Reading, read
from labkit.validate import parse
from labkit.validate.faults import find_fault


class Finding(NamedTuple):
    """One thing to look at. A value: a rule of ``RULES``, characters of the text, and a sentence."""

    rule: str
    start: int
    end: int
    message: str


def examine(text: str) -> tuple[Finding, ...]:
    """Return what the reader missed or may have taken wrong in a text, from top to bottom; empty where all is well."""
    seen = _Seen(text, read(text), marks(text))
    found = [finding for rule in (*_ALWAYS, *_BY_KIND[seen.kind]) for finding in rule(seen)]
    return tuple(sorted(found, key=lambda finding: finding.start))


class _Seen(NamedTuple):
    """A text, what the reader took from it, and the lines in it that begin like a label."""

    text: str
    reading: Reading
    marks: list[Mark]

    @property
    def kind(self) -> str:
        taken = self.reading.taken
        return "nothing" if taken is None else "answer" if "answer" in taken else "call"

    def exact(self, *labels: str) -> list[Mark]:
        return [mark for mark in self.marks if mark.label in labels and not mark.drift]

    def span(self, role: str) -> tuple[int, int]:
        return next((start, end) for name, start, end in self.reading.parts if name == role)


def _drifted_labels(seen: _Seen) -> Iterator[Finding]:
    for label, start, end, drift in seen.marks:
        if drift:
            written = quote(seen.text[start:end].rstrip(COLONS))
            yield Finding(f"label_{drift}", start, end, f"{written} {_DRIFTS[drift]} {label}:")


_DRIFTS = {
    "case": "is spelled with other capitals than",
    "decoration": "stands with ornament or a number, and a line has to begin with a plain",
    "colon": "ends in another colon than",
    "word": "is another word for",
}


def _labels_inside(seen: _Seen) -> Iterator[Finding]:
    known = {mark.start for mark in seen.marks}
    for found in re.finditer(rf"(?:{'|'.join(LABELS)}):", seen.text):
        if found.start() not in known:
            message = f"{quote(found[0])} stands inside a line, where it counts for nothing"
            yield Finding("label_inside", *found.span(), message)


def _ignored_actions(seen: _Seen) -> Iterator[Finding]:
    _, taken = seen.span("action")
    for _, start, end, _ in seen.exact(ACTION):
        if start > taken:
            yield Finding("second_action", start, end, "another action follows the one that was taken; it is not run")


def _observation_in_reply(seen: _Seen) -> Iterator[Finding]:
    for _, start, end, _ in seen.exact(OBSERVATION):
        yield Finding("invented_observation", start, end, "the model wrote an observation itself: no tool has run")


def _input(seen: _Seen) -> Iterator[Finding]:
    start, end = seen.span("input")
    text = seen.text[start:end]
    try:
        _, repairs = parse(text)
        if "code_fence" in repairs:
            yield Finding("input_fenced", start, end, "a code fence stands around the input; it can be taken off")
    except CallRefused as refusal:
        fault = find_fault(text)
        cut_off = fault is not None and fault.position >= len(text)
        after = fault is not None and re.match(r"[{\[\"]", text) and "after the JSON" in fault.what
        rule = "cut_off" if cut_off else "prose_after_json" if after else "input_not_json"
        message = re.sub(r"(at line \d+, column \d+)$", r"\1 of the input", refusal.error.message)
        yield Finding(rule, start, end, message)


def _name(seen: _Seen) -> Iterator[Finding]:
    start, end = seen.span("action")
    name = seen.text[start:end]
    if not re.fullmatch(r"[\w.-]+", name):
        yield Finding("name_decorated", start, end, f"{quote(name)} is taken as the name of the tool, all of it")


def _dropped_calls(seen: _Seen) -> Iterator[Finding]:
    start, _ = seen.span("answer")
    for mark in seen.exact(ACTION):
        if mark.start < start:
            message = "an action stands before the answer; the answer was taken, and the action is not run"
            yield Finding("call_dropped", mark.start, mark.end, message)


def _swallowed(seen: _Seen) -> Iterator[Finding]:
    begin, _ = seen.span("answer")
    for label, start, end, _ in seen.exact(*LABELS):
        if start >= begin and label == ANSWER:
            yield Finding("two_answers", start, end, "a second answer; the first one was taken, with this one in it")
        elif start >= begin:
            yield Finding("swallowed", start, end, f'the answer goes on to the end, and "{label}:" became part of it')


def _half_a_call(seen: _Seen) -> Iterator[Finding]:
    actions, inputs = seen.exact(ACTION), seen.exact(INPUT)
    for _, start, end, _ in [] if inputs else actions:
        yield Finding("action_without_input", start, end, 'an action without a line "Action Input:" is no call')
    for _, start, end, _ in [] if actions else inputs:
        yield Finding("input_without_action", start, end, 'an input without a line "Action:" is no call')
    for _, start, end, _ in seen.exact(ANSWER):
        yield Finding("blank_answer", start, end, "nothing follows the label of the answer")
    if actions and inputs:
        message = "a name and an input do not stand in two lines, one right under the other"
        yield Finding("input_elsewhere", actions[0].start, inputs[-1].end, message)


def _no_labels(seen: _Seen) -> Iterator[Finding]:
    if seen.text.isspace() or not seen.text:
        yield Finding("empty", 0, len(seen.text), "the reply is empty")
    elif other := _OTHER_FORMAT.search(seen.text):
        message = "this looks like a call, but in another format than the one that was agreed"
        yield Finding("other_format", *other.span(), message)
    elif seen.marks and not any(mark.label in (ACTION, INPUT, ANSWER) for mark in seen.marks):
        yield Finding("only_a_thought", 0, len(seen.text), "there is a thought, and neither an action nor an answer")
    elif not seen.marks:
        message = 'no line begins with "Action:" or "Final Answer:", so nothing says what this is'
        yield Finding("no_labels", 0, len(seen.text), message)


_OTHER_FORMAT = re.compile(
    r"<\w{0,40}tool\w{0,40}>|<function\b|\"(?:name|tool|function)\"\s*:|^[ \t]*`*\w+\([^)\n]*\)`*[ \t]*$", re.M
)

Rule = Callable[[_Seen], Iterator[Finding]]
_ALWAYS: tuple[Rule, ...] = (_drifted_labels, _labels_inside, _observation_in_reply)
_BY_KIND: dict[str, tuple[Rule, ...]] = {
    "call": (_ignored_actions, _name, _input),
    "answer": (_dropped_calls, _swallowed),
    "nothing": (_half_a_call, _no_labels),
}

RULES = {
    "action_without_input": "an action has no input",
    "blank_answer": "the answer is blank",
    "call_dropped": "an action before the answer is not run",
    "cut_off": "the input ends too early",
    "empty": "the reply is empty",
    "input_elsewhere": "name and input do not follow each other",
    "input_fenced": "a code fence around the input",
    "input_not_json": "the input is no JSON",
    "input_without_action": "an input has no action",
    "invented_observation": "an observation that never happened",
    "label_case": "a label in other capitals",
    "label_colon": "a label with another colon",
    "label_decoration": "a label with ornament or a number",
    "label_inside": "a label inside a line",
    "label_word": "another word, or another language, for a label",
    "name_decorated": "more than a name stands as the name",
    "no_labels": "no label at all",
    "only_a_thought": "neither an action nor an answer",
    "other_format": "a call in another format",
    "prose_after_json": "text after the input",
    "second_action": "a second action is not run",
    "swallowed": "the answer has swallowed a label",
    "two_answers": "two answers",
}
"""Every rule of the examination, with its name in words."""
