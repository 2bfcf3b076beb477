"""Failures that people have reported of concurrency: each case by its id, with tools of our own, and its siblings.

Where our design decides otherwise than was hoped for, the test says so. What needs a notebook cell is tried with a
kernel, in ``tests/notebooks/test_reported_k10.py``.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tools_for_tests import LONG, Counter, calls, codes, quick, runtime_of, until

import labkit
from labkit import POLICIES, Agent, Run, ScriptedModel, Tool, ToolCall, ToolResult, ToolRuntime, tool
from labkit.history import broken

HERE = Path(__file__).parent
REPORTED = Path(labkit.__file__).resolve().parents[2] / "shared" / "cases" / "reported.jsonl"


def agent_of(runtime: ToolRuntime, asked: list[tuple[str, Any]], task: str = "try") -> Agent:
    """Return an agent whose scripted model asks for these calls, then answers."""
    made = [{"id": f"call_{n}", "name": name, "arguments": values} for n, (name, values) in enumerate(asked, 1)]
    decisions = [{"content": "", "tool_calls": made}, {"content": "done"}]
    return Agent(ScriptedModel({"task": task, "decisions": decisions}), runtime)


def answers(run: Run) -> list[str]:
    """Return the tool messages of a run, without their hints."""
    return [message["content"].partition("\n")[0] for message in run.messages if message["role"] == "tool"]


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets go of every hung tool when the test is over."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.skipif(not REPORTED.exists(), reason="the reported cases lie beside the checkout, and are not here")
@pytest.mark.parametrize("kind", ["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10"])
def test_every_reported_case_has_a_test(kind: str) -> None:
    """A case is found by its id in the names of the tests: ``test_k6_01_…``, or ``test_k1_06_08_…`` for two of them."""
    cases = [json.loads(line)["id"] for line in REPORTED.read_text(encoding="utf-8").splitlines()]
    wanted = {case.partition("-")[2] for case in cases if case.startswith(f"{kind}-")}
    tested = set()
    for path in [*HERE.rglob("test_reported_*.py"), HERE / "test_keys.py"]:
        for numbers in re.findall(rf"^def test_{kind.lower()}_((?:\d\d_)+)", path.read_text(encoding="utf-8"), re.M):
            tested |= set(numbers.split("_"))
    assert wanted and wanted <= tested, sorted(wanted - tested)


# --- K6-01: one of several tools raises -----------------------------------------------------------------------------


async def slow_ok(n: int) -> str:
    """Answer after a moment."""
    await asyncio.sleep(0.05)
    return f"ok{n}"


async def slow_failure(n: int) -> str:
    """Fail after a moment."""
    await asyncio.sleep(0.01)
    raise ConnectionError("down")


ok = Tool.from_function(slow_ok, name="ok", readonly=True)
bad = Tool.from_function(slow_failure, name="bad", readonly=True)


@tool(readonly=True)
async def cancelled(n: int) -> str:
    """Cancel itself."""
    raise asyncio.CancelledError


def raising(problem: BaseException, **options: Any) -> Tool:
    """Return a sync tool that raises this."""

    def fail() -> Any:
        raise problem

    return quick("fail", fail, **options)


@pytest.mark.parametrize("policy", POLICIES)
def test_k6_01_a_failure_costs_no_sibling_its_result(policy: str) -> None:
    asked: list[tuple[str, Any]] = [("ok", {"n": 1}), ("bad", {"n": 2}), ("cancelled", {"n": 3}), ("ok", {"n": 4})]
    run = agent_of(runtime_of(ok, bad, cancelled, policy=policy), asked).run("try")
    assert answers(run) == [
        "ok1",
        "ERROR [execution_error]: the tool raised ConnectionError: down",
        "ERROR [execution_error]: the tool was cancelled from within",
        "ok4",
    ]
    assert (run.stop_reason, broken(run.messages)) == ("final_answer", [])


@pytest.mark.parametrize(
    "problem",
    [
        asyncio.CancelledError(),
        concurrent.futures.CancelledError(),
        concurrent.futures.TimeoutError("slow"),
        SystemExit(1),
        GeneratorExit(),
        KeyboardInterrupt(),
        StopIteration(3),
        StopAsyncIteration(),
        BaseExceptionGroup("several", [KeyboardInterrupt(), ValueError("no")]),
    ],
    ids=lambda problem: type(problem).__name__,
)
@pytest.mark.parametrize("place", ["thread", "inline", "loop", "executor"])
def test_k6_01_whatever_a_tool_raises_in_whatever_place_it_fails_alone(problem: BaseException, place: str) -> None:
    async def fail() -> Any:
        raise problem

    options = {"timeout": None} if place == "inline" else {}
    failing = Tool.from_function(fail, description="Fail.") if place == "loop" else raising(problem, **options)
    with ThreadPoolExecutor(2) as pool:
        runtime = runtime_of(failing, quick(), ok, executor=pool if place == "executor" else None)
        alone = runtime.dispatch(ToolCall("call_1", "fail", ""))
        among = runtime.dispatch_many(calls(("quick", ""), ("fail", ""), ("ok", {"n": 1})))
    assert codes([alone]) == ["execution_error"]
    assert codes(among) == [None, "execution_error", None]


def test_k6_01_a_real_cancellation_of_who_waits_comes_through(release: threading.Event) -> None:
    """The run is a thread there; whoever awaits it can be cancelled, and the runtime goes on to serve others."""
    began = threading.Event()

    def body() -> str:
        began.set()
        release.wait(LONG)
        return "late"

    runtime = runtime_of(quick("hang", body), quick())

    async def main() -> str:
        work = asyncio.create_task(asyncio.to_thread(runtime.dispatch_many, calls(("hang", ""), ("quick", ""))))
        await asyncio.to_thread(began.wait, LONG)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        release.set()
        return runtime.dispatch(ToolCall("call_1", "quick", "")).content

    assert asyncio.run(main()) == "quick"


# --- K6-03: context variables ---------------------------------------------------------------------------------------

rid: contextvars.ContextVar[str] = contextvars.ContextVar("rid", default="none")


def who_tools(**options: Any) -> list[Tool]:
    """Return a sync and an async tool that read the variable, then set it."""

    def who(mine: str = "") -> str:
        seen = rid.get()
        rid.set(f"set by {mine or 'who'}")
        return seen

    async def awho(mine: str = "") -> str:
        seen = rid.get()
        rid.set(f"set by {mine or 'awho'}")
        await asyncio.sleep(0)
        return seen

    return [Tool.from_function(fn, description="Say who asks.", **options) for fn in (who, awho)]


@pytest.mark.parametrize("options", [{"readonly": True}, {}, {"timeout": None}], ids=["parallel", "serial", "no limit"])
@pytest.mark.parametrize("names", [("who", "awho", "who", "awho"), ("who",), ("awho",)])
def test_k6_03_context_reaches_every_tool_as_its_own_copy(options: dict[str, Any], names: tuple[str, ...]) -> None:
    def asking() -> tuple[list[str], str]:
        rid.set("R7")
        run = agent_of(runtime_of(*who_tools(**options)), [(name, {}) for name in names]).run("try")
        return answers(run), rid.get()

    assert contextvars.copy_context().run(asking) == (["R7"] * len(names), "R7")


def test_k6_03_under_a_running_loop_too() -> None:
    runtime = runtime_of(*who_tools(readonly=True))

    async def main() -> list[str]:
        rid.set("R8")
        here = answers(agent_of(runtime, [("who", {}), ("awho", {})]).run("try"))
        there = await asyncio.to_thread(agent_of(runtime, [("who", {}), ("awho", {})]).run, "try")
        return [*here, *answers(there), rid.get()]

    assert asyncio.run(main()) == ["R8"] * 5


def test_k6_03_a_nested_run_carries_it_on() -> None:
    inner = runtime_of(*who_tools(readonly=True))

    @tool(readonly=True)
    def ask_on() -> str:
        """Ask the others."""
        return " ".join(answers(agent_of(inner, [("who", {}), ("awho", {})]).run("try")))

    def asking() -> list[str]:
        rid.set("R9")
        return answers(agent_of(runtime_of(ask_on), [("ask_on", {})] * 2).run("try"))

    assert contextvars.copy_context().run(asking) == ["R9 R9"] * 2


def test_k6_03_two_callers_at_once_do_not_see_each_other() -> None:
    runtime = runtime_of(*who_tools(readonly=True))
    meet = threading.Barrier(2)

    def asking(name: str) -> list[str]:
        rid.set(name)
        meet.wait(LONG)
        return [result.content for _ in range(20) for result in runtime.dispatch_many(calls(("who", ""), ("awho", "")))]

    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(asking, ["R1", "R2"]))
    assert seen == [["R1"] * 40, ["R2"] * 40]


def test_k6_03_in_an_executor_it_does_not_travel_and_nothing_stays_behind() -> None:
    """By design: an executor is somebody else's, so a call there begins with an empty context and leaves none."""
    who, _ = who_tools(readonly=True)

    def asking() -> list[str]:
        rid.set("R7")
        with ThreadPoolExecutor(1) as pool:
            return [r.content for r in runtime_of(who, executor=pool).dispatch_many(calls(("who", ""), ("who", "")))]

    assert contextvars.copy_context().run(asking) == ["none", "none"]


