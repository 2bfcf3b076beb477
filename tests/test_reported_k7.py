"""Failures that people have reported of loop control: each case by its id, with tools of our own, and its siblings.

Where our design decides otherwise than was hoped for, the test says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools_for_tests import codes, runtime_of

from labkit import Agent, Failure, RetryGuard, Run, Tool, ToolCall, ToolOutput, tool
from labkit.history import CLOSING_QUESTION, STALLED_QUESTION, broken, is_closing
from labkit.models import ModelReply, Usage
from labkit.toolsets import workspace_tools

Asked = tuple[str, Any]


class Stubborn:
    """A model that asks for these turns, one after the other, then the last one for ever; text where it is told to.

    With no tools offered it answers in words.
    """

    def __init__(self, *turns: Sequence[Asked] | str, closing: str = "that is all I know") -> None:
        self.turns = turns
        self.closing = closing
        self.offered: list[list[str]] = []

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        turn = self.turns[min(len(self.offered), len(self.turns) - 1)]
        self.offered.append([each["function"]["name"] for each in tools])
        if is_closing(messages[-1]) or isinstance(turn, str):
            return ModelReply(turn if isinstance(turn, str) else self.closing, usage=Usage(100, 10))
        asked = [ToolCall(f"call_{len(messages)}_{n}", *each) for n, each in enumerate(turn, 1)]
        return ModelReply("", tuple(asked), "tool_calls", Usage(100, 10))


def guarded(model: Stubborn, *tools: Tool, max_turns: int = 25, guard: RetryGuard | None = None) -> Run:
    """Run a model over tools, with a guard; whatever comes, each call has its answer."""
    run = Agent(model, runtime_of(*tools), max_turns=max_turns, guard=guard or RetryGuard()).run("try")
    assert broken(run.messages) == []
    return run


def turn_codes(run: Run) -> list[list[str | None]]:
    """Return the error codes of a run, turn by turn, of the turns that asked for something."""
    return [codes(turn.results) for turn in run.turns if turn.results]


class Counted:
    """Counts how often each tool ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tool(self, name: str, body: Callable[[], Any] = lambda: "same", **options: Any) -> Tool:
        """Return a tool of this name that takes anything small, and does ``body``."""

        def act(x: float | None = None, q: str = "", n: float = 1, y: str = "") -> Any:
            self.ran.append(name)
            return body()

        return Tool.from_function(act, name=name, description="Act.", **({"readonly": True} | options))


def failing() -> str:
    raise ValueError("no")


# --- K7-01: the same call, the same result, for ever ----------------------------------------------------------------


