"""Say in our own words what pydantic or ``jsonschema`` refused, where the checker finds nothing. Chapter 03.

    >>> of_exception(KeyError("size")).message
    'could not be checked: the check of these values failed (KeyError)'

Pure. Only the message of an author's own validator is kept: it was written for this very case.
Does not: show texts of a library, whose wording changes with versions; show more than 40 characters of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, get_args

from pydantic_core.core_schema import ErrorType

from labkit.calls import Problem, quote
from labkit.validate.subset import join

if TYPE_CHECKING:
    from pydantic import ValidationError

AUTHOR_CHARACTERS = 300
Words = Callable[[BaseException | str], str]
"""What may be passed on of an exception that an author's rule raised, or of a text of the author's; "" for nothing."""


def of_exception(error: BaseException) -> Problem:
    """Return the problem for an exception that is no verdict, such as a KeyError in a model's own validator."""
    name = quote(type(error).__name__)[1:-1]
    return Problem("", "check", f"could not be checked: the check of these values failed ({name})")


def of_pydantic(error: ValidationError, values: Any, words: Words = str) -> list[Problem]:
    """Return the problems that pydantic found; the value at each place is looked up in what was handed to it."""
    problems: dict[Problem, None] = {}
    for detail in error.errors(include_url=False, include_input=False):
        path, value = _place(detail["loc"], detail["type"], values)
        rule, message = _of_detail(detail, value, words)
        problems[Problem(path, rule, message)] = None
    return list(problems)


def of_jsonschema(errors: Iterable[Any]) -> list[Problem]:
    """Return the problems that ``jsonschema`` found, one for each failing keyword."""
    problems: dict[Problem, None] = {}
    for error in errors:
        path = ""
        for part in error.absolute_path:
            path = join(path, quote(part)[1:-1] if isinstance(part, str) else part)
        keyword = str(error.validator)
        message = _KEYWORDS.get(keyword, 'does not keep the rule "{keyword}" of the schema, got {value}')
        shown = {"keyword": keyword, "value": quote(error.instance), "bound": quote(error.validator_value)}
        problems[Problem(path, keyword, message.format(**shown))] = None
    return list(problems)


_KEYWORDS = {
    "None": "is not allowed",
    "not": "must not have this value, got {value}",
    "contains": "must hold an item of the wanted kind, got {value}",
    "minProperties": "must have at least {bound} fields, got {value}",
    "maxProperties": "must have at most {bound} fields, got {value}",
    "propertyNames": "has a field whose name is not allowed",
}


def _place(location: tuple[int | str, ...], kind: str, values: Any) -> tuple[str, Any]:
    """Follow a location through the values; the names of branches and types in it lead nowhere and are left out."""
    path, value = "", values
    for number, part in enumerate(location):
        missing = kind == "missing" and number == len(location) - 1
        if isinstance(value, dict) and (part in value or missing):
            path, value = join(path, quote(str(part))[1:-1]), value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            path, value = join(path, part), value[part]
    return path, value


def _of_detail(detail: Any, value: Any, words: Words) -> tuple[str, str]:
    kind = detail["type"]
    if kind in ("value_error", "assertion_error"):
        own = detail.get("ctx", {}).get("error")
        return "check", _of_author(words(detail["msg"].partition(", ")[2] if own is None else own), value)
    if kind not in _PYDANTIC_KINDS:
        return "check", _of_author(words(detail["msg"]), value)
    if kind in _WHOLE:
        return _WHOLE[kind]
    rule, noun = _NOUNS.get(kind.partition("_")[0], ("check", ""))
    return rule, f"must be {noun}, got {quote(value)}" if noun else f"is not accepted, got {quote(value)}"


def _of_author(message: str, value: Any) -> str:
    line = " ".join(message.split())
    line = line if len(line) <= AUTHOR_CHARACTERS else line[: AUTHOR_CHARACTERS - 1] + "…"
    return line or f"is not accepted, got {quote(value)}"


_PYDANTIC_KINDS = frozenset(get_args(ErrorType))
_WHOLE = {
    "missing": ("required", "is required"),
    "extra_forbidden": ("additionalProperties", "is not a known field"),
    "recursion_loop": ("check", "contains itself"),
    "json_invalid": ("check", "holds text or numbers that can't be written as JSON"),
}
_NOUNS = {
    "bool": ("type", "true or false"),
    "bytes": ("type", "a string"),
    "dataclass": ("type", "an object"),
    "date": ("format", "a date such as 2025-03-01"),
    "datetime": ("format", "a date and time such as 2025-03-01T12:30:00"),
    "decimal": ("type", "a decimal number within the bounds of its parameter"),
    "dict": ("type", "an object"),
    "enum": ("enum", "one of the allowed values"),
    "float": ("type", "a number"),
    "frozen": ("type", "an array"),
    "int": ("type", "an integer"),
    "list": ("type", "an array"),
    "literal": ("enum", "one of the allowed values"),
    "model": ("type", "an object"),
    "set": ("type", "an array"),
    "string": ("type", "a string that keeps the rules of its parameter"),
    "time": ("format", "a time such as 12:30:00"),
    "timezone": ("format", "a date and time with the time zone that its parameter asks for"),
    "tuple": ("type", "an array"),
    "url": ("format", "a web address such as https://example.org/page"),
    "uuid": ("format", "a UUID such as 123e4567-e89b-42d3-a456-426614174000"),
}
