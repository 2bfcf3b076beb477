"""Interrupting a running batch in a notebook cell, as the stop button does."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from tools_for_tests import gone, until

from labkit.paths import repository

WITHIN = 20.0

TOOLS = """
    import asyncio, os, subprocess, sys, time
    from pathlib import Path
    from labkit import *
    from labkit.history import broken
    from labkit.toolsets import workspace_tools

    folder = Path({folder!r})

    @tool(readonly=True, timeout=60)
    def thread() -> str:
        (folder / "thread").write_text("started")
        time.sleep(60)

    @tool(readonly=True, timeout=60)
    async def coroutine() -> str:
        (folder / "coroutine").write_text("started")
        await asyncio.sleep(60)

    @tool(readonly=True, timeout=60, run_in="process")
    def process(folder: str) -> str:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(os.path.join(folder, "process.tmp"), "w") as file:
            file.write(f"{{os.getpid()}} {{child.pid}}")
        os.rename(os.path.join(folder, "process.tmp"), os.path.join(folder, "process"))
        time.sleep(60)

    @tool(readonly=True)
    def quick() -> str:
        return "quick"

    registry = ToolRegistry([thread, coroutine, process, quick, *workspace_tools(folder)])
    runtime = ToolRuntime(registry)

    def agent(*names):
        calls = [
            {{"id": f"call_{{n}}", "name": name, "arguments": {{"folder": str(folder)}} if name == "process" else {{}}}}
            for n, name in enumerate(names, 1)
        ]
        decisions = [{{"content": "", "tool_calls": calls}}, {{"content": "done"}}]
        return Agent(ScriptedModel({{"task": "task", "decisions": decisions}}), runtime)
"""

LOOK = """
    run = sys.last_value.run
    print(run.stop_reason, broken(run.messages), [r.ok for r in run.turns[-1].results] if run.turns else "")
    print([m["content"].partition(":")[0] for m in run.messages if m["role"] == "tool"])
"""


class Kernel:
    """A kernel, a cell at a time."""

    def __init__(self) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(repository() / "notebooks"))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.finish(self.begin("1 / 0"))  # the first traceback of a kernel loads a good deal; that is not ours

    def begin(self, source: str) -> str:
        """Send a cell and return its message id."""
        return str(self.client.execute(textwrap.dedent(source)))

    def finish(self, sent: str) -> tuple[dict[str, Any], str]:
        """Wait for the end of a cell; return its reply and what it printed."""
        printed = ""
        while True:
            message = self.client.get_iopub_msg(timeout=WITHIN)
            if message["parent_header"].get("msg_id") != sent:
                continue
            if message["msg_type"] == "stream":
                printed += message["content"]["text"]
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=WITHIN)
            if reply["parent_header"].get("msg_id") == sent:
                return reply["content"], printed

    def run(self, source: str) -> str:
        """Run a cell that must end well; return what it printed."""
        reply, printed = self.finish(self.begin(source))
        assert reply["status"] == "ok", reply
        return printed

    def interrupt_when(self, sent: str, started: list[Path]) -> tuple[dict[str, Any], float]:
        """Interrupt a cell once its tools have started; return its reply, and the seconds until it ended."""
        assert until(lambda: all(path.exists() for path in started)), "the tools did not start"
        began = time.monotonic()
        self.manager.interrupt_kernel()
        return self.finish(sent)[0], time.monotonic() - began

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    yield kernel
    kernel.stop()


def test_an_interrupted_batch_leaves_a_valid_history_and_no_child(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(TOOLS.format(folder=str(tmp_path)))
    sent = kernel.begin('agent("quick", "thread", "coroutine", "process").run("task")')
    reply, seconds = kernel.interrupt_when(sent, [tmp_path / name for name in ("thread", "coroutine", "process")])
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert seconds < 1.0
    assert kernel.run(LOOK).splitlines() == [
        "interrupted [] [True, False, False, False]",
        "['quick', 'ERROR [cancelled]', 'ERROR [cancelled]', 'ERROR [cancelled]']",
    ]
    pids = [int(pid) for pid in (tmp_path / "process").read_text().split()]
    assert [gone(pid) for pid in pids] == [True, True]
    printed = kernel.run('print(agent("quick", "quick").run("task", history=run.messages[:1]).stop_reason)')
    assert printed == "final_answer\n"


def test_an_interrupted_test_run_leaves_no_child(kernel: Kernel, tmp_path: Path) -> None:
    slow = "import os, time, pathlib\npathlib.Path('run_test').write_text(str(os.getpid()))\ntime.sleep(60)\n"
    (tmp_path / "test_slow.py").write_text(slow)
    kernel.run(TOOLS.format(folder=str(tmp_path)))
    sent = kernel.begin('agent("run_test").run("task")')
    reply, seconds = kernel.interrupt_when(sent, [tmp_path / "run_test"])
    assert reply["ename"] == "KeyboardInterrupt"
    assert seconds < 1.0
    assert kernel.run(LOOK).splitlines() == ["interrupted [] [False]", "['ERROR [cancelled]']"]
    assert gone(int((tmp_path / "run_test").read_text()))


def test_an_interrupted_inline_tool_leaves_a_valid_history(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(TOOLS.format(folder=str(tmp_path)))
    kernel.run(
        """
        @registry.tool(readonly=True, timeout=None)
        def inline() -> str:
            (folder / "inline").write_text("started")
            time.sleep(60)
        """
    )
    sent = kernel.begin('agent("inline").run("task")')
    reply, seconds = kernel.interrupt_when(sent, [tmp_path / "inline"])
    assert reply["ename"] == "KeyboardInterrupt"
    assert seconds < 1.0
    assert kernel.run(LOOK).splitlines() == ["interrupted [] [False]", "['ERROR [cancelled]']"]


def test_an_exercise_that_never_ends_is_told_after_the_stop_button(kernel: Kernel, tmp_path: Path) -> None:
    started = tmp_path / "started"
    kernel.run(f"""
        from pathlib import Path
        from labkit.course import start
        lab = start("00")
        def messages_at_end(asked):
            Path({str(started)!r}).touch()
            while True:
                asked = asked
    """)
    reply, seconds = kernel.interrupt_when(kernel.begin('verdict = lab.check("00.1")'), [started])
    assert reply["status"] == "ok" and seconds < 2.0
    said = kernel.run("print(verdict)")
    assert said.startswith("00.1  not yet\n") and "Traceback" not in said
    assert "did not end before you stopped it, in the line: asked = asked" in said.replace("\n             ", " ") or (
        "in the line: while True:" in said.replace("\n             ", " ")
    )
