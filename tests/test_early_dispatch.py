"""Early dispatch: what starts while a reply still streams, what is used of it, and what becomes of the rest."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools_for_tests import LONG, Counter, calls, codes, hanging, quick, runtime_of, until

from labkit import Agent, RetryGuard, Run, ScriptedModel, ToolCall, ToolRuntime, plan, tool
from labkit.history import broken
from labkit.models import ModelError, ModelReply
from labkit.workers import on_stop

Step = Callable[[Callable[[int, ToolCall], object]], object]
EARLY = ("barriers", "by_resource")


class Streaming:
    """A model that streams: per reply, steps that happen while it streams, and its end."""

    def __init__(self, *replies: tuple[Sequence[Step], ModelReply | BaseException]) -> None:
        self.replies = list(replies)

    def reply(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        on_call: Callable[[int, ToolCall], object] | None = None,
    ) -> ModelReply:
        steps, end = self.replies.pop(0)
        for step in steps:
            step(on_call or (lambda position, call: None))
        if isinstance(end, BaseException):
            raise end
        return end


def tells(asked: Sequence[ToolCall], *positions: int) -> list[Step]:
    """Steps that tell these calls, in this order; all of them where no position is named."""

    def telling(position: int) -> Step:
        return lambda on_call: on_call(position, asked[position])

    return [telling(position) for position in positions or range(len(asked))]


def waits(event: threading.Event) -> Step:
    """A step in which the stream stands still until ``event``."""
    return lambda on_call: event.wait(LONG) or pytest.fail("what the stream waited for never came")


def asks(asked: Sequence[ToolCall], reason: str = "tool_calls", **more: Any) -> ModelReply:
    return ModelReply("", tuple(asked), reason, **more)


DONE: tuple[Sequence[Step], ModelReply] = ((), ModelReply("done"))


class Ran:
    """Counts what ran; an event per name says that it has."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.events: dict[str, threading.Event] = {}

    def event(self, name: str) -> threading.Event:
        return self.events.setdefault(name, threading.Event())

    def tool(self, name: str, **options: Any) -> Any:
        return quick(name, lambda: self.note(name), **options)

    def note(self, name: str) -> str:
        self.names.append(name)
        self.event(name).set()
        return f"{name} {self.names.count(name)}"


def run_of(runtime: ToolRuntime, *replies: Any, **options: Any) -> Run:
    return Agent(Streaming(*replies), runtime, early_dispatch=True, **options).run("task")


def discarded(run: Run) -> list[tuple[str, str, bool]]:
    """Id, reason, and whether it says when the tool started."""
    lines = [line["payload"] for line in run.trace.events("early_discarded")]
    return [(line["call_id"], line["reason"], line["started"] is not None) for line in lines]


def shape(run: Run) -> list[str]:
    return [line["event"] if line["type"] == "event" else line["message"]["role"] for line in run.trace]


def valid(run: Run) -> Run:
    """The run, after a look at its history, and at that it can be gone on from."""
    assert broken(run.messages) == []
    assert [line["seq"] for line in run.trace] == list(range(1, len(run.trace) + 1))
    assert run.messages[1:] == run.trace.messages()
    more = Agent(Streaming(((), ModelReply("on"))), runtime_of(quick()), early_dispatch=True)
    assert more.run("go on", history=run.messages).answer == "on"
    return run


# ---- what starts ----


@pytest.mark.parametrize("policy", EARLY)
def test_a_read_runs_while_the_reply_still_streams_and_its_result_is_used(policy: str) -> None:
    ran = Ran()
    asked = calls(("read", ""), ("other", ""))
    steps = [*tells(asked, 0), waits(ran.event("read")), *tells(asked, 1), waits(ran.event("other"))]
    run = valid(run_of(runtime_of(ran.tool("read"), ran.tool("other"), policy=policy), (steps, asks(asked)), DONE))
    assert [result.content for result in run.turns[0].results] == ["read 1", "other 1"]
    assert sorted(ran.names) == ["other", "read"]
    ends = [line["payload"] for line in run.trace.events("tool_finished")]
    assert all(end["early"] > 0 for end in ends)
    assert ends[0]["early"] > ends[1]["early"]
    assert discarded(run) == []


