"""The trace: numbered lines, on disk as they come, read back to the last whole one."""

from __future__ import annotations

import gc
import json
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from labkit import ToolCall, ToolError, ToolResult, Trace
from labkit.timeline import Timeline
from labkit.trace import (
    decision,
    early_discarded,
    message,
    session_end,
    session_start,
    tool_batch,
    tool_finished,
    tool_start,
)


def opening() -> dict[str, Any]:
    return session_start("task", None, "2026-09-01T00:00:00+00:00")


def test_lines_are_numbered_and_spelled_in_one_way() -> None:
    trace = Trace()
    trace.record(opening())
    line = trace.record(tool_batch("parallel", 3))
    assert json.dumps(line) == (
        '{"type": "event", "event": "tool_batch", "payload": {"mode": "parallel", "size": 3}, "seq": 2}'
    )
    end = trace.record(session_end("final_answer", 6))
    assert end == {"type": "event", "event": "session_end", "payload": {"reason": "final_answer", "steps": 6}, "seq": 3}


def test_usage_stands_beside_the_message() -> None:
    line = Trace().record(message({"role": "assistant", "content": "hi"}, usage=None, finish_reason="stop"))
    assert list(line) == ["type", "message", "usage", "finish_reason", "seq"]


def test_an_end_event_holds_code_repairs_and_null_times() -> None:
    result = ToolResult("c", "t", False, "…", error=ToolError("timeout", "m", "t"), repairs=("code_fence",))
    payload = tool_finished(result)["payload"]
    assert payload == {
        "call_id": "c",
        "name": "t",
        "ok": False,
        "started": None,
        "finished": None,
        "code": "timeout",
        "repairs": ["code_fence"],
    }


def test_an_early_result_that_is_not_used_has_a_line_that_says_why() -> None:
    line = early_discarded(ToolCall("call_1", "read_file", "{}"), "model_error", 0.25)
    payload = {"call_id": "call_1", "name": "read_file", "reason": "model_error", "started": 0.25}
    assert line == {"type": "event", "event": "early_discarded", "payload": payload}


def test_an_end_event_holds_how_early_its_tool_was_only_where_it_was() -> None:
    result = ToolResult("c", "t", True, "", started=0.5, finished=0.75)
    assert tool_finished(result, 0.625)["payload"]["early"] == 0.125
    assert all("early" not in tool_finished(result, whole)["payload"] for whole in (0.5, 0.25, None))


def test_every_line_is_on_disk_before_record_returns(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "deep" / "t.jsonl")
    for step in range(3):
        trace.record(decision(step))
        assert len((tmp_path / "deep" / "t.jsonl").read_bytes().splitlines()) == step + 1
    assert Trace.load(tmp_path / "deep" / "t.jsonl").lines == trace.lines


def test_a_trace_starts_its_file_anew_and_takes_one_run(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("old\n")
    trace = Trace(path)
    trace.record(opening())
    with pytest.raises(ValueError, match="one Trace is one run"):
        trace.record(opening())
    assert len(Trace.load(path)) == 1


def test_a_cut_last_line_is_left_out_and_a_broken_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    trace = Trace(path)
    trace.record(opening())
    trace.record(decision(1))
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        assert Trace.load(path).lines == trace.lines[: whole[:cut].count(b"\n")]
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(ValueError, match=r"t\.jsonl, line 1: neither a message nor an event"):
        Trace.load(path)
    for broken in (whole.replace(b"{", b"(", 1), b"[" * 100_000 + b"\n" + whole):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=r"t\.jsonl, line 1: not valid JSON"):
            Trace.load(path)
    assert gc.isenabled()


