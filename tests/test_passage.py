"""The way of one call, stage by stage: what it says is what the runtime does, whatever the call and the tool are."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import Failure, Tool, ToolCall, ToolOutput, ToolRegistry, ToolRuntime, tool
from labkit.course.faults import SETTINGS, fault_tools, faults, good_calls
from labkit.course.lab import fresh_copy
from labkit.paths import data
from labkit.runtime.passage import STAGES, Passage, passage
from tests.tools_for_tests import hanging, quick, runtime_of, until

CODES = {
    "look up": {"unknown_tool"},
    "parse": {"invalid_json", "schema_validation"},
    "judge": {"schema_validation"},
    "cross-check": {"invalid_range"},
    "run": {"path_outside_workspace", "not_found"},
}


class Touched:
    """Tools whose functions also count themselves, independently of what a passage counts."""

    def __init__(self, tools: list[Tool]) -> None:
        self.times = 0
        self.tools = [replace(each, fn=self.counting(each.fn)) for each in tools]

    def counting(self, fn: Any) -> Any:
        def counted(**values: Any) -> Any:
            self.times += 1
            return fn(**values)

        return counted


@pytest.fixture(scope="module")
def workspace() -> Path:
    return fresh_copy(data("workspaces", "calculator"))


def call_of(name: str, arguments: Any) -> ToolCall:
    return ToolCall("call_1", name, arguments)


def states(way: Passage) -> list[str]:
    return [stage.state for stage in way.stages]


def assert_whole(way: Passage) -> None:
    """The stages are all there, in order; none is reached after the one that stopped the call."""
    assert tuple(stage.name for stage in way.stages) == STAGES
    seen = states(way)
    ends = [number for number, state in enumerate(seen) if state in ("stopped here", "failed")]
    assert len(ends) <= 1
    if ends:
        (end,) = ends
        assert (seen[end] == "failed") is (way.ran), "a call that ran was not stopped, it failed"
        assert set(seen[end + 1 :]) <= {"not reached"}
        assert "not reached" not in seen[:end]
    else:
        assert "not reached" not in seen


# ---- it says what the runtime does ----


@pytest.mark.parametrize(("validator", "repair"), SETTINGS)
def test_a_passage_says_what_dispatch_does(validator: str, repair: Any, workspace: Path) -> None:
    touched = Touched(fault_tools(workspace))
    runtime = ToolRuntime(ToolRegistry(touched.tools), validator=validator, repair=repair)
    sent = [call for fault in faults().values() for call in fault.calls.values()]
    for call in (*good_calls().values(), *sent):
        before = touched.times
        result = runtime.dispatch(call)
        between = touched.times
        way = passage(runtime, call)
        assert_whole(way)
        assert way.ran == between - before == touched.times - between, call
        assert way.result.to_message() == result.to_message(), call
        assert way.result.repairs == result.repairs, call
        assert (way.stopped_at is None) == (result.error is None), call
        assert way.stopped_at is None or result.error.code in CODES[way.stopped_at], call
        assert (way.ran) == (way.verdict in ("ran", "repaired and ran", "ran and failed")), call
        assert (way.stages[-1].state == "failed") == (way.verdict == "ran and failed"), call


def test_values_and_problems_stand_at_their_stage(workspace: Path) -> None:
    runtime = ToolRuntime(ToolRegistry(fault_tools(workspace)))
    sent = '```json\n{"path": "calculator.py", "start_line": 4.0}\n```'
    _, parsed, normal, judged, checked, ran = passage(runtime, call_of("read_lines", sent)).stages
    assert (parsed.state, parsed.repairs) == ("repaired", ("code_fence",))
    assert parsed.values == {"path": "calculator.py", "start_line": 4.0}
    assert (normal.state, normal.repairs) == ("passed", ("integral_float",))  # a reading, no repair
    assert type(normal.values["start_line"]) is int
    assert judged.said == "fits; filled in: end_line"
    assert checked.values == {"path": "calculator.py", "start_line": 4, "end_line": None}
    assert ran.state == "passed"
    way = passage(runtime, faults()["several_at_once"].call("query_orders"))
    assert [problem.path for problem in way.stages[3].problems] == ["start_date", "end_date", "status", "limit"]


def test_the_text_names_every_stage_and_whether_the_tool_was_touched(workspace: Path) -> None:
    runtime = ToolRuntime(ToolRegistry(fault_tools(workspace)))
    lines = passage(runtime, faults()["inverted_range"].call("read_lines")).text().splitlines()
    assert [line[2:14].strip() for line in lines[:6]] == list(STAGES)
    assert lines[4].startswith("✗ cross-check  stopped here  invalid_range: end_line 2 is less than start_line 6")
    assert lines[6] == "read_lines was not run"
    assert passage(runtime, good_calls()["read_lines"]).text().endswith("read_lines ran once")
    failed = passage(runtime, faults()["not_there"].call("read_lines")).text().splitlines()[5:]
    assert failed[0].startswith("✗ run          failed        not_found: ")
    assert failed[1] == "read_lines ran once"


# ---- whatever the tool is ----


def test_an_unknown_tool_stops_at_once() -> None:
    for name in ("nothing", "", None, 7, ["a"], {"a": 1}, "\ud800\x00"):
        way = passage(runtime_of(quick()), ToolCall("call_1", name, "{}"))
        assert_whole(way)
        assert (way.stopped_at, way.ran, way.result.error.code) == ("look up", 0, "unknown_tool")
        assert all(line.isprintable() for line in way.text().splitlines())


def test_a_hung_tool_was_touched_and_stopped_at_its_run() -> None:
    release = threading.Event()
    runtime = runtime_of(hanging(release, timeout=0.05), quick(readonly=False))
    try:
        way = passage(runtime, call_of("hang", "{}"))
        assert (way.stopped_at, way.ran, way.verdict) == ("run", 1, "ran and failed")
        assert way.result.error.code == "timeout"
        # It may still change something, so it holds later calls of this runtime as a dispatched one would.
        held = passage(runtime, call_of("quick", "{}"))
        assert (held.stopped_at, held.ran, held.result.error.code) == ("run", 0, "cancelled")
        assert held.verdict == "refused at run"
        assert runtime.dispatch(call_of("quick", "{}")).error.code == "cancelled"
    finally:
        release.set()
    assert until(lambda: runtime.dispatch(call_of("quick", "{}")).ok)


def test_raising_and_failing_and_unhappy_tools_are_told_apart() -> None:
    def burst() -> str:
        raise KeyError("drawer")

    runtime = runtime_of(
        quick("burst", burst),
        quick("fail", lambda: Failure("no such drawer", code="not_found")),
        quick("unhappy", lambda: ToolOutput("EXIT 1", ok=False)),
    )
    raised, failed, unhappy = (passage(runtime, call_of(name, "{}")) for name in ("burst", "fail", "unhappy"))
    assert (raised.stopped_at, raised.result.error.code, raised.ran) == ("run", "execution_error", 1)
    assert (failed.stopped_at, failed.result.error.code, failed.ran) == ("run", "not_found", 1)
    assert (unhappy.stopped_at, unhappy.verdict, unhappy.result.ok) == (None, "ran", False)


def test_a_rule_that_fails_stops_at_the_cross_check() -> None:
    runtime = runtime_of(quick(check=lambda values: values["nothing"]))
    way = passage(runtime, call_of("quick", "{}"))
    assert (way.stopped_at, way.ran, way.result.error.code) == ("cross-check", 0, "execution_error")


def test_async_and_process_tools_are_counted_at_their_function() -> None:
    @tool
    async def later(n: int) -> int:
        return n

    @tool(run_in="process", timeout=60.0)
    def apart(n: int) -> int:
        return n

    runtime = runtime_of(later, apart)
    for name in ("later", "apart"):
        way = passage(runtime, call_of(name, '{"n": 3}'))
        assert (way.ran, way.result.data) == (True, 3)
        assert passage(runtime, call_of(name, '{"n": "3"}')).ran is False


def test_a_process_tool_that_can_not_be_sent_is_told_as_dispatch_tells_it() -> None:
    lock = threading.Lock()

    @tool(run_in="process")
    def guarded() -> str:
        with lock:
            return "never"

    runtime = runtime_of(guarded)
    way = passage(runtime, call_of("guarded", "{}"))
    assert (way.stopped_at, way.ran) == ("run", 0)
    assert "lock" in way.result.content
    assert way.result.to_message() == runtime.dispatch(call_of("guarded", "{}")).to_message()


def test_a_tool_that_the_validator_can_not_follow_stops_at_look_up() -> None:
    schema = {"type": "object", "properties": {"n": {"not": {"type": "string"}}}}
    runtime = runtime_of(quick(), validator="subset")
    runtime.registry.register(Tool.from_schema("odd", "Take anything but text.", schema, lambda n: n))
    way = passage(runtime, call_of("odd", '{"n": 1}'))
    assert (way.stopped_at, way.ran, way.result.error.code) == ("look up", 0, "execution_error")


def test_a_tool_registered_later_is_found() -> None:
    runtime = runtime_of(quick())
    runtime.registry.register(quick("second"))
    assert passage(runtime, call_of("second", "{}")).verdict == "ran"


def test_only_a_tool_call_has_a_way() -> None:
    with pytest.raises(TypeError, match="ToolCall"):
        passage(runtime_of(quick()), {"id": "call_1", "name": "quick", "arguments": "{}"})  # type: ignore[arg-type]


def test_looking_leaves_the_runtime_as_it_was() -> None:
    one = quick()
    runtime = runtime_of(one)
    passage(runtime, call_of("quick", "{}"))
    assert list(runtime.registry) == [one]
    assert runtime.dispatch(call_of("quick", "{}")).ok


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda part: st.lists(part, max_size=3)
)


@given(st.one_of(st.text(), JSON, st.dictionaries(st.sampled_from(["path", "start_line", "end_line", "x"]), JSON)))
@settings(deadline=None, max_examples=150)
def test_any_arguments_have_a_way_and_it_is_that_of_dispatch(arguments: Any) -> None:
    @tool(timeout=None)
    def read_lines(path: str, start_line: int, end_line: int | None = None) -> str:
        return f"{start_line}"

    runtime = runtime_of(read_lines)
    call = call_of("read_lines", arguments)
    way = passage(runtime, call)
    assert_whole(way)
    assert way.result.to_message() == runtime.dispatch(call).to_message()
    assert way.ran == (1 if way.stopped_at is None else 0)
    assert way.text().splitlines()[-1].startswith("read_lines ")
