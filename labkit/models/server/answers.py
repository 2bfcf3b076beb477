"""What goes back over the wire, as a value, and how a reply becomes one. Pure.

    >>> error(429, "too many requests", code="rate_limit_exceeded").status
    429

Does not: send anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from labkit.models.base import ModelReply
from labkit.models.server.broken import Broken
from labkit.models.server.playing import CHAT
from labkit.models.server.streams import chat_chunks, completion_object, response_object, responses_events

Object = dict[str, Any]

JSON, SSE, HTML = "application/json", "text/event-stream; charset=utf-8", "text/html; charset=utf-8"
TYPES = {401: "invalid_request_error", 429: "rate_limit_error"}
SHOWN_FAULTS = 5


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. A value.

    ``frames`` is the body: one piece, or the frames of a stream. ``keep`` is the number of bytes of it after which the
    connection breaks off; None for all. ``instead`` is ``reset`` or ``silence`` where no answer is given at all.
    ``message`` is what the record of the request says: the error, or the fault that was played.
    """

    status: int
    frames: tuple[bytes, ...] = ()
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    message: str = ""
    keep: int | None = None
    instead: str | None = None

    @property
    def streamed(self) -> bool:
        """Whether the body goes out frame by frame."""
        return self.content_type == SSE


def whole(api: str, reply: ModelReply, model: str) -> Answer:
    """Return the answer that carries a reply in one piece."""
    build = completion_object if api == CHAT else response_object
    return Answer(200, (as_bytes(build(reply, model=model)),))


def streamed(api: str, reply: ModelReply, model: str, quirk: str = "none", include_usage: bool = False) -> Answer:
    """Return the answer that carries a reply as a stream of server-sent events."""
    if api == CHAT:
        chunks = chat_chunks(reply, quirk, model=model, include_usage=include_usage)
        return Answer(200, (*map(frame, chunks), b"data: [DONE]\n\n"), SSE)
    return Answer(200, tuple(frame(event, event["type"]) for event in responses_events(reply, model=model)), SSE)


def refused(found: Iterable[Broken]) -> Answer:
    """Return the 400 that names every broken rule; the place is that of the first."""
    faults = list(found)
    more = len(faults) - SHOWN_FAULTS
    said = "; ".join(fault.message for fault in faults[:SHOWN_FAULTS]) + (f"; and {more} more" if more > 0 else "")
    return error(400, said, param=faults[0].param)


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
    kind: str | None = None,
) -> Answer:
    """Return an error in the form that servers give it."""
    kind = kind or TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Answer(status, (as_bytes(body),), headers=headers, message=message)


def frame(value: Any, event: str = "") -> bytes:
    """Return one server-sent event."""
    return (f"event: {event}\n".encode() if event else b"") + b"data: " + as_bytes(value) + b"\n\n"


def as_bytes(value: Any) -> bytes:
    """Return JSON in UTF-8; half a surrogate pair is written as its escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
