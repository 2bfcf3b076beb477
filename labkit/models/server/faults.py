"""What the server can be told to do wrong: a closed list, one fault for one request. Pure.

    >>> Fault("rate_limit", retry_after="0.05").kind
    'rate_limit'

Does not: judge requests; a fault is what happens to a client that did nothing wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from labkit.models.base import ModelReply
from labkit.models.server.answers import HTML, SSE, Answer, as_bytes, error, frame
from labkit.models.server.playing import CHAT, RESPONSES

FAULTS = {
    "rate_limit": "429 with a Retry-After header",
    "quota": "429 with the code insufficient_quota: waiting does not help",
    "overloaded": "500, or the status given: try again later",
    "echo_key": "401 with the received key in its message, as real servers do",
    "garbage": "200 with a body that is no JSON",
    "html": "200 with a start page, as from an address that lacks its /v1",
    "error_in_200": "200 with an error object where the reply should be",
    "null_choices": "200 with a reply that holds nothing",
    "refuse": "the model declines, in its own words",
    "content_filter": "the reply is withheld by a filter",
    "length": "the reply is cut off by the token limit, in the middle of its last call",
    "error_in_stream": "an error object as a data line in the middle of a stream",
    "error_event": "an event named error in the middle of a stream",
    "cut": "the connection breaks off in the middle of the body",
    "reset": "the connection is reset before any answer",
    "silence": "no answer until the client gives up or the server stops",
}
REFUSAL = "I can't help with that."
OVERLOADED = "The server is overloaded. Try again later."
GARBAGE = b'{"id": "chatcmpl-1", "choices": [{"ind'
PAGE = b"<!doctype html><html><head><title>labkit</title></head><body>A model server.</body></html>"


@dataclass(frozen=True)
class Fault:
    """One thing to do wrong. A value.

    ``kind`` is a name of FAULTS. ``retry_after`` is the header of ``rate_limit``, as text (seconds or a date);
    ``status`` that of ``overloaded``, or the code inside ``error_in_200``; ``at`` the bytes of the body that ``cut``
    lets through (half of them, where nothing is said). Raises ValueError for a kind that does not exist.
    """

    kind: str
    retry_after: str | None = None
    status: int | None = None
    at: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"there is no fault {self.kind!r}; choose one of {', '.join(FAULTS)}")
        if self.at is not None and self.at < 0:
            raise ValueError(f"at must be a number of bytes of at least 0, not {self.at}")


def in_order(given: Iterable[Fault | str | None]) -> list[Fault | None]:
    """Return the faults in the order of the requests; None lets one pass. A name stands for the fault of that name."""
    return [Fault(each) if isinstance(each, str) else each for each in given]


def at_once(fault: Fault, api: str, streamed: bool, key: str) -> Answer | None:
    """Return the answer of a fault that needs no reply; None for the others. ``key`` is what the client sent."""
    if fault.kind == "echo_key":
        return error(401, f"Incorrect API key provided: {key or '(none)'}.", code="invalid_api_key")
    if fault.kind in ("garbage", "null_choices"):
        payload = GARBAGE if fault.kind == "garbage" else as_bytes({"id": "none", _REPLY_IN[api]: None})
        return Answer(200, (b"data: " + payload + b"\n\n",), SSE) if streamed else Answer(200, (payload,))
    in_the_middle = fault.kind in ("error_in_stream", "error_event")
    make = _error_in_200 if in_the_middle and not streamed else _AT_ONCE.get(fault.kind)
    return make(fault) if make else None


def bent_reply(fault: Fault | None, reply: ModelReply) -> ModelReply:
    """Return the reply as the model gives it under this fault."""
    kind = fault.kind if fault else ""
    if kind == "refuse":
        return ModelReply("", (), "stop", reply.usage, REFUSAL)
    if kind == "content_filter":
        return ModelReply("", (), "content_filter", reply.usage)
    return _cut_short(reply) if kind == "length" else reply


def bent_answer(fault: Fault | None, answer: Answer, api: str) -> Answer:
    """Return the answer as the network delivers it under this fault."""
    kind = fault.kind if fault else ""
    if fault and kind == "cut":
        size = sum(map(len, answer.frames))
        return replace(answer, keep=size // 2 if fault.at is None else min(fault.at, size - 1))
    if kind in ("error_in_stream", "error_event"):
        half = answer.frames[: max(1, len(answer.frames) // 2)]
        return replace(answer, frames=(*half, _error_frame(kind, api)))
    return answer


def _error_frame(kind: str, api: str) -> bytes:
    if api != CHAT:
        body = {"type": "error", "code": "server_error", "message": OVERLOADED, "param": None, "sequence_number": 99}
        return frame(body, "error" if kind == "error_event" else "")
    if kind == "error_event":
        return frame({"message": OVERLOADED, "code": "server_error"}, "error")
    return frame({"error": {"message": OVERLOADED, "type": "server_error", "param": None, "code": 529}})


def _cut_short(reply: ModelReply) -> ModelReply:
    if not reply.tool_calls:
        return reply._replace(content=reply.content[: len(reply.content) // 2], finish_reason="length")
    *calls, last = reply.tool_calls
    text = str(last.arguments)
    calls.append(replace(last, arguments=text[: len(text) // 2]))
    return reply._replace(tool_calls=tuple(calls), finish_reason="length")


def _rate_limit(fault: Fault) -> Answer:
    headers = (("Retry-After", fault.retry_after),) if fault.retry_after is not None else ()
    return error(429, "Too many requests. Try again later.", code="rate_limit_exceeded", headers=headers)


def _quota(_: Fault) -> Answer:
    said = "You exceeded your current quota. Check your plan and billing details."
    return error(429, said, code="insufficient_quota", kind="insufficient_quota")


def _error_in_200(fault: Fault) -> Answer:
    body = {"error": {"message": OVERLOADED, "type": "server_error", "param": None, "code": fault.status or 500}}
    return Answer(200, (as_bytes(body),), message=OVERLOADED)


_REPLY_IN = {CHAT: "choices", RESPONSES: "output"}
_AT_ONCE: dict[str, Callable[[Fault], Answer]] = {
    "rate_limit": _rate_limit,
    "quota": _quota,
    "overloaded": lambda fault: error(fault.status or 500, OVERLOADED),
    "html": lambda _: Answer(200, (PAGE,), HTML),
    "error_in_200": _error_in_200,
    "reset": lambda _: Answer(0, instead="reset"),
    "silence": lambda _: Answer(0, instead="silence"),
}
