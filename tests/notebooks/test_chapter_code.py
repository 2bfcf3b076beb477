"""What the chapters write by hand, tried on more than the chapters try it on: the definitions of the solved twins."""

from __future__ import annotations

import ast
import json
from functools import cache
from typing import Any

import pytest

from labkit import Problem, ScriptedModel
from labkit.course.lab import Lab
from labkit.paths import repository

DEFINING = (ast.FunctionDef, ast.Import, ast.ImportFrom)
VALUES = (None, True, 0, -1, 7, 2.5, "", "text", [], ["a", 7], {}, {"n": 1}, {"n": "1"})
# Each keyword alone, as a schema may hold it without any of the others.
KEYWORDS: dict[str, Any] = {
    "type": ["integer", "null"],
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
    "minimum": 3,
    "maximum": 3,
    "minLength": 3,
    "minItems": 3,
    "enum": [0, "text"],
    "items": {"type": "string"},
}


def definitions(chapter: str, *tables: str) -> dict[str, Any]:
    """Run the functions and imports of a solved chapter, and every statement that fills one of the tables."""
    names: dict[str, Any] = {"lab": Lab(chapter[:2], repository())}
    notebook = json.loads((repository() / "notebooks" / "solutions" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for node in (node for source in sources for node in ast.parse(source).body):
        parts = node.body if isinstance(node, ast.If) else [node]
        for part in parts:
            fills = isinstance(part, ast.Assign | ast.AugAssign | ast.For) and any(
                isinstance(each, ast.Name) and each.id in tables for each in ast.walk(part)
            )
            if fills or (isinstance(part, DEFINING) and not _decorated(part)):
                exec(compile(ast.Module([part], []), f"<{chapter}>", "exec"), names)
    return names


def _decorated(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and bool(node.decorator_list)


@cache
def validator() -> dict[str, Any]:
    return definitions("03_validation", "RULES", "TYPES")


def test_every_rule_of_chapter_03_is_known_here() -> None:
    assert set(validator()["RULES"]) == set(KEYWORDS)


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_rule_of_chapter_03_judges_any_value_under_its_keyword_alone(keyword: str) -> None:
    schema = {keyword: KEYWORDS[keyword]}
    found = [validator()["find_problems"](schema, value, "p") for value in VALUES]
    assert all(isinstance(problem, Problem) for problems in found for problem in problems)
    assert any(found), "some value breaks it"
    assert not all(found), "and some value does not"


def test_defaults_of_chapter_03_need_no_parameters() -> None:
    assert validator()["validate_v0"]({"type": "object"}, {}) == ({}, [])


@pytest.mark.parametrize(("keyword", "value"), [("minimum", 1), ("minLength", "a"), ("minItems", ["a"])])
def test_a_lower_bound_is_worded_as_one(keyword: str, value: Any) -> None:
    (problem,) = validator()["find_problems"]({keyword: 3}, value, "p")
    assert "at least 3" in problem.message


def test_the_slip_of_chapter_14_is_there_again_whatever_was_mended_in_place() -> None:
    names = definitions("14_mini_agent")
    model = ScriptedModel(names["lab"].script("m2_task"))
    names["model"] = model
    sound = model.script["decisions"][3]["tool_calls"][0]["arguments"]["old"]
    first = names["spoilt_script"]()
    for script in (model.script, first):
        script["decisions"][3]["tool_calls"][0].update(id="call_8", arguments={"old": sound})
    call = names["spoilt_script"]()["decisions"][3]["tool_calls"][0]
    assert (call["id"], call["arguments"]["old"]) == ("call_6", "?")
