"""04.1: make a structured error of an exception, without telling what must stay in the house."""

from __future__ import annotations

from typing import Any

from labkit.calls import Failure, ToolError
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.garden_shop import Refused

LEAK = 'ConnectionError("no answer from /data/shop/seed.db, token=green-4711-door")'
SOLD_OUT = 'Refused(Failure("there is no mint left", "take basil", "not_found"))'
CLOSED = 'Refused(Failure("the shop is closed"))'


def shop() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports them, too."""
    return {"Failure": Failure, "Refused": Refused}


def _without(words: str) -> Wanted:
    """An error that says these words nowhere: neither to the model nor to a program."""
    return Wanted(
        f"a ToolError without {words}",
        lambda error: isinstance(error, ToolError) and words not in error.content() + repr(error),
    )


def _with(**fields: Any) -> Wanted:
    """An error with these fields, to the letter."""
    told = ", ".join(f"{name} {value!r}" for name, value in fields.items())
    return Wanted(
        f"a ToolError with the {told}",
        lambda error: (
            isinstance(error, ToolError) and all(getattr(error, name) == value for name, value in fields.items())
        ),
    )


NO_LEAK = Exercise(
    id="04.1",
    title="An error without a leak",
    names=("error_of",),
    cases=(
        Case(
            "the error is a `ToolError` that names its tool",
            'error_of(KeyError("mint"), "price_of")',
            _with(tool="price_of"),
            "What does the stub return, and what is the third thing that it hands over?",
        ),
        Case(
            "no key leaves the house",
            f'error_of({LEAK}, "seed_needed")',
            _without("green-4711-door"),
            "Which part of your error comes from the text of the exception?",
        ),
        Case(
            "no path leaves the house",
            f'error_of({LEAK}, "seed_needed")',
            _without("/data/shop"),
            "Does any part of the text still travel? There is more in it than the key.",
        ),
        Case(
            "no text is passed on that nobody wrote for the model",
            'error_of(RuntimeError("number 4711 was refused"), "door")',
            _without("4711"),
            "Can your function know which texts are harmless? What else does an exception have than its text?",
        ),
        Case(
            "the message names the type of an unexpected exception",
            'error_of(ZeroDivisionError("x"), "mean")',
            Wanted(
                "a ToolError whose message names ZeroDivisionError",
                lambda error: isinstance(error, ToolError) and "ZeroDivisionError" in error.message,
            ),
            "A model should learn at least what kind of thing happened. What does `type(problem)` know about itself?",
        ),
        Case(
            "a file that the tool did not find is not the model's slip",
            'error_of(FileNotFoundError("seed.db"), "seed_needed")',
            _with(code="execution_error"),
            "Did the model name this file? From the type alone, could you know? Think of `cheapest` above.",
        ),
        Case(
            "a refusal keeps the code that its tool gave it",
            f'error_of({SOLD_OUT}, "price_of")',
            _with(code="not_found"),
            "Where the failure was found, somebody chose a code. Look at the `failure` of the exception.",
        ),
        Case(
            "another refusal has another code",
            f'error_of({CLOSED}, "price_of")',
            _with(code="failed"),
            "Is the code written into your function? Each failure brings its own.",
        ),
        Case(
            "the error of a refusal names the tool, too",
            f'error_of({SOLD_OUT}, "price_of")',
            _with(tool="price_of"),
            "The name of the tool comes as the second value.",
        ),
        Case(
            "a refusal keeps its reason, to the letter",
            f'error_of({SOLD_OUT}, "price_of")',
            _with(message="there is no mint left"),
            "This text was written for the model. Which of the three fields of a `Failure` is it?",
        ),
        Case(
            "its suggestion becomes the hint",
            f'error_of({SOLD_OUT}, "price_of")',
            _with(hint="take basil"),
            "What could the model do next? A `ToolError` takes that as its fourth value.",
        ),
        Case(
            "without a suggestion there is no hint",
            f'error_of({CLOSED}, "price_of")',
            _with(hint=None),
            "Nothing was suggested here. What does your function pass on?",
        ),
    ),
    hints=(
        "There are two kinds of exceptions here: a refusal, whose words were written for the model, and all others.",
        "Ask for the refusal with isinstance, and build the error from its failure. For all others the type's name "
        "must do.",
        "A Failure has code, reason and suggestion; ToolError takes code, message, tool and hint. The name of a type "
        "is type(problem).__name__.",
    ),
    solution='''
from labkit import ToolError
from labkit.course.garden_shop import Refused


def error_of(problem, tool):
    """Return what a model may know of an exception."""
    if isinstance(problem, Refused):
        no = problem.failure
        return ToolError(no.code, no.reason, tool, no.suggestion)
    message = f"it raised {type(problem).__name__}"
    return ToolError("execution_error", message, tool)
''',
    given=shop,
)
