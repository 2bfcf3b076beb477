"""The runtime: one result per call, in call order, whatever a model sends and whatever a tool does."""

from __future__ import annotations

import contextvars
import itertools
import json
import math
import signal
import threading
import time
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from tools_for_tests import LONG, Counter, calls, codes, hanging, quick, runtime_of

from labkit import POLICIES, Failure, ToolCall, ToolOutput, ToolRegistry, ToolRuntime, plan, tool
from labkit.runtime.prepare import VALIDATORS


class Unit(Enum):
    metre = "m"
    mile = "mi"


class Box(BaseModel):
    width: int
    label: str = "box"


@tool(readonly=True)
def add(x: int, y: int = 1) -> int:
    "Add two whole numbers."
    return x + y


# --- one call ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
def test_a_good_call_is_answered_and_defaults_are_filled(validator: str) -> None:
    result = runtime_of(add, validator=validator).dispatch(ToolCall("call_1", "add", '{"x": 4}'))
    assert (result.ok, result.content, result.data, result.error) == (True, "5", 5, None)
    assert result.to_message() == {"role": "tool", "content": "5", "tool_call_id": "call_1"}


@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"x": 4', "invalid_json"),
        ("[1]", "schema_validation"),
        ([], "schema_validation"),
        (0, "schema_validation"),
        (False, "schema_validation"),
        ("{}", "schema_validation"),
        ('{"x": "4"}', "schema_validation"),
        ('{"x": true}', "schema_validation"),
        ('{"x": 4, "z": 1}', "schema_validation"),
    ],
)
def test_bad_arguments_never_reach_the_tool(validator: str, arguments: Any, code: str) -> None:
    reached: list[int] = []

    @tool
    def add(x: int, y: int = 1) -> int:
        reached.append(x)
        return x + y

    result = runtime_of(add, validator=validator).dispatch(ToolCall("call_1", "add", arguments))
    assert codes([result]) == [code]
    assert result.error is not None and result.error.tool == "add"
    assert (reached, result.started, result.finished) == ([], None, None)
    assert result.content.startswith(f"ERROR [{code}]: ")


def test_an_unknown_tool_is_told_what_there_is() -> None:
    result = runtime_of(add, quick()).dispatch(ToolCall("call_1", "ad", "{}"))
    assert codes([result]) == ["unknown_tool"]
    assert "add, quick" in result.content
    assert "did you mean add?" in result.content


def test_a_rule_across_fields_is_an_invalid_range() -> None:
    def in_order(values: dict[str, Any]) -> str | None:
        return None if values["x"] <= values["y"] else f"y {values['y']} is less than x {values['x']}"

    ordered = quick("ordered")
    checked = runtime_of(tool(check=in_order)(add.fn))
    result = checked.dispatch(ToolCall("call_1", "add", '{"x": 4}'))
    assert result.error is not None
    assert result.error.to_dict() == {"code": "invalid_range", "message": "y 1 is less than x 4", "tool": "add"}
    assert checked.dispatch(ToolCall("call_2", "add", {"x": 1})).content == "2"
    assert ordered.check is None


def test_a_rule_that_fails_itself_is_not_the_models_fault() -> None:
    def broken(values: dict[str, Any]) -> str | None:
        return str(values["missing"])

    assert codes([runtime_of(tool(check=broken)(add.fn)).dispatch(ToolCall("1", "add", '{"x": 1}'))]) == [
        "execution_error"
    ]


@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
def test_a_tool_receives_its_own_types(validator: str) -> None:
    seen: list[Any] = []

    @tool
    def ship(day: date, unit: Unit, box: Box, tags: Annotated[list[str], Field(max_length=3)]) -> str:
        seen.extend([day, unit, box, tags])
        return "ok"

    arguments = '{"day": "2026-09-01", "unit": "mi", "box": {"width": 5.0}, "tags": ["a"]}'
    result = runtime_of(ship, validator=validator).dispatch(ToolCall("call_1", "ship", arguments))
    assert result.ok, result.content
    assert seen == [date(2026, 9, 1), Unit.mile, Box(width=5), ["a"]]
    assert result.repairs == ("integral_float",)


def test_mutable_defaults_are_fresh_for_every_call() -> None:
    @tool
    def collect(item: str, items: list[str] = []) -> str:  # noqa: B006
        items.append(item)
        return ",".join(items)

    runtime = runtime_of(collect)
    contents = [runtime.dispatch(ToolCall("c", "collect", {"item": item})).content for item in "ab"]
    assert contents == ["a", "b"]


