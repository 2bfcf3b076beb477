"""The history of the wire lab: spoilt, spelled for two wires, sent, and compared."""

from __future__ import annotations

import json
from itertools import chain, combinations
from typing import Any

import pytest

from labkit import Agent, ScriptedModel, ToolRegistry, ToolRuntime
from labkit.course.wires import (
    ANSWERS,
    CHAT,
    DEFINITIONS,
    RESPONSES,
    SCRIPT,
    SPOILS,
    changes,
    facts,
    plain_chat,
    plain_responses,
    post,
    spoilt,
    the_history,
    told,
    tried,
)
from labkit.course.wires.samples import all_legal, asks, says
from labkit.history import broken, user
from labkit.models.server import broken_rules, responses_broken_rules
from labkit.models.wire import chat_tools, responses_tools, to_chat, to_responses
from labkit.paths import repository
from labkit.toolsets import everyday_tools
from labkit.trace import Trace

EVERY_SET = [*chain.from_iterable(combinations(SPOILS, size) for size in range(len(SPOILS) + 1))]
LET_PASS = {(CHAT, "again"), (RESPONSES, "interrupted")}
"""What one of the wires takes as it is: an id again in a later turn, an answer after another message."""


def rules_broken_by(api: str, sent: list[dict[str, Any]]) -> set[int | str]:
    if api == CHAT:
        body = {"model": "m", "messages": sent, "tools": chat_tools(DEFINITIONS)}
        return {fault.rule for fault in broken_rules(body)}
    body = {"model": "m", "input": sent, "tools": responses_tools(DEFINITIONS)}
    return {fault.rule for fault in responses_broken_rules(body)}


def test_the_history_is_valid_and_is_that_of_its_script() -> None:
    assert broken(the_history()) == []
    seen = [message for message in the_history() if message["role"] == "assistant"]
    assert seen == SCRIPT["decisions"][:2]
    spoilt("doubled", SPOILS)
    assert spoilt() == the_history() and broken(the_history()) == []


@pytest.mark.parametrize("api", [CHAT, RESPONSES])
@pytest.mark.parametrize("answer", ANSWERS)
def test_whatever_was_spoilt_is_accepted_once_it_is_mended(api: str, answer: str) -> None:
    mend = to_chat if api == CHAT else to_responses
    for spoils in EVERY_SET:
        assert rules_broken_by(api, mend(spoilt(answer, spoils))) == set(), spoils


@pytest.mark.parametrize("api", [CHAT, RESPONSES])
@pytest.mark.parametrize(
    ("answer", "spoils", "rules"),
    [
        ("left_out", [], {1}),
        ("doubled", [], {1}),
        ("orphaned", [], {1, 2}),
        ("trimmed", [], {2}),
        ("interrupted", [], {1, 2}),
        ("whole", ["error"], {16}),
        ("whole", ["name"], {8}),
        ("whole", ["arguments"], {6}),
        ("whole", ["same_id"], {7}),
        ("whole", ["again"], {7}),
    ],
)
def test_every_accident_alone_breaks_the_rule_meant(api: str, answer: str, spoils: list[str], rules: set[int]) -> None:
    plain = plain_chat if api == CHAT else plain_responses
    found = rules_broken_by(api, plain(spoilt(answer, spoils)))
    name = spoils[0] if spoils else answer
    if (api, name) in LET_PASS:
        assert found == set()
    else:
        assert found >= rules if name in ("same_id", "again") else found == rules


def test_nothing_spoilt_is_accepted_as_it_is() -> None:
    assert rules_broken_by(CHAT, plain_chat(the_history())) == set()
    assert rules_broken_by(RESPONSES, plain_responses(the_history())) == set()


def test_an_unknown_accident_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="there is no 'burnt'; choose one of whole, left_out"):
        spoilt("burnt")
    with pytest.raises(ValueError, match="there is no 'burnt'; choose one of error, name"):
        spoilt(spoils=["burnt"])


