"""One run of a model that repeats itself: its log, what it was told, what it cost.

Chapter 08.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from labkit.agent import Agent, Run
from labkit.calls import ErrorCode, ToolCall, ToolResult
from labkit.course.loops.desk import Desk
from labkit.course.loops.growth import requests
from labkit.course.loops.models import MODELS, Habit
from labkit.declare import ToolRegistry
from labkit.guard import RetryGuard
from labkit.history import is_closing
from labkit.runtime import ToolRuntime

GUARD = RetryGuard()
SAID_BY_THE_LOOP = (ErrorCode.TOOL_BANNED, ErrorCode.TOO_MANY_CALLS)


class Row(NamedTuple):
    """One line of the log. A value; ``came`` is ``ran``, ``failed``, ``refused``, ``banned`` or ``too many``."""

    turn: int
    call: str
    came: str
    words: str


@dataclass(frozen=True, eq=False, repr=False)
class Played:
    """A model and what became of its run. A value."""

    habit: Habit
    run: Run

    @property
    def rows(self) -> list[Row]:
        """Every call with what came back, in order."""
        return [
            Row(turn.index, spelled(call), came_of(result), _words(result))
            for turn in self.run.turns
            for call, result in zip(turn.reply.tool_calls, turn.results, strict=True)
        ]

    @property
    def executed(self) -> int:
        """How many calls reached their tool."""
        return sum(row.came in ("ran", "failed") for row in self.rows)

    @property
    def sent(self) -> tuple[int, ...]:
        """The estimated tokens of each request's messages."""
        return requests(self.run.messages)

    @property
    def told(self) -> list[str]:
        """What the loop itself has said to the model: the first refusal of each kind, and the closing question."""
        firsts: dict[tuple[str, str], str] = {}
        for message in self.run.messages:
            error = message.get("error")
            if error and error["code"] in SAID_BY_THE_LOOP:
                firsts.setdefault((error["code"], error["message"].partition(";")[0]), message["content"])
        closing = [message["content"] for message in self.run.messages if is_closing(message)]
        return [*list(firsts.values())[:MOST_TOLD], *closing]

    def __repr__(self) -> str:
        turns = len(self.run.turns)
        return f"Played({self.habit.name}: {self.run.stop_reason}, {turns} requests, {self.executed} calls executed)"


MOST_TOLD = 3


def play(
    name: str,
    *,
    guard: RetryGuard | None = GUARD,
    gives_in: bool = False,
    max_turns: int = 12,
    max_calls_per_turn: int = 8,
) -> Played:
    """Let the model of that name work at a fresh desk, and return what became of it.

    Raises ValueError that names the models there are.
    """
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}; there are {', '.join(MODELS)}")
    habit = MODELS[name](gives_in)
    runtime = ToolRuntime(ToolRegistry(Desk().tools()), policy="serial")
    agent = Agent(habit, runtime, max_turns, max_calls_per_turn, guard=guard)
    return Played(habit, agent.run(habit.task))


def spelled(call: ToolCall) -> str:
    """Return a call as its name and its arguments, as they were sent."""
    sent = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return f"{call.name} {sent}"


def came_of(result: ToolResult) -> str:
    """Return in a word what became of a call."""
    if result.error is None:
        return "ran"
    code = ErrorCode(result.error.code)
    by_loop = {ErrorCode.TOOL_BANNED: "banned", ErrorCode.TOO_MANY_CALLS: "too many"}
    return by_loop.get(code) or ("failed" if code.layer == "execution" else "refused")


def _words(result: ToolResult) -> str:
    """What came back, in its first line; of an error the message."""
    if result.error is not None:
        return f"{result.error.code}: {result.error.message}"
    return result.content.partition("\n")[0]
