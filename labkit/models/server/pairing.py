"""Calls and their answers in chat completions: each call once, right after it was asked (rules 1 and 2). Pure.

The order among the answers of one turn is free (rule 3).
"""

from __future__ import annotations

from typing import Any

from labkit.models.server.broken import Broken, broken, spelled

Object = dict[str, Any]


def pairing_faults(messages: list[Any]) -> list[Broken]:
    """Return which calls are not answered, or twice, and which answers nobody asked for."""
    found: list[Broken] = []
    position = 0
    while position < len(messages):
        asked = _asked(messages[position])
        if _is_tool(messages[position]):
            found += _orphan(messages[position], position, "no assistant message with tool_calls stands before it")
        position += 1
        answers = _answers(messages, position) if asked else []
        found += _compare(position, asked, answers)
        position += len(answers)
    return found


def _asked(message: Any) -> list[str]:
    """The ids that a message asks for; what is no id is judged elsewhere and keeps its place."""
    calls = message.get("tool_calls") if isinstance(message, dict) and message.get("role") == "assistant" else None
    ids = [call.get("id") if isinstance(call, dict) else None for call in calls] if isinstance(calls, list) else []
    return [each if isinstance(each, str) else "" for each in ids]


def _answers(messages: list[Any], start: int) -> list[Object]:
    end = start
    while end < len(messages) and _is_tool(messages[end]):
        end += 1
    return messages[start:end]


def _compare(position: int, asked: list[str], answers: list[Object]) -> list[Broken]:
    """``position`` is that of the first answer; the message before it asked."""
    found: list[Broken] = []
    open_ids = list(asked)
    for offset, answer in enumerate(answers):
        name = answer.get("tool_call_id")
        if name in open_ids:
            open_ids.remove(name)
        elif name in asked:
            param = f"messages.[{position + offset}].tool_call_id"
            found.append(broken(1, param, f"the call {spelled(name)} is answered twice"))
        else:
            found += _orphan(answer, position + offset, "the assistant message before it asked for no such call")
    for number in reversed(range(len(asked))):
        if asked[number] in open_ids:
            open_ids.remove(asked[number])
            param = f"messages.[{position - 1}].tool_calls.[{number}].id"
            said = (
                f"the call {spelled(asked[number]) or '(without an id)'} has no tool message right after this message"
            )
            found.insert(0, broken(1, param, said))
    return found


def _orphan(message: Object, position: int, why: str) -> list[Broken]:
    name = message.get("tool_call_id")
    if not isinstance(name, str):
        return []  # what it lacks is said once, by the rules of a message
    return [broken(2, f"messages.[{position}].tool_call_id", f"an answer to {spelled(name) or 'nothing'}, but {why}")]


def _is_tool(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "tool"
