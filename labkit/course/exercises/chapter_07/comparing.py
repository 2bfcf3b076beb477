"""07.3: say what a corrected call has changed."""

from __future__ import annotations

import json
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted


def _changed(**wanted: Any) -> Wanted:
    """These changes and no others; pairs may be tuples or lists, and ``true`` is not ``1``."""

    def test(value: Any) -> bool:
        if not isinstance(value, dict) or not all(isinstance(pair, tuple | list) for pair in value.values()):
            return False
        return json.dumps({k: list(v) for k, v in value.items()}, sort_keys=True) == json.dumps(wanted, sort_keys=True)

    return Wanted(repr(wanted), test)


CHANGES = Exercise(
    id="07.3",
    title="What was changed",
    names=("changes",),
    cases=(
        Case(
            "equal arguments have no changes",
            'changes({"path": "a.txt"}, {"path": "a.txt"})',
            _changed(),
            "Nothing differs here. What does your function begin with?",
        ),
        Case(
            "an argument that differs is named, with both values",
            'changes({"start_line": 1, "end_line": 2}, {"start_line": 1, "end_line": 9})',
            _changed(end_line=(2, 9)),
            "The old value comes first. The others are the same, and are left out.",
        ),
        Case(
            "arguments may come as text",
            'changes(\'{"start_line": 6}\', {"start_line": 1})',
            _changed(start_line=(6, 1)),
            "The first of the two is a `str`. What do you have to do before you can compare?",
        ),
        Case(
            '4 and "4" are two values',
            'changes({"start_line": "4"}, {"start_line": 4})',
            _changed(start_line=("4", 4)),
            "One is text and one is a number; a runtime refuses the first. Does your comparison tell them apart?",
        ),
        Case(
            "equal values are equal, wherever they came from",
            'changes(\'{"path": "a b.txt", "all": true}\', {"path": "a b.txt", "all": True})',
            _changed(),
            "Is it the same value that you ask for, or the same object?",
        ),
        Case(
            "both may come as text, spelt in two ways",
            'changes(\'{"a": 1, "b": 2}\', \'{"b":2,"a":1}\')',
            _changed(),
            "The order of names and the blanks mean nothing in JSON. Do you compare texts, or values?",
        ),
        Case(
            "an argument that is new",
            'changes({"path": "a.txt"}, {"path": "a.txt", "end_line": 6})',
            _changed(end_line=(None, 6)),
            "It stands in the new call only. Whose names does your loop go through?",
        ),
        Case(
            "an argument that was dropped",
            'changes({"path": "a.txt", "all": 5}, {"path": "a.txt"})',
            _changed(all=(5, None)),
            "It stands in the old call only. Whose names does your loop go through?",
        ),
        Case(
            "values may be lists",
            'changes({"only": ["a", "b"]}, {"only": ["b", "a"]})',
            _changed(only=(["a", "b"], ["b", "a"])),
            "The order of a list means something. Do you compare more loosely than `==` does?",
        ),
        Case(
            "true and 1 are two values",
            'changes({"deep": 1}, {"deep": True})',
            _changed(deep=(1, True)),
            "For Python they are equal. Their spelling in JSON is not, and nor is their type.",
        ),
        Case(
            "also inside a list",
            'changes({"flags": [0, 1]}, {"flags": [False, 1]})',
            _changed(flags=([0, 1], [False, 1])),
            "The type of both values is `list`. Which form tells all that is inside apart?",
        ),
        Case(
            "to compare is to look",
            '[(old, changes(old, {"a": 2}))[0] for old in [{"a": 1, "b": 2}]][0]',
            {"a": 1, "b": 2},
            "What is left of the arguments after your function? Look without taking out.",
        ),
    ),
    hints=(
        "First make a dict of each side: a text goes through json.loads. Then go through the names of both.",
        "`{**old, **new}` has the names of both sides, and `.get(name)` gives None where one lacks it.",
        "Compare json.dumps(old.get(name)) with json.dumps(new.get(name)): as JSON, true and 1 are not the same.",
    ),
    solution='''
import json


def changes(old, new):
    """Return what differs, as name: (old value, new value)."""
    sides = (old, new)
    old, new = (json.loads(a) if isinstance(a, str) else a for a in sides)
    pairs = {
        name: (old.get(name), new.get(name)) for name in {**old, **new}
    }
    return {
        name: pair
        for name, pair in pairs.items()
        if json.dumps(pair[0]) != json.dumps(pair[1])
    }
''',
)
