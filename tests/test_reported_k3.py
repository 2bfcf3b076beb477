"""Failures that people have reported of validation: each case by its id, with data of our own, and its siblings.

Where our design decides otherwise than the report hoped for, the test says so. Every case is put to all three
validators; the hand-written one is left out only where a schema has branches, which it refuses to judge.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError
from tools_for_tests import calls, codes, runtime_of

from labkit import Tool, ToolCall, ToolResult

ALL = pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
WITH_BRANCHES = pytest.mark.parametrize("validator", ["pydantic", "jsonschema"])


def sent(fn: Callable[..., Any], arguments: Any, validator: str = "pydantic") -> ToolResult:
    """Send a tool made of this function these arguments, as a model does."""
    made = Tool.from_function(fn, description="Try.")
    return runtime_of(made, validator=validator).dispatch(ToolCall("call_1", made.name, arguments))


def problems(result: ToolResult) -> dict[str, str]:
    """Return what is wrong with the arguments: path to message. The tool was not touched."""
    assert (codes([result]), result.started) == (["schema_validation"], None)
    assert result.error is not None
    return {problem.path: problem.message for problem in result.error.problems}


# --- K3-01: text that looks like something else ---------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", "00123", "1.0", "true", "null", "", "2025-03-01", '"quoted"'])
def test_k3_01_text_stays_text_whatever_it_looks_like(text: str, validator: str) -> None:
    def keep(note: str) -> str:
        return f"{type(note).__name__}:{note}"

    result = sent(keep, json.dumps({"note": text}), validator)
    assert (result.content, result.repairs) == (f"str:{text}", ())


@WITH_BRANCHES
def test_k3_01_a_choice_that_admits_text_keeps_text(validator: str) -> None:
    def keep(a: str | list[str], b: dict[str, str] | str | None = None, c: Any = None) -> str:
        return repr((a, b, c))

    result = sent(keep, {"a": '["x"]', "b": '{"x": "y"}', "c": "[1]"}, validator)
    assert (result.content, result.repairs) == ("""('["x"]', '{"x": "y"}', '[1]')""", ())


# --- K3-02: lists and objects sent as text --------------------------------------------------------------------------


class Berth(BaseModel):
    number: int


def moor(days: list[str], limits: dict[str, int] | None = None, berth: Berth | None = None) -> str:
    return f"{days} {limits} {berth and berth.number}"


@WITH_BRANCHES
@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"days": '["MO", "TU"]'}, "['MO', 'TU'] None None"),
        ({"days": ["MO"], "limits": '{"a": 1}', "berth": '{"number": 2}'}, "['MO'] {'a': 1} 2"),
        ({"days": " [] ", "berth": '{"number": 2.0}'}, "[] None 2"),
    ],
)
def test_k3_02_text_is_read_once_where_only_a_structure_fits(
    arguments: dict[str, Any], content: str, validator: str
) -> None:
    result = sent(moor, json.dumps(arguments), validator)
    assert (result.content, "double_encoding" in result.repairs) == (content, True)


@WITH_BRANCHES
@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        ({"days": "MO,TU"}, "days", 'must be an array, got "MO,TU"'),
        ({"days": '["MO"'}, "days", 'must be an array, got "["MO""'),
        ({"days": '{"a": 1}'}, "days", 'must be an array, got "{"a": 1}"'),
        ({"days": "['MO']"}, "days", "must be an array, got \"['MO']\""),
        ({"days": "[NaN]"}, "days", 'must be an array, got "[NaN]"'),
        ({"days": [], "limits": '{"a": 1, "a": 2}'}, "limits", 'must be an object or null, got "{"a": 1, "a": 2}"'),
        ({"days": [], "berth": '{"number": "2"}'}, "berth.number", 'must be an integer, got "2"'),
        ({"days": [], "berth": '"{\\"number\\": 2}"'}, "berth", 'must be an object or null, got ""{\\"number\\": 2}""'),
    ],
)
def test_k3_02_what_can_not_be_read_is_judged_as_it_came(
    arguments: dict[str, Any], path: str, message: str, validator: str
) -> None:
    assert problems(sent(moor, json.dumps(arguments), validator)) == {path: message}


# --- K3-04: words for true and false --------------------------------------------------------------------------------


class Options(BaseModel):
    dry_run: bool = True


@ALL
@pytest.mark.parametrize("value", ["false", "False", "no", "off", "", "maybe", "1", 0, 1, 2, 0.0, [], {}])
def test_k3_04_only_true_and_false_are_truth_values(value: Any, validator: str) -> None:
    def remove(path: str, dry_run: bool = True) -> str:
        return f"{dry_run}"

    def remove_with(path: str, options: Options) -> str:
        return f"{options.dry_run}"

    flat = problems(sent(remove, {"path": "a", "dry_run": value}, validator))
    nested = problems(sent(remove_with, {"path": "a", "options": {"dry_run": value}}, validator))
    assert flat["dry_run"].startswith("must be true or false, got ")
    assert nested == {"options.dry_run": flat["dry_run"]}


@ALL
@pytest.mark.parametrize("value", [True, False])
def test_k3_04_true_and_false_arrive_as_they_are(value: bool, validator: str) -> None:
    def remove(dry_run: bool = True) -> str:
        return repr(dry_run)

    assert sent(remove, json.dumps({"dry_run": value}), validator).content == repr(value)


# --- K3-05: names that the tool does not know -----------------------------------------------------------------------


@ALL
def test_k3_05_unknown_names_are_refused_with_those_there_are(validator: str) -> None:
    def log_lines(hours_back: int = 24, limit: int = 50) -> str:
        return f"{hours_back}/{limit}"

    found = problems(sent(log_lines, '{"hours": 1, "limit": 10, "status": "failed"}', validator))
    assert found == {
        "hours": 'is not a parameter; did you mean "hours_back"? known: hours_back, limit',
        "status": "is not a parameter; known: hours_back, limit",
    }


@ALL
def test_k3_05_also_inside_a_model_and_for_a_tool_without_parameters(validator: str) -> None:
    def tie(berth: Berth) -> str:
        return "tied"

    def tide() -> str:
        return "high"

    assert "number" in problems(sent(tie, {"berth": {"number": 1, "nummer": 2}}, validator))["berth.nummer"]
    assert list(problems(sent(tide, {"reason": "curious"}, validator))) == ["reason"]


# --- K3-07: a choice in other letters -------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@ALL
@pytest.mark.parametrize("value", ["MARKDOWN", "Json ", " json", "yaml", ""])
def test_k3_07_a_choice_is_taken_to_the_letter_and_those_there_are_are_told(value: Any, validator: str) -> None:
    """Nothing is folded: of ``m`` and ``M`` both can be members, and a near miss is mended by the model in one turn."""

    def show(kind: Literal["markdown", "json"] = "markdown", unit: Literal["m", "M"] = "m") -> str:
        return kind + unit

    found = problems(sent(show, {"kind": value}, validator))
    assert found["kind"] == f'must be one of "markdown", "json"; got {json.dumps(value)}'
    assert sent(show, {"unit": "M"}, validator).content == "markdownM"


@ALL
@pytest.mark.parametrize("value", ["RED", "Red", "Colour.RED"])
def test_k3_07_an_enum_is_chosen_by_value_and_not_by_name(value: str, validator: str) -> None:
    def paint(colour: Colour) -> str:
        return colour.name

    assert problems(sent(paint, {"colour": value}, validator))["colour"].startswith('must be one of "red", "blue"')
    assert sent(paint, {"colour": "red"}, validator).content == "RED"


# --- K3-08: one message with every problem --------------------------------------------------------------------------


class Line(BaseModel):
    sku: str
    qty: int


def buy(lines: list[Line], note: str = "") -> str:
    return "bought"


@ALL
def test_k3_08_all_problems_are_told_at_once_with_their_paths(validator: str) -> None:
    result = sent(buy, {"lines": [{"sku": "a", "qty": "many"}, {"qty": 2}], "notes": "x" * 500}, validator)
    assert problems(result) == {
        "lines.0.qty": 'must be an integer, got "many"',
        "lines.1.sku": "is required",
        "notes": 'is not a parameter; did you mean "note"? known: lines, note',
    }
    assert "buy" in result.content
    for leak in ("pydantic", "http", "Line", "Traceback", "input_value", "x" * 41):
        assert leak not in result.content


@ALL
def test_k3_08_a_hundred_problems_are_a_short_message(validator: str) -> None:
    result = sent(buy, {"lines": [{"sku": "y" * 1_000, "qty": "z" * 1_000}] * 100}, validator)
    assert len(problems(result)) == 100
    assert (result.content.count("must be an integer"), len(result.content) < 800) == (5, True)
    assert result.content.endswith("and 95 more problems")


# --- K3-10: what Python refuses after the schema agreed -------------------------------------------------------------


class Even(BaseModel):
    size: int = 1

    @field_validator("size")
    @classmethod
    def even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("size must be even")
        return value


class Ordered(BaseModel):
    low: int
    high: int

    @model_validator(mode="after")
    def ordered(self) -> Ordered:
        if self.low > self.high:
            raise AssertionError("low must not be above high")
        return self


@dataclass
class Depth:
    metres: int

    def __post_init__(self) -> None:
        if self.metres < 0:
            raise ValueError("metres must not be negative")


def place(size: Even | None = None, span: Ordered | None = None, depth: Depth | None = None) -> str:
    return "placed"


@WITH_BRANCHES
@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        ({"size": {"size": 3}}, "size.size", "size must be even"),
        ({"span": {"low": 2, "high": 1}}, "span", "low must not be above high"),
        ({"depth": {"metres": -1}}, "depth", "metres must not be negative"),
    ],
)
def test_k3_10_an_authors_own_rule_speaks_in_its_own_words(
    arguments: dict[str, Any], path: str, message: str, validator: str
) -> None:
    assert problems(sent(place, arguments, validator)) == {path: message}
    assert sent(place, {"span": {"low": 1, "high": 2}}, validator).content == "placed"


def taking(rule: Callable[[str], Any], kind: Any = AfterValidator) -> Callable[..., Any]:
    """Return a function whose one parameter is judged by a rule of its author's."""

    def take(text: Any) -> str:
        return "taken"

    take.__annotations__ = {"text": Annotated[str, kind(rule)], "return": str}
    return take


