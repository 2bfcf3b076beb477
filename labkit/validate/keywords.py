"""What the keywords of JSON Schema mean, one small function each. Chapter 03.

    >>> is_a("integer", 5.0), is_a("integer", True), same(0, False), is_multiple(0.3, 0.1)
    (True, False, False, True)

Pure. A rule takes what its keyword says and the value, and returns what is wrong, or None.
Does not: look into the parts of a value; that is ``subset``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from labkit.calls import quote

ValueRule = Callable[[Any, Any], str | None]
CHOICES_SHOWN = 20


def is_a(name: str, value: Any) -> bool:
    """Say whether a value is of a JSON Schema type: ``true`` is no integer, ``5.0`` is one."""
    kind = TYPE_NAMES.get(type(value))
    if name == "integer" and kind == "number":
        return bool(value.is_integer())
    return kind == name or (name == "number" and kind == "integer")


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal: ``1`` and ``1.0`` are; ``0`` and ``false``, at any depth, are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def is_multiple(value: float, step: float) -> bool:
    """Say whether a number is a multiple of a step, both taken as the decimals that they are written as."""
    if isinstance(value, int) and isinstance(step, int):
        return step == 0 or value % step == 0
    from fractions import Fraction

    exact, unit = (Fraction(number) if isinstance(number, int) else Fraction(repr(number)) for number in (value, step))
    return unit == 0 or (exact / unit).denominator == 1


def is_found(pattern: str, value: str) -> bool:
    """Say whether a pattern is found anywhere in a string. A pattern that is none holds nothing back."""
    import regex

    try:
        return regex.search(pattern, value) is not None
    except regex.error:
        return True


def is_date(value: str) -> bool:
    """Say whether a string is a day of the calendar, as RFC 3339 writes it: YYYY-MM-DD and nothing else."""
    from datetime import date

    try:
        return re.fullmatch(_DATE, value) is not None and bool(date.fromisoformat(value))
    except ValueError:
        return False


def is_date_time(value: str) -> bool:
    """Say whether a string is a moment, as RFC 3339 writes it; its zone and its seconds may be left out."""
    from datetime import datetime

    try:
        return re.fullmatch(f"{_DATE}[Tt]{_TIME}", value) is not None and bool(datetime.fromisoformat(value.upper()))
    except ValueError:
        return False


def is_time(value: str) -> bool:
    """Say whether a string is a time of day, as RFC 3339 writes it; its zone and its seconds may be left out."""
    from datetime import time

    try:
        return re.fullmatch(_TIME, value) is not None and time.fromisoformat(value.upper()) is not None
    except ValueError:
        return False


_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"

# The formats that are checked, and what each is called. pydantic alone would take "1756684800" for any of them.
FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "date": (is_date, "a date such as 2025-03-01"),
    "date-time": (is_date_time, "a moment such as 2025-03-01T14:30:00Z"),
    "time": (is_time, "a time such as 14:30:00"),
}

TYPE_NAMES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_WITH_ARTICLE = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
}


def listed(names: list[str]) -> str:
    """Return names with commas between them; of a long list its beginning, and how many more there are."""
    hidden = len(names) - CHOICES_SHOWN
    return ", ".join(names[:CHOICES_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")


def _type(wanted: str | list[str], value: Any) -> str | None:
    if TYPE_NAMES.get(type(value)) == wanted:
        return None
    names = [wanted] if isinstance(wanted, str) else wanted
    for name in names:
        if is_a(name, value):
            return None
    return f"must be {' or '.join(_WITH_ARTICLE.get(name, name) for name in names)}, got {quote(value)}"


def _enum(allowed: list[Any], value: Any) -> str | None:
    if any(same(choice, value) for choice in allowed):
        return None
    return f"must be one of {listed([quote(choice) for choice in allowed])}; got {quote(value)}"


def _const(wanted: Any, value: Any) -> str | None:
    return None if same(wanted, value) else f"must be {quote(wanted)}, got {quote(value)}"


def _minimum(bound: float, value: float) -> str | None:
    return None if value >= bound else f"must be at least {quote(bound)}, got {quote(value)}"


def _maximum(bound: float, value: float) -> str | None:
    return None if value <= bound else f"must be at most {quote(bound)}, got {quote(value)}"


def _exclusive_minimum(bound: float, value: float) -> str | None:
    return None if value > bound else f"must be more than {quote(bound)}, got {quote(value)}"


def _exclusive_maximum(bound: float, value: float) -> str | None:
    return None if value < bound else f"must be less than {quote(bound)}, got {quote(value)}"


def _multiple_of(step: float, value: float) -> str | None:
    return None if is_multiple(value, step) else f"must be a multiple of {quote(step)}, got {quote(value)}"


def _min_length(bound: float, value: str) -> str | None:
    return None if len(value) >= bound else f"must have at least {_count(bound, 'character')}, got {len(value)}"


def _max_length(bound: float, value: str) -> str | None:
    return None if len(value) <= bound else f"must have at most {_count(bound, 'character')}, got {len(value)}"


def _pattern(pattern: str, value: str) -> str | None:
    return None if is_found(pattern, value) else f"must match the pattern {pattern}, got {quote(value)}"


def _format(name: str, value: str) -> str | None:
    fits, what = FORMATS.get(name, (None, ""))
    return None if fits is None or fits(value) else f"must be {what}, got {quote(value)}"


def _min_items(bound: float, value: list[Any]) -> str | None:
    return None if len(value) >= bound else f"must have at least {_count(bound, 'item')}, got {len(value)}"


def _max_items(bound: float, value: list[Any]) -> str | None:
    return None if len(value) <= bound else f"must have at most {_count(bound, 'item')}, got {len(value)}"


def _count(bound: float, noun: str) -> str:
    return f"{quote(bound)} {noun}" if bound == 1 else f"{quote(bound)} {noun}s"


# Which rules apply to a value of which kind. The first three say what a value is, and apply to all.

WHAT_IT_IS: dict[str, ValueRule] = {"type": _type, "enum": _enum, "const": _const}
_NUMBERS: dict[str, ValueRule] = {
    **WHAT_IT_IS,
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "exclusiveMaximum": _exclusive_maximum,
    "multipleOf": _multiple_of,
}
VALUE_RULES: dict[type, dict[str, ValueRule]] = {
    int: _NUMBERS,
    float: _NUMBERS,
    str: {**WHAT_IT_IS, "minLength": _min_length, "maxLength": _max_length, "pattern": _pattern, "format": _format},
    list: {**WHAT_IT_IS, "minItems": _min_items, "maxItems": _max_items},
}
