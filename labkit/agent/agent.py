"""The front of the loop: its settings, and how a run begins and ends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from labkit.agent.announcer import Listener
from labkit.agent.beginning import opening
from labkit.agent.run import Run
from labkit.agent.session import Session
from labkit.guard import RetryGuard
from labkit.models.base import Model
from labkit.runtime import ToolRuntime
from labkit.trace import Trace


class Agent:
    """A model and a runtime, joined by the loop.

    After ``max_turns`` decisions that asked for tools the model is asked once more, without tools, for an answer.
    Calls beyond ``max_calls_per_turn`` are answered ``too_many_calls``. With a ``guard`` calls that only repeat are
    answered ``tool_banned``; a model that goes on with them all the same is asked for an answer (``stalled``). One
    ``trace`` takes one run; without it each run has a trace of its own, in memory. With ``early_dispatch`` a call that
    only reads starts while the rest of the reply still streams, as soon as it is whole and waits for no other; if the
    reply is then discarded, so is the result. That takes a model that tells of whole calls (``on_call``), and the
    policy ``barriers`` or ``by_resource``.
    """

    def __init__(
        self,
        model: Model,
        runtime: ToolRuntime,
        max_turns: int = 10,
        max_calls_per_turn: int = 8,
        guard: RetryGuard | None = None,
        trace: Trace | None = None,
        early_dispatch: bool = False,
    ) -> None:
        if not isinstance(runtime, ToolRuntime):
            raise TypeError(f"an agent takes a ToolRuntime, not a {type(runtime).__name__}: ToolRuntime(registry)")
        if not hasattr(model, "reply"):
            raise TypeError(f"a {type(model).__name__} is no model: it has no reply(messages, tools)")
        for name, value in (("max_turns", max_turns), ("max_calls_per_turn", max_calls_per_turn)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        if guard is not None and not isinstance(guard, RetryGuard):
            raise TypeError(f"guard takes a RetryGuard, not a {type(guard).__name__}: RetryGuard()")
        if type(early_dispatch) is not bool:
            raise TypeError(f"early_dispatch is True or False, not {early_dispatch!r}")
        if early_dispatch:
            from labkit.agent.ahead import require_early  # here, so that importing labkit does not pay for it

            require_early(model, runtime)
        self.model = model
        self.runtime = runtime
        self.max_turns = max_turns
        self.max_calls_per_turn = max_calls_per_turn
        self.guard = guard
        self.trace = trace
        self.early_dispatch = early_dispatch

    def __repr__(self) -> str:
        return f"Agent({self.model!r}, {self.runtime!r})"

    def run(
        self,
        task: str,
        system: str | None = None,
        history: Sequence[dict[str, Any]] | None = None,
        *,
        on_event: Listener | None = None,
    ) -> Run:
        """Work on a task until there is an answer or a limit is reached.

        ``history`` goes on from an earlier run's messages; it is not changed. ``on_event`` hears every line of the
        trace as it comes, and ``tool_finished`` in the order of completion.
        Raises ValueError for a history whose calls and answers do not pair. An interrupt leaves with the run so far,
        its history complete, as ``exc.run``.
        """
        session = Session(self, opening(task, system, history), on_event)
        try:
            session.begin(task, system)
            session.work()
        except BaseException as problem:
            with suppress(OSError):  # the trace may be what broke: its disk is full, say
                session.break_off(problem)
            problem.run = session.result()  # type: ignore[attr-defined]
            raise
        return session.result()