# --- K6-04: sync tools that block -----------------------------------------------------------------------------------


def blocks(meter: Counter, **options: Any) -> Tool:
    """Return the tool that blocks its thread for some seconds."""

    def block(s: float) -> str:
        with meter:
            time.sleep(s)
        return "done"

    return Tool.from_function(block, description="Block.", **options)


def test_k6_04_blocking_calls_overlap_or_stand_in_line() -> None:
    for parallel, peak in [(True, 3), (False, 1)]:
        meter = Counter()
        runtime = runtime_of(blocks(meter, readonly=True, parallel_safe=parallel))
        results = runtime.dispatch_many(calls(*[("block", {"s": 0.15})] * 3))
        assert ([r.content for r in results], meter.peak) == (["done"] * 3, peak)
        if not parallel:
            times = [moment for result in results for moment in (result.started, result.finished)]
            assert times == sorted(times), "in order, and none begins before the one before it has ended"


@pytest.mark.parametrize("parallel", [True, False])
def test_k6_04_the_callers_loop_beats_on_while_tools_block(parallel: bool) -> None:
    """``dispatch_many`` is an ordinary call, so a coroutine that wants to go on meanwhile awaits it in a thread."""
    beaten = threading.Event()

    @tool(readonly=True, parallel_safe=parallel, timeout=LONG)
    def block() -> str:
        """Block until the loop has beaten."""
        return "done" if beaten.wait(LONG) else "the loop was frozen"

    async def heart() -> None:
        for _ in range(3):
            await asyncio.sleep(0.02)
        beaten.set()

    async def main() -> list[str]:
        work = asyncio.to_thread(runtime_of(block).dispatch_many, calls(*[("block", "")] * 3))
        results, _ = await asyncio.gather(work, heart())
        return [result.content for result in results]

    assert asyncio.run(main()) == ["done"] * 3


