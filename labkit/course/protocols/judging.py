"""What a reply is worth: can it be read, does it fit, is it the right tool, are the arguments right? Chapter 11. Pure.

    >>> judge(tasks()[0], '{"name": "get_weather", "arguments": {"city": "Paris", "date": "2026-09-03"}}')
    Judged(parsed=True, valid=True, right_tool=True, right_arguments=False)

Does not: mend a reply, run a tool that acts.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any, NamedTuple

from labkit.course.protocols.prompts import PROTOCOLS
from labkit.course.protocols.tasks import Task, tools
from labkit.models.base import ModelReply
from labkit.toolsets.everyday.calc import calc
from labkit.validate import judge as judge_of
from labkit.validate import normaliser


class Judged(NamedTuple):
    """Four verdicts on one reply. A value.

    ``parsed``: what should be JSON is one JSON object, and where lines have to be labelled, they are. ``valid``: it
    names a tool that there is, and the arguments fit its declaration. ``right_tool``: it names the tool of the task.
    ``right_arguments``: valid, the right tool, and arguments that the task accepts.
    """

    parsed: bool
    valid: bool
    right_tool: bool
    right_arguments: bool


NOTHING_READ = Judged(False, False, False, False)


def judge(task: Task, reply: ModelReply | str, protocol: str = "only_json") -> Judged:
    """Return the verdicts on a reply, or on its text, that was given under a protocol of ``PROTOCOLS``."""
    reply = ModelReply(reply) if isinstance(reply, str) else reply
    found = PROTOCOLS[protocol].read(reply)
    if found is None:
        return NOTHING_READ
    name, arguments = found
    values = fitting(name, arguments)
    right_tool = name == task.tool
    right = right_tool and values is not None and _accepted(task, values)
    return Judged(True, values is not None, right_tool, right)


def fitting(name: Any, arguments: Any) -> dict[str, Any] | None:
    """Return the arguments with defaults filled in; None where there is no such tool, or they do not fit it."""
    gate = _gates().get(name) if isinstance(name, str) else None
    if gate is None or not isinstance(arguments, dict):
        return None
    normalise, decide = gate
    values: dict[str, Any] | None = decide(normalise(arguments)[0])[0]
    return values


@functools.cache
def _gates() -> dict[str, Any]:
    """For each tool what makes arguments normal, and what judges them: the rooms that a runtime uses too."""
    return {tool.name: (normaliser(tool.parameters), judge_of("subset", tool.parameters)) for tool in tools()}


def _accepted(task: Task, values: dict[str, Any]) -> bool:
    return all(_is_right(values.get(name), wanted) for name, wanted in task.arguments.items())


def _is_right(value: Any, wanted: Any) -> bool:
    match wanted:
        case {"value": number}:
            return isinstance(value, str) and calc(value) == number
        case {"least": number}:
            return isinstance(value, int | float) and value >= number
        case {"words": words}:
            return isinstance(value, str) and words_of(" ".join(words)) <= words_of(value)
    return any(_plain(value) == _plain(one) for one in wanted)


def words_of(text: str) -> set[str]:
    """Return the words of a text without capitals and plural s, as the search tool tells them apart."""
    return {re.sub(r"(?<=...[^s])s$", "", word) for word in re.findall(r"\w+", text.casefold())}


def _plain(value: Any) -> Any:
    """Spell a text as the tools do that compare one: capitals, blanks and the way of writing an accent do not count."""
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split()) if isinstance(value, str) else value
