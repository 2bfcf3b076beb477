"""The guard: what counts as going round in circles, what does not, what the model is told, and how a run ends."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from strategies import any_texts, arguments
from tools_for_tests import codes, quick

from labkit import Agent, Failure, RetryGuard, Run, Tool, ToolCall, ToolOutput, ToolRegistry, ToolRuntime
from labkit.guard import PAIRS_OF_A_TOOL, Watch, fingerprint
from labkit.history import STALLED_QUESTION, broken
from labkit.models import ModelReply

Played = list[str | None]


def down() -> Failure:
    return Failure("the register is down")


def counting() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{next(numbers)} of 5 done"


def red_tests() -> ToolOutput:
    return ToolOutput("EXIT 1", ok=False)


def lookup(key: str = "a", strict: bool = False) -> Failure:
    return Failure(f"there is no key {key}")


def write(text: str = "") -> str:
    return f"wrote {text}"


def tools() -> list[Tool]:
    return [
        quick("read", lambda: "the same"),
        quick("status", counting()),
        quick("bad", down),
        quick("run_test", red_tests, readonly=False),
        quick("green_tests", lambda: "EXIT 0", readonly=False),
        Tool.from_function(lookup, description="Look a key up.", readonly=True),
        Tool.from_function(write, description="Write a text."),
    ]


def call(text: str) -> ToolCall:
    """``lookup {"key": "b"}`` as a call; no arguments where there are none."""
    name, _, sent = text.partition(" ")
    return ToolCall("call", name, sent)


class Desk:
    """A watch over a runtime: it plays turns as the agent does, and says what was refused."""

    def __init__(self, **limits: int) -> None:
        registry = ToolRegistry(tools())
        self.runtime = ToolRuntime(registry)
        self.watch: Watch = RetryGuard(**limits).watch(registry)

    def turn(self, *texts: str) -> Played:
        asked = [call(text) for text in texts]
        refused = [self.watch.refuse(each) for each in asked]
        answers = [self.runtime.dispatch(each) for each in asked]
        for answer, error in zip(answers, refused, strict=True):
            answer.error = error or answer.error
        self.watch.note(asked, answers)
        return codes(answers)

    def turns(self, *texts: str) -> Played:
        return [code for text in texts for code in self.turn(text)]


# ---- what is a circle ----


def test_the_same_failure_is_run_twice_and_then_refused() -> None:
    assert Desk().turns(*["bad"] * 4) == ["failed", "failed", "tool_banned", "tool_banned"]


def test_the_same_result_is_run_three_times_and_then_refused() -> None:
    assert Desk().turns(*["read"] * 5) == [None, None, None, "tool_banned", "tool_banned"]


@pytest.mark.parametrize(("limit", "ran"), [(1, 1), (4, 4)])
def test_the_limits_can_be_set(limit: int, ran: int) -> None:
    assert Desk(max_same_failures=limit).turns(*["bad"] * 6).count("failed") == ran
    assert Desk(max_same_results=limit).turns(*["read"] * 6).count(None) == ran


def test_rounds_need_not_follow_each_other() -> None:
    pair = ['lookup {"key": "x"}', 'lookup {"key": "y"}']
    assert Desk().turns(*pair * 3) == ["failed"] * 4 + ["tool_banned"] * 2
    assert Desk().turns("read", "status", "read", "status", "read", "read")[-1] == "tool_banned"


def test_another_spelling_is_the_same_call() -> None:
    spelled = [
        *('lookup {"key":"x","strict":false}', 'lookup {"strict": false, "key": "x"}'),
        *('lookup { "key" : "x" , "strict" : false }', 'lookup ```json\n{"key": "x", "strict": false}\n```'),
    ]
    assert Desk().turns(*spelled) == ["failed", "failed", "tool_banned", "tool_banned"]


def test_the_order_in_a_turn_makes_no_difference() -> None:
    desk = Desk()
    assert desk.turn("bad", "lookup") == ["failed", "failed"]
    assert desk.turn("lookup", "bad") == ["failed", "failed"]
    assert desk.turn("bad", "lookup") == ["tool_banned", "tool_banned"]


def test_equal_calls_of_one_turn_count_once() -> None:
    desk = Desk()
    assert desk.turn(*["bad"] * 4) == ["failed"] * 4
    assert desk.turn("bad") == ["failed"]
    assert desk.turn("bad") == ["tool_banned"]


@pytest.mark.parametrize("text", ['lookup {"key": 5}', 'lookup {"ky": "x"}', 'lookup {"key": "x"', "ghost", "lookup 5"])
def test_calls_that_never_reach_a_tool_count_too(text: str) -> None:
    played = Desk().turns(*[text] * 3)
    assert played[0] == played[1] != "tool_banned" == played[2]


# ---- what is none ----


def test_polling_that_makes_progress_is_not_punished() -> None:
    assert Desk().turns(*["status"] * 8) == [None] * 8


def test_testing_editing_and_testing_again_is_no_circle() -> None:
    desk = Desk()
    played = [desk.turns("run_test", f'write {{"text": "{text}"}}') for text in "abcdef"]
    assert played == [[None, None]] * 6


def test_testing_again_without_an_edit_is_one() -> None:
    assert Desk().turns(*["run_test"] * 4) == [None, None, None, "tool_banned"]


def test_a_change_frees_what_was_banned() -> None:
    desk = Desk()
    desk.turns(*["bad"] * 3, *["read"] * 4)
    assert desk.turns("write", "bad", "read") == [None, "failed", None]


def test_a_change_made_before_hides_no_failure() -> None:
    played = Desk().turns(*["bad", "write"] * 5)
    assert played[0::2] == ["failed", "failed", "failed", *["tool_banned"] * 2]
    assert played[1::2] == [None] * 3 + ["tool_banned"] * 2


def test_a_harmless_call_in_between_hides_no_failure() -> None:
    assert Desk().turns(*["bad", "status"] * 3)[0::2] == ["failed", "failed", "tool_banned"]


def test_the_same_change_again_and_again_is_a_circle() -> None:
    assert Desk().turns(*["write"] * 5) == [None, None, None, "tool_banned", "tool_banned"]
    assert Desk().turns(*["read", "green_tests"] * 5)[6:] == ["tool_banned" if n else None for n in (0, 1, 0, 1)]


def test_changes_in_turn_are_none() -> None:
    assert Desk().turns(*['write {"text": "a"}', 'write {"text": "b"}'] * 4) == [None] * 8


def test_what_the_loop_answered_itself_is_no_round() -> None:
    desk = Desk()
    desk.turns(*["bad"] * 9)
    assert "3 times" not in str(desk.watch.refuse(call("bad")))
    assert "twice" in str(desk.watch.refuse(call("bad")))


# ---- the pair first, the tool only where several of its pairs fail ----


def keys(count: int) -> list[str]:
    return [f'lookup {{"key": "{n}"}}' for n in range(count)]


def test_other_arguments_of_the_tool_stay_free() -> None:
    desk = Desk()
    desk.turns(*keys(PAIRS_OF_A_TOOL - 1) * 2)
    assert desk.watch.withdrawn == frozenset()
    assert desk.turns('lookup {"key": "new"}') == ["failed"]


def test_a_tool_of_which_several_pairs_keep_failing_is_withdrawn() -> None:
    desk = Desk()
    desk.turns(*keys(PAIRS_OF_A_TOOL) * 2)
    assert desk.watch.withdrawn == {"lookup"}
    assert desk.turns('lookup {"key": "new"}', "read") == ["tool_banned", None]
    desk.turns("write")
    assert desk.watch.withdrawn == frozenset()


def test_a_tool_that_works_in_between_is_not_withdrawn() -> None:
    answers = iter([down()] * 4 + ["fine"] + [down()] * 2)

    def shaky(key: str) -> Any:
        return next(answers)

    registry = ToolRegistry([Tool.from_function(shaky, description="Look a key up.", readonly=True)])
    runtime, watch = ToolRuntime(registry), RetryGuard().watch(registry)
    for key in ("1", "1", "2", "2", "3", "4", "4"):
        asked = ToolCall("c", "shaky", json.dumps({"key": key}))
        watch.note([asked], [runtime.dispatch(asked)])
    assert watch.withdrawn == frozenset()
    assert watch.refuse(ToolCall("c", "shaky", '{"key": "1"}')) is not None


# ---- what the model is told ----


def test_the_model_is_told_why_and_what_else_there_is() -> None:
    desk = Desk()
    desk.turns("bad", "bad")
    error = desk.watch.refuse(call("bad"))
    assert error is not None
    assert error.content() == (
        "ERROR [tool_banned]: not run: this call failed twice in the same way (failed)\n"
        "Hint: change the arguments, use another tool (read, status, run_test, green_tests, lookup, write), "
        "or answer with what you know"
    )


def test_a_withdrawn_tool_is_not_offered_as_a_way_out() -> None:
    desk = Desk()
    desk.turns(*keys(3) * 2, "bad", "bad")
    told = desk.watch.refuse(call('lookup {"key": "new"}')), desk.watch.refuse(call("bad"))
    assert "lookup is withdrawn; 3 different calls of it kept failing" in str(told[0])
    assert told[1] is not None and "lookup" not in str(told[1].hint)


def test_of_many_tools_a_few_are_named() -> None:
    registry = ToolRegistry([quick(f"tool_{n}", down) for n in range(40)])
    watch = RetryGuard(max_same_failures=1).watch(registry)
    watch.note([call("tool_0")], [ToolRuntime(registry).dispatch(call("tool_0"))])
    assert "tool_15 and 24 more tools)" in str(watch.refuse(call("tool_0")))


def test_asking_changes_nothing() -> None:
    desk = Desk()
    desk.turns("bad", "bad")
    told = [str(desk.watch.refuse(call("bad"))) for _ in range(5)]
    assert len(set(told)) == 1


# ---- the fingerprint ----


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 1, "b": 2}', {"b": 2, "a": 1}),
        ('{"a": 1.0}', '{"a":1}'),
        ('{"a": [1.0, {"b": 2.0}]}', '{"a": [1, {"b": 2}]}'),
        ("", None),
        ("null", "{}"),
        ('{"a": "\\u00e9"}', '{"a": "é"}'),
    ],
)
def test_what_means_the_same_has_one_fingerprint(one: Any, other: Any) -> None:
    assert fingerprint(ToolCall("1", "t", one)) == fingerprint(ToolCall("2", "t", other))


@pytest.mark.parametrize(
    ("one", "other"),
    [('{"a": 1}', '{"a": true}'), ('{"a": 1}', '{"a": "1"}'), ('{"a": 1', '{"a": 2'), ('{"a": 0}', '{"a": false}')],
)
def test_what_means_something_else_has_another(one: Any, other: Any) -> None:
    assert fingerprint(ToolCall("1", "t", one)) != fingerprint(ToolCall("1", "t", other))


@pytest.mark.parametrize("sent", ["", '{"key": "a"}', '{"strict": false}', '{"strict": null, "key": "a"}'])
def test_what_is_left_out_is_its_default(sent: str) -> None:
    desk = Desk()
    desk.turns("lookup", "lookup")
    assert desk.turn(f"lookup {sent}".strip()) == ["tool_banned"]


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


def test_a_null_that_means_something_is_no_default() -> None:
    """For a parameter that may be null, null is a value; the declaration decides, as it does for the tool."""

    def take(amount: int | None = 5) -> Failure:
        return Failure("no")

    registry = ToolRegistry([Tool.from_function(take, description="Take some.", readonly=True)])
    watch, runtime = RetryGuard().watch(registry), ToolRuntime(registry)
    for _ in range(2):
        asked = ToolCall("1", "take", '{"amount": 5.0}')
        watch.note([asked], [runtime.dispatch(asked)])
    assert watch.refuse(ToolCall("2", "take", "{}")) is not None
    assert watch.refuse(ToolCall("2", "take", '{"amount": null}')) is None


def test_what_can_t_even_be_spelled_has_a_fingerprint() -> None:
    """How deep Python spells a value depends on its version; that it can't be spelled ends no run."""
    assert fingerprint(ToolCall("1", "t", {"a": Unspeakable()})) == "dict"
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    assert isinstance(fingerprint(ToolCall("1", "t", deep)), str)


