"""The catalogue of wrong arguments: what is in it, and what becomes of each fault under every validator and policy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from labkit import ToolRegistry, ToolRuntime, lint
from labkit.course.faults import PLACES, SETTINGS, Verdicts, fault_tools, faults, good_calls, verdicts
from labkit.course.lab import fresh_copy
from labkit.paths import data

# What becomes of a fault, at every tool that takes it: under repair="lossless", and under "none" where that differs.
REFUSED_BY_PARSE = (
    "not_json prose_around cut_json list two_objects single_quotes python_words trailing_comma comment nan huge_number "
    "too_many_digits duplicate_key too_deep"
)
REFUSED_BY_JUDGE = (
    "missing extra misspelt_name wrong_type string_number bool_for_int fraction null_required out_of_range "
    "empty_string too_few_items wrong_item bad_enum bad_date no_such_day several_at_once"
)
EXPECTED: dict[str, tuple[str, str]] = {
    "unknown_tool": ("refused at look up", "refused at look up"),
    **dict.fromkeys(REFUSED_BY_PARSE.split(), ("refused at parse", "refused at parse")),
    **dict.fromkeys(REFUSED_BY_JUDGE.split(), ("refused at judge", "refused at judge")),
    **dict.fromkeys(("absent", "empty", "null"), ("refused at judge", "refused at judge")),
    **dict.fromkeys(("fenced", "double_encoded", "control_character"), ("repaired and ran", "refused at parse")),
    "value_double_encoded": ("repaired and ran", "refused at judge"),
    **dict.fromkeys(("integral_float", "null_default", "lone_surrogate"), ("ran", "ran")),
    "inverted_range": ("refused at cross-check", "refused at cross-check"),
    "path_escape": ("ran and failed", "ran and failed"),
    "not_there": ("ran and failed", "ran and failed"),
}
# list_files needs no arguments, so none are enough. Some mended values are sound and lead nowhere: no such file.
AT_SOME_TOOLS: dict[tuple[str, str], tuple[str, str]] = {
    **{(name, "list_files"): ("ran", "ran") for name in ("absent", "empty", "null")},
    ("lone_surrogate", "get_weather"): ("ran and failed", "ran and failed"),
    ("lone_surrogate", "read_lines"): ("ran and failed", "ran and failed"),
}


@pytest.fixture(scope="module")
def workspace() -> Path:
    return fresh_copy(data("workspaces", "calculator"))


@pytest.fixture(scope="module")
def table(workspace: Path) -> Verdicts:
    return verdicts(workspace, every_tool=True)


def test_every_fault_becomes_what_it_should(table: Verdicts) -> None:
    wrong = []
    for row in table:
        expected = AT_SOME_TOOLS.get((row.fault.name, row.tool), EXPECTED[row.fault.name])
        wrong += [
            (row.fault.name, row.tool, *setting, row.verdict(*setting))
            for setting in SETTINGS
            if row.verdict(*setting) != expected[setting[1] == "none"]
        ]
    assert not wrong


def test_the_three_validators_have_one_verdict_and_one_message_in_every_row(table: Verdicts) -> None:
    for row in table:
        assert row.same, (row.fault.name, row.tool)
        for repair in ("lossless", "none"):
            messages = [row.passages[v, repair].result.to_message() for v in ("pydantic", "subset", "jsonschema")]
            assert messages[0] == messages[1] == messages[2], (row.fault.name, row.tool, repair)


def test_no_tool_is_touched_by_a_call_that_was_refused(table: Verdicts) -> None:
    ways = [way for row in table for way in row.passages.values()]
    refused = [way for way in ways if way.verdict.startswith("refused")]
    assert {way.ran for way in refused} == {0}
    assert {way.ran for way in ways if not way.verdict.startswith("refused")} == {1}


def test_a_fault_lies_where_the_catalogue_says(table: Verdicts) -> None:
    codes = {
        "look-up": {"unknown_tool"},
        "transport": {"invalid_json", "schema_validation"},
        "contract": {"schema_validation"},
        "cross-field": {"invalid_range"},
        "execution": {"path_outside_workspace", "not_found"},
    }
    for row in table:
        error = row.passages["pydantic", "none"].result.error
        if row.verdict("pydantic", "none").startswith("refused"):
            assert error.code in codes[row.fault.place], (row.fault.name, row.tool)


# ---- the catalogue itself ----


def test_the_catalogue_is_whole(table: Verdicts) -> None:
    listed = faults()
    assert set(listed) == set(EXPECTED)
    assert len(listed) >= 22
    assert [row.fault.name for row in table if row.tool == next(iter(row.fault.calls))] == list(listed)
    order = [PLACES.index(fault.place) for fault in listed.values()]
    assert order == sorted(order), "faults stand in the order of the pipeline"
    assert len({fault.title for fault in listed.values()}) == len(listed)
    applied = {tool for fault in listed.values() for tool in fault.calls}
    assert applied == set(good_calls())
    assert len(applied) >= 4


def test_a_title_that_counts_is_right_for_every_tool(table: Verdicts) -> None:
    numbers = {"two": 2, "three": 3, "four": 4}
    for row in table:
        if counted := re.search(r"\b(two|three|four) things", row.fault.title):
            problems = row.passages["pydantic", "none"].result.error.problems
            assert len(problems) == numbers[counted[1]], (row.fault.name, row.tool)


def test_every_fault_changes_the_good_call() -> None:
    good = good_calls()
    for fault in faults().values():
        for tool, call in fault.calls.items():
            assert (call.name, call.arguments) != (tool, good[tool].arguments), (fault.name, tool)
            assert (call.name == tool) == (fault.name != "unknown_tool")


def test_the_good_calls_run_under_every_setting(workspace: Path) -> None:
    registry = ToolRegistry(fault_tools(workspace))
    for validator, repair in SETTINGS:
        runtime = ToolRuntime(registry, validator=validator, repair=repair)
        for name, call in good_calls().items():
            result = runtime.dispatch(call)
            assert (result.ok, result.repairs) == (True, ()), (name, validator)


@pytest.mark.parametrize(
    ("name", "tool", "holds"),
    [
        ("too_deep", "read_lines", "[" * 101 + "]" * 101),
        ("too_many_digits", "list_files", "9" * 4301),
        ("lone_surrogate", "search_text", "\\ud83d"),
        ("control_character", "search_text", "def\tsquare"),
        ("control_character", "get_weather", "Lisbon\n"),
        ("huge_number", "query_orders", "1e999"),
    ],
)
def test_raw_texts_come_out_to_the_letter(name: str, tool: str, holds: str) -> None:
    assert holds in faults()[name].call(tool).arguments


def test_nothing_and_an_empty_text_are_two_things() -> None:
    assert faults()["absent"].call("read_lines").arguments is None
    assert faults()["empty"].call("read_lines").arguments == ""
    assert faults()["null"].call("read_lines").arguments == "null"


def test_a_fault_says_to_which_tools_it_applies() -> None:
    with pytest.raises(KeyError, match=r"bad_enum does not apply to read_lines; it applies to query_orders"):
        faults()["bad_enum"].call("read_lines")


def test_the_file_holds_only_what_its_readme_describes() -> None:
    stored: dict[str, Any] = json.loads(data("faults", "catalogue.json").read_text(encoding="utf-8"))
    assert set(stored) == {"good", "faults"}
    for entry in stored["faults"]:
        assert set(entry) == {"name", "place", "title", "calls"}
        for raw in entry["calls"].values():
            text = raw["raw"] if isinstance(raw, dict) else raw
            parts = text if isinstance(text, list) else [text]
            assert all(part is None or isinstance(part, str) or set(part) == {"repeat"} for part in parts)


# ---- the table and the tools ----


def test_the_table_is_its_text(workspace: Path) -> None:
    table = verdicts(workspace)
    lines = repr(table).splitlines()
    assert len(lines) == 2 + len(faults()) == 2 + len(table)
    assert lines[1].split() == ["fault", "sent", "to", *(["pydantic", "subset", "jsonschema"] * 2)]
    cells = {line.split()[0]: line.split()[2:] for line in lines[3:]}
    assert cells["fenced"] == ["repaired"] * 3 + ["parse"] * 3
    assert cells["inverted_range"] == ["cross-check"] * 6
    assert cells["not_there"] == ["failed"] * 6


def test_compare_weather_is_a_sound_tool(workspace: Path) -> None:
    registry = ToolRegistry(fault_tools(workspace))
    compare = registry["compare_weather"]
    assert lint(compare) == []
    result = ToolRuntime(registry).dispatch(good_calls()["compare_weather"])
    assert [row["city"] for row in result.data] == ["Beijing", "Shanghai"]
    assert [row["temperature_c"] for row in result.data] == [26.5, 31.2]
