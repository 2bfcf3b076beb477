"""Streams as servers send them, recorded in ``data/streams``: each makes the reply that its file says, or none."""

from __future__ import annotations

import contextlib
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from labkit.models import ModelError, ModelReply, Usage
from labkit.models.streaming import ChatAssembly, ResponsesAssembly
from labkit.paths import data

STREAMS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(data("streams").glob("*.json"))}
WHOLE = [name for name, stream in STREAMS.items() if "error" not in stream["expect"]]
BROKEN = [name for name in STREAMS if name not in WHOLE]
DRIPS = [name for name, stream in STREAMS.items() if "at" in stream]
# Every deviation that was reported, and the file that holds it.
REPORTED = {
    "no index": "k5_02_no_index",
    "null index": "k5_02_null_index",
    "index 0 for every call": "k5_01_index_zero",
    "indices from 1": "from_one",
    "id and name in each delta": "id_and_name_repeated",
    "name in pieces": "name_fragmented",
    "empty id later": "k5_04_id_repeated",
    "arguments null": "arguments_null",
    "arguments an object": "arguments_object",
    "no type": "no_type",
    "two calls in one chunk": "two_calls_in_one_chunk",
    "several fragments in a chunk": "two_fragments_in_one_chunk",
    "alternating fragments": "k5_05_interleaved",
    "usage without choices": "straight",
    "keep-alives": "k5_08_empty_choices",
    "unknown keys": "unknown_keys",
    "an error object": "error_in_a_chunk",
    "no finish reason": "k5_09_no_finish",
    "a second choice": "second_choice",
}


def assembly_of(stream: dict[str, Any]) -> Any:
    return ChatAssembly() if stream["api"] == "chat" else ResponsesAssembly()


def fed(stream: dict[str, Any], chunks: int | None = None) -> Any:
    """Return an assembly that was given the first chunks of a stream, or all of them."""
    assembly = assembly_of(stream)
    for chunk in stream["chunks"][:chunks]:
        assembly.feed(chunk)
    return assembly


def asked(reply: ModelReply) -> list[dict[str, Any]]:
    return [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in reply.tool_calls]


@pytest.mark.parametrize("name", WHOLE)
def test_a_stream_makes_the_reply_that_was_meant(name: str) -> None:
    expected = STREAMS[name]["expect"]
    reply = fed(STREAMS[name]).reply()
    assert asked(reply) == expected["calls"]
    assert (reply.content, reply.finish_reason) == (expected["content"], expected["finish_reason"])
    assert reply.refusal == expected.get("refusal")
    assert reply.usage == (Usage(**expected["usage"]) if "usage" in expected else None)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_makes_no_reply(name: str) -> None:
    assembly = fed(STREAMS[name])
    with pytest.raises(ModelError):
        assembly.reply()
    assert (assembly.fault is not None) == (STREAMS[name]["expect"]["error"] == "server_error")


@pytest.mark.parametrize("name", [n for n in BROKEN if STREAMS[n]["expect"]["error"] == "server_error"])
def test_the_server_s_own_sentence_is_told(name: str) -> None:
    told = [said for chunk in STREAMS[name]["chunks"] for said in messages_of(chunk)]
    with pytest.raises(ModelError) as caught:
        fed(STREAMS[name]).reply()
    assert all(sentence in str(caught.value) for sentence in told)
    assert told or name == "error_as_finish_reason"


def messages_of(chunk: dict[str, Any]) -> list[str]:
    places = (chunk.get("error"), (chunk.get("response") or {}).get("error"), chunk)
    return [place["message"] for place in places if isinstance(place, dict) and "message" in place]


@pytest.mark.parametrize("name", WHOLE)
def test_a_stream_cut_after_any_chunk_makes_no_reply_or_the_same_calls(name: str) -> None:
    stream = STREAMS[name]
    for chunks in range(len(stream["chunks"])):
        try:
            reply = fed(stream, chunks).reply()
        except ModelError:
            continue
        assert asked(reply) == stream["expect"]["calls"], f"cut after {chunks} chunks"
        assert reply.finish_reason == stream["expect"]["finish_reason"]


