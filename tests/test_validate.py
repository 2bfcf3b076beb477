"""``validate``, ``unsupported``, ``normaliser`` and ``judge``, one rule after the other."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, field_validator
from strategies import arguments, close_values, json_values, subset_schemas
from typing_extensions import TypedDict

import labkit
from labkit import Problem, validate
from labkit.validate.adapters import judge
from labkit.validate.coverage import unsupported
from labkit.validate.normalise import normaliser

KINDS = ("pydantic", "subset", "jsonschema")
SUITE = Path(labkit.__file__).resolve().parents[2] / "shared" / "conformance" / "jsonschema-suite"


def said(schema: Any, value: Any) -> list[str]:
    return [str(problem) for problem in validate(schema, value)[1]]


def an_object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def adapter_of(**fields: Any) -> TypeAdapter[Any]:
    """Make the adapter that a function with these annotations gets."""
    arguments = TypedDict("arguments", fields)  # type: ignore[misc]
    arguments.__pydantic_config__ = ConfigDict(extra="forbid", regex_engine="python-re")  # type: ignore[attr-defined]
    return TypeAdapter(arguments)


# The hand-written validator.


def test_the_public_suite_agrees_in_all_398_tests_of_the_subset() -> None:
    if not SUITE.is_dir():
        pytest.skip("the JSON Schema test suite is not beside the checkout")
    index = json.loads((SUITE / "index.json").read_text(encoding="utf-8"))["tests"]
    wrong, tried = [], 0
    for entry in index:
        if not entry["in_subset"]:
            continue
        file, _, place = entry["id"].partition("#")
        group, number = map(int, place.split("/"))
        case = json.loads((SUITE / file).read_text(encoding="utf-8"))[group]
        test = case["tests"][number]
        tried += 1
        if (not validate(case["schema"], test["data"])[1]) != test["valid"] or unsupported(case["schema"]):
            wrong.append(entry["id"])
    assert wrong == []
    assert tried == 398


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "six", 'must be an integer, got "six"'),
        ({"type": "integer"}, True, "must be an integer, got true"),
        ({"type": "integer"}, 5.5, "must be an integer, got 5.5"),
        ({"type": "number"}, False, "must be a number, got false"),
        ({"type": "boolean"}, "false", 'must be true or false, got "false"'),
        ({"type": "boolean"}, 0, "must be true or false, got 0"),
        ({"type": ["string", "null"]}, 12, "must be a string or null, got 12"),
        ({"type": "array"}, {"a": 1}, "must be an array, got an object of 1"),
        ({"enum": ["paid", "unpaid", "refunded"]}, "PAID", 'must be one of "paid", "unpaid", "refunded"; got "PAID"'),
        ({"enum": [0, [0]]}, False, "must be one of 0, an array of 1; got false"),
        ({"const": {"a": [1]}}, {"a": [True]}, "must be an object of 1, got an object of 1"),
        ({"minimum": 1}, 0, "must be at least 1, got 0"),
        ({"maximum": 1.5}, 2, "must be at most 1.5, got 2"),
        ({"exclusiveMinimum": 1}, 1, "must be more than 1, got 1"),
        ({"exclusiveMaximum": 1}, 1.0, "must be less than 1, got 1.0"),
        ({"multipleOf": 0.1}, 0.35, "must be a multiple of 0.1, got 0.35"),
        ({"minLength": 1}, "", "must have at least 1 character, got 0"),
        ({"maxLength": 2}, "abc", "must have at most 2 characters, got 3"),
        ({"minItems": 2}, [1], "must have at least 2 items, got 1"),
        ({"maxItems": 1}, [1, 2], "must have at most 1 item, got 2"),
        ({"pattern": "^[a-z]+$"}, "A1", 'must match the pattern ^[a-z]+$, got "A1"'),
        ({"format": "date"}, "yesterday", 'must be a date such as 2025-03-01, got "yesterday"'),
        ({"format": "date"}, "20250301", 'must be a date such as 2025-03-01, got "20250301"'),
        ({"format": "date"}, "2025-W10-1", 'must be a date such as 2025-03-01, got "2025-W10-1"'),
        ({"format": "date"}, "2025-02-30", 'must be a date such as 2025-03-01, got "2025-02-30"'),
        (False, 1, "is not allowed"),
    ],
)
def test_each_keyword_says_what_it_wants(schema: Any, value: Any, message: str) -> None:
    assert [problem.message for problem in validate(schema, value)[1]] == [message]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 5.0),
        ({"type": "number"}, 5),
        ({"enum": [1]}, 1.0),
        ({"const": [1, {"a": 2.0}]}, [1.0, {"a": 2}]),
        ({"multipleOf": 0.1}, 0.3),
        ({"multipleOf": 0.01}, 4.35),
        ({"pattern": "b"}, "abc"),
        ({"format": "date"}, "2024-02-29"),
        ({"format": "date", "minimum": 5, "maxItems": 0}, 7),
        (True, {"anything": 1}),
        ({}, None),
    ],
)
def test_what_fits_has_no_problem(schema: Any, value: Any) -> None:
    assert validate(schema, value) == (value, [])


def test_all_problems_come_at_once_in_the_order_of_the_schema_then_of_the_arguments() -> None:
    schema = {
        "additionalProperties": False,
        "required": ["note", "size", "undeclared"],
        "properties": {
            "size": {"type": "integer"},
            "items": {"items": an_object({"qty": {"type": "integer"}, "sku": {"type": "string"}}, "qty", "sku")},
            "note": {"type": "string"},
        },
    }
    value = {"zeta": 1, "items": [{"sku": "a", "qty": "many"}, {"qty": 2}], "notes": "x"}
    assert said(schema, value) == [
        "size: is required",
        'items.0.qty: must be an integer, got "many"',
        "items.1.sku: is required",
        "note: is required",
        "undeclared: is required",
        "zeta: is not a parameter; known: size, items, note",
        'notes: is not a parameter; did you mean "note"? known: size, items, note',
    ]


def test_unknown_names_get_a_near_match_and_the_list() -> None:
    schema = an_object({"hours_back": {"type": "integer"}, "limit": {"type": "integer"}})
    assert said(schema, {"hours": 1, "limt": 2, "status": "failed"}) == [
        'hours: is not a parameter; did you mean "hours_back"? known: hours_back, limit',
        'limt: is not a parameter; did you mean "limit"? known: hours_back, limit',
        "status: is not a parameter; known: hours_back, limit",
    ]
    assert said(an_object({}), {"x": 1}) == ["x: is not a parameter; known: none"]
    assert said({"properties": {"o": an_object({"a": {}})}}, {"o": {"b": 1}}) == ["o.b: is not a field; known: a"]


def test_received_text_is_shown_short_and_on_one_line() -> None:
    long = "x\n" * 5000
    for problem in validate(an_object({"n": {"type": "integer"}}), {"n": long, long: 1})[1]:
        assert len(str(problem)) < 150
        assert "\n" not in str(problem)


def test_other_names_are_checked_against_their_schema() -> None:
    schema = {"additionalProperties": {"type": "integer"}}
    assert said(schema, {"a": 1, "b": "2"}) == ['b: must be an integer, got "2"']


def test_defaults_are_filled_after_the_check_at_every_depth_and_unchecked() -> None:
    part = {"properties": {"unit": {"type": "string", "default": "m"}}}
    schema = {
        "$defs": {"part": part},
        "properties": {
            "list": {"items": {"$ref": "#/$defs/part"}},
            "one": part,
            "tags": {"default": ["a"]},
            "size": {"type": "integer", "default": "large"},
            "linked": {"$ref": "#/$defs/part", "default": {}},
        },
        "additionalProperties": part,
    }
    value = {"list": [{}, {"unit": "km"}], "one": {}, "else": {}}
    before = copy.deepcopy(value)
    filled, problems = validate(schema, value)
    assert problems == []
    assert filled == {
        "list": [{"unit": "m"}, {"unit": "km"}],
        "one": {"unit": "m"},
        "else": {"unit": "m"},
        "tags": ["a"],
        "size": "large",
        "linked": {},
    }
    filled["tags"].append("b")
    assert value == before
    assert validate(schema, value)[0]["tags"] == ["a"]


def test_a_value_with_problems_comes_back_as_it_was() -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {"default": 1}}}
    assert validate(schema, {"a": "x"})[0] == {"a": "x"}


def test_references_are_followed_and_circles_end() -> None:
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {"node": an_object({"n": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}})},
    }
    assert said(tree, {"n": 1, "next": {"n": 2, "next": {"n": "x"}}}) == ['next.next.n: must be an integer, got "x"']
    assert said({"$ref": "#"}, 5) == []
    circle = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b", "minimum": 3}, "b": {"$ref": "#/$defs/a"}}}
    assert said(circle, 2) == ["(arguments): must be at least 3, got 2"]
    assert said({"$defs": {"a/b~c": {"type": "null"}}, "$ref": "#/$defs/a~1b~0c"}, 1) == [
        "(arguments): must be null, got 1"
    ]


def test_deep_values_are_walked_to_their_end() -> None:
    value: Any = {}
    for _ in range(99):
        value = {"a": value}
    schema = {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}
    assert validate(schema, value) == (value, [])
    for _ in range(5_000):
        value = {"a": value}
    assert "nested too deeply" in validate(schema, value)[1][0].message


def test_what_is_not_known_is_named() -> None:
    schema = {
        "type": "object",
        "title": "t",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
            "when": {"type": "string", "format": "email"},
            "day": {"type": "string", "format": "date"},
            "tags": {"items": {"anyOf": [{}]}},
            "map": {"additionalProperties": {"oneOf": [{}]}},
            "kind": {"type": "dict"},
            "code": {"pattern": "["},
            "far": {"$ref": "https://example.org/schema"},
            "lost": {"$ref": "#/$defs/none"},
            "old": {"required": True},
            "pair": {"items": [{}, {}]},
        },
        "$defs": {"item": {"not": {}}},
        "if": {},
    }
    assert unsupported(schema) == [
        "if",
        "when: format email",
        "tags.items.anyOf",
        "map.additionalProperties.oneOf",
        "kind: type dict",
        "code: pattern [",
        "far: $ref https://example.org/schema",
        "lost: $ref #/$defs/none",
        "old: required true",
        "pair: items an array of 2",
        "$defs.item.not",
    ]
    with pytest.raises(ValueError, match=r"does not know if, when: format email, tags\.items\.anyOf"):
        judge("subset", schema)


# Normalising.


def normal(schema: Any, values: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    before = copy.deepcopy(values)
    result = normaliser(schema)(values)
    assert values == before
    return result


@pytest.mark.parametrize(
    ("part", "value", "expected", "repairs"),
    [
        ({"type": "integer"}, 5.0, 5, ("integral_float",)),
        ({"type": "integer"}, 5.5, 5.5, ()),
        ({"type": "integer"}, "5", "5", ()),
        ({"type": "number"}, 5.0, 5.0, ()),
        ({"type": ["integer", "null"]}, 5.0, 5, ("integral_float",)),
        ({"type": ["integer", "number"]}, 5.0, 5.0, ()),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 5.0, 5, ("integral_float",)),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, 5.0, 5.0, ()),
        ({"enum": [1, 2]}, 2.0, 2, ("integral_float",)),
        ({"type": "array", "items": {"type": "integer"}}, [1.0, 2], [1, 2], ("integral_float",)),
        ({"prefixItems": [{"type": "integer"}, {}]}, [1.0, 2.0], [1, 2.0], ("integral_float",)),
        ({"additionalProperties": {"type": "integer"}}, {"a": 1.0}, {"a": 1}, ("integral_float",)),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, 5.0, 5, ("integral_float",)),
        ({"type": "string"}, "a\ud800b", "a\ufffdb", ("surrogates",)),
        ({"type": "string"}, "\ud83d\ude00 é", "😀 é", ("surrogates",)),
        ({}, {"\udc00": ["\ud83d"]}, {"\ufffd": ["\ufffd"]}, ("surrogates",)),
        (
            {},
            {chr(0xDC00): 1, chr(0xDC01): 2, chr(0xFFFD): 3},
            {"\ufffd\ufffd": 1, "\ufffd\ufffd\ufffd": 2, "\ufffd": 3},
            ("surrogates",),
        ),
        ({"type": "array"}, '["MO", "TU"]', ["MO", "TU"], ("double_encoding",)),
        ({"type": ["object", "null"]}, ' {"a": 1}', {"a": 1}, ("double_encoding",)),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, '{"a": 1}', {"a": 1}, ("double_encoding",)),
        ({"type": "array", "items": {"type": "integer"}}, "[1.0]", [1], ("double_encoding", "integral_float")),
        ({"type": "array"}, '{"a": 1}', '{"a": 1}', ()),
        ({"type": "array"}, "MO,TU", "MO,TU", ()),
        ({"type": "array"}, '["MO"', '["MO"', ()),
        ({"type": "object"}, '{"a": 1, "a": 2}', '{"a": 1, "a": 2}', ()),
        ({"type": "object"}, '{"a": NaN}', '{"a": NaN}', ()),
        ({"type": "array"}, json.dumps(json.dumps([1])), json.dumps(json.dumps([1])), ()),
        ({"type": ["string", "object"]}, '{"a": 1}', '{"a": 1}', ()),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, '{"a": 1}', '{"a": 1}', ()),
        ({"type": "string"}, "00123", "00123", ()),
        ({}, "[1]", "[1]", ()),
    ],
)
def test_one_thing_that_can_be_meant_is_made_normal(part: Any, value: Any, expected: Any, repairs: Any) -> None:
    values, made = normal({"properties": {"x": part}, "required": ["x"]}, {"x": value})
    assert values == {"x": expected}
    assert made == repairs
    assert json.dumps(values["x"]) == json.dumps(expected)  # 5 and 5.0 are equal in Python


def test_null_for_a_parameter_with_a_default_means_the_default() -> None:
    schema = {
        "properties": {
            "must": {"type": "integer"},
            "may": {"type": "integer"},
            "null": {"type": ["integer", "null"]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "word": {"enum": ["a", None]},
            "any": {},
            "deep": {"properties": {"inner": {"type": "string"}}},
            "told": {"type": "integer", "default": 3},
        },
        "required": ["must", "told"],
    }
    values = {name: None for name in schema["properties"] if name != "deep"} | {"deep": {"inner": None}, "other": None}
    kept = {"must": None, "null": None, "either": None, "word": None, "any": None, "deep": {}, "other": None}
    assert normal(schema, values) == (kept, ("null_default",))


def test_references_and_branches_are_followed_where_one_of_them_fits() -> None:
    node = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    }
    schema = {"$defs": {"node": node}, "properties": {"head": {"$ref": "#/$defs/node"}}}
    values = {"head": {"n": 1.0, "next": {"n": 2.0, "next": '{"n": 3.0, "next": null}'}}}
    head = {"n": 1, "next": {"n": 2, "next": {"n": 3, "next": None}}}
    assert normal(schema, values) == ({"head": head}, ("integral_float", "double_encoding"))


def test_where_two_branches_fit_only_what_both_allow_is_done() -> None:
    cat = {"type": "object", "properties": {"lives": {"type": "integer"}, "size": {"type": "number"}}}
    dog = {"type": "object", "properties": {"lives": {"type": "integer"}, "size": {"type": "integer"}}}
    schema = {"properties": {"pet": {"oneOf": [cat, dog]}}}
    values, _ = normal(schema, {"pet": {"lives": 9.0, "size": 2.0}})
    assert json.dumps(values) == '{"pet": {"lives": 9, "size": 2.0}}'


def test_plain_arguments_come_back_as_they_are() -> None:
    values = {"path": "a", "n": 1, "more": [1, {"a": "é"}]}
    schema = {"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}
    result, repairs = normaliser(schema)(values)
    assert result is values
    assert repairs == ()


def test_text_in_text_in_text_ends() -> None:
    schema = {
        "$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}},
        "properties": {"x": {"$ref": "#/$defs/list"}},
    }
    text = "[]"
    for _ in range(12):
        text = json.dumps([text])
    values, repairs = normal(schema, {"x": text})
    assert repairs == ("double_encoding",)
    assert isinstance(values["x"], list)


@given(subset_schemas, st.data())
def test_law_what_is_normal_stays_as_it_is(schema: Any, data: st.DataObject) -> None:
    values = data.draw(arguments | close_values(schema).filter(lambda value: isinstance(value, dict)))
    before = copy.deepcopy(values)
    normalise = normaliser(schema)
    once, _ = normalise(values)
    assert json.dumps(values) == json.dumps(before)
    json.dumps(once, ensure_ascii=False).encode()
    if "double_encoding" not in normalise(values)[1]:
        assert normalise(once) == (once, ())


# Judging.


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    sku: str
    qty: int = 1


class Job(BaseModel):
    size: int = 2

    @field_validator("size")
    @classmethod
    def even(cls, value: int) -> int:
        if value == 99:
            raise KeyError("secret/path")
        if value % 2:
            raise ValueError("size must be even")
        return value


@dataclass
class Point:
    x: int
    y: float = 0.0


def judged(values: dict[str, Any], kind: str, **fields: Any) -> Any:
    adapter = adapter_of(**fields)
    schema = adapter.json_schema()
    normal_values, _ = normaliser(schema)(values)
    before = copy.deepcopy(normal_values)
    result = judge(kind, schema, adapter)(normal_values)
    assert normal_values == before
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_gets_its_annotated_types_whoever_judges(kind: str) -> None:
    values, problems = judged({"day": "2025-03-01", "n": 5.0, "f": 2}, kind, day=date, n=int, f=float)
    assert (values, problems) == ({"day": date(2025, 3, 1), "n": 5, "f": 2.0}, [])
    assert type(values["f"]) is float


@pytest.mark.parametrize("kind", ["pydantic", "jsonschema"])
def test_enums_models_dataclasses_and_containers_come_typed(kind: str) -> None:
    fields = {
        "colour": Colour,
        "items": list[Item],
        "point": Point | None,
        "pair": tuple[int, str],
        "names": set[str],
        "raw": NotRequired[dict[str, int]],
    }
    values = {"colour": "red", "items": [{"sku": "a"}], "point": {"x": 1}, "pair": [1, "b"], "names": ["a", "b"]}
    assert judged(values, kind, **fields) == (
        {"colour": Colour.RED, "items": [Item(sku="a")], "point": Point(1), "pair": (1, "b"), "names": {"a", "b"}},
        [],
    )


STRICT = [
    ({"n": int}, {"n": "5"}, 'n: must be an integer, got "5"'),
    ({"n": int}, {"n": True}, "n: must be an integer, got true"),
    ({"s": str}, {"s": 12}, "s: must be a string, got 12"),
    ({"s": str}, {"s": True}, "s: must be a string, got true"),
    ({"s": str}, {"s": None}, "s: must be a string, got null"),
    ({"f": float}, {"f": True}, "f: must be a number, got true"),
    ({"f": float}, {"f": "0.10"}, 'f: must be a number, got "0.10"'),
    ({"b": bool}, {"b": "false"}, 'b: must be true or false, got "false"'),
    ({"b": bool}, {"b": 0}, "b: must be true or false, got 0"),
    ({"one": Literal[1]}, {"one": True}, "one: must be 1, got true"),
    ({"day": date}, {"day": "1756684800"}, 'day: must be a date such as 2025-03-01, got "1756684800"'),
    ({"day": date}, {"day": 1756684800}, "day: must be a string, got 1756684800"),
    (
        {"day": date},
        {"day": "2025-03-01T00:00:00"},
        'day: must be a date such as 2025-03-01, got "2025-03-01T00:00:00"',
    ),
    ({"p": Annotated[str, Field(pattern="^a(?=b)")]}, {"p": "ac"}, 'p: must match the pattern ^a(?=b), got "ac"'),
    ({"n": Annotated[int, Field(ge=1)]}, {"n": 0}, "n: must be at least 1, got 0"),
    ({"s": Annotated[str, Field(min_length=1)]}, {"s": ""}, "s: must have at least 1 character, got 0"),
    ({"t": list[int]}, {"t": ["1"]}, 't.0: must be an integer, got "1"'),
    ({"t": list[int]}, {"t": "1,2"}, 't: must be an array, got "1,2"'),
    ({"n": int}, {}, "n: is required"),
    ({"n": int}, {"n": 1, "m": 2}, "m: is not a parameter; known: n"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("fields", "values", "problem"), STRICT, ids=[problem for *_, problem in STRICT])
def test_nothing_is_coerced_and_all_judges_say_it_alike(fields: Any, values: Any, problem: str, kind: str) -> None:
    result, problems = judged(values, kind, **fields)
    assert result is None
    assert [str(each) for each in problems] == [problem]


@pytest.mark.parametrize("kind", ["pydantic", "jsonschema"])
@pytest.mark.parametrize(
    ("fields", "values", "problems"),
    [
        ({"items": list[Item]}, {"items": [{"sku": "a", "qty": "2"}]}, ['items.0.qty: must be an integer, got "2"']),
        ({"o": dict[str, int] | None}, {"o": "MO,TU"}, ['o: must be an object or null, got "MO,TU"']),
        ({"o": Item | None}, {"o": {"qty": 1}}, ["o.sku: is required"]),
        ({"u": int | Literal["all"]}, {"u": "none"}, ['u: must be an integer or "all", got "none"']),
        ({"t": set[int]}, {"t": [1, 1]}, ["t: must not hold an item twice: items 0 and 1 are both 1"]),
        ({"t": tuple[int, str]}, {"t": [1, 2]}, ["t.1: must be a string, got 2"]),
        ({"c": Colour}, {"c": "RED"}, ['c: must be one of "red", "blue"; got "RED"']),
        ({"day": date | None}, {"day": "1756684800"}, ['day: must be a date such as 2025-03-01, got "1756684800"']),
        ({"one": Literal[1] | None}, {"one": True}, ["one: must be 1 or null, got true"]),
    ],
)
def test_nested_types_and_unions_are_judged_as_strictly(fields: Any, values: Any, problems: Any, kind: str) -> None:
    result, found = judged(values, kind, **fields)
    assert result is None
    assert [str(each) for each in found] == problems


@pytest.mark.parametrize("kind", KINDS)
def test_an_authors_own_message_is_kept_and_any_exception_is_a_problem(kind: str) -> None:
    if kind == "subset":
        small = Annotated[int, BeforeValidator(Job.even)]
        assert judged({"job": 3}, kind, job=small) == (None, [Problem("job", "check", "size must be even")])
        result, problems = judged({"job": 99}, kind, job=small)
    else:
        assert judged({"job": {"size": 3}}, kind, job=Job) == (
            None,
            [Problem("job.size", "check", "size must be even")],
        )
        result, problems = judged({"job": {"size": 99}}, kind, job=Job)
    assert result is None
    assert str(problems[0]) == "(arguments): could not be checked: the check of these values failed (KeyError)"
    assert "secret" not in str(problems)


def test_a_lax_field_is_judged_by_its_schema_all_the_same() -> None:
    lax = Annotated[int, Field(strict=False)]
    assert [judged({"n": "5"}, kind, n=lax)[0] for kind in KINDS] == [None, None, None]
    early = Annotated[int, BeforeValidator(int)]
    assert [judged({"n": "5"}, kind, n=early)[0] for kind in KINDS] == [None, None, None]


def test_pydantics_own_rules_are_said_in_our_words() -> None:
    from uuid import UUID

    from pydantic import AwareDatetime

    result, problems = judged({"id": "7", "at": "2025-03-01T10:00:00"}, "pydantic", id=UUID, at=AwareDatetime)
    assert result is None
    assert [problem.path for problem in problems] == ["id", "at"]
    assert problems[0].message == 'must be a UUID such as 123e4567-e89b-42d3-a456-426614174000, got "7"'
    assert problems[1].rule == "format"
    assert "Input" not in str(problems)


def test_arguments_may_have_the_names_that_a_model_reserves() -> None:
    values = {"json": "a", "schema": "b", "model_config": "c", "self": "d"}
    fields = dict.fromkeys(values, str)
    assert judged(values, "pydantic", **fields) == (values, [])


def test_a_ready_made_schema_gets_its_own_defaults_and_jsonschema_where_pydantic_was_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "unit": {"default": "m"}},
        "not": {"required": ["bad"]},
    }
    for kind in ("pydantic", "jsonschema"):
        decide = judge(kind, schema)
        assert decide({"n": 1}) == ({"n": 1, "unit": "m"}, [])
        assert decide({"n": "x"})[1] == [Problem("n", "type", 'must be an integer or null, got "x"')]
        assert decide({"bad": 1})[1] == [Problem("", "not", "must not have this value, got an object of 1")]


def test_a_schema_that_is_none_is_refused_at_registration() -> None:
    with pytest.raises(ValueError, match=r"not valid JSON Schema at properties\.a\.type"):
        judge("jsonschema", {"properties": {"a": {"type": "dict"}}})
    with pytest.raises(ValueError, match='"pydantic", "subset" or "jsonschema"'):
        judge("guess", {})


def test_a_reference_out_of_the_schema_is_never_fetched() -> None:
    decide = judge("jsonschema", {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema"}}})
    result, problems = decide({"a": 1})
    assert result is None
    assert "could not be checked" in problems[0].message


@given(json_values)
def test_law_validate_never_raises_whatever_the_value(value: Any) -> None:
    schema = {"properties": {"path": {"type": "string", "pattern": "a"}}, "enum": [value], "items": {"$ref": "#"}}
    assert validate({"const": value}, value) == (value, [])
    assert validate(schema, value)[1] == [] or isinstance(value, dict | list)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", ["2026-09-01"], ["1756684800", "20260901", "2026-09-31", "yesterday"]),
        (
            "date-time",
            ["2026-09-01T10:00:00Z", "2026-09-01t10:00:00.25z", "2026-09-01T10:00", "2026-09-01T10:00:00+02:00"],
            ["1756684800", "-1", "1756684800.5", "2026-09-01 10:00", "2026-09-01", "2026-09-01T25:00:00Z", "now"],
        ),
        ("time", ["10:00", "10:00:00Z", "23:59:59.5+01:00"], ["3600", "24:00", "10", "10:60", "noon"]),
    ],
)
def test_formats_take_no_numbers_for_moments(name: str, good: list[str], bad: list[str]) -> None:
    schema = {"type": "string", "format": name}
    assert [validate(schema, text)[1] for text in good] == [[]] * len(good)
    assert [[p.rule for p in validate(schema, text)[1]] for text in bad] == [["format"]] * len(bad)
