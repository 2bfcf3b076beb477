"""The promise of two policies: whatever overlaps, the outcome is that of running one call after another."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tools_for_tests import runtime_of

from labkit import ToolCall, ToolResult, tool
from labkit.toolsets import workspace_tools

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


def fresh(folder: str) -> Path:
    root = Path(folder)
    (root / "d").mkdir()
    for name in NAMES:
        (root / name).write_text(name)
    return root


def outcome(policy: str, calls: list[ToolCall], tools_of: Any) -> tuple[list[str], dict[str, str]]:
    """Return what the calls said, and what the files hold afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = fresh(folder)
        results: list[ToolResult] = runtime_of(*tools_of(root), policy=policy).dispatch_many(calls)
        return [r.content for r in results], {name: (root / name).read_bytes().decode() for name in NAMES}


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


def assert_all_end_as_serial(calls: list[ToolCall], tools_of: Any) -> None:
    expected = outcome("serial", calls, tools_of)
    assert outcome("barriers", calls, tools_of) == expected
    assert outcome("by_resource", calls, tools_of) == expected


@settings(max_examples=60)
@given(st.lists(slow_calls, max_size=7).map(numbered))
def test_law_barriers_and_by_resource_end_as_serial_ends(calls: list[ToolCall]) -> None:
    assert_all_end_as_serial(calls, slow_tools)


@settings(max_examples=60)
@given(st.lists(file_calls, max_size=7).map(numbered))
def test_law_it_holds_for_the_workspace_tools_on_real_files(calls: list[ToolCall]) -> None:
    assert_all_end_as_serial(calls, workspace_tools)


def test_reads_first_does_not_keep_the_promise() -> None:
    calls = numbered([("append", {"path": "a.txt", "text": "x"}), ("look", {"path": "a.txt"})])
    assert outcome("serial", calls, slow_tools)[0][1] == "a.txtx|a.txtx"
    assert outcome("reads_first", calls, slow_tools)[0][1] == "a.txt|a.txt"
