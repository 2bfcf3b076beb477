"""A history spelled for a wire, field by field: the first thing that anybody writes. Pure.

Nothing is mended: what is wrong in a history is wrong in what is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

Message = dict[str, Any]


def plain_chat(messages: Sequence[Message]) -> list[Message]:
    """Return a history as messages of chat completions: calls nested, arguments as text, all else as it is."""
    return [_with_nested_calls(message) if "tool_calls" in message else dict(message) for message in messages]


def plain_responses(messages: Sequence[Message]) -> list[Message]:
    """Return a history as input items of the Responses API: every call and every answer is an item of its own."""
    return [item for message in messages for item in _items(message)]


def _with_nested_calls(message: Message) -> Message:
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": _as_text(call["arguments"])},
        }
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _items(message: Message) -> Iterator[Message]:
    if message["role"] == "tool":
        answer = {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        known = {"role", "content", "tool_call_id"}
        yield answer | {name: value for name, value in message.items() if name not in known}
        return
    yield {"type": "message", "role": message["role"], "content": message["content"]}
    for call in message.get("tool_calls", ()):
        arguments = _as_text(call["arguments"])
        yield {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": arguments}


def _as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
