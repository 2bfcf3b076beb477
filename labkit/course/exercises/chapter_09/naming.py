"""09.2: names that every server takes, no two of them the same."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.wires.samples import all_legal


def judges() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"all_legal": all_legal}


LEGAL_NAMES = Exercise(
    id="09.2",
    title="Legal names, and no two the same",
    names=("legal_names",),
    cases=(
        Case(
            "a legal name is sent as it is",
            'legal_names(["get_weather", "calc-2", "readFile"])',
            {"get_weather": "get_weather", "calc-2": "calc-2", "readFile": "readFile"},
            "Digits, underscores, hyphens and capital letters are legal. What does your code make of them?",
        ),
        Case(
            "what is not legal becomes an underscore",
            'legal_names(["weather.get", "read: file"])',
            {"weather.get": "weather_get", "read: file": "read__file"},
            "One character that is not legal, one underscore.",
        ),
        Case(
            "legal letters are a to z, and no others",
            'all_legal(legal_names(["größe", "größere"]))',
            True,
            "`isalnum` and `\\w` let `ö` through. The rule names the letters one by one.",
        ),
        Case(
            "a line break at the end is not legal either",
            'all_legal(legal_names(["calc\\n", "look"]))',
            True,
            "In Python `$` also matches before a line break at the end. `re.fullmatch` looks at the whole name.",
        ),
        Case(
            "a name of 64 characters is legal",
            'legal_names(["n" * 64, "n" * 64 + "."])["n" * 64] == "n" * 64',
            True,
            "64 are allowed, and a legal name stays as it is. Where does your code begin to shorten?",
        ),
        Case(
            "at most 64 characters",
            'all_legal(legal_names(["n" * 80]))',
            True,
            "The name has 80 characters. How many does yours have?",
        ),
        Case(
            "two names that come to the same are told apart",
            'all_legal(legal_names(["a.b", "a:b", "a b"]))',
            True,
            "All three become `a_b`. A call of `a_b` would reach the wrong tool.",
        ),
        Case(
            "no tool is left out",
            'sorted(legal_names(["a.b", "a:b", "a b"]))',
            ["a b", "a.b", "a:b"],
            "Three tools are declared. A tool that has no name on the wire can't be called.",
        ),
        Case(
            "a name that was legal keeps it, also where it comes later",
            'legal_names(["a.b", "a_b"])["a_b"]',
            "a_b",
            "Which names are taken before the first one is changed?",
        ),
        Case(
            "two long names stay apart, and short enough",
            'all_legal(legal_names(["n" * 70, "n" * 80, "n" * 64]))',
            True,
            "What tells them apart comes after the 64th character, or makes the name too long.",
        ),
        Case(
            "twelve long names stay apart, too",
            'all_legal(legal_names(["n" * 70 + str(number) for number in range(12)]))',
            True,
            "Counting up, a number gets a second digit. Is there room for it?",
        ),
        Case(
            "a made name is not one that is there already",
            'all_legal(legal_names(["a.b", "a:b", "a_b", "a_b_1", "a_b_2", "a_b_3"]))',
            True,
            "What you add to a name can make a name that somebody else has. Look again after adding.",
        ),
    ),
    hints=(
        "First collect the names that are legal as they are: they are taken. Then deal with the others, one by one.",
        "Put an underscore for every character outside a-zA-Z0-9_- with `re.sub`, shorten, and add a number as long "
        "as the name is taken. Leave room for the number when you shorten.",
        'short = re.sub("[^a-zA-Z0-9_-]", "_", name)[:60]; then count up while f"{short}_{number}" is taken.',
    ),
    solution='''
def legal_names(names):
    """Return what is sent for each name; no two the same."""
    legal = re.compile(r"[a-zA-Z0-9_-]{1,64}")
    sent = {name: name for name in names if legal.fullmatch(name)}
    for name in names:
        if name not in sent:
            short = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:60]
            made, number = short, 1
            while made in sent.values():
                number += 1
                made = f"{short}_{number}"
            sent[name] = made
    return sent
''',
    given=judges,
)
