"""11.3: judge a reply by four measures, two of form and two of choice."""

from __future__ import annotations

import json
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.protocols.judging import fitting

OSLO = {"name": "get_weather", "arguments": {"city": "Oslo", "date": "2026-09-03"}}
GUARD = {"name": "web_search", "arguments": {"query": "retry guard", "top_k": 4}}


def tasks() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter has them, too."""
    return {"fitting": fitting, "oslo": OSLO, "guard": GUARD}


def _four(*verdicts: bool) -> Wanted:
    """The wish for four verdicts, in a tuple or in a list."""

    def are(value: Any) -> bool:
        return isinstance(value, tuple | list) and [*value] == [*verdicts] and all(type(v) is bool for v in value)

    return Wanted(repr(verdicts), are)


def _run(reply: Any, wanted: str = "oslo") -> str:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return f"judged({text!r}, {wanted})"


JUDGED = Exercise(
    id="11.3",
    title="Four measures",
    names=("judged",),
    cases=(
        Case(
            "a reply that is right is right in all four",
            _run(OSLO),
            _four(True, True, True, True),
            "Which of the four says no? Print them one by one.",
        ),
        Case(
            "a reply that can't be read is nothing",
            _run("Sure: " + json.dumps(OSLO)),
            _four(False, False, False, False),
            "`parse_arguments` refuses this text. What does your function return then?",
        ),
        Case(
            "an empty reply is no object",
            _run(" \n"),
            _four(False, False, False, False),
            "Chapter 03 reads empty arguments as `{}`. Is an empty *reply* an object?",
        ),
        Case(
            "null is no object",
            _run("null"),
            _four(False, False, False, False),
            "Chapter 03 reads `null` as `{}`, too: no arguments. Is it an object as a *reply*?",
        ),
        Case(
            "a list is no object",
            _run([OSLO]),
            _four(False, False, False, False),
            "The reply is JSON. Is it one object?",
        ),
        Case(
            "a tool that does not exist is parsed, and no more",
            _run({"name": "weather", "arguments": OSLO["arguments"]}),
            _four(True, False, False, False),
            "What does `fitting` return for a name that is not there?",
        ),
        Case(
            "a name in other capitals is another name",
            _run({"name": "Get_Weather", "arguments": OSLO["arguments"]}),
            _four(True, False, False, False),
            "`fitting` knows no such tool, and a runtime wouldn't either. Does your function?",
        ),
        Case(
            "the right tool counts, also where its arguments do not fit",
            _run({"name": "get_weather", "arguments": {"city": "Oslo"}}),
            _four(True, False, True, False),
            "The choice of the tool and the form of its arguments are two things. Does one of yours hang on the other?",
        ),
        Case(
            "another tool may be called without any fault of form",
            _run({"name": "calc", "arguments": {"expression": "1 + 1"}}),
            _four(True, True, False, False),
            "Valid means: this could be run. Does your function ask for the tool that was wanted?",
        ),
        Case(
            "another city has the right form and the wrong content",
            _run({"name": "get_weather", "arguments": {"city": "Rome", "date": "2026-09-03"}}),
            _four(True, True, True, False),
            "Does your function compare the arguments?",
        ),
        Case(
            "another day is wrong, too",
            _run({"name": "get_weather", "arguments": {"city": "Oslo", "date": "2026-09-04"}}),
            _four(True, True, True, False),
            "Does your function compare all of the arguments?",
        ),
        Case(
            "the order of keys means nothing",
            _run('{"arguments": {"date": "2026-09-03", "city": "Oslo"}, "name": "get_weather"}'),
            _four(True, True, True, True),
            "Do you compare texts, or what they mean?",
        ),
        Case(
            "a default that is left out is as good as one that is written",
            _run({"name": "web_search", "arguments": {"query": "retry guard"}}, "guard"),
            _four(True, True, True, True),
            "`fitting` returns the arguments with the defaults filled in. Which of the two do you compare?",
        ),
        Case(
            "a default is wrong where something else was wanted",
            _run(
                {"name": "web_search", "arguments": {"query": "retry guard"}},
                "guard | {'arguments': {'query': 'retry guard', 'top_k': 2}}",
            ),
            _four(True, True, True, False),
            "What is missing in a reply stands for the default. Is the default what was wanted?",
        ),
        Case(
            "arguments as text do not fit",
            _run({"name": "get_weather", "arguments": json.dumps(OSLO["arguments"])}),
            _four(True, False, True, False),
            "Is it for the judge to mend a reply?",
        ),
        Case(
            "an object without a name is parsed, and no more",
            _run({"tool": "get_weather", "args": {}}),
            _four(True, False, False, False),
            "What does your function do where a key is not there?",
        ),
    ),
    hints=(
        "parse_arguments says whether it is parsed, fitting says whether it is valid. The other two compare.",
        "An empty text and null must be caught: parse_arguments reads both as {}. An object has a brace. Take name and "
        "arguments with get: they may be missing.",
        "values = fitting(name, arguments). Valid is: values is not None. The right arguments are values == "
        'wanted["arguments"], and the right tool with them.',
    ),
    solution='''
def judged(reply, wanted):
    """Return parsed, valid, right tool, right arguments."""
    try:
        said = parse_arguments(reply) if "{" in reply else None
    except CallRefused:
        said = None
    if said is None:
        return False, False, False, False
    values = fitting(said.get("name"), said.get("arguments"))
    right_tool = said.get("name") == wanted["name"]
    right = right_tool and values == wanted["arguments"]
    return True, values is not None, right_tool, right
''',
    given=tasks,
)
