"""Turn the arguments of a call, untrusted text, into a dict, or refuse them in words that a model can act on.

Chapter 03. Strict JSON, and three repairs that guess nothing: each undoes a wrapping that can be undone in one way only.

    >>> parse('```json\\n{"city": "Oslo"}\\n```')
    ({'city': 'Oslo'}, ('code_fence',))

Pure. Does not: complete cut text, replace quotes, drop commas, take the last of two equal keys, know any schema.
"""

from __future__ import annotations

import math
import re
from json import JSONDecoder
from typing import Any, Literal, NoReturn

from labkit.calls import CallRefused, ErrorCode, ToolError, quote
from labkit.validate.faults import MAX_DEPTH, MAX_DIGITS, SEND_ONE_OBJECT, find_fault, where

Repair = Literal["lossless", "none"]

MAX_VALUES = 1_000_000


def parse_arguments(raw: Any, repair: Repair = "lossless") -> dict[str, Any]:
    """Return the arguments as a new dict of plain JSON values.

    ``raw`` is what the model sent: JSON text, a dict that is already decoded, or None. Absent, empty, blank and
    ``null`` arguments are ``{}``. Raises ``CallRefused`` for everything else, and nothing else whatever ``raw`` is.
    """
    return parse(raw, repair)[0]


def parse(raw: Any, repair: Repair = "lossless") -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments as ``parse_arguments`` does, and the names of the repairs that were made.

    The names are ``code_fence``, ``double_encoding`` and ``control_characters``; ``repair="none"`` makes none.
    """
    if repair != "lossless" and repair != "none":
        raise ValueError(f'repair is "lossless" or "none", not {quote(repair)}')
    refused = False
    if type(raw) is str and len(raw) <= _TOO_SHORT_TO_BE_DEEP:
        try:
            value, end = _read_value(raw)
            if end == len(raw) and type(value) is dict:
                return value, ()
        except (ValueError, RecursionError):
            refused = raw.startswith("{")  # anything else may still be blank, fenced or indented
    return _parse_any(raw, repair == "lossless", refused)


def read_strictly(text: str) -> Any:
    """Return the JSON value that a text holds; raise ``ValueError`` where it is not strict JSON."""
    return _decode(text, _STRICT)


# 101 levels need 101 opening and 101 closing brackets; a number that is too long is longer still.
_TOO_SHORT_TO_BE_DEEP = 2 * MAX_DEPTH
_JSON_BLANK = " \t\n\r"


def _parse_any(raw: Any, lossless: bool, refused: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    kind = type(raw)  # and not isinstance(), which asks the object itself
    if raw is None:
        return {}, ()
    if issubclass(kind, str):
        return _parse_text(str.__str__(raw), lossless, refused)
    if issubclass(kind, dict):
        return _Copy().of_dict(raw, ()), ()
    if issubclass(kind, (bool, int, list)) or (issubclass(kind, float) and math.isfinite(raw)):
        _refuse_kind(raw)
    _refuse(f"the arguments are {_a(raw)}, which is no JSON text", SEND_ONE_OBJECT)


def _parse_text(text: str, lossless: bool, refused: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text or text.isspace():
        return {}, ()
    repairs: list[str] = []
    start, end = 0, len(text)
    if lossless and (fence := _FENCE.fullmatch(text)):
        start, end = fence.span("body")
        repairs.append("code_fence")
    value = _read(text, start, end, repairs, lossless, refused=refused)
    if lossless and type(value) is str and value.lstrip(_JSON_BLANK).startswith("{"):
        repairs.append("double_encoding")
        value = _read(value, 0, len(value), repairs, lossless, "inside the quoted text, ")
    if value is None:
        value = {}
    if type(value) is not dict:
        _refuse_kind(value)
    return value, tuple(dict.fromkeys(repairs))


# The whole text is one fence. What stands in it must be strict JSON, so a fence inside a string is no trap.
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})(?:[A-Za-z][\w+.-]*(?=\s))?\s*(?P<body>\S.*?)\s*(?P=fence)\s*", re.DOTALL)


def _read(
    text: str, start: int, end: int, repairs: list[str], lossless: bool, inside: str = "", refused: bool = False
) -> Any:
    """Decode ``text[start:end]``, the second time with raw control characters let through; or refuse it."""
    body = text[start:end]
    try:
        if not refused:
            return _decode(body, _STRICT)
    except ValueError:
        pass
    try:
        if lossless and _CONTROL.search(body):
            value = _decode(body, _LENIENT)
            repairs.append("control_characters")
            return value
    except ValueError:
        pass
    fault = find_fault(text, start, end, strict=not lossless)
    if fault is None:  # this interpreter has a lower limit than ours, on digits or on its stack
        _refuse("the arguments hold a number too long, or are nested too deeply, to be read here", SEND_ONE_OBJECT)
    place = f"{inside}at {where(text, fault.position)}"
    _refuse(f"the arguments are not valid JSON: {fault.what}, {place}", fault.hint)


_CONTROL = re.compile(r"[\x00-\x1f]")


def _decode(text: str, decoder: JSONDecoder) -> Any:
    if len(text) > MAX_DIGITS and _may_hold_long_number(text) and find_fault(text, strict=False):
        raise ValueError("a number may be too long")
    bare = text.strip(_JSON_BLANK)
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
    return any(map(str.isdigit, text[MAX_DIGITS :: MAX_DIGITS + 1]))


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
_read_value = _STRICT.raw_decode


class _Copy:
    """One deep copy of a dict into plain JSON types; refuses what JSON can't say."""

    def __init__(self) -> None:
        self.values = 0
        self.above: set[int] = set()

    def of(self, value: Any, path: tuple[Any, ...]) -> Any:
        self.values += 1
        if self.values > MAX_VALUES:
            _refuse(f"the arguments hold more than {MAX_VALUES:,} values", "Send less at a time.")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        for base, copy in self.BY_BASE:
            if issubclass(kind, base):
                return copy(self, value, path)
        _refuse_at(path, f"holds {_a(value)}, which JSON does not have")

    def of_dict(self, value: dict[Any, Any], path: tuple[Any, ...]) -> dict[str, Any]:
        self.enter(value, path)
        copy: dict[str, Any] = {}
        for key, item in list(dict.items(value)):
            if not issubclass(type(key), str):
                _refuse_at(path, f"has a key that is no text ({_a(key)})")
            copy[str.__str__(key)] = self.of(item, (*path, key))
        self.above.discard(id(value))
        return copy

    def of_list(self, value: list[Any], path: tuple[Any, ...]) -> list[Any]:
        self.enter(value, path)
        copy = [self.of(item, (*path, number)) for number, item in enumerate(list.__iter__(value))]
        self.above.discard(id(value))
        return copy

    def enter(self, value: Any, path: tuple[Any, ...]) -> None:
        if id(value) in self.above:
            _refuse_at(path, "contains itself")
        if len(self.above) == MAX_DEPTH:
            _refuse_at(path, f"is nested more than {MAX_DEPTH} levels deep")
        self.above.add(id(value))

    def of_int(self, value: int, path: tuple[Any, ...]) -> int:
        plain = int.__int__(value)
        if plain.bit_length() > 3 * MAX_DIGITS and abs(plain) >= _TOO_LONG:
            _refuse_at(path, f"is an integer of more than {MAX_DIGITS:,} digits")
        return plain

    def of_float(self, value: float, path: tuple[Any, ...]) -> float:
        plain = float.__float__(value)
        if not math.isfinite(plain):
            _refuse_at(path, f"is {plain!r}, which is not a JSON number")
        return plain

    def of_str(self, value: str, path: tuple[Any, ...]) -> str:
        return str.__str__(value)

    BY_BASE: tuple[tuple[type, Any], ...] = (
        (str, of_str),
        (int, of_int),
        (float, of_float),
        (dict, of_dict),
        (list, of_list),
    )