def test_k6_04_the_loop_of_async_tools_beats_on_too() -> None:
    beaten = threading.Event()

    @tool(readonly=True, timeout=LONG)
    def block() -> str:
        """Block until the async tool has beaten."""
        return "done" if beaten.wait(LONG) else "the loop was frozen"

    @tool(readonly=True)
    async def beat() -> str:
        """Beat three times."""
        for _ in range(3):
            await asyncio.sleep(0.02)
        beaten.set()
        return "beaten"

    results = runtime_of(block, beat).dispatch_many(calls(("block", ""), ("beat", ""), ("block", "")))
    assert [result.content for result in results] == ["done", "beaten", "done"]


# --- K6-05: a tool that hangs ---------------------------------------------------------------------------------------

HANG = """
    import asyncio, time
    from labkit import *

    def hang() -> str:
        "Hang."
        time.sleep(30)

    async def ahang() -> str:
        "Hang, and refuse to be cancelled."
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            time.sleep(30)

    calls = [{"id": name, "name": name, "arguments": {}} for name in ("hang", "ahang", "hang")]
    model = ScriptedModel({"task": "try", "decisions": [{"tool_calls": calls}, {"content": "done"}]})
    for readonly in (True, False):
        tools = [Tool.from_function(fn, timeout=0.5, readonly=readonly) for fn in (hang, ahang)]
        began = time.monotonic()
        run = Agent(model, ToolRuntime(ToolRegistry(tools))).run("try")
        print(run.stop_reason, [str(result.error.code) for result in run.turns[0].results])
        print(time.monotonic() - began < 5)
"""


