"""08.2: tell a circle from work that repeats itself for a reason."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.loops.samples import edited, look, search, tested
from labkit.guard import fingerprint


def rounds() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"edited": edited, "fingerprint": fingerprint, "look": look, "search": search, "tested": tested}


CIRCLES = Exercise(
    id="08.2",
    title="A circle, or work",
    names=("circles",),
    cases=(
        Case(
            "what has not begun has not gone round",
            "circles([], 3)",
            False,
            "What does your function return where there is no round at all?",
        ),
        Case(
            "three equal rounds are a circle",
            'circles([look("a.txt"), look("a.txt"), look("a.txt")], 3)',
            True,
            "Same tool, same arguments, same content, three times. What do you count?",
        ),
        Case(
            "two are not yet three",
            'circles([look("a.txt"), look("a.txt")], 3)',
            False,
            "From which count on is it a circle?",
        ),
        Case(
            "another limit counts too",
            'circles([look("a.txt"), look("a.txt")], 2)',
            True,
            "Does your function ask for `limit`, or for a number of its own?",
        ),
        Case(
            "equal rounds need not follow each other",
            'circles(2 * [look("a.txt"), look("b.txt")] + [look("a.txt")], 3)',
            True,
            "a, b, a, b, a. How often does a stand there? Do you only compare neighbours?",
        ),
        Case(
            "another file is another round",
            'circles([look("a.txt"), look("b.txt"), look("c.txt")], 3)',
            False,
            "The tool and the content are the same here. What else belongs to a round?",
        ),
        Case(
            "another tool is another round",
            'circles([look("a.txt", "x"), search(\'{"path": "a.txt"}\', "x"), look("a.txt", "x")], 3)',
            False,
            "The arguments and the content are the same here. What else belongs to a round?",
        ),
        Case(
            "polling that makes progress is no circle",
            'circles([look("log.txt", f"{n} of 9") for n in range(9)], 3)',
            False,
            "The call is the same, and each time something new came back. Is the content part of what you count?",
        ),
        Case(
            "polling that stands still is one",
            'circles([look("log.txt", "0 of 9") for n in range(9)], 3)',
            True,
            "Nine times the same content. Where does the count get lost?",
        ),
        Case(
            "the order of keys makes no other call",
            'circles([search(\'{"q": "x", "n": 1}\'), search(\'{"n":1.0, "q":"x"}\')], 2)',
            True,
            "One call, spelled in two ways. Which function of this chapter knows that?",
        ),
        Case(
            "another value is another call",
            'circles([search(\'{"q": "x", "n": 1}\'), search(\'{"q": "x", "n": true}\')], 2)',
            False,
            "1 and true are equal in Python, and two values in JSON. What do you compare?",
        ),
        Case(
            "test, edit, test, edit is work",
            "circles([tested(), edited(), tested(), edited(), tested()], 3)",
            False,
            "After an edit the same result is news. What should be left of the count then?",
        ),
        Case(
            "after a change the count begins at zero, for all other rounds",
            'circles([look("a.txt"), look("a.txt"), edited(), look("a.txt"), look("a.txt")], 3)',
            False,
            "Two before the edit and two after it. Are they added up?",
        ),
        Case(
            "a circle after a change is a circle",
            'circles([edited(), look("a.txt"), look("a.txt"), look("a.txt")], 3)',
            True,
            "The run went on after the edit, and then nothing changed any more. Where does your function stop to look?",
        ),
        Case(
            "only what has changed something ends a count",
            "circles([tested(), tested(), tested()], 3)",
            True,
            "Nothing was changed by these. Does your function forget what it has counted, all the same?",
        ),
        Case(
            "a round that changed nothing ends no count",
            'circles([look("a.txt"), tested(), look("a.txt"), tested(), look("a.txt")], 3)',
            True,
            "The tests changed nothing here, and say so. Do they empty the counts in your function?",
        ),
        Case(
            "any tool may have changed something",
            'circles([look("a.txt"), look("a.txt"), tested()._replace(changed=True), look("a.txt")], 3)',
            False,
            "This run of the tests wrote a file, and says so. Do you ask `changed`, or do you go by the tool's name?",
        ),
        Case(
            "another content in between does not hide a circle",
            'circles([look("a.txt", text) for text in "xyxyx"], 3)',
            True,
            "x, y, x, y, x. How often does the round with x stand there? Do you compare only with the last content?",
        ),
        Case(
            "a round that changed something is a round, too",
            "[circles([edited()], limit) for limit in (1, 2)]",
            [True, False],
            "One edit, and a limit of one. Is a round that changed something counted itself?",
        ),
        Case(
            "the same change again and again is a circle",
            "[circles(times * [edited()], 3) for times in (2, 3)]",
            [False, True],
            "The same mail three times is one mail too many. What does a change leave of its own count?",
        ),
        Case(
            "changes in turn begin each other's count anew",
            'circles(4 * [edited("a.py"), edited("b.py")], 3)',
            False,
            "An edit of b stands between two edits of a. Which counts does a change leave as they are?",
        ),
        Case(
            "a circle that was closed before a change is a circle",
            'circles(3 * [look("a.txt")] + [edited()], 3)',
            True,
            "Do you look only at what came after the last change?",
        ),
        Case(
            "to look is not to take away: the list can be judged again",
            '[circles(some, 3) for some in [3 * [look("a.txt")]] for _ in "ab"]',
            [True, True],
            "What is left in the list after your function?",
        ),
    ),
    hints=(
        "Go through the rounds and keep a count for each different one. Three things make a round what it is.",
        "The key is a tuple: the tool's name, `fingerprint(round.call)`, and the content. A round that changed "
        "something empties all counts but its own.",
        "For each r: make the key. If r.changed, keep only counts[key]. Add 1 under the key; return True where the "
        "count has reached the limit. After the loop, return False.",
    ),
    solution='''
from collections import Counter


def circles(rounds, limit):
    """Say whether a run has gone round in a circle."""
    counts = Counter()
    for r in rounds:
        key = (r.call.name, fingerprint(r.call), r.content)
        if r.changed:
            counts = Counter({key: counts[key]})
        counts[key] += 1
        if counts[key] == limit:
            return True
    return False
''',
    given=rounds,
)