def test_the_chapter_writes_the_same_translation_by_hand() -> None:
    notebook = json.loads((repository() / "notebooks" / "09_real_client.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for source in sources:
        if "def nested_v0" in source or "def to_chat_v0" in source:
            exec(source, names)
    for answer in ANSWERS:
        for spoils in EVERY_SET:
            messages = spoilt(answer, spoils)
            assert names["to_chat_v0"](messages) == plain_chat(messages)


# ---- over HTTP ----


def test_a_sound_history_comes_back_with_the_last_decision() -> None:
    for api in (CHAT, RESPONSES):
        once = tried(api=api)
        assert once.status == 200 and once.marks == ("",) * len(once.sent) and once.gone == ()
        assert SCRIPT["decisions"][2]["content"] in once.verdict


def test_what_the_server_says_over_http_is_what_its_rules_say() -> None:
    body = {"model": "scripted", "messages": plain_chat(spoilt("orphaned", ["error"])), "tools": DEFINITIONS}
    answered = post(CHAT, body)
    assert answered.status == 400
    assert list(answered.sentences) == [fault.message for fault in broken_rules(body)]


def test_more_sentences_than_the_server_says_are_counted() -> None:
    body = {"model": "scripted", "messages": the_history(), "tools": DEFINITIONS}
    sentences = post(CHAT, body).sentences
    assert len(sentences) == 6 and sentences[5] == f"and {len(broken_rules(body)) - 5} more"


def test_a_place_is_refused_by_the_rules_that_the_server_names_for_it() -> None:
    once = tried("orphaned")
    assert once.said_of(2) == ["refused: rule 1"]
    assert once.said_of(4) == ["spoilt: tool_call_id is call_9", "refused: rule 2"]
    assert once.said_of(0) == []


def test_a_failed_calc_is_taken_up_by_the_script() -> None:
    mended = tried(spoils=["error"], repair=True)
    assert mended.status == 200 and "not confirmed" in mended.verdict
    assert mended.said_of(6) == ["mended: error is left out"]


def test_the_text_says_what_was_done_what_came_and_what_was_sent() -> None:
    text = repr(tried("left_out", ["name"]))
    head, sent = text.split("\n\n")
    said = " ".join(head.split())
    assert said.startswith("chat completions · the second answer: left out; a name has a dot · sent as it is")
    assert "the server answers 400: 2 sentences" in head and "(rule 1)" in head and "(rule 8)" in head
    assert "weather.get" in sent and "no longer there:" in sent and '"31.2"' in sent
    assert max(map(len, text.splitlines())) <= 80


# ---- comparing ----


def test_changes_tell_what_is_new_what_came_twice_and_what_is_gone() -> None:
    before = [user("x"), asks("a"), says("a", "1"), says("b", "2")]
    now = [user("x"), asks("a"), says("a", "1"), says("a", "1"), says("c", "2"), user("y")]
    marks, gone = changes(before, now)
    assert marks == ["", "", "", "once more", "tool_call_id is c", "put in"]
    assert gone == []
    assert changes(before, before[:2]) == (["", ""], before[2:])


def test_changes_leave_both_lists_alone() -> None:
    before, now = [user("x"), says("a")], [says("a"), user("z")]
    changes(before, now)
    assert before == [user("x"), says("a")] and now == [says("a"), user("z")]


def test_facts_of_a_run_are_the_same_every_time_and_tell_runs_apart() -> None:
    def run(script: dict[str, Any]) -> Trace:
        return Agent(ScriptedModel(script), ToolRuntime(ToolRegistry(everyday_tools()))).run(script["task"]).trace

    other = {**SCRIPT, "decisions": SCRIPT["decisions"][1:]}
    assert facts(run(SCRIPT)) == facts(run(SCRIPT)) != facts(run(other))
    assert len(facts(run(SCRIPT))) == len(run(SCRIPT).lines)


# ---- samples ----


def test_a_history_is_told_in_short() -> None:
    assert told([user("x"), asks("a", "b"), says("b"), {"role": "tool"}]) == [
        "user",
        "asks a b",
        "b: fine",
        "None: None",
    ]
    with pytest.raises(TypeError, match="told takes a list of messages"):
        told(...)  # type: ignore[arg-type]


def test_names_are_judged() -> None:
    assert all_legal({"a.b": "a_b", "c": "c"})
    assert not all_legal({"a.b": "a_b", "a_b": "a_b"})
    assert not all_legal({"ö": "ö"}) and not all_legal({"n": "n" * 65}) and not all_legal({"": ""})
    with pytest.raises(TypeError, match="all_legal takes a dict"):
        all_legal(...)  # type: ignore[arg-type]
