"""What is tried in the worker lab: where the slow call runs, what it does, and who stands beside it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.calls import ToolCall, many

PLACES = {
    "thread": "in a thread",
    "async": "on the event loop",
    "blocking": "on the event loop, blocking it",
    "process": "in a process of its own",
}
LIMITS: tuple[float | None, ...] = (0.6, 1.0, None)
LET_GO = 0.8
"""Seconds after which a hung tool without a limit is let go."""
MOST_SIBLINGS = 4
SAME, OTHER = "herbs", "roses"


@dataclass(frozen=True)
class Setting:
    """One thing to try. A value; ``limit`` is in seconds, None for no limit.

    ``place`` is a key of ``PLACES``. Half of the ``siblings``, quick reads, stand before the slow call, the others
    behind it; the last one looks at the same shelf as the slow call. ``again`` sends two more in a second batch.
    """

    place: str = "thread"
    hangs: bool = True
    limit: float | None = LIMITS[0]
    siblings: int = 2
    writes: bool = False
    policy: str = "barriers"
    again: bool = True

    @property
    def slow(self) -> str:
        """The name of the slow tool."""
        return "slow_write" if self.writes else "slow_read"

    @property
    def position(self) -> int:
        """Where the slow call stands among the calls of the first batch, from 0."""
        return self.siblings // 2

    @property
    def outlived(self) -> bool:
        """Whether the limit passes before the tool comes to an end."""
        return self.hangs and self.limit is not None

    @property
    def on_loop(self) -> bool:
        """Whether the slow call, and with it its siblings, are coroutines."""
        return self.place in ("async", "blocking")

    def first(self) -> list[ToolCall]:
        """Return the calls of the first batch."""
        calls = []
        for at in range(self.siblings + 1):
            name = self.slow if at == self.position else "quick"
            shelf = SAME if at in (self.position, self.siblings) else OTHER
            calls.append(ToolCall(f"call_{at + 1}", name, {"shelf": shelf, "position": at}))
        return calls

    def second(self) -> list[ToolCall]:
        """Return the calls of the second batch, none where there is no second one."""
        if not self.again:
            return []
        first = self.siblings + 2
        return [
            ToolCall(f"call_{first + n}", "quick", {"shelf": s, "position": -1}) for n, s in enumerate((SAME, OTHER))
        ]

    def told(self) -> str:
        """Return what is tried, in one line."""
        does = "hangs" if self.hangs else "ends in time"
        limit = "no limit" if self.limit is None else f"limit {self.limit:g} s"
        if self.hangs and self.limit is None:
            limit = f"no limit (let go after {LET_GO:g} s)"
        beside = many(self.siblings, "quick read") if self.siblings else "nothing"
        return f"{self.slow} {PLACES[self.place]}: {does}, {limit}, beside it {beside}; {self.policy}"
