"""Plans: who waits for whom, under every policy."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import POLICIES, Plan, Tool, ToolCall, ToolRegistry, plan


def made(name: str, readonly: bool, touches: Any = None, parallel_safe: bool | None = None) -> Tool:
    schema = {"type": "object", "properties": {"key": {"type": "string"}}}
    return Tool.from_schema(
        name,
        "A tool.",
        schema,
        lambda key="": key,
        readonly=readonly,
        touches=touches,
        parallel_safe=parallel_safe,
    )


def key_of(values: dict[str, Any]) -> list[str]:
    return [values["key"]]


def broken(values: dict[str, Any]) -> list[str]:
    raise RuntimeError


REGISTRY = ToolRegistry(
    [
        made("read", True, key_of),
        made("edit", False, key_of),
        made("peek", True, key_of, parallel_safe=False),
        made("post", False, key_of, parallel_safe=True),
        made("any_read", True),
        made("any_edit", False),
        made("odd_edit", False, broken),
    ]
)


def planned(policy: str, text: str) -> Plan:
    """Return the plan of calls written as ``read a · edit a``; ``-`` stands for a refused call."""
    calls: list[ToolCall | None] = []
    for n, part in enumerate(text.split(" · "), 1):
        name, _, key = part.partition(" ")
        calls.append(None if name == "-" else ToolCall(f"call_{n}", name, {"key": key}))
    return plan(calls, REGISTRY, policy)


def waits(policy: str, text: str) -> list[set[int]]:
    return [set(others) for others in planned(policy, text).waits_for]


@pytest.mark.parametrize(
    ("policy", "text", "expected"),
    [
        ("serial", "read a · read b · edit c", [set(), {0}, {1}]),
        ("all_or_nothing", "read a · read a · read b", [set(), set(), set()]),
        ("all_or_nothing", "read a · read b · edit c", [set(), {0}, {1}]),
        ("reads_first", "read a · edit a · read a", [set(), {0, 2}, set()]),
        ("reads_first", "edit a · read b · edit b", [{1}, set(), {0}]),
        ("barriers", "read a · edit a · read b", [set(), {0}, {1}]),
        ("barriers", "read a · read b · edit a · read b · read c · edit c", [set(), set(), {0, 1}, {2}, {2}, {3, 4}]),
        ("barriers", "edit a · edit b", [set(), {0}]),
        ("barriers", "read a · post a · read a", [set(), set(), set()]),
        ("by_resource", "edit a · edit b · read a · read b", [set(), set(), {0}, {1}]),
        ("by_resource", "edit d · read d/x · read dx", [set(), {0}, set()]),
        ("by_resource", "edit d/x · read d", [set(), {0}]),
        ("by_resource", "read a · read a", [set(), set()]),
        ("by_resource", "peek a · read a · read b", [set(), {0}, set()]),
        ("by_resource", "post a · post a", [set(), {0}]),
        ("by_resource", "any_edit · read a · any_read", [set(), {0}, {0}]),
        ("by_resource", "odd_edit a · read b", [set(), {0}]),
    ],
)
def test_each_policy_in_small_cases(policy: str, text: str, expected: list[set[int]]) -> None:
    assert waits(policy, text) == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_refused_and_unknown_calls_wait_for_nobody_and_hold_nobody(policy: str) -> None:
    alone = waits(policy, "edit a · read a")
    mixed = waits(policy, "edit a · - · ghost x · read a")
    assert (mixed[1], mixed[2]) == (set(), set())
    assert mixed[3] == {0 for _ in alone[1]}


@pytest.mark.parametrize(
    ("policy", "text", "mode"),
    [
        ("barriers", "read a · read b · read c", "parallel"),
        ("barriers", "edit a · read b", "serial"),
        ("barriers", "edit a · read b · read c", "parallel"),
        ("serial", "read a · read b", "serial"),
        ("reads_first", "edit a · read b", "serial"),
        ("by_resource", "edit a · edit b", "parallel"),
        ("barriers", "read a · -", "serial"),
    ],
)
def test_the_mode_says_whether_any_two_may_overlap(policy: str, text: str, mode: str) -> None:
    assert planned(policy, text).mode == mode


def test_touches_may_be_one_path_or_many() -> None:
    registry = ToolRegistry(
        [
            made("one", False, lambda values: PurePosixPath(values["key"])),
            made("none", False, lambda values: []),
        ]
    )
    calls = [ToolCall("1", "one", {"key": "/w/a"}), ToolCall("2", "one", {"key": "/w/a/b"}), ToolCall("3", "none", {})]
    assert [set(w) for w in plan(calls, registry, "by_resource").waits_for] == [set(), {0}, set()]


def test_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="serial, all_or_nothing, reads_first, barriers, by_resource"):
        plan([], REGISTRY, "fast")


def test_dependants_are_found_through_others() -> None:
    chain = planned("serial", "edit a · edit b · edit c")
    assert (chain.depends_on([0]), chain.depends_on([2]), chain.depends_on([])) == ({1, 2}, set(), set())


def test_a_plan_says_itself_in_words() -> None:
    assert repr(planned("barriers", "read a · edit a")) == (
        "barriers · 2 calls · serial\ncall_1  read (read) waits for nobody\ncall_2  edit (write) waits for call_1"
    )


batches = st.lists(
    st.tuples(st.sampled_from(["read", "edit", "peek", "post", "any_read", "any_edit", "-"]), st.sampled_from("abc")),
    max_size=8,
).map(lambda parts: " · ".join(f"{name} {key}" for name, key in parts) or "-")


@given(batches, st.sampled_from(list(POLICIES)))
def test_law_a_plan_has_no_cycle_and_refused_calls_stand_apart(text: str, policy: str) -> None:
    made_plan = planned(policy, text)
    assert len(list(made_plan._in_order())) == len(made_plan)
    refused = {i for i, call in enumerate(made_plan.calls) if call.kind == "refused"}
    for i, others in enumerate(made_plan.waits_for):
        assert i not in others
        assert not others & refused
        assert not (i in refused and others)


@given(batches)
def test_law_calls_that_conflict_keep_call_order(text: str) -> None:
    """Under barriers and by_resource the later of two conflicting calls waits for the earlier one."""
    for policy in ("barriers", "by_resource"):
        made_plan = planned(policy, text)
        for i, first in enumerate(made_plan.calls):
            after = made_plan.depends_on([i])
            for j in range(i + 1, len(made_plan)):
                if first.name == "edit" and made_plan.calls[j].name in ("edit", "read", "peek"):
                    same = text.split(" · ")[i].split()[1] == text.split(" · ")[j].split()[1]
                    assert not same or j in after


paths = st.lists(st.sampled_from("ab"), max_size=3).map("/".join)
touching = st.lists(
    st.tuples(
        st.sampled_from(["reads", "writes", "peeks", "posts"]), st.none() | st.lists(paths, min_size=0, max_size=3)
    ),
    max_size=12,
)
TOUCHING = ToolRegistry(
    [
        made("reads", True, lambda values: values["paths"]),
        made("writes", False, lambda values: values["paths"]),
        made("peeks", True, lambda values: values["paths"], parallel_safe=False),
        made("posts", False, lambda values: values["paths"], parallel_safe=True),
    ]
)


def overlap(mine: list[str] | None, other: list[str] | None) -> bool:
    """Whether two calls touch the same, as one would write it down: nothing said is everything."""
    beneath = [[[part for part in path.split("/") if part] for path in paths or [""]] for paths in (mine, other)]
    some = mine != [] and other != []
    return some and any(a[: len(b)] == b[: len(a)] for a in beneath[0] for b in beneath[1])


def closure(waits_for: Sequence[Iterable[int]]) -> list[set[int]]:
    """Whom each call waits for, directly or through others; no call waits for a later one."""
    found: list[set[int]] = []
    for direct in waits_for:
        found.append(set(direct).union(*(found[earlier] for earlier in direct)))
    return found


@settings(max_examples=3_000)
@given(touching)
def test_law_by_resource_orders_just_the_pairs_that_touch_the_same(batch: list[tuple[str, list[str] | None]]) -> None:
    """Compared with all pairs, each looked at; only reads that are safe beside others may overlap on one place."""
    found = plan([ToolCall("c", name, {"paths": paths}) for name, paths in batch], TOUCHING, "by_resource").waits_for
    pairs = [
        {e for e in range(later) if overlap(batch[e][1], mine) and not batch[e][0] == name == "reads"}
        for later, (name, mine) in enumerate(batch)
    ]
    assert all(direct <= every for direct, every in zip(found, pairs, strict=True))
    assert closure(found) == closure(pairs)


def test_a_thousand_calls_are_planned_by_resource_with_few_edges_and_at_once() -> None:
    dice = random.Random(3)
    names = dice.choices(["reads", "writes"], [7, 3], k=1000)
    calls = [ToolCall("c", name, {"paths": [f"src/{dice.randrange(200)}/file.py"]}) for name in names]
    calls[500] = ToolCall("c", "writes", {"paths": ["src"]})
    calls[:100] = [ToolCall("c", "reads", {"paths": ["."]})] * 100
    took = []
    for _ in range(3):
        began = time.process_time()
        found = plan(calls, TOUCHING, "by_resource")
        took.append(time.process_time() - began)
    assert min(took) < 0.1
    assert sum(map(len, found.waits_for)) < 20_000 < 1000 * 999 / 2  # each of the first writes waits for 100 readers
    assert len(found[500]) > 100


@given(batches)
def test_law_serial_is_one_chain(text: str) -> None:
    made_plan = planned("serial", text)
    runnable = [i for i, call in enumerate(made_plan.calls) if call.kind != "refused"]
    assert all(made_plan[after] == {before} for before, after in pairwise(runnable))
