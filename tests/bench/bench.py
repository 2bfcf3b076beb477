"""What labkit costs, as ratios measured side by side in one run: ``python lab.py bench``.

The per-call figures are taken pinned to one core, interleaved and warmed up: an empty hand-over between threads costs
about 20 µs on one core, and about 100 µs over two idle ones. Nothing here is an assertion; machines differ.
``agreement`` holds predictions to measurements, ``early`` those of early dispatch; ``linear`` looks at what grows with
the length of a run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labkit import Agent, ScriptedModel, ToolCall, ToolRegistry, ToolRuntime, Trace, tool

Say = Callable[[str], None]
TEXT = '{"path": "calculator.py", "start_line": 4, "end_line": 6}'
BAD = '{"path": "calculator.py", "start_line": "4", "end_line": 6}'
ROUNDS = 15
REPEATS = 1_000


def main(say: Say) -> int:
    """Measure and say one line a figure; the exit code is 0 where all aims are met, else 1."""
    sys.path.insert(0, str(Path(__file__).parent))  # this file is run by its path
    from agreement import agreement
    from early import gains
    from linear import pictures, runs, traces

    missed = 0
    for figures in (per_call, batches, turns, imports, agreement, gains, runs, pictures, traces):
        for what, value, aim, unit in figures():
            verdict = "ok  " if value <= aim else "OVER"
            missed += value > aim
            say(f"{verdict}  {what:<66} {value:7.2f} {unit:<2} (aim {aim:g})")
    return 1 if missed else 0


Figure = tuple[str, float, float, str]


def per_call() -> Iterator[Figure]:
    """One call from raw JSON text to its tool message, against what it stands on."""
    from pydantic import TypeAdapter
    from typing_extensions import TypedDict

    def read(path: str, start_line: int, end_line: int = 9) -> str:
        "Read some lines."
        return path

    limited, free = tool(readonly=True)(read), tool(readonly=True, timeout=None, name="free")(read)
    runtime = ToolRuntime(ToolRegistry([limited, free]))
    plain: TypeAdapter[Any] = TypeAdapter(TypedDict("Plain", {"path": str, "start_line": int, "end_line": int}))
    pool = ThreadPoolExecutor(1)
    call, bad, inline = ToolCall("call_1", "read", TEXT), ToolCall("call_1", "read", BAD), ToolCall("c", "free", TEXT)

    def floor() -> None:
        pool.submit(read, **plain.validate_json(TEXT, strict=True)).result()

    with one_core():
        cost = interleaved(
            {
                "floor": floor,
                "loads": lambda: json.loads(TEXT),
                "limited": lambda: runtime.dispatch(call).to_message(),
                "free": lambda: runtime.dispatch(inline).to_message(),
                "refused": lambda: runtime.dispatch(bad).to_message(),
                "many_limited": lambda: runtime.dispatch_many([call]),
                "one_limited": lambda: runtime.dispatch(call),
                "many": lambda: runtime.dispatch_many([inline]),
                "one": lambda: runtime.dispatch(inline),
            }
        )
    pool.shutdown()
    yield "a call with its 10 s limit / pydantic + pool.submit().result()", cost["limited"] / cost["floor"], 1.0, "x"
    yield "a call without limit / json.loads of its arguments", cost["free"] / cost["loads"], 4.0, "x"
    yield "a refused call / json.loads of its arguments", cost["refused"] / cost["loads"], 15.0, "x"
    yield "dispatch_many of one call / dispatch, with limit", cost["many_limited"] / cost["one_limited"], 1.5, "x"
    yield "dispatch_many of one call / dispatch, without limit", cost["many"] / cost["one"], 1.5, "x"


def batches() -> Iterator[Figure]:
    """Sleeping tools in one batch, against the longest of them."""

    @tool(readonly=True)
    def wait(seconds: float) -> str:
        "Wait."
        time.sleep(seconds)
        return "waited"

    runtime = ToolRuntime(ToolRegistry([wait]))

    def wall(count: int, seconds: float) -> float:
        calls = [ToolCall(f"call_{n}", "wait", {"seconds": seconds}) for n in range(count)]
        began = time.perf_counter()
        runtime.dispatch_many(calls)
        return time.perf_counter() - began

    wall(64, 0.05)
    yield "64 calls of 50 ms, warm / 50 ms", statistics.median(wall(64, 0.05) for _ in range(7)) / 0.05, 1.2, "x"
    yield "5 calls of 2 s / 2 s", wall(5, 2.0) / 2.0, 1.1, "x"


def turns() -> Iterator[Figure]:
    """A run of 200 turns of one call each, with its trace on disk."""

    @tool(readonly=True, timeout=None)
    def look(key: str) -> str:
        "Look."
        return key

    decisions = [{"content": "", "tool_calls": [{"id": "call", "name": "look", "arguments": '{"key": "a"}'}]}] * 200
    script = {"task": "look", "decisions": [*decisions, {"content": "done"}]}
    runtime = ToolRuntime(ToolRegistry([look]))

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            agent = Agent(ScriptedModel(script), runtime, max_turns=300, trace=Trace(Path(folder) / "t.jsonl"))
            began = time.perf_counter()
            agent.run("look")
            return (time.perf_counter() - began) * 1000

    run()
    yield "200 turns with trace", statistics.median(run() for _ in range(9)), 25.0, "ms"


def imports() -> Iterator[Figure]:
    """``import labkit`` against the part of pydantic that it stands on, both timed in one process."""
    script = (
        "import time; a = time.perf_counter(); from pydantic import TypeAdapter, create_model; "
        "b = time.perf_counter(); import labkit; print((time.perf_counter() - a) / (b - a))"
    )
    with tempfile.TemporaryDirectory() as folder:  # both compiled, whatever this machine keeps of that
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": folder}
        command = [sys.executable, "-c", script]
        outputs = [subprocess.run(command, env=env, capture_output=True, text=True, check=True) for _ in range(12)]
    ratios = [float(output.stdout) for output in outputs[1:]]
    yield "import labkit / from pydantic import TypeAdapter, create_model", statistics.median(ratios), 1.25, "x"


def interleaved(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median seconds of one call of each task; the tasks take turns, so that all see the same machine."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for round_number in range(ROUNDS):
        for name, task in tasks.items():
            began = time.perf_counter()
            for _ in range(REPEATS):
                task()
            if round_number:  # the first round warms up
                taken[name].append((time.perf_counter() - began) / REPEATS)
    return {name: statistics.median(times) for name, times in taken.items()}


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, where the platform can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
