"""A stand-in for a model that goes on from a changed past: a script, and a few rules over what the tools have said.

Pure. It is no language model, and is called scripted wherever it appears. Its rules, first match first: a call that
failed is corrected, if the script knows a correction that was not tried yet; then comes the next decision of the
script; after an edit the tests are run; while they fail, known repairs are tried; then it answers with what is shown.

Does not: say that tests pass unless the last ``run_test`` after the last edit has said so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.calls import ToolCall, many
from labkit.guard import fingerprint
from labkit.history import is_closing
from labkit.models.base import ModelReply

Message = dict[str, Any]
Decision = dict[str, Any]


@dataclass(frozen=True)
class Round:
    """One call of the history with its answer. A value; ``message`` is None where there is no answer."""

    call: ToolCall
    message: Message | None

    @property
    def code(self) -> str | None:
        """The code of its error; the field is asked, never the words."""
        error = (self.message or {}).get("error")
        return str(error.get("code")) if isinstance(error, dict) else None

    @property
    def worked(self) -> bool:
        return self.message is not None and "error" not in self.message

    @property
    def passed(self) -> bool:
        """Whether this is a run of the tests that passed."""
        return self.call.name == "run_test" and self.worked and _first_line(self.message) == "EXIT 0"


class StandIn:
    """Plays a script, and looks at the last results before it does.

    Beside ``decisions`` and ``on_error`` the script has ``corrections``: for a tool, what to call instead where a call
    of it failed. Its last decision is its answer, given only where the run has been what the script says of it.
    """

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        *self._decisions, self._answer = script["decisions"]
        self._right = _call_of(script["decisions"], "edit_file")

    def reply(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the next decision; without tools, the answer that can be given now."""
        turns = _turns(messages)
        rounds = [each for turn in turns for each in turn]
        place = sum(self._correction(turns[:number]) is None for number in range(len(turns)))
        decision = self._correction(turns) or self._forward(place, rounds) if tools else self._ending(rounds)
        asked = decision.get("tool_calls") or []
        calls = [
            ToolCall(f"call_{len(rounds) + number}", call["name"], call["arguments"])
            for number, call in enumerate(asked, 1)
        ]
        return ModelReply(decision["content"], tuple(calls), "tool_calls" if calls else "stop")

    def _correction(self, turns: Sequence[Sequence[Round]]) -> Decision | None:
        """What to call instead of a call of the last turn that failed; never a call that was made before."""
        rounds = [each for turn in turns for each in turn]
        made = {_key(each.call) for each in rounds}
        for each in turns[-1] if turns else ():
            for decision in self._known_for(each):
                if not made & {_key(_as_call(call)) for call in decision["tool_calls"]}:
                    return decision
        return None

    def _known_for(self, failed: Round) -> Iterator[Decision]:
        if failed.code is None:
            return
        known = self.script.get("on_error", {}).get(failed.code)
        if known and known["tool_calls"][0]["name"] == failed.call.name:
            yield known
        if failed.call.name in self.script.get("corrections", {}):
            yield self.script["corrections"][failed.call.name]

    def _forward(self, place: int, rounds: Sequence[Round]) -> Decision:
        """The next decision of the script; after its last one, test and repair until there is something to say."""
        if place < len(self._decisions):
            decision: Decision = self._decisions[place]
            return decision
        tested = tested_since_the_last_edit(rounds)
        if tested is None and not (rounds and rounds[-1].call.name == "run_test"):
            return {"content": "The tests decide.", "tool_calls": [{"name": "run_test", "arguments": {}}]}
        if tested is not None and not tested.passed:
            made = {_key(each.call) for each in rounds}
            for said, arguments in self._repairs(rounds):
                if _key(ToolCall("", "edit_file", arguments)) not in made:
                    return {"content": said, "tool_calls": [{"name": "edit_file", "arguments": arguments}]}
        return self._ending(rounds)

    def _repairs(self, rounds: Sequence[Round]) -> Iterator[tuple[str, dict[str, Any]]]:
        """What can be tried while the tests fail: the right line for a wrong one, the script's edit, a step back."""
        right = self._right
        done = [edit for edit in edits_of(rounds) if edit != right and edit["new"]]
        for edit in reversed(done):
            if edit["path"] == right["path"] and right["old"] in edit["old"]:
                new = edit["old"].replace(right["old"], right["new"])
                yield "The tests still fail, and that line is mine. I put it right.", _edit(edit, edit["new"], new)
        yield "The tests still fail. I make the edit that is missing.", right
        for edit in reversed(done):
            yield "The tests still fail. I take one of my edits back.", _edit(edit, edit["new"], edit["old"])

    def _ending(self, rounds: Sequence[Round]) -> Decision:
        """The answer: the script's own where all was as it says, else what the results show and no more."""
        tested = tested_since_the_last_edit(rounds)
        edits = edits_of(rounds)
        if tested is not None and tested.passed:
            if edits == [self._right]:
                answer: Decision = self._answer
                return answer
            return {"content": f"The tests pass: EXIT 0. {_told(edits)} Look at that before you keep it."}
        if tested is None:
            last = rounds[-1] if rounds else None
            broke = last.code if last is not None and last.call.name == "run_test" else None
            why = f"the tests did not come to an end ({broke})" if broke else "no test run since my last change"
            return {"content": f"Not done: {why}. {_told(edits)}"}
        return {"content": f"Not done: the tests end with {_first_line(tested.message)}. {_told(edits)}"}


