"""The protocol in words: the rules and the tools for the model, and a history as the plain messages of a chat. Pure.

    >>> to_text([{"role": "tool", "content": "26.5", "tool_call_id": "call_1"}], [])[-1]["content"]
    'Observation: 26.5'

Total: whatever a history holds becomes text. Does not: change the history, leave a message out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labkit.models.text_protocol.examining import examine
from labkit.models.text_protocol.reading import read

Message = dict[str, Any]

RULES_WITH_TOOLS = """\
You can use tools. In each reply take exactly one step, in one of these two forms.

To use a tool:
Thought: why you take this step
Action: the name of one tool
Action Input: its arguments, one JSON object

To end:
Thought: why this is enough
Final Answer: what the user reads

After an action, stop. What the tool said comes as the next message, which begins with "Observation:". Never write one.

Tools:
"""
RULES_WITHOUT_TOOLS = """\
You have no tools now. Reply in this form.

Thought: why this is the answer
Final Answer: what the user reads"""


def to_text(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    before: Mapping[int, Sequence[Message]] | None = None,
) -> list[Message]:
    """Return a history as system, user and assistant messages of text only; the rules stand first.

    ``before`` holds messages that are text already, by the position of the message that they go before.
    """
    told = [text_of(message.get("content")) for message in messages if message.get("role") == "system"]
    system = "\n\n".join([*filter(None, told), instructions(tools)])
    return [{"role": "system", "content": system}, *_turns(messages, before or {})]


def instructions(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the rules of the protocol with the tools: name, description, and the schema of the input."""
    if not tools:
        return RULES_WITHOUT_TOOLS
    return RULES_WITH_TOOLS + "\n".join(map(_tool, tools))


def correction(text: str, has_tools: bool) -> str:
    """Return what the model is told about a reply that could not be read."""
    reasons = [f"- {reason}" for reason in what_is_wrong(text, has_tools)]
    call = 'a line "Action:" and a line "Action Input:" with one JSON object, or '
    again = f'Send it again: {call if has_tools else ""}a line "Final Answer:". Begin the line with the plain label.'
    return "\n".join(["Your reply could not be read.", *reasons, again])


def what_is_wrong(text: str, has_tools: bool) -> list[str]:
    """Return why a reply could not be read, a clause each; at least one."""
    if not has_tools and read(text).taken:
        return ["it asks for a tool, and there are none now"]
    return list(dict.fromkeys(finding.message for finding in examine(text))) or ["nothing in it could be taken"]


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, a list of parts of which the text counts, or anything else."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return "\n".join(part for part in parts if isinstance(part, str))
    return _json(content)


def listed(value: Any) -> list[Any]:
    """Return what stands in a list; nothing where there is no list."""
    return list(value) if isinstance(value, list | tuple) else []


def _turns(messages: Sequence[Mapping[str, Any]], before: Mapping[int, Sequence[Message]]) -> Iterator[Message]:
    position = 0
    while position < len(messages):
        yield from before.get(position, ())
        message = messages[position]
        position += 1
        match message.get("role"):
            case "system":
                pass
            case "assistant":
                answers = _answers_after(messages, position)
                position += len(answers)
                yield from _exchange(message, answers)
            case "tool":
                yield _observation(message)
            case _:
                yield {"role": "user", "content": text_of(message.get("content"))}


def _answers_after(messages: Sequence[Mapping[str, Any]], start: int) -> list[Mapping[str, Any]]:
    end = start
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return list(messages[start:end])


def _exchange(message: Mapping[str, Any], answers: list[Mapping[str, Any]]) -> Iterator[Message]:
    """Word one turn. Calls that came in one message are told one by one, each with its answer."""
    content = text_of(message.get("content")).strip()
    calls = [call for call in listed(message.get("tool_calls")) if isinstance(call, Mapping)]
    if not calls:
        yield {"role": "assistant", "content": f"Final Answer: {content}"}
    for number, call in enumerate(calls):
        thought = f"Thought: {content}\n" if content and number == 0 else ""
        yield {"role": "assistant", "content": f"{thought}{_action(call)}"}
        mine = next((answer for answer in answers if answer.get("tool_call_id") == call.get("id")), None)
        if mine is not None:
            answers.remove(mine)
            yield _observation(mine)
    for answer in answers:
        yield _observation(answer)


def _action(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    asked = function if isinstance(function, Mapping) else call
    arguments = asked.get("arguments")
    told = arguments if isinstance(arguments, str) else _json({} if arguments is None else arguments)
    return f"Action: {text_of(asked.get('name'))}\nAction Input: {told}"


def _observation(message: Mapping[str, Any]) -> Message:
    return {"role": "user", "content": f"Observation: {text_of(message.get('content'))}"}


def _tool(definition: Mapping[str, Any]) -> str:
    function = definition.get("function")
    told = function if isinstance(function, Mapping) else definition
    description = " ".join(text_of(told.get("description")).split())
    return f"- {text_of(told.get('name'))}: {description} Input: {_json(told.get('parameters') or {})}"


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"(a {type(value).__name__} that can't be written as JSON)"