class Stubborn:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    "arguments",
    [float("nan"), {1: 2}, {"a": {1, 2}}, b"bytes", Stubborn(), "\ud800", {"\udfff": "x"}, [10**5000], "日本語"],
    ids=["nan", "other keys", "set", "bytes", "no repr", "surrogate", "surrogate key", "long number", "CJK"],
)
def test_whatever_a_model_sent_can_be_written(tmp_path: Path, arguments: Any) -> None:
    trace = Trace(tmp_path / "t.jsonl")
    trace.record(message({"role": "assistant", "tool_calls": [{"arguments": arguments}]}))
    text = (tmp_path / "t.jsonl").read_text(encoding="utf-8")
    written = json.loads(text, parse_constant=lambda _: pytest.fail("not JSON"))
    assert written["message"]["role"] == "assistant"
    if isinstance(arguments, str):
        assert written["message"]["tool_calls"][0]["arguments"] == arguments


def test_endless_nesting_can_be_written(tmp_path: Path) -> None:
    ring: list[Any] = []
    ring.append(ring)
    trace = Trace(tmp_path / "t.jsonl")
    trace.record(message({"role": "assistant", "content": ring}))
    assert len(Trace.load(tmp_path / "t.jsonl")) == 1


def test_numbers_are_given_under_a_lock() -> None:
    trace = Trace()
    threads = [threading.Thread(target=lambda: [trace.record(decision(1)) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line["seq"] for line in trace.lines] == list(range(1, 801))


def test_what_a_trace_counts_up_to() -> None:
    trace = Trace()
    trace.record(decision(1))
    call = ToolCall("c", "t", None)
    for error in (None, "timeout", "timeout", "invalid_json"):
        trace.record(tool_start(call, "read"))
        found = ToolError(error, "m", "t") if error else None
        trace.record(tool_finished(ToolResult("c", "t", error is None, "", error=found, repairs=("code_fence",))))
    metrics = trace.metrics()
    assert (metrics.decisions, metrics.calls) == (1, 4)
    assert metrics.failures == {"timeout": 2, "invalid_json": 1}
    assert metrics.by_layer == {"execution": 2, "transport": 1}
    assert metrics.repairs == {"code_fence": 4}


KILLED = """
import os, signal, sys
from labkit import Agent, ScriptedModel, ToolRegistry, ToolRuntime, Trace, tool

class Deadly(Trace):
    def record(self, line):
        line = super().record(line)
        if line["seq"] == int(sys.argv[2]):
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # no chance to tidy up
        return line

@tool(readonly=True)
def look(key: str) -> str:
    "Look."
    return key * 50

asked = [{"id": f"call_{n}", "name": "look", "arguments": {"key": "é"}} for n in range(3)]
script = {"task": "look", "decisions": [{"tool_calls": asked}] * 20 + [{"content": "done"}]}
trace = Deadly(sys.argv[1])
Agent(ScriptedModel(script), ToolRuntime(ToolRegistry([look])), max_turns=30, trace=trace).run("look")
"""


def run_until_killed(path: Path, line: int) -> int:
    command = [sys.executable, "-c", KILLED, str(path), str(line)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


def kinds(trace: Trace) -> list[str]:
    return [line.get("event") or line["message"]["role"] for line in trace]


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the lines of the run are about when nobody kills it."""
    path = tmp_path_factory.mktemp("whole") / "t.jsonl"
    assert run_until_killed(path, 0) == 0
    return kinds(Trace.load(path))


@pytest.mark.parametrize("seed", range(5))
def test_a_run_killed_at_any_line_leaves_a_trace_up_to_its_last_whole_line(
    tmp_path: Path, whole_run: list[str], seed: int
) -> None:
    dice = random.Random(seed)
    path, line = tmp_path / "t.jsonl", dice.randrange(1, len(whole_run))
    assert run_until_killed(path, line) != 0
    trace = Trace.load(path)
    assert [entry["seq"] for entry in trace] == list(range(1, line + 1))
    assert kinds(trace) == whole_run[:line]
    assert Timeline.from_trace(trace).facts["calls"] == kinds(trace).count("tool_start")

    raw = path.read_bytes()
    for cut in dice.sample(range(len(raw)), 20):  # a disk that was full in the middle of a line, or of a letter
        path.write_bytes(raw[:cut])
        assert Trace.load(path).lines == trace.lines[: raw[:cut].count(b"\n")]
