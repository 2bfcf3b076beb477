"""Three exercises of chapter 00: how long a run gets, a step that reads both forms, a step that nothing kills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted

MESSAGES = Exercise(
    id="00.1",
    title="How many messages a run has",
    names=("messages_at_end",),
    cases=(
        Case(
            "a run that asks for nothing has a task and an answer",
            "messages_at_end([0])",
            2,
            "Which message stands in the list before the loop begins, and which one ends it?",
        ),
        Case(
            "every call is answered by a message of its own",
            "messages_at_end([1, 1, 1, 0])",
            8,
            "Count the lines printed above: which of them come from the tools?",
        ),
        Case(
            "three calls in one message have three answers",
            "messages_at_end([3, 0])",
            6,
            "What does the last line of `loop` do, and how often in this turn?",
        ),
        Case(
            "the loop ends with the first message that asks for nothing",
            "messages_at_end([2, 0, 3, 0])",
            5,
            "Where does `loop` return? What becomes of the decisions after that?",
        ),
    ),
    hints=(
        "Three kinds of messages make up the list: the task, what the model says, what the tools say. Count each kind.",
        "Go through the decisions in order. Each adds its own message, and one more for every tool that it asks for.",
        "Begin with 1 for the task. For each number add 1 and the number itself, and stop after the first 0.",
    ),
    solution='''
def messages_at_end(asked):
    """Return how many messages there are when the loop ends."""
    count = 1
    for number in asked:
        count += 1 + number
        if number == 0:
            break
    return count
''',
)


def call(name: str, arguments: Any, id: str = "call_1") -> dict[str, Any]:
    """Return a call as a model sends it, as the chapter's helper does."""
    return {"id": id, "name": name, "arguments": arguments}


def raised_by(step: Callable[[Any], Any], call: dict[str, Any]) -> str:
    """Return the name of what a step raises over a call, or ``nothing``; the chapter's does the same."""
    try:
        step(call)
    except Exception as problem:
        return type(problem).__name__
    return "nothing"


READ_BOTH = Exercise(
    id="00.2",
    title="A step that reads text as well as a dict",
    names=("read_both",),
    cases=(
        Case(
            "arguments that are a dict come as they are",
            'read_both(call("read_file", {"path": "a.py"}))',
            {"path": "a.py"},
            "The first script of this chapter sends dicts. What does your step do with one?",
        ),
        Case(
            "arguments that are text are read as JSON",
            """read_both(call("read_file", '{"path": "a.py"}'))""",
            {"path": "a.py"},
            "Which function of `json` makes a value of text?",
        ),
        Case(
            "JSON spells some values in another way than Python",
            """read_both(call("list_files", '{"all": true}'))""",
            {"all": True},
            "Is every JSON text also Python? Look at how each of them writes the word true.",
        ),
        Case(
            "an empty text stands for no arguments",
            'read_both(call("run_test", ""))',
            {},
            "What is an empty text to `json`, and what should the tool get?",
        ),
        Case(
            "a broken text is not taken for a call without arguments",
            """raised_by(read_both, call("run_test", '{"all": tr'))""",
            Wanted('the name of an exception, and not "nothing"', lambda name: name != "nothing"),
            "Fault 5 was silent. What would the model learn here, if the tool ran without its arguments?",
        ),
        Case(
            "the call itself stays as the model sent it",
            """(c := call("run_test", "{}"), read_both(c), c["arguments"])[2]""",
            "{}",
            "The call stands in the list of messages. Who would notice if a step changed it?",
        ),
    ),
    hints=(
        "Two forms, two ways. Ask first which of the two you have, and do not guess from an error.",
        "`isinstance(value, str)` says whether the arguments are text. Only then `json` has work to do.",
        'An empty text can be replaced before it is read: `text or "{}"` is the text, or `"{}"` where there is none.',
    ),
    solution='''
def read_both(call):
    """Return the arguments of a call, sent as text or as a dict."""
    arguments = call["arguments"]
    if isinstance(arguments, str):
        return json.loads(arguments or "{}")
    return arguments
''',
    given=lambda: {"call": call, "raised_by": raised_by},
)


