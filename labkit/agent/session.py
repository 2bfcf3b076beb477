"""One run at work: ask, run, append, repeat; and the way out when something breaks it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from labkit import history, trace
from labkit.agent.admission import Door, unrun
from labkit.agent.announcer import Announcer, Listener
from labkit.agent.answers import in_call_order, interrupted
from labkit.agent.run import Run, Turn
from labkit.calls import ToolCall, ToolResult
from labkit.models.base import ModelError, ModelReply, Usage
from labkit.trace import Trace

if TYPE_CHECKING:
    from labkit.agent.agent import Agent
    from labkit.agent.ahead import Ahead


class Session:
    """The state of one run; it lives as long as ``Agent.run``."""

    def __init__(self, agent: Agent, messages: list[dict[str, Any]], on_event: Listener | None) -> None:
        self.agent = agent
        self.messages = messages
        self.on_event = on_event
        self.trace = agent.trace if agent.trace is not None else Trace()
        self.began = perf_counter()
        self.turns: list[Turn] = []
        self.usage = Usage()
        self.answer = ""
        self.reason = ""
        self.opened = False
        self._first = len(messages)
        self.detail: str | None = None
        self.steps = 0
        self.watch = agent.guard.watch(agent.runtime.registry) if agent.guard is not None else None
        self.ahead = _ahead(self) if agent.early_dispatch else None
        self._offered: tuple[Any, ...] = ()
        self._definitions: list[dict[str, Any]] = []

    def work(self) -> None:
        """Ask, run, append, repeat."""
        try:
            while not self.reason:
                if self.steps == self.agent.max_turns:
                    self.close("max_turns", history.CLOSING_QUESTION)
                elif self.watch is not None and self.watch.stuck:
                    self.detail = "every call of the last turns had been refused before"
                    self.close("stalled", history.STALLED_QUESTION)
                else:
                    self.turn()
        except ModelError as problem:
            self.reason, self.detail = self.reason or "model_error", str(problem)
        self.finish()

    def begin(self, task: str, system: str | None) -> None:
        """Write the opening line."""
        line = trace.session_start(task, system, datetime.now(UTC).isoformat(timespec="seconds"))
        line = self.trace.record(line)
        self.opened = True
        if self.on_event is not None:
            self.on_event(line)

    def turn(self) -> None:
        """One decision, and the results of its calls; a decision without calls ends the run."""
        reply, seconds = self.ask(self.definitions())
        reason, self.answer = _ending(reply)
        self.turns.append(Turn(self.steps, reply, (), seconds))
        self.say(reply, () if reason else reply.tool_calls, seconds)
        self.reason = reason
        if not reason:
            results = self.results(reply)
            self.answer_with(results)
            if self.watch is not None:
                self.watch.note(reply.tool_calls, results)

    def close(self, reason: str, question: str) -> None:
        """A limit is reached: ask for an answer, with no tools, and end."""
        self.reason = reason
        self.append(history.user(question))
        reply, seconds = self.ask([])
        self.answer = reply.content or ""
        without_calls = reply._replace(tool_calls=())
        self.turns.append(Turn(self.steps, without_calls, (), seconds))
        self.say(without_calls, (), seconds)

    def ask(self, definitions: list[dict[str, Any]]) -> tuple[ModelReply, float]:
        """Return the model's next decision, and the seconds it took."""
        self.steps += 1
        self.record(trace.decision(self.steps))
        began = perf_counter()
        if self.ahead is not None and definitions:
            reply = self.ahead.reply(self.messages, definitions)
        else:
            reply = self.agent.model.reply(self.messages, definitions)
        if not isinstance(reply, ModelReply):
            raise TypeError(f"a model must return a ModelReply, not a {type(reply).__name__}")
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
        """Run the calls of a turn, and answer those that are not to be run."""
        calls = reply.tool_calls
        answered = unrun(reply, Door(self.watch, self.agent.max_calls_per_turn))
        listener = Announcer(self, calls, answered)
        ran: list[ToolResult] = []
        try:
            for line in self.ahead.settle(answered, len(calls)) if self.ahead is not None else ():
                self.record(line)
            if len(answered) < len(calls):
                to_run = [call for position, call in enumerate(calls) if position not in answered]
                early = self.ahead.calls if self.ahead is not None else None
                ran = self.agent.runtime.dispatch_many(to_run, on_event=listener, began=self.began, early=early)
            else:
                listener.skip()
            for answer in answered.values():
                listener(trace.tool_finished(answer))
            return in_call_order(calls, answered, ran)
        except BaseException as problem:
            results = in_call_order(calls, answered, getattr(problem, "results", ran))
            problem.results = results  # type: ignore[attr-defined]
            raise

    def answer_with(self, results: Sequence[ToolResult]) -> None:
        """Append the answers of the last turn, in call order; to the history first, so that no failure leaves a gap."""
        self.turns[-1] = replace(self.turns[-1], results=tuple(results))
        answers = [result.to_message() for result in results]
        self.messages += answers
        for result, message in zip(results, answers, strict=True):
            self.record(trace.message(message))
            self.trace.record(trace.tool_finished(result, self.whole))

    def break_off(self, problem: BaseException) -> None:
        """An exception is on its way out: answer every call that was asked, so that the history stays valid.

        Nobody is told any more: a listener may be what broke, and the trace must be whole.
        """
        self.on_event = None
        if self.ended:  # the listener broke at the very last line: the run is what it was
            self.trace.close()
            return
        self.reason = "interrupted" if isinstance(problem, KeyboardInterrupt) else "model_error"
        self.detail = type(problem).__name__
        if not self.opened:
            return
        calls, answered = history.last_turn(self.messages)
        if answered < len(calls):
            results = list(getattr(problem, "results", ()))
            results += [interrupted(ToolCall(**call)) for call in calls[len(results) :]]
            self.turns[-1] = replace(self.turns[-1], results=tuple(results))
            self.messages += [result.to_message() for result in results]
        self.catch_up()
        self.finish()

    def catch_up(self) -> None:
        """Write what the history and the turns have, and the trace has not yet; every call gets all of its lines."""
        for message in self.messages[self._first + len(self.trace.messages()) :]:
            if message.get("role") == "tool":
                self.open_calls()
            self.trace.record(trace.message(message))
        results = [result for turn in self.turns for result in turn.results]
        for result in results[len(self.trace.events("tool_finished")) :]:
            self.trace.record(trace.tool_finished(result, self.whole))

    def open_calls(self) -> None:
        """Write the start lines that are missing; a call without one never ran, since they all come before that."""
        asked = [ToolCall(**call) for m in self.messages[self._first :] for call in history.calls_of(m)]
        for call in asked[len(self.trace.events("tool_start")) :]:
            self.trace.record(trace.tool_start(call, "refused"))

    def finish(self) -> None:
        """Write the closing line, and before it what was started early in vain."""
        for line in self.ahead.discard_all(self.reason) if self.ahead is not None else ():
            self.record(line)
        self.record(trace.session_end(self.reason, self.steps, self.detail))
        self.trace.close()

    @property
    def whole(self) -> float | None:
        """When the last reply was whole, in seconds since the run began; None where no call can have started early."""
        return self.ahead.whole if self.ahead is not None else None

    @property
    def ended(self) -> bool:
        """Whether this run has its closing line."""
        return self.opened and self.trace.lines[-1].get("event") == "session_end"

    def result(self) -> Run:
        """Return the run as it stands."""
        turns = tuple(self.turns)
        return Run(self.answer, self.messages, turns, self.reason, self.usage, self.trace, self.detail)

    def definitions(self) -> list[dict[str, Any]]:
        """Return the declarations, made anew only when a tool was registered or withdrawn meanwhile."""
        withdrawn = self.watch.withdrawn if self.watch is not None else ()
        offered = tuple(tool for tool in self.agent.runtime.registry if tool.name not in withdrawn)
        if offered != self._offered:
            self._offered, self._definitions = offered, [tool.definition() for tool in offered]
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


def _ending(reply: ModelReply) -> tuple[str, str]:
    """Return the stop reason and the answer of a decision; no reason where the run goes on."""
    if reply.refusal or reply.finish_reason == "content_filter":
        return "refused", reply.refusal or reply.content or ""
    if reply.tool_calls:
        return "", ""
    if reply.finish_reason == "length":
        return "truncated", reply.content or ""
    return ("final_answer" if (reply.content or "").strip() else "stalled"), reply.content or ""


def _ahead(session: Session) -> Ahead:
    from labkit.agent.ahead import Ahead  # here, so that importing labkit does not pay for it

    return Ahead(session.agent, session.watch, session.began)
