"""Put into words why a JSON text can't be read on from a certain character. Chapter 03.

    >>> explain(Reader('{"n": NaN}', 10, True, 6, "value", opened=[("{", set())])).what
    'NaN is not a JSON number'

Pure. Does not: find the place; that is ``faults``.
"""

from __future__ import annotations

import re

from labkit.calls import quote
from labkit.validate.tokens import CLOSES, LENIENT, SEND_ONE_OBJECT, STRICT, Fault, Reader


def explain(reader: Reader) -> Fault | None:
    """Say why the text can't be read on from here; None where it has simply been read to its end."""
    text, end = reader.text, reader.end
    at = _BLANK.match(text, reader.at, end).end()  # type: ignore[union-attr]  # it matches everywhere
    if at == end:
        return None if reader.expect == "end" else Fault(at, f"the text ends inside {_innermost(reader)}", _SEND_ALL)
    value_wanted = reader.expect in ("value", "item", "first item")
    if text[at] == '"' and (value_wanted or reader.expect in ("key", "first key")):
        return _explain_string(text, at, end, reader.strict)
    for pattern, what, hint in () if text[at] in '{}[],:"' else _SIGNS if value_wanted else _SIGNS[:_ANYWHERE]:
        if sign := pattern.match(text, at, end):
            return Fault(at, what.format(quote(sign[0])[1:-1]), hint)
    return _EXPLAIN[reader.expect](reader, at)


_BLANK = re.compile(r"[ \t\n\r]*")
_SEND_ALL = "The text was cut off. Send the whole object again, with shorter values if it is long."
_IN_DOUBLE_QUOTES = 'Put keys and strings in double quotes (").'
_NO_SUCH_NUMBER = "Send null, leave it out, or send a finite number."
_SIGNS = [
    (re.compile(pattern), what, hint)
    for pattern, what, hint in (
        ("```|~~~", "a code fence stands in the text", "Send the JSON object alone, without a fence."),
        ("\ufeff", "a byte order mark stands before the JSON", SEND_ONE_OBJECT),
        (r"//|/\*|#", "a comment stands in the text", "JSON has no comments. Leave it out."),
        ("['\u2018\u2019]", "single quotes stand where JSON has double quotes", _IN_DOUBLE_QUOTES),
        ("[\u201c-\u201f\xab\xbb]", "typographic quotes stand where JSON has straight ones", _IN_DOUBLE_QUOTES),
        (r"(?:True|False|None|undefined)(?!\w)", "{} is not JSON", "Write true, false or null, in lower case."),
        (r"(?i:[+-]?(?:nan|inf(?:inity)?)(?!\w))", "{} is not a JSON number", _NO_SUCH_NUMBER),
        (r"[+\-.]*[0-9][\w.+-]*|-", "{} is not a JSON number", "Write numbers as 12, -3 or 0.5."),
    )
]


_ANYWHERE = 5  # the rest stand for values, and are looked for where a value is wanted


def _innermost(reader: Reader) -> str:
    return "an object" if reader.opened and reader.opened[-1][0] == "{" else "an array"


def _explain_string(text: str, at: int, end: int, strict: bool) -> Fault:
    """Say why the string that opens at ``at`` is none."""
    body = (STRICT if strict else LENIENT).string_start.match(text, at, end)
    stop = body.end() if body else at
    if stop == end or (text[stop] == "\\" and _CUT_ESCAPE.fullmatch(text, stop, end)):
        return Fault(end, "the text ends inside a string", _SEND_ALL)
    if text[stop] == "\\":
        what = f"{quote(text[stop : stop + 2])[1:-1]} is no escape that JSON knows"
        return Fault(stop, what, r"Write a backslash itself as \\, and other characters as they are or as \uXXXX.")
    what = f"a raw control character (U+{ord(text[stop]):04X}) stands inside a string"
    return Fault(stop, what, r"Write a line break as \n and a tab as \t.")


_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")


def _explain_value(reader: Reader, at: int) -> Fault:
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


def _explain_key(reader: Reader, at: int) -> Fault:
    text = reader.text
    if text[at] == "}" and reader.expect == "key":
        return Fault(reader.comma, "a comma stands before the closing brace", "Leave the last comma out.")
    if text[at] in ",:]}":
        return Fault(at, "a key is missing", 'Write every entry as "key": value.')
    return Fault(at, f"the key {_word(reader, at)} is not in double quotes", 'Put keys in double quotes (").')


def _explain_colon(reader: Reader, at: int) -> Fault:
    return Fault(at, "a colon is missing after a key", 'Write every entry as "key": value.')


def _explain_after(reader: Reader, at: int) -> Fault:
    closing = CLOSES[reader.opened[-1][0]]
    what = f'a comma or "{closing}" is missing before {_word(reader, at)}'
    return Fault(at, what, r"Put a comma between entries, and write a quote inside a string as \".")


def _explain_end(reader: Reader, at: int) -> Fault:
    if reader.text[at] in "}]":
        return Fault(at, f'"{reader.text[at]}" closes nothing', SEND_ONE_OBJECT)
    if reader.text[at] in '{["':
        return Fault(at, "a second JSON value follows the first", "Send one object; make one call for each object.")
    return Fault(at, "other text stands after the JSON", SEND_ONE_OBJECT)


def _word(reader: Reader, at: int) -> str:
    match = re.compile(r"\w+|.", re.DOTALL).match(reader.text, at, reader.end)
    return "a string" if match is None or match[0] == '"' else quote(match[0])


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