def tested_since_the_last_edit(rounds: Sequence[Round]) -> Round | None:
    """Return the last test run, if it came after the last edit that worked; else nothing is known."""
    for each in reversed(rounds):
        if each.worked and each.call.name == "run_test":
            return each
        if each.worked and each.call.name == "edit_file":
            return None
    return None


def edits_of(rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """Return the arguments of the edits that worked, in order."""
    done = [each.call for each in rounds if each.call.name == "edit_file" and each.worked]
    return [json.loads(fingerprint(call)) for call in done]


def _edit(like: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {"path": like["path"], "old": old, "new": new}


def _told(edits: Sequence[dict[str, Any]]) -> str:
    if not edits:
        return "I changed no file."
    listed = "; ".join(f"{edit['path']}: {_quoted(edit['old'])} → {_quoted(edit['new'])}" for edit in edits)
    return f"I made {many(len(edits), 'edit')}: {listed}."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _turns(messages: Sequence[Message]) -> list[list[Round]]:
    """The rounds of each decision since the last task; answers stand behind their calls, in call order."""
    turns: list[list[Round]] = []
    waiting = 0
    for message in messages:
        if message.get("role") == "user" and not is_closing(message):
            turns = []
        elif message.get("role") == "assistant":
            turns.append([Round(_as_call(call), None) for call in message.get("tool_calls") or ()])
            waiting = 0
        elif message.get("role") == "tool" and turns and waiting < len(turns[-1]):
            turns[-1][waiting] = Round(turns[-1][waiting].call, message)
            waiting += 1
    return turns


def _as_call(call: dict[str, Any]) -> ToolCall:
    return ToolCall(call.get("id", ""), call["name"], call.get("arguments"))


def _call_of(decisions: Sequence[Decision], name: str) -> dict[str, Any]:
    """The arguments of the last call of a tool in a script: of ``edit_file``, the edit that mends."""
    calls = [call for decision in decisions for call in decision.get("tool_calls") or () if call["name"] == name]
    arguments: dict[str, Any] = calls[-1]["arguments"]
    return arguments


def _key(call: ToolCall) -> tuple[str, str]:
    return call.name, fingerprint(call)


def _first_line(message: Message | None) -> str:
    return str((message or {}).get("content") or "").partition("\n")[0]
