"""Chapter 03: two keywords that the validator by hand does not know yet."""

from __future__ import annotations

from typing import Any

from labkit.calls import Problem
from labkit.course.exercise import Case, Exercise, Wanted


def _problems(*places: str, rule: str = "", naming: tuple[str, ...] = ()) -> Wanted:
    """A list with one problem at each of these places, in order; of this keyword, with these words in its message."""
    told = f"a list of one Problem, at {places[0]}" if len(places) == 1 else f"Problems at {' and '.join(places)}"
    told += f", by the keyword {rule}" if rule else ""
    told += f", whose message names {' and '.join(naming)}" if naming else ""
    return Wanted(told, lambda value: _are(value, places, rule, naming))


def _are(value: Any, places: tuple[str, ...], rule: str, naming: tuple[str, ...]) -> bool:
    if not isinstance(value, list) or not all(isinstance(each, Problem) for each in value):
        return False
    fitting = all(rule in ("", each.rule) and all(word in str(each.message) for word in naming) for each in value)
    return fitting and tuple(each.path for each in value) == places


_ONE = _problems("status")
_FLAG = _problems("flag")


ENUM = Exercise(
    id="03.1",
    title="One of the allowed values",
    names=("enum_rule",),
    cases=(
        Case(
            "an allowed value is no problem",
            'enum_rule({"enum": ["paid", "unpaid"]}, "paid", "status")',
            [],
            "What does a rule return when there is nothing to say?",
        ),
        Case(
            "a value that is not among the choices is one problem",
            'enum_rule({"enum": ["paid", "unpaid"]}, "lost", "status")',
            _ONE,
            "Look at what type_rule returns for a value of the wrong type: a Problem, or a list that holds one?",
        ),
        Case(
            "a problem says where it is, and by which keyword",
            'enum_rule({"enum": ["a"]}, "b", "rows.0")',
            _problems("rows.0", rule="enum"),
            "Which two values come first in a Problem?",
        ),
        Case(
            "the message names the choices: the model has to pick one",
            'enum_rule({"enum": ["paid", "unpaid"]}, "lost", "status")',
            _problems("status", naming=("paid", "unpaid")),
            "What would you need to read to send the right value next time?",
        ),
        Case(
            "capitals count",
            'enum_rule({"enum": ["paid"]}, "Paid", "status")',
            _ONE,
            'Is "Paid" one of the choices, letter for letter?',
        ),
        Case(
            "false is not 0",
            'enum_rule({"enum": [0, 1]}, False, "flag")',
            _FLAG,
            "What does Python say to 0 == False, and what would JSON say?",
        ),
        Case(
            "1 is not true",
            'enum_rule({"enum": [True]}, 1, "flag")',
            _FLAG,
            "The choice is the truth value now. Do you look at both sides?",
        ),
        Case(
            "true is a choice like any other",
            'enum_rule({"enum": [True]}, True, "flag")',
            [],
            "Do you refuse every truth value, or drop it from the choices? Only truth value and number must not meet.",
        ),
        Case(
            "1.0 is 1: JSON has one kind of number",
            'enum_rule({"enum": [1, 2]}, 1.0, "n")',
            [],
            "Do you compare types, or texts? Only truth values have to be kept apart.",
        ),
        Case(
            "null can be a choice",
            'enum_rule({"enum": ["paid", None]}, None, "status")',
            [],
            "Is None treated like any other choice?",
        ),
        Case(
            "null that is no choice is a problem",
            'enum_rule({"enum": ["paid"]}, None, "status")',
            _ONE,
            "Do you let null through before you have looked at the choices?",
        ),
        Case(
            "any value may arrive, a list too",
            'enum_rule({"enum": ["a"]}, ["a"], "status")',
            _ONE,
            "Does your way of looking for the value work for a list? A set or a dict can't look for one.",
        ),
        Case(
            "the declaration stays as it is: the next call is judged by it too",
            '[enum_rule(schema, "a", "letter") for schema in 2 * [{"enum": ["a", "b"]}]]',
            [[], []],
            "Does your function take something out of the schema, or only look at it?",
        ),
    ),
    hints=(
        "`value in choices` is nearly right. Two pairs of values are equal in Python and different in JSON.",
        "Compare the choices one by one. Beside `==` you need a second condition, and it is about bool.",
        "A choice fits if `choice == value`, and if both are truth values or neither is: compare "
        "`isinstance(choice, bool)` with `isinstance(value, bool)`.",
    ),
    solution="""
def enum_rule(schema, value, path):
    choices = schema["enum"]
    for choice in choices:
        same_kind = isinstance(choice, bool) == isinstance(value, bool)
        if same_kind and choice == value:
            return []
    return [Problem(path, "enum", f"must be one of {choices}")]
""",
)

ITEMS = Exercise(
    id="03.2",
    title="Every item of a list",
    names=("items_rule",),
    cases=(
        Case(
            "good items are no problem",
            'items_rule({"items": {"type": "string"}}, ["a", "b"], "cities")',
            [],
            "Which function says what is wrong with one item, and does it return one problem or a list?",
        ),
        Case(
            "a problem names the item by its number, counted from 0",
            'items_rule({"items": {"type": "string"}}, ["a", 7], "cities")',
            _problems("cities.1"),
            "Is every item looked at? Is it one list of problems? And what is joined to the path, in place of a name?",
        ),
        Case(
            "all wrong items are told at once",
            'items_rule({"items": {"type": "string"}}, [1, "a", 2], "cities")',
            _problems("cities.0", "cities.2"),
            "Do you return inside the loop? And is it one list, or a list of lists?",
        ),
        Case(
            "equal items have places of their own",
            'items_rule({"items": {"type": "string"}}, [7, 7], "cities")',
            _problems("cities.0", "cities.1"),
            "`index` finds the first of two equal items. What gives you number and item together?",
        ),
        Case(
            "a list at the root has paths without a dot",
            'items_rule({"items": {"type": "string"}}, [1], "")',
            _problems("0"),
            "There is a function that joins paths, also the empty one.",
        ),
        Case(
            "what is no list is left to the rule for type",
            'items_rule({"items": {"type": "string"}}, 7, "cities")',
            [],
            "All rules see every value. What does properties_rule do with a value that is no object?",
        ),
        Case(
            "a string is no list, although Python can walk through it",
            'items_rule({"items": {"type": "integer"}}, "abc", "cities")',
            [],
            "Ask for the one Python type that a JSON array becomes.",
        ),
        Case(
            "objects inside a list are looked into",
            'items_rule({"items": {"required": ["qty"]}}, [{"qty": 1}, {}], "rows")',
            _problems("rows.1.qty"),
            "An item has a schema of its own. Hand item and schema to find_problems.",
        ),
        Case(
            "the list stays as it is: the tool will get it",
            '[len(items_rule({"items": {"type": "string"}}, cities, "")) for cities in 2 * [["a", 7]]]',
            [1, 1],
            "Does your loop take the items out of the list, or only look at them?",
        ),
    ),
    hints=(
        "An item is a value with a schema. You have a function for that already.",
        "Look at properties_rule: replace names by numbers, and the parts' schemas by schema['items'].",
        "If the value is a list: `for number, item in enumerate(value)`, add what "
        "`find_problems(schema['items'], item, join(path, number))` returns.",
    ),
    solution="""
def items_rule(schema, value, path):
    problems = []
    for number, item in enumerate(value if isinstance(value, list) else []):
        problems += find_problems(schema["items"], item, join(path, number))
    return problems
""",
)
