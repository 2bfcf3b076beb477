"""Scripted models that repeat themselves, each by one rule.

Chapter 08. No language model: a class says what is asked for in which turn, and that is all it can do.

    >>> SameCall().reply([{"role": "user", "content": "?"}], []).tool_calls[0].name
    'read_file'
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from labkit.calls import ErrorCode, ToolCall
from labkit.course.loops.desk import ORDERS, steps_to_the_right_prices
from labkit.history import calls_of, is_closing
from labkit.models.base import ModelReply

Asked = Sequence[tuple[str, dict[str, Any] | str]]
Messages = Sequence[dict[str, Any]]


class Habit(ABC):
    """A model with one rule: ``asks`` says which calls it sends in its turn, counted from 0; none means it is done.

    It answers when it is asked the closing question. One that ``gives_in`` answers also when it reads that a call is
    banned. Its place is found from the history alone.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    task: ClassVar[str] = "What is in notes.txt?"

    def __init__(self, gives_in: bool = False) -> None:
        self.gives_in = gives_in

    @abstractmethod
    def asks(self, turn: int, answers: Messages) -> Asked:
        """Return the next calls; ``answers`` are the tool messages that came last."""

    def reply(self, messages: Messages, tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the next decision."""
        answers = last_answers(messages)
        if is_closing(messages[-1]) or (self.gives_in and ErrorCode.TOOL_BANNED in codes(answers)):
            return ModelReply(f"{known(messages)} I could not confirm that the task is done.")
        asked = self.asks(sum(message["role"] == "assistant" for message in messages), answers)
        if not asked:
            return ModelReply(f"{known(messages)} The task is done.")
        before = sum(len(calls_of(message)) for message in messages)
        calls = [ToolCall(f"call_{before + n}", *call) for n, call in enumerate(asked, 1)]
        return ModelReply("", tuple(calls), "tool_calls")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'gives in when told' if self.gives_in else 'keeps on'})"


class SameCall(Habit):
    name, title = "same_call", "the same call for ever"

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("read_file", {"path": "notes.txt"})]


class TwoInTurn(Habit):
    name, title = "two_in_turn", "A, B, A, B: two wrong names in turn"

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("read_file", {"path": ("note.txt", "notes.md")[turn % 2]})]


class ThreeInTurn(Habit):
    name, title = "three_in_turn", "A, B, C: three wrong names in turn"

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("read_file", {"path": ("note.txt", "notes.md", "NOTES")[turn % 3]})]


class OtherSpelling(Habit):
    name, title = "other_spelling", "the same arguments, spelled differently"
    task = "Where does mint stand?"
    spellings = (
        '{"query": "Mint", "limit": 3}',
        '{"limit": 3, "query": "Mint"}',
        '{ "query":"Mint", "limit":3.0 }',
        '{"query": "\\u004dint", "limit": 3}',
    )

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("search_text", self.spellings[turn % len(self.spellings)])]


class RefusedEachTime(Habit):
    name, title = "refused_each_time", "refused by validation each time"

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("read_lines", {"path": "notes.txt", "start_line": "first", "end_line": 2})]


class NoSuchTool(Habit):
    name, title = "no_such_tool", "a tool that does not exist"

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [("open_file", {"path": "notes.txt"})]


class PollsAJobThatMoves(Habit):
    name, title = "polls_a_job_that_moves", "polling, and the job moves"
    task = "Tell me when the backup is done."

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [] if contents(answers)[:1] == ["done"] else [("job_status", {"job": "backup"})]


class PollsAJobThatStands(Habit):
    name, title = "polls_a_job_that_stands", "polling, and the job stands still"
    task = "Tell me when the pages are printed."

    def asks(self, turn: int, answers: Messages) -> Asked:
        return [] if contents(answers)[:1] == ["done"] else [("job_status", {"job": "print"})]


class TestsAndEdits(Habit):
    name, title = "tests_and_edits", "test, edit, test, edit: real work"
    task = "Make the test of prices.py pass."

    def asks(self, turn: int, answers: Messages) -> Asked:
        if contents(answers)[:1] == ["EXIT 0"]:
            return []
        edits = steps_to_the_right_prices()
        return [("edit_file", edits[turn // 2 % len(edits)])] if turn % 2 else [("run_test", {})]


class FlipsAnEdit(Habit):
    name, title = "flips_an_edit", "an edit that flips back and forth"
    task = "Is tea 1 or 4?"

    def asks(self, turn: int, answers: Messages) -> Asked:
        old, new = ("TEA = 1", "TEA = 4")[:: -1 if turn % 2 else 1]
        return [("edit_file", {"path": "prices.py", "old": old, "new": new})]


class TooManyAtOnce(Habit):
    """Told that calls were too many, one that gives in asks for the missing ones; else for all of them again."""

    name, title = "too_many_at_once", "twelve calls in one message"
    task = "How many pots are ordered?"

    def asks(self, turn: int, answers: Messages) -> Asked:
        wanted = [("read_file", {"path": f"order_{n}.txt"}) for n in range(1, ORDERS + 1)]
        if turn == 0:
            return wanted
        missing = codes(answers).count(ErrorCode.TOO_MANY_CALLS)
        if ErrorCode.TOOL_BANNED in codes(answers):
            return wanted
        return (wanted[-missing:] if self.gives_in else wanted) if missing else []


MODELS: dict[str, type[Habit]] = {
    habit.name: habit
    for habit in (
        SameCall,
        TwoInTurn,
        ThreeInTurn,
        OtherSpelling,
        RefusedEachTime,
        NoSuchTool,
        PollsAJobThatStands,
        PollsAJobThatMoves,
        TestsAndEdits,
        FlipsAnEdit,
        TooManyAtOnce,
    )
}


def last_answers(messages: Messages) -> list[dict[str, Any]]:
    """Return the tool messages at the end."""
    found: list[dict[str, Any]] = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        found.insert(0, message)
    return found


def codes(answers: Messages) -> list[str]:
    """Return the error codes of tool messages, of those that have one."""
    return [message["error"]["code"] for message in answers if "error" in message]


def contents(answers: Messages) -> list[str]:
    """Return what tool messages say, up to the first colon."""
    return [message["content"].partition(":")[0] for message in answers]


def known(messages: Messages) -> str:
    """Return what the last successful call has said, as a sentence."""
    said = [m["content"] for m in messages if m["role"] == "tool" and "error" not in m]
    return f"I know this: {said[-1].splitlines()[0].rstrip('.')}." if said else "I know nothing for certain."
