"""The values: what they say of themselves, in words for a model and in data for a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import CallRefused, ErrorCode, Failure, Problem, ToolCall, ToolError, ToolResult
from labkit.calls import QUOTED_CHARACTERS, quote
from labkit.paths import data, repository


def test_every_error_code_has_a_layer() -> None:
    layers = {code.value: code.layer for code in ErrorCode}
    assert {layer: sorted(c for c in layers if layers[c] == layer) for layer in set(layers.values())} == {
        "transport": ["invalid_json", "truncated"],
        "contract": ["invalid_range", "schema_validation", "unknown_tool"],
        "execution": ["execution_error", "failed", "not_found", "not_unique", "path_outside_workspace", "timeout"],
        "control": ["cancelled", "too_many_calls", "tool_banned"],
    }


def test_an_error_shows_only_what_is_set() -> None:
    error = ToolError("not_found", "there is no file a.txt", "read_file")
    assert error.to_dict() == {"code": "not_found", "message": "there is no file a.txt", "tool": "read_file"}
    assert error.content() == "ERROR [not_found]: there is no file a.txt"


def test_an_error_shows_its_hint_and_at_most_five_problems() -> None:
    problems = tuple(Problem(f"items.{n}.qty", "type", "must be an integer") for n in range(7))
    error = ToolError(ErrorCode.SCHEMA_VALIDATION, "7 problems", "buy", "send numbers", problems)
    assert error.content().splitlines() == [
        "ERROR [schema_validation]: 7 problems",
        "Hint: send numbers",
        *[f"items.{n}.qty: must be an integer" for n in range(5)],
        "and 2 more problems",
    ]
    shown = error.to_dict()
    assert (shown["code"], shown["hint"], len(shown["problems"])) == ("schema_validation", "send numbers", 7)
    assert shown["problems"][0] == {"path": "items.0.qty", "rule": "type", "message": "must be an integer"}
    assert type(shown["code"]) is str


def test_six_problems_leave_one_problem_unsaid() -> None:
    problems = [Problem("", "type", "wrong")] * 6
    assert ToolError("schema_validation", "m", "t", problems=problems).content().endswith("and 1 more problem")
    assert str(problems[0]) == "(arguments): wrong"


def test_a_failed_message_carries_the_error_and_a_good_one_three_keys() -> None:
    error = ToolError("timeout", "no result within 1 s", "slow")
    bad = ToolResult("call_1", "slow", False, error.content(), error=error)
    assert list(bad.to_message()) == ["role", "content", "tool_call_id", "error"]
    assert list(ToolResult("call_1", "slow", True, "done").to_message()) == ["role", "content", "tool_call_id"]


@pytest.mark.parametrize("code", ["invalid_json", "tool_banned", "unheard_of", ""])
def test_a_failure_takes_execution_codes_only(code: str) -> None:
    with pytest.raises(ValueError, match="path_outside_workspace, not_found, not_unique"):
        Failure("no", code=code)
    assert Failure("no").code == "failed"


def test_values_can_not_be_changed() -> None:
    for value, field in ((ToolCall("1", "a", None), "id"), (Problem("", "", ""), "path"), (Failure("no"), "code")):
        with pytest.raises(AttributeError):
            setattr(value, field, "other")


def test_a_refusal_carries_its_error() -> None:
    error = ToolError("invalid_json", "cut off", "")
    assert CallRefused(error).error is error
    assert str(CallRefused(error)) == "cut off"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("six", '"six"'),
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (10**1000, "a very large number"),
        (1.5, "1.5"),
        ([1, 2], "an array of 2"),
        ({"a": 1}, "an object of 1"),
        ("a\nb\x00", '"a\\nb\\x00"'),
        ("x" * 100, '"' + "x" * 39 + '…"'),
        ({1}, "a set"),
    ],
)
def test_received_values_are_quoted_shortly_and_as_json_spells_them(value: Any, text: str) -> None:
    assert quote(value) == text


@given(st.text())
def test_law_a_quote_is_one_printable_line_of_bounded_length(text: str) -> None:
    quoted = quote(text)
    assert len(quoted) <= QUOTED_CHARACTERS + 2
    assert quoted.isprintable()


def test_data_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert data("orders.csv").is_file()
    assert (repository() / "labkit" / "paths.py").is_file()
    with pytest.raises(FileNotFoundError, match=r"data/no/such is missing.*lab\.py check"):
        data("no", "such")
