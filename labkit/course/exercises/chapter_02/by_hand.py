"""Exercise 02.1: a schema that accepts and refuses what it should."""

from __future__ import annotations

from labkit.course.exercise import Case, Exercise
from labkit.course.exercises.chapter_02.gate import accepts, declares


def _booking(rule: str, arguments: str, expected: bool, step: str) -> Case:
    return Case(rule, f"accepts(booking, {arguments})", expected, step)


WHOLE = '{"guests": 2, "day": "2026-09-01", "area": "hall"}'
BY_HAND = Exercise(
    id="02.1",
    title="A contract, by hand",
    names=("booking",),
    given=lambda: {"accepts": accepts, "declares": declares},
    cases=(
        Case(
            "it is a schema: a dict that says the properties of an object",
            "declares(booking)",
            "",
            "The outline is that of by_hand: no name or description around it, and JSON values only.",
        ),
        _booking("a whole call is accepted", WHOLE, True, "Which keyword of yours turns it away? Print its problems."),
        _booking(
            "area may be left out", '{"guests": 2, "day": "2026-09-01"}', True, "What is in your list of required?"
        ),
        _booking("the day must be there", '{"guests": 2}', False, "Which keyword lists what must be there?"),
        _booking(
            "the guests must be there", '{"day": "2026-09-01"}', False, "Is every name that must be there listed?"
        ),
        _booking(
            "a table is for somebody", '{"guests": 0, "day": "2026-09-01"}', False, "Where does the least number stand?"
        ),
        _booking(
            "12 guests are allowed", '{"guests": 12, "day": "2026-09-01"}', True, "Is your upper bound itself allowed?"
        ),
        _booking(
            "13 guests are too many", '{"guests": 13, "day": "2026-09-01"}', False, "A lower bound is half of the rule."
        ),
        _booking(
            "digits in quotes are no number",
            '{"guests": "2", "day": "2026-09-01"}',
            False,
            "What is the type of guests?",
        ),
        _booking(
            "half a guest is no guest",
            '{"guests": 2.5, "day": "2026-09-01"}',
            False,
            "Which type has whole numbers only?",
        ),
        _booking(
            "words are no day", '{"guests": 2, "day": "friday"}', False, "A type says text. What says which text?"
        ),
        _booking(
            "there is no 30 February",
            '{"guests": 2, "day": "2026-02-30"}',
            False,
            "A pattern of digits can't count days.",
        ),
        _booking(
            "area is one of two",
            '{"guests": 2, "day": "2026-09-01", "area": "roof"}',
            False,
            "Which keyword turns an open question into a choice?",
        ),
        _booking(
            "the garden is one of them",
            '{"guests": 2, "day": "2026-09-01", "area": "garden"}',
            True,
            "How many areas are in your list?",
        ),
        _booking(
            "an argument that nobody declared is refused",
            '{"guests": 2, "day": "2026-09-01", "vip": True}',
            False,
            "What does your schema say about names that it does not list?",
        ),
    ),
    hints=(
        "Go through the table under the declaration of query_orders: you need nearly all of its keywords.",
        "The dict by_hand has the same outline: type, properties, required, additionalProperties. "
        'The declaration of query_orders shows "format" and "enum".',
        'Properties: guests with "minimum" and "maximum", day with "format": "date", area with "enum". '
        "Then required with two names, and the last line of by_hand.",
    ),
    solution="""
booking = {
    "type": "object",
    "properties": {
        "guests": {"type": "integer", "minimum": 1, "maximum": 12},
        "day": {"type": "string", "format": "date"},
        "area": {"type": "string", "enum": ["garden", "hall"]},
    },
    "required": ["guests", "day"],
    "additionalProperties": False,
}
""",
)