def test_positional_only_parameters_are_passed_by_position() -> None:
    @tool
    def power(base: int, exponent: int, /, *, offset: int = 0) -> int:
        return base**exponent + offset

    assert runtime_of(power).dispatch(ToolCall("1", "power", {"exponent": 3, "base": 2})).content == "8"


# --- what a tool may return -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        (None, "null"),
        ({"a": [1, 2.5, True]}, '{"a": [1, 2.5, true]}'),
        ("Grüße 日本語", "Grüße 日本語"),
        ({"hi": "日本語"}, '{"hi": "日本語"}'),
        ("a\ud800b", "a\ufffdb"),
        (date(2026, 9, 1), '"2026-09-01"'),
        (Box(width=2), '{"width":2,"label":"box"}'),
    ],
)
def test_values_are_spelled_as_text(value: Any, content: str) -> None:
    result = runtime_of(quick(body=lambda: value)).dispatch(ToolCall("1", "quick", None))
    assert (result.ok, result.content) == (True, content)


def test_what_json_lacks_can_be_told_from_null() -> None:
    value = {"mean": math.nan, "max": math.inf, "none": None}
    content = runtime_of(quick(body=lambda: value)).dispatch(ToolCall("1", "quick", None)).content
    assert json.loads(content, parse_constant=lambda _: pytest.fail("not JSON")) == {
        "mean": "NaN",
        "max": "Infinity",
        "none": None,
    }


def test_an_output_can_say_that_what_it_looked_at_did_not_pass() -> None:
    def body() -> ToolOutput:
        return ToolOutput("EXIT 1", ok=False, data=1)

    result = runtime_of(quick(body=body)).dispatch(ToolCall("1", "quick", None))
    assert (result.ok, result.error, result.content, result.data) == (False, None, "EXIT 1", 1)
    assert "error" not in result.to_message()


def test_an_expected_failure_carries_its_suggestion() -> None:
    def body() -> Failure:
        return Failure("there is no user 42", "list_users names them", "not_found")

    result = runtime_of(quick(body=body)).dispatch(ToolCall("1", "quick", None))
    assert result.to_message()["error"] == {
        "code": "not_found",
        "message": "there is no user 42",
        "tool": "quick",
        "hint": "list_users names them",
    }


def test_a_long_result_says_first_what_was_cut() -> None:
    result = runtime_of(quick(body=lambda: {"items": ["x" * 80] * 1000})).dispatch(ToolCall("1", "quick", None))
    notice, _, rest = result.content.partition("\n")
    assert len(result.content) <= 8000
    assert notice.startswith("[cut: the first 7,800 of 84,011 characters follow; 76,211 are missing.")
    assert len(rest) == 7800


@pytest.mark.parametrize("value", [object(), {1: {2, 3}, object(): 1}, (lambda: 1), type, [[]]])
def test_no_value_of_a_tool_breaks_the_runtime(value: Any) -> None:
    result = runtime_of(quick(body=lambda: value)).dispatch(ToolCall("1", "quick", None))
    assert result.ok or codes([result]) == ["execution_error"]


def test_a_value_that_holds_itself_is_an_error() -> None:
    ring: list[Any] = []
    ring.append(ring)
    assert codes([runtime_of(quick(body=lambda: ring)).dispatch(ToolCall("1", "quick", None))]) == ["execution_error"]


# --- what a tool may raise --------------------------------------------------------------------------------------


class Nasty(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("timeout", [None, 10.0])
@pytest.mark.parametrize(
    "problem", [ValueError("no such user"), SystemExit(3), KeyboardInterrupt(), Nasty(), GeneratorExit()]
)
def test_whatever_a_tool_raises_is_a_result(problem: BaseException, timeout: float | None) -> None:
    def body() -> None:
        raise problem

    result = runtime_of(quick(body=body, timeout=timeout)).dispatch(ToolCall("1", "quick", None))
    assert codes([result]) == ["execution_error"]
    assert f"the tool raised {type(problem).__name__}" in result.content


def test_the_authors_own_words_are_passed_on_without_paths_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "abcd-1234-wxyz")

    def body() -> None:
        raise ValueError("cannot read /home/ann/secret/plan.txt with abcd-1234-wxyz or sk-live0123456789")

    content = runtime_of(quick(body=body)).dispatch(ToolCall("1", "quick", None)).content
    assert (
        content == "ERROR [execution_error]: the tool raised ValueError: cannot read [path] with [hidden] or [hidden]"
    )


