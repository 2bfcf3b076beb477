"""Replies as servers stream them: straight, bent by every quirk, cut anew, and broken off; put together again."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import json_texts

from labkit.calls import ToolCall
from labkit.models import ModelError, ModelReply, Usage
from labkit.models.server.quirks import bend
from labkit.models.server.streams import (
    QUIRKS,
    chat_chunks,
    completion_object,
    response_object,
    responses_events,
)
from labkit.models.streaming import ChatAssembly, ResponsesAssembly, assemble, assemble_responses
from labkit.models.wire import reply_from_chat, reply_from_response

# Where no index tells the calls of a reply apart, their ids must.
BY_ID = ("no_index", "null_index", "index_zero", "index_lost", "one_chunk")
# A longer number could be any shorter one until its last digit has come: only objects and texts end visibly.
CUT_ARGUMENTS = ('{"path": "a', '{"a": [1, 2', '{"a"', "path=a.txt", "[1, 2]", "null", "7", " ", '"text')
TWICE = (json.dumps('{"path": "a"}'), json.dumps(json.dumps({"é": '"'})))
ROWS = ", ".join(f'{{"n": {n}, "é": "日本 \\ud83d\\ude00 \\" }}"}}' for n in range(40))
WIDE = f'{{"rows": [{ROWS}]}}'

names = st.sampled_from(["get_weather", "read_file", "go", "gogo", "a", "aa", "aab", "x-1", "Ünï"])
ids = st.sampled_from(["call_1", "call_2", "call_10", "call_1a", "0", "é"]) | st.text(
    st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6
)
objects = json_texts().filter(lambda text: text.strip().startswith("{"))
arguments = (
    objects | st.sampled_from([*CUT_ARGUMENTS, *TWICE, WIDE, "", "{}"]) | st.none() | st.dictionaries(names, names)
)
calls = st.builds(ToolCall, ids, names, arguments)
contents = st.sampled_from(["", "I look at both.", "日本語 ☂ e\u0301 \U0001f600"]) | st.text(
    st.characters(exclude_categories=("Cs",)), max_size=30
)


def replies(distinct: bool = False) -> st.SearchStrategy[ModelReply]:
    """Replies with up to four calls, whose ids may be the same unless they must be ``distinct``."""
    unique: Any = (lambda call: call.id) if distinct else None
    many = st.lists(calls, max_size=4, unique_by=unique) if distinct else st.lists(calls, max_size=4)
    return st.builds(reply_of, contents, many, st.none() | st.just(Usage(82, 33)))


def reply_of(content: str, asked: list[ToolCall], usage: Usage | None) -> ModelReply:
    return ModelReply(content, tuple(asked), "tool_calls" if asked else "stop", usage)


def sent(call: ToolCall) -> tuple[str, str, str]:
    """Return a call as it must arrive: arguments are text on the wire."""
    given = call.arguments
    return (
        call.id,
        call.name,
        given
        if isinstance(given, str)
        else json.dumps(given, ensure_ascii=False)
        if given
        else ("{}" if given == {} else ""),
    )


def wanted(reply: ModelReply) -> list[tuple[str, str, str]]:
    return [sent(call) for call in reply.tool_calls]


def got(reply: ModelReply) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, call.arguments) for call in reply.tool_calls]


def by_value(asked: list[tuple[str, str, Any]], with_id: bool = True) -> list[tuple[str, str, Any]]:
    """Return the calls with their arguments read, since a quirk may spell an object in another way."""
    return [(id if with_id else "", name, value_of(text)) for id, name, text in asked]


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# ---- straight streams, and the client's own types ----

SAID = ModelReply("I look.", (ToolCall("a", "get", '{"city": "Oslo"}'), ToolCall("b", "now", None)), "tool_calls")
SHAPES = [
    SAID,
    SAID._replace(usage=Usage(5, 6)),
    SAID._replace(content="", finish_reason="length"),
    ModelReply(""),
    ModelReply("", refusal="I can't help with that."),
    ModelReply("half", finish_reason="content_filter"),
]


@pytest.mark.parametrize("reply", SHAPES)
def test_what_is_sent_is_what_the_client_s_own_types_describe(reply: ModelReply) -> None:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.responses import Response, ResponseStreamEvent
    from pydantic import TypeAdapter

    events: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    assert not ChatCompletion.model_validate(completion_object(reply)).model_extra
    assert not Response.model_validate(response_object(reply)).model_extra
    for chunk in chat_chunks(reply, include_usage=True):
        assert not ChatCompletionChunk.model_validate(chunk).model_extra
    for event in responses_events(reply):
        read = events.validate_python(event)
        assert read.type == event["type"]
        assert not read.model_extra


@pytest.mark.parametrize("reply", SHAPES)
def test_a_reply_in_one_piece_says_the_same_as_its_stream(reply: ModelReply) -> None:
    said = (reply.content, wanted(reply), reply.finish_reason, reply.usage, reply.refusal)
    ways = [
        reply_from_chat(completion_object(reply)),
        assemble(chat_chunks(reply, include_usage=True)),
        reply_from_response(response_object(reply)),
        assemble_responses(responses_events(reply)),
    ]
    for way in ways:
        assert (way.content, got(way), way.finish_reason, way.usage, way.refusal) == said


def test_a_straight_stream_has_the_order_of_openai_s() -> None:
    chunks = chat_chunks(SAID._replace(usage=Usage(5, 6)), pieces=8, include_usage=True, model="m")
    assert [chunk["choices"][0]["delta"] for chunk in chunks[:-1]] == [
        {"role": "assistant", "content": ""},
        {"content": "I look."},
        {"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "get", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ' "Oslo"}'}}]},
        {"tool_calls": [{"index": 1, "id": "b", "type": "function", "function": {"name": "now", "arguments": ""}}]},
        {},
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks[:-1]] == [None] * 6 + ["tool_calls"]
    assert (chunks[-1]["choices"], chunks[-1]["usage"]["total_tokens"]) == ([], 11)
    assert {(chunk["model"], chunk["created"], chunk["object"]) for chunk in chunks} == {
        ("m", 0, "chat.completion.chunk")
    }


def test_events_are_numbered_and_tell_every_item_twice() -> None:
    events = responses_events(SAID, pieces=8)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    kinds = [kind.removeprefix("response.") for kind, _ in groupby(event["type"] for event in events)]
    message = ["content_part.added", "output_text.delta", "output_text.done", "content_part.done"]
    arguments = ["function_call_arguments.delta", "function_call_arguments.done"]
    item = ["output_item.added", "output_item.done"]
    assert kinds == [
        *("created", "in_progress"),
        *(item[0], *message, item[1]),
        *(item[0], *arguments, item[1]),
        *(item[0], arguments[1], item[1]),  # no arguments, no delta
        "completed",
    ]
    assert events[-1]["response"] == response_object(SAID)


@pytest.mark.parametrize("pieces", [0, -1, 2.5, True, "8"])
def test_a_piece_has_at_least_one_character(pieces: Any) -> None:
    for cut in (chat_chunks, responses_events):
        with pytest.raises(ValueError, match="pieces must be a whole number of at least 1"):
            cut(SAID, pieces=pieces)


def test_an_unknown_quirk_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match=r'no quirk "sideways".*index_zero'):
        chat_chunks(SAID, "sideways")


# ---- quirks ----


def test_each_quirk_is_told_in_one_sentence_and_changes_something() -> None:
    single = SAID._replace(tool_calls=SAID.tool_calls[:1])
    for quirk, sentence in QUIRKS.items():
        assert sentence.endswith("."), quirk
        reply = single if quirk == "legacy_function_call" else SAID
        straight = chat_chunks(reply)
        kept = json.dumps(straight)
        assert (bend(straight, quirk) == straight) == (quirk == "none"), quirk
        assert json.dumps(straight) == kept, f"{quirk} changed what it was given"


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS if quirk != "no_finish"])
@given(data=st.data(), pieces=st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_under_every_quirk_the_same_calls_arrive(quirk: str, data: st.DataObject, pieces: int) -> None:
    reply = data.draw(replies(distinct=quirk in BY_ID))
    chunks = chat_chunks(reply, quirk, pieces=pieces, include_usage=True)
    arrived = assemble(chunks)
    with_id = quirk != "legacy_function_call" or len(reply.tool_calls) != 1
    assert by_value(got(arrived), with_id) == by_value(wanted(reply), with_id)
    if quirk != "arguments_object":
        assert [call.arguments for call in arrived.tool_calls] == [text for *_, text in wanted(reply)]
    assert (arrived.content, arrived.refusal) == (reply.content, None)
    if quirk != "usage_always" or reply.usage:
        assert arrived.usage == reply.usage
    assert_whole_is_final(ChatAssembly(), chunks, arrived)


@given(reply=replies(), pieces=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_without_a_finish_reason_no_call_arrives(reply: ModelReply, pieces: int) -> None:
    with pytest.raises(ModelError):
        assemble(chat_chunks(reply, "no_finish", pieces=pieces, include_usage=True))


def assert_whole_is_final(assembly: Any, chunks: list[Any], arrived: ModelReply) -> None:
    """At every moment a call that is called whole must be the one that arrives in the end, at its place."""
    for chunk in chunks:
        assembly.feed(chunk)
        for growing, call in zip(assembly.calls, arrived.tool_calls, strict=False):
            if growing.whole:
                assert (growing.id, growing.name, growing.arguments.strip()) == (
                    call.id,
                    call.name,
                    call.arguments.strip(),
                )
    assert all(growing.whole for growing in assembly.calls)
    assert len(assembly.calls) == len(arrived.tool_calls)


def test_calls_are_whole_one_after_the_other_not_all_at_the_end() -> None:
    reply = ModelReply("", tuple(ToolCall(f"c{n}", "get", '{"city": "Oslo"}') for n in range(3)), "tool_calls")
    for quirk in ("none", "no_index", "index_zero", "id_repeated", "all_at_once", "finish_stop"):
        assembly, seen = ChatAssembly(), []
        for chunk in chat_chunks(reply, quirk)[:-1]:
            assembly.feed(chunk)
            seen.append(sum(growing.whole for growing in assembly.calls))
        assert sorted(set(seen)) == [0, 1, 2, 3], quirk


# ---- cut anew ----

ASKED = (
    ToolCall("call_1", "get_weather", '{"city": "Oslo", "when": {"from": [1, {}]}}'),
    ToolCall("call_2", "read_file", '{"path": "a \\"b\\" \\ud83d\\ude00 日本.txt"}'),
    ToolCall("call_3", "run_test", ""),
    ToolCall("call_2", "read_file", WIDE),
)
KEEP_ALIVES: list[Any] = [{"choices": []}, {}, {"choices": None}, {"choices": [{"index": 0, "delta": None}]}]


def cut_at_random(text: str, rng: random.Random, most: int = 5) -> list[str]:
    places = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randrange(most)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def chunked_anew(reply: ModelReply, rng: random.Random) -> list[Any]:
    """Return a valid stream of the reply that no server has sent before: cut, joined and mixed at random."""
    lanes: list[list[Any]] = [[{"content": piece} for piece in cut_at_random(reply.content, rng)]]
    for index, call in enumerate(reply.tool_calls):
        lanes.append([{"tool_calls": [delta]} for delta in deltas_of(index, call, rng)])
    deltas = list(merged(lanes, rng) if rng.random() < 0.5 else (delta for lane in lanes for delta in lane))
    chunks: list[Any] = []
    while deltas:
        taken, deltas = joined(deltas, rng.choice((1, 1, 2, 4)))
        chunks.append({"choices": [{"index": 0, "delta": taken, "finish_reason": None}]})
        chunks += [rng.choice(KEEP_ALIVES)] if rng.random() < 0.2 else []
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]}]


def deltas_of(index: int, call: ToolCall, rng: random.Random) -> list[Any]:
    """The name may come in pieces before the arguments; the header may hold the first fragment of them."""
    head, *rest = cut_at_random(call.name, rng, 3)
    pieces = cut_at_random(str(call.arguments), rng)
    header = {"index": index, "id": call.id, "type": "function", "function": {"name": head}}
    deltas = [header, *({"index": index, "function": {"name": piece}} for piece in rest)]
    if rng.random() < 0.5:
        deltas[-1]["function"]["arguments"] = pieces.pop(0)
    return [*deltas, *({"index": index, "function": {"arguments": piece}} for piece in pieces)]


def merged(lanes: list[list[Any]], rng: random.Random) -> Iterator[Any]:
    """Take from the lanes at random; a call never appears before the one in front of it."""
    begun, lanes = 1, [list(lane) for lane in lanes]
    while any(lanes):
        choice = rng.choice([n for n, lane in enumerate(lanes[: begun + 1]) if lane] or [begun])
        begun = max(begun, choice)
        if lanes[choice]:
            yield lanes[choice].pop(0)
        else:
            begun += 1


def joined(deltas: list[Any], most: int) -> tuple[Any, list[Any]]:
    """Put the first deltas into one: of text there can only be one piece in it, of calls any number."""
    taken: dict[str, Any] = {}
    for count, delta in enumerate(deltas[:most]):
        if "content" in delta and "content" in taken:
            return taken, deltas[count:]
        taken = {
            **taken,
            **delta,
            **({"tool_calls": taken["tool_calls"] + delta["tool_calls"]} if both(taken, delta) else {}),
        }
    return taken, deltas[most:]


def both(taken: dict[str, Any], delta: dict[str, Any]) -> bool:
    return "tool_calls" in taken and "tool_calls" in delta


def test_ten_thousand_streams_that_were_cut_anew_make_the_same_calls() -> None:
    rng = random.Random(20)
    reply = ModelReply("Let me look at all of these. ☂", ASKED, "tool_calls")
    short = reply._replace(tool_calls=ASKED[:3])
    for number in range(10_000):
        asked = reply if number % 20 == 0 else short
        chunks = chunked_anew(asked, rng)
        arrived = assemble(chunks)
        assert (arrived.content, arrived.tool_calls) == (asked.content, asked.tool_calls), (number, chunks)


def test_ten_thousand_lists_of_events_that_were_cut_anew_make_the_same_calls() -> None:
    rng = random.Random(21)
    reply = ModelReply("Let me look. ☂", ASKED[:3], "tool_calls", Usage(5, 6))
    straight = responses_events(reply, pieces=200)
    hollow = {**straight[-1], "response": {**straight[-1]["response"], "output": []}}
    for number in range(10_000):
        events = [piece for event in straight[:-1] for piece in events_cut(event, rng)]
        events.append(rng.choice([straight[-1], hollow]))
        arrived = assemble_responses(events)
        assert arrived == reply, (number, events)


def events_cut(event: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    if not event["type"].endswith(".delta"):
        return [event, {"type": "response.keep_alive"}] if rng.random() < 0.1 else [event]
    return [{**event, "delta": piece} for piece in cut_at_random(event["delta"], rng)]


@given(reply=replies(), pieces=st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_events_make_the_same_reply(reply: ModelReply, pieces: int) -> None:
    events = responses_events(reply, pieces=pieces)
    arrived = assemble_responses(events)
    assert (got(arrived), arrived.content, arrived.usage) == (wanted(reply), reply.content, reply.usage)
    assert arrived.finish_reason == reply.finish_reason
    assert_whole_is_final(ResponsesAssembly(), events, arrived)


# ---- broken off ----


def encoded(chunks: list[Any], *, end: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"] if end else lines).encode()


def decoded(received: bytes) -> list[Any]:
    """Return the objects in a stream of bytes as the client's own decoder reads them, up to what it can't read."""
    from openai._streaming import SSEDecoder

    objects: list[Any] = []
    with contextlib.suppress(ValueError):  # a character or an object that was cut
        for event in SSEDecoder().iter_bytes(iter([received])):
            objects.append(json.loads(event.data))
    return objects


def outcome(make: Callable[[list[Any]], ModelReply], chunks: list[Any]) -> ModelReply | None:
    try:
        return make(chunks)
    except ModelError:
        return None


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_stream_cut_after_any_chunk_makes_no_reply_or_the_same_calls(quirk: str) -> None:
    reply = ModelReply("Two of them.", ASKED[:1] if quirk == "legacy_function_call" else ASKED[:3], "tool_calls")
    chunks = chat_chunks(reply, quirk, include_usage=True)
    whole = outcome(assemble, chunks)
    assert (whole is None) == (quirk == "no_finish")
    cuts = [outcome(assemble, chunks[:end]) for end in range(len(chunks))]
    assert {cut.tool_calls for cut in cuts if cut} <= {whole.tool_calls if whole else ()}
    assert cuts.count(None) >= len(cuts) - 3, "a reply may come once the finish reason is there, not earlier"


@pytest.mark.parametrize("quirk", ["none", "no_index", "all_at_once", "finish_with_last", "empty_choices", "no_finish"])
def test_a_stream_cut_at_any_byte_makes_no_reply_or_the_same_calls(quirk: str) -> None:
    reply = ModelReply("Ü ☂", ASKED[:3], "tool_calls", Usage(5, 6))
    received = encoded(chat_chunks(reply, quirk, include_usage=True))
    outcomes = [outcome(assemble, decoded(received[:end])) for end in range(len(received))]
    assert {made.tool_calls for made in outcomes if made} == ({reply.tool_calls} if quirk != "no_finish" else set())
    assert None in outcomes


def test_events_cut_at_any_byte_make_no_reply_or_the_same_calls() -> None:
    reply = ModelReply("Ü ☂", ASKED[:2], "tool_calls", Usage(5, 6))
    received = encoded(responses_events(reply), end=False)
    outcomes = [outcome(assemble_responses, decoded(received[:end])) for end in range(len(received))]
    assert {made.tool_calls for made in outcomes if made} <= {reply.tool_calls}
    assert outcomes[len(received) // 2] is None
    assert assemble_responses(decoded(received)) == reply
