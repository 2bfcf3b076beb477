"""One try: a history is spoilt, spelled, sent, and answered. Acts through ``post``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.calls import ToolCall, many
from labkit.course.layout import beside
from labkit.course.wires.comparing import changes
from labkit.course.wires.history import DEFINITIONS, the_history
from labkit.course.wires.plain import plain_chat, plain_responses
from labkit.course.wires.posting import CHAT, RESPONSES, Answered, post
from labkit.course.wires.spoiling import ANSWERS, SPOILS, WHOLE, spoilt
from labkit.models.base import ModelReply
from labkit.models.wire import (
    chat_tools,
    reply_from_chat,
    reply_from_response,
    responses_tools,
    to_chat,
    to_responses,
)

Message = dict[str, Any]

TITLES = {CHAT: "chat completions", RESPONSES: "Responses"}
PLAIN = {CHAT: plain_chat, RESPONSES: plain_responses}
MENDING = {CHAT: to_chat, RESPONSES: to_responses}
LISTED = {CHAT: "messages", RESPONSES: "input"}
TOOLS = {CHAT: chat_tools, RESPONSES: responses_tools}
UNNAMED = re.compile(r"and \d+ more")
READING = {CHAT: reply_from_chat, RESPONSES: reply_from_response}


@dataclass(frozen=True, repr=False)
class Tried:
    """What was sent and what came back. A value; its text says all that the lab draws.

    ``marks`` are words about each message of ``sent``, empty for one that is as it was; ``gone`` are the messages that
    are no longer there. Both compare with the sound history where nothing was mended, else with the spoilt one.
    """

    api: str
    repair: bool
    spoils: tuple[str, ...]
    sent: tuple[Message, ...]
    marks: tuple[str, ...]
    gone: tuple[Message, ...]
    answered: Answered

    @property
    def status(self) -> int:
        return self.answered.status

    @property
    def head(self) -> str:
        """What was done to the history, and how it was sent."""
        way = "mended by labkit" if self.repair else "sent as it is"
        return f"{TITLES[self.api]} · {'; '.join(self.spoils) or 'nothing is spoilt'} · {way}"

    @property
    def word(self) -> str:
        """What a mark stands for."""
        return "mended" if self.repair else "spoilt"

    @property
    def verdict(self) -> str:
        """What the server answered, in one line."""
        if self.status != 200:
            return f"the server answers {self.status}: {_counted(self.answered.sentences)}"
        return f"the server answers {self.status}: {_said(READING[self.api](self.answered.body))}"

    def said_of(self, position: int) -> list[str]:
        """Return what there is to say of one message: how it was spoilt or mended, and what the server says of it."""
        mark, rules = self.marks[position], self.answered.rules_at(position)
        changed = [f"{self.word}: {mark}"] if mark else []
        return changed + ([f"refused: {', '.join(rules)}"] if rules else [])

    def __repr__(self) -> str:
        rows = [line for position in range(len(self.sent)) for line in self._row(position)]
        gone = [beside("    no longer there: ", spelled(message)) for message in self.gone]
        said = [beside("  - ", sentence) for sentence in self.answered.sentences]
        return "\n".join([beside("", self.head), beside("", self.verdict), *said, "", *rows, *gone])

    def _row(self, position: int) -> list[str]:
        said = [beside("    ", each) for each in self.said_of(position)]
        return [beside(f"{position:>2}  ", spelled(self.sent[position])), *said]


def tried(answer: str = WHOLE, spoils: Iterable[str] = (), *, api: str = CHAT, repair: bool = False) -> Tried:
    """Spoil the history, spell it for a wire, send it to the server of this course, and return what came of it."""
    chosen = tuple(spoils)
    messages = spoilt(answer, chosen)
    as_it_is = PLAIN[api](messages)
    sent = MENDING[api](messages) if repair else as_it_is
    marks, gone = changes(as_it_is if repair else PLAIN[api](the_history()), sent)
    words = [f"the second answer: {ANSWERS[answer][0]}"] if answer != WHOLE else []
    words += [SPOILS[name][0] for name in chosen]
    answered = post(api, {"model": "scripted", LISTED[api]: sent, "tools": TOOLS[api](DEFINITIONS)})
    return Tried(api, repair, tuple(words), tuple(sent), tuple(marks), tuple(gone), answered)


def spelled(message: Message) -> str:
    """Return a message as JSON on one line."""
    return json.dumps(message, ensure_ascii=False)


def _counted(sentences: Sequence[str]) -> str:
    """Count the broken rules that are named; the last sentence may only count the others."""
    *named, last = sentences
    return f"{many(len(named), 'sentence')}, {last}" if UNNAMED.fullmatch(last) else many(len(sentences), "sentence")


def _said(reply: ModelReply) -> str:
    calls: Sequence[ToolCall] = reply.tool_calls
    return f"{reply.content}" + (f" It asks for {', '.join(call.name for call in calls)}." if calls else "")
