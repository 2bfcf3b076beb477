"""04.1: make a structured error of an exception, without telling what must stay in the house."""

from __future__ import annotations

from typing import Any

from labkit.calls import Failure, ToolError
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.garden_shop import Refused


def exceptions() -> dict[str, Any]:
    """Return exceptions that a tool may raise, and the look at all that an error says."""
    sold_out = Failure("there is no mint left", "take basil", "not_found")
    return {
        "leak": ConnectionError("no answer from /data/shop/seed.db, token=green-4711-door"),
        "sold_out": Refused(sold_out),
        "closed": Refused(Failure("the shop is closed")),
        "everything": lambda error: error.content() if isinstance(error, ToolError) else str(error),
    }


NO_LEAK = Exercise(
    id="04.1",
    title="an error without a leak",
    names=("error_of",),
    cases=(
        Case(
            "the error is a `ToolError` that names its tool",
            'error_of(KeyError("mint"), "price_of")',
            Wanted("a ToolError whose tool is price_of", lambda e: isinstance(e, ToolError) and e.tool == "price_of"),
            "What does the stub return, and what is the third thing that it hands over?",
        ),
        Case(
            "no key leaves the house",
            '"green-4711-door" in everything(error_of(leak, "seed_needed"))',
            False,
            "Which part of your error comes from the text of the exception?",
        ),
        Case(
            "no path leaves the house",
            '"/data/shop" in everything(error_of(leak, "seed_needed"))',
            False,
            "Does any part of the text still travel? There is more in it than the key.",
        ),
        Case(
            "no text is passed on that nobody wrote for the model",
            '"4711" in everything(error_of(RuntimeError("number 4711 was refused"), "door"))',
            False,
            "Can your function know which texts are harmless? What else does an exception have than its text?",
        ),
        Case(
            "the message names the type of an unexpected exception",
            '"ZeroDivisionError" in error_of(ZeroDivisionError("x"), "mean").message',
            True,
            "A model should learn at least what kind of thing happened. What does `type(problem)` know about itself?",
        ),
        Case(
            "a file that the tool did not find is not the model's slip",
            'str(error_of(FileNotFoundError("seed.db"), "seed_needed").code)',
            "execution_error",
            "Did the model name this file? From the type alone, could you know? Think of `cheapest` above.",
        ),
        Case(
            "a refusal keeps the code that its tool gave it",
            'str(error_of(sold_out, "price_of").code)',
            "not_found",
            "Where the failure was found, somebody chose a code. Look at `sold_out.failure`.",
        ),
        Case(
            "another refusal has another code",
            'str(error_of(closed, "price_of").code)',
            "failed",
            "Is the code written into your function? Each failure brings its own.",
        ),
        Case(
            "the error of a refusal names the tool, too",
            'error_of(sold_out, "price_of").tool',
            "price_of",
            "The name of the tool comes as the second value.",
        ),
        Case(
            "a refusal keeps its reason, to the letter",
            'error_of(sold_out, "price_of").message',
            "there is no mint left",
            "This text was written for the model. Which of the three fields of a `Failure` is it?",
        ),
        Case(
            "its suggestion becomes the hint",
            'error_of(sold_out, "price_of").hint',
            "take basil",
            "What could the model do next? A `ToolError` takes that as its fourth value.",
        ),
        Case(
            "without a suggestion there is no hint",
            'error_of(closed, "price_of").hint',
            None,
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
    given=exceptions,
)
