"""Failures that people have reported of streams: each case by its id, with tools of our own, and its siblings.

The chunks of each case lie in ``data/streams`` too. Here they come through the real client and the whole loop, as the
bytes of an answer, and the question is what was run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from test_reported_k9 import DONE, Canned, failed_run, model_of, sse
from tools_for_tests import runtime_of

from labkit import Agent, Run, Tool, ToolCall
from labkit.history import broken
from labkit.models import ModelError, OpenAIModel, Usage
from labkit.models.server import broken_rules
from labkit.models.streaming import ChatAssembly, assemble

END = "data: [DONE]\n\n"


def piece(index: Any = "none", id: Any = "none", name: Any = "none", arguments: Any = "none", **more: Any) -> Any:
    """One delta of a call; what is not named is not there."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value != "none"}
    keys = {key: value for key, value in (("index", index), ("id", id)) if value != "none"}
    return {**keys, "function": function, **more}


def chunk(*pieces: Any, reason: str | None = None) -> dict[str, Any]:
    delta = {"tool_calls": list(pieces)} if pieces else {}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def ran(chunks: Sequence[Any], early: bool = False, end: str = END) -> tuple[Run, list[tuple[str, Any]]]:
    """Run an agent whose first reply is this stream; return the run, and which tools ran with what, in order."""
    seen: list[tuple[str, Any]] = []

    def get(city: str) -> str:
        seen.append(("get", city))
        return city

    def now(tz: str) -> str:
        seen.append(("now", tz))
        return tz

    tools = [Tool.from_function(fn, description="Answer.", readonly=True, parallel_safe=False) for fn in (get, now)]
    canned = Canned(sse(*chunks, end), DONE)
    run = Agent(model_of(OpenAIModel, canned, stream=True), runtime_of(*tools), early_dispatch=early).run("try")
    assert broken(run.messages) == []
    assert [broken_rules(body) for body in canned.bodies] == [[]] * len(canned.bodies)
    return run, seen


OSLO, ROME, UTC = ("get", "Oslo"), ("get", "Rome"), ("now", "UTC+1")
GET = '{"city":"Oslo"}'
NOW = '{"tz":"UTC+1"}'


