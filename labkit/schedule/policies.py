"""Five answers to one question: which other calls must this one wait for?

A policy is a function from the calls that may run, by position, to the positions that each waits for directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from labkit.calls import ToolCall
from labkit.declare import Tool
from labkit.schedule.resources import Touched, resource_keys

Edges = dict[int, set[int]]


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
    edges: Edges = {}
    touched = Touched()
    for i, (tool, call) in calls.items():
        keys, reads = resource_keys(tool, call.arguments), tool.readonly and bool(tool.parallel_safe)
        edges[i] = touched.before(keys, reads)
        touched.add(i, keys, reads)
    return edges


POLICIES: dict[str, Callable[[Mapping[int, tuple[Tool, ToolCall]]], Edges]] = {
    "serial": serial,
    "all_or_nothing": all_or_nothing,
    "reads_first": reads_first,
    "barriers": barriers,
    "by_resource": by_resource,
}