def price_of(drink: str) -> str:
    """Return a price from the list; dies with a KeyError for a drink that is not on it, as the chapter's does."""
    return {"tea": "4.20", "coffee": "5.10"}[drink]


def hours() -> str:
    """Return when the shop is open."""
    return "8 to 18"


SHOP: dict[str, Callable[..., str]] = {"price_of": price_of, "hours": hours}


def _is_error(content: object) -> bool:
    return isinstance(content, str) and content.startswith("ERROR")


def _names_the_tools(contents: object) -> bool:
    match contents:
        case [str() as content]:
            return _is_error(content) and all(name in content for name in ("cook", *SHOP))
    return False


def _names_its_own_tools(contents: object) -> bool:
    match contents:
        case [str() as content]:
            return _is_error(content) and "clean" in content and not any(name in content for name in SHOP)
    return False


def _first_failed(contents: object) -> bool:
    match contents:
        case [content, "4.20"]:
            return _is_error(content)
    return False


def _failed(contents: object) -> bool:
    match contents:
        case [str() as content]:
            return _is_error(content)
    return False


def _failed_in_the_tool(contents: object) -> bool:
    match contents:
        case [str() as content]:
            return _is_error(content) and "hours" not in content
    return False


RUN_SAFE = Exercise(
    id="00.3",
    title="A step that answers instead of dying",
    names=("run_safe",),
    cases=(
        Case(
            "a call that works is answered as before",
            'run_safe([("price_of", {"drink": "tea"})], shop)',
            ["4.20"],
            "What does `run` return? One text for each call, in a list.",
        ),
        Case(
            "an unknown name is answered with that name and the names there are",
            'run_safe([("cook", {})], shop)',
            Wanted("a list of one text: ERROR, the name cook, and the name of every tool in shop", _names_the_tools),
            "What would the model need to read, so that its next call can be right?",
        ),
        Case(
            "the names are those of the tools that were handed in",
            'run_safe([("cook", {})], {"clean": str})',
            Wanted("a list of one text: ERROR, the name clean, and no name of another shop", _names_its_own_tools),
            "Do the names come from `tools`, or do they stand in your text?",
        ),
        Case(
            "the calls after a failed one still run, each answer in its place",
            'run_safe([("cook", {}), ("price_of", {"drink": "tea"})], shop)',
            Wanted("a list of two texts: an ERROR, then '4.20'", _first_failed),
            "`loop` pairs calls and answers by their position. What does your step do after a failed call?",
        ),
        Case(
            "arguments that do not fit the tool are answered too",
            'run_safe([("price_of", {"cup": "tea"})], shop)',
            Wanted("a list of one text that begins with ERROR", _failed),
            "The name is right here, and Python can't call the function. In which line does that happen?",
        ),
        Case(
            "a tool that is there is not reported as unknown",
            'run_safe([("price_of", {"drink": "rum"})], shop)',
            Wanted("a list of one text: ERROR, and no list of other tools: this one was there", _failed_in_the_tool),
            "Two things can raise a KeyError in one line: the look-up of the tool, and the tool. Can you part them?",
        ),
    ),
    hints=(
        "There are two faults: the name is not among the tools, or the tool fails. Each needs a text of its own.",
        "Make a list and go through the calls. First ask whether the name is in `tools`; only then call the tool, "
        "inside a `try`.",
        'For an unknown name append f"ERROR: …" with the name and ", ".join(tools). Around the call of the tool put '
        "`except Exception as problem`, and append a text with type(problem).__name__.",
    ),
    solution='''
def run_safe(calls, tools):
    """Run the calls; a failure becomes a text for the model."""
    contents = []
    for name, arguments in calls:
        if name not in tools:
            known = ", ".join(tools)
            contents.append(f"ERROR: no tool {name}; there are {known}")
            continue
        try:
            contents.append(tools[name](**arguments))
        except Exception as problem:
            kind = type(problem).__name__
            contents.append(f"ERROR: {name} failed with {kind}")
    return contents
''',
    given=lambda: {"shop": dict(SHOP)},
)
