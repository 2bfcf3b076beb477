"""04.2 and 04.3: tell a failed call from bad news, and count failed calls by layer."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.sample_results import sample


def samples() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"sample": sample}


CALL_OR_CODE = Exercise(
    id="04.2",
    title="Call or code",
    names=("next_step",),
    cases=(
        Case(
            "a call that went well asks for nothing",
            'next_step(sample("read"))',
            "go on",
            "The result is `ok`. What is left to decide?",
        ),
        Case(
            "a call that failed asks for another call",
            'next_step(sample("inverted"))',
            "another call",
            "The result has an `error`. Whose work was wrong: the tool's, or the call's?",
        ),
        Case(
            "tests that fail ask for another change",
            'next_step(sample("tests_fail"))',
            "another change",
            "`ok` is false, and `error` is None. What did `run_test` do wrong?",
        ),
        Case(
            "a test runner's output may hold the word ERROR",
            'next_step(sample("tests_break"))',
            "another change",
            "The word stands in the text of the tests. Does your function read the text?",
        ),
        Case(
            "a tool that is no test runner may bring bad news too",
            'next_step(sample("too_heavy"))',
            "another change",
            "Does your function know the name of a tool? There will be tools that you do not know.",
        ),
        Case(
            "a failed call need not say ERROR",
            'next_step(sample("plain"))',
            "another call",
            "Its words are polite, and it failed all the same. Where does a result say so for programs?",
        ),
        Case(
            "also `run_test` can fail as a call",
            'next_step(sample("hung"))',
            "another call",
            "Nobody knows how these tests would have ended: there is an `error`. Does the tool's name decide for you?",
        ),
        Case(
            "a file that quotes an error was read all right",
            'next_step(sample("quoted"))',
            "go on",
            "The text came out of a file. Which two fields of a result do not come from any file?",
        ),
        Case(
            "a file that quotes a failed test was read all right",
            'next_step(sample("log"))',
            "go on",
            "`ok` is true. Is there anything in a text that could change that?",
        ),
    ),
    hints=(
        "Two fields of a result are enough, and neither of them is a text.",
        "Ask `ok` first. What is left is not ok; then ask whether there is an `error`.",
        'If result.ok, "go on". Else if result.error is not None, "another call". Else "another change".',
    ),
    solution='''
def next_step(result):
    """Say what a result asks for."""
    if result.ok:
        return "go on"
    failed = result.error is not None
    return "another call" if failed else "another change"
''',
    given=samples,
)


def counts(**wanted: int) -> Wanted:
    """Return the wish for these counts, whatever kind of dict they come in."""
    return Wanted(repr(wanted), lambda value: _counts(value, wanted))


def counted_twice(**wanted: int) -> Wanted:
    """Return the wish for these counts, and for the same ones a second time."""
    return Wanted(repr([wanted, wanted]), lambda value: all(_counts(each, wanted) for each in value))


def _counts(value: object, wanted: dict[str, int]) -> bool:
    return isinstance(value, dict) and dict(value) == wanted


BY_LAYER = Exercise(
    id="04.3",
    title="Where to look first",
    names=("by_layer",),
    cases=(
        Case(
            "where nothing was called, nothing failed",
            "by_layer([])",
            counts(),
            "What does your function return before it has seen a result?",
        ),
        Case(
            "calls that went well count nowhere",
            'by_layer([sample("read"), sample("read")])',
            counts(),
            "A layer without a failure is left out. Where does your count begin?",
        ),
        Case(
            "a failed call counts in the layer of its code",
            'by_layer([sample("inverted"), sample("read")])',
            counts(contract=1),
            "The code is `invalid_range`. Look it up in the list above: which layer is it?",
        ),
        Case(
            "codes of one layer add up",
            'by_layer([sample("missing"), sample("hung"), sample("inverted")])',
            counts(execution=2, contract=1),
            "`not_found` and `timeout` are two codes. How many layers are they?",
        ),
        Case(
            "a failing test is no failed call",
            'by_layer([sample("tests_fail"), sample("missing"), sample("too_heavy")])',
            counts(execution=1),
            "The first one is not ok, and has no error. Which of the two do you ask for?",
        ),
        Case(
            "a code may be plain text",
            'by_layer([sample("plain")])',
            counts(execution=1),
            "Text has no `layer`. What did the task say about `ErrorCode(code)`?",
        ),
        Case(
            "each code has the layer of the list, also where it is text",
            'by_layer([sample("one_too_many")])',
            counts(control=1),
            "Is the layer guessed, or looked up in a list of your own? `ErrorCode(code)` knows them all.",
        ),
        Case(
            "a file that quotes an error is no failure",
            'by_layer([sample("quoted"), sample("log")])',
            counts(),
            "Does your function look into `content`? The code stands in the error.",
        ),
        Case(
            "to count is to look: the list can be counted again, with the same end",
            '[by_layer(results) for results in 2 * [[sample("missing"), sample("read")]]]',
            counted_twice(execution=1),
            "What is left in the list after your function? Look at results without taking them out.",
        ),
    ),
    hints=(
        "Go through the results, and skip those that have no error.",
        "The layer is ErrorCode(result.error.code).layer. Keep a dict from layer to count.",
        "For each result with an error: layers[layer] = layers.get(layer, 0) + 1. Return the dict.",
    ),
    solution='''
def by_layer(results):
    """Count failed calls by layer."""
    layers = {}
    for result in results:
        if result.error is not None:
            layer = ErrorCode(result.error.code).layer
            layers[layer] = layers.get(layer, 0) + 1
    return layers
''',
    given=samples,
)
