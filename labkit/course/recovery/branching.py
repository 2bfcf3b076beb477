"""Change the past: play a run again up to one of its calls, make that call with other arguments, and go on from there.

Acts only in ``branch``: on a copy of the workspace, which is removed again. The calls before the changed one are those
of the trace, and are really run; after it decides the scripted stand-in. The old run is only read.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from labkit.agent import Agent, Run
from labkit.calls import ToolCall, many
from labkit.course.copying import copied
from labkit.course.recovery.reading import Story, read
from labkit.course.recovery.stand_in import StandIn
from labkit.course.recovery.ties import Change, changed
from labkit.course.recovery.turns import Asked, Step
from labkit.declare import ToolRegistry
from labkit.models.base import ModelReply
from labkit.models.scripted import read_script
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.toolsets import workspace_tools

MORE_TURNS = 12
MOST_CALLS = 40


@dataclass(frozen=True, repr=False)
class Branch:
    """A run with a changed past, and the one that it left. A value.

    ``position`` is that of the changed call in both, ``changes`` what was changed of its arguments. ``shared`` counts
    the turns at the beginning in which both said, asked and heard the same.
    """

    old: Story
    new: Story
    run: Run
    position: int
    changes: tuple[Change, ...]
    shared: int

    @property
    def parts(self) -> bool:
        """Whether the two differ at all."""
        return self.shared < max(len(self.old.steps), len(self.new.steps))

    @property
    def before(self) -> Asked:
        """The call as it was."""
        return self.old.calls[self.position]

    @property
    def after(self) -> Asked:
        """The call as it was changed, with its answer."""
        return self.new.calls[self.position]

    def __repr__(self) -> str:
        where = f"parts in turn {self.shared + 1}" if self.parts else "the same to its end"
        return f"Branch({self.before.id} changed, {where}: {many(len(self.new.steps), 'decision')})"


def branch(story: Story, position: int, arguments: Any) -> Branch:
    """Run a story on from one of its calls, with these arguments in place of those that it had.

    They may be anything that a model could send: a dict, or text, which need not be JSON. Raises ValueError where
    ``why_not`` says why this story can't be run on, and IndexError for a call that it does not have.
    """
    reason = why_not(story)
    if reason:
        raise ValueError(reason)
    if not 0 <= position < len(story.calls):
        raise IndexError(f"the run has {many(len(story.calls), 'call')}; there is none at position {position}")
    past, script = _changed_past(story, position, arguments), _script_of(story) or {}
    with tempfile.TemporaryDirectory(prefix="labkit-") as outer:
        folder = copied(data("workspaces", script["workspace"]), Path(outer))
        runtime = ToolRuntime(ToolRegistry(workspace_tools(folder)))
        model = _GoesOn(past, StandIn(script))
        run = Agent(model, runtime, max_turns=len(past) + MORE_TURNS).run(script["task"], script["system"])
    new = read(run)
    old = story.calls[position].arguments
    return Branch(story, new, run, position, changed(old, arguments), _shared(story.steps, new.steps))


def why_not(story: Story) -> str | None:
    """Return why a story can't be run on, as a sentence; None where it can."""
    if not story.calls:
        return "This trace has no call that could be changed."
    if _script_of(story) is None:
        tasks = " or ".join(f'"{script["task"]}"' for script in _scripts())
        return (
            "This run can't be run on: that needs the folder that it worked in and a model that goes on. A trace holds "
            f"neither; both are known here for the task {tasks} only."
        )
    if len(story.calls) > MOST_CALLS:
        return f"This run has {len(story.calls)} calls; one of more than {MOST_CALLS} is not played again here."
    return None


class _GoesOn:
    """Says again what the past says, then lets the stand-in decide."""

    def __init__(self, past: Sequence[ModelReply], then: StandIn) -> None:
        self.past = past
        self.then = then

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        said = sum(message.get("role") == "assistant" for message in messages)
        return self.past[said] if said < len(self.past) else self.then.reply(messages, tools)


def _changed_past(story: Story, position: int, arguments: Any) -> list[ModelReply]:
    """The replies up to the turn of a call, this call with its new arguments; copies, so that nothing old is shared."""
    chosen = story.calls[position]
    past = []
    for step in story.steps[: chosen.turn]:
        calls = [each.call if each is not chosen else replace(each.call, arguments=arguments) for each in step.calls]
        past.append(ModelReply(step.content, tuple(map(_copied, calls)), step.finish_reason))
    return past


def _copied(call: ToolCall) -> ToolCall:
    return replace(call, arguments=copy.deepcopy(call.arguments))


def _shared(old: Sequence[Step], new: Sequence[Step]) -> int:
    count = 0
    while count < min(len(old), len(new)) and _told(old[count]) == _told(new[count]):
        count += 1
    return count


def _told(step: Step) -> Any:
    """What a turn said, asked and heard. Ids are labels, and are left out."""
    return step.content, [(call.name, changed({}, call.arguments), call.content) for call in step.calls]


@cache
def _scripts() -> tuple[dict[str, Any], ...]:
    return tuple(read_script(path) for path in sorted(data("scripts", "recovery").glob("*.json")))


def _script_of(story: Story) -> dict[str, Any] | None:
    told = (story.task, story.system)
    return next((script for script in _scripts() if (script["task"], script["system"]) == told), None)