def test_k7_01_a_call_that_changes_nothing_is_answered_unrun_and_then_ended(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    call = ("read_lines", {"path": "a.txt", "start_line": 1, "end_line": 2})
    run = guarded(Stubborn([call]), *workspace_tools(tmp_path))
    assert turn_codes(run) == [[None]] * 3 + [["tool_banned"]] * 2
    assert (run.stop_reason, run.answer) == ("stalled", "that is all I know")
    assert run.detail and "refused" in run.detail
    assert run.messages[-2] == {"role": "user", "content": STALLED_QUESTION}


def test_k7_01_what_the_model_is_told_says_why_and_what_else_there_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    run = guarded(Stubborn([("read_file", {"path": "a.txt"})]), *workspace_tools(tmp_path))
    told = next(turn.results[0] for turn in run.turns if codes(turn.results) == ["tool_banned"])
    first, hint = told.content.splitlines()
    assert first == (
        "ERROR [tool_banned]: not run: this call gave the same result 3 times, with no other change in between"
    )
    assert hint.startswith("Hint: ") and "read_lines" in hint and "answer with what you know" in hint
    assert told.started is None


def test_k7_01_turns_and_tokens_are_counted_to_the_end() -> None:
    meter = Counted()
    run = guarded(Stubborn([("poll", {})]), meter.tool("poll"))
    assert (len(run.turns), len(run.tool_calls), len(meter.ran)) == (6, 5, 3)
    assert run.usage == Usage(600, 60)
    assert run.trace.lines[-1]["payload"]["reason"] == "stalled"
    assert run.trace.lines[-1]["payload"]["steps"] == 6
    assert run.trace.metrics().failures == {"tool_banned": 2}


def test_k7_01_without_a_guard_the_turn_limit_ends_it() -> None:
    meter = Counted()
    run = Agent(Stubborn([("poll", {})]), runtime_of(meter.tool("poll")), max_turns=25).run("try")
    assert (run.stop_reason, len(meter.ran)) == ("max_turns", 25)


def test_k7_01_polling_that_makes_progress_is_no_loop() -> None:
    meter = Counted()
    poll = meter.tool("poll", lambda: f"{len(meter.ran)} of 10")
    run = guarded(Stubborn(*[[("poll", {})]] * 10, "ready"), poll)
    assert (run.stop_reason, run.answer, len(meter.ran)) == ("final_answer", "ready", 10)


def test_k7_01_a_new_run_is_judged_anew() -> None:
    """A guard is a value: two runs of one agent share nothing."""
    meter = Counted()
    agent = Agent(Stubborn([("poll", {})]), runtime_of(meter.tool("poll")), guard=RetryGuard())
    assert [agent.run("try").stop_reason for _ in range(2)] == ["stalled", "stalled"]
    assert len(meter.ran) == 6


# --- K7-03: the same call in other letters --------------------------------------------------------------------------

SPELLINGS = [
    '{"q": "x", "n": 1}',
    '{"n": 1, "q": "x"}',
    '{ "q" : "x", "n": 1 }',
    '{"q":"x","n":1.0}',
    '{"q":"\\u0078","n":1e0}',
    {"n": 1, "q": "x"},
    {"q": "x", "n": 1.0},
    '"{\\"q\\": \\"x\\", \\"n\\": 1}"',
    '```json\n{"q": "x", "n": 1}\n```',
]


def test_k7_03_however_it_is_spelled_it_is_one_call() -> None:
    meter = Counted()
    run = guarded(Stubborn(*[[("find", each)] for each in SPELLINGS]), meter.tool("find"))
    assert (run.stop_reason, len(meter.ran)) == ("stalled", 3)


@pytest.mark.parametrize("start", range(len(SPELLINGS)))
def test_k7_03_from_whichever_spelling_it_begins(start: int) -> None:
    meter = Counted()
    turned = [*SPELLINGS[start:], *SPELLINGS[:start]]
    guarded(Stubborn(*[[("find", each)] for each in turned]), meter.tool("find"))
    assert len(meter.ran) == 3


@pytest.mark.parametrize("spellings", [["", None, "{}", "null", {}, "  "], [{"x": 0}, {"x": -0.0}, '{"x": 0.0}']])
def test_k7_03_so_are_absent_arguments_and_zeros(spellings: list[Any]) -> None:
    meter = Counted()
    run = guarded(Stubborn(*[[("find", each)] for each in spellings * 2]), meter.tool("find"))
    assert (run.stop_reason, len(meter.ran)) == ("stalled", 3)


def test_k7_03_other_arguments_are_another_call() -> None:
    meter = Counted()
    other = [{"q": "x"}, {"q": "X"}, {"y": "x"}, {"q": "1"}, {"n": 1}, {"n": 2}, {"x": 1}, {"q": "x "}]
    run = guarded(Stubborn(*[[("find", each)] for each in other], "done"), meter.tool("find"))
    assert (run.stop_reason, len(meter.ran)) == ("final_answer", len(other))


@pytest.mark.parametrize("period", [1, 2, 3, 5])
def test_k7_03_calls_that_take_turns_are_seen(period: int) -> None:
    meter = Counted()
    turns = [[("find", {"q": "xyzuv"[n % period]})] for n in range(period * 6)]
    run = guarded(Stubborn(*turns), meter.tool("find"), max_turns=period * 6)
    assert (run.stop_reason, len(meter.ran)) == ("stalled", 3 * period)
    assert turn_codes(run) == [[None]] * (3 * period) + [["tool_banned"]] * 2


def test_k7_03_order_within_a_turn_does_not_matter() -> None:
    meter = Counted()
    x, y = ("find", {"q": "x"}), ("find", {"q": "y"})
    run = guarded(Stubborn(*[[x, y], [y, x]] * 4), meter.tool("find"))
    assert turn_codes(run) == [[None, None]] * 3 + [["tool_banned"] * 2] * 2
    assert run.stop_reason == "stalled"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("find", '{"q": 5}', "schema_validation"),
        ("find", "[1]", "schema_validation"),
        ("find", '{"q": "x"', "invalid_json"),
        ("ghost", "{}", "unknown_tool"),
    ],
)
def test_k7_03_refused_calls_count_too(name: str, arguments: str, code: str) -> None:
    meter = Counted()
    run = guarded(Stubborn([(name, arguments)]), meter.tool("find"))
    assert turn_codes(run) == [[code], [code], ["tool_banned"], ["tool_banned"]]
    assert (run.stop_reason, meter.ran) == ("stalled", [])


