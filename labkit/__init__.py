"""How a language model calls tools, in rooms small enough to read: one room per idea, one chapter per room.

>>> runtime = ToolRuntime(ToolRegistry([add]))
>>> runtime.dispatch(ToolCall("call_1", "add", '{"x": 1, "y": 2}')).content
'3'
"""

from labkit.agent import Agent, Run
from labkit.calls import CallRefused, ErrorCode, Failure, Problem, ToolCall, ToolError, ToolOutput, ToolResult
from labkit.declare import Tool, ToolRegistry, lint, tool
from labkit.models import ScriptedModel
from labkit.runtime import ToolRuntime
from labkit.schedule import POLICIES, Plan, plan
from labkit.timeline import Timeline
from labkit.trace import Trace
from labkit.validate import parse_arguments, validate

__all__ = [
    "POLICIES",
    "Agent",
    "CallRefused",
    "ErrorCode",
    "Failure",
    "Plan",
    "Problem",
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
