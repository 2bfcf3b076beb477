"""The log of a run in words, and the same run with and without the guard. Chapter 08. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.calls import many
from labkit.course.layout import WIDTH, beside
from labkit.course.loops.growth import Growth
from labkit.course.loops.played import Played, Row

SHOWN = 20  # rows of the log; more are shown as the first twelve and the last six
FIRST, LAST = 12, 6
SAID_ALREADY = ("banned", "too many")
ENDED = {
    "final_answer": "the model answered by itself",
    "max_turns": "the turn limit was reached, and the closing question asked",
    "stalled": "all calls of two turns in a row were refused, and the closing question was asked",
}


def told_in_text(played: Played) -> str:
    """Return a run in words: the log, what the loop said to the model, and how it ended."""
    log = [entry(row) if row else left_out(played.rows) for row in folded(played.rows)]
    told = [line for words in played.told for line in ["", beside("   ", words)]]
    head = ["", "What the loop said to the model:" if told else "The loop said nothing to the model."]
    return "\n".join(["turn  came back", *log, *head, *told, "", *ending(played)])


def entry(row: Row) -> str:
    """Return a line of the log, cut where the page ends."""
    text = f"{row.turn:>4}  {row.came:<9} {row.call}"
    words = row.words if row.came == "ran" else row.words.partition(":")[0]
    return cut(text if row.came in SAID_ALREADY else f"{text} → {words}", WIDTH)


def folded(rows: Sequence[Row]) -> list[Row | None]:
    """Return the rows that are shown; None stands for all between the first and the last ones."""
    return list(rows) if len(rows) <= SHOWN else [*rows[:FIRST], None, *rows[-LAST:]]


def left_out(rows: Sequence[Row]) -> str:
    """Return how many rows the log does not show."""
    return f"   …  {many(len(rows) - FIRST - LAST, 'more call')}"


def ending(played: Played) -> list[str]:
    """Return how a run ended, and what it has come to."""
    return [beside("ended     ", ended(played)), beside("answer    ", played.run.answer), f"came to   {sums(played)}"]


def ended(played: Played) -> str:
    """Return the stop reason, and what it means."""
    reason = played.run.stop_reason
    return f"{reason}: {ENDED.get(reason, 'no answer')}"


def sums(played: Played) -> str:
    """Return requests, executed calls and tokens of a run."""
    requests, calls = many(len(played.run.turns), "request"), many(played.executed, "executed call")
    return f"{requests}, {calls}, {sum(played.sent):,} tokens"


def compared(guarded: Played, free: Played) -> str:
    """Return the same model with and without the guard, in two lines."""
    return "\n".join(
        f"{name:<17} {played.run.stop_reason:<12} {sums(played)}"
        for name, played in (("with the guard", guarded), ("without the guard", free))
    )


def sent_by_both(guarded: Played, free: Played) -> Growth:
    """Return what both of them sent, request by request."""
    return Growth({"with the guard": guarded.sent, "without the guard": free.sent})


def cut(text: str, width: int) -> str:
    """Return a line that fits."""
    return text if len(text) <= width else text[: width - 1] + "…"
