"""09.1: whatever a history went through, every call is answered once and right after it was asked."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.wires.samples import NOT_KEPT, asks, says, told
from labkit.history import assistant, user


def pieces() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"NOT_KEPT": NOT_KEPT, "asks": asks, "assistant": assistant, "says": says, "told": told, "user": user}


ANSWERED = Exercise(
    id="09.1",
    title="Every call answered once",
    names=("answered",),
    cases=(
        Case(
            "a message without calls is just kept",
            'answered([user("x")])',
            [{"role": "user", "content": "x"}],
            "Start with a new list, put the message in, and return the list.",
        ),
        Case(
            "what is sound stays as it is",
            'told(answered([user("x"), asks("a", "b"), says("a"), says("b"), assistant("y")]))',
            ["user", "asks a b", "a: fine", "b: fine", "assistant"],
            "Nothing is missing here, and nothing is too much.",
        ),
        Case(
            "a missing answer is put in, with the text of NOT_KEPT",
            'told(answered([user("x"), asks("a", "b"), says("a"), assistant("y")]))',
            ["user", "asks a b", "a: fine", f"b: {NOT_KEPT}", "assistant"],
            "Two calls, one answer. Go through the calls, not through the answers.",
        ),
        Case(
            "each missing answer is put in, at its call's place",
            'told(answered([asks("a", "b", "c"), says("b")]))',
            ["asks a b c", f"a: {NOT_KEPT}", "b: fine", f"c: {NOT_KEPT}"],
            "Two of three are missing, one before the answer that is there and one after it.",
        ),
        Case(
            "also at the very end",
            'told(answered([user("x"), asks("a")]))',
            ["user", "asks a", f"a: {NOT_KEPT}"],
            "The run broke off right after the model had asked. What comes after the last message of the list?",
        ),
        Case(
            "a second answer to the same call is left out, and the first one stays",
            'told(answered([asks("a"), says("a", "first"), says("a", "second")]))',
            ["asks a", "a: first"],
            "Which of the two does your dictionary keep?",
        ),
        Case(
            "an answer that nobody asked for is left out",
            'told(answered([user("x"), says("z"), asks("a"), says("z"), says("a")]))',
            ["user", "asks a", "a: fine"],
            "`z` was asked for by nobody: neither where it comes first, nor among the answers to `a`.",
        ),
        Case(
            "answers stand in the order of the calls",
            'told(answered([asks("a", "b"), says("b"), says("a")]))',
            ["asks a b", "a: fine", "b: fine"],
            "A server takes any order within a turn. Ours is that of the calls.",
        ),
        Case(
            "an id that comes again in a later turn has an answer of its own",
            'told(answered([asks("a"), says("a", "one"), user("x"), asks("a"), says("a", "two")]))',
            ["asks a", "a: one", "user", "asks a", "a: two"],
            "Ids are labels, used again in later turns. How far may your look-up reach?",
        ),
        Case(
            "an answer of an earlier turn answers no call of a later one",
            'told(answered([asks("a"), says("a"), asks("a"), user("x")]))',
            ["asks a", "a: fine", "asks a", f"a: {NOT_KEPT}", "user"],
            "`a` was answered in the turn before. Who answers it here?",
        ),
        Case(
            "an answer after another message comes too late",
            'told(answered([asks("a"), user("x"), says("a")]))',
            ["asks a", f"a: {NOT_KEPT}", "user"],
            "The tool messages of a turn end at the first message of another role.",
        ),
        Case(
            "what is kept is kept whole",
            'answered([{"role": "system", "content": "s"}, {**asks("a", "b"), "content": "Both."}, '
            '{**says("a", "late"), "error": {"code": "timeout"}}, says("b", "")])',
            [
                {"role": "system", "content": "s"},
                {**asks("a", "b"), "content": "Both."},
                {**says("a", "late"), "error": {"code": "timeout"}},
                says("b", ""),
            ],
            "All of it was there already: each role, each field, and an answer that is empty. What did you make anew?",
        ),
        Case(
            "the list that was given stays as it is, and each message in it",
            '[(answered(some) is some, some == [asks("a", "b"), says("b")]) for some in [[asks("a", "b"), says("b")]]]',
            [(False, True)],
            "History is what happened. Build a new list.",
        ),
    ),
    hints=(
        "Walk through the messages. A tool message is never copied by itself: it comes in with its call.",
        "After each message that is kept, collect the tool messages that follow it directly, by id, the first one of "
        "each id. Then go through the message's calls and take the answer, or make one.",
        "For the collecting: `for each in messages[position + 1:]`, with a `break` at the first other role, "
        "and `setdefault` into a new dictionary. For the calls: message.get('tool_calls', ()), and says(id, NOT_KEPT).",
    ),
    solution='''
def answered(messages):
    """Return the messages with every call answered once."""
    kept = []
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        kept.append(message)
        found = {}
        for each in messages[position + 1 :]:
            if each["role"] != "tool":
                break
            found.setdefault(each["tool_call_id"], each)
        for call in message.get("tool_calls", ()):
            missing = says(call["id"], NOT_KEPT)
            kept.append(found.get(call["id"], missing))
    return kept
''',
    given=pieces,
)