def _lookup(text: str) -> str:
    return {"a": "b"}[text]


def _stop(text: str) -> str:
    raise SystemExit(3)


def _leave(text: str) -> str:
    raise GeneratorExit


class _Mute(ValueError):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def _mute(text: str) -> str:
    raise _Mute


@WITH_BRANCHES
@pytest.mark.parametrize("rule", [_lookup, _stop, _leave, _mute])
@pytest.mark.parametrize("kind", [AfterValidator, BeforeValidator])
def test_k3_10_a_rule_that_breaks_is_an_answer_and_its_siblings_run(rule: Any, kind: Any, validator: str) -> None:
    def other() -> str:
        return "ran"

    made = [Tool.from_function(fn, description="Try.") for fn in (taking(rule, kind), other)]
    results = runtime_of(*made, validator=validator).dispatch_many(calls(("take", {"text": "x"}), ("other", None)))
    assert codes(results) == ["schema_validation", None]
    assert results[1].content == "ran"


def _to_int(text: str) -> int:
    return int(text)


def _to_date(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def _to_json(text: str) -> Any:
    return json.loads(text)


def _to_bytes(text: str) -> bytes:
    return text.encode("ascii")


@WITH_BRANCHES
@pytest.mark.parametrize("rule", [_to_int, _to_date, _to_json, _to_bytes])
def test_k3_10_words_of_python_are_not_passed_on(rule: Any, validator: str) -> None:
    """They change with versions, and nobody wrote them for this parameter."""
    assert problems(sent(taking(rule), {"text": "zwölf"}, validator)) == {"text": 'is not accepted, got "zwölf"'}


@WITH_BRANCHES
@pytest.mark.parametrize("raised", [ValueError, lambda text: PydanticCustomError("shop", text)])
def test_k3_10_an_authors_words_carry_no_path_and_no_key(
    raised: Any, validator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "abcd-1234-wxyz")

    def rule(text: str) -> str:
        raise raised("no such item in /home/ann/shop/items.db, asked with abcd-1234-wxyz")

    found = problems(sent(taking(rule), {"text": "x"}, validator))
    assert found == {"text": "no such item in [path], asked with [hidden]"}


# --- K3-12: true and numbers where text is wanted -------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("value", [True, False, ["a"], {"a": 1}, None, 12, 0.10, 0])
def test_k3_12_nothing_but_text_is_text(value: Any, validator: str) -> None:
    """Numbers are refused too: ``0.10`` could only arrive as ``0.1``."""

    def name(text: str) -> str:
        return text

    assert problems(sent(name, json.dumps({"text": value}), validator))["text"].startswith("must be a string, got ")


@ALL
@pytest.mark.parametrize("value", [True, False, "1", "0.5", "", [1]])
def test_k3_12_nothing_but_a_number_is_a_number(value: Any, validator: str) -> None:
    def weigh(kilos: float = 0.0, bags: int = 0) -> str:
        return "weighed"

    found = problems(sent(weigh, {"kilos": value, "bags": value}, validator))
    assert found["kilos"].startswith("must be a number, got ")
    assert found["bags"].startswith("must be an integer, got ")


@ALL
def test_k3_12_also_in_lists_and_choices(validator: str) -> None:
    def pick(names: list[str], ids: Annotated[list[int], Field(max_length=3)], level: Literal[1, 2] = 1) -> str:
        return "picked"

    found = problems(sent(pick, {"names": ["a", 1, True], "level": True, "ids": [1, True, "2"]}, validator))
    assert set(found) == {"names.1", "names.2", "level", "ids.1", "ids.2"}
