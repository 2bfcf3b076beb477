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
from dataclasses import dataclass, field

from labkit.calls import quote

MAX_DEPTH = 100
MAX_DIGITS = 4300
SEND_ONE_OBJECT = "Send one JSON object and nothing around it."


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, at which character of the text (counted from 0), and what to do. A value."""

    position: int
    what: str
    hint: str


def find_fault(text: str, start: int = 0, end: int | None = None, *, strict: bool = True) -> Fault | None:
    """Return the first thing that keeps ``text[start:end]`` from being one JSON value, or None.

    With ``strict=False`` raw control characters inside strings are let through.
    """
    reader = _Reader(text, len(text) if end is None else end, strict, start)
    patterns = _STRICT if strict else _LENIENT
    while True:
        if reader.expect in ("key", "first key") and (match := patterns.entry.match(text, reader.at, reader.end)):
            fault = _look_at_key(reader, match["key"], match.start("key")) or _look_at_number(reader, match)
            reader.comma, reader.expect = match.end() - 1, "key"
        elif match := patterns.token.match(text, reader.at, reader.end):
            kind = match.lastgroup or ""
            if kind not in _NEXT[reader.expect]:
                return _explain(reader)
            fault = _LOOKS[kind](reader, match)
            reader.expect = _following(reader, _NEXT[reader.expect][kind])
        else:
            return _explain(reader)
        if fault is not None:
            return fault
        reader.at = match.end()


def where(text: str, position: int) -> str:
    """Return the line and the column of a position, both counted from 1."""
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


@dataclass(slots=True)
class _Reader:
    """How far the text has been read: what may come next, and which brackets are open."""

    text: str
    end: int
    strict: bool
    at: int
    expect: str = "value"
    comma: int = -1
    opened: list[tuple[str, set[str]]] = field(default_factory=list)


class _Patterns:
    """One token of JSON, a whole simple entry with its comma (most of a text is made of these), and the start of a string."""

    def __init__(self, forbidden: str) -> None:
        string_start = rf'"(?:[^"\\{forbidden}]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}))*+'
        string = rf'{string_start}"'
        number = r"(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-]))"
        word = r"(?:true|false|null)(?!\w)"
        blank = r"[ \t\n\r]*+"
        marks = r"(?P<opening>[{\[])|(?P<colon>:)|(?P<comma>,)|(?P<closing>[}\]])"
        self.string_start = re.compile(string_start)
        self.token = re.compile(rf"{blank}(?:(?P<string>{string})|{number}|(?P<word>{word})|{marks})")
        self.entry = re.compile(rf"{blank}(?P<key>{string}){blank}:{blank}(?:{string}|{number}|{word}){blank},")


_STRICT = _Patterns(r"\x00-\x1f")
_LENIENT = _Patterns("")

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


def _following(reader: _Reader, expect: str) -> str:
    """Say what may follow, now that it is known which bracket is open."""
    if not reader.opened:
        return "end" if expect == "after" else expect
    return (_IN_OBJECT if reader.opened[-1][0] == "{" else _IN_ARRAY).get(expect, expect)


_IN_OBJECT = {"first": "first key", "next": "key"}
_IN_ARRAY = {"first": "first item", "next": "item"}


def _look_at_string(reader: _Reader, match: re.Match[str]) -> Fault | None:
    if reader.expect in ("first key", "key"):
        return _look_at_key(reader, match["string"], match.start("string"))
    return None


def _look_at_key(reader: _Reader, token: str, position: int) -> Fault | None:
    key = json.loads(token, strict=False) if "\\" in token else token[1:-1]
    keys = reader.opened[-1][1]
    if key in keys:
        return Fault(position, f"the key {quote(key)} stands twice in one object", "Send every key once.")
    keys.add(key)
    return None


def _look_at_number(reader: _Reader, match: re.Match[str]) -> Fault | None:
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


def _look_at_opening(reader: _Reader, match: re.Match[str]) -> Fault | None:
    if len(reader.opened) == MAX_DEPTH:
        return Fault(match.start("opening"), f"more than {MAX_DEPTH} levels of nesting", "Send a flatter value.")
    reader.opened.append((match["opening"], set()))
    return None


def _look_at_closing(reader: _Reader, match: re.Match[str]) -> Fault | None:
    opening, token = reader.opened.pop()[0], match["closing"]
    if _CLOSES[opening] == token:
        return None
    what = f'"{opening}" is closed by "{token}"'
    return Fault(match.start("closing"), what, f'Close "{opening}" with "{_CLOSES[opening]}".')


def _look_at_comma(reader: _Reader, match: re.Match[str]) -> Fault | None:
    reader.comma = match.start("comma")
    return None


def _look_at_nothing(reader: _Reader, match: re.Match[str]) -> Fault | None:
    return None


_CLOSES = {"{": "}", "[": "]"}
_LOOKS = {
    "string": _look_at_string,
    "number": _look_at_number,
    "opening": _look_at_opening,
    "closing": _look_at_closing,
    "comma": _look_at_comma,
    "word": _look_at_nothing,
    "colon": _look_at_nothing,
}


def _explain(reader: _Reader) -> Fault | None:
    """Say why the text can't be read on from here; None where it has simply been read to its end."""
    text, end = reader.text, reader.end
    at = _BLANK.match(text, reader.at, end).end()  # type: ignore[union-attr]  # it matches everywhere
    if at == end:
        return None if reader.expect == "end" else Fault(at, f"the text ends inside {_innermost(reader)}", _SEND_ALL)
    if text[at] == '"' and reader.expect in ("value", "item", "first item", "key", "first key"):
        return _explain_string(text, at, end, reader.strict)
    for pattern, what, hint in _SIGNS:
        if sign := pattern.match(text, at, end):
            return Fault(at, what.format(quote(sign[0])[1:-1]), hint)
    return _EXPLAIN[reader.expect](reader, at)


