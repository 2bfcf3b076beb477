"""08.1: calls beyond a limit are not run, and answered all the same."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.loops.samples import asked, message_with, reached, text_of
from labkit.history import broken


def calls() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"asked": asked, "broken": broken, "message_with": message_with, "reached": reached, "text_of": text_of}


def _refused(count: int) -> Wanted:
    code = "ERROR [too_many_calls]"
    return Wanted(
        f"{count} texts that begin with {code}",
        lambda value: (
            isinstance(value, list)
            and len(value) == count
            and all(isinstance(each, str) and each.startswith(code) for each in value)
        ),
    )


def _names(limit: int) -> Wanted:
    return Wanted(
        f"a text in which {limit} stands",
        lambda value: (
            isinstance(value, str) and str(limit) in "".join(c if c.isdigit() else " " for c in value).split()
        ),
    )


ANSWER_ALL = Exercise(
    id="08.1",
    title="Too many, and each answered",
    names=("answer_all",),
    cases=(
        Case(
            "no calls, no answers",
            "answer_all([], text_of, 2)",
            [],
            "What does your function do where there is no last call?",
        ),
        Case(
            "below the limit every call is run, and answered with what it said",
            "[m['content'] for m in answer_all(asked(2), text_of, 3)]",
            ["text of 1.txt", "text of 2.txt"],
            "`run(call)` returns the text. Where does it go?",
        ),
        Case(
            "each answer names its call, in the order of the calls",
            "[m['tool_call_id'] for m in answer_all(asked(4), text_of, 2)]",
            ["call_1", "call_2", "call_3", "call_4"],
            "Four calls were asked for. How many messages do you return, and in which order?",
        ),
        Case(
            "the history is whole: a call, an answer",
            "broken([message_with(asked(5)), *answer_all(asked(5), text_of, 2)])",
            [],
            "Whoever asked gets an answer, and only one. Is any call left out, or answered twice?",
        ),
        Case(
            "every answer is a tool message",
            "{m['role'] for m in answer_all(asked(3), text_of, 1)}",
            {"tool"},
            "A message needs `role`, `content` and `tool_call_id`, also where nothing was run.",
        ),
        Case(
            "only the first calls are run",
            "reached(answer_all, 5, 2)",
            ["call_1", "call_2"],
            "`reached` counts what your function has really run. Is the limit asked before or after `run`?",
        ),
        Case(
            "a call that is not run says so, with its code in front",
            "[m['content'] for m in answer_all(asked(4), text_of, 2)][2:]",
            _refused(2),
            "The model has to see that these were not run. How does a failed content begin in this course?",
        ),
        Case(
            "the text names the limit",
            "answer_all(asked(9), text_of, 3)[8]['content']",
            _names(3),
            "What would the model have to know to do better the next time? Does your text take it from `limit`?",
        ),
        Case(
            "as many calls as the limit allows are all run",
            "reached(answer_all, 3, 3)",
            ["call_1", "call_2", "call_3"],
            "How many calls may stand before one that is too many? Count from 0.",
        ),
        Case(
            "order is position: calls that share an id are told apart",
            "[(m['tool_call_id'], m['content'][:7]) for m in answer_all(3 * asked(1), text_of, 2)]",
            [("call_1", "text of"), ("call_1", "text of"), ("call_1", "ERROR [")],
            "All three have the id `call_1`. Does your function look calls up by their id?",
        ),
        Case(
            "the calls stay as they are: they stand in the history",
            "[(answer_all(some, text_of, 1), some == asked(3))[1] for some in [asked(3)]]",
            [True],
            "The model's message holds this very list and these very dicts. Does your function change one of them?",
        ),
    ),
    hints=(
        "Go through all calls. What differs between the first ones and the rest is only the content.",
        "`enumerate(calls)` gives the place of each, from 0. A call whose place is below the limit is run.",
        "For each place and call: content = run(call) if place < limit else a text that begins with "
        "ERROR [too_many_calls] and names the limit. Append role, content and tool_call_id.",
    ),
    solution='''
def answer_all(calls, run, limit):
    """Return one tool message per call; run the first ones only."""
    refusal = (
        f"ERROR [too_many_calls]: not run: at most {limit} calls are"
        " taken from one message; ask for the rest in the next turn"
    )
    messages = []
    for place, call in enumerate(calls):
        message = {"role": "tool", "tool_call_id": call["id"]}
        message["content"] = run(call) if place < limit else refusal
        messages.append(message)
    return messages
''',
    given=calls,
)
