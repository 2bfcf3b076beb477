"""Play a scripted task in the terminal: on a throw-away copy of its workspace, with a transcript as it goes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from textwrap import fill
from typing import Any

from labkit.agent import Agent, Run
from labkit.calls import many, quote
from labkit.course.lab import fresh_copy
from labkit.declare import Tool, ToolRegistry, tool
from labkit.models.scripted import ScriptedModel
from labkit.paths import data, repository
from labkit.runtime import ToolRuntime
from labkit.timeline import Timeline
from labkit.toolsets import everyday_tools, workspace_tools
from labkit.trace import Trace

Say = Callable[[str], None]
SLOW_SECONDS = 2.0
WIDEST_DETAIL = 60
WIDTH = 100
INTERRUPTED = 130


def tasks() -> list[str]:
    """Return the names of the tasks that can be played."""
    return sorted(path.stem.removesuffix("_task") for path in data("scripts").glob("*.json"))


def play(name: str, say: Say) -> int:
    """Play a task and say what happens, line by line; the trace is written anew to ``traces/``.

    Returns the exit code: 0 for a final answer, 1 for any other end, 2 for a task that does not exist, 130 for one that
    was interrupted.
    """
    if name not in tasks():
        say((f"there is no task {quote(name)}; " if name else "") + f"choose one of {', '.join(tasks())}")
        return 2
    scripts = data("scripts")
    path = next(p for p in (scripts / f"{name}_task.json", scripts / f"{name}.json") if p.exists())
    model = ScriptedModel(path)
    target = repository() / "traces" / f"{name}.jsonl"
    registry = ToolRegistry(_tools(model.script))
    try:
        trace = Trace(target)
    except OSError:
        say(f"traces/{target.name} can't be written; look at the rights of the folder and at the room on the disk")
        return 1
    agent = Agent(model, ToolRuntime(registry), trace=trace)
    width = max(len(tool.name) for tool in registry)
    say(f"{name} · {model.task}    (scripted model)")
    code = 0
    try:
        run = agent.run(model.task, model.system, on_event=_Transcript(say, width))
    except KeyboardInterrupt as stop:
        run, code = stop.run, INTERRUPTED  # type: ignore[attr-defined]
    say("")
    say(_closing(run))
    say(f"trace: traces/{target.name}, {len(run.trace)} lines")
    return code or (0 if run.stop_reason == "final_answer" else 1)


def _tools(script: dict[str, Any]) -> list[Tool]:
    workspace = script.get("workspace")
    if workspace:
        return workspace_tools(fresh_copy(data("workspaces", workspace)))
    return [*everyday_tools(), slow_lookup()]


def slow_lookup() -> Tool:
    """Return the tool of the "five slow calls": it really waits two seconds."""

    @tool(readonly=True, description="Look one key up in a slow register. It takes two seconds.")
    def slow_lookup(key: str) -> str:
        time.sleep(SLOW_SECONDS)
        return f"value of {key}"

    return slow_lookup


class _Transcript:
    """Turns trace lines into lines for a person: each decision, each call, the Gantt of each batch."""

    def __init__(self, say: Say, width: int) -> None:
        self.say = say
        self.width = width
        self.step = 0
        self.mode = ""
        self.calls: list[dict[str, Any]] = []
        self.started: list[dict[str, Any]] = []
        self.ended: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []

    def __call__(self, line: dict[str, Any]) -> None:
        if line["type"] == "message":
            self.hear(line["message"])
            return
        if line["event"] == "decision":
            self.step = line["payload"]["step"]
        elif line["event"] == "tool_batch":
            self.mode = line["payload"]["mode"]
        elif line["event"] == "tool_start":
            self.started.append(line)
        elif line["event"] == "tool_finished":
            self.ended.append(line)

    def hear(self, message: dict[str, Any]) -> None:
        """Take in a message; the last answer of a turn prints the turn."""
        if message["role"] == "assistant":
            self.say("")
            self.say(fill(f"{self.step}  {message['content']}", WIDTH, subsequent_indent="   "))
            self.calls, self.answers = message.get("tool_calls", []), []
            self.started, self.ended = [], []
        elif message["role"] == "tool":
            self.answers.append(message)
            if len(self.answers) == len(self.calls):
                self.turn()

    def turn(self) -> None:
        """Print the calls of a turn in call order and, for more than one, when each ran."""
        timeline = Timeline.from_trace(self.started + self._ends_as_answered()).batches()[0]
        for call, answer, span in zip(self.calls, self.answers, timeline.spans, strict=True):
            verdict = "ERR" if "error" in answer else "OK "
            took = span.duration * 1000
            time = f"{took:6.1f}" if took < 100 else f"{took:6.0f}"
            name = f"{call['name']:<{self.width}}"
            self.say(f"   {call['id']:<7} {name}  {verdict} {time} ms   {_detail(call, answer)}")
        if len(self.calls) > 1:
            for row in repr(timeline).splitlines():
                self.say(f"   │ {row}")
            if self.mode == "parallel" and timeline.peak < len(self.calls):
                self.say("   │ all were free to overlap; some were over before the next one began")

    def _ends_as_answered(self) -> list[dict[str, Any]]:
        """Return the end events in the order of the answers: they were heard in the order of completion."""
        left = list(self.ended)
        return [
            left.pop(next(i for i, end in enumerate(left) if end["payload"]["call_id"] == answer["tool_call_id"]))
            for answer in self.answers
        ]


def _detail(call: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return what a reader wants to know of a call: what went wrong, or what it was about."""
    if "error" in answer:
        return f"{answer['error']['code']}: {answer['error']['message']}"
    asked = call["arguments"]
    if isinstance(asked, str):
        try:
            asked = json.loads(asked)
        except ValueError:
            asked = {}
    values = asked.values() if isinstance(asked, dict) else ()
    about = ", ".join(" ".join(str(value).split()) for value in values)
    text = about or " ".join(answer["content"].partition("\n")[0].split())
    return text if len(text) <= WIDEST_DETAIL else text[: WIDEST_DETAIL - 1] + "…"


def _closing(run: Run) -> str:
    recovered = sum(result.error is not None for turn in run.turns for result in turn.results)
    if run.stop_reason != "final_answer":
        return f"ended with {run.stop_reason} after {many(len(run.turns), 'decision')}" + (
            f": {run.detail}" if run.detail else ""
        )
    errors = f", {many(recovered, 'recovered error')}" if recovered else ""
    return f"final answer after {many(len(run.turns), 'decision')}, {many(len(run.tool_calls), 'call')}{errors}"
