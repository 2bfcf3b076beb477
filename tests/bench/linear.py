"""What grows with the length of a run: its own time, and that of reading and drawing its trace; and by which power."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any

from labkit import Agent, ScriptedModel, Timeline, ToolRegistry, ToolRuntime, Trace, plan, tool
from labkit.calls import ToolCall

Figure = tuple[str, float, float, str]
TURNS = (250, 500, 1_000, 2_000)
LINES = (12_500, 25_000, 50_000, 100_000)
RUNS = 5
PER_TURN = 9  # lines of a turn of two calls


@tool(readonly=True, timeout=None, touches=lambda values: [values["key"]])
def look(key: str) -> str:
    "Look."
    return key


@tool(timeout=None, touches=lambda values: [values["key"]])
def change(key: str) -> str:
    "Change."
    return key


REGISTRY = ToolRegistry([look, change])


def runs() -> Iterator[Figure]:
    """A run with its trace on disk, 250 to 2,000 turns of one call: medians, taken in turns of all lengths."""
    taken: dict[int, list[float]] = {turns: [] for turns in TURNS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        for _ in range(RUNS):
            for turns, times in taken.items():
                times.append(seconds(lambda turns=turns: run(path, turns, 1)))  # type: ignore[misc]
    medians = [statistics.median(times) for times in taken.values()]
    yield f"{TURNS[-1]} turns with trace", medians[-1] * 1000, 250.0, "ms"
    yield f"growth of {TURNS[0]} to {TURNS[-1]} turns, exponent", exponent(TURNS, medians), 1.1, ""


def traces() -> Iterator[Figure]:
    """Read a trace of a real run back, make its timeline, draw it."""
    walls, kilobytes = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        for lines in LINES:
            run(path, lines // PER_TURN + 1, 2)
            walls.append(statistics.median(seconds(lambda: show(path)) for _ in range(RUNS)))
        kilobytes = len(show(path)) / 1000
    yield f"a trace of {LINES[-1]} lines, loaded, measured and drawn", walls[-1], 2.0, "s"
    yield f"growth of {LINES[0]} to {LINES[-1]} lines, exponent", exponent(LINES, walls), 1.1, ""
    yield "its picture", kilobytes, 500.0, "kB"


def pictures() -> Iterator[Figure]:
    """A thousand mixed calls, planned and shown."""
    names = ["change" if number % 10 == 0 else "look" for number in range(1_000)]
    calls = [ToolCall(f"call_{n}", name, {"key": f"src/{n % 100}.py"}) for n, name in enumerate(names)]
    found = plan(calls, REGISTRY, "by_resource")
    durations = [0.02 + 0.0001 * (number * 37 % 600) for number in range(1_000)]
    tasks: dict[str, Callable[[], object]] = {
        "planned by resource": lambda: plan(calls, REGISTRY, "by_resource"),
        "predicted": lambda: Timeline.predict(found, durations),
        "drawn": lambda: Timeline.predict(found, durations).to_svg(),
        "as text": lambda: repr(Timeline.predict(found, durations)),
        "as a table": lambda: Timeline.predict(found, durations).table(),
    }
    for what, task in tasks.items():
        yield f"1000 calls {what}", statistics.median(seconds(task) for _ in range(RUNS)) * 1000, 100.0, "ms"


def run(path: Path, turns: int, calls: int) -> None:
    """One run of the agent, its trace in the file."""
    asked = [{"id": f"call_{n}", "name": "look", "arguments": '{"key": "a"}'} for n in range(calls)]
    decisions: list[dict[str, Any]] = [{"content": "", "tool_calls": asked}] * turns
    script = {"task": "look", "decisions": [*decisions, {"content": "done"}]}
    Agent(ScriptedModel(script), ToolRuntime(REGISTRY), max_turns=turns + 1, trace=Trace(path)).run("look")


def show(path: Path) -> str:
    """Load, measure, draw."""
    return Timeline.from_trace(Trace.load(path)).to_svg()


def seconds(task: Callable[[], object]) -> float:
    """The processor time of one go: other programs of this machine do not count."""
    began = time.process_time()
    task()
    return time.process_time() - began


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The power of the size that the times grow with: the slope of the line through their logarithms."""
    slope, _ = statistics.linear_regression([log(size) for size in sizes], [log(time) for time in times])
    return slope
