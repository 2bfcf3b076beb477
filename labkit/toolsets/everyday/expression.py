"""Reading an expression: text into a syntax tree that holds arithmetic and nothing else.

For all chapters. Pure.

    >>> read(" 2 *  (3 + 4)").text
    '2 * (3 + 4)'

Every sign is judged before Python's parser sees the text, so the parser meets only short, shallow arithmetic.

Does not: calculate, repair what is ambiguous.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from labkit.calls import quote

MAX_CHARACTERS = 200
MAX_BRACKETS = 30
MAX_DIGITS = 50
FUNCTIONS = ("abs", "max", "min", "round", "sqrt")


class Wrong(Exception):
    """What is wrong with an expression, in words for the model."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An expression in plain characters and its tree, whose columns point into the text. A value."""

    text: str
    tree: ast.expr


def read(expression: str) -> Parsed:
    """Return the expression's tree. Raises Wrong, naming the first thing that can't stand in arithmetic."""
    if len(expression) > MAX_CHARACTERS:
        raise Wrong(f"the expression has {len(expression)} characters; at most {MAX_CHARACTERS} are allowed")
    text = " ".join(expression.translate(_SAME_MEANING).split())
    if not text:
        raise Wrong("the expression is empty")
    for token in _TOKEN.finditer(text):
        _judge(token.lastgroup, token[0])
    _judge_brackets(text)
    try:
        return Parsed(text, ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Wrong("the expression can't be read: a number, an operator or a comma is missing or misplaced") from None


_SAME_MEANING = str.maketrans("\u2212\u00d7\u00f7", "-*/")  # the minus, times and division signs of print
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>[-+*/%,() ])|(?P<other>.)",
    re.ASCII,
)
_WHY_NOT = {
    "^": "^ is not a power here: write **",
    "=<>!:": "there are no comparisons, shifts or assignments here",
    "&|~@": "there are no operators on bits or matrices here",
    "\"'`\\": "text is not a number: leave the quotation marks out",
    ".": "a point stands only inside a number: there are no attributes here",
    "[]{}": "only round brackets are allowed",
    "°$€£": "units are not allowed: give plain numbers",
}


def _judge(kind: str | None, word: str) -> None:
    if kind == "name" and word not in FUNCTIONS:
        raise Wrong(f"{quote(word)} is not known: there are no variables, units or other words here")
    if kind == "number" and len(re.split("[eE]", word)[0].replace(".", "")) > MAX_DIGITS:
        raise Wrong(f"the number {quote(word)} has more than {MAX_DIGITS} digits")
    if kind == "other":
        reasons = (reason for characters, reason in _WHY_NOT.items() if word in characters)
        raise Wrong(next(reasons, f"the character {quote(word)} has no meaning here"))


def _judge_brackets(text: str) -> None:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            raise Wrong("a closing bracket has no opening one")
        if depth > MAX_BRACKETS:
            raise Wrong(f"the brackets are nested more than {MAX_BRACKETS} deep")
    if depth:
        raise Wrong(f"{depth} closing {'bracket is' if depth == 1 else 'brackets are'} missing")
