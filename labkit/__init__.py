"""How a language model calls tools, in rooms small enough to read: one room per idea, one chapter per room.

>>> runtime = ToolRuntime(ToolRegistry([add]))
>>> runtime.dispatch(ToolCall("call_1", "add", '{"x": 1, "y": 2}')).content
'3'
"""

from typing import TYPE_CHECKING, Any

from labkit.agent import Agent, Run
from labkit.calls import CallRefused, ErrorCode, Failure, Problem, ToolCall, ToolError, ToolOutput, ToolResult
from labkit.declare import Tool, ToolRegistry, tool
from labkit.guard import RetryGuard
from labkit.models import ScriptedModel
from labkit.runtime import ToolRuntime
from labkit.schedule import POLICIES, Plan, plan
from labkit.trace import Trace
from labkit.validate import parse_arguments, validate

if TYPE_CHECKING:
    from labkit.declare import lint
    from labkit.timeline import Timeline

__all__ = [
    "POLICIES",
    "Agent",
    "CallRefused",
    "ErrorCode",
    "Failure",
    "Plan",
    "Problem",
    "RetryGuard",
    "Run",
    "ScriptedModel",
    "Timeline",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolOutput",
    "ToolRegistry",
    "ToolResult",
    "ToolRuntime",
    "Trace",
    "lint",
    "parse_arguments",
    "plan",
    "tool",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Load what no run needs when it is asked for: the pictures, and the advice on declarations."""
    from importlib import import_module

    room = {"Timeline": "labkit.timeline", "lint": "labkit.declare"}.get(name)
    if room is None:
        raise AttributeError(f"labkit has no {name}")
    globals()[name] = getattr(import_module(room), name)
    return globals()[name]
