"""The parts that a JSON text is read in, and how far it has been read. Chapter 03.

    >>> STRICT.token.match(' "a": 1').lastgroup
    'string'

Does not: decide what may follow what (``faults``), or say what is wrong (``explain``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SEND_ONE_OBJECT = "Send one JSON object and nothing around it."


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, at which character of the text (counted from 0), and what to do. A value."""

    position: int
    what: str
    hint: str


@dataclass(slots=True)
class Reader:
    """How far the text has been read: what may come next, and which brackets are open."""

    text: str
    end: int
    strict: bool
    at: int
    expect: str = "value"
    comma: int = -1
    opened: list[tuple[str, set[str]]] = field(default_factory=list)


class Patterns:
    """The parts that a text is read in: a token, a simple entry with its comma, the start of a string."""

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


STRICT = Patterns(r"\x00-\x1f")
LENIENT = Patterns("")
CLOSES = {"{": "}", "[": "]"}
