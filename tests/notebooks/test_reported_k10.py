"""Failures that people have reported of notebooks: each case by its id, in a kernel, with cells of our own.

Cases of other kinds that need a cell stand here too. Where our design decides otherwise than was hoped for, the test
says so.
"""

from __future__ import annotations

import ast
import functools
import re
import shutil
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from test_interrupt import WITHIN, Kernel
from test_plain_run import changes
from tools_for_tests import until

import labkit
from labkit import Trace
from labkit.commands.rebuilding import WIDGET_VIEW, chapters, notebooks, rebuild_one
from labkit.paths import repository

HOME = Path(labkit.__file__).parent
Message = dict[str, Any]

BEGIN = """
    import asyncio, contextvars, sys, threading, time
    from pathlib import Path
    from IPython.display import display
    from labkit import *
    from labkit.history import broken
    from labkit.toolsets import workspace_tools
    from labkit.widgets.base import View
    from labkit.widgets.running import RunningLab

    folder = Path({folder!r})

    @tool(readonly=True, timeout=60)
    def sleepy() -> str:
        (folder / "sleepy").touch()
        time.sleep(20)
        return "late"

    @tool(readonly=True, timeout=60)
    async def asleepy() -> str:
        (folder / "asleepy").touch()
        await asyncio.sleep(60)
        return "late"

    @tool(readonly=True)
    def say(text: str) -> str:
        print(f"said {{text}}\\n", end="")  # in one piece: others print at the same time
        return text

    @tool(readonly=True)
    async def asay(text: str) -> str:
        print(f"before {{text}}\\n", end="")
        await asyncio.sleep(0.01)
        print(f"after {{text}}\\n", end="")
        return text

    rid = contextvars.ContextVar("rid", default="none")

    @tool(readonly=True)
    def who() -> str:
        return rid.get()

    @tool(readonly=True)
    async def awho() -> str:
        return rid.get()

    runtime = ToolRuntime(ToolRegistry([sleepy, asleepy, say, asay, who, awho, *workspace_tools(folder)]))

    def agent(*names, trace=None, **arguments):
        calls = [{{"id": name, "name": name, "arguments": arguments}} for name in names]
        decisions = [{{"content": "", "tool_calls": calls}}, {{"content": "done"}}]
        return Agent(ScriptedModel({{"task": "task", "decisions": decisions}}), runtime, trace=trace)

    def answers(run):
        return [m["content"] for m in run.messages if m["role"] == "tool"]

    class Steps:
        "The work of a run: five steps, each of which waits to be let go."

        def __init__(self, gate):
            self.gate, self.done = gate, 0

        def __call__(self):
            for _ in range(5):
                self.gate.wait(30)
                self.done += 1

    class StepsLab(RunningLab):
        name = "steps lab"

        def __init__(self):
            self.gate = threading.Event()
            super().__init__({{}})

        def prepare(self):
            return Steps(self.gate)

        def look(self):
            done = self.work.done if self.work else 0
            return View(f"{{done}} of 5 steps", f"<p>{{done}} of 5 steps</p>")
"""


class Watched(Kernel):
    """A kernel that remembers everything that any cell put out."""

    def __init__(self) -> None:
        self.seen: list[Message] = []
        super().__init__()

    def finish(self, sent: str) -> tuple[dict[str, Any], str]:
        """Wait for the end of a cell; return its reply and what it printed."""
        while True:
            message = self.client.get_iopub_msg(timeout=WITHIN)
            self.seen.append(message)
            ended = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
            if ended and message["parent_header"].get("msg_id") == sent:
                break
        while True:
            reply = self.client.get_shell_msg(timeout=WITHIN)
            if reply["parent_header"].get("msg_id") == sent:
                return reply["content"], "".join(m["content"]["text"] for m in self.put_out(sent, "stream"))

    def put_out(self, sent: str, *kinds: str) -> list[Message]:
        """Return what a cell has put out of these kinds; of all kinds that a page shows where none is given."""
        wanted = kinds or ("stream", "display_data", "update_display_data", "execute_result", "error")
        return [m for m in self.seen if m["parent_header"].get("msg_id") == sent and m["msg_type"] in wanted]


