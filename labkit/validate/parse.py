"""Turn the arguments of a call, untrusted text, into a dict, or refuse them in words that a model can act on.

Chapter 03. Strict JSON, and three repairs that guess nothing: each undoes what can be undone in one way only.

    >>> parse('```json\\n{"city": "Oslo"}\\n```')
    ({'city': 'Oslo'}, ('code_fence',))

Pure. Does not: complete cut text, replace quotes, drop commas, take the last of two equal keys, know any schema.
"""

from __future__ import annotations

import math
import re
from typing import Any

from labkit.calls import CallRefused, ErrorCode, Repair, ToolError, quote
from labkit.validate.decode import JSON_BLANK, MAX_DEPTH, read_leniently, read_strictly, read_value


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
            value, end = read_value(raw)
            if end == len(raw) and type(value) is dict:
                return value, ()
        except (ValueError, RecursionError):
            refused = raw.startswith("{")  # anything else may still be blank, fenced or indented
    return _parse_any(raw, repair == "lossless", refused)


# 101 levels need 101 opening and 101 closing brackets; a number that is too long is longer still.
_TOO_SHORT_TO_BE_DEEP = 2 * MAX_DEPTH


def _parse_any(raw: Any, lossless: bool, refused: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    kind = type(raw)  # and not isinstance(), which asks the object itself
    if raw is None:
        return {}, ()
    if issubclass(kind, str):
        return _parse_text(str.__str__(raw), lossless, refused)
    if issubclass(kind, (bool, int, list)) or (issubclass(kind, float) and math.isfinite(raw)):
        raise _not_an_object(raw)
    from labkit.validate.plain import no_json_text, plain_copy

    if issubclass(kind, dict):
        return plain_copy(raw), ()
    raise no_json_text(raw)


def _parse_text(text: str, lossless: bool, refused: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text or text.isspace():
        return {}, ()
    repairs: list[str] = []
    start, end = 0, len(text)
    if lossless and (fenced := _fenced(text)):
        start, end = fenced
        repairs.append("code_fence")
    value = _read(text, start, end, repairs, lossless, refused=refused)
    if lossless and type(value) is str and value.lstrip(JSON_BLANK).startswith("{"):
        repairs.append("double_encoding")
        value = _read(value, 0, len(value), repairs, lossless, "inside the quoted text, ")
    if value is None:
        value = {}
    if type(value) is not dict:
        raise _not_an_object(value)
    return value, tuple(dict.fromkeys(repairs))


def _fenced(text: str) -> tuple[int, int] | None:
    """Return where the body of a fence around the whole text begins and ends.

    The body must be strict JSON, whatever it is, so a fence inside a string is no trap.
    """
    opening = re.match(_OPENING, text)
    if opening is None:
        return None
    end = len(text.rstrip())
    body = text[opening.end() : max(opening.end(), end - len(opening["fence"]))].rstrip()
    if not body or not text.endswith(opening["fence"], opening.end(), end):
        return None
    return opening.end(), opening.end() + len(body)


_OPENING = r"\s*(?P<fence>`{3,}|~{3,})(?:[ \t]*[A-Za-z][\w+.-]*(?=\s))?\s*"


def _read(
    text: str, start: int, end: int, repairs: list[str], lossless: bool, inside: str = "", refused: bool = False
) -> Any:
    """Decode ``text[start:end]``, the second time with raw control characters let through; or refuse it."""
    body = text[start:end]
    try:
        if not refused:
            return read_strictly(body)
    except ValueError:
        pass
    try:
        if lossless and re.search(_CONTROL, body):
            value = read_leniently(body)
            repairs.append("control_characters")
            return value
    except ValueError:
        pass
    from labkit.validate.faults import no_json  # the part that explains is loaded when there is something to explain

    raise no_json(text, start, end, strict=not lossless, inside=inside)


_CONTROL = r"[\x00-\x1f]"


def _not_an_object(value: Any) -> CallRefused:
    kind = next(name for base, name in _JSON_KINDS if isinstance(value, base))
    message = f"the arguments must be a JSON object, not {kind}"
    return CallRefused(ToolError(ErrorCode.SCHEMA_VALIDATION, message, "", 'Send an object such as {"name": "value"}.'))


_JSON_KINDS = ((str, "a string"), (bool, "true or false"), ((int, float), "a number"), (list, "an array"))
