"""The three validators give one verdict: on random schemas, and on the types that functions have."""

from __future__ import annotations

import copy
import enum
import json
from datetime import date
from typing import Annotated, Any, Literal, NotRequired

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from strategies import arguments, close_values, is_json, json_values, subset_schemas
from typing_extensions import TypedDict

from labkit import validate
from labkit.validate.adapters import judge
from labkit.validate.branches import ALL_RULES
from labkit.validate.coverage import unsupported
from labkit.validate.normalise import normaliser
from labkit.validate.oracle import validator_for
from labkit.validate.subset import check


@given(subset_schemas, st.data())
def test_law_the_hand_written_validator_agrees_with_jsonschema(schema: Any, data: st.DataObject) -> None:
    value = data.draw(close_values(schema))
    before = copy.deepcopy(value)
    assert unsupported(schema) == []
    filled, problems = validate(schema, value)
    assert (problems == []) == validator_for(schema).is_valid(value)
    assert json.dumps(value) == json.dumps(before)
    assert is_json(filled)
    assert check(schema, value, ALL_RULES) == problems


@st.composite
def branching_schemas(draw: st.DrawFn) -> Any:
    """Schemas with the keywords that only the other judges know; the branches refer to one definition at the root."""
    branches = st.lists(subset_schemas.map(without_definitions), min_size=1, max_size=3)
    keywords = st.sets(st.sampled_from(["anyOf", "oneOf", "allOf", "prefixItems"]), min_size=1)
    schema: dict[str, Any] = {keyword: draw(branches) for keyword in sorted(draw(keywords))}
    schema |= draw(st.sampled_from([{}, {"uniqueItems": True}, {"items": {"type": "integer"}}, {"items": False}]))
    return schema | {"$defs": {"part": draw(subset_schemas.map(without_definitions))}}


def without_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    return {keyword: part for keyword, part in schema.items() if keyword not in ("$defs", "$ref")}


@given(branching_schemas(), st.data())
def test_law_the_wording_of_branches_agrees_with_jsonschema(schema: Any, data: st.DataObject) -> None:
    branch = data.draw(
        st.sampled_from([branch for part in schema.values() if isinstance(part, list) for branch in part])
    )
    fitting = close_values(branch, schema)
    value = data.draw(fitting | st.lists(json_values, max_size=3) | st.lists(fitting, max_size=3))
    assert (check(schema, value, ALL_RULES) == []) == validator_for(schema).is_valid(value)


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int
    tags: list[str] = []
    when: date | None = None


Small = Annotated[int, Field(ge=1, le=3)]
Short = Annotated[str, Field(min_length=1, max_length=2)]
Coded = Annotated[str, Field(pattern="^[a-z]")]
Few = Annotated[list[int], Field(min_length=1, max_length=2)]
Half = Annotated[float, Field(multiple_of=0.5)]
PLAIN: list[Any] = [str, int, float, bool, Small, Short]
FLAT: list[Any] = [*PLAIN, date, Coded, Half, Few, list[str], dict[str, int], Literal["a", "red"], Literal[1, 2]]
NESTED: list[Any] = [
    *FLAT,
    Part,
    Colour,
    list[Part],
    dict[str, Part],
    int | None,
    date | None,
    Part | None,
    Literal[1] | None,
    int | str,
    tuple[int, str],
    set[int],
    Any,
]


def adapter_of(fields: dict[str, Any]) -> TypeAdapter[Any]:
    """Make the adapter that a function with these annotations gets."""
    signature = TypedDict("signature", fields)  # type: ignore[misc]
    signature.__pydantic_config__ = ConfigDict(extra="forbid", regex_engine="python-re")  # type: ignore[attr-defined]
    return TypeAdapter(signature)


