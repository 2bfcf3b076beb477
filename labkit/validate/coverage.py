"""Name what the hand-written validator does not know in a schema, so that it can refuse it by name. Chapter 03.

    >>> unsupported({"properties": {"when": {"type": "string", "format": "email"}}})
    ['when: format email']

Pure. Does not: judge values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from labkit.calls import quote
from labkit.validate.keywords import FORMATS, TYPE_NAMES
from labkit.validate.references import look_up
from labkit.validate.subset import join


def unsupported(schema: Any) -> list[str]:
    """Return what ``validate`` does not know, each with its dotted place, such as ``items.anyOf``."""
    return list(_unknown(schema, "", schema))


def _unknown(schema: Any, place: str, root: Any) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{place or 'the schema'}: {quote(schema)}"
        return
    for keyword, wanted in schema.items():
        yield from _unknown_keyword(keyword, wanted, place, root)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _unknown(schema[keyword], join(place, keyword), root)
    for keyword, inside in _BY_NAME.items():
        parts = schema.get(keyword)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            yield from _unknown(part, join(join(place, inside) if inside else place, name), root)


def _unknown_keyword(keyword: str, wanted: Any, place: str, root: Any) -> Iterator[str]:
    if keyword in _ANNOTATIONS:
        return
    if keyword not in _SHAPES:
        yield join(place, keyword)
    elif not isinstance(wanted, _SHAPES[keyword]) or not _KNOWN.get(keyword, _anything)(wanted, root):
        shown = quote(wanted)[1:-1] if isinstance(wanted, str) else quote(wanted)
        yield f"{place}: {keyword} {shown}" if place else f"{keyword} {shown}"


def _anything(wanted: Any, root: Any) -> bool:
    return True


def _known_type(wanted: Any, root: Any) -> bool:
    return all(name in TYPE_NAMES.values() for name in ([wanted] if isinstance(wanted, str) else wanted))


def _known_reference(wanted: Any, root: Any) -> bool:
    return isinstance(look_up(root, wanted), dict)


def _known_pattern(wanted: Any, root: Any) -> bool:
    import regex

    try:
        return bool(regex.compile(wanted))
    except regex.error:
        return False


# Where schemas stand by name, and what of it shows in a place; what may stand behind a keyword; what of that is known.

_BY_NAME = {"properties": "", "$defs": "$defs", "definitions": "definitions"}
_NUMBER_KEYWORDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)
_SHAPES: dict[str, Any] = {
    "type": (str, list),
    "required": list,
    "additionalProperties": (bool, dict),
    "items": (bool, dict),
    "enum": list,
    "const": object,
    "$ref": str,
    "pattern": str,
    "format": str,
    **dict.fromkeys(_BY_NAME, dict),
    **dict.fromkeys(_NUMBER_KEYWORDS, (int, float)),
}
_KNOWN: dict[str, Callable[[Any, Any], bool]] = {
    "type": _known_type,
    "$ref": _known_reference,
    "pattern": _known_pattern,
    "format": lambda wanted, root: wanted in FORMATS,
    "multipleOf": lambda wanted, root: bool(wanted > 0),
}
_ANNOTATIONS = frozenset(
    {"title", "description", "examples", "default", "$schema", "$id", "$comment"}
    | {"deprecated", "readOnly", "writeOnly"}
)