def test_words_of_python_itself_are_not_passed_on() -> None:
    def body() -> str:
        return open("/etc/no-such-file").read()  # noqa: PTH123

    content = runtime_of(quick(body=body)).dispatch(ToolCall("1", "quick", None)).content
    assert content == "ERROR [execution_error]: the tool raised FileNotFoundError"


# --- batches ----------------------------------------------------------------------------------------------------


def test_three_calls_of_50_ms_overlap_all_three() -> None:
    counter = Counter()

    @tool(readonly=True)
    def look(key: str) -> str:
        with counter:
            time.sleep(0.05)
        return key

    results = runtime_of(look).dispatch_many(calls(*[("look", {"key": k}) for k in "abc"]))
    assert counter.peak == 3
    assert [r.content for r in results] == ["a", "b", "c"]


def test_max_parallel_is_never_exceeded() -> None:
    counter = Counter()
    gate = threading.Barrier(2)

    @tool(readonly=True)
    def look(key: int) -> int:
        with counter:
            gate.wait(LONG)  # passes only if exactly two are at work together
        return key

    results = runtime_of(look, max_parallel=2).dispatch_many(calls(*[("look", {"key": k}) for k in range(6)]))
    assert counter.peak == 2
    assert [r.data for r in results] == list(range(6))


@pytest.mark.parametrize("policy", ["serial", "all_or_nothing", "reads_first", "barriers", "by_resource"])
def test_results_keep_call_order_even_with_equal_ids(policy: str) -> None:
    first_may_go = threading.Event()

    @tool(readonly=True)
    def wait(name: str) -> str:
        if name == "b":
            first_may_go.set()
        elif policy not in ("serial",):
            first_may_go.wait(LONG)
        return name

    same = [ToolCall("call_1", "wait", {"name": name}) for name in "ab"]
    finished: list[str] = []
    runtime = runtime_of(wait, policy=policy)
    results = runtime.dispatch_many(same, on_event=lambda e: finished.append(e["event"]))
    assert [r.content for r in results] == ["a", "b"]
    assert finished[:3] == ["tool_batch", "tool_start", "tool_start"]


def test_events_come_on_the_callers_thread_and_ends_in_order_of_completion() -> None:
    second_done = threading.Event()

    @tool(readonly=True)
    def wait(name: str) -> str:
        if name == "slow":
            second_done.wait(LONG)
        return name

    heard: list[tuple[str, Any, int]] = []

    def listen(event: dict[str, Any]) -> None:
        payload = event["payload"]
        heard.append((event["event"], payload.get("call_id", payload.get("mode")), threading.get_ident()))
        if event["event"] == "tool_finished" and payload["call_id"] == "call_2":
            second_done.set()

    batch = [*calls(("wait", {"name": "slow"}), ("wait", {"name": "fast"})), ToolCall("call_3", "nope", "{}")]
    runtime_of(wait).dispatch_many(batch, on_event=listen)
    assert {thread for *_, thread in heard} == {threading.get_ident()}
    assert [(name, what) for name, what, _ in heard] == [
        ("tool_batch", "parallel"),
        ("tool_start", "call_1"),
        ("tool_start", "call_2"),
        ("tool_start", "call_3"),
        ("tool_finished", "call_3"),
        ("tool_finished", "call_2"),
        ("tool_finished", "call_1"),
    ]


def test_a_bad_sibling_costs_nobody_a_result() -> None:
    batch = [*calls(("add", '{"x": 1}'), ("add", "{"), ("nope", "{}")), ToolCall("", "add", {"x": 2})]
    results = runtime_of(add).dispatch_many(batch)
    assert codes(results) == [None, "invalid_json", "unknown_tool", None]
    assert [r.call_id for r in results] == ["call_1", "call_2", "call_3", ""]


def test_an_empty_batch_has_no_results_and_no_events() -> None:
    heard: list[Any] = []
    assert runtime_of(add).dispatch_many([], on_event=heard.append) == []
    assert heard == []


def test_times_count_from_the_runs_begin() -> None:
    began = time.perf_counter() - 100
    result = runtime_of(add).dispatch_many(calls(("add", {"x": 1})), began=began)[0]
    assert result.started is not None and result.finished is not None
    assert 100 <= result.started <= result.finished < 160


