"""What the rules of the runtime make of a setting, before anything runs. Pure.

    >>> expected(Setting(writes=True)).first
    ('ok', 'timeout', 'cancelled')

Does not: know how long a machine takes; its times are those that the tools ask for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from labkit.course.execution.setting import LET_GO, Setting
from labkit.course.execution.tools import QUICK, WORK, Notes, tools
from labkit.schedule import Plan, plan
from labkit.timeline import Span, Timeline
from labkit.workers.loops import ANSWER_WITHIN

START_OF_A_PROCESS = 0.06
"""Seconds, about, until a process has come to its function."""


@dataclass(frozen=True)
class Expected:
    """The state of every call: ``ok``, ``timeout``, ``lost`` (timeout, because the loop was blocked), ``cancelled``."""

    first: tuple[str, ...]
    second: tuple[str, ...]


def expected(setting: Setting) -> Expected:
    """Return what will become of every call of both batches."""
    first = planned(setting)
    slow = setting.position
    holds = first.depends_on([slow]) if goes_on(setting) and setting.writes else set()
    lost = beside(first, slow) if setting.outlived and setting.place == "blocking" else frozenset()
    states = ["cancelled" if at in holds else "lost" if at in lost else "ok" for at in range(len(first))]
    if setting.outlived:
        states[slow] = "timeout"
    return Expected(tuple(states), _second(setting))


def goes_on(setting: Setting) -> bool:
    """Whether the slow tool is still at work after its limit: nothing can end a thread, also not that of a loop."""
    return setting.outlived and setting.place in ("thread", "blocking")


def planned(setting: Setting) -> Plan:
    """Return the plan of the first batch."""
    return plan(setting.first(), tools(setting, Notes()), setting.policy)


def beside(plan: Plan, slow: int) -> frozenset[int]:
    """Return the positions of the calls that may overlap the slow one."""
    behind = plan.depends_on([slow])
    others = (at for at in range(len(plan)) if at != slow and at not in behind)
    return frozenset(at for at in others if slow not in plan.depends_on([at]))


def _second(setting: Setting) -> tuple[str, ...]:
    """An unsafe call that goes on stands before the calls of the next batch; what depends on it is not run."""
    held = [setting.first()[setting.position]] if goes_on(setting) and setting.writes else []
    calls = [*held, *setting.second()]
    waiting = plan(calls, tools(setting, Notes()), setting.policy).depends_on([0]) if held and calls else set()
    return tuple("cancelled" if at in waiting else "ok" for at in range(len(held), len(calls)))


def forecast(setting: Setting) -> Timeline:
    """Return the predicted picture of the first batch: what outlives its limit is a ghost, what is held never runs."""
    made, states = planned(setting), expected(setting).first
    near = beside(made, setting.position)
    lengths = [_length(setting, at, near) for at in range(len(made))]
    waits = tuple(frozenset(other for other in others if states[other] != "cancelled") for others in made.waits_for)
    drawn = Timeline.predict(replace(made, waits_for=waits), lengths)
    spans = [_as_expected(span, state, setting) for span, state in zip(drawn.spans, states, strict=True)]
    return replace(drawn, spans=tuple(spans))


def _length(setting: Setting, at: int, near: frozenset[int]) -> float:
    """Seconds of one call, as far as they can be told."""
    slow = setting.limit if setting.outlived else LET_GO if setting.hangs else WORK
    assert slow is not None
    if at != setting.position:
        blocked = at in near and setting.place == "blocking"
        return (slow + _knock(setting) if setting.outlived else slow + QUICK) if blocked else QUICK
    starts = START_OF_A_PROCESS if setting.place == "process" and not setting.outlived else 0.0
    return slow + starts + _knock(setting)


def _knock(setting: Setting) -> float:
    """Seconds that the runtime gives a loop to answer, once a limit is over, before it gives the loop up."""
    return ANSWER_WITHIN if setting.outlived and setting.place == "blocking" else 0.0


def _as_expected(span: Span, state: str, setting: Setting) -> Span:
    behind = [call.id for call in setting.first()[setting.position :]][1:]
    match state:
        case "cancelled":
            return replace(span, started=None, finished=None, state="cancelled")
        case "lost" if span.call_id in behind:  # the loop never came to it
            return replace(span, started=None, finished=None, state="timeout")
        case "timeout" | "lost":
            return replace(span, state="timeout", ghost=goes_on(setting))
        case _:
            return span
