"""The loop: ask the model, run what it asks for, append the answers, repeat.

Chapter 07.

    >>> Agent(ScriptedModel(script), ToolRuntime(registry)).run("fix the test").stop_reason
    'final_answer'

Does not: print, retry a model's request, know any wire format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from labkit import history, trace
from labkit.calls import ErrorCode, ToolCall, ToolError, ToolResult, failed
from labkit.models.base import Model, ModelError, ModelReply, Usage
from labkit.runtime import ToolRuntime
from labkit.trace import Trace

Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision and what became of its calls. A value; ``model_seconds`` is how long the model took."""

    index: int
    reply: ModelReply
    results: tuple[ToolResult, ...]
    model_seconds: float


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """What became of a task. A value.

    ``stop_reason`` is ``final_answer``, ``max_turns``, ``truncated``, ``refused``, ``model_error``, ``stalled`` or
    ``interrupted``; ``detail`` says more where there is no answer. ``messages`` is a valid history to go on from.
    """

    answer: str
    messages: list[dict[str, Any]]
    turns: tuple[Turn, ...]
    stop_reason: str
    usage: Usage
    trace: Trace
    detail: str | None = None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All calls of the run, in order."""
        return tuple(call for turn in self.turns for call in turn.reply.tool_calls)

    def __repr__(self) -> str:
        return f"Run({self.stop_reason}: {len(self.turns)} decisions, {len(self.tool_calls)} calls)"


class Agent:
    """A model and a runtime, joined by the loop.

    After ``max_turns`` decisions that asked for tools the model is asked once more, without tools, for an answer.
    Calls beyond ``max_calls_per_turn`` are answered ``too_many_calls``. One ``trace`` takes one run; without it each
    run has a trace of its own, in memory.
    """

    def __init__(
        self,
        model: Model,
        runtime: ToolRuntime,
        *,
        max_turns: int = 10,
        max_calls_per_turn: int = 8,
        trace: Trace | None = None,
    ) -> None:
        for name, value in (("max_turns", max_turns), ("max_calls_per_turn", max_calls_per_turn)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        self.model = model
        self.runtime = runtime
        self.max_turns = max_turns
        self.max_calls_per_turn = max_calls_per_turn
        self.trace = trace

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
        session = _Session(self, _opening(task, system, history), on_event)
        session.record(trace.session_start(task, system, datetime.now(UTC).isoformat(timespec="seconds")))
        try:
            session.work()
        except BaseException as problem:
            session.break_off(problem)
            problem.run = session.end()  # type: ignore[attr-defined]
            raise
        return session.end()


def _opening(task: str, system: str | None, earlier: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    messages = list(earlier or ())
    faults = history.broken(messages)
    if faults:
        raise ValueError(f"this history can't be gone on from: {'; '.join(faults)}")
    if system is not None:
        told = [m["content"] for m in messages if m.get("role") == "system"]
        if told and told != [system]:
            raise ValueError("the history has a system message already; leave system out, or begin without history")
        if not told:
            messages.insert(0, history.system(system))
    return [*messages, history.user(task)]


@dataclass
class _Session:
    """The state of one run; it lives as long as ``Agent.run``."""

    agent: Agent
    messages: list[dict[str, Any]]
    on_event: Listener | None
    began: float = field(default_factory=perf_counter)
    turns: list[Turn] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    answer: str = ""
    reason: str = ""
    detail: str | None = None
    steps: int = 0

    def __post_init__(self) -> None:
        self.trace = self.agent.trace if self.agent.trace is not None else Trace()
        self._tools: tuple[Any, ...] = ()
        self._definitions: list[dict[str, Any]] = []
        self._results: list[ToolResult] = []

    def work(self) -> None:
        """Ask, run, append, repeat."""
        try:
            while not self.reason:
                if self.steps == self.agent.max_turns:
                    self.close()
                else:
                    self.turn()
        except ModelError as problem:
            self.reason, self.detail = self.reason or "model_error", str(problem)

    def turn(self) -> None:
        """One decision, and the results of its calls; a decision without calls ends the run."""
        self._results = []
        reply, seconds = self.ask(self.definitions())
        reason, self.answer = _ending(reply)
        calls = () if reason else reply.tool_calls
        self.say(reply, calls, seconds)
        self.reason = reason
        if not calls:
            self.turns.append(Turn(self.steps, reply, (), seconds))
            return
        results = self._results = self.results(reply)
        self.answer_with(results)
        self.turns.append(Turn(self.steps, reply, tuple(results), seconds))

    def close(self) -> None:
        """The turn limit is reached: ask for an answer, with no tools, and end."""
        self.reason = "max_turns"
        self.append(history.user(history.CLOSING_QUESTION))
        reply, seconds = self.ask([])
        self.answer = reply.content
        self.say(reply, (), seconds)
        self.turns.append(
            Turn(self.steps, ModelReply(reply.content, (), reply.finish_reason, reply.usage), (), seconds)
        )

    def ask(self, definitions: list[dict[str, Any]]) -> tuple[ModelReply, float]:
        """Return the model's next decision, and the seconds it took."""
        self.steps += 1
        self.record(trace.decision(self.steps))
        began = perf_counter()
        reply = self.agent.model.reply(self.messages, definitions)
        if reply.usage is not None:
            self.usage += reply.usage
        return reply, perf_counter() - began

    def say(self, reply: ModelReply, calls: Sequence[ToolCall], seconds: float) -> None:
        """Append the model's message."""
        usage = reply.usage
        counted = usage and {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        content = reply.content or (reply.refusal or "")
        self.append(
            history.assistant(content, calls),
            usage=counted,
            finish_reason=reply.finish_reason,
            model_seconds=round(seconds, 6),
        )

    def results(self, reply: ModelReply) -> list[ToolResult]:
        """Run the calls of a turn; the surplus, and all calls of a reply that was cut off, are answered unrun."""
        calls = reply.tool_calls
        kept = 0 if reply.finish_reason == "length" else min(len(calls), self.agent.max_calls_per_turn)
        made = [self._unrun(call, reply) for call in calls[kept:]]
        listener = _Announcer(self, calls, kept)
        if kept == 0:
            listener.surplus("serial")
        ran = self.agent.runtime.dispatch_many(calls[:kept], on_event=listener, began=self.began)
        for result in made:
            listener(trace.tool_finished(result))
        return ran + made

    def _unrun(self, call: ToolCall, reply: ModelReply) -> ToolResult:
        if reply.finish_reason == "length":
            message = "the reply was cut off at its length limit, so the arguments may be incomplete; not run"
            return failed(call, ToolError(ErrorCode.TRUNCATED, message, call.name, "send the call again, shorter"))
        limit = self.agent.max_calls_per_turn
        message = f"not run: at most {limit} calls are taken from one message"
        return failed(
            call, ToolError(ErrorCode.TOO_MANY_CALLS, message, call.name, "ask for the rest in the next turn")
        )

    def answer_with(self, results: Sequence[ToolResult]) -> None:
        """Append answers, in call order."""
        for result in results:
            self.messages.append(result.to_message())
            self.record(trace.message(self.messages[-1]))
            self.trace.record(trace.tool_finished(result))

    def break_off(self, problem: BaseException) -> None:
        """An exception is on its way out: answer every call that was asked, so that the history stays valid."""
        self.reason = "interrupted" if isinstance(problem, KeyboardInterrupt) else "model_error"
        self.detail = type(problem).__name__
        calls, answered = history.last_turn(self.messages)
        if answered < len(calls):
            results = self._results or list(getattr(problem, "results", ()))
            results += [_interrupted(ToolCall(**call)) for call in calls[len(results) :]]
            self.answer_with(results[answered:])

    def end(self) -> Run:
        """Write the closing line and return the run."""
        self.record(trace.session_end(self.reason, self.steps, self.detail))
        self.trace.close()
        turns = tuple(self.turns)
        return Run(self.answer, self.messages, turns, self.reason, self.usage, self.trace, self.detail)

    def definitions(self) -> list[dict[str, Any]]:
        """Return the declarations, made anew only when a tool was registered meanwhile."""
        tools = tuple(self.agent.runtime.registry)
        if tools != self._tools:
            self._tools, self._definitions = tools, self.agent.runtime.registry.definitions()
        return self._definitions

    def append(self, message: dict[str, Any], **beside: Any) -> None:
        """Append a message to the history and to the trace."""
        self.messages.append(message)
        self.record(trace.message(message, **beside))

    def record(self, line: dict[str, Any]) -> None:
        """Write a line, and tell whoever listens."""
        line = self.trace.record(line)
        if self.on_event is not None:
            self.on_event(line)


class _Announcer:
    """Writes the opening lines of a batch as the runtime sends them, and those of the surplus right after them."""

    def __init__(self, session: _Session, calls: Sequence[ToolCall], kept: int) -> None:
        self.session = session
        self.calls = calls
        self.kept = kept
        self.started = 0

    def __call__(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if name == "tool_finished":
            if self.session.on_event is not None:
                self.session.on_event(event)
        elif name == "tool_batch":
            self.session.record(trace.tool_batch(event["payload"]["mode"], len(self.calls)))
        else:
            self.start(event)

    def start(self, event: dict[str, Any]) -> None:
        """Write a start line; after the last one of the batch, those of the surplus."""
        if self.kept == 1 < len(self.calls):
            self.session.record(trace.tool_batch("serial", len(self.calls)))
        self.session.record(event)
        self.started += 1
        if self.started == self.kept:
            for call in self.calls[self.kept :]:
                self.session.record(trace.tool_start(call, "refused"))

    def surplus(self, mode: str) -> None:
        """Write the opening lines of a turn of which nothing is run."""
        if len(self.calls) > 1:
            self.session.record(trace.tool_batch(mode, len(self.calls)))
        for call in self.calls:
            self.session.record(trace.tool_start(call, "refused"))


def _ending(reply: ModelReply) -> tuple[str, str]:
    """Return the stop reason and the answer of a decision; no reason where the run goes on."""
    if reply.refusal or reply.finish_reason == "content_filter":
        return "refused", reply.refusal or reply.content
    if reply.tool_calls:
        return "", ""
    if reply.finish_reason == "length":
        return "truncated", reply.content
    return ("final_answer" if reply.content.strip() else "stalled"), reply.content


def _interrupted(call: ToolCall) -> ToolResult:
    return failed(call, ToolError(ErrorCode.CANCELLED, "not run: the run was interrupted", call.name))
