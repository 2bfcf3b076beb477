"""04.2 and 04.3: tell a failed call from bad news, and count failed calls by layer."""

from __future__ import annotations

from typing import Any

from labkit.calls import ErrorCode, ToolError, ToolResult
from labkit.course.exercise import Case, Exercise, Wanted


def result(ok: bool, content: str, code: str | None = None, name: str = "read_file") -> ToolResult:
    """Return a result as a runtime makes it; with a code it is that of a failed call."""
    error = ToolError(code, content, name) if code else None
    return ToolResult("call_1", name, ok, content, error=error)


def results() -> dict[str, Any]:
    """Return results of all kinds, fresh for each case."""
    return {
        "read": result(True, "n = 1"),
        "inverted": result(False, "ERROR [invalid_range]: 9 comes after 4", ErrorCode.INVALID_RANGE, "read_lines"),
        "missing": result(False, "ERROR [not_found]: no a.txt", ErrorCode.NOT_FOUND),
        "hung": result(False, "ERROR [timeout]: no result within 10 s", ErrorCode.TIMEOUT, "run_test"),
        "plain": result(False, "Sorry, there is no such file.", "not_found"),
        "one_too_many": result(False, "Please ask for less at once.", "too_many_calls"),
        "tests_fail": result(False, "EXIT 1\nAssertionError: 6 != 9", name="run_test"),
        "tests_break": result(False, "EXIT 1\nERROR: test_square", name="run_test"),
        "too_heavy": result(False, "25 kg", name="weigh"),
        "quoted": result(True, "ERROR [not_found]: there is no prices.txt"),
        "log": result(True, "EXIT 1 stands in this log, and AssertionError too"),
    }


CALL_OR_CODE = Exercise(
    id="04.2",
    title="call or code",
    names=("next_step",),
    cases=(
        Case(
            "a call that went well asks for nothing",
            "next_step(read)",
            "go on",
            "`read` is `ok`. What is left to decide?",
        ),
        Case(
            "a call that failed asks for another call",
            "next_step(inverted)",
            "another call",
            "`inverted` has an `error`. Whose work was wrong: the tool's, or the call's?",
        ),
        Case(
            "tests that fail ask for another change",
            "next_step(tests_fail)",
            "another change",
            "`tests_fail.ok` is false, and `tests_fail.error` is None. What did `run_test` do wrong?",
        ),
        Case(
            "a test runner's output may hold the word ERROR",
            "next_step(tests_break)",
            "another change",
            "The word stands in the text of the tests. Does your function read the text?",
        ),
        Case(
            "a tool that is no test runner may bring bad news too",
            "next_step(too_heavy)",
            "another change",
            "Does your function know the name of a tool? There will be tools that you do not know.",
        ),
        Case(
            "a failed call need not say ERROR",
            "next_step(plain)",
            "another call",
            "Its words are polite, and it failed all the same. Where does a result say so for programs?",
        ),
        Case(
            "also `run_test` can fail as a call",
            "next_step(hung)",
            "another call",
            "Nobody knows how these tests would have ended: there is an `error`. Does the tool's name decide for you?",
        ),
        Case(
            "a file that quotes an error was read all right",
            "next_step(quoted)",
            "go on",
            "The text came out of a file. Which two fields of a result do not come from any file?",
        ),
        Case(
            "a file that quotes a failed test was read all right",
            "next_step(log)",
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
    given=results,
)


def counts(**wanted: int) -> Wanted:
    """Return the wish for these counts, whatever kind of dict they come in."""
    return Wanted(repr(wanted), lambda value: isinstance(value, dict) and dict(value) == wanted)


BY_LAYER = Exercise(
    id="04.3",
    title="where to look first",
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
            "by_layer([read, read])",
            counts(),
            "A layer without a failure is left out. Where does your count begin?",
        ),
        Case(
            "a failed call counts in the layer of its code",
            "by_layer([inverted, read])",
            counts(contract=1),
            "The code is `invalid_range`. Look it up in the list above: which layer is it?",
        ),
        Case(
            "codes of one layer add up",
            "by_layer([missing, hung, inverted])",
            counts(execution=2, contract=1),
            "`not_found` and `timeout` are two codes. How many layers are they?",
        ),
        Case(
            "a failing test is no failed call",
            "by_layer([tests_fail, missing, too_heavy])",
            counts(execution=1),
            "`tests_fail` is not ok, and has no error. Which of the two do you ask for?",
        ),
        Case(
            "a code may be plain text",
            "by_layer([plain])",
            counts(execution=1),
            "Text has no `layer`. What did the task say about `ErrorCode(code)`?",
        ),
        Case(
            "each code has the layer of the list, also where it is text",
            "by_layer([one_too_many])",
            counts(control=1),
            "Is the layer guessed, or looked up in a list of your own? `ErrorCode(code)` knows them all.",
        ),
        Case(
            "a file that quotes an error is no failure",
            "by_layer([quoted, log])",
            counts(),
            "Does your function look into `content`? The code stands in the error.",
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
    given=results,
)
