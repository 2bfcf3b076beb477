"""Five ways to ask a model for one tool call, each as prompt, request parameters, and reader. Chapter 11. Pure.

    >>> PROTOCOLS["only_json"].read(ModelReply('{"name": "calc", "arguments": {}}'))
    ('calc', {})

Does not: send anything, judge what was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from labkit.calls import CallRefused
from labkit.course.protocols.tasks import Example
from labkit.models.base import ModelReply
from labkit.models.text_protocol import STOP, cut, read
from labkit.models.text_protocol.wording import instructions
from labkit.validate import parse

Message = dict[str, Any]
Definitions = Sequence[dict[str, Any]]
Read = tuple[Any, Any]
"""The name and the arguments that stand in a reply, whatever they are; None for each that is not there."""

JSON_RULES = """\
You choose one tool for what the user asks. Reply with one JSON object and nothing else, in this form:
{"name": the name of the tool, "arguments": an object with its arguments}

Tools:
"""
TOOL_RULES = "You choose one tool for what the user asks, and call it."


class Protocol(NamedTuple):
    """How a call is asked for and found again in the reply. A value.

    ``asks`` makes the system message, ``shows`` the messages of an example, ``requires`` the parameters of the request.
    ``read`` returns what stands in a reply, and None where it can't be read at all. ``native`` says that the tools go
    beside the messages.
    """

    label: str
    asks: Callable[[Definitions], str]
    shows: Callable[[Example], list[Message]]
    requires: Callable[[Definitions], dict[str, Any]]
    read: Callable[[ModelReply], Read | None]
    native: bool = False

    def messages(self, ask: str, tools: Definitions, examples: Sequence[Example] = ()) -> list[Message]:
        """Return the conversation that asks for one call: the rules, the examples as earlier turns, the sentence."""
        shown = [message for example in examples for message in self.shows(example)]
        return [{"role": "system", "content": self.asks(tools)}, *shown, {"role": "user", "content": ask}]


def call_schema(tools: Definitions) -> dict[str, Any]:
    """Return the JSON Schema of one call: an object that holds a tool's name and arguments that fit its declaration."""
    return {"oneOf": [_one_call(tool["function"]) for tool in tools]}


def _one_call(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": function["name"]}, "arguments": function["parameters"]},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _json_rules(tools: Definitions) -> str:
    return JSON_RULES + "\n".join(_tool_line(tool["function"]) for tool in tools)


def _tool_line(function: dict[str, Any]) -> str:
    description = " ".join(function["description"].split())
    return f"- {function['name']}: {description} Input: {json.dumps(function['parameters'], ensure_ascii=False)}"


def _in_text(example: Example) -> list[Message]:
    said = f"Thought: {example.thought}\nAction: {example.tool}\nAction Input: {_written(example.arguments)}"
    return _turn(example, {"role": "assistant", "content": said})


def _in_json(example: Example) -> list[Message]:
    said = _written({"name": example.tool, "arguments": example.arguments})
    return _turn(example, {"role": "assistant", "content": said})


def _as_call(example: Example) -> list[Message]:
    call = {"id": "call_1", "name": example.tool, "arguments": example.arguments}
    answer = {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    return [*_turn(example, {"role": "assistant", "content": "", "tool_calls": [call]}), answer]


def _turn(example: Example, reply: Message) -> list[Message]:
    return [{"role": "user", "content": example.ask}, reply]


def _read_text(reply: ModelReply) -> Read | None:
    reading = read(cut(reply.content))
    arguments = _written_object(reading.part("input") or "")
    return None if arguments is None else (reading.part("action"), arguments)


def _read_json(reply: ModelReply) -> Read | None:
    found = _written_object(reply.content)
    return None if found is None else (found.get("name"), found.get("arguments"))


def _read_calls(reply: ModelReply) -> Read | None:
    """The first call counts: each task needs one."""
    call = next(iter(reply.tool_calls), None)
    arguments = None if call is None else _object(call.arguments)
    return None if call is None or arguments is None else (call.name, arguments)


def _written_object(text: str) -> dict[str, Any] | None:
    """Return the one JSON object that was written. Nothing at all stands for no arguments, but not for an object."""
    return _object(text) if "{" in text else None


def _object(raw: Any) -> dict[str, Any] | None:
    try:
        return parse(raw)[0]
    except CallRefused:
        return None


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_object(_: Definitions) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _json_schema(tools: Definitions) -> dict[str, Any]:
    wanted = {"name": "call", "schema": call_schema(tools)}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


PROTOCOLS = {
    "text": Protocol("text protocol", instructions, _in_text, lambda _: {"stop": [STOP]}, _read_text),
    "only_json": Protocol('"only JSON" in words', _json_rules, _in_json, lambda _: {}, _read_json),
    "json_mode": Protocol("JSON mode", _json_rules, _in_json, _json_object, _read_json),
    "constrained": Protocol("JSON by schema", _json_rules, _in_json, _json_schema, _read_json),
    "tool_calling": Protocol("tool calling", lambda _: TOOL_RULES, _as_call, lambda _: {}, _read_calls, native=True),
}
"""The protocols by name, from the one that asks least of a server to the ones that ask most."""
