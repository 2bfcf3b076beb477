"""Exercise 02.2: a signature that lint has nothing to say about, and that refuses what makes no sense."""

from __future__ import annotations

from labkit.course.exercise import Case, Exercise
from labkit.course.exercises.chapter_02.gate import accepts, declares, found
from labkit.declare import Tool, lint


def _silent(words: str, rule: str, step: str) -> Case:
    return Case(words, f'found(find_notes, "{rule}")', [], step)


def _notes(rule: str, arguments: str, expected: bool, step: str) -> Case:
    return Case(rule, f"accepts(find_notes, {arguments})", expected, step)


BY_SIGNATURE = Exercise(
    id="02.2",
    title="A prompt, by signature",
    names=("find_notes",),
    given=lambda: {"accepts": accepts, "declares": declares, "found": found, "Tool": Tool, "lint": lint},
    cases=(
        Case(
            "it can be declared",
            "declares(find_notes)",
            "",
            "Each parameter is written out, with its own name and a type that is known here.",
        ),
        Case(
            "the parameters are those of the task",
            'sorted(Tool.from_function(find_notes).parameters["properties"])',
            ["limit", "since_date", "text"],
            "Which one gets a new name, and which two keep theirs?",
        ),
        _notes("a text is enough", '{"text": "tea"}', True, "What is required now? Are the other two still optional?"),
        _silent("there is a description", "no_description", "Where does the description of a tool come from?"),
        _silent(
            "the description says enough", "short_description", "What does it do, when to use it, what does it not do?"
        ),
        _silent(
            "every parameter is described", "no_parameter_description", "Field(description=…), or lines under Args:."
        ),
        _silent("a date is a date", "date_as_text", "Which type is a date?"),
        _silent("a default fits its type", "unfit_default", "What does the function get when since_date is left out?"),
        _silent("the limit has an end", "unbounded_limit", "Which argument of Field is the upper bound?"),
        _notes(
            "a whole call is accepted",
            '{"text": "tea", "since_date": "2026-09-01", "limit": 5}',
            True,
            "Which of the three turns it away? Print the problems.",
        ),
        _notes(
            "yesterday is no date", '{"text": "tea", "since_date": "yesterday"}', False, "Is it a date to pydantic too?"
        ),
        _notes(
            "there is no 30 February",
            '{"text": "tea", "since_date": "2026-02-30"}',
            False,
            "A pattern of digits keeps lint silent, but it is no date.",
        ),
        _notes("50 notes may be asked for", '{"text": "tea", "limit": 50}', True, "Is the bound itself allowed?"),
        _notes("51 may not", '{"text": "tea", "limit": 51}', False, "What is the highest number that is accepted?"),
        _notes("no notes at all may not", '{"text": "tea", "limit": 0}', False, "A bound has two ends."),
        Case(
            "nothing is left to say",
            "[str(finding) for finding in lint(Tool.from_function(find_notes))]",
            [],
            "Read the finding as if you were the model. What would you not know?",
        ),
    ),
    hints=(
        "Call lint(Tool.from_function(find_notes)) in a cell of your own and mend one finding after the other.",
        "send_quote shows Annotated and Field with a description and bounds; query_orders shows a date, "
        "and a parameter that may be null and is null by default.",
        "text: Annotated[str, Field(description=…)]. since_date: Annotated[date | None, Field(description=…)] = None. "
        "limit: the same with ge=1 and le=50, and = 10. Then two sentences as a docstring.",
    ),
    solution='''
def find_notes(
    text: Annotated[str, Field(description="Words, for example tea")],
    since_date: Annotated[
        date | None, Field(description="First day, for example 2026-09-01")
    ] = None,
    limit: Annotated[
        int, Field(description="How many at most, 1 to 50", ge=1, le=50)
    ] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
)
