"""Where calls run: what stopping does to a thread, a coroutine and a process."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from tools_for_tests import LONG, calls, codes, gone, quick, runtime_of, until

from labkit import Tool, ToolCall, tool
from labkit.toolsets import workspace_tools
from labkit.workers import job_for, on_stop
from labkit.workers.child import blot

# --- the event loop ---------------------------------------------------------------------------------------------


def test_an_async_tool_is_cancelled_at_its_limit() -> None:
    ended = threading.Event()
    how: list[str] = []

    @tool(readonly=True, timeout=0.05)
    async def hang() -> str:
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            how.append("cancelled")
            raise
        finally:
            ended.set()
        return "late"

    result = runtime_of(hang).dispatch(ToolCall("1", "hang", ""))
    assert codes([result]) == ["timeout"]
    assert ended.wait(LONG)
    assert (how, result.abandoned) == (["cancelled"], False)


def test_a_cancelled_unsafe_coroutine_holds_nobody() -> None:
    @tool(timeout=0.05)
    async def hang() -> str:
        await asyncio.sleep(LONG)
        return "late"

    runtime = runtime_of(hang, quick())
    assert codes(runtime.dispatch_many(calls(("hang", ""), ("quick", "")))) == ["timeout", None]
    assert codes(runtime.dispatch_many(calls(("quick", ""), ("quick", "")))) == [None, None]


def test_async_tools_overlap_on_one_loop() -> None:
    ready = 0
    everyone: list[asyncio.Event] = []

    @tool(readonly=True)
    async def meet() -> str:
        nonlocal ready
        if not everyone:
            everyone.append(asyncio.Event())
        ready += 1
        if ready == 3:
            everyone[0].set()
        await everyone[0].wait()
        return "met"

    results = runtime_of(meet).dispatch_many(calls(("meet", ""), ("meet", ""), ("meet", "")))
    assert [r.content for r in results] == ["met"] * 3


def test_a_coroutine_that_blocks_its_loop_costs_that_loop_only() -> None:
    release = threading.Event()

    @tool(readonly=True, timeout=0.05)
    async def block() -> str:
        release.wait(LONG)
        return "late"

    @tool(readonly=True, timeout=LONG)
    async def wait() -> str:
        await asyncio.sleep(0.1)
        return "waited"

    runtime = runtime_of(block, wait, quick())
    results = runtime.dispatch_many(calls(("block", ""), ("wait", ""), ("quick", "")))
    assert codes(results) == ["timeout", "timeout", None]
    assert "the event loop that it shared was blocked" in results[1].content
    assert codes(runtime.dispatch_many(calls(("wait", ""), ("quick", "")))) == [None, None]
    release.set()


def test_a_coroutine_that_cancels_itself_has_failed_alone() -> None:
    @tool(readonly=True)
    async def give_up() -> str:
        raise asyncio.CancelledError

    @tool(readonly=True)
    async def leave() -> str:
        raise SystemExit(1)

    @tool(readonly=True)
    async def go_on() -> str:
        await asyncio.sleep(0)
        return "went on"

    results = runtime_of(give_up, leave, go_on).dispatch_many(calls(("give_up", ""), ("leave", ""), ("go_on", "")))
    assert codes(results) == ["execution_error", "execution_error", None]


def test_calls_work_under_a_running_event_loop() -> None:
    @tool(readonly=True)
    async def hop() -> str:
        await asyncio.sleep(0)
        return "hop"

    runtime = runtime_of(hop, quick())

    async def main() -> list[str]:
        return [r.content for r in runtime.dispatch_many(calls(("hop", ""), ("quick", "")))]

    assert asyncio.run(main()) == ["hop", "quick"]


# --- threads that wait for something that can be ended ---


def test_a_tool_in_a_thread_can_end_what_it_waits_for() -> None:
    told = threading.Event()

    @tool(timeout=0.05)
    def wait() -> str:
        on_stop(told.set)
        return "ended" if told.wait(LONG) else "late"

    runtime = runtime_of(wait)
    assert codes([runtime.dispatch(ToolCall("1", "wait", ""))]) == ["timeout"]
    assert told.is_set()
    on_stop(lambda: pytest.fail("no call runs here"))


def test_stopping_run_test_ends_its_process(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text(
        "import os, time, pathlib\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(60)\n"
    )
    run_test = next(t for t in workspace_tools(tmp_path) if t.name == "run_test")
    runtime = runtime_of(dataclasses.replace(run_test, timeout=2.0))
    assert codes([runtime.dispatch(ToolCall("1", "run_test", ""))]) == ["timeout"]
    assert until(lambda: gone(int((tmp_path / "pid").read_text())))


# --- processes --------------------------------------------------------------------------------------------------


def process_tools(folder: Path) -> dict[str, Any]:
    """Return functions by value, as those of a notebook are: their module can't be imported in the child."""
    space: dict[str, Any] = {"__name__": "__main__"}
    source = """
        import os, subprocess, sys, time

        def where(folder: str) -> int:
            "Say which process this is."
            print("not part of the answer")
            return os.getpid()

        def hang(folder: str) -> str:
            "Start a child, then hang."
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            with open(os.path.join(folder, "pids"), "w") as file:
                file.write(f"{os.getpid()} {child.pid}")
            time.sleep(60)
            return "late"

        def leave(folder: str) -> str:
            "End the whole process."
            os._exit(7)

        def fail(folder: str) -> str:
            "Fail."
            raise ValueError("bad folder")

        def odd(folder: str) -> object:
            "Return what can't be sent."
            import threading
            return threading.Lock()
    """
    exec(textwrap.dedent(source), space)
    return {name: space[name] for name in ("where", "hang", "leave", "fail", "odd")}


