"""From a request to the decision of the script that answers it. Pure: every request is replayed from its messages.

    >>> heard_in_chat({"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]})
    [{'role': 'user', 'content': 'hi'}]

Does not: judge a request; ``rules`` did that before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from labkit.calls import ToolCall
from labkit.history import BYTES_PER_TOKEN, tokens
from labkit.models.base import ModelReply, Usage
from labkit.models.scripted import ERROR_CODE, ScriptedModel

Object = dict[str, Any]

CHAT, RESPONSES = "chat.completions", "responses"


def decide(script: Object, api: str, body: Object) -> ModelReply:
    """Return what the script decides on this request, with its tokens counted.

    Without tools in it, the decision is rendered as the envelope of JSON mode. Raises ModelError where the script is
    over.
    """
    heard = heard_in_chat(body) if api == CHAT else heard_in_responses(body)
    in_envelope = wants_envelope(body, heard)
    if in_envelope:
        heard = [told for message in heard for told in _read_from_text(message)]
    reply = ScriptedModel(script).reply(heard, body.get("tools") or [])
    calls = tuple(ToolCall(call.id, call.name, _as_text(call.arguments)) for call in reply.tool_calls)
    reply = reply._replace(tool_calls=calls)
    if in_envelope:
        reply = as_envelope(reply)
    elif isinstance(body.get("tool_choice"), dict) and reply.finish_reason == "tool_calls":
        reply = reply._replace(finish_reason="stop")  # as real servers say where the choice named a tool
    return reply._replace(usage=_count(body, reply))


def heard_in_chat(body: Object) -> list[Object]:
    """Return the messages of a chat request with their content as text."""
    return [{"role": message["role"], "content": _text_of(message.get("content"))} for message in body["messages"]]


def heard_in_responses(body: Object) -> list[Object]:
    """Return the input items of a Responses request as messages; what one reply held is one message again."""
    items = body["input"]
    if isinstance(items, str):
        return [{"role": "user", "content": items}]
    heard: list[Object] = []
    for item in items:
        role, content = _part_played(item)
        if role == "assistant" and heard and heard[-1]["role"] == "assistant":
            heard[-1]["content"] += content
        else:
            heard.append({"role": role, "content": content})
    return heard


def wants_envelope(body: Object, heard: list[Object]) -> bool:
    """Return whether the decision is rendered as JSON text: there are no tools to call, and there never were any."""
    wanted = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    asks_for_json = wanted.get("type") in ("json_object", "json_schema")
    return not body.get("tools") and (asks_for_json or all(message["role"] != "tool" for message in heard))


def as_envelope(reply: ModelReply) -> ModelReply:
    """Return the same decision as JSON text: ``{"thought"?, "tool_calls"}``, or ``{"answer"}`` without calls."""
    if reply.refusal:
        return reply
    envelope: Object = {"answer": reply.content}
    if reply.tool_calls:
        asked = [{"name": call.name, "arguments": _as_object(call.arguments)} for call in reply.tool_calls]
        envelope = ({"thought": reply.content} if reply.content else {}) | {"tool_calls": asked}
    reason = "stop" if reply.finish_reason == "tool_calls" else reply.finish_reason
    return ModelReply(json.dumps(envelope, ensure_ascii=False), (), reason, reply.usage)


def _part_played(item: Object) -> tuple[str, str]:
    """Whose words an input item holds, and which."""
    kind = item.get("type", "message")
    if kind == "message":
        return item["role"], _text_of(item.get("content"))
    if kind.endswith("_output"):
        return "tool", _text_of(item.get("output"))
    return "assistant", ""


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or part.get("refusal") or "") for part in content)
    return content or ""


def _read_from_text(message: Object) -> Iterator[Object]:
    """Failed results travel as a user's text in JSON mode. A reply that was cut off is no turn: it is asked again."""
    if message["role"] == "assistant" and message["content"].startswith("{") and _decoded(message["content"]) is None:
        return
    yield message
    if message["role"] == "user":
        for code in re.findall(ERROR_CODE, message["content"]):
            yield {"role": "tool", "content": f"ERROR [{code}]"}


def _as_text(arguments: Any) -> str:
    """Arguments travel as JSON text; a text of the script is sent as it is."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)


def _as_object(arguments: Any) -> Any:
    found = _decoded(arguments)
    return arguments if found is None else found


def _decoded(text: str) -> Object | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _count(body: Object, reply: ModelReply) -> Usage:
    """About how many tokens came in and went out: the rule of thumb of ``labkit.history``."""
    sent = body.get("messages") or body.get("input")
    asked = [{"content": sent}] if isinstance(sent, str) else list(sent or ())
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    said = {"content": reply.content or reply.refusal, "calls": calls}
    written = len(json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace"))
    return Usage(tokens([*asked, *(body.get("tools") or ())]), -(-written // BYTES_PER_TOKEN))
