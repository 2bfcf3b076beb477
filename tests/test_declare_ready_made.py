"""Ready-made schemas: what is put right, what is refused and where, and that nothing else comes out."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from labkit import Tool, ToolCall, ToolRegistry, ToolResult, ToolRuntime, lint
from labkit.validate import judge, normaliser
from tests.strategies import python_objects


def anything(**values: Any) -> dict[str, Any]:
    return values


def made(parameters: Any, fn: Any = anything, name: str = "work") -> Tool:
    return Tool.from_schema(name, "Does some work on values.", parameters, fn)


def part(schema: Any) -> Any:
    """Return what becomes of the schema of one property."""
    return made({"type": "object", "properties": {"value": schema}}).parameters["properties"]["value"]


def ran(declared: Tool, arguments: Any) -> ToolResult:
    return ToolRuntime(ToolRegistry([declared])).dispatch(ToolCall("call_1", declared.name, arguments))


# ---- put right ----


@pytest.mark.parametrize(
    "parameters", [{}, {"type": "object"}, {"type": "object", "properties": None}, {"properties": {}, "required": None}]
)
def test_no_properties_are_an_empty_closed_object(parameters: dict[str, Any]) -> None:
    declared = made(parameters, fn=lambda: "pong")
    empty = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert declared.parameters == empty
    assert declared.definition(strict=True)["function"]["parameters"] == empty
    assert [ran(declared, arguments).content for arguments in ("", "{}", None)] == ["pong"] * 3


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("dict", "object"),
        ("HashMap", "object"),
        ("OBJECT", "object"),
        ("tuple", "array"),
        ("ArrayList", "array"),
        ("String", "string"),
        ("char", "string"),
        ("Integer", "integer"),
        ("long", "integer"),
        ("float", "number"),
        ("Double", "number"),
        ("bool", "boolean"),
        ("None", "null"),
    ],
)
def test_well_known_spellings_of_types(spelling: str, name: str) -> None:
    declared = made({"type": "object", "properties": {"value": {"type": spelling}}})
    assert declared.parameters["properties"]["value"]["type"] == name
    assert declared.notes == (f'value: the type "{spelling}" is spelled "{name}"',)


def test_types_are_put_right_at_every_place() -> None:
    parameters = {
        "type": "dict",
        "properties": {
            "rows": {"type": "list", "items": {"type": "dict", "properties": {"n": {"type": "float"}}}},
            "either": {"anyOf": [{"type": "int"}, {"type": ["str", "None"]}]},
            "free": {"type": "any", "description": "whatever"},
        },
        "required": ["rows"],
    }
    before = copy.deepcopy(parameters)
    declared = made(parameters)
    assert declared.parameters == {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {"type": "object", "properties": {"n": {"type": "number"}}, "additionalProperties": False},
            },
            "either": {"anyOf": [{"type": "integer"}, {"type": ["string", "null"]}]},
            "free": {"description": "whatever"},
        },
        "required": ["rows"],
        "additionalProperties": False,
    }
    assert 'free: the type "any" is dropped, anything goes' in declared.notes
    assert "rows.items: unknown properties are refused" in declared.notes
    assert [finding.message for finding in lint(declared) if finding.rule == "changed"] == list(declared.notes)
    assert parameters == before, "what is handed in is not changed"


def test_words_that_are_no_types_are_left_alone() -> None:
    schema = {"enum": ["int", "dict"], "default": "int", "examples": ["float"], "description": "a type: int"}
    assert part(schema) == schema
    assert (
        made({"type": "object", "properties": {"type": {"type": "string"}, "default": {"type": "string"}}}).notes == ()
    )


@pytest.mark.parametrize(
    ("schema", "stays"),
    [
        ({"type": "string", "default": None}, False),
        ({"type": "integer", "default": "3"}, False),
        ({"type": "integer", "default": True}, False),
        ({"type": "string", "enum": ["a", "b"], "default": "c"}, False),
        ({"type": "integer", "minimum": 1, "default": 0}, False),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, False),
        ({"$ref": "#/$defs/small", "default": 7}, False),
        ({"$ref": "#/$defs/small", "default": 1}, True),
        ({"type": "float", "default": 3}, True),
        ({"type": ["string", "null"], "default": None}, True),
        ({"type": "list", "default": []}, True),
        ({"default": None}, True),
    ],
)
def test_a_default_that_its_own_type_refuses_is_dropped_and_said(schema: dict[str, Any], stays: bool) -> None:
    small = {"type": "integer", "maximum": 3}
    declared = made({"type": "object", "properties": {"value": schema}, "$defs": {"small": small}})
    assert ("default" in declared.parameters["properties"]["value"]) is stays
    assert any("is dropped, its type refuses it" in note for note in declared.notes) is not stays


def test_required_flags_move_into_the_list() -> None:
    flagged = {"a": {"type": "string", "required": True}, "b": {"type": "string", "required": False}}
    declared = made({"type": "object", "properties": {**flagged, "c": {"type": "string"}}, "required": ["c"]})
    assert declared.parameters["required"] == ["c", "a"]
    assert not any("required" in schema for schema in declared.parameters["properties"].values())
    assert declared.notes == ("the root: required stands in one list now",)


def test_keywords_of_documents_go_and_null_keywords_are_said() -> None:
    declared = made({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x", "type": "object"})
    assert not {"$schema", "$id"} & set(declared.parameters)
    assert declared.notes == ()
    declared = made({"type": "object", "properties": {"value": {"type": "string", "enum": None, "const": None}}})
    assert declared.parameters["properties"]["value"] == {"type": "string", "const": None}
    assert declared.notes == ("value: enum is dropped, it is null",)


# ---- closing ----


def test_objects_are_closed_where_they_say_nothing_about_others() -> None:
    inner = {"type": "object", "properties": {"a": {}}}
    assert part(inner)["additionalProperties"] is False
    assert part(inner | {"additionalProperties": True})["additionalProperties"] is True
    assert "additionalProperties" not in part(inner | {"patternProperties": {"^x": {}}})
    assert "additionalProperties" not in part({"type": "object"})
    assert part({"anyOf": [inner, {"type": "null"}]})["anyOf"][0]["additionalProperties"] is False
    assert part(inner | {"anyOf": [{"required": ["a"]}, {"minProperties": 2}]})["additionalProperties"] is False


A = {"properties": {"a": {"type": "integer"}}}
B = {"properties": {"b": {"type": "integer"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [A, B]},
        {**A, "allOf": [B]},
        {**A, "anyOf": [B, {"type": "null"}]},
        {**A, "oneOf": [B]},
        {**A, "$ref": "#/$defs/b"},
        {**A, "if": A, "then": B},
        {**A, "dependentSchemas": {"a": B}},
        {"allOf": [{"$ref": "#/$defs/b"}, A]},
    ],
)
def test_schemas_that_describe_one_object_together_are_not_closed(schema: dict[str, Any]) -> None:
    declared = made({"type": "object", "properties": {"value": schema}, "$defs": {"b": B}})
    assert ran(declared, {"value": {"a": 1, "b": 2}}).ok
    at_the_root = made({"type": "object", "$defs": {"b": B}, **schema})
    assert ran(at_the_root, {"a": 1, "b": 2}).ok


def test_not_is_not_turned_round_by_closing() -> None:
    declared = made({"type": "object", "properties": {"value": {"not": {"properties": {"a": {"type": "string"}}}}}})
    assert ran(declared, {"value": {"a": 1, "b": 2}}).ok
    assert not ran(declared, {"value": {"a": "x", "b": 2}}).ok


# ---- refused ----


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "date"}, "value: type must be one or several of object"),
        ({"type": 5}, "value: type must be"),
        ({"type": []}, "value: type must be"),
        ({"type": ["string", 5]}, "value: type must be"),
        ({"required": "a"}, "value: required must be an array of names"),
        ({"required": [5]}, "value: required must be"),
        ({"enum": "ab"}, "value: enum must be an array"),
        ({"enum": []}, "value: enum must be"),
        ({"items": [{}]}, "value: items must be a schema"),
        ({"properties": {"a": 5}}, "value: properties must be an object of schemas"),
        ({"properties": []}, "value: properties must be"),
        ({"anyOf": []}, "value: anyOf must be an array of at least one schema"),
        ({"allOf": {}}, "value: allOf must be"),
        ({"anyOf": [{"minimum": "1"}]}, 'value.anyOf.0: minimum must be a number, not "1"'),
        ({"exclusiveMinimum": True}, "value: exclusiveMinimum must be a number, not true"),
        ({"multipleOf": 0}, "value: multipleOf must be a number above 0"),
        ({"maxLength": -1}, "value: maxLength must be a whole number from 0 up"),
        ({"maxLength": 1.5}, "value: maxLength must be"),
        ({"pattern": "("}, "value: pattern must be a regular expression"),
        ({"patternProperties": {"(": {}}}, "value: patternProperties must be"),
        ({"description": 5}, "value: description must be text"),
        ({"uniqueItems": 1}, "value: uniqueItems must be true or false"),
        ({"dependentRequired": {"a": "b"}}, "value: dependentRequired must be"),
        ({"$dynamicRef": "#a"}, "value: $dynamicRef is not supported"),
        ({"$ref": "#/$defs/none"}, 'value: the reference "#/$defs/none" leads to no schema in here'),
        ({"$ref": "https://example.org/x"}, "leads to no schema in here"),
        ({"$ref": "#/required"}, "leads to no schema in here"),
        ({"$ref": "#/properties"}, "leads to no schema in here"),
        ({"$ref": "#/properties/value"}, "leads back to itself"),
        (
            {"items": {"type": "object", "required": ["a"], "additionalProperties": False}},
            'value.items: required names "a"',
        ),
        ({"type": "object", "properties": {"a": {}}, "required": ["b"]}, 'value: required names "b"'),
    ],
)
def test_an_unreadable_part_is_refused_with_its_place(schema: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^tool work: .*{re.escape(words)}"):
        part(schema)


def circle() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"self": schema}
    return schema


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return {"type": "object", "properties": {"value": schema}}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (None, "must be a JSON Schema object, not null"),
        ([], "must be a JSON Schema object"),
        ("object", "must be a JSON Schema object"),
        (True, "must be a JSON Schema object"),
        ({"type": "array"}, 'must be an object, not "array"'),
        ({"type": "any"}, 'must be an object, not "any"'),
        ({"type": ["object", "null"]}, "must be an object, not an array"),
        ({"type": "function", "function": {}}, "type must be"),
        ({"type": "object", "required": ["a"]}, 'the root: required names "a", which the properties lack'),
        ({"properties": {"a": {"default": {1, 2}}}}, "must be JSON"),
        ({"properties": {"a": {"default": float("nan")}}}, "must be JSON"),
        (circle(), "must be JSON"),
        (deep(70), "more than 64 levels"),
        (deep(100_000), "must be JSON"),
    ],
)
def test_what_is_no_schema_of_an_object_is_refused(parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^tool work: .*{words}"):
        made(parameters)


def test_a_deep_but_readable_schema_is_taken() -> None:
    declared = made(deep(60))
    assert ran(declared, {"value": [[[]]]}).ok


# ---- names ----


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("post_/items", "post__items"),
        ("web.search", "web_search"),
        ("My Tool!", "My_Tool_"),
        ("1st", "1st"),
        ("ok-name_1", "ok-name_1"),
        ("naïve", "na_ve"),
        ("a" * 64, "a" * 64),
    ],
)
def test_a_legal_name_is_sent_and_the_original_is_kept(name: str, sent: str) -> None:
    declared = made({}, name=name)
    assert (declared.name, declared.original_name) == (sent, name)
    assert declared.definition()["function"]["name"] == sent
    assert any("is sent as" in note for note in declared.notes) is (sent != name)
    runtime = ToolRuntime(ToolRegistry([declared]))
    assert all(runtime.dispatch(ToolCall("call_1", each, "{}")).ok for each in (name, sent))


def test_names_that_are_cut_stay_apart() -> None:
    names = ["a" * 71 + end for end in ("", "b", ".", "_")]
    sent = [made({}, name=name).name for name in names]
    assert len(set(sent)) == 4
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in sent)
    assert sent == [made({}, name=name).name for name in names], "the same in every run"


@pytest.mark.parametrize("name", ["", "工具", "...", "_", " "])
def test_a_name_without_a_legal_letter_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no legal tool name can be made"):
        made({}, name=name)


def test_names_and_descriptions_are_text() -> None:
    with pytest.raises(TypeError, match="the name of a tool is text, not 5"):
        made({}, name=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the description of tool work is text, not null"):
        Tool.from_schema("work", None, {}, anything)  # type: ignore[arg-type]


# ---- the function ----

TWO = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}}


def test_a_function_that_can_never_take_the_arguments_is_refused() -> None:
    for fn in (lambda: "", lambda a: a, lambda a, c: a, lambda a, b, c: a, lambda a, b, /: a):
        with pytest.raises(ValueError, match=r"tool work: its function takes .* by name, a, b"):
            made(TWO, fn)
    for fn in (lambda a, b: a, lambda b, a: a, lambda a, b, c=1: a, lambda **values: "", lambda a, **rest: a, dict):
        assert list(made(TWO, fn).parameters["properties"]) == ["a", "b"]
    with pytest.raises(TypeError, match="a tool is made of a function"):
        made(TWO, "read_file")


def test_a_function_that_needs_what_may_be_missing_is_noted() -> None:
    note = "a: the function needs it, but the schema does not require it"
    assert made(TWO, lambda a, b: a).notes == (note,)
    assert made(TWO, lambda a="", b="": a).notes == ()
    assert made(TWO | {"required": ["a"]}, lambda a, b: a).notes == ()


def test_property_names_need_not_be_identifiers() -> None:
    declared = made({"type": "object", "properties": {"first-name": {"type": "string"}, "class": {"type": "string"}}})
    assert ran(declared, {"first-name": "Ada", "class": "x"}).content == '{"first-name": "Ada", "class": "x"}'


def test_an_async_function_is_known() -> None:
    async def wait(a: str = "") -> str:
        return a

    declared = Tool.from_schema("wait", "", {"type": "object", "properties": {"a": {"type": "string"}}}, wait)
    assert declared.is_async
    assert ran(declared, {"a": "b"}).content == "b"


# ---- laws ----

WORDS = ("string", "int", "any", "object", "array", "null", "#", "#/$defs/a", "#/properties/a", "(", "a", "b", "type")
KEYWORDS = (
    *(
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "const",
        "default",
        "$ref",
        "$defs",
        "anyOf",
        "oneOf",
        "allOf",
    ),
    *(
        "not",
        "if",
        "then",
        "additionalProperties",
        "patternProperties",
        "prefixItems",
        "minLength",
        "pattern",
        "minimum",
    ),
    *(
        "multipleOf",
        "uniqueItems",
        "dependentRequired",
        "dependentSchemas",
        "description",
        "$id",
        "$schema",
        "examples",
    ),
    *("definitions", "contains", "propertyNames", "unevaluatedProperties", "nullable", "$dynamicRef", "a", "b"),
)
leaves = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(WORDS) | st.text(max_size=3)
untidy = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=20,
)


def nearly(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas whose keywords mostly hold what they should."""
    names, types = st.sampled_from(["a", "b", "type"]), st.sampled_from(WORDS[:6])
    return st.fixed_dictionaries(
        {},
        optional={
            "type": types | st.lists(types, max_size=2),
            "properties": st.dictionaries(names, inner, max_size=3),
            "required": st.lists(names, max_size=2) | st.booleans(),
            "$defs": st.dictionaries(names, inner, max_size=2),
            "$ref": st.sampled_from(WORDS[6:10]),
            "pattern": st.sampled_from(WORDS),
            "enum": st.lists(leaves, max_size=2),
            "default": leaves,
            **dict.fromkeys(("items", "additionalProperties", "not", "if"), inner),
            **dict.fromkeys(("anyOf", "allOf", "oneOf"), st.lists(inner, max_size=2)),
        },
    )


schemas = nearly(st.recursive(leaves | st.just({}), nearly, max_leaves=12)) | untidy | python_objects


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas, st.dictionaries(st.sampled_from("ab"), leaves, max_size=2))
def test_law_a_schema_is_made_a_tool_or_refused_with_a_sentence(schema: Any, arguments: dict[str, Any]) -> None:
    try:
        declared = made(schema)
    except ValueError as refusal:
        assert str(refusal).startswith("tool work: ")
        return
    Draft202012Validator.check_schema(declared.parameters)
    assert declared.parameters["type"] == "object"
    assert set(declared.parameters) >= {"properties", "required"}
    again = made(declared.parameters)
    assert (again.parameters, again.notes) == (declared.parameters, ())
    assert all(finding.message for finding in lint(declared))
    values, problems = judge("pydantic", declared.parameters)(normaliser(declared.parameters)(arguments)[0])
    assert (values is None) == bool(problems)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_law_a_name_is_made_legal_or_refused(name: str) -> None:
    try:
        declared = made({}, name=name)
    except ValueError:
        assert not re.search("[a-zA-Z0-9-]", name)
        return
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", declared.name)
    assert declared.original_name == name
    assert (declared.name == name) == (re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) is not None)
