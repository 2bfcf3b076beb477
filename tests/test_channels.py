"""Three ways to tell of a failure: what each keeps and what it loses, on the shipped failures and on made-up ones."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from labkit import (
    Agent,
    ErrorCode,
    Failure,
    Run,
    ScriptedModel,
    ToolCall,
    ToolError,
    ToolRegistry,
    ToolResult,
    ToolRuntime,
)
from labkit.course.channels import (
    DESIGNS,
    FAILURES,
    QUESTIONS,
    Played,
    ToolFailed,
    answers,
    as_both,
    as_exception,
    as_string,
    compare,
    play,
    script,
)
from labkit.course.error_words import WHEN, WORDS, code_by_words
from labkit.course.garden_shop import price_of, shop_tools
from labkit.course.lab import fresh_copy
from labkit.course.sample_results import sample
from labkit.history import broken
from labkit.models.scripted import read_script
from labkit.paths import data
from labkit.toolsets import workspace_tools

NO_ERROR = {"failing_test", "quoted_error"}


def result(ok: bool, content: str, code: str | None = None) -> ToolResult:
    error = ToolError(code, "there is no a.txt", "read_file") if code else None
    return ToolResult("call_1", "read_file", ok, error.content() if error else content, error=error)


# --- the designs ------------------------------------------------------------------------------------------------


GOOD, BAD_NEWS, FAILED = result(True, "n = 1"), result(False, "EXIT 1"), result(False, "", "not_found")


@pytest.mark.parametrize("design", DESIGNS.values())
@pytest.mark.parametrize("came", [GOOD, BAD_NEWS])
def test_what_did_not_fail_is_the_same_message_in_every_design(design: Any, came: ToolResult) -> None:
    assert design(came) == {"role": "tool", "content": came.content, "tool_call_id": "call_1"}


def test_a_string_has_the_words_and_no_code() -> None:
    assert as_string(FAILED) == {"role": "tool", "content": "ERROR: there is no a.txt", "tool_call_id": "call_1"}


def test_a_string_loses_its_own_code_only() -> None:
    error = ToolError("failed", "the log says ERROR [failed]: no", "read_log")
    assert as_string(ToolResult("c", "read_log", False, error.content(), error=error))["content"] == (
        "ERROR: the log says ERROR [failed]: no"
    )


def test_an_exception_carries_the_error_and_no_message() -> None:
    with pytest.raises(ToolFailed) as caught:
        as_exception(FAILED)
    assert caught.value.error is FAILED.error


def test_content_and_error_say_the_same_code_twice() -> None:
    message = as_both(FAILED)
    assert message["content"].startswith("ERROR [not_found]: ")
    assert message["error"]["code"] == "not_found"


# --- the shipped failures ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped() -> dict[tuple[str, str], dict[str, Played]]:
    pairs = [(name, "usual") for name in FAILURES]
    pairs += [(name, "reworded") for name in FAILURES if "reworded" in script(name)]
    return {pair: {played.design: played for played in compare(*pair).played} for pair in pairs}


def test_every_script_of_the_folder_is_a_failure_but_the_week() -> None:
    files = {path.stem for path in data("scripts", "errors").glob("*.json")}
    assert files == {*FAILURES, "week"}
    assert all(ScriptedModel(script(name)).task for name in FAILURES)


def test_each_code_that_a_script_prepares_for_is_the_one_that_comes(shipped: Any) -> None:
    for name in set(FAILURES) - NO_ERROR:
        assert list(script(name)["on_error"]) == [shipped[name, "usual"]["content + error"].true_code]


def test_content_and_error_find_every_code_and_mend_every_failure(shipped: Any) -> None:
    for (name, _), by_design in shipped.items():
        played = by_design["content + error"]
        assert (played.right, played.ended) == (True, "final_answer")
        assert played.mended is (name != "failing_test")
        assert broken(played.messages) == []


def test_an_exception_keeps_the_code_and_loses_the_run(shipped: Any) -> None:
    for (name, _), by_design in shipped.items():
        played = by_design["exception"]
        assert (played.right, played.ended) == (True, "final_answer" if name in NO_ERROR else "ToolFailed")
        assert (played.got is None) is (name not in NO_ERROR)


def test_a_string_keeps_the_run_and_mends_nothing(shipped: Any) -> None:
    for (name, _), by_design in shipped.items():
        played = by_design["string"]
        assert (played.ended, broken(played.messages)) == ("final_answer", [])
        assert played.mended is (name == "quoted_error")


def test_words_are_right_until_they_change_or_another_tool_has_them(shipped: Any) -> None:
    right = {pair for pair, by_design in shipped.items() if by_design["string"].right}
    lies = {"no_such_plant", "quoted_error"}
    assert right == {(name, "usual") for name in set(FAILURES) - lies}
    assert shipped["no_such_plant", "usual"]["string"].found == "not_found"
    assert shipped["quoted_error", "usual"]["string"].found == "not_found"


def test_rewording_changes_words_and_nothing_else(shipped: Any) -> None:
    for (name, wording), by_design in shipped.items():
        usual = shipped[name, "usual"]["content + error"]
        played = by_design["content + error"]
        assert played.true_code == usual.true_code
        assert (played.got == usual.got) is (wording == "usual")


def test_one_failed_call_takes_the_answers_of_its_siblings_along(shipped: Any) -> None:
    by_design = shipped["one_of_three", "usual"]
    roles = {design: [message["role"] for message in played.messages] for design, played in by_design.items()}
    assert roles["exception"] == ["user", "assistant"]
    assert [each.ok for each in by_design["exception"].results] == [True, False, True]
    assert roles["string"] == ["user", "assistant", "tool", "tool", "tool", "assistant"]
    assert roles["content + error"][-3:] == ["assistant", "tool", "assistant"]


def test_a_failing_test_ends_alike_in_all_designs(shipped: Any) -> None:
    runs = list(shipped["failing_test", "usual"].values())
    assert all(played.messages == runs[0].messages for played in runs)
    assert [each.ok for each in runs[0].results] == [False, True, True]
    assert runs[0].true_code is None


def test_a_file_that_quotes_an_error_misleads_by_its_text_and_not_by_its_field(shipped: Any) -> None:
    played = shipped["quoted_error", "usual"]["content + error"]
    assert (played.result.ok, played.found, played.mended) == (True, None, True)


def test_no_path_and_no_key_of_the_bug_reaches_any_design(shipped: Any) -> None:
    for played in shipped["tool_bug", "usual"].values():
        said = json.dumps(played.messages) + (played.got or "")
        assert "4711" not in said
        assert "/data/" not in said


# --- playing ----------------------------------------------------------------------------------------------------


def test_playing_changes_no_script_and_no_workspace() -> None:
    before, task = data("workspaces", "calculator", "garden.py").read_bytes(), script("one_of_three")
    kept = copy.deepcopy(task)
    assert play(task, "exception").results[0].ok
    assert (task, data("workspaces", "calculator", "garden.py").read_bytes()) == (kept, before)


def test_two_plays_are_equal_but_for_their_times() -> None:
    first, second = compare("missing_file"), compare("missing_file")
    assert repr(first) == repr(second)
    assert [p.messages for p in first.played] == [p.messages for p in second.played]


def test_a_script_of_ones_own_is_played_too() -> None:
    call = {"id": "call_1", "name": "price_of", "arguments": {"plant": "mint"}}
    own = {"task": "?", "workspace": "calculator", "decisions": [{"tool_calls": [call]}, {"content": "2.10"}]}
    played = play(own)
    assert (played.got, played.true_code, played.mended) == ("mint 2.10", None, False)
    assert repr(played) == "Played(content + error: final_answer, 4 messages)"


def test_a_comparison_says_all_of_it_in_words() -> None:
    text = repr(compare("missing_file", "reworded"))
    assert text.splitlines()[0] == ("missing file · words: reworded · read_file has ok=False and the error not_found")
    for said in (
        "wrong: no error, by its words; it is not_found",
        "goes on: Yes, mean is defined there.",
        "answers: 0 of 1 call worked, 1 answered",
        "is not asked again",
        "dies of ToolFailed: 0 of 1 call worked, 0 answered",
        "mends its call: A slip in the name; once more.",
        "answers: 1 of 2 calls worked, 2 answered",
    ):
        assert said in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_failure_that_can_not_be_reworded_says_so() -> None:
    assert compare("failing_test", "reworded").wording == "usual"


def test_there_is_an_answer_to_every_question() -> None:
    assert len(answers(play(script("unknown_tool"), "string"))) == len(QUESTIONS)


# --- words and codes --------------------------------------------------------------------------------------------


def test_every_code_has_its_when() -> None:
    assert set(WHEN) == set(ErrorCode)
    assert len(set(WHEN.values())) == len(WHEN)


def test_words_lead_to_codes_and_to_nothing_where_they_are_new() -> None:
    assert {code_by_words(f"ERROR: {words}") for words in WORDS} == {str(code) for code in WORDS.values()}
    assert code_by_words("ERROR: a.txt could not be found") is None


# --- the shop and the week --------------------------------------------------------------------------------------


def test_the_shop_says_no_with_a_next_step() -> None:
    no = price_of("rosmary")
    assert isinstance(no, Failure)
    assert (no.code, no.suggestion) == ("failed", "choose one of basil, mint, rosemary")
    assert price_of("rosemary") == "rosemary 3.20"


def test_the_bug_of_the_shop_is_an_execution_error_without_its_secrets() -> None:
    runtime = ToolRuntime(ToolRegistry(shop_tools()))
    came = runtime.dispatch(ToolCall("c", "seed_needed", {"metres": 3}))
    assert came.content == (
        "ERROR [execution_error]: the tool raised ConnectionError: no answer from [path] for 3 m2, token=[hidden]"
    )


def played_week(renamed: bool) -> Run:
    folder = fresh_copy(data("workspaces", "calculator"))
    if renamed:
        (folder / "calculator.py").rename(folder / "calc.py")
    model = ScriptedModel(read_script(data("scripts", "errors", "week.json")))
    return Agent(model, ToolRuntime(ToolRegistry(workspace_tools(folder)))).run(model.task)


def test_the_week_fails_by_its_arguments_and_the_next_one_by_its_workspace() -> None:
    first, second = (played_week(renamed).trace.metrics() for renamed in (False, True))
    assert first.calls == second.calls == 29
    assert first.by_layer == {"contract": 7, "transport": 1, "execution": 1, "control": 1}
    assert max(second.by_layer, key=lambda layer: second.by_layer[layer]) == "execution"
    assert {k: v for k, v in second.by_layer.items() if k != "execution"} == {
        "contract": 7,
        "transport": 1,
        "control": 1,
    }


def test_a_sample_is_made_as_a_runtime_makes_it() -> None:
    assert sample("inverted").error is not sample("inverted").error
    assert sample("plain").to_message()["error"] == {
        "code": "not_found",
        "message": "Sorry, there is no such file.",
        "tool": "read_file",
    }
    with pytest.raises(KeyError, match="there is no sample lost; there are read, inverted"):
        sample("lost")


@pytest.mark.parametrize("name", ["read", "missing", "plain", "one_too_many", "tests_fail", "quoted"])
def test_a_sample_with_an_error_is_not_ok_and_has_a_code_of_the_list(name: str) -> None:
    made = sample(name)
    assert made.error is None or (not made.ok and made.error.code in set(ErrorCode))
