"""10.2: from which moment on the text of a call's arguments can't grow any more."""

from __future__ import annotations

from labkit.course.exercise import Case, Exercise


def _case(rule: str, text: str, expected: bool, step: str) -> Case:
    return Case(rule, f"whole({text!r})", expected, step)


WHOLE = Exercise(
    id="10.2",
    title="Whole, or still growing",
    names=("whole",),
    cases=(
        _case(
            "a complete object is whole",
            '{"plant": "mint"}',
            True,
            "This is what a call looks like when it is all there.",
        ),
        _case(
            "an empty object is complete",
            "{}",
            True,
            "Some tools take no arguments. Do you ask whether the object has any?",
        ),
        _case("nothing yet is not whole", "", False, "The header has come, and no argument. May more come?"),
        _case("an object that is not closed", '{"plant": "mint"', False, "What could the next piece bring?"),
        _case("cut inside a text", '{"plant": "mi', False, "A text of the object is still open here."),
        _case(
            "a brace inside a text closes nothing",
            '{"note": "a } b',
            False,
            "There is a closing brace, and it belongs to the text. What knows the difference?",
        ),
        _case(
            "a text may end in a brace too",
            '{"note": "}',
            False,
            "The last character is a brace, and as many are opened as are closed. Is the object closed?",
        ),
        _case(
            "braces inside a text are not counted",
            '{"note": "{"}',
            True,
            "This one is complete: one object, whose text holds an opening brace. Do you count characters?",
        ),
        _case(
            "an escaped quote ends no text",
            '{"note": "say \\"}',
            False,
            "A backslash stands before the quote. Where does the text end?",
        ),
        _case(
            "objects may stand in objects", '{"at": {"x": 1}', False, "The inner object is closed. And the outer one?"
        ),
        _case("the outer one is closed last", '{"at": {"x": 1}}', True, "Both are closed now."),
        _case("also three deep, with a list between", '{"at": [{"x": {}}]}', True, "How deep does your function look?"),
        _case(
            "a backslash may itself be escaped",
            '{"folder": "C:\\\\"}',
            True,
            "Two backslashes are one escaped backslash. Is the quote after them escaped, too?",
        ),
        _case(
            "JSON has words of its own",
            '{"gift": true}',
            True,
            "`true` is JSON and not Python. Which of the two languages does your function read?",
        ),
        _case(
            "a number can grow",
            "12",
            False,
            "12 is JSON as it stands, and so is 120. Which kind of value can't get longer?",
        ),
        _case("null is no object", "null", False, "It can be read as JSON. Are these arguments?"),
        _case("true is no object", "true", False, "It is complete, and it has no names."),
        _case(
            "a list is no object",
            '[{"plant": "mint"}]',
            False,
            "Arguments have names. A list has none, whatever stands in it.",
        ),
        _case(
            "a line break at the end does not matter",
            '{"plant": "mint"}\n',
            True,
            "Blank space may follow; it changes nothing.",
        ),
        _case("blank space before it neither", '  {"a": 1}', True, "Does your function look at the first character?"),
        _case(
            "two objects in a row are no call",
            '{"plant": "mint"}{"plant": "basil"}',
            False,
            "This is what the naive reader made of two calls. Is it one object?",
        ),
        _case(
            "after the object there is only blank space",
            '{"plant": "mint"} {',
            False,
            "Something follows, with a blank before it. Do you look at all that is left?",
        ),
    ),
    hints=(
        "Counting braces needs to know where texts begin and end, escapes included. Something in the standard library "
        "knows that already.",
        "`json.loads` raises `ValueError` for what is not complete. What it returns has a type.",
        "Try value = json.loads(text); on ValueError return False; else say whether value is a dict.",
    ),
    solution='''
import json


def whole(text):
    """Say whether this is one complete object: it can't grow."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict)
''',
)
