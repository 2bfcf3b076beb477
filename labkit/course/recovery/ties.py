"""Which later call took a failed one up, and what changed between the two.

Pure. A program can't know what a model meant. The rule is: the next call of the same tool in a later turn; for a tool
that does not exist, the call of the very next turn whose arguments are most alike. Every later call takes up one failed
call at most. A test run that fails is no failed call, and has no tie.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from labkit.calls import CallRefused
from labkit.course.recovery.turns import Asked
from labkit.validate import parse_arguments

OPEN, NEVER, AGAIN, MENDED = "not answered yet", "never taken up", "failed again", "mended"
WHOLE = "(arguments)"


@dataclass(frozen=True)
class Change:
    """One argument that differs, its values as JSON; None where it is not there. A value."""

    name: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        absent = "(not there)"
        return f"{self.name}: {absent if self.old is None else self.old} → {absent if self.new is None else self.new}"


@dataclass(frozen=True)
class Tie:
    """A call that failed and the call that took it up, None if there is none. A value; ``mark`` is its letter."""

    mark: str
    failed: Asked
    then: Asked | None
    changes: tuple[Change, ...]
    known: bool = True

    @property
    def positions(self) -> set[int]:
        """The positions of its calls in the run."""
        return {call.position for call in (self.failed, self.then) if call is not None}

    @property
    def code(self) -> str:
        """The error code of the failure."""
        return str((self.failed.error or {}).get("code"))

    @property
    def state(self) -> str:
        """What became of the failure: ``mended``, ``failed again``, ``not answered yet`` or ``never taken up``."""
        if self.then is None:
            return NEVER if self.known else OPEN
        if self.then.answered is None:
            return OPEN
        return AGAIN if self.then.error is not None else MENDED

    def seen_at(self, place: int) -> Tie | None:
        """Return the tie as far as a reader knows of it who has come to this line; None before the failure."""
        failed, then = self.failed, self.then
        if failed.answered is None or failed.answered > place:
            return None
        if then is None:
            return self
        if then.asked > place:
            return replace(self, then=None, changes=(), known=False)
        answered = then.answered is not None and then.answered <= place
        return self if answered else replace(self, then=replace(then, answered=None, error=None, content=None))


def ties_of(calls: Sequence[Asked]) -> tuple[Tie, ...]:
    """Return a tie for every call that failed with an error, in order of the failures."""
    by_name: dict[str, list[Asked]] = {}
    by_turn: dict[int, list[Asked]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
        by_turn.setdefault(call.turn, []).append(call)
    taken: set[int] = set()
    found: list[Tie] = []
    for call in calls:
        if call.error is None:
            continue
        then = _next(call, by_name, by_turn, taken)
        taken |= {then.position} if then else set()
        found.append(Tie(_mark(len(found)), call, then, changed(call.arguments, then.arguments) if then else ()))
    return tuple(found)


def changed(old: Any, new: Any) -> tuple[Change, ...]:
    """Return what differs between two sets of arguments; they are compared whole where one of them can't be read."""
    before, after = _values(old), _values(new)
    if before is None or after is None:
        return () if old == new else (Change(WHOLE, as_text(old), as_text(new)),)
    pairs = [(name, _json(before, name), _json(after, name)) for name in {**before, **after}]
    return tuple(Change(name, one, other) for name, one, other in pairs if one != other)


def as_text(arguments: Any) -> str:
    """Return arguments as the text that a model would send: text as it is, anything else as JSON."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)


def _next(call: Asked, by_name: dict[str, list[Asked]], by_turn: dict[int, list[Asked]], taken: set[int]) -> Any:
    """The call that takes a failed one up; None where nothing does."""
    if (call.error or {}).get("code") == "unknown_tool":
        others = [c for c in by_turn.get(call.turn + 1, ()) if c.name != call.name and c.position not in taken]
        return _most_alike(call, others)
    same = by_name[call.name]
    first = bisect_left(same, call.turn + 1, key=lambda other: other.turn)
    turn = None
    here: list[Asked] = []
    for other in same[first:]:
        if turn is not None and other.turn != turn:
            break
        if other.position not in taken:
            turn = other.turn
            here.append(other)
    return _most_alike(call, here)


def _most_alike(call: Asked, others: Sequence[Asked]) -> Asked | None:
    return min(others, key=lambda other: len(changed(call.arguments, other.arguments)), default=None)


def _values(arguments: Any) -> dict[str, Any] | None:
    try:
        return parse_arguments(arguments)
    except CallRefused:
        return None


def _json(values: dict[str, Any], name: str) -> str | None:
    return json.dumps(values[name], ensure_ascii=False) if name in values else None


def _mark(number: int) -> str:
    """A, B, … Z, AA, AB, …"""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