def test_k7_03_a_range_that_is_refused_counts_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    call = ("read_lines", {"path": "a.txt", "start_line": 6, "end_line": 2})
    run = guarded(Stubborn([call]), *workspace_tools(tmp_path))
    assert turn_codes(run) == [["invalid_range"]] * 2 + [["tool_banned"]] * 2


# --- K7-04: the turn limit ------------------------------------------------------------------------------------------

THREE = [[("a", {})], [("a", {"x": 2})], [("a", {"x": 3})]]


@pytest.mark.parametrize("guard", [None, RetryGuard()])
def test_k7_04_at_the_limit_the_last_results_are_seen_and_answered(guard: RetryGuard | None) -> None:
    meter = Counted()
    model = Stubborn(*THREE, "the answer is 3")
    run = Agent(model, runtime_of(meter.tool("a")), max_turns=3, guard=guard).run("try")
    assert (run.stop_reason, run.answer, len(meter.ran)) == ("max_turns", "the answer is 3", 3)
    assert model.offered == [["a"], ["a"], ["a"], []]
    assert [message["role"] for message in run.messages[-3:]] == ["tool", "user", "assistant"]
    assert run.messages[-2]["content"] == CLOSING_QUESTION
    assert broken(run.messages) == []


@pytest.mark.parametrize("closing", ["", "  "])
def test_k7_04_an_empty_last_word_is_never_a_normal_answer(closing: str) -> None:
    run = Agent(Stubborn(*THREE, closing), runtime_of(Counted().tool("a")), max_turns=3).run("try")
    assert (run.stop_reason, run.answer) == ("max_turns", closing)


def test_k7_04_a_model_that_goes_on_asking_at_the_limit_leaves_no_call_open() -> None:
    class Deaf:
        def reply(self, messages: Any, tools: Any) -> ModelReply:
            return ModelReply("one more", (ToolCall("c", "a", {}),), "tool_calls")

    meter = Counted()
    run = Agent(Deaf(), runtime_of(meter.tool("a")), max_turns=2).run("try")
    assert (run.stop_reason, run.answer, len(meter.ran)) == ("max_turns", "one more", 2)
    assert broken(run.messages) == []


def test_k7_04_a_run_can_go_on_behind_its_limit() -> None:
    meter = Counted()
    first = Agent(Stubborn(*THREE, "the answer is 3"), runtime_of(meter.tool("a")), max_turns=3).run("try")
    second = Agent(Stubborn([("a", {"x": 4})], "4"), runtime_of(meter.tool("a"))).run("more", history=first.messages)
    assert (second.stop_reason, second.answer, broken(second.messages)) == ("final_answer", "4", [])


# --- K7-06: a budget that is lost when another tool is called -------------------------------------------------------


@pytest.mark.parametrize("readonly", [True, False], ids=["a reading ok", "an unsafe ok"])
def test_k7_06_a_failing_call_is_banned_whatever_runs_in_between(readonly: bool) -> None:
    meter = Counted()
    bad, ok = meter.tool("bad", failing), meter.tool("ok", lambda: "k", readonly=readonly)
    run = guarded(Stubborn(*[[("bad", {})], [("ok", {})]] * 6), bad, ok, max_turns=12)
    # The first success of an unsafe tool may have changed the world, so failures count anew after it, once.
    times = 2 if readonly else 3
    assert meter.ran.count("bad") == times
    bad_codes = [codes(turn.results)[0] for turn in run.turns if turn.results and turn.results[0].name == "bad"]
    assert bad_codes[:times] == ["execution_error"] * times
    assert len(bad_codes) > times and set(bad_codes[times:]) == {"tool_banned"}


@pytest.mark.parametrize("readonly", [True, False])
def test_k7_06_in_the_same_turn_too(readonly: bool) -> None:
    meter = Counted()
    bad, ok = meter.tool("bad", failing), meter.tool("ok", lambda: "k", readonly=readonly)
    run = guarded(Stubborn([("bad", {}), ("ok", {})]), bad, ok, max_turns=8)
    assert codes(run.turns[-2].results)[0] == "tool_banned"
    assert meter.ran.count("bad") <= 3


def test_k7_06_a_success_of_the_call_itself_begins_anew() -> None:
    meter = Counted()

    def moody() -> str:
        if len(meter.ran) % 2:
            raise ValueError("no")
        return f"yes, at {len(meter.ran)}"

    run = guarded(Stubborn(*[[("moody", {})]] * 10, "done"), meter.tool("moody", moody))
    assert (run.stop_reason, len(meter.ran)) == ("final_answer", 10)