_BLANK = re.compile(r"[ \t\n\r]*")
_SEND_ALL = "The text was cut off. Send the whole object again, with shorter values if it is long."
_NO_SUCH_NUMBER = "Send null, leave it out, or send a finite number."
_SIGNS = [
    (re.compile(pattern), what, hint)
    for pattern, what, hint in (
        ("```|~~~", "a code fence stands in the text", "Send the JSON object alone, without a fence."),
        ("\ufeff", "a byte order mark stands before the JSON", SEND_ONE_OBJECT),
        (r"//|/\*|#", "a comment stands in the text", "JSON has no comments. Leave it out."),
        ("['‘’]", "single quotes stand where JSON has double quotes", 'Put keys and strings in double quotes (").'),
        ("[“”„«»]", "typographic quotes stand where JSON has straight ones", 'Put keys and strings in double quotes (").'),
        (r"(?:True|False|None|undefined)(?!\w)", "{} is not JSON", "Write true, false or null, in lower case."),
        (r"(?i:[+-]?(?:nan|inf(?:inity)?)(?!\w))", "{} is not a JSON number", _NO_SUCH_NUMBER),
        (r"[+\-.]?[0-9][\w.+-]*[\w.+-]|[+\-.][0-9]|-", "{} is not a JSON number", "Write numbers as 12, -3 or 0.5."),
    )
]


def _innermost(reader: _Reader) -> str:
    return "an object" if reader.opened and reader.opened[-1][0] == "{" else "an array"


def _explain_string(text: str, at: int, end: int, strict: bool) -> Fault:
    """Say why the string that opens at ``at`` is none."""
    body = (_STRICT if strict else _LENIENT).string_start.match(text, at, end)
    stop = body.end() if body else at
    if stop == end or (text[stop] == "\\" and _CUT_ESCAPE.fullmatch(text, stop, end)):
        return Fault(end, "the text ends inside a string", _SEND_ALL)
    if text[stop] == "\\":
        what = f"{quote(text[stop : stop + 2])[1:-1]} is no escape that JSON knows"
        return Fault(stop, what, r"Write a backslash itself as \\, and other characters as they are or as \uXXXX.")
    what = f"a raw control character (U+{ord(text[stop]):04X}) stands inside a string"
    return Fault(stop, what, r"Write a line break as \n and a tab as \t.")


_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")


def _explain_value(reader: _Reader, at: int) -> Fault:
    text = reader.text
    if not reader.opened:
        around = re.compile(r"[{\[]").search(text, at, reader.end)
        what = "other text stands before the JSON" if around else "the text is no JSON"
        return Fault(at, what, SEND_ONE_OBJECT)
    if text[at] == "]" and reader.expect == "item":
        return Fault(reader.comma, "a comma stands before the closing bracket", "Leave the last comma out.")
    if text[at] in ",}]":
        return Fault(at, "a value is missing", "Send a value, or null, or leave the key out.")
    return Fault(at, f"{_word(reader, at)} is no JSON value", 'Put text in double quotes (").')


def _explain_key(reader: _Reader, at: int) -> Fault:
    text = reader.text
    if text[at] == "}" and reader.expect == "key":
        return Fault(reader.comma, "a comma stands before the closing brace", "Leave the last comma out.")
    if text[at] in ",:]}":
        return Fault(at, "a key is missing", 'Write every entry as "key": value.')
    return Fault(at, f"the key {_word(reader, at)} is not in double quotes", 'Put keys in double quotes (").')


def _explain_colon(reader: _Reader, at: int) -> Fault:
    return Fault(at, "a colon is missing after a key", 'Write every entry as "key": value.')


def _explain_after(reader: _Reader, at: int) -> Fault:
    closing = _CLOSES[reader.opened[-1][0]]
    what = f'a comma or "{closing}" is missing before {_word(reader, at)}'
    return Fault(at, what, r'Put a comma between entries, and write a quote inside a string as \".')


def _explain_end(reader: _Reader, at: int) -> Fault:
    if reader.text[at] in "}]":
        return Fault(at, f'"{reader.text[at]}" closes nothing', SEND_ONE_OBJECT)
    if reader.text[at] in '{["':
        return Fault(at, "a second JSON value follows the first", "Send one object; make one call for each object.")
    return Fault(at, "other text stands after the JSON", SEND_ONE_OBJECT)


def _word(reader: _Reader, at: int) -> str:
    match = re.compile(r"\w+|.", re.DOTALL).match(reader.text, at, reader.end)
    return quote(match[0] if match else "")


_EXPLAIN = {
    "value": _explain_value,
    "first item": _explain_value,
    "item": _explain_value,
    "first key": _explain_key,
    "key": _explain_key,
    "colon": _explain_colon,
    "after": _explain_after,
    "end": _explain_end,
}