@given(any_texts)
def test_law_any_text_has_a_fingerprint(text: str) -> None:
    assert isinstance(fingerprint(ToolCall("1", "t", text)), str)


@given(arguments)
def test_law_the_order_of_keys_does_not_matter(values: dict[str, Any]) -> None:
    turned = dict(reversed(values.items()))
    assert fingerprint(ToolCall("1", "t", json.dumps(values))) == fingerprint(ToolCall("1", "t", turned))


# ---- in the loop ----


class Insists:
    """A model that asks for the same turns round and round, whatever it is told; it answers when it must."""

    def __init__(self, *turns: Sequence[str]) -> None:
        self.turns: Iterator[Sequence[str]] = itertools.cycle(turns)
        self.offered: list[set[str]] = []

    def reply(self, messages: Sequence[dict[str, Any]], offered: Sequence[dict[str, Any]]) -> ModelReply:
        self.offered.append({each["function"]["name"] for each in offered})
        if not offered:
            return ModelReply("what I know")
        asked = tuple(ToolCall(f"call_{n}", *_split(text)) for n, text in enumerate(next(self.turns), 1))
        return ModelReply("", asked, "tool_calls")


def _split(text: str) -> tuple[str, str]:
    name, _, sent = text.partition(" ")
    return name, sent


