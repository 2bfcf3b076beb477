"""06.3: which calls a hung one holds up."""

from __future__ import annotations

from typing import Any

from labkit.calls import ToolCall
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.declare import Tool, ToolRegistry
from labkit.schedule import Plan, plan


def planned(*calls: str, policy: str = "barriers") -> Plan:
    """Return the plan of calls such as ``"look mo"`` and ``"book tu"``; ``book`` is a write. The chapter imports it."""
    asked = [ToolCall(f"call_{n}", *_parts(text)) for n, text in enumerate(calls, 1)]
    return plan(asked, ToolRegistry([_tool("look", readonly=True), _tool("book", readonly=False)]), policy)


def _parts(text: str) -> tuple[str, dict[str, str]]:
    name, _, day = text.partition(" ")
    return name, {"day": day}


def _tool(name: str, *, readonly: bool) -> Tool:
    def visit(day: str) -> str:
        return day

    return Tool.from_function(
        visit,
        name=name,
        description=f"{name} a day.",
        readonly=readonly,
        touches=lambda values: [values["day"]],
    )


def given() -> dict[str, Any]:
    """Return what the cases use beside the learner's names."""
    return {"planned": planned}


def positions(*wanted: int) -> Wanted:
    """Return the wish for these positions, in a set of either kind."""
    return Wanted(repr(set(wanted)), lambda value: isinstance(value, set | frozenset) and value == frozenset(wanted))


HELD = Exercise(
    id="06.3",
    title="Who must wait",
    names=("held",),
    cases=(
        Case(
            "a call that waits for the hung one is held",
            'held(planned("book mo", "look tu"), 0)',
            positions(1),
            "`plan[1]` holds 0. And is the hung call one of those that are answered `cancelled`? It has its answer.",
        ),
        Case(
            "what stands before it is not held",
            'held(planned("look mo", "book mo"), 1)',
            positions(),
            "Call 0 waits for nobody.",
        ),
        Case(
            "a hung read holds nobody",
            'held(planned("look mo", "book mo"), 0)',
            positions(),
            "A read that goes on harms nobody. What is the kind of call 0?",
        ),
        Case(
            "what waits for a held call is held, too",
            'held(planned("book mo", "look mo", "book mo", "look tu"), 0)',
            positions(1, 2, 3),
            "`plan[2]` does not hold 0. It holds 1, and 1 will never run.",
        ),
        Case(
            "not everything that stands behind it waits for it",
            'held(planned("book mo", "look tu", "look mo", policy="by_resource"), 0)',
            positions(2),
            "Print the plan. Whom does call 1 wait for?",
        ),
        Case(
            "a write may be held, or not, as a read may",
            'held(planned("book mo", "book tu", "look mo", "book mo", policy="by_resource"), 0)',
            positions(2, 3),
            "Does your function ask for the kind of a call that may be held? Only the plan decides.",
        ),
        Case(
            "a read that has overtaken the write is not held by it",
            'held(planned("book mo", "look mo", "book tu", policy="reads_first"), 0)',
            positions(2),
            "Under this policy call 1 waits for nobody, though it stands behind call 0 and touches the same.",
        ),
        Case(
            "under `serial` all that follows is held",
            'held(planned("look mo", "book mo", *["look tu"] * 5, policy="serial"), 1)',
            positions(2, 3, 4, 5, 6),
            "Each waits for the one before it only. Follow the chain from 1 on.",
        ),
    ),
    hints=(
        "Ask first whether the hung call is a read. If it is not, look at each call and at whom it waits for.",
        "Go through the positions from the first on, and keep a set of those that are held. Who waits for one of "
        "these is held as well.",
        "Position i is held if plan[i] shares an element with the set of the hung call and all that are held so far; "
        "sets share elements where `&` of them is not empty.",
    ),
    solution='''
def held(plan, hung):
    """Return the positions that a hung call holds up."""
    stuck = {hung}
    if plan.calls[hung].kind == "read":
        return set()
    for position in range(len(plan)):
        if plan[position] & stuck:
            stuck.add(position)
    return stuck - {hung}
''',
    given=given,
)
