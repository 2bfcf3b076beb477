"""07.1: complete the history of a run that was broken off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labkit import history
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.recovery.samples import turn

Message = dict[str, Any]


def given() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"turn": turn, "history": history}


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(message, dict) for message in value)


def _added(count: int, ids: Sequence[str]) -> Wanted:
    """The whole list, and behind its first ``count`` messages an answer to each of these ids."""

    def test(value: Any) -> bool:
        answers = value[count:] if _is_list(value) else None
        return answers is not None and [(m.get("role"), m.get("tool_call_id")) for m in answers] == [
            ("tool", id) for id in ids
        ]

    return Wanted(f"the {count} messages, then tool messages for {', '.join(ids)}", test)


def _same(messages: list[Message]) -> Wanted:
    return Wanted("the messages as they are", lambda value: value == messages)


def _as_before(messages: list[Message]) -> Wanted:
    wanted = f"the {len(messages)} messages unchanged, and one more"
    return Wanted(wanted, lambda value: _is_list(value) and value[:-1] == messages)


ERROR = Wanted('a text that begins with "ERROR"', lambda value: isinstance(value, str) and value.startswith("ERROR"))

CLOSE_GAP = Exercise(
    id="07.1",
    title="Close the gap",
    names=("close_gap",),
    cases=(
        Case(
            "a call without an answer gets one",
            'close_gap(turn("call_1"))',
            _added(2, ["call_1"]),
            "What does the list need behind the message that asked? Look at the shape of a tool message.",
        ),
        Case(
            "the answer says that something went wrong",
            'close_gap(turn("call_1"))[-1].get("content")',
            ERROR,
            "What would a model make of an answer that says nothing? The task names the first word.",
        ),
        Case(
            "what stood in the list stays in it",
            'close_gap(turn("call_1", "call_2", answered=1))',
            _as_before(turn("call_1", "call_2", answered=1)),
            "Does your function keep the answers that are there, and put the missing one behind them?",
        ),
        Case(
            "several missing answers stand in the order of the calls",
            'close_gap(turn("a", "b", "c", "d", answered=1))',
            _added(3, ["b", "c", "d"]),
            "Four calls, one answer. How many are missing, and which of them comes first?",
        ),
        Case(
            "an id may occur twice in one turn",
            'close_gap(turn("same", "same", answered=1))',
            _added(3, ["same"]),
            "There is one answer with this id, and there are two calls. Do you go by ids, or by position?",
        ),
        Case(
            "an id may have been used in an earlier turn",
            'close_gap([*turn("call_1", answered=1), *turn("call_1")])',
            _added(5, ["call_1"]),
            "The first `call_1` is answered, in another turn. Which turn do you look at?",
        ),
        Case(
            "a run that ended well has no gap",
            'close_gap([*turn("call_1", answered=1), history.assistant("Done.")])',
            _same([*turn("call_1", answered=1), history.assistant("Done.")]),
            "The last message asks for nothing. What is there to answer?",
        ),
        Case(
            "there may be nothing at all yet",
            "close_gap([])",
            _same([]),
            "What does your function do with an empty list?",
        ),
        Case(
            "what was closed stays closed",
            'close_gap(close_gap(turn("a", "b", answered=1)))',
            _added(3, ["b"]),
            "The second time, every call is answered. Does your function count the answers that it made itself?",
        ),
        Case(
            "the list that was handed in is left alone",
            '[(m, close_gap(m))[0] for m in [turn("call_1")]][0]',
            _same(turn("call_1")),
            "`append` and `+=` change the caller's list. Begin with a list of your own.",
        ),
    ),
    hints=(
        "Ask history.last_turn for the calls of the last turn, and for how many of them there is an answer.",
        "Answers stand in call order, so the first `answered` calls have theirs: missing are calls[answered:].",
        'Return [*messages, *missing], where missing has {"role": "tool", "content": "ERROR …", "tool_call_id": '
        'call["id"]} for each call of calls[answered:].',
    ),
    solution='''
def close_gap(messages):
    """Return the messages, every call answered."""
    calls, answered = history.last_turn(messages)
    text = "ERROR [cancelled]: interrupted, the tool may have run"
    missing = [
        {"role": "tool", "content": text, "tool_call_id": call["id"]}
        for call in calls[answered:]
    ]
    return [*messages, *missing]
''',
    given=given,
)
