"""How foreign JSON is read: what is missing, null or of another type than expected counts as absent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from labkit.calls import ToolCall
from labkit.models.base import Usage

EXCERPT = 200
REFUSAL = "refusal"


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one where there is none."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """Return a list; an empty one where there is none."""
    return list(value) if isinstance(value, list | tuple) else []


def text(value: Any) -> str:
    """Return a text, or a number as text; empty where there is none."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or the text parts of a list; a refusal is no content."""
    if isinstance(content, str):
        return content
    told = (part if isinstance(part, str) else mapping(part) for part in listed(content))
    return "".join(
        part if isinstance(part, str) else text(part.get("text"))
        for part in told
        if isinstance(part, str) or part.get("type") != REFUSAL
    )


def refusal_of(message: Mapping[str, Any]) -> str:
    """Return what a message says to decline: its own field, or the parts of its content that are marked so."""
    parts = (mapping(part) for part in listed(message.get("content")))
    return text(message.get(REFUSAL)) or "".join(text(part.get(REFUSAL)) for part in parts)


def usage_of(value: Any) -> Usage | None:
    """Return the tokens of a request, under the names of either wire; None where nobody counted."""
    told = mapping(value)
    counts = [
        told.get("prompt_tokens", told.get("input_tokens")),
        told.get("completion_tokens", told.get("output_tokens")),
    ]
    if not any(type(count) is int for count in counts):
        return None
    return Usage(*(count if type(count) is int else 0 for count in counts))


def call_of(call: Any) -> ToolCall:
    """Return a call of any shape that is in use: nested or flat; of a ``custom`` one the input is the text."""
    call = mapping(call)
    told = mapping(call.get("function")) or mapping(call.get("custom")) or call
    arguments = told.get("arguments", told.get("input"))
    if arguments is not None and not isinstance(arguments, str | dict):
        arguments = excerpt(arguments)
    return ToolCall(text(call.get("call_id")) or text(call.get("id")), text(told.get("name")), arguments)


def found_fault(body: Mapping[str, Any]) -> str | None:
    """Return the sentence of an error that came in place of a reply, or None; its code stands in front."""
    error = body.get("error")
    if not error and (body.get("type") == "error" or ("choices" not in body and "type" not in body)):
        error = body if body.get("message") else None
    if not error:
        return None
    told = mapping(error)
    code, message = text(told.get("code")) or text(told.get("type")), text(told.get("message"))
    said = excerpt(message or error)
    return f"{said} ({code})" if code and code != "error" and code not in said else said


def no_reply(body: Mapping[str, Any], received: Any) -> str:
    """Return what to say of an answer in which there is no reply."""
    fault = found_fault(body)
    if fault is not None:
        return f"the server answered with an error: {fault}"
    return f"the server's answer holds no reply: {excerpt(received)}; ask again, or check the address"


def excerpt(value: Any) -> str:
    """Return the beginning of a value as JSON, or of a text as it is, on one line."""
    try:
        whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        whole = f"a {type(value).__name__}"
    line = " ".join(whole[: 4 * EXCERPT].split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