def script(source: str, limit: float = LONG) -> str:
    """Run a program to its end; return what it printed."""
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
        cwd=HERE.parent,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_k6_05_a_hung_tool_is_answered_and_holds_neither_the_run_nor_the_exit() -> None:
    began = time.monotonic()
    printed = script(HANG)
    assert printed.splitlines() == [
        "final_answer ['timeout', 'timeout', 'timeout']",
        "True",
        "final_answer ['timeout', 'cancelled', 'cancelled']",
        "True",
    ]
    assert time.monotonic() - began < 15


def test_k6_05_the_answer_says_that_the_work_may_still_go_on(release: threading.Event) -> None:
    runtime = runtime_of(quick("hang", lambda: release.wait(LONG), timeout=0.1))
    result = runtime.dispatch(ToolCall("call_1", "hang", ""))
    assert (codes([result]), result.abandoned) == (["timeout"], True)
    assert result.content.startswith("ERROR [timeout]: no result within 0.1 s; the tool may still be at work\n")


def test_k6_05_the_answer_of_what_was_ended_does_not_say_so() -> None:
    @tool(readonly=True, timeout=0.1)
    async def hang() -> str:
        """Hang."""
        await asyncio.sleep(LONG)
        return "late"

    @tool(readonly=True, timeout=0.5, run_in="process")
    def phang() -> str:
        """Hang."""
        time.sleep(30)
        return "late"

    for each in (hang, phang):
        result = runtime_of(each).dispatch(ToolCall("call_1", each.name, ""))
        assert (codes([result]), result.abandoned) == (["timeout"], False)
        assert "still" not in result.content


def test_k6_05_six_hung_tools_take_no_place_from_the_next_turn(release: threading.Event) -> None:
    hang = quick("hang", lambda: release.wait(LONG), timeout=0.1)
    runtime = runtime_of(hang, quick(), max_parallel=2)
    assert codes(runtime.dispatch_many(calls(*[("hang", "")] * 6))) == ["timeout"] * 6
    assert codes(runtime.dispatch_many(calls(*[("quick", "")] * 4))) == [None] * 4


# --- K6-07: what was given up still runs ----------------------------------------------------------------------------


class Writes:
    """A tool ``w`` that logs its beginning and its end, and hangs where it is told to."""

    def __init__(self, release: threading.Event, **options: Any) -> None:
        self.log: list[str] = []

        def w(tag: str, hangs: bool = False) -> str:
            self.log.append(f"{tag}+")
            if hangs:
                release.wait(LONG)
            self.log.append(f"{tag}-")
            return tag

        self.tool = Tool.from_function(w, description="Write.", **({"timeout": 0.2} | options))


