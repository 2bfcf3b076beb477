"""Histories and traces that the exercises of chapter 07 are tried on. Pure; what an agent leaves looks the same.

>>> [message["role"] for message in turn("call_1", "call_2", answered=1)]
['user', 'assistant', 'tool']
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labkit import history, trace
from labkit.calls import ToolCall
from labkit.course.sample_results import sample


def turn(*ids: str, answered: int = 0) -> list[dict[str, Any]]:
    """Return a task and one turn with calls of these ids, of which the first ones are answered."""
    calls = [ToolCall(id, "read_file", {"path": f"{number}.txt"}) for number, id in enumerate(ids, 1)]
    answers = [
        {"role": "tool", "content": f"text {number}", "tool_call_id": id} for number, id in enumerate(ids[:answered], 1)
    ]
    return [history.user("look"), history.assistant("I look.", calls), *answers]


def lines_of(*names: str) -> list[dict[str, Any]]:
    """Return the lines of a run in which these sample results came, one a turn, all of them under one id.

    ``labkit.course.sample_results`` has the names. The first answer stands on line 5, the next on line 10.
    """
    record = trace.Trace()
    record.record(trace.session_start("look", None, "2026-01-01T12:00:00+00:00"))
    for step, result in enumerate(map(sample, names), 1):
        call = ToolCall(result.call_id, result.name, {})
        asked = {"role": "assistant", "content": "", "tool_calls": [asdict(call)]}
        told = (trace.decision(step), trace.message(asked), trace.tool_start(call, "read"))
        for line in (*told, trace.message(result.to_message()), trace.tool_finished(result)):
            record.record(line)
    return record.lines
