"""Say what is wrong with a text that is no JSON, where, and what to send instead. Chapter 03.

    >>> find_fault('{"n": 1,}').what
    'a comma stands before the closing brace'

Pure. Positions are found here and not taken from the decoder, whose positions change between Python versions.
Does not: decode, repair or refuse; it explains a text that the decoder has refused.
"""

from __future__ import annotations

import json
import math
import re

from labkit.calls import CallRefused, ErrorCode, ToolError, quote
from labkit.validate.decode import MAX_DEPTH, MAX_DIGITS
from labkit.validate.explain import explain
from labkit.validate.tokens import CLOSES, LENIENT, SEND_ONE_OBJECT, STRICT, Fault, Reader


def find_fault(text: str, start: int = 0, end: int | None = None, *, strict: bool = True) -> Fault | None:
    """Return the first thing that keeps ``text[start:end]`` from being one JSON value, or None.

    With ``strict=False`` raw control characters inside strings are let through.
    """
    reader = Reader(text, len(text) if end is None else end, strict, start)
    patterns = STRICT if strict else LENIENT
    while True:
        if reader.expect in ("key", "first key") and (match := patterns.entry.match(text, reader.at, reader.end)):
            fault = _look_at_key(reader, match["key"], match.start("key")) or _look_at_number(reader, match)
            reader.comma, reader.expect = match.end() - 1, "key"
        elif match := patterns.token.match(text, reader.at, reader.end):
            kind = match.lastgroup or ""
            if kind not in _NEXT[reader.expect]:
                return explain(reader)
            fault = _LOOKS[kind](reader, match)
            reader.expect = _following(reader, _NEXT[reader.expect][kind])
        else:
            return explain(reader)
        if fault is not None:
            return fault
        reader.at = match.end()


def no_json(text: str, start: int, end: int, *, strict: bool, inside: str = "") -> CallRefused:
    """Return the refusal of a text that could not be decoded: what is wrong, where, and what to send."""
    fault = find_fault(text, start, end, strict=strict)
    if fault is None:  # this interpreter has a lower limit than ours, on digits or on its stack
        return refusal("the arguments are too deep, or a number in them too long, to be read here", SEND_ONE_OBJECT)
    place = f"{inside}at {where(text, fault.position)}"
    return refusal(f"the arguments are not valid JSON: {fault.what}, {place}", fault.hint)


def where(text: str, position: int) -> str:
    """Return the line and the column of a position, both counted from 1."""
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


def refusal(message: str, hint: str) -> CallRefused:
    """Return the exception for arguments that are no JSON; whoever catches it knows the tool."""
    return CallRefused(ToolError(ErrorCode.INVALID_JSON, message, "", hint))


_VALUE = {"string": "after", "number": "after", "word": "after", "opening": "first"}
_NEXT = {
    "value": _VALUE,
    "item": _VALUE,
    "first item": {**_VALUE, "closing": "after"},
    "first key": {"string": "colon", "closing": "after"},
    "key": {"string": "colon"},
    "colon": {"colon": "value"},
    "after": {"comma": "next", "closing": "after"},
    "end": {},
}


def _following(reader: Reader, expect: str) -> str:
    """Say what may follow, now that it is known which bracket is open."""
    if not reader.opened:
        return "end" if expect == "after" else expect
    return (_IN_OBJECT if reader.opened[-1][0] == "{" else _IN_ARRAY).get(expect, expect)


_IN_OBJECT = {"first": "first key", "next": "key"}
_IN_ARRAY = {"first": "first item", "next": "item"}


def _look_at_string(reader: Reader, match: re.Match[str]) -> Fault | None:
    if reader.expect in ("first key", "key"):
        return _look_at_key(reader, match["string"], match.start("string"))
    return None


def _look_at_key(reader: Reader, token: str, position: int) -> Fault | None:
    key = json.loads(token, strict=False) if "\\" in token else token[1:-1]
    keys = reader.opened[-1][1]
    if key in keys:
        return Fault(position, f"the key {quote(key)} stands twice in one object", "Send every key once.")
    keys.add(key)
    return None


def _look_at_number(reader: Reader, match: re.Match[str]) -> Fault | None:
    token = match["number"]
    if token is None:
        return None
    digits = token.lstrip("-")
    if digits.isdecimal() and len(digits) > MAX_DIGITS:
        what = f"an integer of {len(digits):,} digits is too long; at most {MAX_DIGITS:,} can be read"
        hint = "Send a shorter number, or send it as a string if the parameter takes one."
        return Fault(match.start("number"), what, hint)
    if not digits.isdecimal() and math.isinf(float(token)):
        what = f"the number {quote(token)[1:-1]} is too large"
        return Fault(match.start("number"), what, "Send a number of at most 1e308.")
    return None


def _look_at_opening(reader: Reader, match: re.Match[str]) -> Fault | None:
    if len(reader.opened) == MAX_DEPTH:
        return Fault(match.start("opening"), f"more than {MAX_DEPTH} levels of nesting", "Send a flatter value.")
    reader.opened.append((match["opening"], set()))
    return None


def _look_at_closing(reader: Reader, match: re.Match[str]) -> Fault | None:
    opening, token = reader.opened.pop()[0], match["closing"]
    if CLOSES[opening] == token:
        return None
    what = f'"{opening}" is closed by "{token}"'
    return Fault(match.start("closing"), what, f'Close "{opening}" with "{CLOSES[opening]}".')


def _look_at_comma(reader: Reader, match: re.Match[str]) -> Fault | None:
    reader.comma = match.start("comma")
    return None


def _look_at_nothing(reader: Reader, match: re.Match[str]) -> Fault | None:
    return None


_LOOKS = {
    "string": _look_at_string,
    "number": _look_at_number,
    "opening": _look_at_opening,
    "closing": _look_at_closing,
    "comma": _look_at_comma,
    "word": _look_at_nothing,
    "colon": _look_at_nothing,
}
