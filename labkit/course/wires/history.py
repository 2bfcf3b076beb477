"""The history of the lab: one task, a turn of two calls, a turn of one, and every call answered. Pure."""

from __future__ import annotations

from typing import Any

from labkit.calls import ToolCall
from labkit.history import assistant, system, user

Message = dict[str, Any]

TASK = "How many degrees is Shanghai warmer than Beijing?"
SYSTEM = "Use the tools; do not guess."
UNKNOWN = "31.2 against 26.5; calc gave no answer in time, so the difference is not confirmed."
ANSWER = "Shanghai is 4.7 degrees warmer than Beijing."


def _city(id: str, name: str) -> ToolCall:
    return ToolCall(id, "get_weather", {"city": name})


_BOTH = (_city("call_1", "Beijing"), _city("call_2", "Shanghai"))
_CALC = (ToolCall("call_3", "calc", {"expression": "31.2 - 26.5"}),)

SCRIPT: Message = {
    "task": TASK,
    "system": SYSTEM,
    "decisions": [
        assistant("Both at once.", _BOTH),
        assistant("Now the difference.", _CALC),
        assistant(ANSWER),
    ],
    "on_error": {"timeout": {"content": UNKNOWN}},
}
"""What the server plays. The third decision is what comes back where a history is accepted."""


def _declared(name: str, description: str, parameter: str) -> Message:
    parameters = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


DEFINITIONS = [
    _declared("get_weather", "Return the temperature in a city, in degrees Celsius.", "city"),
    _declared("calc", "Return the value of an arithmetic expression.", "expression"),
]


def the_history() -> list[Message]:
    """Return the history as it stands before the last answer: seven messages, made anew."""
    return [
        system(SYSTEM),
        user(TASK),
        assistant("Both at once.", _BOTH),
        _answer("call_1", "26.5"),
        _answer("call_2", "31.2"),
        assistant("Now the difference.", _CALC),
        _answer("call_3", "4.7"),
    ]


def _answer(id: str, content: str) -> Message:
    return {"role": "tool", "content": content, "tool_call_id": id}