@pytest.fixture(scope="module")
def shared() -> Iterator[Watched]:
    kernel = Watched()
    yield kernel
    kernel.stop()


@pytest.fixture
def kernel(shared: Watched, tmp_path: Path) -> Watched:
    """The kernel of this file, with its definitions made anew."""
    shared.run(BEGIN.format(folder=str(tmp_path)))
    return shared


# --- K6-03 and K6-08 in a cell --------------------------------------------------------------------------------------


def test_k6_03_context_reaches_tools_from_a_cell(kernel: Watched) -> None:
    kernel.run('_ = rid.set("R7")')
    printed = kernel.run('print(answers(agent("who", "awho").run("task")), rid.get())')
    assert printed == "['R7', 'R7'] R7\n"


def test_k6_08_a_run_is_an_ordinary_call_in_a_cell(kernel: Watched) -> None:
    """A cell runs under the kernel's own loop; no loop is patched for that, and an async cell may call it too."""
    kernel.run("""
        async def inside():
            await asyncio.sleep(0)
            return answers(agent("who", "awho").run("task"))
    """)
    assert kernel.run('print(answers(agent("who", "awho").run("task")))') == "['none', 'none']\n"
    assert kernel.run("print(await inside(), asyncio.get_running_loop().is_running())") == "['none', 'none'] True\n"


# --- K10-01 and K10-03: what is shown while a thread or a coroutine goes on -----------------------------------------

CAPTURES = {"Output", "capture_output", "redirect_stdout", "redirect_stderr", "stdout", "stderr"}
# A check runs in the thread of its cell, with nothing awaited, and shows what the learner's code printed meanwhile.
ALLOWED = {("course/attempts.py", "redirect_stdout")}


@functools.cache
def names_in(path: Path) -> set[str]:
    """Return the names that a file uses as such; a keyword such as ``capture_output=True`` is none."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found: set[str] = set()
    for node in tree:
        match node:
            case ast.Name(name) | ast.alias(name):
                found.add(name)
            case ast.Attribute(ast.Name("W" | "ipywidgets" | "sys" | "contextlib" | "asyncio"), name):
                found.add(name)
    return found


def test_k10_01_03_no_lab_captures_what_is_printed() -> None:
    """Captures are global to the kernel: they catch other cells' lines, and miss their own after an ``await``."""
    rooms = [path for path in HOME.rglob("*.py") if path.relative_to(HOME).parts[0] in ("widgets", "course", "agent")]
    used = {(path.relative_to(HOME).as_posix(), name) for path in rooms for name in names_in(path) & CAPTURES}
    assert used == ALLOWED
    assert len(rooms) > 30


def test_k10_01_a_run_beside_another_cell_puts_nothing_into_it(kernel: Watched) -> None:
    kernel.run("steps = StepsLab()")
    first = kernel.begin('display(steps); steps.controls["run"].click(); print(steps.state)')
    assert kernel.finish(first)[1] == "running\n"
    second = kernel.begin("print('other cell'); steps.gate.set(); steps.wait(); print(steps.text())")
    assert kernel.finish(second)[1] == "other cell\nthe run is over\n5 of 5 steps\n"
    kernel.run("print('the last cell')")
    assert {m["msg_type"] for m in kernel.put_out(second)} == {"stream"}
    assert {m["msg_type"] for m in kernel.put_out(first)} == {"display_data", "stream"}
    changes = [m["content"]["data"].get("state", {}) for m in kernel.put_out(second, "comm_msg")]
    changes += [m["content"]["data"].get("state", {}) for m in kernel.put_out(first, "comm_msg")]
    assert any("5 of 5 steps" in str(state.get("value")) for state in changes), "the picture itself was set"


def test_k10_01_03_what_a_tool_prints_stands_under_its_own_cell(kernel: Watched) -> None:
    """Worker threads and the loop outlive a cell, and still each line comes out where the call was made."""
    for text in "abc":
        sent = kernel.begin(f'run = agent("say", "asay", "say", text="{text}").run("task")')
        _, printed = kernel.finish(sent)
        assert sorted(printed.splitlines()) == [f"after {text}", f"before {text}", f"said {text}", f"said {text}"]