def test_the_trace_has_the_lines_that_it_has_without_early_dispatch() -> None:
    asked = calls(("read", ""), ("write", ""), ("read", ""), ("nobody", ""))
    ran = Ran()
    runtime = runtime_of(ran.tool("read"), quick("write", readonly=False))
    steps = [*tells(asked), waits(ran.event("read"))]
    early = run_of(runtime, (steps, asks(asked)), DONE)
    ran.names.clear()
    plain = Agent(Streaming((tells(asked), asks(asked)), DONE), runtime).run("task")
    assert shape(early) == shape(plain)
    assert early.messages == plain.messages
    ends = [line["payload"] for line in early.trace.events("tool_finished")]
    assert ["early" in end for end in ends] == [True, False, False, False]
    assert all("early" not in line["payload"] for line in plain.trace.events("tool_finished"))


def offers(runtime: ToolRuntime, asked: Sequence[ToolCall], *order: int) -> list[bool]:
    early = runtime.early()
    return [early.offer(position, asked[position]) for position in order or range(len(asked))]


def test_what_may_change_something_does_not_start_and_holds_what_comes_after_it() -> None:
    tools = (
        quick("read", touches=lambda values: ["a"]),
        quick("far", touches=lambda values: ["b"]),
        quick("write", readonly=False, touches=lambda values: ["a"]),
        quick("alone", parallel_safe=False, touches=lambda values: ["c"]),
    )
    asked = calls(("read", ""), ("alone", ""), ("write", ""), ("read", ""), ("far", ""))
    assert offers(runtime_of(*tools), asked) == [True, False, False, False, False]
    assert offers(runtime_of(*tools, policy="by_resource"), asked) == [True, False, False, False, True]


def test_a_call_waits_until_all_before_it_are_known() -> None:
    runtime = runtime_of(quick("read"), quick("write", readonly=False))
    asked = calls(("read", ""), ("read", ""), ("read", ""))
    early = runtime.early()
    assert early.offer(2, asked[2]) is early.offer(1, asked[1]) is False
    assert early.started == {}
    assert early.offer(0, asked[0])
    assert sorted(early.started) == [0, 1, 2]
    asked[0] = ToolCall("w", "write", "")
    assert offers(runtime, asked, 2, 1, 0) == [False, False, False]


def test_refused_calls_neither_start_nor_hold() -> None:
    runtime = runtime_of(quick("read"), quick("write", readonly=False))
    asked = calls(("nobody", ""), ("write", '{"x": 1}'), ("read", "{"), ("read", ""))
    assert offers(runtime, asked) == [False, False, False, True]


def test_a_position_is_started_once() -> None:
    ran = Ran()
    runtime = runtime_of(ran.tool("read"))
    (call,) = calls(("read", ""))
    early = runtime.early()
    assert [early.offer(0, call) for _ in range(3)] == [True, True, True]
    assert early.offer(0, ToolCall("x", "read", "{}"))
    assert [result.content for result in runtime.dispatch_many([call], early=early)] == ["read 1"]
    assert not early.offer(1, call), "the reply is whole"


@pytest.mark.parametrize("policy", EARLY)
def test_what_an_unsafe_call_of_an_earlier_turn_holds_does_not_start(policy: str) -> None:
    release = threading.Event()
    stuck = hanging(release, touches=lambda values: ["a"], timeout=0.01)
    runtime = runtime_of(
        stuck, quick("near", touches=lambda v: ["a"]), quick("far", touches=lambda v: ["b"]), policy=policy
    )
    assert codes([runtime.dispatch(ToolCall("1", "hang", ""))]) == ["timeout"]
    asked = calls(("near", ""), ("far", ""))
    early = runtime.early()
    assert [early.offer(i, call) for i, call in enumerate(asked)] == [False, policy == "by_resource"]
    release.set()
    assert until(lambda: not runtime._still_held())
    assert early.offer(2, calls(("far", ""))[0])
    assert sorted(early.started) == [0, 1, 2], "they start as soon as nothing holds them any more"


