"""The keywords that the hand-written validator leaves out, for the judges that must know them. Chapter 03.

    >>> from labkit.validate.subset import check
    >>> check({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", ALL_RULES)[0].message
    'must be an integer or null, got "x"'

Pure. Of several branches that all fail, the one that comes nearest words the problems.
Does not: decide what ``validator="subset"`` knows; that is ``coverage.unsupported``.
"""

from __future__ import annotations

from typing import Any

from labkit.calls import Problem, quote
from labkit.validate.keywords import WHAT_IT_IS
from labkit.validate.subset import PART_RULES, Rule, Walk, join, problems_at


def _any_of(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    found = [problems_at(branch, value, path, walk) for branch in schema["anyOf"]]
    return _nearest(found, "anyOf", value, path) if all(found) else []


def _one_of(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    found = [problems_at(branch, value, path, walk) for branch in schema["oneOf"]]
    fitting = found.count([])
    if fitting == 0:
        return _nearest(found, "oneOf", value, path)
    message = f"must fit one of the allowed forms, and fits {fitting} of them, got {quote(value)}"
    return [Problem(path, "oneOf", message)] if fitting > 1 else []


def _all_of(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    return [problem for part in schema["allOf"] for problem in problems_at(part, value, path, walk)]


def _nearest(found: list[list[Problem]], keyword: str, value: Any, path: str) -> list[Problem]:
    """Return the problems of the branch that was most likely meant; where none was, one problem for them all."""
    meant = [problems for problems in found if not any(p.path == path and p.rule in WHAT_IT_IS for p in problems)]
    if meant:
        return min(meant, key=lambda problems: (any(p.rule == "const" for p in problems), len(problems)))
    here = [problem for problems in found for problem in problems if problem.path == path]
    wanted = dict.fromkeys(_wanted(problem.message) for problem in here)
    rule = "type" if all(problem.rule == "type" for problem in here) else keyword
    return [Problem(path, rule, f"must be {' or '.join(wanted)}, got {quote(value)}")]


def _wanted(message: str) -> str:
    """Take "an integer" out of "must be an integer, got 5"."""
    for separator in ("; got ", ", got "):
        message = message.rpartition(separator)[0] or message
    return message.removeprefix("must be ")


def _prefix_items(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    problems: list[Problem] = []
    first, rest = schema["prefixItems"], schema.get("items", True)
    for number, item in enumerate(value) if isinstance(value, list) else ():
        part = first[number] if number < len(first) else rest
        if part is False:
            return [*problems, Problem(path, "items", f"must have at most {len(first)} items, got {len(value)}")]
        problems += problems_at(part, item, join(path, number), walk)
    return problems


def _unique_items(schema: dict[str, Any], value: Any, path: str, walk: Walk) -> list[Problem]:
    seen: dict[Any, int] = {}
    for number, item in enumerate(value) if schema["uniqueItems"] and isinstance(value, list) else ():
        first = seen.setdefault(_key(item), number)
        if first != number:
            message = f"must not hold an item twice: items {first} and {number} are both {quote(item)}"
            return [Problem(path, "uniqueItems", message)]
    return []


def _key(value: Any) -> Any:
    """Return a key that is equal for equal JSON values: 1 and 1.0 are; 1 and true are not."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, *map(_key, value))
    if isinstance(value, dict):
        return frozenset((name, _key(item)) for name, item in value.items())
    return value


ALL_RULES: dict[str, Rule] = {
    **PART_RULES,
    "prefixItems": _prefix_items,
    "uniqueItems": _unique_items,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
}
