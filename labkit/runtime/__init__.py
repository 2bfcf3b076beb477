"""From calls to results: parse, validate, plan, run, answer. One result per call, in call order, whatever happens.

Chapter 06.

    >>> ToolRuntime(registry).dispatch(ToolCall("call_1", "add", '{"x": 1, "y": 2}')).content
    '3'

Does not: talk to a model, keep a history, decide what runs together (``schedule`` does) or where (``workers`` does).
"""

from labkit.runtime.runtime import ToolRuntime

__all__ = ["ToolRuntime"]