def run(*turns: Sequence[str], **options: Any) -> Run:
    agent = Agent(Insists(*turns), ToolRuntime(ToolRegistry(tools())), **({"guard": RetryGuard()} | options))
    found = agent.run("task")
    assert broken(found.messages) == []
    return found


def results(found: Run) -> list[Played]:
    return [codes(turn.results) for turn in found.turns if turn.results]


def test_without_a_guard_the_turn_limit_ends_the_circle() -> None:
    found = run(["read"], guard=None)
    assert (found.stop_reason, len(found.tool_calls)) == ("max_turns", 10)
    assert results(found) == [[None]] * 10


def test_with_a_guard_the_circle_ends_when_the_model_goes_on_although_it_was_told() -> None:
    found = run(["read"])
    assert results(found) == [[None]] * 3 + [["tool_banned"]] * 2
    assert (found.stop_reason, found.answer) == ("stalled", "what I know")
    assert found.detail == "every call of the last turns had been refused before"
    assert found.messages[-2] == {"role": "user", "content": STALLED_QUESTION}
    assert found.trace.lines[-1]["payload"] == {"reason": "stalled", "steps": 6, "detail": found.detail}


def test_a_banned_call_is_answered_in_its_place_and_the_others_run() -> None:
    found = run(["bad", "status", "bad", "write"])
    assert results(found)[2:4] == [
        ["failed", None, "failed", None],
        ["tool_banned", None, "tool_banned", "tool_banned"],
    ]
    assert [m["tool_call_id"] for m in found.messages if m["role"] == "tool"][-4:] == [f"call_{n}" for n in range(1, 5)]
    assert found.stop_reason == "max_turns"