@pytest.fixture(params=[False, True], ids=["", "early"])
def early(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def ids_of(run: Run) -> list[str]:
    return [call.id for call in run.tool_calls]


# --- K5-01: index 0 for every call ----------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
@pytest.mark.parametrize("apart", [True, False], ids=["a chunk each", "one chunk"])
def test_k5_01_a_new_id_at_the_same_index_opens_another_call(reason: str, apart: bool, early: bool) -> None:
    pieces = [
        piece(0, "A", "get", GET, type="function"),
        piece(0, "B", "get", '{"city":"Rome"}', type="function"),
    ]
    chunks = [chunk(each) for each in pieces] if apart else [chunk(*pieces)]
    run, seen = ran([*chunks, chunk(reason=reason)], early)
    assert (seen, ids_of(run), run.answer) == ([OSLO, ROME], ["A", "B"], "done")


def test_k5_01_also_in_fragments(early: bool) -> None:
    pieces = [
        piece(0, "A", "get", '{"ci'),
        piece(0, arguments='ty":"Oslo"}'),
        piece(0, "B", "now", ""),
        piece(0, arguments=NOW),
    ]
    run, seen = ran([*map(chunk, pieces), chunk(reason="tool_calls")], early)
    assert (seen, ids_of(run)) == ([OSLO, UTC], ["A", "B"])


@pytest.mark.parametrize("id", ["none", None, "", "same"])
def test_k5_01_without_ids_the_name_behind_a_complete_call_opens_another(id: Any, early: bool) -> None:
    pieces = [piece(0, id, "get", GET), piece(0, id, "get", '{"city":"Rome"}')]
    run, seen = ran([*map(chunk, pieces), chunk(reason="tool_calls")], early)
    assert seen == [OSLO, ROME]
    assert len(set(map(str, run.messages[2:4]))) == 2


# --- K5-02: no index ------------------------------------------------------------------------------------------------

VARIANTS: list[tuple[list[Any], list[Any]]] = [
    (
        [
            chunk(piece(id="A", name="get", arguments='{"ci', type="function")),
            chunk(piece(arguments='ty":"Oslo"}')),
            chunk(piece(id="B", name="now", arguments=NOW, type="function")),
            chunk(reason="tool_calls"),
        ],
        [OSLO, UTC],
    ),
    (
        [
            chunk(piece(id="A", name="get", arguments=GET), piece(id="B", name="now", arguments=NOW)),
            chunk(reason="stop"),
        ],
        [OSLO, UTC],
    ),
    ([chunk(piece(None, "A", "get", GET)), chunk(reason="tool_calls")], [OSLO]),
    (
        [chunk(piece(0, "A", "get", GET)), chunk(piece(id="B", name="now", arguments=NOW)), chunk(reason="tool_calls")],
        [OSLO, UTC],
    ),
]
SIBLINGS: list[tuple[list[Any], list[Any]]] = [
    ([chunk(piece("0", "A", "get", GET)), chunk(piece("1", "B", "now", NOW)), chunk(reason="stop")], [OSLO, UTC]),
    (
        [chunk(piece(None, "A", "get", '{"ci')), chunk(piece(None, None, None, 'ty":"Oslo"}')), chunk(reason="stop")],
        [OSLO],
    ),
    # the index comes first only, then the id alone; and the other way round
    (
        [chunk(piece(0, "A", "get", '{"ci')), chunk(piece(id="A", arguments='ty":"Oslo"}')), chunk(reason="stop")],
        [OSLO],
    ),
    (
        [
            chunk(piece(0, "A", "get", "")),
            chunk(piece(1, "B", "now", "")),
            chunk(piece(id="A", arguments=GET)),
            chunk(piece(id="B", arguments=NOW)),
            chunk(reason="tool_calls"),
        ],
        [OSLO, UTC],
    ),
    ([chunk(piece(5, "A", "get", GET)), chunk(piece(3, "B", "now", NOW)), chunk(reason="tool_calls")], [OSLO, UTC]),
    ([chunk(piece(1, "A", "get", GET)), chunk(piece(2, "B", "now", NOW)), chunk(reason="tool_calls")], [OSLO, UTC]),
    ([chunk(piece(-1, "A", "get", GET)), chunk(reason="tool_calls")], [OSLO]),
    # a header and the first fragment of the same call in one chunk
    (
        [
            chunk(piece(0, "A", "get"), piece(0, arguments='{"ci')),
            chunk(piece(0, arguments='ty":"Oslo"}')),
            chunk(reason="stop"),
        ],
        [OSLO],
    ),
]


@pytest.mark.parametrize(("chunks", "calls"), VARIANTS + SIBLINGS)
def test_k5_02_calls_stand_in_order_of_appearance(chunks: list[Any], calls: list[Any], early: bool) -> None:
    run, seen = ran(chunks, early)
    assert (seen, ids_of(run)) == (calls, ["A", "B"][: len(calls)])
    assert run.stop_reason == "final_answer"


# --- K5-04: the id in every chunk -----------------------------------------------------------------------------------


@pytest.mark.parametrize("later", ["call-9", "", None, "none"])
@pytest.mark.parametrize("index", [0, None, "none"])
def test_k5_04_an_id_is_taken_once(later: Any, index: Any, early: bool) -> None:
    chunks = [
        chunk(piece(index, "call-9", "get", "", type="function")),
        chunk(piece(index, "call-9", arguments='{"city":', type="function")),
        chunk(piece(index, later, arguments='"Os', type=None)),
        chunk(piece(index, later, "get" if later else None, 'lo"}', type="function")),
        chunk(reason="tool_calls"),
    ]
    run, seen = ran(chunks, early)
    assert (seen, ids_of(run)) == ([OSLO], ["call-9"])
    assert [message.get("tool_call_id") for message in run.messages if message["role"] == "tool"] == ["call-9"]


# --- K5-05: two calls by turns --------------------------------------------------------------------------------------


def test_k5_05_fragments_go_where_their_index_says_and_null_is_no_text(early: bool) -> None:
    chunks = [
        chunk(piece(0, "A", "get", None)),
        chunk(piece(1, "B", "now", "")),
        chunk(piece(0, name=None, arguments='{"city":')),
        chunk(piece(1, arguments='{"tz":"U')),
        chunk(piece(0, arguments='"Oslo"}')),
        chunk(piece(1, arguments='TC"}')),
        chunk(reason="tool_calls"),
    ]
    run, seen = ran(chunks, early)
    assert (seen, ids_of(run)) == ([OSLO, ("now", "UTC")], ["A", "B"])
    assert [call.arguments for call in run.tool_calls] == [GET, '{"tz":"UTC"}']


@pytest.mark.parametrize("odd", [None, {}, {"function": None}, 5, [], "x", {"index": 0}, {"index": 1, "function": {}}])
def test_k5_05_a_delta_that_says_nothing_changes_nothing(odd: Any, early: bool) -> None:
    chunks = [
        chunk(piece(0, "A", "get", '{"city":')),
        chunk(odd),
        chunk(piece(0, arguments='"Oslo"}')),
        chunk(odd),
        chunk(piece(1, "B", "now", NOW), odd),
        chunk(reason="tool_calls"),
    ]
    _, seen = ran(chunks, early)
    assert seen == [OSLO, UTC]


# --- K5-08: chunks without choices ----------------------------------------------------------------------------------

EMPTY: list[Any] = [
    {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]},
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "finish_reason": None, "content_filter_results": {}}]},
    {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}},
    {"choices": None},
]
NOTHING: list[Any] = [
    {},
    {"choices": [None]},
    {"choices": [[]]},
    {"choices": {}},
    {"choices": [{"delta": {"content": None}}]},
    {"choices": [{"delta": {"tool_calls": None, "function_call": None}}]},
    {"usage": None},
    {"usage": {}},
    ": keep-alive\n\n",
    "event: ping\ndata: {}\n\n",
    "\n\n",
    {"id": "x", "object": "chat.completion.chunk", "choices": [], "obfuscation": "abc"},
]