def test_a_tool_registered_later_is_seen() -> None:
    runtime = runtime_of(add)
    runtime.registry.register(quick())
    assert runtime.dispatch(ToolCall("1", "quick", "")).content == "quick"


def test_a_tool_may_run_tools_itself() -> None:
    registry = ToolRegistry([add])
    runtime = ToolRuntime(registry)

    @registry.tool(readonly=True)
    def tree(depth: int) -> int:
        if depth == 0:
            return 1
        batch = calls(*[("tree", {"depth": depth - 1})] * 2)
        return sum(r.data for r in runtime.dispatch_many(batch))

    assert runtime.dispatch(ToolCall("1", "tree", {"depth": 4})).data == 16


@given(
    st.lists(
        st.tuples(
            st.one_of(st.text(max_size=5), st.none(), st.integers()),
            st.one_of(
                st.sampled_from(["add", "boom", "odd", "nope", ""]), st.text(max_size=8), st.none(), st.integers()
            ),
            st.one_of(
                st.text(max_size=30),
                st.none(),
                st.integers(),
                st.lists(st.integers(), max_size=2),
                st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), st.floats(), max_size=3),
                st.sampled_from(
                    ['{"x": 1}', '{"x": 1, "y": 2}', "{}", '{"x": NaN}', '"{\\"x\\": 3}"', '```json\n{"x": 2}\n```']
                ),
            ),
        ),
        max_size=6,
    ),
    st.sampled_from(["serial", "all_or_nothing", "reads_first", "barriers", "by_resource"]),
)
def test_law_one_result_per_call_in_call_order_whatever_is_sent(batch: list[Any], policy: str) -> None:
    @tool
    def boom() -> None:
        raise RuntimeError

    @tool(readonly=True)
    def odd() -> Any:
        return object()

    sent = [ToolCall(*parts) for parts in batch]
    results = runtime_of(add, boom, odd, policy=policy).dispatch_many(sent)
    assert [(r.call_id, r.name) for r in results] == [(c.id, c.name) for c in sent]
    assert all(isinstance(r.content, str) for r in results)
    assert all(r.ok or r.error is not None for r in results)


@given(
    st.lists(st.tuples(st.sampled_from(["look", "change"]), st.sampled_from("abc")), min_size=2, max_size=12),
    st.sampled_from(list(POLICIES)),
    st.sampled_from([1, 2, 64]),
)
def test_law_no_call_begins_before_those_it_waits_for_have_ended(
    batch: list[tuple[str, str]], policy: str, most: int
) -> None:
    @tool(readonly=True, touches=lambda values: [values["key"]])
    def look(key: str) -> str:
        return key

    @tool(touches=lambda values: [values["key"]])
    def change(key: str) -> str:
        return key

    registry = ToolRegistry([look, change])
    sent = calls(*[(name, {"key": key}) for name, key in batch])
    results = ToolRuntime(registry, policy=policy, max_parallel=most).dispatch_many(sent)
    early = [
        (result.call_id, sent[other].id)
        for result, others in zip(results, plan(sent, registry, policy).waits_for, strict=True)
        for other in others
        if result.started < results[other].finished  # type: ignore[operator]
    ]
    assert early == []
    running = sorted([(r.started, 1) for r in results] + [(r.finished, -1) for r in results])  # type: ignore[type-var]
    assert max(itertools.accumulate(change for _, change in running)) <= most


# --- limits -----------------------------------------------------------------------------------------------------


@pytest.fixture
def release() -> Any:
    event = threading.Event()
    yield event
    event.set()


def test_a_hung_read_costs_only_itself(release: threading.Event) -> None:
    runtime = runtime_of(hanging(release, readonly=True), quick())
    results = runtime.dispatch_many(calls(("hang", ""), ("quick", "")))
    assert codes(results) == ["timeout", None]
    assert (results[0].abandoned, results[1].abandoned) == (True, False)
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("quick", "")))) == [None, None]
    assert codes([runtime.dispatch(ToolCall("1", "quick", ""))]) == [None]


