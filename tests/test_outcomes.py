"""The promise of two policies: whatever overlaps, the outcome is that of running one call after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools_for_tests import runtime_of

from labkit import POLICIES, Tool, ToolCall, tool
from labkit.toolsets import workspace_tools

ToolsOf = Callable[[Path], list[Tool]]
NAMES = ("a.txt", "b.txt", "d/c.txt")


def slow_tools(root: Path) -> list[Any]:
    """Return tools that leave time for every race between their reading and their writing."""

    def path_of(values: dict[str, Any]) -> list[Path]:
        return [root / values["path"]]

    @tool(readonly=True, touches=path_of)
    def look(path: str) -> str:
        before = (root / path).read_text()
        time.sleep(0.001)
        return before + "|" + (root / path).read_text()

    @tool(touches=path_of)
    def append(path: str, text: str) -> str:
        before = (root / path).read_text()
        time.sleep(0.001)
        (root / path).write_text(before + text)
        return before

    @tool(readonly=True, touches=lambda values: [root])
    def look_at_all() -> str:
        return "|".join((root / name).read_text() for name in NAMES)

    return [look, append, look_at_all]


class Stage:
    """A folder with three files for every policy, set up anew for every batch."""

    def __init__(self, folder: Path, tools_of: ToolsOf) -> None:
        self.root = folder
        (folder / "d").mkdir(parents=True)
        self.runtimes = {policy: runtime_of(*tools_of(folder), policy=policy) for policy in POLICIES}

    def outcome(self, policy: str, calls: list[ToolCall]) -> tuple[list[str], dict[str, str]]:
        """Return what the calls said, and what the files hold afterwards."""
        for name in NAMES:
            (self.root / name).write_text(name)
        results = self.runtimes[policy].dispatch_many(calls)
        return [result.content for result in results], {name: (self.root / name).read_text() for name in NAMES}


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("slow") / "w", slow_tools)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("real") / "w", workspace_tools)


paths = st.sampled_from(NAMES)
slow_calls = st.one_of(
    st.tuples(st.just("look"), paths.map(lambda p: {"path": p})),
    st.tuples(st.just("append"), st.tuples(paths, st.sampled_from("xyz")).map(lambda v: {"path": v[0], "text": v[1]})),
    st.tuples(st.just("look_at_all"), st.just({})),
    st.tuples(st.sampled_from(["append", "nope"]), st.just({})),
)
file_calls = st.one_of(
    st.tuples(st.sampled_from(["read_file"]), paths.map(lambda p: {"path": p})),
    st.tuples(
        st.just("edit_file"),
        st.tuples(paths, st.sampled_from(["a", "b", "c", "txt", "."]), st.sampled_from(["q", "a.", "txt"])).map(
            lambda v: {"path": v[0], "old": v[1], "new": v[2]}
        ),
    ),
    st.tuples(st.just("search_text"), st.sampled_from(["a", "txt", "q"]).map(lambda q: {"query": q})),
    st.tuples(st.just("list_files"), st.just({})),
    st.tuples(st.just("read_file"), st.just({"path": "../out"})),
)


def numbered(pairs: list[Any]) -> list[ToolCall]:
    return [ToolCall(f"call_{n}", name, arguments) for n, (name, arguments) in enumerate(pairs, 1)]


def assert_all_end_as_serial(stage: Stage, calls: list[ToolCall]) -> None:
    expected = stage.outcome("serial", calls)
    assert stage.outcome("barriers", calls) == expected
    assert stage.outcome("by_resource", calls) == expected


@settings(max_examples=1_000)
@given(st.lists(slow_calls, min_size=1, max_size=7).map(numbered))
def test_law_barriers_and_by_resource_end_as_serial_ends(slow: Stage, calls: list[ToolCall]) -> None:
    assert_all_end_as_serial(slow, calls)


@settings(max_examples=1_000)
@given(st.lists(file_calls, min_size=1, max_size=7).map(numbered))
def test_law_it_holds_for_the_workspace_tools_on_real_files(real: Stage, calls: list[ToolCall]) -> None:
    assert_all_end_as_serial(real, calls)


def test_reads_first_does_not_keep_the_promise_and_two_calls_are_enough_to_see_it(slow: Stage) -> None:
    """All batches of one call, then all of two, until one ends otherwise than serially."""
    single = [
        ("look", {"path": "a.txt"}),
        ("look", {"path": "b.txt"}),
        ("look_at_all", {}),
        ("append", {"path": "a.txt", "text": "x"}),
    ]
    every = (numbered(list(batch)) for size in (1, 2, 3) for batch in product(single, repeat=size))
    smallest = next(calls for calls in every if slow.outcome("reads_first", calls) != slow.outcome("serial", calls))
    print("reads_first differs from serial in:", *(f"{call.name}({call.arguments})" for call in smallest))
    assert [call.name for call in smallest] == ["append", "look"]
    assert smallest[0].arguments["path"] == smallest[1].arguments["path"]  # type: ignore[call-overload,index]
    assert slow.outcome("serial", smallest)[0][1] == "a.txtx|a.txtx"
    assert slow.outcome("reads_first", smallest)[0][1] == "a.txt|a.txt"
    assert_all_end_as_serial(slow, smallest)
