"""The Responses API: a history as input items, and output items as a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labkit.calls import ToolCall
from labkit.history import assistant
from labkit.models.base import ModelError, ModelReply
from labkit.models.wire.chat import sent_function
from labkit.models.wire.reading import (
    call_of,
    listed,
    mapping,
    no_reply,
    refusal_of,
    text,
    text_of,
    usage_of,
)
from labkit.models.wire.sending import Turn, turns

Item = dict[str, Any]

CALLS = ("function_call", "custom_tool_call")
ANSWERS = ("function_call_output", "custom_tool_call_output")
CUT_OFF = {"max_output_tokens": "length", "content_filter": "content_filter"}


def to_responses(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    """Return a history as input items that a Responses server accepts; the same rules as ``to_chat``."""
    return [item for turn in turns(messages) for item in _written(turn)]


def from_responses(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items of a conversation as a history: calls that follow each other are one message of the model."""
    history: list[dict[str, Any]] = []
    for item in map(mapping, items):
        kind, content = item.get("type"), item.get("content")
        if kind in CALLS:
            _add_call(history, call_of(item))
        elif kind in ANSWERS:
            told = text_of(item.get("output"))
            history.append({"role": "tool", "content": told, "tool_call_id": text(item.get("call_id"))})
        elif item.get("role") == "assistant":
            history.append(assistant(text_of(content) or refusal_of(item)))
        elif kind in (None, "message"):
            parts = [_as_chat_part(mapping(part)) for part in listed(content)]
            plain = not parts or all(part["type"] == "text" for part in parts)
            history.append({"role": text(item.get("role")) or "user", "content": text_of(content) if plain else parts})
    return history


def responses_tools(definitions: Sequence[Mapping[str, Any]]) -> list[Item]:
    """Return declarations in the flat form of this API, where a missing ``strict`` would count as true."""
    return [{"type": "function", "strict": False, **function} for function in map(sent_function, definitions)]


def reply_from_response(response: Any) -> ModelReply:
    """Return the reply in a response. Raises ModelError, with an excerpt, where there is none in it."""
    body = mapping(response)
    if body.get("error") or body.get("status") == "failed" or not isinstance(body.get("output"), list):
        raise ModelError(no_reply(body, response))
    items = [mapping(item) for item in listed(body.get("output"))]
    said = [item for item in items if item.get("type") == "message"]
    calls = tuple(call_of(item) for item in items if item.get("type") in CALLS)
    content = "".join(text_of(item.get("content")) for item in said)
    refusal = "".join(refusal_of(item) for item in said) or None
    finish = "tool_calls" if calls else "stop"
    if body.get("status") == "incomplete":
        finish = CUT_OFF.get(text(mapping(body.get("incomplete_details")).get("reason")), "length")
    return ModelReply(content, calls, finish, usage_of(body.get("usage")), refusal)


def _written(turn: Turn) -> Iterator[Item]:
    if turn.content or not turn.calls:
        yield {"type": "message", "role": turn.role, "content": _as_content(turn.content)}
    for call in turn.calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
    for call in turn.calls:
        yield {"type": "function_call_output", "call_id": call.id, "output": call.answer}


def _add_call(history: list[dict[str, Any]], call: ToolCall) -> None:
    if not history or history[-1].get("role") != "assistant":
        history.append(assistant(""))
    asked = {"id": call.id, "name": call.name, "arguments": call.arguments}
    history[-1].setdefault("tool_calls", []).append(asked)


def _as_content(content: Any) -> Any:
    return content if isinstance(content, str) else [_as_input_part(mapping(part)) for part in content]


def _as_input_part(part: Mapping[str, Any]) -> Item:
    """Return a part of a user's message under this API's name for it."""
    match part.get("type"):
        case "text" | "input_text":
            return {"type": "input_text", "text": text(part.get("text"))}
        case "image_url":
            url = part.get("image_url")
            return {"type": "input_image", "image_url": text(mapping(url).get("url") or url)}
        case str(kind) if kind.startswith("input_"):
            return dict(part)
    return {"type": "input_text", "text": json.dumps(part, ensure_ascii=False, default=str)}


def _as_chat_part(part: Mapping[str, Any]) -> Item:
    match part.get("type"):
        case "input_image":
            return {"type": "image_url", "image_url": {"url": text(part.get("image_url"))}}
        case "input_text" | "output_text" | "text":
            return {"type": "text", "text": text(part.get("text"))}
    return dict(part)
