"""What can be said about error codes in words: when each of them happens, and how far words alone lead to a code.

Chapter 04.

    >>> code_by_words('ERROR: there is no "notes.txt" in the workspace')
    'not_found'

Pure. Does not: decide any code; whoever finds a failure does that, in the field ``code`` of its error.
"""

from __future__ import annotations

from labkit.calls import ErrorCode

WHEN = {
    ErrorCode.INVALID_JSON: "the arguments can't be read as JSON",
    ErrorCode.TRUNCATED: "the reply was cut off, so its arguments may be",
    ErrorCode.UNKNOWN_TOOL: "no tool has this name",
    ErrorCode.SCHEMA_VALIDATION: "the arguments do not fit the declaration",
    ErrorCode.INVALID_RANGE: "each value is fine, all together are not",
    ErrorCode.PATH_OUTSIDE_WORKSPACE: "the path leads out of the folder",
    ErrorCode.NOT_FOUND: "what was named is not there",
    ErrorCode.NOT_UNIQUE: "what was named is there more than once",
    ErrorCode.EXECUTION_ERROR: "the tool broke: a bug, or something it needs",
    ErrorCode.TIMEOUT: "no result within the tool's time limit",
    ErrorCode.FAILED: "the tool says no, for a reason of its own",
    ErrorCode.TOOL_BANNED: "the call failed too often in the same way",
    ErrorCode.TOO_MANY_CALLS: "one message asked for more than the limit",
    ErrorCode.CANCELLED: "the call was called off, or its turn did not come",
}

WORDS = {
    "there is no tool": ErrorCode.UNKNOWN_TOOL,
    "there is no": ErrorCode.NOT_FOUND,
    "is less than": ErrorCode.INVALID_RANGE,
    "in the arguments of": ErrorCode.SCHEMA_VALIDATION,
    "not valid JSON": ErrorCode.INVALID_JSON,
    "the path is refused": ErrorCode.PATH_OUTSIDE_WORKSPACE,
    "the tool raised": ErrorCode.EXECUTION_ERROR,
}


def code_by_words(content: str) -> str | None:
    """Return the error code that a text seems to speak of, found by words of ours that were true once."""
    return next((str(code) for words, code in WORDS.items() if words in content), None)
