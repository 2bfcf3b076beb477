"""Results that the exercises of chapter 04 are tried on: good ones, failed calls, bad news, and texts that mislead.

    >>> sample("missing")
    ToolResult(call_1 read_file not ok: "ERROR [not_found]: no a.txt")

Pure. Does not: run anything. What a runtime makes looks the same.
"""

from __future__ import annotations

from labkit.calls import ErrorCode, ToolError, ToolResult


def sample(name: str) -> ToolResult:
    """Return a new result by its name. Raises KeyError, naming those there are, for any other."""
    if name not in _SAMPLES:
        raise KeyError(f"there is no sample {name}; there are {', '.join(_SAMPLES)}")
    tool, ok, content, code = _SAMPLES[name]
    error = ToolError(code, content, tool) if code else None
    return ToolResult("call_1", tool, ok, content, error=error)


# Tool, ok, content, and the code of a failed call: one of the runtime's, or plain text.
_SAMPLES: dict[str, tuple[str, bool, str, str | None]] = {
    "read": ("read_file", True, "n = 1", None),
    "inverted": ("read_lines", False, "ERROR [invalid_range]: 9 comes after 4", ErrorCode.INVALID_RANGE),
    "missing": ("read_file", False, "ERROR [not_found]: no a.txt", ErrorCode.NOT_FOUND),
    "hung": ("run_test", False, "ERROR [timeout]: no result within 10 s", ErrorCode.TIMEOUT),
    "plain": ("read_file", False, "Sorry, there is no such file.", "not_found"),
    "one_too_many": ("read_file", False, "Please ask for less at once.", "too_many_calls"),
    "tests_fail": ("run_test", False, "EXIT 1\nAssertionError: 6 != 9", None),
    "tests_break": ("run_test", False, "EXIT 1\nERROR: test_square", None),
    "too_heavy": ("weigh", False, "25 kg", None),
    "quoted": ("read_file", True, "ERROR [not_found]: there is no prices.txt", None),
    "log": ("read_file", True, "EXIT 1 stands in this log, and AssertionError too", None),
}
