"""11.2: write the schema that holds a server to one decision, with the arguments of the tool that is named."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise

TWO_TOOLS: dict[str, Any] = {
    "water": {
        "type": "object",
        "properties": {"plant": {"type": "string"}, "litres": {"type": "number"}},
        "required": ["plant", "litres"],
        "additionalProperties": False,
    },
    "light": {
        "type": "object",
        "properties": {"on": {"type": "boolean"}},
        "required": ["on"],
        "additionalProperties": False,
    },
}
WATER = {"name": "water", "arguments": {"plant": "mint", "litres": 0.5}}
LIGHT = {"name": "light", "arguments": {"on": True}}


def accepts(schema: Any, value: Any) -> Any:
    """Say whether a value fits a JSON schema."""
    from jsonschema import Draft202012Validator

    if schema is ...:  # the stub: an unfinished answer stays one
        return schema
    return bool(Draft202012Validator(schema).is_valid(value))


def garden() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter has them, too."""
    return {"accepts": accepts, "two_tools": TWO_TOOLS}


def _run(value: Any, tools: str = "two_tools") -> str:
    return f"accepts(envelope_of({tools}), {value!r})"


MOW = "{'mow': {'type': 'object', 'properties': {'fast': {'type': 'boolean'}}, 'additionalProperties': False}}"


ENVELOPE_OF = Exercise(
    id="11.2",
    title="A schema for a decision",
    names=("envelope_of",),
    cases=(
        Case(
            "a call of a tool with its arguments fits",
            _run({"tool_calls": [WATER]}),
            True,
            "What does your schema say of `name`, and what of `arguments`?",
        ),
        Case(
            "an answer fits",
            _run({"answer": "done"}),
            True,
            "A decision has two forms. Where does your schema offer the second one?",
        ),
        Case(
            "several calls fit, of different tools",
            _run({"tool_calls": [WATER, LIGHT, WATER]}),
            True,
            "What may stand in the list: the call of one tool, or of any?",
        ),
        Case(
            "it is made for the tools that are given",
            _run({"tool_calls": [{"name": "mow", "arguments": {"fast": True}}]}, MOW),
            True,
            "Another tool this time. Where does your schema take the names from?",
        ),
        Case(
            "what a tool does not require may be left out",
            _run({"tool_calls": [{"name": "mow", "arguments": {}}]}, MOW),
            True,
            "The schema of a tool's arguments says itself what must be there. Is it in yours as it is?",
        ),
        Case(
            "a tool that does not exist does not fit",
            _run({"tool_calls": [{"name": "mow", "arguments": {"on": True}}]}),
            False,
            "Which names does your schema allow?",
        ),
        Case(
            "the arguments of one tool do not fit another",
            _run({"tool_calls": [{"name": "light", "arguments": WATER["arguments"]}]}),
            False,
            "Name and arguments have to be chosen *together*. Where do you choose?",
        ),
        Case(
            "arguments fit the declaration",
            _run({"tool_calls": [{"name": "water", "arguments": {"plant": "mint", "litres": "much"}}]}),
            False,
            "The schema of each tool's arguments is in `two_tools`. Where does it stand in yours?",
        ),
        Case(
            "arguments have no key that was not declared",
            _run({"tool_calls": [{"name": "light", "arguments": {"on": True, "plant": "mint"}}]}),
            False,
            "Is the schema of the arguments in yours as it is in `two_tools`?",
        ),
        Case(
            "every call in the list has to fit",
            _run({"tool_calls": [WATER, {"name": "mow", "arguments": {}}]}),
            False,
            "The first call is fine. Which keyword speaks of *all* items of a list?",
        ),
        Case(
            "a call without arguments does not fit",
            _run({"tool_calls": [{"name": "light"}]}),
            False,
            "`properties` says what a key holds if it is there. What says that it must be there?",
        ),
        Case(
            "a call has no other keys",
            _run({"tool_calls": [LIGHT | {"id": "call_1"}]}),
            False,
            "Ids are ours to make. Which keyword closes an object?",
        ),
        Case(
            "an empty list of calls does not fit",
            _run({"tool_calls": []}),
            False,
            "How many items does a list need at least? There is a keyword for it.",
        ),
        Case(
            "a call outside a list does not fit",
            _run({"tool_calls": WATER}),
            False,
            "Of which type is `tool_calls`?",
        ),
        Case(
            "calls and an answer at once do not fit",
            _run({"tool_calls": [WATER], "answer": "done"}),
            False,
            "The two forms are two objects. Is each of them closed?",
        ),
        Case(
            "an answer that is null is a key, too",
            _run({"tool_calls": [WATER], "answer": None}),
            False,
            "Which keys does the form with `tool_calls` have room for?",
        ),
        Case(
            "an empty list beside an answer is a key, too",
            _run({"tool_calls": [], "answer": "done"}),
            False,
            "Which keys does the form with `answer` have room for?",
        ),
        Case(
            "there is no room for a thought here",
            _run({"thought": "dry", "answer": "done"}),
            False,
            "The task is a decision without a thought.",
        ),
        Case(
            "a list of calls alone is no decision",
            _run([WATER]),
            False,
            "Of which type is a decision? `properties` says nothing about a list.",
        ),
        Case(
            "a text alone is no decision",
            _run("done"),
            False,
            "Of which type is a decision? `properties` says nothing about a text.",
        ),
        Case(
            "an object with neither does not fit",
            _run({}),
            False,
            "What must stand in each of the two forms?",
        ),
        Case(
            "an empty answer does not fit",
            _run({"answer": ""}),
            False,
            "How long is a text at least? There is a keyword for it.",
        ),
        Case(
            "an answer is a text",
            _run({"answer": ["done"]}),
            False,
            "Of which type is `answer`?",
        ),
    ),
    hints=(
        "Build it from the inside: the call of one tool, a list of calls of any tool, the two forms.",
        'The call of one tool is closed(name={"const": name}, arguments=parameters). "Any of these" is anyOf.',
        'tool_calls is an array with minItems 1 and items {"anyOf": [...]}; answer is a string with minLength 1; both '
        "forms are made by closed, and stand in an anyOf.",
    ),
    solution='''
def envelope_of(tools):
    """Return the schema of a decision over these tools."""
    calls = [
        closed(name={"const": name}, arguments=parameters)
        for name, parameters in tools.items()
    ]
    asked = {"type": "array", "minItems": 1, "items": {"anyOf": calls}}
    answer = {"type": "string", "minLength": 1}
    return {"anyOf": [closed(tool_calls=asked), closed(answer=answer)]}
''',
    given=garden,
)