def test_a_process_tool_runs_elsewhere_and_its_prints_do_not_mix_in(tmp_path: Path) -> None:
    where = tool(readonly=True, run_in="process")(process_tools(tmp_path)["where"])
    result = runtime_of(where).dispatch(ToolCall("1", "where", {"folder": str(tmp_path)}))
    assert result.ok, result.content
    assert result.data != os.getpid()


@pytest.mark.parametrize("beside", [(), (("quick", ""),)])
def test_a_process_tool_and_its_own_child_are_gone_after_the_limit(tmp_path: Path, beside: Any) -> None:
    hang = tool(run_in="process", timeout=2.0, readonly=True)(process_tools(tmp_path)["hang"])
    runtime = runtime_of(hang, quick())
    results = runtime.dispatch_many(calls(("hang", {"folder": str(tmp_path)}), *beside))
    assert codes(results) == ["timeout"] + [None] * len(beside)
    assert results[0].abandoned is False
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert all(until(lambda pid=pid: gone(pid)) for pid in pids)


def test_how_a_process_tool_fails_is_told(tmp_path: Path) -> None:
    functions = process_tools(tmp_path)
    tools = [tool(readonly=True, run_in="process")(functions[name]) for name in ("leave", "fail", "odd")]
    results = runtime_of(*tools).dispatch_many(calls(*[(t.name, {"folder": ""}) for t in tools]))
    assert [r.content.removeprefix("ERROR [execution_error]: the tool raised ") for r in results] == [
        "ChildProcessError: the process ended with exit code 7",
        "ValueError: bad folder",
        "TypeError: a lock can't be sent back from a process",
    ]


def test_a_captured_lock_is_named() -> None:
    guard = threading.Lock()

    @tool(run_in="process")
    def count() -> str:
        with guard:
            return "one"

    result = runtime_of(count).dispatch(ToolCall("1", "count", ""))
    assert codes([result]) == ["execution_error"]
    assert "the captured guard (a lock) can't be copied into another process" in result.content
    assert result.started is None and result.finished is None, "the tool was not touched"


def test_an_async_process_tool_is_refused_when_it_is_declared() -> None:
    async def both() -> str:
        return ""

    with pytest.raises(ValueError, match="event loop"):
        tool(run_in="process")(both)


# --- the end of a program ---------------------------------------------------------------------------------------


def test_hung_tools_do_not_hold_the_programs_exit() -> None:
    script = """
        import asyncio, sys, time
        from labkit import ToolCall, ToolRegistry, ToolRuntime, tool

        @tool(readonly=True, timeout=0.3)
        def hang() -> str:
            time.sleep(30)

        @tool(readonly=True, timeout=0.3)
        async def block() -> str:
            time.sleep(30)

        @tool(readonly=True, timeout=0.3)
        async def wait() -> str:
            await asyncio.sleep(30)

        @tool(readonly=True)
        def quick() -> str:
            return "quick"

        runtime = ToolRuntime(ToolRegistry([hang, block, wait, quick]))
        began = time.monotonic()
        results = runtime.dispatch_many([ToolCall("", name, "") for name in ("hang", "wait", "block", "quick")])
        assert [r.ok for r in results] == [False, False, False, True], results
        print(time.monotonic() - began, time.time(), flush=True)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=LONG, check=False
    )
    ended = time.time()
    assert (done.returncode, done.stderr) == (0, "")
    batch_seconds, last_line = map(float, done.stdout.split())
    assert batch_seconds < 1.0
    assert ended - last_line < 1.0


def test_a_forked_child_has_threads_of_its_own() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this platform does not fork")
    script = """
        import os, sys, warnings
        from labkit import ToolCall, ToolRegistry, ToolRuntime, tool
        warnings.simplefilter("ignore")

        @tool(readonly=True)
        def quick() -> str:
            return "quick"

        runtime = ToolRuntime(ToolRegistry([quick]))
        assert runtime.dispatch(ToolCall("", "quick", "")).ok
        child = os.fork()
        if child == 0:
            os._exit(0 if runtime.dispatch(ToolCall("", "quick", "")).ok else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=LONG, check=False)
    assert done.returncode == 0