@pytest.mark.parametrize("name", WHOLE)
def test_a_call_that_is_called_whole_does_not_change_any_more(name: str) -> None:
    expected = STREAMS[name]["expect"]["calls"]
    assembly = assembly_of(STREAMS[name])
    for chunk in STREAMS[name]["chunks"]:
        assembly.feed(chunk)
        for growing, call in zip(assembly.calls, expected, strict=False):
            if growing.whole:
                assert {"id": growing.id, "name": growing.name, "arguments": growing.arguments} == call
    assert len(assembly.calls) == len(expected)
    whole = [growing.whole for growing in assembly.calls]
    assert whole == [is_object(call["arguments"]) or not cut_off(STREAMS[name]) for call in expected]


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def cut_off(stream: dict[str, Any]) -> bool:
    return stream["expect"]["finish_reason"] in ("length", "content_filter")


ODD: tuple[Any, ...] = (None, [], {}, "", "x", 7, -1, True, 1.5, [None], {"a": [{}]}, [[]], {"message": 3}, "error")


def spoil(value: Any, rng: random.Random) -> Any:
    """Return the value with something at a random place in it replaced by what does not belong there."""
    if not value or not isinstance(value, dict | list) or rng.random() < 0.15:
        return rng.choice(ODD)
    if isinstance(value, dict):
        key = rng.choice(list(value))
        return {**value, key: spoil(value[key], rng)}
    place = rng.randrange(len(value))
    return [*value[:place], spoil(value[place], rng), *value[place + 1 :]]


@pytest.mark.parametrize("name", STREAMS)
def test_whatever_a_chunk_holds_there_is_a_reply_or_a_model_error(name: str) -> None:
    rng = random.Random(name)
    for _ in range(60):
        assembly = assembly_of(STREAMS[name])
        for chunk in STREAMS[name]["chunks"]:
            assembly.feed(spoil(chunk, rng) if rng.random() < 0.3 else chunk)
        with contextlib.suppress(ModelError):
            reply = assembly.reply()
            parts = [part for call in reply.tool_calls for part in (call.id, call.name, call.arguments)]
            assert {type(part) for part in [*parts, reply.content, reply.finish_reason]} == {str}


# ---- the files themselves ----


def test_every_reported_deviation_is_there() -> None:
    assert set(REPORTED.values()) <= set(STREAMS)
    for case in ("k5_01", "k5_02", "k5_04", "k5_05", "k5_08", "k5_09"):
        assert any(name.startswith(case) for name in STREAMS), case
    assert len(BROKEN) >= 10
    assert {stream["api"] for stream in STREAMS.values()} == {"chat", "responses"}
    assert len({stream["what"] for stream in STREAMS.values()}) == len(STREAMS)


def test_the_straight_streams_are_what_the_client_s_own_types_describe() -> None:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    chat: TypeAdapter[Any] = TypeAdapter(ChatCompletionChunk)
    responses: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    for name in ("straight", "text_only", "refusal", *DRIPS):
        for chunk in STREAMS[name]["chunks"]:
            assert chat.validate_python(chunk).object == "chat.completion.chunk"
    for name in ("responses_straight", "responses_length", "responses_failed", "responses_error"):
        for event in STREAMS[name]["chunks"]:
            assert responses.validate_python(event).type == event["type"]


@pytest.mark.parametrize("name", DRIPS)
def test_a_drip_says_when_each_of_its_chunks_comes(name: str) -> None:
    times = STREAMS[name]["at"]
    assert len(times) == len(STREAMS[name]["chunks"])
    assert times[0] == 0
    assert times[-1] <= 2
    assert all(before <= after for before, after in pairwise(times))


def test_the_readme_names_every_key_that_a_file_holds() -> None:
    text = Path(data("streams", "README.md")).read_text(encoding="utf-8")
    keys = {key for stream in STREAMS.values() for key in [*stream, *stream["expect"]]}
    assert [key for key in keys if f"`{key}`" not in text] == []
