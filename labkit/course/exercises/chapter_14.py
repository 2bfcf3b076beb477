"""Chapter 14: what a call touches, which calls overlapped, and a script that recovers from an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from labkit.agent import Agent, Run
from labkit.calls import ErrorCode, ToolCall
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.lab import fresh_copy
from labkit.course.quiz import Question
from labkit.declare import Tool, ToolRegistry
from labkit.models import ScriptedModel
from labkit.models.scripted import read_script
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.schedule import Plan, plan
from labkit.toolsets import workspace_tools


def plan_copies(touches: Callable[[dict[str, Any]], Any], *pairs: tuple[str, str]) -> Plan:
    """Plan one copy per pair of source and target, as the chapter's helper does."""

    def copy_file(source: str, target: str) -> None:
        """Copy a file."""

    tool = Tool.from_function(copy_file, touches=touches)
    calls = [ToolCall(f"call_{n}", "copy_file", {"source": s, "target": t}) for n, (s, t) in enumerate(pairs, 1)]
    return plan(calls, ToolRegistry([tool]), "by_resource")


def _are_paths(value: object) -> bool:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return False
    paths = list(value)
    return bool(paths) and all(isinstance(path, str | PurePath) for path in paths)


TOUCHED = Exercise(
    id="14.1",
    title="Say what a call touches",
    names=("touched",),
    cases=(
        Case(
            "what a call touches is a collection of paths, each a text of its own",
            'touched({"source": "a.txt", "target": "b.txt"})',
            Wanted("paths in a list, a tuple or the like", _are_paths),
            "One text is one path. How do you return more than one of them?",
        ),
        Case(
            "copies that have no file in common may overlap",
            'plan_copies(touched, ("a.txt", "b.txt"), ("c.txt", "d.txt")).mode',
            "parallel",
            "Print what `touched` returns for each of the two. Do they share anything, and is it a path?",
        ),
        Case(
            "two copies to one target wait for each other",
            'plan_copies(touched, ("a.txt", "c.txt"), ("b.txt", "c.txt")).mode',
            "serial",
            "Which of the two files should c.txt hold at the end? Does your function mention it?",
        ),
        Case(
            "a copy waits for the one that writes what it reads",
            'plan_copies(touched, ("a.txt", "b.txt"), ("b.txt", "c.txt")).mode',
            "serial",
            "What would the second copy read if it did not wait? To touch a file is more than to change it.",
        ),
        Case(
            "the values stay as they are: the tool will get them",
            '[touched(values) for values in 2 * [{"source": "a.txt", "target": "b.txt"}]]',
            Wanted("paths, and paths again", lambda value: all(map(_are_paths, value))),
            "Does your function take a value out of the dict, or only look at it?",
        ),
    ),
    hints=(
        "A copy has to do with two files. Disturbing it is possible at either of them.",
        "`values` is a dict with the keys of the tool's parameters. What is touched are its values, not its keys.",
        "Return the values of both parameters, side by side in one tuple.",
    ),
    solution='''
def touched(values):
    """Return the paths that a copy reads or writes."""
    return values["source"], values["target"]
''',
    given=lambda: {"plan_copies": plan_copies},
)

OVERLAP = Exercise(
    id="14.2",
    title="Read from a trace which calls overlapped",
    names=("overlap",),
    cases=(
        Case(
            "a call that starts before the other has ended overlaps with it",
            "overlap((0.1, 0.3), (0.2, 0.4))",
            True,
            "Draw the two as bars on one line of time. Is there a moment that belongs to both?",
        ),
        Case(
            "a call that starts after the other has ended does not",
            "overlap((0.1, 0.2), (0.3, 0.4))",
            False,
            "Draw the two as bars on one line of time. Which two of the four numbers decide?",
        ),
        Case(
            "it does not matter which of the two is named first",
            "overlap((0.3, 0.4), (0.1, 0.2))",
            False,
            "Swap the two in your drawing. Does your rule look at both of them in the same way?",
        ),
        Case(
            "a short call within a long one overlaps with it",
            "overlap((0.2, 0.3), (0.1, 0.4))",
            True,
            "Neither start nor end of the long one lies within the short one. Does your rule need that?",
        ),
        Case(
            "a call that starts in the moment in which the other ends waited for it",
            "overlap((0.1, 0.2), (0.2, 0.3))",
            False,
            "At 0.2 the first of them is done. Is there a moment at which both are at work?",
        ),
        Case(
            "a refused call was never at work",
            "overlap((None, None), (0.1, 0.2))",
            False,
            "What are start and end of a call that was refused? Ask for that first.",
        ),
        Case(
            "nor is it, where it is named second",
            "overlap((0.1, 0.2), (None, None))",
            False,
            "Either of the two may have been refused. Do you ask both?",
        ),
        Case(
            "two calls that start together overlap",
            "overlap((0.1, 0.2), (0.1, 0.3))",
            True,
            "Draw it. Which comparison of your rule says no, and is it about starts alone?",
        ),
        Case(
            "a call may start at the very beginning of the run",
            "overlap((0.0, 0.2), (0.1, 0.3))",
            True,
            "Zero is a moment, too. How do you ask whether there is no start?",
        ),
    ),
    hints=(
        "Look for the moment in which both are at work. When does it begin, and when does it end?",
        "Each of the two must have started before the other one ended. Both halves are needed, and a refused call has "
        "no start.",
        "First: where a start `is None`, return False. Then join two comparisons with `and`, both of them strict.",
    ),
    solution='''
def overlap(one, other):
    """Say whether two calls were at work at the same moment."""
    if one[0] is None or other[0] is None:
        return False
    return one[0] < other[1] and other[0] < one[1]
''',
)


