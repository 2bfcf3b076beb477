"""The pairing rule: every call is answered once, right after it was asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import ToolCall
from labkit.history import CLOSING_QUESTION, assistant, blocks, broken, last_turn, system, tokens, trim, user


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


# ---- shorter, and still valid ----


def long_history(turns: int, words: int = 40) -> list[dict[str, Any]]:
    messages = [system("be brief"), user("first task"), assistant("first answer"), user("the task")]
    for n in range(turns):
        messages += [asked(f"a{n}", f"b{n}"), answered(f"a{n}"), answered(f"b{n}") | {"content": "word " * words}]
    return messages


def test_blocks_keep_calls_and_answers_together() -> None:
    assert [len(block) for block in blocks(VALID)] == [1, 1, 3, 1]
    assert [message for block in blocks(VALID) for message in block] == VALID


def test_tokens_are_a_quarter_of_the_bytes() -> None:
    assert tokens([]) == 0
    assert tokens([user("x" * 400)]) - tokens([user("")]) == 100
    assert tokens([user("ö" * 200)]) - tokens([user("")]) == 100
    assert tokens(VALID) == sum(tokens([message]) for message in VALID)


def test_what_fits_stays_as_it_is() -> None:
    messages = long_history(3)
    assert trim(messages, tokens(messages)) == messages
    assert trim(messages, tokens(messages)) is not messages


def test_the_task_the_system_message_and_the_newest_turns_stay() -> None:
    messages = long_history(20)
    short = trim(messages, 400)
    assert short[0] == system("be brief")
    left_out = len(messages) - (len(short) - 1)
    assert short[1] == user(f"[left out: {left_out} messages that came before]")
    assert short[2] == user("the task")
    assert short[3:] == messages[-len(short[3:]) :]
    assert len(short[3:]) >= 3


def test_a_closing_question_is_no_task() -> None:
    messages = [*long_history(9), user(CLOSING_QUESTION)]
    short = trim(messages, 400)
    assert user("the task") in short and short[-1] == user(CLOSING_QUESTION)


def test_one_block_more_would_be_too_long() -> None:
    messages = long_history(20)
    short = trim(messages, 400)
    dropped = blocks(messages)[-(len(blocks(short)) - 3) - 1]
    assert tokens(short) <= 400 < tokens(short) + tokens(dropped)


@pytest.mark.parametrize("limit", [0, -5, 1.5, True, "9"])
def test_a_limit_must_be_a_whole_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_tokens must be a whole number of at least 1"):
        trim(VALID, limit)


def test_a_task_that_does_not_fit_is_said_and_so_is_a_history_with_a_gap() -> None:
    with pytest.raises(ValueError, match=r"the task and the newest messages alone take \d+ tokens, not 20"):
        trim(long_history(5), 20)
    with pytest.raises(ValueError, match="can't be trimmed: message 1: the call a"):
        trim([asked("a")], 1000)


turn = st.integers(0, 3).map(lambda calls: [asked(*"abc"[:calls]), *(answered(name) for name in "abc"[:calls])])
histories = st.lists(turn | st.just([user("more")]) | st.just([system("s")]), max_size=12).map(
    lambda found: [user("task"), *(message for block in found for message in block)]
)


@given(histories, st.integers(1, 400))
def test_law_what_was_trimmed_is_valid_fits_and_comes_from_the_history(
    messages: list[dict[str, Any]], limit: int
) -> None:
    before = [dict(message) for message in messages]
    try:
        short = trim(messages, limit)
    except ValueError:
        assert limit < tokens(messages)
        return
    assert messages == before
    assert broken(short) == []
    assert tokens(short) <= limit
    notes = [message for message in short if message not in messages]
    assert len(notes) == (len(short) != len(messages) or short != messages)
    assert len(messages) == sum(message in messages for message in short) + sum(
        int(str(note["content"]).split()[2]) for note in notes
    )


def test_a_note_of_an_earlier_trimming_is_no_task_and_its_number_is_added() -> None:
    def turns(first: int, last: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for n in range(first, last):
            found.append(assistant("look " * 10, [ToolCall(f"call_{n}", "read_file", {"path": f"{n}.txt"})]))
            found.append({"role": "tool", "content": "x " * 60, "tool_call_id": f"call_{n}"})
        return found

    once = trim([user("THE TASK"), *turns(0, 6)], 200)
    twice = trim([*once, *turns(6, 9)], 200)
    said = [message["content"] for message in twice if message["role"] == "user"]
    assert said == ["THE TASK", "[left out: 16 messages that came before]"]
    assert len(twice) == 4 and broken(twice) == []
