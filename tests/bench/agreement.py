"""How well predicted timelines agree with what really happens: random batches of sleeping tools."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from labkit import POLICIES, Plan, Timeline, ToolCall, ToolRegistry, ToolResult, ToolRuntime, plan, tool

Figure = tuple[str, float, float, str]
PLANS = 200
SHARE, FIXED = 0.15, 0.010  # what a wall may differ by: a part of the prediction, and seconds


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


REGISTRY = ToolRegistry([slow_look, slow_change])


@dataclass(frozen=True)
class Case:
    """A random batch. A value."""

    policy: str
    max_parallel: int
    calls: list[ToolCall]

    @classmethod
    def drawn(cls, dice: random.Random) -> Case:
        """Up to twelve calls, a third of them writes, on three keys, of 5 to 50 ms; often too few workers."""
        calls = []
        for number in range(dice.randint(2, 12)):
            values = {"key": dice.choice(["a", "b", "c/d"]), "seconds": dice.randint(5, 50) / 1000}
            calls.append(ToolCall(f"call_{number}", dice.choice(["slow_look", "slow_look", "slow_change"]), values))
        return cls(dice.choice(list(POLICIES)), dice.choice([1, 2, 3, 64]), calls)

    def planned(self) -> Plan:
        """Who waits for whom."""
        return plan(self.calls, REGISTRY, self.policy)

    def predicted(self) -> float:
        """Seconds of the whole batch, as the plan has it."""
        durations = [call.arguments["seconds"] for call in self.calls]  # type: ignore[index,call-overload]
        return Timeline.predict(self.planned(), durations, self.max_parallel).wall

    def run(self) -> tuple[float, list[ToolResult]]:
        """Seconds that the caller waits, and the results."""
        runtime = ToolRuntime(REGISTRY, policy=self.policy, max_parallel=self.max_parallel)
        began = time.perf_counter()
        results = runtime.dispatch_many(self.calls)
        return time.perf_counter() - began, results


def agreement() -> Iterator[Figure]:
    """Run random batches and compare each with its plan and its prediction."""
    dice = random.Random(4)
    Case("serial", 64, [ToolCall("c", "slow_look", {"key": "a", "seconds": 0.001})] * 64).run()  # warm up
    kept, parts = 0, []
    for _ in range(PLANS):
        case = Case.drawn(dice)
        wall, results = case.run()
        kept += in_order(case.planned(), results)
        parts.append(abs(wall - case.predicted()) / (SHARE * case.predicted() + FIXED))
    near = sum(part <= 1 for part in parts)
    yield f"plans that the start order broke ({kept} of {PLANS} kept)", PLANS - kept, 0, ""
    yield f"walls beyond 15 % + 10 ms of the prediction ({near} of {PLANS} within)", PLANS - near, 0, ""
    yield "the worst of them, as a part of that margin", max(parts), 1.0, "x"
    yield "the middle one", statistics.median(parts), 1.0, "x"


def in_order(made: Plan, results: list[ToolResult]) -> bool:
    """Whether every call was started after all that it waits for had ended, and none was left out."""
    moments = [(result.started, result.finished) for result in results]
    if any(start is None or end is None for start, end in moments):
        return False
    return all(moments[i][0] >= moments[j][1] for i, others in enumerate(made.waits_for) for j in others)  # type: ignore[operator]
