"""What the server's tests share: the real client, a plain one, a script, and requests that are right."""

from __future__ import annotations

import http.client
import json
from copy import deepcopy
from typing import Any
from urllib.parse import urlsplit

import openai

TASK = "What is the weather in Oslo?"
SCRIPT: dict[str, Any] = {
    "task": TASK,
    "decisions": [
        {
            "content": "Two look-ups.",
            "tool_calls": [
                {"id": "call_1", "name": "get_weather", "arguments": {"city": "Oslo"}},
                {"id": "call_2", "name": "get_weather", "arguments": '{"city": "Bergen"}'},
            ],
        },
        {"content": "Rain in both."},
    ],
    "on_error": {"not_found": {"content": "", "tool_calls": [{"id": "call_3", "name": "list_cities"}]}},
}
WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "Weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}


def real_client(server: Any, **options: Any) -> openai.OpenAI:
    """The openai client, told to come here whatever proxies the environment names."""
    plain = openai.DefaultHttpxClient(trust_env=False)
    settings: dict[str, Any] = {"base_url": server.base_url, "api_key": "sk-test-1", "max_retries": 0}
    return openai.OpenAI(http_client=plain, **(settings | options))


def post(server: Any, path: str, body: Any, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one POST by the standard library's own client."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(server, "POST", path, raw, {"Content-Type": "application/json"} | headers)


def ask(
    server: Any, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request; ``path`` counts from the base URL."""
    parts = urlsplit(server.base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request(method, parts.path + path, body, headers or {})
        answered = connection.getresponse()
        return answered.status, {name.lower(): value for name, value in answered.getheaders()}, answered.read()
    finally:
        connection.close()


def call(id: Any, arguments: Any = '{"city": "Oslo"}', name: Any = "get_weather") -> dict[str, Any]:
    """One call of a chat message."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(id: Any, content: Any = "rain") -> dict[str, Any]:
    """One tool message."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def chat_body(*more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A right chat request about SCRIPT's task, with these messages after the task."""
    messages = [{"role": "user", "content": TASK}, *more]
    tools = [{"type": "function", "function": WEATHER}]
    return deepcopy({"model": "scripted", "messages": messages, "tools": tools} | fields)


def one_turn() -> list[dict[str, Any]]:
    """A model's message with two calls, and their answers."""
    asked = {"role": "assistant", "content": None, "tool_calls": [call("call_1"), call("call_2")]}
    return [asked, result("call_1"), result("call_2")]


def responses_body(*more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A right Responses request about SCRIPT's task, with these items after the task."""
    items = [{"role": "user", "content": TASK}, *more]
    return deepcopy({"model": "scripted", "input": items, "tools": [{"type": "function", **WEATHER}]} | fields)


def called(call_id: Any, arguments: Any = '{"city": "Oslo"}', name: Any = "get_weather") -> dict[str, Any]:
    """One function_call item."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: Any, text: Any = "rain") -> dict[str, Any]:
    """One function_call_output item."""
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def named(rule: int | str) -> str:
    """How a message names its rule, at its end."""
    return f"(rule {rule})" if isinstance(rule, int) else f"({rule})"
