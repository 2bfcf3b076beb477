"""Named Hypothesis strategies that several tests share: JSON values, their texts, schemas of tools."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import strategies as st

NAMES = ("path", "size", "when", "tags", "é", "a b", "json", "schema")
WORDS = ("", "a", "ab", "red", "Red", "2025-03-01", "20250301", "2025-02-30", "true", "5", "[1]", '{"a": 1}', "日本語")
NUMBERS = (0, 1, 2, 3, 5, -1, 10**20, 0.0, 1.0, 2.5, 5.0, -0.5, 0.1, 0.3, 1e300)

texts = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
numbers = st.sampled_from(NUMBERS) | st.integers(-100, 100) | st.floats(-1e6, 1e6, allow_nan=False)
scalars = st.none() | st.booleans() | numbers | texts
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | texts, inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(st.sampled_from(NAMES) | texts, json_values, max_size=4)


def json_texts(values: st.SearchStrategy[Any] = arguments) -> st.SearchStrategy[str]:
    """Texts of JSON values, spelt in different ways that all mean the same."""
    spellings = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
    blanks = st.sampled_from(["", " ", "\n", "\r\n\t "])
    return st.builds(
        lambda v, how, before, after: before + json.dumps(v, **how) + after, values, spellings, blanks, blanks
    )


@st.composite
def spoilt_texts(draw: st.DrawFn) -> str:
    """Texts that were JSON until something was cut out, put in, or replaced."""
    text = draw(json_texts())
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 3)))
    pieces = st.sampled_from(
        ["", "'", '"', ",", "}", "]", "{", "[", ":", "NaN", "1e999", "True", "//", "\n", "\\", "```", "x"]
    )
    return text[:start] + draw(pieces) + text[end:]


# Any text at all, lone surrogates and control characters included.
any_texts = st.text(st.characters(), max_size=30) | json_texts() | spoilt_texts() | json_texts(json_values)

python_objects = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary() | st.dates(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.sets(st.integers())
        | st.dictionaries(st.text() | st.integers() | st.none(), inner)
    ),
    max_leaves=8,
)


def _bounds(low: str, high: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={low: values, high: values})


_small = st.integers(0, 3)
_bound = st.sampled_from([0, 1, 2, 3, -1, 0.5, 2.5])
_step = st.sampled_from([1, 2, 3, 0.5, 0.1, 0.01])
_choices = st.lists(scalars | st.lists(scalars, max_size=2), min_size=1, max_size=3)
_types = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
_number_keywords = st.fixed_dictionaries(
    {},
    optional={
        "minimum": _bound,
        "maximum": _bound,
        "exclusiveMinimum": _bound,
        "exclusiveMaximum": _bound,
        "multipleOf": _step,
    },
)
_string_keywords = st.fixed_dictionaries(
    {},
    optional={
        "minLength": _small,
        "maxLength": _small,
        "pattern": st.sampled_from(["^a", "b$", "[0-9]+", "e|é", r"\d{4}"]),
        "format": st.just("date"),
    },
)
_what_it_is = st.fixed_dictionaries(
    {}, optional={"type": _types | st.lists(_types, min_size=1, max_size=3, unique=True)}
) | st.one_of(
    st.builds(lambda choices: {"enum": choices}, _choices),
    st.builds(lambda choice: {"const": choice}, json_values),
)


def _with_parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
        },
    )
    arrays = st.fixed_dictionaries({}, optional={"items": inner, "minItems": _small, "maxItems": _small})
    references = st.sampled_from([{}, {}, {}, {"$ref": "#/$defs/part"}])
    return st.builds(
        lambda *parts: {k: v for part in parts for k, v in part.items()}, objects, arrays, inner, references
    )


_leaf_schemas = st.builds(
    lambda *parts: {k: v for part in parts for k, v in part.items()}, _what_it_is, _number_keywords, _string_keywords
)
_part_schemas = st.recursive(_leaf_schemas, _with_parts, max_leaves=4)

# Schemas of the subset, with one definition that they may refer to. It may hold itself, but not be itself: what a
# reference means that leads back to where it stands, JSON Schema leaves open.
_definitions = _part_schemas.map(
    lambda schema: {keyword: part for keyword, part in schema.items() if keyword != "$ref"}
)
subset_schemas = st.builds(
    lambda schema, part: {**schema, "$defs": {"part": part}}, _with_parts(_part_schemas), _definitions
)


def close_values(schema: Any, root: Any = None, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values that often fit a schema, so that both verdicts come up."""
    root = schema if root is None else root
    if not isinstance(schema, dict) or depth == 0:
        return json_values
    if "$ref" in schema:
        return close_values(root["$defs"]["part"], root, depth - 1) | json_values
    kinds: list[st.SearchStrategy[Any]] = [json_values]
    if "enum" in schema:
        kinds.append(st.sampled_from(schema["enum"]))
    if "const" in schema:
        kinds.append(st.just(schema["const"]))
    if "items" in schema:
        kinds.append(st.lists(close_values(schema["items"], root, depth - 1), max_size=3))
    if "properties" in schema:
        parts = {name: close_values(part, root, depth - 1) for name, part in schema["properties"].items()}
        required = {name: parts.get(name, json_values) for name in schema.get("required", ())}
        kinds.append(st.fixed_dictionaries(required, optional={n: p for n, p in parts.items() if n not in required}))
    return st.one_of(kinds)


def is_json(value: Any) -> bool:
    """Say whether a value is plain JSON of plain types."""
    if type(value) is dict:
        return all(type(key) is str for key in value) and all(map(is_json, value.values()))
    if type(value) is list:
        return all(map(is_json, value))
    return value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))


# Histories in which anything may stand at any place.
_any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_keys = st.sampled_from(["role", "content", "tool_calls", "tool_call_id", "error", "function", "name", "arguments"])
_roles = st.sampled_from(["system", "user", "assistant", "tool", "developer"])
_calls = st.lists(
    st.dictionaries(st.sampled_from(["id", "name", "arguments", "function"]), _any, max_size=4), max_size=3
)
_messages = st.fixed_dictionaries(
    {"role": _roles}, optional={"content": _any, "tool_calls": _calls, "tool_call_id": _any}
)
odd_histories = st.lists(_messages | st.dictionaries(_keys, _any, max_size=4), max_size=6)