# --- K10-04: outputs that differ from run to run --------------------------------------------------------------------


def test_k10_04_the_pieces_of_a_stream_vary_and_its_text_does_not(kernel: Watched) -> None:
    """What can be relied on: the text of one stream. Nothing holds two streams in order, so chapters have one."""
    for _ in range(20):
        sent = kernel.begin("import sys\nprint('a'); print('warn', file=sys.stderr); print('b')")
        kernel.finish(sent)
        streams = [message["content"] for message in kernel.put_out(sent, "stream")]
        joined = {name: "".join(s["text"] for s in streams if s["name"] == name) for name in ("stdout", "stderr")}
        assert joined == {"stdout": "a\nb\n", "stderr": "warn\n"}


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.relative_to(repository()).as_posix())
def test_k10_04_a_stored_cell_has_one_stream_and_nothing_of_one_run(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        outputs = cell.get("outputs", ())
        streams = [output for output in outputs if output.output_type == "stream"]
        assert [output.name for output in streams] in ([], ["stdout"]), cell.source
        said = "".join(str(output.get("data", output.get("text", ""))) for output in outputs)
        assert not re.search(r"\bat 0x[0-9a-f]{6,}|/tmp/|/home/|\\Users\\|site-packages", said), cell.source


def test_k10_04_a_chapter_run_twice_at_once_is_twice_what_is_stored(tmp_path: Path) -> None:
    """Side by side, so that each is held up by the other; each chapter once: ``test_plain_run``."""
    chapter = min(chapters(), key=lambda path: path.stat().st_size)
    copies = [tmp_path / str(number) / chapter.name for number in range(2)]
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(chapter, copy)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(rebuild_one, copies)) == [None] * 2
    wanted = chapter.read_text(encoding="utf-8")
    assert [changes(wanted, copy.read_text(encoding="utf-8")) for copy in copies] == ["", ""]


# --- K10-05: the stop button ----------------------------------------------------------------------------------------

TASKS = """
    import os
    from labkit.workers import loops

    def left():
        own = f"labkit{os.sep}workers"  # the folder of the checkout may be called labkit, too
        here = [task for task in asyncio.all_tasks() if own in repr(task) or "sleepy" in repr(task)]
        return here + [task for each in loops._current for task in asyncio.all_tasks(each.loop)]
"""


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("asleepy",), ["the run was interrupted while the tool was at work"]),
        (("asleepy", "asleepy"), ["the run was interrupted while the tool was at work"] * 2),
        (("sleepy",), ["the run was interrupted while the tool was at work; the tool may still be at work"]),
    ],
)
def test_k10_05_an_interrupted_cell_ends_and_the_next_one_works(
    kernel: Watched, tmp_path: Path, names: tuple[str, ...], told: list[str]
) -> None:
    """A run is an ordinary call: where the report awaits it, ours is called. A sync tool in a thread goes on."""
    kernel.run(TASKS)
    sent = kernel.begin(f'res = agent({", ".join(map(repr, names))}).run("task")')
    reply, seconds = kernel.interrupt_when(sent, [tmp_path / name for name in names])
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert seconds < 2.0
    assert [m["msg_type"] for m in kernel.put_out(sent)] == ["error"]
    assert kernel.run("print('next cell')") == "next cell\n"
    assert kernel.run("run = sys.last_value.run\nprint(run.stop_reason, broken(run.messages))") == "interrupted []\n"
    assert kernel.run("print(*answers(run), sep='\\n')").splitlines() == [
        f"ERROR [cancelled]: {words}" for words in told
    ]
    assert kernel.run("print(left())") == "[]\n"
    again = 'run = agent("who", "awho").run("task", history=run.messages)\nprint(run.stop_reason)'
    assert kernel.run(again) == "final_answer\n"