def served(runtime: ToolRuntime, call: ToolCall) -> ToolResult:
    """Ask again and again until the call is run; one that is refused leaves nothing behind."""
    results = [runtime.dispatch(call)]

    def ran() -> bool:
        if not results[-1].ok:
            results.append(runtime.dispatch(call))
        return results[-1].ok

    assert until(ran), results[-1].content
    return results[-1]


A, B = ("w", {"tag": "A", "hangs": True}), ("w", {"tag": "B"})


@pytest.mark.parametrize("options", [{}, {"readonly": True, "parallel_safe": False}], ids=["unsafe", "read, not safe"])
@pytest.mark.parametrize("policy", POLICIES)
def test_k6_07_what_was_given_up_is_never_overtaken(
    release: threading.Event, policy: str, options: dict[str, Any]
) -> None:
    """Neither in its own batch nor in a later one, alone or beside others."""
    writes = Writes(release, **options)
    runtime = runtime_of(writes.tool, policy=policy)
    results = [result for batch in ((A, B), (B,), (B, B)) for result in runtime.dispatch_many(calls(*batch))]
    assert codes(results) == ["timeout"] + ["cancelled"] * 4
    for result in results[1:]:
        assert result.content.startswith("ERROR [cancelled]: not run: a call before it is still running")
        assert result.started is None
    assert writes.log == ["A+"]
    release.set()
    assert served(runtime, calls(B)[0]).content == "B"
    assert writes.log == ["A+", "A-", "B+", "B-"]


def test_k6_07_a_coroutine_that_will_not_be_cancelled_holds_too(release: threading.Event) -> None:
    log: list[str] = []

    @tool(timeout=0.1)
    async def w(tag: str, hangs: bool = False) -> str:
        """Write, and finish what was begun."""
        log.append(f"{tag}+")
        while hangs and not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        log.append(f"{tag}-")
        return tag

    runtime = runtime_of(w)
    assert codes(runtime.dispatch_many(calls(A, B))) == ["timeout", "cancelled"]
    release.set()
    assert served(runtime, calls(B)[0]).content == "B"
    assert log == ["A+", "A-", "B+", "B-"]


def test_k6_07_in_an_executor_what_is_given_up_holds_too(release: threading.Event) -> None:
    """``Future.cancel`` of a call at work is False and proves nothing: the call counts as running until it ends."""
    writes = Writes(release)
    with ThreadPoolExecutor(2) as pool:
        runtime = runtime_of(writes.tool, executor=pool)
        assert codes(runtime.dispatch_many(calls(A, B))) == ["timeout", "cancelled"]
        release.set()
        assert served(runtime, calls(B)[0]).content == "B"
    assert writes.log == ["A+", "A-", "B+", "B-"]


def test_k6_07_a_process_that_was_killed_holds_nobody(tmp_path: Path) -> None:
    @tool(timeout=1.5, run_in="process")
    def w(folder: str, tag: str, hangs: bool = False) -> str:
        """Write to a file."""
        import pathlib
        import time

        with pathlib.Path(folder, "log").open("a") as file:
            file.write(f"{tag}+")
            file.flush()
            if hangs:
                time.sleep(30)
            file.write(f"{tag}-")
        return tag

    asked = calls(*[(name, {"folder": str(tmp_path), **values}) for name, values in (A, B)])
    assert codes(runtime_of(w).dispatch_many(asked)) == ["timeout", None]
    assert (tmp_path / "log").read_text() == "A+B+B-"


# --- K6-08 and K6-10: a run from anywhere, also from within a run ---------------------------------------------------

