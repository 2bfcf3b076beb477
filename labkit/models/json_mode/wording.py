"""The envelope in words: the rules and the tools for the model, and a history as the plain messages of a chat. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labkit.models.json_mode.envelope import read, write
from labkit.models.wire.reading import text_of
from labkit.models.wire.sending import turns

Message = dict[str, Any]

TOLD_FIRST = ("system", "developer")
RULES_WITH_TOOLS = """\
You can use tools. Reply with one JSON object and nothing around it, in one of these two forms.

To use tools, one or several at once:
{"thought": "why", "tool_calls": [{"name": "the name of a tool", "arguments": {}}]}

To end:
{"answer": "what the user reads"}

What the tools said comes as the next message, as {"tool_results": [{"name", "content"}]}, in the order of your calls.

Tools:
"""
RULES_WITHOUT_TOOLS = """\
You have no tools now. Reply with one JSON object and nothing around it.

{"answer": "what the user reads"}"""


def to_json_mode(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    before: Mapping[int, Sequence[Message]] | None = None,
) -> list[Message]:
    """Return a history as system, user and assistant messages of text only; the rules stand first.

    ``before`` holds messages that are text already, by the position of the message that they go before.
    """
    told = [turn.content for turn in turns(messages) if turn.role in TOLD_FIRST]
    system = "\n\n".join([*filter(None, told), instructions(tools)])
    return [{"role": "system", "content": system}, *_turns(messages, before or {})]


def instructions(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the rules with the tools: name, description, and the schema of the arguments, one JSON object a line."""
    if not tools:
        return RULES_WITHOUT_TOOLS
    told = (tool.get("function") or tool for tool in tools)
    keys = ("name", "description", "parameters")
    lines = (json.dumps({key: tool.get(key) for key in keys}, ensure_ascii=False) for tool in told)
    return RULES_WITH_TOOLS + "\n".join(lines)


def correction(text: str, has_tools: bool) -> str:
    """Return what the model is told about a reply that could not be read."""
    reasons = [f"- {problem}" for problem in read(text, has_tools=has_tools).problems]
    call = 'with "tool_calls", or ' if has_tools else ""
    return "\n".join(
        ["Your reply could not be read.", *reasons, f'Send it again as one JSON object, {call}with "answer".']
    )


def _turns(messages: Sequence[Mapping[str, Any]], before: Mapping[int, Sequence[Message]]) -> Iterator[Message]:
    """Yield the messages of text: one for the model's envelope, one for all of its answers."""
    for turn in turns(messages):
        yield from before.get(turn.position, ())
        if turn.role == "assistant":
            calls = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in turn.calls]
            yield {"role": "assistant", "content": write(turn.content, calls) if calls else write("", (), turn.content)}
            results = [{"name": call.name, "content": call.answer} for call in turn.calls]
            if results:
                yield {"role": "user", "content": json.dumps({"tool_results": results}, ensure_ascii=False)}
        elif turn.role not in TOLD_FIRST:
            yield {"role": "user", "content": text_of(turn.content)}