def test_k5_08_the_text_the_end_and_the_usage_behind_it_are_read() -> None:
    run, _ = ran(EMPTY)
    assert (run.stop_reason, run.answer, run.usage) == ("final_answer", "hi", Usage(5, 1))
    assert run.turns[0].reply.finish_reason == "stop"


@pytest.mark.parametrize("nothing", NOTHING, ids=lambda each: json.dumps(each)[:40])
@pytest.mark.parametrize("place", range(4))
def test_k5_08_chunks_that_say_nothing_may_stand_anywhere(nothing: Any, place: int) -> None:
    chunks = [EMPTY[2], EMPTY[5], EMPTY[6]]
    run, _ = ran([*chunks[:place], nothing, *chunks[place:]])
    assert (run.stop_reason, run.answer, run.usage) == ("final_answer", "hi", Usage(5, 1))


# --- K5-09: no word that the reply is whole -------------------------------------------------------------------------

PAY = piece(0, "A", "pay", '{"eur": 1}', type="function")


@pytest.mark.parametrize("end", [END, "", 'data: {"choices":[{"index":0,"del'], ids=["done", "closed", "cut"])
@pytest.mark.parametrize(
    "chunks",
    [
        [chunk(PAY)],
        [chunk(PAY), {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}],
        [chunk(PAY), chunk(piece(1, "B", "pay", '{"eu'))],
        [chunk(PAY), chunk(reason="")],
        [chunk(PAY), {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}],
    ],
)
def test_k5_09_without_a_finish_reason_nothing_is_paid(chunks: list[Any], end: str, early: bool) -> None:
    paid: list[int] = []

    def pay(eur: int) -> str:
        paid.append(eur)
        return "paid"

    canned = Canned(sse(*chunks, end), DONE)
    tool = Tool.from_function(pay, description="Pay.")
    run = failed_run(model_of(OpenAIModel, canned, stream=True), tool, early_dispatch=early)
    assert (paid, run.turns, run.messages) == ([], (), [{"role": "user", "content": "try"}])
    again = Agent(model_of(OpenAIModel, canned), runtime_of(tool)).run("try again", history=run.messages)
    assert (again.answer, paid) == ("done", [])


@pytest.mark.parametrize("end", [END, ""])
def test_k5_09_text_that_breaks_off_is_no_answer(end: str) -> None:
    run = failed_run(model_of(OpenAIModel, Canned(sse(EMPTY[1], EMPTY[2], end)), stream=True))
    assert "before the reply was whole" in str(run.detail)
    assert [message["role"] for message in run.messages] == ["user"]


def test_k5_09_the_assembly_alone_says_so_too() -> None:
    assembly = ChatAssembly()
    assembly.feed(chunk(PAY))
    assert [growing.call for growing in assembly.calls] == [ToolCall("A", "pay", '{"eur": 1}')]
    with pytest.raises(ModelError):
        assembly.reply()
    assert assemble([chunk(PAY), chunk(reason="tool_calls")]).tool_calls == (ToolCall("A", "pay", '{"eur": 1}'),)