@pytest.mark.parametrize("asked", [["bad", "status"], ["status", "bad"], ["bad", "bad"], ["bad", "status", "status"]])
def test_the_trace_has_the_lines_of_every_call_in_call_order(asked: list[str]) -> None:
    found = run(asked)
    for turn, lines in zip(found.turns, turns_of(found), strict=False):
        names = [each.name for each in turn.reply.tool_calls]
        starts = [line["payload"] for line in lines if line.get("event") == "tool_start"]
        assert [each["name"] for each in starts] == names
        banned = [result.error is not None and result.error.code == "tool_banned" for result in turn.results]
        assert [each["kind"] == "refused" for each in starts] == banned
        kinds = [line.get("event", "message") for line in lines]
        assert kinds.count("tool_batch") == 1 and kinds[0] == "tool_batch"
        assert kinds[1 + len(names) :] == ["message", "tool_finished"] * len(names)
        assert [line["payload"]["name"] for line in lines if line.get("event") == "tool_finished"] == names


def turns_of(found: Run) -> list[list[dict[str, Any]]]:
    """The lines of a trace between one model's message and the next decision, for turns that asked for calls."""
    turns: list[list[dict[str, Any]]] = []
    inside = False
    for line in found.trace:
        if line["type"] == "message" and line["message"].get("tool_calls"):
            turns.append([])
            inside = True
        elif line.get("event") == "decision" or line.get("message", {}).get("role") == "user":
            inside = False
        elif inside:
            turns[-1].append(line)
    return turns


