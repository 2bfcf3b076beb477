"""One broken rule of a request, as a value. Pure."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

LEGAL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Names of tools, in declarations and in replayed history (rule 8)."""


class Broken(NamedTuple):
    """What a request does wrong. A value.

    ``rule`` is the number of the rule, or a word for what has no number. ``param`` is the place, as servers write it:
    ``messages.[3].tool_calls.[0].id``. ``message`` says place, fault and rule in one sentence.
    """

    rule: int | str
    message: str
    param: str


def broken(rule: int | str, param: str, sentence: str) -> Broken:
    """Return the value; place and rule are put around the sentence."""
    place = re.sub(r"[\[\]]", "", param)
    named = f"rule {rule}" if isinstance(rule, int) else rule
    return Broken(rule, f"{place}: {sentence} ({named})", param)


def foreign_fields(value: dict[str, Any], known: set[str], param: str, what: str) -> list[Broken]:
    """Return a fault for each field that is not known in this place (rule 16)."""
    return [
        broken(16, f"{param}.{spelled(name)}", f"{what} has no field {spelled(name)}")
        for name in value
        if name not in known
    ]


def spelled(value: Any, longest: int = 60) -> str:
    """Return a received value as short, printable text."""
    text = value if isinstance(value, str) else repr(value)[: longest + 1]
    text = "".join(ch if ch.isprintable() else "?" for ch in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def kind_of(value: Any) -> str:
    """Return what JSON calls this value."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
