"""What early dispatch gains on streams that drip, held to its prediction.

A stream is ``[(seconds, position, call)]``, when each call of a reply is whole, and the seconds at which the reply is;
both count from the request. It is read from the shipped ``data/streams/drip_*.json``, chunk by chunk, or made here.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any, NamedTuple

from labkit import Agent, ToolCall, ToolRegistry, ToolRuntime, plan, tool
from labkit.models import ModelReply
from labkit.models.streaming import ChatAssembly
from labkit.paths import data
from labkit.timeline import predict_gain

Figure = tuple[str, float, float, str]
SHARE, FIXED = 0.15, 0.010  # what a gain may differ by: a part of the prediction, and seconds
RUNS = 5


@tool(readonly=True, touches=lambda values: [values["key"]])
def slow_look(key: str, seconds: float) -> str:
    "Look for a while."
    time.sleep(seconds)
    return key


@tool(touches=lambda values: [values["key"]])
def slow_change(key: str, seconds: float) -> str:
    "Change for a while."
    time.sleep(seconds)
    return key


class Stream(NamedTuple):
    """When the calls of one reply are whole, and when the reply is, in seconds. A value."""

    told: Sequence[tuple[float, int, ToolCall]]
    whole: float

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of the reply, in order."""
        return [call for _, _, call in sorted(self.told, key=lambda each: each[1])]

    @property
    def arrivals(self) -> list[float]:
        """When each of them is whole, in call order."""
        return [seconds for seconds, _, _ in sorted(self.told, key=lambda each: each[1])]


class Dripping:
    """A model that plays a stream as it was timed, and then answers."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.never = Event()

    def reply(self, messages: Any, tools: Any, on_call: Callable[[int, ToolCall], object] | None = None) -> ModelReply:
        """Return the stream's calls at its end, telling each before; an answer to what they said."""
        if messages[-1]["role"] == "tool":
            return ModelReply("done")
        began = time.perf_counter()
        for seconds, position, call in self.stream.told:
            self.never.wait(max(0.0, began + seconds - time.perf_counter()))
            if on_call is not None:
                on_call(position, call)
        self.never.wait(max(0.0, began + self.stream.whole - time.perf_counter()))
        return ModelReply("", tuple(self.stream.calls), "tool_calls")


class Case(NamedTuple):
    """A stream, the tools that it calls, how long each call takes (seconds), and the policy. A value."""

    stream: Stream
    registry: ToolRegistry
    durations: Sequence[float]
    policy: str

    def predicted(self) -> float:
        """Seconds gained, as the plan has it; the arguments must be the validated values."""
        made = plan(self.stream.calls, self.registry, self.policy)
        return predict_gain(made, self.durations, self.stream.arrivals, self.stream.whole).seconds

    def measured(self) -> float:
        """Seconds gained: the middle of a few pairs of runs."""
        return statistics.median(self.seconds(early=False) - self.seconds(early=True) for _ in range(RUNS))

    def seconds(self, early: bool) -> float:
        """From the request to the end of the tools, or of the reply where that comes later."""
        runtime = ToolRuntime(self.registry, policy=self.policy)
        run = Agent(Dripping(self.stream), runtime, max_calls_per_turn=99, early_dispatch=early).run("drip")
        model = run.turns[0].model_seconds
        results = run.turns[0].results
        if not all(result.ok for result in results):
            raise RuntimeError(f"a call of the stream failed: {results}")
        return max(model, *(result.finished or 0.0 for result in results))


def dripped(policy: str, whole: float, *told: tuple[float, str, str, float]) -> Case:
    """A case of calls told in order: when, which tool, which key, for how long."""
    calls = [ToolCall(f"call_{n}", name, {"key": k, "seconds": s}) for n, (_, name, k, s) in enumerate(told, 1)]
    stream = Stream([(each[0], n, call) for n, (each, call) in enumerate(zip(told, calls, strict=True))], whole)
    return Case(stream, ToolRegistry([slow_look, slow_change]), [each[3] for each in told], policy)


def recorded(name: str, seconds: float) -> Case:
    """The case of a shipped stream, put together as a client does; each of its calls takes ``seconds``."""

    @tool(readonly=True, name="read_file", touches=lambda values: [values["path"]])
    def read(path: str) -> str:
        "Read a file."
        time.sleep(seconds)
        return path

    @tool(name="edit_file", touches=lambda values: [values["path"]])
    def edit(path: str, old: str, new: str) -> str:
        "Edit a file."
        time.sleep(seconds)
        return path

    stream = json.loads(data("streams", f"{name}.json").read_text(encoding="utf-8"))
    assembly, told = ChatAssembly(), list[tuple[float, int, ToolCall]]()
    for moment, chunk in zip(stream["at"], stream["chunks"], strict=True):
        assembly.feed(chunk)
        whole = [(moment, i, each.call) for i, each in enumerate(assembly.calls) if each.whole]
        told += whole[len(told) :]
    durations = [seconds] * len(told)
    return Case(Stream(told, stream["at"][-1]), ToolRegistry([read, edit]), durations, "barriers")


CASES = {
    "shipped, three reads": recorded("drip_three_reads", 0.3),
    "shipped, reads then a write": recorded("drip_read_then_write", 0.3),
    "three reads": dripped(
        "barriers",
        0.40,
        (0.05, "slow_look", "a", 0.20),
        (0.15, "slow_look", "b", 0.15),
        (0.30, "slow_look", "c", 0.15),
    ),
    "reads around a write": dripped(
        "barriers",
        0.30,
        (0.04, "slow_look", "a", 0.25),
        (0.10, "slow_look", "b", 0.10),
        (0.16, "slow_change", "a", 0.05),
        (0.22, "slow_look", "a", 0.08),
    ),
    "by resource": dripped(
        "by_resource",
        0.35,
        (0.05, "slow_change", "a", 0.05),
        (0.12, "slow_look", "b", 0.30),
        (0.20, "slow_look", "a", 0.05),
        (0.26, "slow_look", "c", 0.20),
    ),
}


def gains(cases: dict[str, Case] = CASES) -> Iterator[Figure]:
    """The gain of each stream, measured beside predicted, as a part of the margin that it may differ by."""
    for case in cases.values():
        case.seconds(early=True)  # warm up
    for name, case in cases.items():
        predicted, measured = case.predicted(), case.measured()
        part = abs(measured - predicted) / (SHARE * predicted + FIXED)
        yield f"early dispatch, {name}: gained {measured / predicted:.2f} of the prediction, off by", part, 1.0, "x"