_TOO_LONG = 10**MAX_DIGITS


def _refuse_at(path: tuple[Any, ...], what: str) -> NoReturn:
    parts = [quote(str.__str__(part))[1:-1] if isinstance(part, str) else str(part) for part in path]
    shown = parts if len(parts) <= 8 else [*parts[:4], "…", *parts[-3:]]
    place = f"the argument {'.'.join(shown)}" if parts else "the arguments object"
    _refuse(f"{place} {what}", "Send plain JSON values: objects, arrays, strings, finite numbers, true, false, null.")


def _refuse_kind(value: Any) -> NoReturn:
    kind = next(name for base, name in _JSON_KINDS if isinstance(value, base))
    message = f"the arguments must be a JSON object, not {kind}"
    raise CallRefused(ToolError(ErrorCode.SCHEMA_VALIDATION, message, "", 'Send an object such as {"name": "value"}.'))


_JSON_KINDS = ((str, "a string"), (bool, "true or false"), ((int, float), "a number"), (list, "an array"))


def _refuse(message: str, hint: str) -> NoReturn:
    raise CallRefused(ToolError(ErrorCode.INVALID_JSON, message, "", hint))


def _a(value: Any) -> str:
    name = quote(type(value).__name__)[1:-1]
    return f"a Python {name}"
