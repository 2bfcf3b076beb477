"""A reply as a server sends it: in one piece, or cut into the chunks and events of a stream. Pure.

    >>> [chunk["choices"][0]["delta"] for chunk in chat_chunks(ModelReply("hello"))]
    [{'role': 'assistant', 'content': ''}, {'content': 'hello'}, {}]

Does not: put anything together again, write server-sent events, know the script.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from labkit.calls import ToolCall
from labkit.models.base import ModelReply
from labkit.models.server.quirks import QUIRKS, bend

__all__ = ["QUIRKS", "chat_chunks", "completion_object", "response_object", "responses_events"]

Object = dict[str, Any]

PIECES = 12
MODEL = "scripted"
CUT_SHORT = {"length": "max_output_tokens", "content_filter": "content_filter"}


def completion_object(reply: ModelReply, *, model: str = MODEL) -> Object:
    """Return the ``chat.completion`` that carries this reply. ``usage`` is in it only where somebody counted."""
    message: Object = {"role": "assistant", "content": reply.content or None, "refusal": reply.refusal}
    if not (reply.content or reply.refusal or reply.tool_calls):
        message["content"] = ""
    if reply.tool_calls:
        message["tool_calls"] = [_chat_call(call, _text(call)) for call in reply.tool_calls]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
    completion = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
    return completion | ({"usage": _chat_usage(reply)} if reply.usage else {})


def chat_chunks(
    reply: ModelReply, quirk: str = "none", *, pieces: int = PIECES, model: str = MODEL, include_usage: bool = False
) -> list[Object]:
    """Return the ``chat.completion.chunk`` objects of this reply, as OpenAI sends them, or bent by a quirk.

    ``pieces`` is the most characters of a fragment. With ``include_usage`` a last chunk without choices tells the
    tokens, where somebody counted. Raises ValueError for an unknown quirk and for ``pieces`` below 1.
    """
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model}
    deltas = [*_text_deltas(reply, pieces), *_call_deltas(reply, pieces)]
    choices: list[Object] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reply.finish_reason})
    chunks: list[Object] = [{**head, "choices": [choice]} for choice in choices]
    if include_usage and reply.usage:
        chunks.append({**head, "choices": [], "usage": _chat_usage(reply)})
    return bend(chunks, quirk)


def response_object(reply: ModelReply, *, model: str = MODEL) -> Object:
    """Return the ``response`` of the Responses API that carries this reply."""
    reason = CUT_SHORT.get(reply.finish_reason)
    status = "incomplete" if reason else "completed"
    output = _items(reply)
    for item in output:
        item["status"] = "completed"
    if output:
        output[-1]["status"] = status
    return _response(model) | {
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": _response_usage(reply),
    }


def responses_events(reply: ModelReply, *, pieces: int = PIECES, model: str = MODEL) -> list[Object]:
    """Return the typed events of the Responses API for this reply, numbered from 0.

    ``pieces`` is the most characters of a delta. The last event, ``response.completed`` or ``response.incomplete``,
    holds the whole response. Raises ValueError for ``pieces`` below 1.
    """
    whole = response_object(reply, model=model)
    begun = _response(model) | {"status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
    events: list[Object] = [{"type": f"response.{word}", "response": begun} for word in ("created", "in_progress")]
    for position, item in enumerate(whole["output"]):
        inner = _message_events(item, pieces) if item["type"] == "message" else _call_events(item, pieces)
        empty: Object = {"content": []} if item["type"] == "message" else {"arguments": ""}
        events.append({"type": "response.output_item.added", "item": item | empty | {"status": "in_progress"}})
        events += [event | {"item_id": item["id"]} for event in inner]
        events.append({"type": "response.output_item.done", "item": item})
        for event in events[-2 - len(inner) :]:
            event["output_index"] = position
    events.append({"type": f"response.{whole['status']}", "response": whole})
    return [event | {"sequence_number": number} for number, event in enumerate(events)]


def _text(call: ToolCall) -> str:
    """Arguments travel as text: a text as it is, none as the empty one."""
    if isinstance(call.arguments, dict):
        return json.dumps(call.arguments, ensure_ascii=False)
    return call.arguments or ""


def _chat_call(call: ToolCall, arguments: str) -> Object:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _text_deltas(reply: ModelReply, pieces: int) -> Iterator[Object]:
    """The role first, then what is said, or the refusal to say it."""
    yield {"role": "assistant", "content": ""}
    for piece in _cut(reply.content, pieces):
        yield {"content": piece}
    for piece in _cut(reply.refusal or "", pieces):
        yield {"refusal": piece}


def _call_deltas(reply: ModelReply, pieces: int) -> Iterator[Object]:
    """Per call a header with id and name, then fragments of the arguments under the same index."""
    for index, call in enumerate(reply.tool_calls):
        yield {"tool_calls": [{"index": index, **_chat_call(call, "")}]}
        for piece in _cut(_text(call), pieces):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _cut(text: str, pieces: int) -> list[str]:
    if type(pieces) is not int or pieces < 1:
        raise ValueError(f"pieces must be a whole number of at least 1, not {pieces!r}")
    return [text[start : start + pieces] for start in range(0, len(text), pieces)]


def _chat_usage(reply: ModelReply) -> Object:
    prompt, completion = reply.usage or (0, 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


# ---- the Responses API ----


def _response(model: str) -> Object:
    """What stands in a response before and after it was made."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "error": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def _items(reply: ModelReply) -> list[Object]:
    """One message for what is said or refused, then one item per call; an empty reply is an empty message."""
    parts: list[Object] = []
    if reply.content or not (reply.refusal or reply.tool_calls):
        parts.append({"type": "output_text", "text": reply.content, "annotations": [], "logprobs": []})
    if reply.refusal:
        parts.append({"type": "refusal", "refusal": reply.refusal})
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": parts}
    calls = [
        {"id": f"fc_{number}", "type": "function_call", "call_id": call.id, "name": call.name, "arguments": _text(call)}
        for number, call in enumerate(reply.tool_calls, 1)
    ]
    return [message, *calls] if parts else calls


def _message_events(item: Object, pieces: int) -> list[Object]:
    events: list[Object] = []
    for position, part in enumerate(item["content"]):
        kind, key = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
        more: Object = {"logprobs": []} if kind == "output_text" else {}
        inner: list[Object] = [{"type": "response.content_part.added", "part": part | {key: ""}}]
        inner += [{"type": f"response.{kind}.delta", "delta": piece} | more for piece in _cut(part[key], pieces)]
        inner.append({"type": f"response.{kind}.done", key: part[key]} | more)
        inner.append({"type": "response.content_part.done", "part": part})
        events += [event | {"content_index": position} for event in inner]
    return events


def _call_events(item: Object, pieces: int) -> list[Object]:
    kind = "response.function_call_arguments"
    deltas: list[Object] = [{"type": f"{kind}.delta", "delta": piece} for piece in _cut(item["arguments"], pieces)]
    return [*deltas, {"type": f"{kind}.done", "arguments": item["arguments"]}]


def _response_usage(reply: ModelReply) -> Object | None:
    if reply.usage is None:
        return None
    prompt, completion = reply.usage
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