def test_under_barriers_a_hung_write_holds_all_that_follows_until_it_ends(release: threading.Event) -> None:
    ended = threading.Event()

    @tool(timeout=0.1)
    def hang() -> str:
        release.wait(LONG)
        ended.set()
        return "late"

    runtime = runtime_of(hang, quick())
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("hang", ""), ("quick", "")))) == [
        None,
        "timeout",
        "cancelled",
    ]
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("quick", "")))) == ["cancelled", "cancelled"]
    single = runtime.dispatch(ToolCall("1", "quick", ""))
    assert codes([single]) == ["cancelled"]
    assert "still running" in single.content
    release.set()
    assert ended.wait(LONG)
    held = runtime._held[0].job
    assert held.done.get(timeout=LONG) is held
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("quick", "")))) == [None, None]


def test_by_resource_only_what_touches_the_same_is_held(release: threading.Event) -> None:
    @tool(timeout=0.1, touches=lambda values: [values["path"]])
    def write(path: str) -> str:
        release.wait(LONG if path == "a" else 0)
        return path

    @tool(readonly=True, touches=lambda values: [values["path"]])
    def look(path: str) -> str:
        return path

    runtime = runtime_of(write, look, policy="by_resource")
    first = runtime.dispatch_many(calls(*[("write", {"path": p}) for p in ("a", "b")], ("look", {"path": "a/x"})))
    assert codes(first) == ["timeout", None, "cancelled"]
    second = runtime.dispatch_many(calls(*[("look", {"path": p}) for p in ("a", "b", "c")]))
    assert codes(second) == ["cancelled", None, None]


def test_under_reads_first_reads_pass_a_hung_write(release: threading.Event) -> None:
    runtime = runtime_of(hanging(release), quick(), quick("other", readonly=False), policy="reads_first")
    results = runtime.dispatch_many(calls(("hang", ""), ("quick", ""), ("other", "")))
    assert codes(results) == ["timeout", None, "cancelled"]


def test_at_a_deadline_a_finished_tool_is_finished() -> None:
    runtime = runtime_of(quick(timeout=1e-9))
    results = [runtime.dispatch(ToolCall("1", "quick", "")) for _ in range(200)]
    for result in results:
        assert codes([result]) in ([None], ["timeout"])
    batch = runtime.dispatch_many(calls(*[("quick", "")] * 50))
    assert len(batch) == 50


def test_context_variables_reach_tools_and_do_not_leak_back() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")

    def body() -> str:
        before = who.get()
        who.set("the tool")
        return before

    async def awaited() -> str:
        return body()

    inline = quick("inline", body, timeout=None)
    threaded = quick("threaded", body)
    on_loop = tool(readonly=True)(awaited)
    who.set("the caller")
    runtime = runtime_of(inline, threaded, on_loop)
    singles = [runtime.dispatch(ToolCall("1", name, "")).content for name in ("inline", "threaded", "awaited")]
    batch = runtime.dispatch_many(calls(("inline", ""), ("threaded", ""), ("awaited", "")))
    assert singles + [r.content for r in batch] == ["the caller"] * 6
    assert who.get() == "the caller"


def test_without_a_limit_a_single_call_runs_in_the_callers_thread() -> None:
    runtime = runtime_of(quick("here", threading.get_ident, timeout=None), quick("there", threading.get_ident))
    assert runtime.dispatch(ToolCall("1", "here", "")).data == threading.get_ident()
    assert runtime.dispatch(ToolCall("1", "there", "")).data != threading.get_ident()


# --- executors --------------------------------------------------------------------------------------------------


def double(x: int) -> int:
    "Double a number."
    return 2 * x


def fail_on_purpose() -> None:
    "Fail."
    raise ValueError("on purpose")


def test_an_executor_takes_the_sync_tools() -> None:
    with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
        named = quick("named", lambda: threading.current_thread().name)
        runtime = runtime_of(named, tool(readonly=True)(fail_on_purpose), executor=pool)
        results = runtime.dispatch_many(calls(("named", ""), ("fail_on_purpose", ""), ("named", "")))
    assert results[0].content.startswith("mine")
    assert codes(results) == [None, "execution_error", None]
    assert results[1].content.endswith("the tool raised ValueError: on purpose")


def test_a_process_pool_serves_as_executor() -> None:
    with ProcessPoolExecutor(1) as pool:
        runtime = runtime_of(tool(readonly=True)(double), executor=pool)
        assert [r.data for r in runtime.dispatch_many(calls(*[("double", {"x": x}) for x in range(3)]))] == [0, 2, 4]