def test_no_more_run_at_once_than_the_runtime_allows() -> None:
    counter, go = Counter(), threading.Event()

    @tool(readonly=True)
    def look() -> str:
        with counter:
            go.wait(LONG)
        return "seen"

    runtime = runtime_of(look, max_parallel=2)
    asked = calls(*[("look", "")] * 5)
    early = runtime.early()
    assert [early.offer(i, call) for i, call in enumerate(asked[:4])] == [True, True, False, False]
    assert until(lambda: counter.now == 2)
    go.set()
    assert until(lambda: counter.now == 0 and all(each.job.finished for each in early.started.values()))
    early.offer(4, asked[4])
    assert sorted(early.started) == [0, 1, 2, 3], "in call order, as places become free"
    assert codes(runtime.dispatch_many(asked, early=early)) == [None] * 5
    assert counter.peak == 2


def test_the_guard_and_the_limit_of_a_turn_are_asked_first() -> None:
    ran = Ran()
    runtime = runtime_of(ran.tool("same"), ran.tool("read"), quick("write", readonly=False))
    one = calls(("same", ""))
    asked = calls(("same", ""), ("read", ""), ("read", ""), ("read", ""))
    steps = [*tells(asked), waits(ran.event("read"))]
    run = run_of(
        runtime_of(quick("same"), ran.tool("read")),
        *[((), asks(one))] * 2,
        (steps, asks(asked)),
        DONE,
        guard=RetryGuard(max_same_results=2),
        max_calls_per_turn=2,
    )
    assert codes(valid(run).turns[2].results) == ["tool_banned", None, None, "too_many_calls"]
    assert (ran.names, discarded(run)) == (["read", "read"], [])
    ends = [line["payload"] for line in run.trace.events("tool_finished")][2:]
    assert ["early" in end for end in ends] == [False, True, True, False]
    assert codes(runtime.dispatch_many(asked)) == [None] * 4


# ---- where it runs ----


def test_calls_start_in_the_places_of_their_tools() -> None:
    seen: dict[str, str] = {}
    who: ContextVar[str] = ContextVar("who", default="nobody")

    @tool(readonly=True)
    def sync() -> str:
        seen["sync"] = threading.current_thread().name
        return who.get()

    @tool(readonly=True)
    async def looped() -> str:
        seen["looped"] = threading.current_thread().name
        await asyncio.sleep(0)
        return who.get()

    @tool(readonly=True, timeout=None)
    def free() -> str:
        seen["free"] = threading.current_thread().name
        return who.get()

    runtime = runtime_of(sync, looped, free)
    asked = calls(("sync", ""), ("looped", ""), ("free", ""))
    token = who.set("me")
    try:
        early = runtime.early()
        assert [early.offer(i, call) for i, call in enumerate(asked)] == [True] * 3
    finally:
        who.reset(token)
    assert [result.content for result in runtime.dispatch_many(asked, early=early)] == ["me"] * 3
    assert seen == {"sync": "labkit-worker", "looped": "labkit-loop", "free": "labkit-worker"}


def test_a_lent_executor_and_a_process_take_early_calls_too() -> None:
    @tool(readonly=True)
    def where() -> str:
        return threading.current_thread().name

    @tool(readonly=True, run_in="process")
    def pid() -> int:
        return os.getpid()

    with ThreadPoolExecutor(1, thread_name_prefix="lent") as pool:
        runtime = runtime_of(where, pid, executor=pool)
        asked = calls(("where", ""), ("pid", ""))
        early = runtime.early()
        assert [early.offer(i, call) for i, call in enumerate(asked)] == [True, True]
        mine, other = runtime.dispatch_many(asked, early=early)
    assert mine.content.startswith("lent")
    assert other.ok
    assert int(other.content) != os.getpid()


