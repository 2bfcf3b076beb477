"""What a history comes to when it is to be sent: turns in which every call is whole, legal, and answered once.

Both wires are written from this. The rules are those that servers enforce with 400; a comment names each.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from labkit.calls import CallRefused
from labkit.declare.ready_made import legal_name
from labkit.models.wire.reading import call_of, excerpt, listed, mapping, text, text_of
from labkit.validate import parse_arguments

LONGEST_ID = 40
LONGEST_DESCRIPTION = 1_024
UNNAMED = "unnamed_tool"
UNREADABLE = "arguments_as_received"
"""The one key of what is sent in place of arguments that were no JSON object: a server may parse what it gets back."""
UNANSWERED = "ERROR [cancelled]: no result of this call was kept"
ORPHAN = "[a tool result that answers no open call]"

_surrogate = re.compile("[\ud800-\udfff]")
_escaped_surrogate = re.compile(r"\\u[dD][89a-fA-F]")


class SentCall(NamedTuple):
    """A call and its answer, as they may be sent. A value; ``arguments`` is the text of a JSON object."""

    id: str
    name: str
    arguments: str
    answer: str


class Turn(NamedTuple):
    """One message; that of a model with the answers to its calls. A value.

    ``content`` is text, or a user's parts; ``position`` is that of the (first) message in the history, from 0.
    """

    position: int
    role: str
    content: Any
    calls: tuple[SentCall, ...] = ()


def turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield what is to be sent, in order."""
    ids = _Ids()
    position = 0
    while position < len(messages):
        message, first = mapping(messages[position]), position
        position += 1
        role = message.get("role")
        if role == "assistant":
            asked = [message]
            while _asks(asked[-1]) and position < len(messages) and _asks(mapping(messages[position])):
                asked.append(mapping(messages[position]))  # calls of one turn that were stored as several messages
                position += 1
            answers = _answers(messages, position) if _asks(asked[-1]) else []
            position += len(answers)
            yield from _exchange(first, asked, answers, ids)
        elif role == "tool":
            yield _orphan(first, message)  # rule 2: it stands only after its call
        else:
            yield _plain(first, message)


def clean(value: str) -> str:
    """Return a text that has a UTF-8 form: halves of surrogate pairs become U+FFFD, two that fit their character."""
    if not _surrogate.search(value):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cleaned(value: Any) -> Any:
    """Return a value of JSON anew, with every text in it clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list | tuple) else value


def sent_arguments(arguments: Any) -> str:
    """Return arguments as the text of a JSON object (rule 6); text that is one already stays as it is."""
    try:
        read = parse_arguments(arguments)
    except CallRefused:
        raw = arguments if isinstance(arguments, str) else excerpt(arguments)
        return json.dumps({UNREADABLE: clean(raw)}, ensure_ascii=False)
    if isinstance(arguments, str) and not _surrogate.search(arguments) and not _escaped_surrogate.search(arguments):
        try:
            if type(json.loads(arguments)) is dict:
                return arguments
        except (ValueError, RecursionError):
            pass  # it took a repair to read them: what was read is sent
    return json.dumps(cleaned(read), ensure_ascii=False)


def sent_name(name: str) -> str:
    """Return a name that every server takes (rule 8)."""
    try:
        return legal_name(clean(name))
    except ValueError:  # no letter of it is legal
        return UNNAMED


def sent_description(description: str) -> str:
    """Return a description of at most 1,024 characters (rule 9)."""
    kept = clean(description)
    return kept if len(kept) <= LONGEST_DESCRIPTION else kept[: LONGEST_DESCRIPTION - 1] + "…"


class _Ids:
    """Makes ids that are not empty, not too long, and unique in the whole history (rule 7 asks for less)."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._last: dict[str, int] = {}  # the newest number behind an id: those below it are given

    def of(self, asked: Sequence[str]) -> list[str]:
        """Return one id per call of a turn. One that is sound and new stays; a made one is never one of this turn's."""
        sound = [clean(id) if id.strip() else "" for id in asked]
        reserved = {id for id in sound if id and len(id) <= LONGEST_ID}
        given = []
        for number, id in enumerate(sound, 1):
            own = (
                id if len(id) <= LONGEST_ID else f"{id[: LONGEST_ID - 9]}_{hashlib.sha256(id.encode()).hexdigest()[:8]}"
            )
            chosen = own or f"call_{number}"
            if not own or own in self._given:
                chosen = self._another(chosen, reserved)
            self._given.add(chosen)
            given.append(chosen)
        return given

    def _another(self, id: str, reserved: set[str]) -> str:
        number, chosen = self._last.get(id, 1), id
        while chosen in self._given or chosen in reserved:
            number += 1
            chosen = f"{id[: LONGEST_ID - len(str(number)) - 1]}_{number}"
        self._last[id] = number
        return chosen


def _asks(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" and bool(_calls(message))


def _calls(message: Mapping[str, Any]) -> list[Any]:
    calls = [call for call in listed(message.get("tool_calls")) if isinstance(call, Mapping)]
    older = message.get("function_call")
    return calls or ([older] if isinstance(older, Mapping) else [])


def _answers(messages: Sequence[Mapping[str, Any]], start: int) -> list[Mapping[str, Any]]:
    end = start
    while end < len(messages) and mapping(messages[end]).get("role") in ("tool", "function"):
        end += 1
    return [mapping(message) for message in messages[start:end]]


def _exchange(
    first: int, asked: list[Mapping[str, Any]], answers: list[Mapping[str, Any]], ids: _Ids
) -> Iterator[Turn]:
    """Yield the model's message with every call answered once (rule 1), and then what answers nothing."""
    content = "\n".join(filter(None, (clean(text_of(message.get("content"))) for message in asked)))
    calls = [call_of(call) for message in asked for call in _calls(message)]
    if not calls and not content:
        return  # rule 5: neither text nor calls is no message
    sent = []
    for call, id in zip(calls, ids.of([call.id for call in calls]), strict=True):
        mine = next((answer for answer in answers if text(answer.get("tool_call_id")) == call.id), None)
        if mine is not None:
            answers.remove(mine)
        answer = UNANSWERED if mine is None else _told(mine)
        sent.append(SentCall(id, sent_name(call.name), sent_arguments(call.arguments), answer))
    yield Turn(first, "assistant", content, tuple(sent))
    yield from (_orphan(first, answer) for answer in answers)


def _told(answer: Mapping[str, Any]) -> str:
    content = answer.get("content")
    return clean(text_of(content) if isinstance(content, str | list) else excerpt(content))  # rule 4: it is text


def _orphan(position: int, message: Mapping[str, Any]) -> Turn:
    return Turn(position, "user", f"{ORPHAN} {_told(message)}".rstrip())


def _plain(position: int, message: Mapping[str, Any]) -> Turn:
    role, content = message.get("role"), message.get("content")
    known = role if role in ("system", "developer") else "user"
    parts = [cleaned(part) for part in listed(content) if isinstance(part, Mapping) and part.get("type")]
    if known == "user" and parts and len(parts) == len(listed(content)):
        return Turn(position, known, parts)  # what a user sent besides text is not ours to judge
    told = text_of(content) if isinstance(content, str | list | None) else excerpt(content)
    return Turn(position, known, clean(told))
