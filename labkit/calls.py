"""The values that travel through the system: what was asked, what came back, what went wrong.

Chapters 01 and 04. Everything here is a value; nothing here acts.

    >>> ToolError("not_found", "there is no file notes.txt", "read_file").content()
    'ERROR [not_found]: there is no file notes.txt'

Does not: parse arguments, know any tool, know any wire format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple

# Whether spellings of arguments that have one reading only are undone, or refused like the rest.
Repair = Literal["lossless", "none"]

PROBLEMS_SHOWN = 5
QUOTED_CHARACTERS = 40


class ErrorCode(StrEnum):
    """The closed list of error codes; a monitor counts each of them separately."""

    INVALID_JSON = "invalid_json"
    TRUNCATED = "truncated"
    UNKNOWN_TOOL = "unknown_tool"
    SCHEMA_VALIDATION = "schema_validation"
    INVALID_RANGE = "invalid_range"
    PATH_OUTSIDE_WORKSPACE = "path_outside_workspace"
    NOT_FOUND = "not_found"
    NOT_UNIQUE = "not_unique"
    EXECUTION_ERROR = "execution_error"
    TIMEOUT = "timeout"
    FAILED = "failed"
    TOOL_BANNED = "tool_banned"
    TOO_MANY_CALLS = "too_many_calls"
    CANCELLED = "cancelled"

    @property
    def layer(self) -> str:
        """Where the call failed: ``transport``, ``contract``, ``execution`` or ``control``."""
        return _LAYERS[self]


_LAYERS = {
    code: layer
    for layer, codes in {
        "transport": "invalid_json truncated",
        "contract": "unknown_tool schema_validation invalid_range",
        "execution": "path_outside_workspace not_found not_unique execution_error timeout failed",
        "control": "tool_banned too_many_calls cancelled",
    }.items()
    for code in map(ErrorCode, codes.split())
}


@dataclass(frozen=True)
class ToolCall:
    """One call as the model sent it. A value; ``arguments`` is untrusted and kept as received."""

    id: str
    name: str
    arguments: str | dict[str, Any] | None


@dataclass(frozen=True)
class ToolOutput:
    """What a tool may return to say how its work went. A value.

    ``ok=False`` here is no tool error: the tool ran, and what it looked at did not pass.
    """

    content: str
    ok: bool = True
    data: Any = None


@dataclass(frozen=True)
class Failure:
    """What a tool returns for an expected failure. A value; ``code`` is an execution code."""

    reason: str
    suggestion: str | None = None
    code: str = ErrorCode.FAILED

    def __post_init__(self) -> None:
        for text in (self.reason, self.suggestion):
            if text is not None and type(text) is not str:
                raise TypeError(f"a Failure takes text, not a {type(text).__name__}")
        allowed = [code.value for code in ErrorCode if code.layer == "execution"]
        if self.code not in allowed:
            raise ValueError(f"a Failure takes an execution code, one of {', '.join(allowed)}; not {quote(self.code)}")


class Problem(NamedTuple):
    """One thing wrong with the arguments. A value.

    ``path`` is dotted (``items.0.qty``) and empty for the root; ``rule`` is the JSON Schema keyword.
    """

    path: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or '(arguments)'}: {self.message}"


@dataclass(frozen=True)
class ToolError:
    """Why a call failed, for the model to read and for a program to count. A value."""

    code: str
    message: str
    tool: str
    hint: str | None = None
    problems: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``code``, ``message``, ``tool``; ``hint`` and ``problems`` only where set."""
        values: dict[str, Any] = {"code": str(self.code), "message": self.message, "tool": self.tool}
        if self.hint:
            values["hint"] = self.hint
        if self.problems:
            values["problems"] = [{"path": p.path, "rule": p.rule, "message": p.message} for p in self.problems]
        return values

    def content(self) -> str:
        """Return the text that the model reads, at most five problems long."""
        lines = [f"ERROR [{self.code}]: {self.message}"]
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        lines += map(str, self.problems[:PROBLEMS_SHOWN])
        hidden = len(self.problems) - PROBLEMS_SHOWN
        if hidden > 0:
            lines.append(f"and {many(hidden, 'more problem')}")
        return "\n".join(lines)


class CallRefused(Exception):
    """The arguments of a call can't be read. Carries a ``ToolError``; raised by ``parse_arguments`` only."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(slots=True, repr=False)
class ToolResult:
    """What became of one call. Treat it as a value: it is left unfrozen because freezing costs a microsecond a call.

    ``started`` and ``finished`` are seconds since the run began; both are None if the tool never started.
    ``repairs`` names what was undone to read the arguments, such as ``code_fence``. ``abandoned`` says that the tool
    goes on although its limit has passed.
    """

    call_id: str
    name: str
    ok: bool
    content: str
    data: Any = None
    error: ToolError | None = None
    started: float | None = None
    finished: float | None = None
    repairs: tuple[str, ...] = ()
    abandoned: bool = False

    def __repr__(self) -> str:
        return f"ToolResult({self.call_id} {self.name} {'ok' if self.ok else 'not ok'}: {quote(self.content)})"

    def to_message(self) -> dict[str, Any]:
        """Return the tool message for the history; ``error`` stands in it only where the call failed."""
        message: dict[str, Any] = {"role": "tool", "content": self.content, "tool_call_id": self.call_id}
        if self.error is not None:
            message["error"] = self.error.to_dict()
        return message


def failed(call: ToolCall, error: ToolError, repairs: tuple[str, ...] = ()) -> ToolResult:
    """Return the result of a call that failed before its tool was started."""
    return ToolResult(call.id, call.name, False, error.content(), error=error, repairs=repairs)


def many(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 call``, ``2 calls``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def quote(value: Any) -> str:
    """Return a received value as short text: at most 40 characters of it, on one line."""
    text = value if isinstance(value, str) else _literal(value)
    if not text.isprintable():
        text = "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in text[: QUOTED_CHARACTERS + 1])
    if len(text) > QUOTED_CHARACTERS:
        text = text[: QUOTED_CHARACTERS - 1] + "…"
    return f'"{text}"' if isinstance(value, str) else text


def _literal(value: Any) -> str:
    """Spell a JSON value as JSON does, without walking a large one to its end."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value.bit_length() < 400 else "a very large number"
        case float():
            return repr(value)
        case list() | tuple():
            return f"an array of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case _:
            return f"a {type(value).__name__}"
