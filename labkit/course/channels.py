"""Three ways to tell of a failure, and the same faulty run played under each of them.

Chapter 04. A design is one function, from a result to the message that the model gets; the loop around it is the same.

    >>> play(script("missing_file"), "string").found
    'not_found'

Acts only in ``play``: on a fresh copy of the script's workspace, which is removed again.
Does not: ask a language model. What a real one makes of a sentence can't be shown by a script.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labkit import history
from labkit.calls import ToolCall, ToolError, ToolResult, many
from labkit.course.copying import copied
from labkit.course.error_words import code_by_words
from labkit.course.garden_shop import shop_tools
from labkit.course.layout import beside
from labkit.declare import ToolRegistry
from labkit.models.base import Model
from labkit.models.scripted import ScriptedModel, read_script
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.toolsets import workspace_tools

Message = dict[str, Any]
Design = Callable[[ToolResult], Message]
Run = Callable[[Sequence[ToolCall]], list[ToolResult]]


class ToolFailed(Exception):
    """A failed call, as the design ``exception`` reports it: thrown through the loop."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


def as_string(result: ToolResult) -> Message:
    """Tell the model in words, and nobody else: the same words as ever, without the code."""
    words = result.content
    if result.error is not None:
        words = words.replace(f"ERROR [{result.error.code}]", "ERROR", 1)
    return {"role": "tool", "content": words, "tool_call_id": result.call_id}


def as_exception(result: ToolResult) -> Message:
    """Tell the program, and not the model. Raises ToolFailed for a call that failed."""
    if result.error is not None:
        raise ToolFailed(result.error)
    return result.to_message()


def as_both(result: ToolResult) -> Message:
    """Tell the model in ``content``, and a program in ``error``."""
    return result.to_message()


DESIGNS: dict[str, Design] = {"string": as_string, "exception": as_exception, "content + error": as_both}
WORDINGS = ("usual", "reworded")
FAILURES = (
    *("inverted_range", "wrong_type", "unknown_tool", "cut_json", "missing_file", "outside_folder"),
    *("no_such_plant", "tool_bug", "failing_test", "quoted_error", "one_of_three"),
)


@dataclass(frozen=True)
class Played:
    """What became of a faulty run under one design. A value.

    ``results`` are the runtime's, also where the model never saw them. ``got`` is what the model could read of the
    call that failed, None for nothing; ``found`` is the error code that a program finds, ``true_code`` the one there
    was. ``mended`` says that the model took up the failure; ``ended`` is ``final_answer`` or an exception's name.
    """

    design: str
    messages: tuple[Message, ...]
    results: tuple[ToolResult, ...]
    got: str | None
    found: str | None
    mended: bool
    ended: str

    @property
    def result(self) -> ToolResult:
        """The first result that was not ok, or the first of all."""
        return next((result for result in self.results if not result.ok), self.results[0])

    @property
    def true_code(self) -> str | None:
        return str(self.result.error.code) if self.result.error else None

    @property
    def right(self) -> bool:
        """Whether a program finds what there was."""
        return self.found == self.true_code

    @property
    def worked(self) -> int:
        """How many calls did their work, also where it brought bad news, such as a failing test."""
        return sum(result.error is None for result in self.results)

    @property
    def next(self) -> Message | None:
        """The model's message after the failure; None where it was not asked again."""
        asked = [message for message in self.messages if message["role"] == "assistant"]
        return asked[1] if len(asked) > 1 else None

    def __repr__(self) -> str:
        return f"Played({self.design}: {self.ended}, {many(len(self.messages), 'message')})"


def script(name: str) -> dict[str, Any]:
    """Return the script of one of ``FAILURES``, such as ``missing_file``."""
    return read_script(data("scripts", "errors", f"{name}.json"))


def play(script: dict[str, Any], design: str = "content + error", wording: str = "usual") -> Played:
    """Play a script under a design, with the tools of its workspace and those of the garden shop.

    ``reworded`` words the failure as the script's own ``reworded`` does: the same failure, said differently.
    """
    messages, results, ended = [history.user(script["task"])], list[ToolResult](), "final_answer"
    with tempfile.TemporaryDirectory(prefix="labkit-") as outer:
        runtime = ToolRuntime(ToolRegistry([*workspace_tools(_folder(script, Path(outer))), *shop_tools()]))

        def run(calls: Sequence[ToolCall]) -> list[ToolResult]:
            return [_worded(result, script, wording) for result in runtime.dispatch_many(calls)]

        try:
            _loop(ScriptedModel(script), run, DESIGNS[design], messages, results)
        except ToolFailed as problem:
            ended = type(problem).__name__
    played = Played(design, tuple(messages), tuple(results), None, None, False, ended)
    got = next((m for m in messages if m.get("tool_call_id") == played.result.call_id), None)
    said = [message["content"] for message in messages]
    mended = any(decision["content"] in said for decision in script.get("on_error", {}).values())
    found = _found(design, played.result, got)
    return replace(played, got=got["content"] if got else None, found=found, mended=mended)


