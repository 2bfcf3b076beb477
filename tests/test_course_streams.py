"""Streams looked at chunk by chunk: what two readers have, what may start early, and what becomes of a cut stream."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import labkit.course.streams.naive as naive
from labkit import ToolCall, ToolRegistry, ToolRuntime
from labkit.course.streams import (
    REPLIES,
    Lane,
    arrivals,
    assemble_v0,
    delta_of,
    forecast,
    frame_in_words,
    growing,
    listing,
    may_start,
    one_piece,
    pieces_of,
    recorded,
    script_of,
    shop_registry,
    shop_tools,
    states,
    stream_of,
    verdict,
    verdicts,
)
from labkit.models.server.streams import QUIRKS

ROOT = Path(__file__).resolve().parents[1]
ENDS_NEVER = ("no_finish",)


def bare(source: str, name: str) -> str:
    """The function of that name, without annotations, as Python reads it."""
    tree = ast.parse(source)
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    found.returns = None
    for argument in found.args.args:
        argument.annotation = None
    for node in ast.walk(found):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                plain = [
                    ast.Assign([each.target], each.value) if isinstance(each, ast.AnnAssign) and each.value else each
                    for each in value
                ]
                setattr(node, field, plain)
    return ast.dump(found)


def test_the_chapter_writes_the_reader_that_the_lab_shows() -> None:
    chapter = json.loads((ROOT / "notebooks" / "10_streaming.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in chapter["cells"] if cell["cell_type"] == "code"]
    written = next(cell for cell in cells if cell.startswith("def assemble_v0"))
    assert bare(written, "assemble_v0") == bare(Path(naive.__file__).read_text(encoding="utf-8"), "assemble_v0")
    assert len(written.splitlines()) <= 15


def test_two_calls_at_one_index_are_one_to_the_naive_reader_and_two_to_the_other() -> None:
    frame = stream_of("two_look_ups", "index_zero").frame(6)
    assert frame.naive == (Lane("call_1call_2", "get_stockget_price", '{"plant": "mint"}{"plant": "b', False, 12),)
    assert [(lane.name, lane.arguments, lane.whole, lane.fresh) for lane in frame.room] == [
        ("get_stock", '{"plant": "mint"}', True, 0),
        ("get_price", '{"plant": "b', False, 12),
    ]


def test_a_reader_that_has_died_keeps_what_it_had() -> None:
    stream = stream_of("two_look_ups", "id_empty_later")
    assert [stream.frame(number).died for number in (2, 3, 9)] == ["", "TypeError", "TypeError"]
    assert stream.frame(9).naive == (Lane("call_1", "get_stock", "", False),)
    assert "died of TypeError" in frame_in_words(stream.frame(9), stream)


@pytest.mark.parametrize("quirk", QUIRKS)
def test_wherever_a_stream_is_cut_no_call_is_handed_on_before_the_server_has_ended_the_reply(quirk: str) -> None:
    for reply, sample in REPLIES.items():
        stream = stream_of(reply, quirk)
        for number in range(len(stream.chunks) + 1):
            frame = stream.frame(number)
            assert bool(frame.runs) == (frame.finish_reason is not None), (reply, number)
            assert bool(frame.runs) != bool(frame.refuses), (reply, number)
            if frame.runs:
                asked = sample.reply.tool_calls
                assert [(c.name, json.loads(str(c.arguments))) for c in frame.runs] == [
                    (c.name, json.loads(str(c.arguments))) for c in asked
                ]


def test_a_frame_beyond_the_ends_is_the_nearest_one() -> None:
    stream = stream_of("one_order")
    assert stream.frame(99) == stream.frame(len(stream.chunks))
    assert stream.frame(-3) == stream.frame(0)
    assert stream.frame(0).chunk is None


@pytest.mark.parametrize("policy", ["barriers", "by_resource"])
@pytest.mark.parametrize("quirk", QUIRKS)
def test_law_what_may_start_is_what_the_runtime_starts(quirk: str, policy: str) -> None:
    for reply in REPLIES:
        stream, registry = stream_of(reply, quirk), shop_registry()
        early = ToolRuntime(registry, policy=policy).early()
        for number in range(1, len(stream.chunks) + 1):
            for position, lane in enumerate(stream.known(number)):
                if lane.whole:
                    early.offer(position, lane.call)
            assert sorted(early.started) == list(may_start(stream.known(number), registry, policy)), (reply, number)


def test_what_would_be_refused_holds_nobody_and_starts_nothing() -> None:
    lanes = [
        Lane("a", "no_such_tool", "{}", True),
        Lane("b", "get_stock", '{"plants": "mint"}', True),
        Lane("c", "get_stock", "[1", True),
        Lane("d", "get_stock", '{"plant": "mint"}', True),
    ]
    assert may_start(lanes, shop_registry()) == (3,)


def test_the_forecast_of_the_chapter() -> None:
    stream = stream_of("look_order_look")
    found = forecast(stream, shop_registry())
    assert arrivals(stream) == [0.15, 0.3, 0.5, 0.65]
    assert found.starts == {0: 0.15, 1: 0.3}
    assert found.gain is not None
    assert (found.gain.off.end, found.gain.on.end, found.gain.seconds) == (1.85, 1.45, 0.4)
    assert [span.started for span in found.gain.on.spans] == [0.15, 0.3, 0.75, 1.05]


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS if quirk not in ENDS_NEVER])
def test_law_early_dispatch_never_ends_later_and_only_reads_start_before_the_end(quirk: str) -> None:
    for reply in REPLIES:
        stream = stream_of(reply, quirk)
        found = forecast(stream, shop_registry())
        assert found.gain is not None
        assert found.gain.seconds >= 0
        assert found.vain == ()
        early = {i for i, span in enumerate(found.gain.on.spans) if (span.started or 0.0) < stream.at[-1]}
        assert early == set(found.starts), reply
        assert all(found.gain.on.spans[i].kind == "read" for i in early)


@pytest.mark.parametrize("quirk", ENDS_NEVER)
def test_of_a_reply_that_never_ends_all_that_had_started_is_in_vain(quirk: str) -> None:
    found = forecast(stream_of("words_and_look_ups", quirk), shop_registry())
    assert found.gain is None
    assert [call.name for call in found.vain] == ["get_stock", "get_price", "get_stock"]


def test_a_stream_that_is_cut_discards_what_had_started() -> None:
    found = forecast(stream_of("look_order_look").cut(11), shop_registry())
    assert (found.calls, found.gain) == ((), None)
    assert [call.id for call in found.vain] == ["call_1", "call_2"]
    nothing = forecast(stream_of("look_order_look").cut(0), shop_registry())
    assert (nothing.calls, nothing.vain) == ((), ())


def test_the_room_reads_every_quirk_and_every_recorded_stream_right() -> None:
    assert [each for each in (*verdicts(), *recorded()) if each.room != "right"] == []


def test_the_naive_reader_is_wrong_where_the_chapter_says_so() -> None:
    wrong = {each.name: each.naive for each in verdicts() if each.naive != "right"}
    assert wrong["index_zero"] == "1 call in place of 2"
    assert wrong["id_repeated"] == "wrong id and name"
    assert wrong["arguments_null"] == "dies: TypeError"
    assert wrong["no_finish"] == "would run 2 calls of a reply that never ended"
    assert not {"none", "from_one", "interleaved", "finish_stop"} & set(wrong)


def test_a_verdict_on_a_reply_that_is_refused_although_it_is_whole() -> None:
    chunks = [{"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": None}]}]
    assert verdict("x", chunks, []).room == "refuses a reply that is whole"


def test_a_listing_shows_what_is_missing_what_is_null_and_what_is_empty() -> None:
    lines = listing(stream_of("two_look_ups", "arguments_null").chunks[1:3]).splitlines()
    assert lines[1].split() == ["1", "0", "call_1", "get_stock", "null"]
    assert lines[2].split(maxsplit=4) == ["2", "0", "-", "-", '{"plant": "m']
    assert '""' in listing(stream_of("two_look_ups").chunks[1:2])


def test_a_chunk_is_told_without_what_every_chunk_repeats() -> None:
    chunks = stream_of("one_order").chunks
    assert delta_of(chunks[0]) == '{"role": "assistant", "content": ""}'
    assert delta_of(chunks[-2]) == '{"finish_reason": "tool_calls"}'
    assert json.loads(delta_of(chunks[-1]))["usage"]["completion_tokens"] == 12
    second: Any = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": None}]}
    assert delta_of(second) == '{"choice": 1, "content": "x"}'
    assert delta_of({"choices": None, "error": {"message": "no"}}) == '{"error": {"message": "no"}}'


def test_states_has_a_line_for_each_chunk() -> None:
    lines = states(stream_of("one_order")).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["open", "open", "open", "whole", "whole", "whole"]


def test_pieces_are_copies_and_calls_are_made_of_words() -> None:
    pieces_of("none")[0]["function"].clear()
    assert pieces_of("none")[0]["function"]["name"] == "get_stock"
    assert one_piece(None, text="}") == {"function": {"arguments": "}"}}
    assert [tuple(each) for each in growing("read write...")] == [(True, True), (False, False)]


def test_the_script_asks_for_what_the_reply_asks_for_and_the_book_holds_what_was_ordered() -> None:
    (asks, ends) = script_of("one_order")["decisions"]
    assert ends == {"content": "That is all."}
    book: list[str] = []
    runtime = ToolRuntime(ToolRegistry(shop_tools(book)))
    assert runtime.dispatch(ToolCall(**asks["tool_calls"][0])).ok
    assert book == ["3 mint"]


def test_an_empty_stream_is_no_call() -> None:
    assert assemble_v0([]) == []
