"""Ask a model for every task under one protocol, and note what came back. Chapter 11.

    >>> rows = measure(model, tasks()[:12], "constrained", on_progress=bar(print))  # doctest: +SKIP

Does not: repeat a request, correct a reply: a protocol is measured on its first answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from labkit.calls import ToolCall
from labkit.course.protocols.judging import judge
from labkit.course.protocols.prompts import PROTOCOLS
from labkit.course.protocols.tasks import Example, Task, definitions
from labkit.models.base import Model, ModelReply, Usage


class Adjustable(Model, Protocol):
    """A model of which there can be a copy whose requests carry further parameters."""

    def having(self, **parameters: Any) -> Model:
        """Return the copy."""
        ...


class Row(NamedTuple):
    """What one task gave under one protocol. A value; ``seconds`` is wall time.

    ``text`` is what the model wrote, ``calls`` what the server made of it: ``{"name", "arguments"}`` each.
    """

    task: str
    protocol: str
    examples: int
    text: str
    calls: tuple[dict[str, Any], ...]
    finish_reason: str
    parsed: bool
    valid: bool
    right_tool: bool
    right_arguments: bool
    seconds: float
    prompt_tokens: int
    completion_tokens: int

    def reply(self) -> ModelReply:
        """Return the reply as it came, to be read or judged again."""
        calls = tuple(ToolCall(f"call_{n}", call["name"], call["arguments"]) for n, call in enumerate(self.calls, 1))
        return ModelReply(self.text, calls, self.finish_reason)


Progress = Callable[[int, int], None]


def measure(
    model: Adjustable,
    tasks: Sequence[Task],
    protocol: str,
    examples: Sequence[Example] = (),
    on_progress: Progress | None = None,
) -> list[Row]:
    """Return a row for each task, in their order. One request a task; the prompt shows the examples first.

    ``on_progress`` is told at the beginning and after each task how many are done, and of how many.
    Raises ModelError where the model can't
    be reached, KeyError for a protocol that is not in ``PROTOCOLS``.
    """
    way = PROTOCOLS[protocol]
    tools = definitions()
    asked = model.having(**way.requires(tools))
    rows = []
    if on_progress:
        on_progress(0, len(tasks))
    for task in tasks:
        started = time.perf_counter()
        reply = asked.reply(way.messages(task.ask, tools, examples), tools if way.native else [])
        rows.append(_row(task, protocol, len(examples), reply, time.perf_counter() - started))
        if on_progress:
            on_progress(len(rows), len(tasks))
    return rows


def _row(task: Task, protocol: str, examples: int, reply: ModelReply, seconds: float) -> Row:
    calls = tuple({"name": call.name, "arguments": call.arguments} for call in reply.tool_calls)
    verdicts = judge(task, reply, protocol)
    usage = reply.usage or Usage()
    noted = (task.id, protocol, examples, reply.content, calls, reply.finish_reason)
    return Row(*noted, *verdicts, round(seconds, 2), *usage)


def bar(say: Callable[..., None], words: str = "", width: int = 24) -> Progress:
    """Return what draws a line of progress over itself with ``say``, which is ``print`` or takes what it takes.

    >>> bar(print, "JSON mode")(6, 12)  # doctest: +SKIP
    JSON mode  ████████████············  6 of 12
    """

    def draw(done: int, total: int) -> None:
        filled = width * done // total if total else width
        line = f"{words}  {'█' * filled}{'·' * (width - filled)}  {done} of {total}".strip()
        say(f"\r{line}", end="\n" if done == total else "", flush=True)

    return draw
