"""11.1: take the one decision out of a reply, or nothing."""

from __future__ import annotations

import json
from typing import Any

from labkit.course.exercise import Case, Exercise

ONE = {"name": "calc", "arguments": {"expression": "6 * 7"}}
OTHER = {"name": "run_test", "arguments": {}}


def _run(text: str) -> str:
    return f"read_envelope({text!r})"


def _of(value: Any) -> str:
    return _run(json.dumps(value))


READ_ENVELOPE = Exercise(
    id="11.1",
    title="One decision or nothing",
    names=("read_envelope",),
    cases=(
        Case(
            "an answer is returned as it stands there",
            _of({"answer": "42"}),
            {"answer": "42"},
            "What does `parse_arguments` make of this text? That is already the dict to return.",
        ),
        Case(
            "calls are returned with their thought",
            _of({"thought": "both", "tool_calls": [ONE, OTHER]}),
            {"thought": "both", "tool_calls": [ONE, OTHER]},
            "Which keys may stand beside `tool_calls`? `arguments` may be empty, too.",
        ),
        Case(
            "calls come without a thought, too",
            _of({"tool_calls": [ONE]}),
            {"tool_calls": [ONE]},
            "The thought is optional. What does your function do where there is none?",
        ),
        Case(
            "an answer comes with a thought, too",
            _of({"thought": "enough", "answer": "42"}),
            {"thought": "enough", "answer": "42"},
            "A thought may stand in both forms.",
        ),
        Case(
            "prose before the object is not skipped",
            _run('Sure: {"answer": "42"}'),
            None,
            "Where does your function look for the brace? Nothing may stand around the object.",
        ),
        Case(
            "of two objects none is chosen",
            _run('{"answer": "42"}\n{"answer": "43"}'),
            None,
            "Which of the two would be the decision? A reader that can't know takes neither.",
        ),
        Case(
            "of two equal keys none is chosen",
            _run('{"answer": "42", "answer": "43"}'),
            None,
            "`json.loads` takes the last one and says nothing. What does chapter 03 use?",
        ),
        Case(
            "calls and an answer at once are no decision",
            _of({"tool_calls": [ONE], "answer": "42"}),
            None,
            "Is the run over, or not? Whichever you ask for first would win.",
        ),
        Case(
            "an answer that is null is a key, too",
            _of({"tool_calls": [ONE], "answer": None}),
            None,
            "Do you ask whether the key is there, or what stands in it?",
        ),
        Case(
            "an empty list beside an answer is a key, too",
            _of({"tool_calls": [], "answer": "42"}),
            None,
            "Exactly one key, whatever stands in it.",
        ),
        Case(
            "an object with neither key is no decision",
            _of({"thought": "hm"}),
            None,
            "There is a thought, and nothing to do. What would the loop take this for?",
        ),
        Case(
            "an empty list of calls is no decision",
            _of({"tool_calls": []}),
            None,
            "`all` of nothing is true. How many calls must there be?",
        ),
        Case(
            "the calls stand in a list, also a single one",
            _of({"tool_calls": ONE}),
            None,
            "A dict can be gone through as well: what would your loop get to see?",
        ),
        Case(
            "a call is an object",
            _of({"tool_calls": [ONE, "calc(1)"]}),
            None,
            "What does your function ask a call before it looks for its name?",
        ),
        Case(
            "every call is looked at",
            _of({"tool_calls": [ONE, {"arguments": {}}]}),
            None,
            "The first call is fine. The second has no name.",
        ),
        Case(
            "a call has no other keys",
            _of({"tool_calls": [ONE | {"id": "call_1"}]}),
            None,
            "A call has two keys and no other. `is_call` knows.",
        ),
        Case(
            "the name is a text",
            _of({"tool_calls": [{"name": 7, "arguments": {}}]}),
            None,
            "There is a name. Of which type is it?",
        ),
        Case(
            "arguments are an object, and no text",
            _of({"tool_calls": [{"name": "calc", "arguments": '{"expression": "1"}'}]}),
            None,
            "A tool is called with `**arguments`. Of which type must they be?",
        ),
        Case(
            "an answer is a text",
            _of({"answer": 42}),
            None,
            "It is an answer to a person. Of which type is this one?",
        ),
        Case(
            "an empty answer is none",
            _of({"answer": ""}),
            None,
            "The user would get to read this.",
        ),
        Case(
            "a thought is a text",
            _of({"thought": ["a", "b"], "answer": "42"}),
            None,
            "The thought goes into the history, as the content of a message.",
        ),
        Case(
            "a thought beside calls is a text as well, and null is none",
            _of({"thought": None, "tool_calls": [ONE]}),
            None,
            "A thought may be left out. Here it is there, and it is no text.",
        ),
        Case(
            "a foreign key beside calls is not passed over either",
            _of({"tool_calls": [ONE], "final": True}),
            None,
            "Do both forms ask for their keys, and no other?",
        ),
        Case(
            "a key that nobody has agreed on is not passed over",
            _of({"answer": "42", "tool": "calc"}),
            None,
            "Did the model mean to call something? Which keys are allowed, and what becomes of another?",
        ),
    ),
    hints=(
        "parse_arguments does the first step. What is left is to look at a dict, and to say no where you are not sure.",
        'Take the keys without "thought". They must be exactly {"answer"} or exactly {"tool_calls"}.',
        "is_call says whether one call is good. The list must be a list, not empty, and all of it good; an answer must "
        "be a str, and not empty.",
    ),
    solution='''
def read_envelope(text):
    """Return the decision in a reply, or None."""
    try:
        said = parse_arguments(text)
    except CallRefused:
        return None
    good = False
    match said, set(said) - {"thought"}:
        case {"answer": str(answer)}, keys if keys == {"answer"}:
            good = answer
        case {"tool_calls": list(calls)}, keys if keys == {"tool_calls"}:
            good = calls and all(map(is_call, calls))
    thought = said.get("thought", "")
    return said if good and isinstance(thought, str) else None
''',
)