def replay(on_error: dict[str, Any]) -> Run:
    """Play the chapter's script with its spoilt edit, in a fresh folder, as the chapter's helper does."""
    script = read_script(data("scripts", "m2_task.json"))
    script["decisions"][3]["tool_calls"][0]["arguments"]["old"] = "?"
    model = ScriptedModel({**script, "on_error": on_error})
    runtime = ToolRuntime(ToolRegistry(workspace_tools(fresh_copy(data("workspaces", "calculator")))))
    return Agent(model, runtime).run(model.task, model.system)


def _are_reactions(value: object) -> bool:
    return isinstance(value, dict) and all(
        str(code) in set(ErrorCode) and _is_decision(each) for code, each in value.items()
    )


def _is_decision(value: object) -> bool:
    calls = value.get("tool_calls") if isinstance(value, dict) else None
    return isinstance(calls, list) and all(
        isinstance(call, dict) and {"id", "name", "arguments"} <= call.keys() for call in calls
    )


RECOVERY = Exercise(
    id="14.3",
    title="A script that recovers",
    names=("on_error",),
    cases=(
        Case(
            "what stands under a code is a whole decision",
            "on_error",
            Wanted("a dict: an error's code, and a decision with content and a list of tool_calls", _are_reactions),
            "Is the key one of the error codes? Then compare the rest with the decision printed above, bracket by "
            "bracket: each call has id, name and arguments.",
        ),
        Case(
            "the new decision is played right after the failed edit",
            "len(replay(on_error).turns)",
            7,
            "Six turns mean that nothing was put in. Which code stands in the brackets of the failed answer?",
        ),
        Case(
            "the new call has an id that no call had before",
            "len({call.id for call in replay(on_error).tool_calls}) == len(replay(on_error).tool_calls)",
            True,
            "Two calls of this run have one id. Which ids are taken?",
        ),
        Case(
            "the new call is accepted and carried out",
            "all(result.ok for result in replay(on_error).turns[4].results)",
            True,
            "Print replay(on_error).turns[4].results. An error says what is wrong, and what to send.",
        ),
        Case(
            "the tests pass after it",
            "replay(on_error).turns[5].results[0].content[:6]",
            "EXIT 0",
            "The edit was made. Was it the edit that mends the program?",
        ),
    ),
    hints=(
        "`on_error` is a dict: an error's code, and the decision that a model would make after it has read that error.",
        "A decision looks like those in the script: copy the one printed above as text, and mend what is wrong in it.",
        "The code is the one in brackets. The call is that of the fourth decision with an id of its own, and with an "
        "`old` that stands in the file: the first read of the run shows it.",
    ),
    solution="""
on_error = {
    "not_found": {
        "content": "That is no line of the file. I mean this one.",
        "tool_calls": [
            {
                "id": "call_8",
                "name": "edit_file",
                "arguments": {
                    "path": "calculator.py",
                    "old": "return n + n",
                    "new": "return n * n",
                },
            }
        ],
    }
}
""",
    given=lambda: {"replay": replay},
)

EXERCISES: tuple[Exercise, ...] = (TOUCHED, OVERLAP, RECOVERY)

QUIZ: tuple[Question, ...] = ()