def _loop(model: Model, run: Run, answer: Design, messages: list[Message], results: list[ToolResult]) -> None:
    """Ask, run, answer, repeat, as chapter 00 does; what was said and what came back stays, however it ends."""
    while True:
        reply = model.reply(messages, [])
        messages.append(history.assistant(reply.content, reply.tool_calls))
        if not reply.tool_calls:
            return
        came = run(reply.tool_calls)
        results += came
        messages += [answer(result) for result in came]  # one that raises takes the others' answers along


def _folder(script: dict[str, Any], outer: Path) -> Path:
    folder = copied(data("workspaces", script["workspace"]), outer)
    for file, text in script.get("files", {}).items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def _worded(result: ToolResult, script: dict[str, Any], wording: str) -> ToolResult:
    if wording == "usual" or result.error is None or "reworded" not in script:
        return result
    error = replace(result.error, message=script["reworded"], hint=None, problems=())
    return replace(result, content=error.content(), error=error)


def _found(design: str, result: ToolResult, answer: Message | None) -> str | None:
    """Return the code that a program finds: in the words, on the exception, or in the field."""
    if design == "string":
        return code_by_words(answer["content"]) if answer else None
    if design == "exception":
        return str(result.error.code) if result.error else None
    return answer.get("error", {}).get("code") if answer else None


@dataclass(frozen=True, repr=False)
class Comparison:
    """One failure under the three designs. A value; its text says all that the lab draws."""

    failure: str
    wording: str
    played: tuple[Played, ...]

    @property
    def head(self) -> str:
        """What happened, whatever the design: the call, and what the runtime says of it."""
        result = self.played[0].result
        error = f"the error {result.error.code}" if result.error else "no error"
        return f"{self.failure} · words: {self.wording} · {result.name} has ok={result.ok} and {error}"

    def __repr__(self) -> str:
        return "\n".join([self.head, *(line for each in self.played for line in _told(each))])


def compare(name: str, wording: str = "usual") -> Comparison:
    """Return one of ``FAILURES`` under the three designs, each on its own copy of the workspace."""
    faulty = script(name)
    with ThreadPoolExecutor(len(DESIGNS)) as pool:  # the tests of a workspace take a moment, and the runs share nothing
        played = tuple(pool.map(lambda design: play(faulty, design, wording), DESIGNS))
    return Comparison(faulty["failure"], wording if "reworded" in faulty else "usual", played)


def _told(played: Played) -> list[str]:
    rows = zip(QUESTIONS, answers(played), strict=True)
    return ["", played.design, *(beside(f"  {ask:<15}  ", told) for ask, told in rows)]


QUESTIONS = ("the model reads", "a program finds", "the model then", "the run")


def answers(played: Played) -> tuple[str, str, str, str]:
    """Return what became of a run, for each of ``QUESTIONS``: a word or two, a colon, and the rest."""
    got = "nothing" if played.got is None else "\n".join(played.got.splitlines()[:2])
    return got, _verdict(played), _then(played), _ending(played)


def _verdict(played: Played) -> str:
    where = {"string": "by its words", "exception": "on the exception", "content + error": "in the field error"}
    found = f"{played.found or 'no error'}, {where[played.design]}"
    return f"right: {found}" if played.right else f"wrong: {found}; it is {played.true_code or 'no error'}"


def _then(played: Played) -> str:
    if played.next is None:
        return "is not asked again"
    does = "mends its call" if played.mended and played.true_code else "is misled" if played.mended else "goes on"
    calls: Sequence[dict[str, Any]] = played.next.get("tool_calls", ())
    asks = ", ".join(f"{call['name']} {json.dumps(call['arguments'], ensure_ascii=False)}" for call in calls)
    return f"{does}: {played.next['content']}" + (f" → {asks}" if asks else "")


def _ending(played: Played) -> str:
    answered = sum(message["role"] == "tool" for message in played.messages)
    ending = "answers" if played.ended == "final_answer" else f"dies of {played.ended}"
    return f"{ending}: {played.worked} of {many(len(played.results), 'call')} worked, {answered} answered"