def test_k7_06_the_ban_is_told_and_other_calls_of_the_tool_still_run() -> None:
    meter = Counted()
    turns: list[Any] = [[("bad", {})]] * 3 + [[("bad", {"x": 2})], "done"]
    run = guarded(Stubborn(*turns), meter.tool("bad", failing), meter.tool("other"))
    assert turn_codes(run) == [["execution_error"]] * 2 + [["tool_banned"], ["execution_error"]]
    told = run.turns[2].results[0]
    assert "failed twice in the same way (execution_error)" in told.content
    assert "other" in told.content and told.error and told.error.tool == "bad"


def test_k7_06_a_tool_of_which_several_calls_keep_failing_is_withdrawn() -> None:
    meter = Counted()
    model = Stubborn(*[[("bad", {"x": n})] for n in (1, 2, 3) for _ in range(2)], [("bad", {"x": 4})], "done")
    run = guarded(model, meter.tool("bad", failing), meter.tool("ok"))
    assert turn_codes(run)[-1] == ["tool_banned"]
    assert (len(meter.ran), run.stop_reason) == (6, "final_answer")
    assert model.offered[0] == ["bad", "ok"] and model.offered[-1] == ["ok"]


def test_k7_06_test_edit_test_is_no_loop() -> None:
    """A failing test is a result and no error, and an edit in between makes it another one."""
    meter = Counted()
    run_test = meter.tool("run_test", lambda: ToolOutput("EXIT 1", ok=False), readonly=False)
    edit_file = meter.tool("edit_file", lambda: "edited", readonly=False)
    turns: list[Any] = [each for n in range(8) for each in ([("run_test", {})], [("edit_file", {"x": n})])]
    run = guarded(Stubborn(*turns, "done"), run_test, edit_file)
    assert (run.stop_reason, len(meter.ran)) == ("final_answer", 16)


# --- K7-07: an invented tool beside good calls ----------------------------------------------------------------------


@pytest.mark.parametrize("guard", [None, RetryGuard(max_same_failures=1), RetryGuard()])
def test_k7_07_an_invented_name_costs_the_others_nothing(guard: RetryGuard | None) -> None:
    meter = Counted()
    model = Stubborn([("a", {}), ("ghost", {})], [("a", {"x": 2}), ("ghost", {})], "done")
    run = Agent(model, runtime_of(meter.tool("a")), guard=guard).run("try")
    assert (run.stop_reason, run.answer, len(meter.ran), broken(run.messages)) == ("final_answer", "done", 2, [])
    banned = guard is not None and guard.max_same_failures == 1
    assert turn_codes(run) == [[None, "unknown_tool"], [None, "tool_banned" if banned else "unknown_tool"]]


def test_k7_07_several_slips_in_one_message_count_once() -> None:
    meter = Counted()
    run = guarded(Stubborn([("ghost", {})] * 4 + [("a", {})], [("ghost", {}), ("a", {})], "done"), meter.tool("a"))
    assert turn_codes(run) == [["unknown_tool"] * 4 + [None], ["unknown_tool", None]]


def test_k7_07_a_run_stops_for_the_repetition_alone_and_not_while_others_work() -> None:
    meter = Counted()
    turns: list[Any] = [[("a", {"x": n}), ("ghost", {})] for n in range(6)]
    run = guarded(Stubborn(*turns, [("ghost", {})]), meter.tool("a"))
    assert turn_codes(run) == (
        [[None, "unknown_tool"]] * 2 + [[None, "tool_banned"]] * 4 + [["tool_banned"], ["tool_banned"]]
    )
    assert (run.stop_reason, len(meter.ran)) == ("stalled", 6)


def test_k7_07_the_answer_of_a_banned_name_names_the_tools_there_are() -> None:
    run = guarded(Stubborn([("ghost", {})]), Counted().tool("a"))
    assert [("a" in turn.results[0].content) for turn in run.turns if turn.results] == [True] * 4


# --- K7-08: results that are cut ------------------------------------------------------------------------------------

LIMIT = 8_000
"""Characters of a result; ours is fixed, where the report had it set."""


def fetch(n: int) -> dict[str, Any]:
    return {"items": [{"i": i, "t": "x" * 80} for i in range(n)], "has_next": True, "next_offset": n}


def fetched(value: Callable[[int], Any], n: int) -> str:
    """Return what a model is told of a fetch of so many items."""

    def fetch_items(n: int) -> Any:
        return value(n)

    runtime = runtime_of(Tool.from_function(fetch_items, name="fetch", description="Fetch.", readonly=True))
    return runtime.dispatch(ToolCall("call_1", "fetch", json.dumps({"n": n}))).content


