"""The loop: ask the model, run what it asks for, append the answers, repeat.

Chapter 07.

    >>> Agent(ScriptedModel(script), ToolRuntime(registry)).run("fix the test").stop_reason
    'final_answer'

Does not: print, retry a model's request, know any wire format.
"""

from labkit.agent.agent import Agent
from labkit.agent.run import Run, Turn

__all__ = ["Agent", "Run", "Turn"]