RUN = """
    import asyncio, sys
    from labkit import *

    @tool(readonly=True)
    def hi() -> str:
        "Say hi."
        return "hi"

    @tool(readonly=True)
    async def ahi() -> str:
        "Say hi on the loop."
        await asyncio.sleep(0)
        return "ahi"

    def run_sync():
        calls = [{"id": name, "name": name, "arguments": {}} for name in ("hi", "ahi")]
        model = ScriptedModel({"task": "hi", "decisions": [{"tool_calls": calls}, {"content": "done"}]})
        run = Agent(model, ToolRuntime(ToolRegistry([hi, ahi]))).run("hi")
        return [m["content"] for m in run.messages[2:]]

    @tool(readonly=True)
    def nested() -> str:
        "Run an agent."
        return " ".join(run_sync())

    @tool(readonly=True)
    async def anested() -> str:
        "Run an agent, on the loop."
        return " ".join(run_sync())

    async def inside():
        return run_sync()

    def within(name):
        runtime = ToolRuntime(ToolRegistry([nested, anested]))
        return [r.content for r in runtime.dispatch_many([ToolCall("1", name, {}), ToolCall("2", name, {})])]
"""
SAID = "['hi', 'ahi', 'done']"


def test_k6_08_a_run_is_an_ordinary_call_in_a_script_a_coroutine_and_a_tool() -> None:
    """In a notebook cell too: see ``test_k6_08_a_run_is_an_ordinary_call_in_a_cell`` beside the kernels."""
    printed = script(
        RUN
        + """
    print(run_sync())
    print(asyncio.run(inside()))
    print(within("nested"))
    print(within("anested"))
    print([name for name in sys.modules if "nest_asyncio" in name])
    """
    )
    both = "['hi ahi done', 'hi ahi done']"
    assert printed.splitlines() == [SAID, SAID, both, both, "[]"]


def tree(make: Callable[[Callable[[int], str]], Tool], **options: Any) -> ToolRuntime:
    """Return a runtime whose tool ``sub`` runs an agent that calls ``sub`` twice, one level less deep."""

    def grow(depth: int) -> str:
        if depth == 0:
            return "leaf"
        run = agent_of(runtime, [("sub", {"depth": depth - 1})] * 2).run("try")
        return "".join(answers(run))

    runtime = runtime_of(make(grow), **options)
    return runtime


def sync_sub(grow: Callable[[int], str]) -> Tool:
    def sub(depth: int) -> str:
        return grow(depth)

    return Tool.from_function(sub, description="Grow.", readonly=True)


def async_sub(grow: Callable[[int], str]) -> Tool:
    async def sub(depth: int) -> str:
        return grow(depth)

    return Tool.from_function(sub, description="Grow.", readonly=True)


def unsafe_sub(grow: Callable[[int], str]) -> Tool:
    def sub(depth: int) -> str:
        return grow(depth)

    return Tool.from_function(sub, description="Grow.", timeout=None)


@pytest.mark.parametrize("make", [sync_sub, async_sub, unsafe_sub])
@pytest.mark.parametrize("max_parallel", [64, 1])
def test_k6_10_agents_in_tools_of_agents_come_to_an_end(make: Any, max_parallel: int) -> None:
    began = time.monotonic()
    run = agent_of(tree(make, max_parallel=max_parallel), [("sub", {"depth": 3})] * 2).run("try")
    assert answers(run) == ["leaf" * 8] * 2
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("size", [1, 2])
def test_k6_10_in_an_executor_that_is_full_too(size: int) -> None:
    """A nested call gets a thread of its own: a place in the executor might be the very one that waits for it."""
    with ThreadPoolExecutor(size) as pool:
        run = agent_of(tree(sync_sub, executor=pool), [("sub", {"depth": 3})] * 2).run("try")
    assert answers(run) == ["leaf" * 8] * 2


def test_k6_10_another_executor_is_used_by_a_nested_run_as_it_was_asked_for() -> None:
    with ThreadPoolExecutor(1) as outer, ThreadPoolExecutor(1, thread_name_prefix="inner") as inner:
        below = runtime_of(quick("where", lambda: threading.current_thread().name), executor=inner)
        nested = quick("nested", lambda: below.dispatch(ToolCall("call_1", "where", "")).content)
        result = runtime_of(nested, executor=outer).dispatch(ToolCall("call_1", "nested", ""))
    assert result.content.startswith("inner")


