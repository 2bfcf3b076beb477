"""Decode strict JSON: what Python's own decoder lets pass beyond it is refused. Chapter 03.

    >>> read_strictly('{"n": [1, 2]}')
    {'n': [1, 2]}

Pure. Refused: NaN and Infinity, numbers beyond all bounds, equal keys, more than 100 levels, text after the value.
Does not: say what is wrong (``faults``), repair anything.
"""

from __future__ import annotations

import math
from json import JSONDecoder
from typing import Any, NoReturn

MAX_DEPTH = 100
MAX_DIGITS = 4300
JSON_BLANK = " \t\n\r"


def read_strictly(text: str) -> Any:
    """Return the JSON value that a text holds; raise ``ValueError`` where it is not strict JSON."""
    return _decode(text, _STRICT)


def read_leniently(text: str) -> Any:
    """Return what ``read_strictly`` does, with raw control characters let through inside strings."""
    return _decode(text, _LENIENT)


def _decode(text: str, decoder: JSONDecoder) -> Any:
    if len(text) > MAX_DIGITS and _may_hold_long_number(text):
        from labkit.validate.faults import find_fault

        if find_fault(text, strict=False):
            raise ValueError("a number may be too long")
    bare = text.strip(JSON_BLANK)
    try:
        value, end = decoder.raw_decode(bare)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if end != len(bare):
        raise ValueError("more than one value")
    if text.count("{") + text.count("[") > MAX_DEPTH and _too_deep(value):
        raise ValueError("nested too deeply")
    return value


def _may_hold_long_number(text: str) -> bool:
    # A run of 4,301 digits covers one position in every 4,301, so looking at those few is enough.
    for at in range(MAX_DIGITS, len(text), MAX_DIGITS + 1):
        before, after = text[at - MAX_DIGITS : at], text[at : at + MAX_DIGITS + 1]
        rest = len(before.rstrip(_DIGITS)) + len(after.lstrip(_DIGITS))
        if after[0] in _DIGITS and len(before) + len(after) - rest > MAX_DIGITS:
            return True
    return False


_DIGITS = "0123456789"


def _too_deep(value: Any) -> bool:
    """Say whether a value has more than 100 levels; one level of it is looked at at a time."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(MAX_DEPTH):
        parts = [part for outer in level for part in (outer.values() if type(outer) is dict else outer)]
        level = [part for part in parts if type(part) is dict or type(part) is list]
        if not level:
            return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _decoder(strict: bool) -> JSONDecoder:
    return JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_no_constant, strict=strict)


_STRICT = _decoder(strict=True)
_LENIENT = _decoder(strict=False)
read_value = _STRICT.raw_decode