def fields_of(types: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    optional = st.tuples(st.sampled_from(types), st.booleans()).map(
        lambda pair: NotRequired[pair[0]] if pair[1] else pair[0]
    )
    return st.dictionaries(st.sampled_from(["path", "size", "when", "tags"]), optional, min_size=1, max_size=3)


def inlined(schema: Any, root: Any) -> Any:
    """Put definitions in the place of references, as generated schemas of functions have them flattened."""
    if isinstance(schema, list):
        return [inlined(part, root) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inlined(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    return {key: inlined(part, root) for key, part in schema.items() if key != "$defs"}


def candidates(schema: Any) -> st.SearchStrategy[Any]:
    """Arguments that often fit: a branch of each union is picked first."""
    if not isinstance(schema, dict):
        return json_values
    if "anyOf" in schema:
        return st.one_of([candidates(branch) for branch in schema["anyOf"]])
    named: dict[str, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(["a", "red", "ab", "2025-03-01", "1756684800", "", "5", "[1]"]),
        "integer": st.sampled_from([0, 1, 2, 3, 1.0, 2.0, True]),
        "number": st.sampled_from([0.5, 1, 2.0, 0.3]),
        "boolean": st.booleans(),
        "null": st.none(),
        "array": st.lists(candidates(schema["items"]) if "items" in schema else json_values, max_size=3),
        "object": st.dictionaries(
            st.sampled_from(["a", "b"]), candidates(schema.get("additionalProperties")), max_size=2
        ),
    }
    kind = named.get(schema.get("type", ""), json_values)
    if "prefixItems" in schema:
        kind = st.tuples(*map(candidates, schema["prefixItems"])).map(list)
    if "properties" in schema:
        required = {n: candidates(p) for n, p in schema["properties"].items() if n in schema.get("required", ())}
        optional = {n: candidates(p) for n, p in schema["properties"].items() if n not in required}
        kind = st.fixed_dictionaries(required, optional=optional)
    if "enum" in schema:
        kind = st.sampled_from(schema["enum"])
    return kind | kind | kind | json_values


def assert_one_verdict(fields: dict[str, Any], kinds: tuple[str, ...], data: st.DataObject) -> None:
    adapter = adapter_of(fields)
    schema = adapter.json_schema()
    raw = data.draw(candidates(inlined(schema, schema)).filter(lambda value: isinstance(value, dict)) | arguments)
    values, _ = normaliser(schema)(raw)
    before = json.dumps(values)
    answers = [judge(kind, schema, adapter)(values) for kind in kinds]
    assert json.dumps(values) == before
    for typed, problems in answers:
        assert (typed is None) == bool(problems)
        assert repr(typed) == repr(answers[0][0])
        assert [(problem.path, problem.rule) for problem in problems] == [(p.path, p.rule) for p in answers[0][1]]
    assert (answers[0][0] is not None) <= validator_for(schema).is_valid(values)


@given(fields_of(PLAIN), st.data())
def test_law_three_verdicts_are_one_on_plain_functions(fields: dict[str, Any], data: st.DataObject) -> None:
    assert_one_verdict(fields, ("pydantic", "subset", "jsonschema"), data)


@given(fields_of(FLAT), st.data())
def test_law_three_verdicts_are_one_on_flat_functions(fields: dict[str, Any], data: st.DataObject) -> None:
    assert_one_verdict(fields, ("pydantic", "subset", "jsonschema"), data)


@given(fields_of(NESTED), st.data())
def test_law_two_verdicts_are_one_on_nested_functions(fields: dict[str, Any], data: st.DataObject) -> None:
    assert_one_verdict(fields, ("pydantic", "jsonschema"), data)


@given(subset_schemas, st.data())
def test_law_without_a_signature_the_judges_give_the_same_values(schema: Any, data: st.DataObject) -> None:
    raw = data.draw(close_values(schema).filter(lambda value: isinstance(value, dict)) | arguments)
    values, _ = normaliser(schema)(raw)
    by_subset = judge("subset", schema)(values)
    assert judge("jsonschema", schema)(values) == judge("pydantic", schema)(values) == by_subset