# ---- time limits ----


def test_a_limit_counts_from_the_early_start_whenever_the_result_is_taken() -> None:
    began, late, in_time = threading.Event(), threading.Event(), threading.Event()

    @tool(readonly=True, timeout=0.05)
    def slow() -> str:
        began.set()
        time.sleep(0.1)
        late.set()
        return "too late"

    @tool(readonly=True, timeout=LONG)
    def fast() -> str:
        in_time.set()
        return "in time"

    runtime = runtime_of(slow, fast)
    asked = calls(("slow", ""), ("fast", ""))
    early = runtime.early()
    assert early.offer(0, asked[0])
    assert began.wait(LONG)
    assert early.offer(1, asked[1])
    assert late.wait(LONG) and in_time.wait(LONG)
    assert until(lambda: all(each.job.finished for each in early.started.values()))
    slow_one, fast_one = runtime.dispatch_many(asked, early=early)
    assert codes([slow_one, fast_one]) == ["timeout", None]
    assert fast_one.content == "in time"
    assert "still be at work" not in slow_one.content
    assert slow_one.finished - slow_one.started < 0.1, "the call ends at its limit"  # type: ignore[operator]


def test_a_tool_that_hangs_beyond_its_limit_is_stopped_at_the_next_offer_and_leaves_its_place() -> None:
    release, began = threading.Event(), threading.Event()
    stops: list[int] = []

    @tool(readonly=True, timeout=0.01)
    def hang() -> str:
        on_stop(lambda: stops.append(1))
        began.set()
        release.wait(LONG)
        return "late"

    runtime = runtime_of(hang, quick("read"), max_parallel=1)
    asked = calls(("hang", ""), ("read", ""))
    early = runtime.early()
    assert early.offer(0, asked[0])
    assert began.wait(LONG)
    assert until(lambda: early.offer(1, asked[1]))
    results = runtime.dispatch_many(asked, early=early)
    assert codes(results) == ["timeout", None]
    assert results[0].abandoned
    assert stops == [1]
    release.set()
    assert codes(runtime.dispatch_many(asked[1:])) == [None], "an abandoned read holds nobody"


def test_a_limit_that_passes_after_the_reply_is_whole_is_kept_too() -> None:
    release = threading.Event()
    runtime = runtime_of(hanging(release, readonly=True, timeout=0.2), quick("write", readonly=False))
    asked = calls(("hang", ""), ("write", ""))
    early = runtime.early()
    assert early.offer(0, asked[0])
    assert codes(runtime.dispatch_many(asked, early=early)) == ["timeout", None]
    release.set()


# ---- what is used ----


@pytest.mark.parametrize(
    "final", [ToolCall("call_1", "echo", {"x": True}), ToolCall("call_1", "other", {"x": 1}), None]
)
def test_a_call_that_has_changed_runs_anew(final: ToolCall | None) -> None:
    @tool(readonly=True)
    def echo(x: int | bool) -> str:
        return f"echo {x}"

    @tool(readonly=True)
    def other(x: int) -> str:
        return f"other {x}"

    told = ToolCall("call_1", "echo", {"x": 1})
    last = ToolCall("call_2", "echo", {"x": 2})
    asked = [last] if final is None else [final, last]
    run = valid(run_of(runtime_of(echo, other), (tells([told, last]), asks(asked)), DONE))
    expected = {"echo": "echo True", "other": "other 1"}
    contents = [result.content for result in run.turns[0].results]
    assert contents == ([] if final is None else [expected[final.name]]) + ["echo 2"]
    gone = [("call_1", "changed")] + [("call_2", "changed")] * (not final)
    assert sorted(entry[:2] for entry in discarded(run)) == gone
    assert shape(run)[2:4] == ["assistant", "early_discarded"]