# --- K6-11: an interrupt in the middle of a turn --------------------------------------------------------------------


def three(middle: Callable[[], Any], ran: list[str], **options: Any) -> list[Tool]:
    """Return three tools, the middle one of which does something special."""

    def body(name: str) -> Callable[[], Any]:
        def act() -> Any:
            ran.append(name)
            return middle() if name == "intr" else {"first": "1", "third": "3"}[name]

        return act

    return [quick(name, body(name), **options) for name in ("first", "intr", "third")]


FIRST, INTR, THIRD = ("first", {}), ("intr", {}), ("third", {})


@pytest.mark.parametrize("options", [{"readonly": True}, {"readonly": False}, {"readonly": False, "timeout": None}])
def test_k6_11_an_interrupt_that_a_tool_makes_up_is_a_failure_of_that_tool(options: dict[str, Any]) -> None:
    """The report would pass it on. Ours does not: nobody pressed anything, and no tool may end the run of others."""

    def made_up() -> None:
        raise KeyboardInterrupt

    run = agent_of(runtime_of(*three(made_up, [], **options)), [FIRST, INTR, THIRD]).run("try")
    assert answers(run) == ["1", "ERROR [execution_error]: the tool raised KeyboardInterrupt", "3"]
    assert run.stop_reason == "final_answer"


def interrupt() -> None:
    """Press Ctrl-C, as far as a test can: the signal goes to the main thread, whoever sends it."""
    signal.raise_signal(signal.SIGINT) if os.name == "nt" else os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("options", [{}, {"timeout": None}])
def test_k6_11_a_real_one_reaches_the_caller_and_the_history_is_whole(
    release: threading.Event, options: dict[str, Any]
) -> None:
    ran: list[str] = []

    def pressed() -> str:
        interrupt()
        release.wait(LONG)
        return "late"

    runtime = runtime_of(*three(pressed, ran, readonly=False, **options))
    agent = agent_of(runtime, [FIRST, INTR, THIRD])
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("try")
    run: Run = caught.value.run  # type: ignore[attr-defined]
    assert (run.stop_reason, broken(run.messages), ran) == ("interrupted", [], ["first", "intr"])
    assert answers(run) == [
        "1",
        "ERROR [cancelled]: the run was interrupted while the tool was at work; the tool may still be at work",
        "ERROR [cancelled]: not run: the run was interrupted",
    ]
    assert [result.abandoned for result in run.turns[0].results] == [False, True, False]
    release.set()
    assert served(runtime, ToolCall("call_1", "third", "")).content == "3"
    again = agent_of(runtime, [THIRD], "and now?").run("and now?", history=run.messages)
    assert (again.stop_reason, broken(again.messages)) == ("final_answer", [])
    assert answers(again)[-1] == "3"


def test_k6_11_alone_in_the_callers_own_thread_too() -> None:
    def pressed() -> str:
        interrupt()
        threading.Event().wait(LONG)
        return "late"

    agent = agent_of(runtime_of(quick("intr", pressed, timeout=None)), [INTR])
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("try")
    run: Run = caught.value.run  # type: ignore[attr-defined]
    assert answers(run) == ["ERROR [cancelled]: the run was interrupted while the tool was at work"]


def test_k6_11_while_the_model_is_waited_for_nothing_half_is_kept() -> None:
    class Slow:
        def reply(self, messages: Any, tools: Any) -> Any:
            interrupt()
            threading.Event().wait(LONG)

    with pytest.raises(KeyboardInterrupt) as caught:
        Agent(Slow(), runtime_of(quick())).run("try")
    run: Run = caught.value.run  # type: ignore[attr-defined]
    assert (run.messages, run.stop_reason) == ([{"role": "user", "content": "try"}], "interrupted")
    assert [line.get("event") for line in run.trace][-1] == "session_end"
    again = agent_of(runtime_of(quick()), [("quick", {})], "again").run("again", history=run.messages)
    assert again.stop_reason == "final_answer"
