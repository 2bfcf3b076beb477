"""A plan, and how calls become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from labkit.calls import ToolCall, many
from labkit.declare import Tool, ToolRegistry
from labkit.schedule.policies import POLICIES


class PlannedCall(NamedTuple):
    """One call of a plan. A value; ``kind`` is ``read``, ``write`` or ``refused``."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, repr=False)
class Plan:
    """Per call, the positions of the calls that it waits for directly. A value; it has no cycle."""

    policy: str
    calls: tuple[PlannedCall, ...]
    waits_for: tuple[frozenset[int], ...]

    def __len__(self) -> int:
        return len(self.calls)

    def __getitem__(self, position: int) -> frozenset[int]:
        return self.waits_for[position]

    @property
    def mode(self) -> str:
        """``parallel`` where at least two calls may overlap, else ``serial``."""
        return "parallel" if self._overlaps() else "serial"

    def depends_on(self, roots: Iterable[int]) -> set[int]:
        """Return every call that waits for one of ``roots``, directly or through others."""
        waiting = set(roots)
        found: set[int] = set()
        for position in self._in_order():
            if self.waits_for[position] & waiting:
                waiting.add(position)
                found.add(position)
        return found

    def _in_order(self) -> list[int]:
        """Return the positions so that each stands after all that it waits for. Raises CycleError for a cycle."""
        from graphlib import TopologicalSorter

        return list(TopologicalSorter(dict(enumerate(self.waits_for))).static_order())

    def _overlaps(self) -> bool:
        """In a chain, and only there, each call waits directly for the one before it."""
        runs = [i for i in self._in_order() if self.calls[i].kind != "refused"]
        return any(before not in self.waits_for[after] for before, after in pairwise(runs))

    def __repr__(self) -> str:
        rows = [f"{self.policy} · {many(len(self), 'call')} · {self.mode}"]
        for call, others in zip(self.calls, self.waits_for, strict=True):
            names = ", ".join(self.calls[i].id for i in sorted(others)) or "nobody"
            rows.append(f"{call.id}  {call.name} ({call.kind}) waits for {names}")
        return "\n".join(rows)


def plan(calls: Sequence[ToolCall | None], registry: ToolRegistry, policy: str = "barriers") -> Plan:
    """Return who waits for whom.

    ``arguments`` of a call are its validated values with defaults. ``None`` stands for a refused call:
    it waits for nobody and holds nobody, and so does a call of an unknown tool.
    Raises ValueError for an unknown policy, TypeError for what is no call.
    """
    if policy not in POLICIES:
        raise ValueError(f'there is no policy "{policy}"; choose one of {", ".join(POLICIES)}')
    for call in calls:
        if call is not None and not isinstance(call, ToolCall):
            raise TypeError(f"a call must be a ToolCall or None, not a {type(call).__name__}: ToolCall(**call)")
    tools = [registry.get(call.name) if call else None for call in calls]
    runnable = {i: (tool, calls[i]) for i, tool in enumerate(tools) if tool is not None}
    edges = POLICIES[policy](runnable)  # type: ignore[arg-type]
    planned = tuple(
        PlannedCall(call.id if call else f"call {i + 1}", call.name if call else "refused", kind_of(tool))
        for i, (call, tool) in enumerate(zip(calls, tools, strict=True))
    )
    return Plan(policy, planned, tuple(frozenset(edges.get(i, ())) for i in range(len(planned))))


def kind_of(tool: Tool | None) -> str:
    """Return how a call of this tool is drawn and counted: ``read``, ``write``, or ``refused`` without a tool."""
    if tool is None:
        return "refused"
    return "read" if tool.readonly else "write"
