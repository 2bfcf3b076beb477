"""What may stand behind each keyword of JSON Schema, so that an unreadable schema is refused by name. Pure.

Chapter 02.

    >>> misshapen({"type": "string", "maxLength": "ten"})
    'maxLength must be a whole number from 0 up, not "ten"'

Does not: repair, look into the schemas inside a schema, judge values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.calls import quote
from labkit.declare.tidy import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_VALUES

TYPE_NAMES = ("object", "array", "string", "integer", "number", "boolean", "null")
# They change what a reference means, or what other keywords mean; nobody here follows them.
NOT_FOLLOWED = ("$dynamicRef", "$recursiveRef", "$recursiveAnchor", "dependencies")


def misshapen(schema: dict[str, Any]) -> str | None:
    """Return what is wrong with one of a schema's own keywords, or None."""
    for keyword, value in schema.items():
        if keyword in NOT_FOLLOWED:
            return f"{keyword} is not supported"
        if keyword in SHAPES:
            fits, words = SHAPES[keyword]
            if not fits(value):
                return f"{keyword} must be {words}, not {quote(value)}"
    return None


def is_schema(value: Any) -> bool:
    """Say whether a value may stand where a schema is asked for: an object, true or false."""
    return isinstance(value, (dict, bool))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    names = [value] if isinstance(value, str) else value
    return _are_names(names) and bool(names) and all(name in TYPE_NAMES for name in names)


def _is_pattern(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    import regex

    try:
        return bool(regex.compile(value))
    except regex.error:
        return False


def _are_patterns(value: Any) -> bool:
    return _are_schemas_by_name(value) and all(map(_is_pattern, value))


def _are_schemas_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_schema, value.values()))


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_schema, value))


def _are_names_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_are_names, value.values()))


Shape = tuple[Callable[[Any], bool], str]
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains")
_TEXTS = ("$ref", "title", "description", "format", "contentMediaType", "contentEncoding", "$comment")
_FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly")

SHAPES: dict[str, Shape] = {
    "type": (_is_type, f"one or several of {', '.join(TYPE_NAMES)}"),
    **dict.fromkeys(_NUMBERS, (_is_number, "a number")),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    **dict.fromkeys((*_COUNTS, "minProperties", "maxProperties"), (_is_count, "a whole number from 0 up")),
    **dict.fromkeys(_TEXTS, (_is_text, "text")),
    **dict.fromkeys(_FLAGS, (lambda value: isinstance(value, bool), "true or false")),
    "pattern": (_is_pattern, "a regular expression"),
    "required": (_are_names, "an array of names, each once"),
    "enum": (lambda value: isinstance(value, list) and bool(value), "an array of at least one value"),
    "examples": (lambda value: isinstance(value, list), "an array"),
    "dependentRequired": (_are_names_by_name, "an object of arrays of names"),
    **dict.fromkeys(SCHEMA_MAPS, (_are_schemas_by_name, "an object of schemas")),
    "patternProperties": (_are_patterns, "an object of schemas by regular expression"),
    **dict.fromkeys(SCHEMA_LISTS, (_are_schemas, "an array of at least one schema")),
    **dict.fromkeys((*SCHEMA_VALUES, "contentSchema"), (is_schema, "a schema")),
}
