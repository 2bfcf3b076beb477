"""Chat completions: what is sent, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labkit.history import assistant
from labkit.models.base import ModelError, ModelReply
from labkit.models.wire.reading import (
    call_of,
    found_fault,
    listed,
    mapping,
    no_reply,
    refusal_of,
    text,
    text_of,
    usage_of,
)
from labkit.models.wire.sending import Turn, cleaned, sent_description, sent_name, turns

Message = dict[str, Any]


def to_chat(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return a history as messages that a chat completions server accepts; the history is not changed.

    Every call is answered once and right after it was asked, ids are unique and at most 40 characters long, names are
    legal, arguments are the text of a JSON object, and no field of ours (such as ``error``) is left.
    """
    return [message for turn in turns(messages) for message in _written(turn)]


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return messages of a chat as a history: calls flat, arguments as they are, foreign fields left out."""
    return [_read(mapping(message)) for message in messages]


def chat_tools(definitions: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return declarations as a server accepts them: legal names, descriptions of at most 1,024 characters."""
    return [{"type": "function", "function": function} for function in map(sent_function, definitions)]


def sent_function(definition: Mapping[str, Any]) -> Message:
    """Return the function of a declaration with what the rules ask of it; shared by both wires."""
    function: Message = cleaned(mapping(definition.get("function")) or definition)
    function["name"] = sent_name(text(function.get("name")))
    if "description" in function:
        function["description"] = sent_description(text(function["description"]))
    return function


def reply_from_chat(completion: Any) -> ModelReply:
    """Return the reply in a chat completion. Raises ModelError, with an excerpt, where there is none in it."""
    body = mapping(completion)
    choice = mapping(next(iter(listed(body.get("choices"))), None))
    message = choice.get("message")
    reason = choice.get("finish_reason")
    if not isinstance(message, Mapping) or reason == "error" or choice.get("error"):
        raise ModelError(no_reply(choice if found_fault(choice) else body, completion))
    asked = [call for call in listed(message.get("tool_calls")) if isinstance(call, Mapping)]
    if not asked and isinstance(message.get("function_call"), Mapping):
        asked = [message["function_call"]]  # the older shape: one call, no id
    calls = tuple(map(call_of, asked))
    finish = text(reason) or ("tool_calls" if calls else "stop")
    return ModelReply(
        text_of(message.get("content")), calls, finish, usage_of(body.get("usage")), refusal_of(message) or None
    )


def _written(turn: Turn) -> Iterator[Message]:
    content = turn.content if isinstance(turn.content, str) else [_as_sent_part(part) for part in turn.content]
    message: Message = {"role": turn.role, "content": content}
    if turn.calls:
        message["content"] = turn.content or None
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    yield message
    for call in turn.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _as_sent_part(part: Mapping[str, Any]) -> Message:
    """Return a part of a user's message as this API knows it; one of the other API under its name here."""
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return dict(part)
    if kind in ("text", "input_text", "output_text"):
        return {"type": "text", "text": text(part.get("text"))}
    if kind in ("image_url", "input_image"):
        url = part.get("image_url")
        return {**part, "image_url": url} if mapping(url) else {"type": "image_url", "image_url": {"url": text(url)}}
    if kind in ("input_audio", "file") and mapping(part.get(str(kind))):
        return dict(part)
    return {"type": "text", "text": json.dumps(part, ensure_ascii=False, default=str)}


def _read(message: Mapping[str, Any]) -> Message:
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        asked = [call for call in listed(message.get("tool_calls")) if isinstance(call, Mapping)]
        older = message.get("function_call")
        asked = asked or ([older] if isinstance(older, Mapping) else [])
        return assistant(text_of(content) or refusal_of(message), map(call_of, asked))
    if role in ("tool", "function"):
        return {"role": "tool", "content": text_of(content), "tool_call_id": text(message.get("tool_call_id"))}
    return {"role": text(role) or "user", "content": content if isinstance(content, list) else text_of(content)}