def test_a_closed_executor_fails_the_call_and_not_the_batch() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    runtime = runtime_of(quick(), executor=pool)
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("nope", "")))) == ["execution_error", "unknown_tool"]
    assert codes([runtime.dispatch(ToolCall("1", "quick", ""))]) == ["execution_error"]


def test_an_executor_that_never_answers_is_given_up_at_the_limit() -> None:
    class Silent(ThreadPoolExecutor):
        def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    runtime = runtime_of(quick(timeout=0.05), quick("other", timeout=0.05), executor=Silent(1))
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("other", "")))) == ["timeout", "timeout"]


# --- settings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"policy": "fast"}, "serial, all_or_nothing"),
        ({"validator": "none"}, "pydantic, subset, jsonschema"),
        ({"max_parallel": 0}, "at least 1"),
    ],
)
def test_settings_that_do_not_exist_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        runtime_of(add, **options)


def test_the_subset_validator_names_the_keyword_it_does_not_know() -> None:
    @tool
    def plan(when: dict[str, int] | list[str]) -> str:
        return "ok"

    with pytest.raises(ValueError, match="anyOf"):
        runtime_of(plan, validator="subset")


def test_a_listener_that_fails_costs_no_result() -> None:
    def listen(event: dict[str, Any]) -> None:
        if event["event"] == "tool_finished":
            raise LookupError("the view is gone") from OSError("cause")

    runtime = runtime_of(add, quick())
    for batch in (calls(("add", {"x": 1})), calls(("add", {"x": 1}), ("quick", ""))):
        with pytest.raises(LookupError, match="the view is gone") as caught:
            runtime.dispatch_many(batch, on_event=listen)
        assert isinstance(caught.value.__cause__, OSError)
        results = caught.value.results  # type: ignore[attr-defined]
        assert len(results) == len(batch)
        assert any(result.ok for result in results)
        assert set(codes(results)) <= {None, "cancelled"}


@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
def test_a_number_is_no_moment(validator: str) -> None:
    @tool
    def plan(at: datetime) -> str:
        return at.isoformat()

    runtime = runtime_of(plan, validator=validator)
    good = runtime.dispatch(ToolCall("1", "plan", {"at": "2026-09-01T10:00:00"}))
    assert good.content == "2026-09-01T10:00:00"
    for text in ("1756684800", "-1", "2026-09-01 10:00"):
        assert codes([runtime.dispatch(ToolCall("1", "plan", {"at": text}))]) == ["schema_validation"]


class Loud(str):
    def __str__(self) -> str:
        raise KeyError("loud")


class Masked:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise ZeroDivisionError


class Broken(dict[str, Any]):
    def items(self) -> Any:
        raise KeyError("items")


class Colour(str, Enum):  # noqa: UP042
    RED = "red"


@pytest.mark.parametrize("timeout", [None, 10.0])
def test_odd_values_fail_their_own_call_only(timeout: float | None) -> None:
    def endless() -> Any:
        while True:
            yield 1

    for made in (lambda: Loud("a"), Masked, lambda: Broken(a=1), endless, lambda: ToolOutput(Loud("a"))):
        runtime = runtime_of(quick("odd", made, timeout=timeout), quick())
        odd, good = runtime.dispatch_many(calls(("odd", ""), ("quick", "")))
        assert good.content == "quick"
        assert odd.ok or codes([odd]) == ["execution_error"]
        single = runtime.dispatch(ToolCall("1", "odd", ""))
        assert single.content == odd.content
    assert runtime_of(quick(body=lambda: Colour.RED)).dispatch(ToolCall("1", "quick", "")).content == "red"


class Worse(Exception):
    def __str__(self) -> str:
        raise SystemExit(1)


@pytest.mark.parametrize("timeout", [None, 10.0])
def test_an_exception_that_raises_another_is_a_result(timeout: float | None) -> None:
    def body() -> None:
        raise Worse

    runtime = runtime_of(quick(body=body, timeout=timeout), quick("other"))
    assert codes([runtime.dispatch(ToolCall("1", "quick", ""))]) == ["execution_error"]
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("other", "")))) == ["execution_error", None]


def test_a_failures_words_are_cut_in_the_error_too() -> None:
    result = runtime_of(quick(body=lambda: Failure("x" * 100_000 + "\ud800"))).dispatch(ToolCall("1", "quick", ""))
    assert len(result.content) <= 8000
    assert len(result.to_message()["error"]["message"]) <= 8000
    assert result.to_message()["error"]["message"].encode()
    with pytest.raises(TypeError, match="a Failure takes text, not a ValueError"):
        Failure(ValueError("x"))  # type: ignore[arg-type]


