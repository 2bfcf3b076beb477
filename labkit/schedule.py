"""Which calls of one message may run together: a plan, as data. Pure.

Chapter 05. Every policy answers one question: which other calls must this one wait for?

    >>> plan(calls, registry, "barriers").waits_for      # read, edit, read
    (frozenset(), frozenset({0}), frozenset({1}))

Does not: run anything, measure anything, reorder results. Order is position, never an id.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

from labkit.calls import ToolCall, many
from labkit.declare import Tool, ToolRegistry

Edges = dict[int, set[int]]
Key = tuple[str, ...]


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


def serial(calls: Mapping[int, tuple[Tool, ToolCall]]) -> Edges:
    """Each call waits for the one before it."""
    order = list(calls)
    return {after: {before} for before, after in pairwise(order)}


def all_or_nothing(calls: Mapping[int, tuple[Tool, ToolCall]]) -> Edges:
    """All together where every call is safe beside the others, else one by one."""
    if all(tool.parallel_safe for tool, _ in calls.values()):
        return {}
    return serial(calls)


def reads_first(calls: Mapping[int, tuple[Tool, ToolCall]]) -> Edges:
    """Safe calls first, together; then the rest, one by one. A read can overtake its write."""
    safe = {i for i, (tool, _) in calls.items() if tool.parallel_safe}
    edges: Edges = {}
    previous = safe
    for i in calls:
        if i not in safe:
            edges[i] = set(previous)
            previous = {i}
    return edges


def barriers(calls: Mapping[int, tuple[Tool, ToolCall]]) -> Edges:
    """An unsafe call waits for all before it and holds all after it."""
    edges: Edges = {}
    barrier: set[int] = set()
    since: set[int] = set()
    for i, (tool, _) in calls.items():
        if tool.parallel_safe:
            edges[i] = set(barrier)
            since.add(i)
        else:
            edges[i] = since or set(barrier)
            barrier, since = {i}, set()
    return edges


def by_resource(calls: Mapping[int, tuple[Tool, ToolCall]]) -> Edges:
    """Only calls that touch the same resource wait, in call order: the outcome is that of ``serial``."""
    only_reads = {i for i, (tool, _) in calls.items() if tool.readonly and tool.parallel_safe}
    if len(only_reads) == len(calls):
        return {}
    touched = {i: resource_keys(tool, call.arguments) for i, (tool, call) in calls.items()}
    edges: Edges = {}
    for i in calls:
        edges[i] = {
            j
            for j in calls
            if j < i and not (i in only_reads and j in only_reads) and _conflict(touched[i], touched[j])
        }
    return edges


POLICIES: dict[str, Callable[[Mapping[int, tuple[Tool, ToolCall]]], Edges]] = {
    "serial": serial,
    "all_or_nothing": all_or_nothing,
    "reads_first": reads_first,
    "barriers": barriers,
    "by_resource": by_resource,
}


def resource_keys(tool: Tool, values: Any) -> frozenset[Key] | None:
    """Return the resources that a call touches, as tuples of path parts; None means everything.

    A tool that does not say, or whose ``touches`` fails, is taken to touch everything.
    """
    if tool.touches is None:
        return None
    try:
        keys = tool.touches(values)
        return None if keys is None else frozenset(map(_parts, [keys] if isinstance(keys, str | PurePath) else keys))
    except (Exception, SystemExit, GeneratorExit):  # not knowing what it touches is the same as everything
        return None


def _parts(key: str | PurePath) -> Key:
    text = os.path.normcase(str(key)).replace(os.sep, "/")
    return tuple(part for part in text.split("/") if part not in ("", "."))


def _conflict(mine: frozenset[Key] | None, other: frozenset[Key] | None) -> bool:
    """A folder conflicts with what is in it, so one key being the beginning of another is a conflict."""
    if mine is None or other is None:
        return mine != frozenset() and other != frozenset()
    return any(a[: len(b)] == b[: len(a)] for a in mine for b in other)