def test_arguments_that_were_changed_in_place_are_changed() -> None:
    @tool(readonly=True)
    def echo(x: int) -> str:
        return str(x)

    runtime = runtime_of(echo)
    call = ToolCall("1", "echo", {"x": 1})
    early = runtime.early()
    early.offer(0, call)
    call.arguments["x"] = 2  # type: ignore[index,call-overload]
    assert [result.content for result in runtime.dispatch_many([call], early=early)] == ["2"]


def test_another_id_is_no_other_call_and_the_answer_bears_the_last_one() -> None:
    ran = Ran()
    runtime = runtime_of(ran.tool("read"))
    early = runtime.early()
    early.offer(0, ToolCall("", "read", ""))
    (result,) = runtime.dispatch_many([ToolCall("call_9", "read", "")], early=early)
    assert (result.call_id, result.content) == ("call_9", "read 1")


def test_a_read_that_must_wait_for_what_a_call_before_it_has_become_runs_anew() -> None:
    state = ["old"]
    runtime = runtime_of(
        quick("read", lambda: state[-1]), quick("write", lambda: state.append("new") or "written", readonly=False)
    )
    told = calls(("read", ""), ("read", ""))
    early = runtime.early()
    assert [early.offer(i, call) for i, call in enumerate(told)] == [True, True]
    heard: list[dict[str, Any]] = []
    final = calls(("write", ""), ("read", ""))
    results = runtime.dispatch_many(final, early=early, on_event=heard.append)
    assert [result.content for result in results] == ["written", "new"]
    assert [event["event"] for event in heard[:3]] == ["early_discarded", "early_discarded", "tool_batch"]
    assert all("early" not in event["payload"] for event in heard)


def test_a_write_waits_for_an_early_read_before_it() -> None:
    order: list[str] = []
    go = threading.Event()

    @tool(readonly=True)
    def read() -> str:
        go.wait(LONG)
        order.append("read")
        return "seen"

    runtime = runtime_of(read, quick("write", lambda: order.append("write"), readonly=False))
    asked = calls(("read", ""), ("write", ""))
    early = runtime.early()
    early.offer(0, asked[0])

    def listen(event: dict[str, Any]) -> None:
        if event["event"] == "tool_start":
            go.set()

    assert codes(runtime.dispatch_many(asked, early=early, on_event=listen)) == [None, None]
    assert order == ["read", "write"]


def test_the_rule_of_a_tool_is_asked_once() -> None:
    asked_rule: list[Any] = []

    @tool(readonly=True, check=lambda values: asked_rule.append(values))
    def look() -> str:
        return "seen"

    runtime = runtime_of(look)
    early = runtime.early()
    asked = calls(("look", ""))
    early.offer(0, asked[0])
    assert codes(runtime.dispatch_many(asked, early=early)) == [None]
    assert len(asked_rule) == 1


# ---- replies that are discarded ----


def two_reads() -> tuple[Ran, ToolRuntime, list[ToolCall], list[Step]]:
    ran = Ran()
    asked = calls(("read", ""), ("other", ""), ("write", ""))
    steps = [*tells(asked), waits(ran.event("read")), waits(ran.event("other"))]
    return ran, runtime_of(ran.tool("read"), ran.tool("other"), ran.tool("write", readonly=False)), asked, steps


def test_after_a_model_error_no_early_result_is_used() -> None:
    ran, runtime, _asked, steps = two_reads()
    run = valid(run_of(runtime, (steps, ModelError("the stream was cut; ask again"))))
    assert (run.stop_reason, run.messages, run.turns) == ("model_error", [{"role": "user", "content": "task"}], ())
    assert discarded(run) == [("call_1", "model_error", True), ("call_2", "model_error", True)]
    assert shape(run) == ["session_start", "decision", *["early_discarded"] * 2, "session_end"]
    assert sorted(ran.names) == ["other", "read"]


