"""Which calls of one message may run together: a plan, as data. Pure.

Chapter 05. Every policy answers one question: which other calls must this one wait for?

    >>> plan(calls, registry, "barriers").waits_for      # read, edit, read
    (frozenset(), frozenset({0}), frozenset({1}))

Does not: run anything, measure anything, reorder results. Order is position, never an id.
"""

from labkit.schedule.plans import Plan, PlannedCall, kind_of, plan
from labkit.schedule.policies import POLICIES, all_or_nothing, barriers, by_resource, reads_first, serial
from labkit.schedule.resources import resource_keys

__all__ = [
    "POLICIES",
    "Plan",
    "PlannedCall",
    "all_or_nothing",
    "barriers",
    "by_resource",
    "kind_of",
    "plan",
    "reads_first",
    "resource_keys",
    "serial",
]