def test_under_reads_first_reads_pass_a_hung_write_of_an_earlier_batch(release: threading.Event) -> None:
    runtime = runtime_of(hanging(release), quick(), policy="reads_first")
    assert codes([runtime.dispatch(ToolCall("1", "hang", ""))]) == ["timeout"]
    assert codes([runtime.dispatch(ToolCall("2", "quick", ""))]) == [None]
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("quick", ""), ("hang", "")))) == [None, None, "cancelled"]


def test_an_interrupt_while_a_thread_is_made_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: threading.Thread) -> None:
        raise KeyboardInterrupt

    runtime = runtime_of(quick("write", readonly=False), quick())
    with monkeypatch.context() as patched:
        patched.setattr("labkit.workers.threads._parked", deque())
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            runtime.dispatch(ToolCall("1", "write", ""))
    assert codes(caught.value.results) == ["cancelled"]  # type: ignore[attr-defined]
    assert codes([runtime.dispatch(ToolCall("2", "quick", ""))]) == [None]


def test_a_result_that_came_in_time_survives_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, job: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("labkit.runtime.batch.Batch._take", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        runtime_of(quick("one")).dispatch_many(calls(("one", ""), ("nope", "")))
    assert codes(caught.value.results) == [None, "unknown_tool"]  # type: ignore[attr-defined]
    assert caught.value.results[0].content == "quick"  # type: ignore[attr-defined]


def test_programming_slips_are_named() -> None:
    runtime = runtime_of(add)
    slips: list[tuple[Any, str]] = [
        (lambda: runtime.dispatch({"id": "1", "name": "add"}), r"ToolCall\(\*\*call\)"),  # type: ignore[arg-type]
        (lambda: runtime.dispatch_many([{"id": "1"}]), r"ToolCall\(\*\*call\)"),  # type: ignore[list-item]
        (lambda: ToolRuntime([add]), "takes a ToolRegistry"),  # type: ignore[arg-type]
    ]
    for slip, words in slips:
        with pytest.raises(TypeError, match=words):
            slip()
    assert [r.content for r in runtime.dispatch_many(c for c in calls(("add", {"x": 1})))] == ["2"]  # type: ignore[arg-type]
    assert repr(runtime) == "ToolRuntime(barriers, 1 tool)"


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="this platform raises no signals")
def test_an_interrupt_while_a_value_is_spelled_is_not_swallowed() -> None:
    class Slow(dict[str, Any]):
        def items(self) -> Any:
            signal.raise_signal(signal.SIGINT)
            return super().items()

    with pytest.raises(KeyboardInterrupt) as caught:
        runtime_of(quick(body=lambda: Slow(a=1), timeout=None)).dispatch(ToolCall("1", "quick", ""))
    assert codes(caught.value.results) == ["cancelled"]  # type: ignore[attr-defined]


# ---- repair or reject ----


@tool(readonly=True)
def tag_all(tags: list[str], count: int = 1) -> str:
    """Say the tags."""
    return f"{count} x {', '.join(tags)}"


@pytest.mark.parametrize("validator", VALIDATORS)
@pytest.mark.parametrize(
    ("arguments", "lossless", "none"),
    [
        ('{"tags": ["a"]}', None, None),
        ('```json\n{"tags": ["a"]}\n```', None, "invalid_json"),
        ('"{\\"tags\\": [\\"a\\"]}"', None, "schema_validation"),
        ('{"tags": "[\\"a\\"]"}', None, "schema_validation"),
        ('{"tags": ["a\tb"]}', None, "invalid_json"),
        ('{"tags": ["a"], "count": 2.0}', None, None),
        ('{"tags": ["a"], "count": null}', None, None),
        ('{"tags": ["\\ud800"]}', None, None),
        ("", "schema_validation", "schema_validation"),
    ],
)
def test_without_repair_only_one_spelling_is_taken(
    validator: str, arguments: str, lossless: str | None, none: str | None
) -> None:
    call = ToolCall("call_1", "tag_all", arguments)
    found = [
        codes([runtime_of(tag_all, validator=validator, repair=r).dispatch(call)])[0] for r in ("lossless", "none")
    ]
    assert found == [lossless, none]


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(ValueError, match="repair is one of lossless, none"):
        runtime_of(tag_all, repair="guess")