def test_a_withdrawn_tool_is_left_out_of_what_the_model_is_offered() -> None:
    model = Insists(keys(3), keys(3), ["status"])
    Agent(model, ToolRuntime(ToolRegistry(tools())), max_turns=4, guard=RetryGuard()).run("task")
    assert ["lookup" in offered for offered in model.offered] == [True, True, False, False, False]


def test_a_guard_serves_many_runs_and_remembers_none() -> None:
    guard = RetryGuard()
    first, second = (results(run(["bad"], guard=guard)) for _ in range(2))
    assert first == second == [["failed"], ["failed"], ["tool_banned"], ["tool_banned"]]


def test_the_surplus_and_the_banned_do_not_mix() -> None:
    """Only what would run is counted against the limit of a turn."""
    found = run(["bad", "bad", "status", "status", "status"], max_calls_per_turn=2)
    assert results(found)[1] == ["failed", "failed", *["too_many_calls"] * 3]
    assert results(found)[2] == ["tool_banned", "tool_banned", None, None, "too_many_calls"]
    assert found.stop_reason == "max_turns"


@pytest.mark.parametrize("heard", ["status", "bad"])
def test_an_interrupt_keeps_every_answer_at_its_call(heard: str) -> None:
    def stop() -> str:
        raise KeyboardInterrupt

    registry = ToolRegistry([*tools(), quick("quit", stop, timeout=None)])
    asks: list[list[str]] = [["bad"], ["bad"], ["bad", "status", "bad"]]
    agent = Agent(Insists(*asks), ToolRuntime(registry), guard=RetryGuard())

    def listen(line: dict[str, Any]) -> None:
        banned = line.get("event") == "tool_finished" and line["payload"].get("code") == "tool_banned"
        ran = line.get("event") == "tool_finished" and line["payload"]["name"] == "status"
        if ran if heard == "status" else banned:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("task", on_event=listen)
    left: Run = caught.value.run  # type: ignore[attr-defined]
    assert broken(left.messages) == []
    assert codes(left.turns[-1].results) == ["tool_banned", None, "tool_banned"]
    assert left.trace.messages() == left.messages[1:]


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2", None])
@pytest.mark.parametrize("name", ["max_same_failures", "max_same_results"])
def test_a_limit_is_a_whole_number_of_at_least_one(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1"):
        RetryGuard(**{name: value})


def test_a_guard_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match=r"guard takes a RetryGuard, not a int: RetryGuard\(\)"):
        Agent(Insists(["read"]), ToolRuntime(ToolRegistry(tools())), guard=3)  # type: ignore[arg-type]