@pytest.mark.parametrize(
    "end", [asks(two_reads()[2], "content_filter"), ModelReply("", refusal="I can't help with that.")]
)
def test_after_a_refusal_no_early_result_is_used(end: ModelReply) -> None:
    _ran, runtime, _asked, steps = two_reads()
    run = valid(run_of(runtime, (steps, end)))
    assert run.stop_reason == "refused"
    assert discarded(run) == [("call_1", "refused", True), ("call_2", "refused", True)]
    assert all(message["role"] != "tool" for message in run.messages)


def test_of_a_reply_that_was_cut_off_no_early_result_is_used() -> None:
    ran, runtime, asked, steps = two_reads()
    run = valid(run_of(runtime, (steps, asks(asked, "length")), DONE))
    assert codes(run.turns[0].results) == ["truncated"] * 3
    assert discarded(run) == [("call_1", "truncated", True), ("call_2", "truncated", True)]
    assert sorted(ran.names) == ["other", "read"]
    assert shape(run)[1:8] == [
        *("decision", "assistant", "early_discarded", "early_discarded"),
        *("tool_batch", "tool_start", "tool_start"),
    ]
    ends = [line["payload"] for line in run.trace.events("tool_finished")]
    assert all(end["started"] is None and "early" not in end for end in ends)


def test_an_answer_without_the_calls_that_were_told_uses_none_of_them() -> None:
    _ran, runtime, _asked, steps = two_reads()
    run = valid(run_of(runtime, (steps, ModelReply("done"))))
    assert run.stop_reason == "final_answer"
    assert discarded(run) == [("call_1", "changed", True), ("call_2", "changed", True)]


def test_a_call_that_the_loop_answers_itself_is_discarded_where_it_had_started() -> None:
    ran = Ran()
    runtime = runtime_of(quick("same"), ran.tool("read"), ran.tool("write", readonly=False))
    told = calls(("same", ""), ("read", ""))
    final = [ToolCall("x", "write", ""), told[1]]
    steps = [*tells(told), waits(ran.event("read"))]
    before = ((), asks(told[:1]))
    options: dict[str, Any] = {"guard": RetryGuard(max_same_results=1), "max_calls_per_turn": 1}
    run = valid(run_of(runtime, before, (steps, asks(final)), DONE, **options))
    assert codes(run.turns[1].results) == [None, "too_many_calls"]
    assert discarded(run) == [("call_2", "too_many_calls", True)]
    assert ran.names == ["read", "write"]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_while_streaming_stops_what_runs_and_leaves_a_history_to_go_on_from(problem: Any) -> None:
    release, began = threading.Event(), threading.Event()
    stopped: list[str] = []

    @tool(readonly=True)
    async def wait() -> str:
        began.set()
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            stopped.append("wait")
            release.set()
            raise
        return "never"

    asked = calls(("quick", ""), ("wait", ""))
    steps = [*tells(asked), waits(began)]
    agent = Agent(
        Streaming(((), asks(calls(("quick", "")))), (steps, problem())), runtime_of(quick(), wait), early_dispatch=True
    )
    with pytest.raises(problem) as caught:
        agent.run("task")
    run = valid(caught.value.run)
    reason = "interrupted" if problem is KeyboardInterrupt else "model_error"
    assert run.stop_reason == reason
    assert [entry[:2] for entry in discarded(run)] == [("call_1", reason), ("call_2", reason)]
    assert [m["role"] for m in run.messages] == ["user", "assistant", "tool"]
    assert release.wait(LONG)
    assert stopped == ["wait"]


