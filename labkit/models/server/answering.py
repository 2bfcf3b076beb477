"""From one request to one answer: the fault of its turn, the rules, the script. Pure.

    >>> answer(Asked(CHAT, {"messages": []}), {"task": "t", "decisions": [{"content": "hi"}]}).status
    400

Does not: read or write a socket, remember anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from labkit.models.base import ModelError
from labkit.models.server.answers import Answer, error, refused, streamed, whole
from labkit.models.server.faults import Fault, at_once, bent_answer, bent_reply
from labkit.models.server.playing import CHAT, decide
from labkit.models.server.responses_rules import responses_broken_rules
from labkit.models.server.rules import broken_rules


@dataclass(frozen=True)
class Asked:
    """A request to the model. A value; ``body`` is whatever JSON was sent. The key is never shown."""

    api: str
    body: Any
    key: str = field(default="", repr=False)

    @property
    def streamed(self) -> bool:
        """Whether the client wants a stream."""
        return isinstance(self.body, dict) and self.body.get("stream") is True


def answer(asked: Asked, script: dict[str, Any], fault: Fault | None = None, quirk: str = "none") -> Answer:
    """Return the answer to a request: 400 where it breaks a rule or the script is over."""
    early = at_once(fault, asked.api, asked.streamed, asked.key) if fault else None
    if fault and early:
        return replace(early, message=f"played: {fault.kind}")
    found = (broken_rules if asked.api == CHAT else responses_broken_rules)(asked.body)
    if found:
        return refused(found)
    try:
        reply = bent_reply(fault, decide(script, asked.api, asked.body))
    except ModelError as over:
        return error(400, str(over), code="script_is_over")
    model = asked.body["model"]
    if not asked.streamed:
        return _under(fault, whole(asked.api, reply, model), asked.api)
    wants_usage = (asked.body.get("stream_options") or {}).get("include_usage") is True
    return _under(fault, streamed(asked.api, reply, model, quirk, wants_usage), asked.api)


def _under(fault: Fault | None, given: Answer, api: str) -> Answer:
    """Bend the answer, and let the record say that a fault was played."""
    return replace(bent_answer(fault, given, api), message=f"played: {fault.kind}") if fault else given
