"""The loop: what is asked, run and appended, and how a run ends."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools_for_tests import calls, codes, quick, runtime_of, until

from labkit import Agent, Run, ToolCall, Trace, tool
from labkit.history import CLOSING_QUESTION, broken
from labkit.models import ModelError, ModelReply, Usage


class Replies:
    """A model that gives these replies in order; an exception among them is raised."""

    def __init__(self, *replies: ModelReply | BaseException) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[int, int]] = []

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        self.asked.append((len(messages), len(tools)))
        found = self.replies.pop(0)
        if isinstance(found, BaseException):
            raise found
        return found


def asks(*names: str, reason: str = "tool_calls") -> ModelReply:
    return ModelReply("", tuple(calls(*[(name, "") for name in names])), reason)


def run_of(*replies: ModelReply | BaseException, **options: Any) -> Run:
    return Agent(Replies(*replies), runtime_of(quick()), **options).run("task")


def outcome(run: Run) -> tuple[str, str]:
    assert broken(run.messages) == []
    return run.stop_reason, run.answer


def shape(trace: Trace) -> list[str]:
    """Return the lines of a trace in one word each: event names, and the roles of messages."""
    return [line["event"] if line["type"] == "event" else line["message"]["role"] for line in trace]


def test_an_answer_ends_a_run() -> None:
    run = run_of(asks("quick"), ModelReply("done", usage=Usage(10, 2)))
    assert outcome(run) == ("final_answer", "done")
    assert [m["role"] for m in run.messages] == ["user", "assistant", "tool", "assistant"]
    assert (len(run.turns), run.tool_calls, run.usage) == (2, (ToolCall("call_1", "quick", ""),), Usage(10, 2))
    assert repr(run) == "Run(final_answer: 2 decisions, 1 call)"


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (ModelReply("half an ans", finish_reason="length"), ("truncated", "half an ans")),
        (ModelReply("", finish_reason="content_filter"), ("refused", "")),
        (ModelReply("", refusal="I can't help with that."), ("refused", "I can't help with that.")),
        (ModelReply("  "), ("stalled", "  ")),
        (ModelError("the server is gone; start it"), ("model_error", "")),
    ],
)
def test_other_ends_have_their_own_reason(last: Any, expected: tuple[str, str]) -> None:
    run = run_of(asks("quick"), last)
    assert outcome(run) == expected
    assert run.trace.lines[-1]["payload"]["reason"] == expected[0]
    assert run.detail == (str(last) if isinstance(last, ModelError) else None)


def test_a_filtered_reply_has_nothing_to_run() -> None:
    ran: list[int] = []
    runtime = runtime_of(quick(body=lambda: ran.append(1)))
    run = Agent(Replies(asks("quick", reason="content_filter")), runtime).run("task")
    assert (outcome(run), ran) == (("refused", ""), [])


def test_at_the_turn_limit_the_model_is_asked_for_an_answer_without_tools() -> None:
    model = Replies(asks("quick"), asks("quick"), asks("quick"))
    model.replies[-1] = ModelReply("what I know", model.replies[0].tool_calls)
    run = Agent(model, runtime_of(quick()), max_turns=2).run("task")
    assert outcome(run) == ("max_turns", "what I know")
    assert model.asked[-1] == (6, 0)
    assert run.messages[-2] == {"role": "user", "content": CLOSING_QUESTION}
    assert "tool_calls" not in run.messages[-1]


def test_a_cut_off_reply_runs_nothing_and_goes_on() -> None:
    ran: list[int] = []
    runtime = runtime_of(quick(body=lambda: ran.append(1)))
    model = Replies(asks("quick", "quick", reason="length"), ModelReply("done"))
    run = Agent(model, runtime).run("task")
    assert (outcome(run), ran) == (("final_answer", "done"), [])
    assert codes(run.turns[0].results) == ["truncated", "truncated"]
    assert shape(run.trace)[2:10] == [
        *("assistant", "tool_batch", "tool_start", "tool_start"),
        *("tool", "tool_finished", "tool", "tool_finished"),
    ]


@pytest.mark.parametrize(
    ("limit", "expected"), [(2, [None, None, "too_many_calls"]), (1, [None] + ["too_many_calls"] * 2)]
)
def test_the_surplus_of_a_turn_is_answered_too(limit: int, expected: list[Any]) -> None:
    run = run_of(asks("quick", "quick", "quick"), ModelReply("done"), max_calls_per_turn=limit)
    assert outcome(run) == ("final_answer", "done")
    assert codes(run.turns[0].results) == expected
    batch = run.trace.events("tool_batch")
    assert [line["payload"]["size"] for line in batch] == [3]
    assert shape(run.trace)[2:13] == [
        *("assistant", "tool_batch", "tool_start", "tool_start", "tool_start"),
        *("tool", "tool_finished", "tool", "tool_finished", "tool", "tool_finished"),
    ]


def test_a_run_goes_on_from_an_earlier_history() -> None:
    first = run_of(ModelReply("blue"))
    model = Replies(ModelReply("as I said"))
    second = Agent(model, runtime_of(quick())).run("why?", history=first.messages)
    assert [m["content"] for m in second.messages] == ["task", "blue", "why?", "as I said"]
    assert len(first.messages) == 2


def test_a_history_with_a_gap_is_refused_and_the_gap_named() -> None:
    gap = run_of(asks("quick"), ModelReply("done")).messages[:2]
    with pytest.raises(ValueError, match=r"message 2: the call call_1 \(quick\) has no answer"):
        Agent(Replies(), runtime_of(quick())).run("task", history=gap)


def test_a_system_message_stands_first_and_only_once() -> None:
    agent = Agent(Replies(ModelReply("a"), ModelReply("b"), ModelReply("c")), runtime_of(quick()))
    first = agent.run("task", system="be brief")
    assert first.messages[0] == {"role": "system", "content": "be brief"}
    again = agent.run("more", system="be brief", history=first.messages)
    assert [m["role"] for m in again.messages].count("system") == 1
    with pytest.raises(ValueError, match="a system message already"):
        agent.run("more", system="be long", history=first.messages)


def test_one_trace_is_one_run() -> None:
    agent = Agent(Replies(ModelReply("a"), ModelReply("b")), runtime_of(quick()), trace=Trace())
    agent.run("task")
    with pytest.raises(ValueError, match="one Trace is one run"):
        agent.run("task")


def test_listeners_hear_ends_as_they_come_and_the_file_keeps_call_order() -> None:
    second_done = threading.Event()

    @tool(readonly=True)
    def slow() -> str:
        second_done.wait(30)
        return "slow"

    heard: list[dict[str, Any]] = []

    def listen(line: dict[str, Any]) -> None:
        heard.append(line)
        if line.get("event") == "tool_finished" and line["payload"]["name"] == "quick":
            second_done.set()

    agent = Agent(Replies(asks("slow", "quick"), ModelReply("done")), runtime_of(slow, quick()))
    run = agent.run("task", on_event=listen)
    assert [h["payload"]["name"] for h in heard if h.get("event") == "tool_finished"] == ["quick", "slow"]
    assert [e["payload"]["name"] for e in run.trace.events("tool_finished")] == ["slow", "quick"]
    live = [h for h in heard if "seq" in h]
    assert [h["seq"] for h in live] == [line["seq"] for line in run.trace if line.get("event") != "tool_finished"]


@pytest.mark.parametrize("when", ["model", "tool", "listener"])
def test_an_interrupt_leaves_a_complete_history_and_a_run(when: str) -> None:
    def body() -> str:
        if when == "tool":
            import signal

            signal.raise_signal(signal.SIGINT)
        return "ran"

    def listen(line: dict[str, Any]) -> None:
        if when == "listener" and line.get("event") == "tool_finished":
            raise KeyboardInterrupt

    second: ModelReply | BaseException = KeyboardInterrupt() if when == "model" else ModelReply("done")
    runtime = runtime_of(quick(body=body, timeout=None), quick("other"))
    names = ("quick",) if when == "tool" else ("other", "other")
    agent = Agent(Replies(asks(*names), second, ModelReply("done")), runtime)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("task", on_event=listen)
    run = caught.value.run  # type: ignore[attr-defined]
    assert outcome(run)[0] == "interrupted"
    assert run.trace.lines[-1]["payload"]["reason"] == "interrupted"
    assert sum(m["role"] == "tool" for m in run.messages) == len(names)
    assert [len(turn.results) for turn in run.turns] == [len(names)]
    model = Replies(ModelReply("on we go"))
    assert Agent(model, runtime).run("go on", history=run.messages).answer == "on we go"


def test_a_model_that_breaks_leaves_its_exception_with_the_run() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_of(asks("quick"), ZeroDivisionError())
    run = caught.value.run  # type: ignore[attr-defined]
    assert (outcome(run)[0], run.detail) == ("model_error", "ZeroDivisionError")


@pytest.mark.parametrize("option", ["max_turns", "max_calls_per_turn"])
def test_limits_must_be_at_least_one(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        Agent(Replies(), runtime_of(quick()), **{option: 0})


@given(
    st.lists(st.lists(st.sampled_from(["quick", "nope", "boom"]), max_size=4), max_size=4),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_law_every_history_is_valid_and_every_trace_loads(
    turns: list[list[str]], max_turns: int, max_calls: int
) -> None:
    def boom() -> None:
        raise RuntimeError

    replies = [asks(*names) for names in turns if names] + [ModelReply("done")] * 2
    runtime = runtime_of(quick(), quick("boom", boom))
    run = Agent(Replies(*replies), runtime, max_turns=max_turns, max_calls_per_turn=max_calls).run("task")
    assert broken(run.messages) == []
    assert [line["seq"] for line in run.trace] == list(range(1, len(run.trace) + 1))
    results = [result for turn in run.turns for result in turn.results]
    assert [r.call_id for r in results] == [c.id for c in run.tool_calls]
    assert run.trace.metrics().calls == len(results)


def test_a_full_disk_ends_the_run_and_loses_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = Trace()
    kept = trace.record

    def record(line: dict[str, Any]) -> dict[str, Any]:
        if len(trace.lines) >= 5:
            raise OSError("no space left")
        return kept(line)

    monkeypatch.setattr(trace, "record", record)
    with pytest.raises(OSError, match="no space left") as caught:
        Agent(Replies(asks("quick"), ModelReply("done")), runtime_of(quick()), trace=trace).run("task")
    run = caught.value.run  # type: ignore[attr-defined]
    assert broken(run.messages) == []
    assert len(run.messages) == 3


@pytest.mark.parametrize("nth", range(1, 16))
def test_an_interrupt_at_any_line_leaves_history_turns_and_trace_whole(nth: int) -> None:
    heard = 0

    def listen(line: dict[str, Any]) -> None:
        nonlocal heard
        heard += 1
        if heard == nth:
            raise KeyboardInterrupt

    runtime = runtime_of(quick(), quick("other"))
    agent = Agent(Replies(asks("quick"), asks("quick", "other"), ModelReply("done")), runtime)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("task", on_event=listen)
    run = caught.value.run  # type: ignore[attr-defined]
    assert broken(run.messages) == []
    assert run.messages[1:] == run.trace.messages()
    for turn in run.turns:
        asked = [c.id for c in turn.reply.tool_calls]
        assert [r.call_id for r in turn.results] in (asked, [])
    answered = sum(len(turn.results) for turn in run.turns)
    assert answered == sum(m["role"] == "tool" for m in run.messages) == len(run.trace.events("tool_finished"))
    started = [line["payload"]["call_id"] for line in run.trace.events("tool_start")]
    assert started == [line["payload"]["call_id"] for line in run.trace.events("tool_finished")]
    assert [line["event"] for line in run.trace.events()].count("session_end") == 1
    assert [line["seq"] for line in run.trace] == list(range(1, len(run.trace) + 1))
    assert Agent(Replies(ModelReply("on")), runtime).run("go on", history=run.messages).answer == "on"


# The signal may land in anybody's clean-up code, also in the test runner's.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no interval timer")
def test_interrupts_at_any_moment_leave_valid_histories_and_a_runtime_that_works() -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    moments = random.Random(1)
    runtime = runtime_of(quick(), quick("write", readonly=False), quick("inline", timeout=None))
    interrupted = 0
    try:
        for _ in range(300):
            model = Replies(asks("quick", "write", "inline"), asks("inline"), asks("write"), ModelReply("done"))
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 1.5e-3))
                run = Agent(model, runtime).run("task")
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt as stop:
                signal.setitimer(signal.ITIMER_REAL, 0)
                if not hasattr(stop, "run"):  # before the run had begun, or after its end
                    continue
                run, interrupted = stop.run, interrupted + 1
            assert broken(run.messages) == []
            assert run.messages[1:] == run.trace.messages()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 20
    assert until(lambda: runtime.dispatch(ToolCall("1", "quick", "")).ok)


def test_slips_of_the_program_are_named() -> None:
    runtime = runtime_of(quick())
    with pytest.raises(TypeError, match=r"ToolRuntime\(registry\)"):
        Agent(Replies(), runtime.registry)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a str is no model"):
        Agent("model", runtime)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="messages as dicts, not a int"):
        Agent(Replies(), runtime).run("task", history=[5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="must return a ModelReply, not a str"):
        Agent(Replies("hello"), runtime).run("task")  # type: ignore[arg-type]
    assert Agent(Replies(ModelReply(None)), runtime, 5, 2).run("task").stop_reason == "stalled"  # type: ignore[arg-type]


def test_a_listener_that_breaks_at_the_last_line_changes_nothing() -> None:
    def listen(line: dict[str, Any]) -> None:
        if line.get("event") == "session_end":
            raise LookupError

    with pytest.raises(LookupError) as caught:
        Agent(Replies(ModelReply("done")), runtime_of(quick())).run("task", on_event=listen)
    run = caught.value.run  # type: ignore[attr-defined]
    assert outcome(run) == ("final_answer", "done")
    assert [line["event"] for line in run.trace.events()].count("session_end") == 1