@pytest.mark.parametrize("nth", range(1, 13))
def test_a_listener_that_breaks_at_any_line_leaves_history_and_trace_whole(nth: int) -> None:
    ran, runtime, asked, steps = two_reads()
    changed = [asked[0], ToolCall("x", "read", "{}"), asked[2]]
    heard = 0

    def listen(line: dict[str, Any]) -> None:
        nonlocal heard
        heard += 1
        if heard == nth:
            raise KeyboardInterrupt

    agent = Agent(Streaming((steps, asks(changed)), DONE), runtime, early_dispatch=True)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("task", on_event=listen)
    run = valid(caught.value.run)
    assert len(run.trace.events("tool_start")) == len(run.trace.events("tool_finished"))
    ids = [entry[0] for entry in discarded(run)]
    assert len(ids) == len(set(ids))
    assert ran.names.count("write") <= 1
    if nth > 4:
        assert ids == ["call_2"], "what was changed, and nothing that was taken over"
        assert ran.names.count("other") == 1


# The signal may land in anybody's clean-up code, also in the test runner's.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no interval timer")
def test_interrupts_at_any_moment_leave_valid_runs_and_no_early_call_twice() -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    moments = random.Random(2)
    runtime = runtime_of(quick("read"), quick("write", readonly=False), max_parallel=2)
    asked = calls(("read", ""), ("read", ""), ("read", ""), ("write", ""), ("read", ""))
    changed = [asked[0], ToolCall("x", "read", "{}"), *asked[2:]]
    interrupted = 0
    try:
        for _ in range(300):
            model = Streaming((tells(asked), asks(changed)), (tells(asked), asks(asked)), DONE)
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 3e-3))
                run = Agent(model, runtime, early_dispatch=True).run("task")
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt as stop:
                signal.setitimer(signal.ITIMER_REAL, 0)
                if not hasattr(stop, "run"):  # before the run had begun, or after its end
                    continue
                run, interrupted = stop.run, interrupted + 1
            assert broken(run.messages) == []
            assert run.messages[1:] == run.trace.messages()
            answered = sum(message["role"] == "tool" for message in run.messages)
            assert answered == len(run.trace.events("tool_finished"))
            assert len(discarded(run)) <= len(asked) * len(run.trace.events("decision"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 20
    assert until(lambda: runtime.dispatch(ToolCall("1", "write", "")).ok)


def test_what_was_at_work_when_the_batch_breaks_is_not_called_unrun() -> None:
    go = threading.Event()
    runtime = runtime_of(hanging(go, readonly=True, timeout=None), quick("write", readonly=False))
    asked = calls(("hang", ""), ("write", ""))
    early = runtime.early()
    early.offer(0, asked[0])
    assert until(lambda: early.started[0].job.started)

    def listen(event: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        runtime.dispatch_many(asked, early=early, on_event=listen)
    assert codes(caught.value.results) == ["cancelled", "cancelled"]
    assert ["not run" in result.content for result in caught.value.results] == [False, True]
    go.set()


# ---- slips of the program ----


def test_what_can_t_start_early_is_refused_when_the_agent_is_made() -> None:
    runtime = runtime_of(quick())
    for policy in ("serial", "all_or_nothing", "reads_first"):
        with pytest.raises(ValueError, match=f'"barriers" or "by_resource", not "{policy}"'):
            Agent(Streaming(), runtime_of(quick(), policy=policy), early_dispatch=True)
        with pytest.raises(ValueError, match=policy):
            runtime_of(quick(), policy=policy).early()
    script = {"task": "t", "decisions": [{"content": "done"}]}
    with pytest.raises(TypeError, match=r"ScriptedModel takes no on_call.*leave early_dispatch out"):
        Agent(ScriptedModel(script), runtime, early_dispatch=True)
    with pytest.raises(TypeError, match="True or False, not 1"):
        Agent(Streaming(), runtime, early_dispatch=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a ToolCall, not a dict"):
        runtime.early().offer(0, {})  # type: ignore[arg-type]
    for position in (-1, True, "0"):
        with pytest.raises(ValueError, match="a position is a whole number from 0"):
            runtime.early().offer(position, calls(("quick", ""))[0])  # type: ignore[arg-type]


def test_a_model_that_takes_anything_by_name_will_do() -> None:
    class Open:
        def reply(self, messages: Any, tools: Any, **more: Any) -> ModelReply:
            return ModelReply(", ".join(more))

    assert Agent(Open(), runtime_of(quick()), early_dispatch=True).run("task").answer == "on_call"


# ---- laws ----


class World:
    """Two cells that reads and writes touch; a write tells what it found, so that order shows."""

    def __init__(self, policy: str) -> None:
        self.cells = {"a": [0], "b": [0]}
        self.began: list[tuple[str, str]] = []

        @tool(readonly=True, touches=lambda values: [values["cell"]])
        def look(cell: str) -> list[int]:
            self.began.append(("look", cell))
            return list(self.cells[cell])

        @tool(touches=lambda values: [values["cell"]])
        def change(cell: str) -> list[int]:
            self.cells[cell].append(len(self.cells[cell]))
            return list(self.cells[cell])

        @tool(readonly=True, parallel_safe=False, touches=lambda values: [values["cell"]])
        def alone(cell: str) -> int:
            return len(self.cells[cell])

        self.runtime = runtime_of(look, change, alone, policy=policy)


names = st.sampled_from(["look", "look", "look", "change", "alone", "nobody"])
arguments = st.sampled_from([{"cell": "a"}, {"cell": "b"}, '{"cell": "a"}', {"cell": 5}, "{"])


@settings(deadline=None, max_examples=150)
@given(
    asked=st.lists(st.tuples(names, arguments), min_size=1, max_size=7),
    policy=st.sampled_from(EARLY),
    data=st.data(),
)
def test_law_results_and_state_are_those_without_early_dispatch(
    asked: list[tuple[str, Any]], policy: str, data: st.DataObject
) -> None:
    final = calls(*asked)
    told = list(final)
    for position in data.draw(st.sets(st.integers(0, len(final) - 1), max_size=2), "changed afterwards"):
        told[position] = ToolCall("told", *data.draw(st.tuples(names, arguments)))
    offered = data.draw(st.lists(st.integers(0, len(final) - 1), max_size=2 * len(final)), "offered")
    plain, early = World(policy), World(policy)
    started = early.runtime.early()
    for position in offered:
        started.offer(position, told[position])
    at_work = len(started.started)
    expected = plain.runtime.dispatch_many(final)
    found = early.runtime.dispatch_many(final, early=started)
    assert [(r.call_id, r.ok, r.content) for r in found] == [(r.call_id, r.ok, r.content) for r in expected]
    assert early.cells == plain.cells
    assert until(lambda: len(early.began) <= len(plain.began) + at_work)
    if told == final:
        assert sorted(early.began) == sorted(plain.began), "nothing ran twice"


@settings(deadline=None)
@given(asked=st.lists(st.tuples(names, arguments), min_size=1, max_size=7), policy=st.sampled_from(EARLY))
def test_law_what_starts_early_is_what_waits_for_nobody_in_the_plan(asked: list[tuple[str, Any]], policy: str) -> None:
    world = World(policy)
    final = calls(*asked)
    early = world.runtime.early()
    for position, call in enumerate(final):
        early.offer(position, call)
    good = [a["cell"] in ("a", "b") if isinstance(a, dict) else a != "{" for _, a in asked]
    values = [{"cell": "a"} if isinstance(a, str) else a for _, a in asked]
    known = [
        ToolCall(call.id, call.name, each) if ok and call.name != "nobody" else None
        for call, ok, each in zip(final, good, values, strict=True)
    ]
    whole = plan(known, world.runtime.registry, policy)
    may = [i for i, call in enumerate(known) if call is not None and call.name == "look" and not whole[i]]
    assert sorted(early.started) == may


def test_a_model_that_could_stream_and_does_not_is_refused_with_what_to_do() -> None:
    from labkit.models import OpenAIModel

    still = OpenAIModel(base_url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(ValueError, match="stream=True"):
        Agent(still, runtime_of(quick()), early_dispatch=True)
