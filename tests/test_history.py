"""The pairing rule: every call is answered once, right after it was asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import ToolCall
from labkit.history import assistant, broken, last_turn, system, user


def asked(*ids: str) -> dict[str, Any]:
    return assistant("", [ToolCall(name, "read_file", "{}") for name in ids])


def answered(name: str) -> dict[str, Any]:
    return {"role": "tool", "content": "", "tool_call_id": name}


VALID = [system("s"), user("u"), asked("a", "b"), answered("b"), answered("a"), assistant("done")]


def test_a_call_stands_in_history_as_it_was_received() -> None:
    call = ToolCall("call_1", "read_file", '{"path": ')
    assert assistant("text", [call]) == {
        "role": "assistant",
        "content": "text",
        "tool_calls": [{"id": "call_1", "name": "read_file", "arguments": '{"path": '}],
    }
    assert assistant("text") == {"role": "assistant", "content": "text"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        VALID,
        [asked("a"), answered("a"), asked("a"), answered("a")],
        [asked("a", "a"), answered("a"), answered("a")],
    ],
)
def test_valid_histories_have_nothing_broken(messages: list[dict[str, Any]]) -> None:
    assert broken(messages) == []


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([asked("a")], "message 1: the call a (read_file) has no answer"),
        ([asked("a", "b"), answered("b")], "message 1: the call a (read_file) has no answer"),
        ([asked("a"), user("u"), answered("a")], "message 1: the call a (read_file) has no answer"),
        ([answered("a")], "message 1: an answer to a that nobody asked for"),
        ([asked("a"), answered("a"), answered("a")], "message 1: an answer to a that was not asked for here"),
        ([asked("a", "a"), answered("a")], "message 1: the call a (read_file) has no answer"),
    ],
)
def test_each_fault_is_named_with_its_place(messages: list[dict[str, Any]], words: str) -> None:
    assert words in broken(messages)


@given(st.data())
def test_law_losing_or_doubling_any_tool_message_breaks_a_history(data: st.DataObject) -> None:
    messages: list[dict[str, Any]] = [user("u")]
    for size in data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=5)):
        ids = [f"call_{n}" for n in range(size)]
        messages += [asked(*ids), *map(answered, ids)]
    assert broken(messages) == []
    places = [i for i, m in enumerate(messages) if m["role"] == "tool"]
    if places:
        place = data.draw(st.sampled_from(places))
        assert broken(messages[:place] + messages[place + 1 :])
        assert broken([*messages[:place], messages[place], *messages[place:]])


def test_the_last_turn_and_its_answers() -> None:
    assert last_turn([user("u"), asked("a", "b"), answered("a")])[1] == 1
    assert [call["id"] for call in last_turn([user("u"), asked("a", "b"), answered("a")])[0]] == ["a", "b"]
    assert last_turn(VALID) == ([], 0)
    assert last_turn([]) == ([], 0)
