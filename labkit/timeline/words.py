"""How a timeline speaks: names made safe and short, one line of facts, one sentence per picture.

Chapter 05. Pure.

    >>> fit("search_text_in_every_file", 12)
    'search_text…'

Does not: lay out rows or draw.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from labkit.timeline.scale import Scale, spoken

if TYPE_CHECKING:
    from labkit.timeline import Timeline
    from labkit.timeline.spans import Span

NAME_CELLS = 20
ID_CELLS = 12
TOLD = 12  # calls that a description tells one by one
NOT_KNOWN, WAITS, WHOLE = "-", "·", "┤"
UNCOUNTED = ("refused", "cancelled", "unfinished", "running", "waiting")  # words without a plural

RULES = {
    "serial": "one call after the other, in call order",
    "all_or_nothing": "all together if all are safe, else one by one",
    "reads_first": "safe calls first, together; then the rest",
    "barriers": "an unsafe call waits for all before it and holds all after it",
    "by_resource": "a call waits only for earlier calls that touch the same",
}


def clean(text: str) -> str:
    """Spell out what is no printable character; the rest is legal in XML and stays on one line."""
    return text if text.isprintable() else "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in text)


def cells_of(text: str) -> int:
    """Return how many cells of a fixed-width face the text takes: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(ch) or ch == "\ufe0f" else 1 + _wide(ch) for ch in text)


def fit(text: str, cells: int) -> str:
    """Return the text, cleaned, in at most ``cells`` cells; ``…`` stands for what was cut."""
    text = clean(text[: 4 * cells])
    if cells_of(text) <= cells:
        return text
    while cells_of(text) > cells - 1:
        text = text[:-1]
    return text + "…"


def pad(text: str, cells: int) -> str:
    """Return the text with spaces up to ``cells`` cells."""
    return text + " " * (cells - cells_of(text))


def count(number: int, noun: str) -> str:
    """Return ``1 call``, ``2 calls``, ``no calls``."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def heading(timeline: Timeline) -> str:
    """Return policy, number of calls (and of turns) and whether this is a forecast or a measurement."""
    turns = len({span.batch for span in timeline.spans})
    calls = count(len(timeline.spans), "call") + (f" in {count(turns, 'turn')}" if turns > 1 else "")
    told = [fit(timeline.title, 2 * NAME_CELLS), calls, timeline.source, fit(timeline.note, 2 * NAME_CELLS)]
    return " · ".join(filter(None, told))


def facts_line(timeline: Timeline) -> str:
    """Return wall time, sum, peak, order, and what did not go well."""
    limit = f" of {timeline.max_parallel}" if timeline.peak == timeline.max_parallel else ""
    parts = [f"wall {spoken(timeline.wall)}", f"sum {spoken(timeline.total)}", f"peak {timeline.peak}{limit}"]
    parts += [f"reply whole at {spoken(timeline.replies[0][1])}"] if len(timeline.replies) == 1 else []
    return " · ".join([*parts, *order_and_states(timeline)])


def comparison_line(predicted: Timeline, measured: Timeline) -> str:
    """Return the facts of a measurement beside those of its prediction."""
    parts = [
        f"wall {spoken(measured.wall)}, predicted {spoken(predicted.wall)}",
        f"sum {spoken(measured.total)}, predicted {spoken(predicted.total)}",
        f"peak {measured.peak}, predicted {predicted.peak}",
    ]
    if len(measured.replies) == len(predicted.replies) == 1:
        ends = (spoken(timeline.replies[0][1]) for timeline in (measured, predicted))
        parts.append(f"reply whole at {', predicted '.join(ends)}")
    return " · ".join([*parts, *order_and_states(measured)])


def order_and_states(timeline: Timeline) -> list[str]:
    """Return ``order kept`` where that holds, and what did not go well."""
    return (["order kept"] if timeline.order_kept else []) + states(timeline.spans)


def states(spans: Iterable[Span]) -> list[str]:
    """Return a count per state other than ``ok``."""
    found = Counter(span.state for span in spans if span.state != "ok")
    return [f"{n} {state}" if state in UNCOUNTED else count(n, state) for state, n in sorted(found.items())]


def streamed(timelines: Iterable[Timeline]) -> list[tuple[str, str]]:
    """Return what a picture of a stream has to explain, as (mark, meaning); nothing of any other picture."""
    shown = list(timelines)
    late = any(span.free > span.begin for timeline in shown for span in timeline.spans)
    whole = any(timeline.replies for timeline in shown)
    told = [(NOT_KNOWN, "not known yet"), (WAITS, "waits")] if late else []
    return told + ([(WHOLE, "reply whole")] if whole else [])


def wrapped(facts: str, characters: float) -> list[str]:
    """Return a line of facts in as many lines as it needs, broken between facts only."""
    lines: list[str] = []
    for fact in facts.split(" · "):
        if lines and len(lines[-1]) + len(fact) + 3 <= characters:
            lines[-1] += f" · {fact}"
        else:
            lines.append(fact)
    return lines


def sentences(timeline: Timeline, scale: Scale) -> str:
    """Return what the picture says, for those who do not see it."""
    told = [_sentence(span, scale) for span in timeline.spans[:TOLD]]
    rest = len(timeline.spans) - len(told)
    more = [f"And {count(rest, 'more call')}."] if rest else []
    return " ".join([f"{heading(timeline)}:", *told, *more, f"In all: {facts_line(timeline)}."])


def _sentence(span: Span, scale: Scale) -> str:
    who = " ".join(filter(None, [fit(span.call_id, 40), fit(span.name, 40)])) or "A call"
    if span.started is None or span.finished is None:
        return f"{who} {_FATES[span.state]}."
    when = f"from {scale.number(span.started)} to {scale.time(span.finished)}"
    does = "reads" if span.kind == "read" else "writes"
    known = f"is known at {scale.time(span.free)}, then " if span.free > span.begin else ""
    waited = scale.number(span.started - span.free)
    waits = "" if waited == "0" or waited.startswith("<") else "waits, then "
    goes_on = " while its thread goes on" if span.ghost else ""
    return f"{who} {known}{waits}{does} {when}{_ENDS.get(span.state, '')}{goes_on}."


_ENDS = {
    "error": " and fails",
    "timeout": " and times out",
    "cancelled": " and is cancelled",
    "running": " and goes on",
}
_FATES = {
    "ok": "takes no time",
    "error": "fails before it starts",
    "timeout": "times out before it starts",
    "cancelled": "is cancelled",
    "refused": "is refused",
    "unfinished": "has no end in the trace",
    "running": "runs",
    "waiting": "waits",
}


def _wide(ch: str) -> bool:
    return unicodedata.east_asian_width(ch) in "WF"