def test_k8_09_the_stop_button_ends_what_the_tests_started_too(kernel: Watched, tmp_path: Path) -> None:
    if not shutil.which("sh"):
        pytest.skip("there is no shell here")
    command = f"sleep 61.09 & echo started > '{tmp_path}/started'; wait"
    (tmp_path / "test_it.py").write_text(f"import subprocess\nsubprocess.run({command!r}, shell=True)\n")
    reply, seconds = kernel.interrupt_when(kernel.begin('agent("run_test").run("task")'), [tmp_path / "started"])
    assert reply["ename"] == "KeyboardInterrupt"
    assert seconds < 2.0
    assert until(lambda: not [p for p in psutil.process_iter(["cmdline"]) if "61.09" in (p.info["cmdline"] or ())], 3)


# --- K10-07: what an interrupt and a restart leave behind -----------------------------------------------------------


def test_k10_07_no_loop_is_opened_closed_or_run_but_our_own() -> None:
    touching = {"run", "new_event_loop", "get_event_loop", "set_event_loop", "run_until_complete", "get_running_loop"}
    uses = {
        path.relative_to(HOME).as_posix()
        for path in HOME.rglob("*.py")
        if ("asyncio" in names_in(path) and names_in(path) & touching) or "nest_asyncio" in names_in(path)
    }
    assert uses == {"workers/loops.py"}


def test_k10_07_after_an_interrupt_the_kernels_loop_and_ours_go_on(kernel: Watched, tmp_path: Path) -> None:
    trace = tmp_path / "run.jsonl"
    kernel.run("steps = StepsLab()\ndisplay(steps)\nsteps.controls['run'].click()")
    sent = kernel.begin('res = agent("who", "asleepy", trace=Trace(folder / "run.jsonl")).run("task")')
    assert kernel.interrupt_when(sent, [tmp_path / "asleepy"])[0]["ename"] == "KeyboardInterrupt"
    assert kernel.run("await asyncio.sleep(0)\nprint('on')") == "on\n"
    assert kernel.run('print(answers(agent("awho").run("task")))') == "['none']\n"
    assert kernel.run("print(steps.state); steps.gate.set(); steps.wait(); print(steps.text())") == (
        "running\nthe run is over\n5 of 5 steps\n"
    )
    loaded = Trace.load(trace)
    assert loaded.lines[-1]["payload"] == {"reason": "interrupted", "steps": 1, "detail": "KeyboardInterrupt"}
    assert [line["payload"]["ok"] for line in loaded.events("tool_finished")] == [True, False]
    assert [line["seq"] for line in loaded] == list(range(1, len(loaded.lines) + 1))


def test_k10_07_a_restart_leaves_a_trace_to_read_and_no_view_that_shows_what_is_gone(
    kernel: Watched, tmp_path: Path
) -> None:
    kernel.run("steps = StepsLab()\nsteps.gate.set()\nsteps.run()")
    shown = kernel.begin("steps")
    kernel.finish(shown)
    page = kernel.put_out(shown, "execute_result")[0]["content"]["data"]
    kernel.begin('agent("who", "sleepy", trace=Trace(folder / "run.jsonl")).run("task")')
    assert until(lambda: (tmp_path / "sleepy").exists())
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert "5 of 5 steps" in page["text/html"] and "5 of 5 steps" in page["text/plain"]
    assert WIDGET_VIEW in page, "a page without its kernel shows the words and the drawing that are stored beside"
    assert kernel.finish(kernel.begin("steps"))[0]["ename"] == "NameError"
    kernel.run(BEGIN.format(folder=str(tmp_path)))
    assert kernel.run("print(StepsLab().text())") == "not run yet: press Run\n0 of 5 steps\n"
    assert_readable(tmp_path / "run.jsonl")


def assert_readable(path: Path) -> None:
    """A trace of a killed run holds every event up to its end, and loads wherever its last line is cut."""
    loaded = Trace.load(path)
    kinds = [line["event"] if line["type"] == "event" else line["message"]["role"] for line in loaded]
    assert kinds[:6] == ["session_start", "decision", "assistant", "tool_batch", "tool_start", "tool_start"]
    assert len(kinds) == 6
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last):
        path.write_bytes(whole[:-cut])
        assert Trace.load(path).lines == loaded.lines[:-1]


def test_k10_07_the_cells_of_this_file_are_sound() -> None:
    """A cell that can't be read would fail each test for the wrong reason."""
    for source in (BEGIN.format(folder="x"), TASKS):
        assert ast.parse(textwrap.dedent(source)).body