SHAPES: dict[str, Callable[[int], Any]] = {
    "an object": fetch,
    "a list": lambda n: fetch(n)["items"],
    "an output": lambda n: ToolOutput(json.dumps(fetch(n)), ok=False),
    "a text": lambda n: json.dumps(fetch(n)),
    "other letters": lambda n: {"t": "\U0001f600" * n},
    "bytes that need escapes": lambda n: {"t": "\x00" * n},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_k7_08_a_cut_result_says_first_that_it_is_and_what_is_missing(shape: str) -> None:
    content = fetched(SHAPES[shape], 20_000)
    notice, _, rest = content.partition("\n")
    assert len(content) <= LIMIT
    assert notice.startswith("[cut: the first ") and "are missing. Ask for less at once" in notice
    shown, whole, missing = (int(word.replace(",", "")) for word in notice.split() if word[0].isdigit())
    assert (shown + missing, len(rest)) == (whole, shown)
    with pytest.raises(ValueError):
        json.loads(content)  # nobody can take it for JSON


def test_k7_08_one_that_fits_is_left_as_it_is() -> None:
    assert json.loads(fetched(fetch, 60)) == fetch(60)


@given(length=st.integers(LIMIT - 300, LIMIT + 300))
def test_k7_08_at_the_limit_nothing_is_lost_without_a_word(length: int) -> None:
    content = fetched(lambda n: "x" * n, length)
    assert (content == "x" * length) if length <= LIMIT else content.startswith("[cut: ")
    assert len(content) <= LIMIT


@pytest.mark.parametrize(
    "value",
    [
        lambda n: Failure("r" * n, "s" * n),
        lambda n: Failure("r", "s" * n),
        lambda n: ToolOutput("c" * n, ok=False),
    ],
)
def test_k7_08_failures_are_bounded_too(value: Callable[[int], Any]) -> None:
    content = fetched(value, 30_000)
    assert len(content) <= LIMIT
    assert "[cut: " in content


@pytest.mark.parametrize("most", [0, 200])
def test_k7_08_errors_of_a_tool_and_of_a_contract_are_bounded_too(most: int) -> None:
    @tool(readonly=True)
    def fail(q: str) -> str:
        """Fail."""
        raise ValueError("w" * 50_000)

    runtime = runtime_of(fail)
    given_: list[Any] = [{"q": "a"}, {"q": ["b" * 50_000]}, {"z" * 50_000: 1}, '{"q": "' + "c" * 50_000, "d" * 50_000]
    for arguments in [*given_, {f"z{n}": "x" * 500 for n in range(most)}]:
        result = runtime.dispatch(ToolCall("call_1", "fail", arguments))
        assert not result.ok and len(result.content) <= LIMIT
    ghost = runtime.dispatch(ToolCall("call_1", "g" * 50_000, {}))
    assert codes([ghost]) == ["unknown_tool"] and len(ghost.content) <= LIMIT


def test_k7_08_the_names_of_many_tools_are_bounded_too() -> None:
    meter = Counted()
    tools = [meter.tool(f"{'n' * 60}_{number}") for number in range(400)]
    run = guarded(Stubborn([("ghost", {})]), *tools)
    contents = [message["content"] for message in run.messages if message["role"] == "tool"]
    assert len(contents) == 4 and all(len(content) <= LIMIT for content in contents)
    assert contents[0].endswith(f"{tools[99].name} and 300 more tools")


def test_k7_08_the_words_of_a_rule_are_bounded_too() -> None:
    long = Tool.from_function(fetch, description="Fetch.", readonly=True, check=lambda values: "w" * 50_000)
    result = runtime_of(long).dispatch(ToolCall("call_1", "fetch", {"n": 1}))
    assert codes([result]) == ["invalid_range"]
    assert result.content.startswith("[cut: ") and len(result.content) <= LIMIT


def test_k7_08_the_workspace_cuts_at_lines_and_says_where_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("".join(f"line {n} {'x' * 80}\n" for n in range(2_000)))
    (tmp_path / "one.json").write_text(json.dumps(fetch(2_000)))
    runtime = runtime_of(*workspace_tools(tmp_path))

    def ask(name: str, **values: Any) -> str:
        content = runtime.dispatch(ToolCall("call_1", name, values)).content
        assert len(content) <= LIMIT
        return content

    assert "with start_line" in ask("read_file", path="long.txt").splitlines()[-1]
    assert "goes on" in ask("read_lines", path="long.txt", start_line=1).splitlines()[-1]
    assert "there are more" in ask("search_text", query="line").splitlines()[-1]
    cut = ask("read_file", path="one.json")
    assert cut.splitlines()[-1].startswith("[cut within line 1: 7,000 of ")
    with pytest.raises(ValueError):
        json.loads(cut)