def test_what_is_stopped_before_it_begins_never_runs() -> None:
    ran = threading.Event()
    for body in (ran.set, AsyncCall(ran)):
        job = job_for(Tool.from_function(body, name="late", description="Run late."), {}, SimpleQueue())
        assert not job.alive
        job.stop()
        job.start()
        assert until(lambda job=job: not job.alive)
    assert not ran.is_set()


class AsyncCall:
    """An object that is called as an async function."""

    def __init__(self, ran: threading.Event) -> None:
        self.ran = ran

    async def __call__(self) -> None:
        self.ran.set()


def test_a_loop_made_for_one_nested_call_ends_with_it() -> None:
    @tool(readonly=True)
    async def inner() -> str:
        return "inner"

    runtime = runtime_of(inner)

    @runtime.registry.tool(readonly=True)
    async def outer() -> str:
        return "".join(runtime.dispatch(ToolCall("2", "inner", "")).content for _ in range(5))

    def loops() -> int:
        return sum(thread.name == "labkit-loop" for thread in threading.enumerate())

    before = max(loops(), 1)
    assert runtime.dispatch(ToolCall("1", "outer", "")).content == "inner" * 5
    assert until(lambda: loops() <= before)


def test_async_tools_may_run_async_tools_many_levels_deep() -> None:
    @tool(readonly=True)
    async def leaf() -> str:
        await asyncio.sleep(0)
        return "leaf"

    runtime = runtime_of(leaf)

    @runtime.registry.tool(readonly=True)
    async def middle() -> str:
        return runtime.dispatch(ToolCall("3", "leaf", "")).content

    @runtime.registry.tool(readonly=True)
    async def top() -> str:
        return runtime.dispatch(ToolCall("2", "middle", "")).content

    assert runtime.dispatch(ToolCall("1", "top", "")).content == "leaf"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_process_that_leaves_a_child_behind_has_answered_all_the_same() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec("import os, time\ndef leave():\n    if os.fork() == 0:\n        time.sleep(3)\n    return 'done'", space)
    leave = tool(run_in="process", timeout=20.0, description="Leave a child behind.")(space["leave"])
    began = time.monotonic()
    assert runtime_of(leave).dispatch(ToolCall("1", "leave", "")).content == "done"
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("at /secret", "at [path]"),
        ("'/a b/c' is gone", "[path] is gone"),
        ("C:\\Users\\ann", "[path]"),
        ("\\\\srv\\share\\x", "[path]"),
        ("file:///home/ann/x", "[path]"),
        ("/home/ann/My Docs/x.txt", "[path]"),
        ("https://ann:pw@host/x", "https://[hidden]@host/x"),
        ("Bearer eyJhbGci.x", "Bearer [hidden]"),
        ("password = hunter2", "password = [hidden]"),
        ("key AKIA" + "ABCDEFGHIJKLMNOP", "key [hidden]"),
        ("km/s and/or 3 // 4, see src/app.py", "km/s and/or 3 // 4, see src/app.py"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
    ],
)
def test_paths_and_keys_are_blotted_out(text: str, told: str) -> None:
    assert blot(text) == told


def test_an_executor_that_takes_no_call_has_not_started_the_tool() -> None:
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    result = runtime_of(quick(), executor=closed).dispatch(ToolCall("call_1", "quick", {}))
    assert result.error and "the executor took no call" in result.content
    assert result.started is None and result.finished is None


def test_a_coroutine_that_never_began_never_will() -> None:
    """A sibling blocks their loop before its first step; both are answered, and the loop comes free afterwards."""
    release, ended = threading.Event(), threading.Event()
    booked: list[str] = []

    @tool(readonly=True, timeout=0.2, touches=lambda values: ["a"])
    async def block() -> str:
        """Block the loop."""
        release.wait(LONG)
        ended.set()
        return "late"

    @tool(touches=lambda values: ["b"])
    async def book() -> str:
        """Book a seat."""
        booked.append("booked")
        return "booked"

    results = runtime_of(block, book, policy="by_resource").dispatch_many(calls(("block", ""), ("book", "")))
    assert codes(results) == ["timeout", "timeout"]
    assert (results[1].started, results[1].abandoned) == (None, False)
    release.set()
    assert ended.wait(10)
    until(lambda: bool(booked), within=0.2)
    assert booked == []
