"""10.1: pieces of calls are put together, whether or not the server counts its calls."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise
from labkit.course.streams.pieces import one_piece, pieces_of


def pieces() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports it, too."""
    return {"one_piece": one_piece, "pieces_of": pieces_of}


def _call(id: str, name: str, arguments: str) -> dict[str, str]:
    return {"id": id, "name": name, "arguments": arguments}


MINT, BASIL = (
    _call("call_1", "get_stock", '{"plant": "mint"}'),
    _call("call_2", "get_price", '{"plant": "basil"}'),
)

MERGE = Exercise(
    id="10.1",
    title="Pieces become calls",
    names=("merge",),
    cases=(
        Case("no pieces, no calls", "merge([])", [], "What does your function return where nothing came?"),
        Case(
            "a straight stream",
            'merge(pieces_of("none"))',
            [MINT, BASIL],
            "This is the stream that the naive reader gets right. Which of its lines did you change?",
        ),
        Case(
            "index 0 for every call: a new id is a new call",
            'merge(pieces_of("index_zero"))',
            [MINT, BASIL],
            "Both calls come at index 0. What else in their headers tells them apart?",
        ),
        Case(
            "no index at all: a new id is a new call",
            'merge(pieces_of("no_index"))',
            [MINT, BASIL],
            "`piece.get('index')` is None for every piece. Which call does a piece without an id go on with?",
        ),
        Case(
            "an index that is null is no index",
            'merge(pieces_of("null_index"))',
            [MINT, BASIL],
            "The key is there, and its value is None. Does your function treat that like a missing key?",
        ),
        Case(
            "indices may begin at 1",
            'merge(pieces_of("from_one"))',
            [MINT, BASIL],
            "Do you use the index as a place in a list? It is a name for a call, and no more.",
        ),
        Case(
            "an id that comes again is no new call",
            'merge(pieces_of("id_repeated"))',
            [MINT, BASIL],
            "Every piece carries id and name here. Are they put on the end once more, or is a call opened anew?",
        ),
        Case(
            "an id that is empty later opens nothing",
            'merge(pieces_of("id_empty_later"))',
            [MINT, BASIL],
            'The later pieces have the id "". Is that another id than the call\'s, to your function?',
        ),
        Case(
            "arguments that are null are no text",
            'merge(pieces_of("arguments_null"))',
            [MINT, BASIL],
            "The header says `arguments: null`. What do you add to the text then?",
        ),
        Case(
            "pieces of two calls may alternate",
            'merge(pieces_of("interleaved"))',
            [MINT, BASIL],
            "The index is right here, and the piece does not belong to the last call. Which of them do you ask first?",
        ),
        Case(
            "a call without arguments is a call",
            'merge([one_piece(0, "call_1", "list_plants"), one_piece(1, "call_2", "list_orders")])',
            [_call("call_1", "list_plants", ""), _call("call_2", "list_orders", "")],
            "These two have headers and nothing else. Do you wait for arguments before you note a call down?",
        ),
        Case(
            "also where all of them have index 0",
            'merge([one_piece(0, id, "list_plants") for id in ("call_1", "call_2", "call_3")])',
            [_call(id, "list_plants", "") for id in ("call_1", "call_2", "call_3")],
            "Three headers at one index, and no arguments at all. Does a new call wait until the old one has some?",
        ),
        Case(
            "blank space at a cut belongs to the text",
            'merge([one_piece(0, "a", "x", \'{"note": "red \'), one_piece(0, text=\'pots"}\')])',
            [_call("a", "x", '{"note": "red pots"}')],
            "The first piece ends in a blank, inside a text. Do you strip the pieces?",
        ),
        Case(
            "two calls of the same tool stay two",
            'merge([one_piece(0, "a", "get_stock", "{}"), one_piece(0, "b", "get_stock", "{}")])',
            [_call("a", "get_stock", "{}"), _call("b", "get_stock", "{}")],
            "The name is the same, the id is not. By which of them do you know a new call?",
        ),
        Case(
            "after a new call at an old index, its pieces go there",
            'merge([one_piece(0, "a", "x", "{"), one_piece(0, "b", "y", "{"), one_piece(0, text="}")])',
            [_call("a", "x", "{"), _call("b", "y", "{}")],
            "The last piece says index 0 too. Which call stands at index 0 by then?",
        ),
        Case(
            "a piece without an index goes on with the call that began last",
            'merge([one_piece(0, "a", "x", "{}"), one_piece(1, "b", "y", "{"), one_piece(None, text="}")])',
            [_call("a", "x", "{}"), _call("b", "y", "{}")],
            "Only the last piece has no index here. Does a missing index stand for 0?",
        ),
        Case(
            "the pieces stay as they are",
            '[(merge(some), some == pieces_of("none"))[1] for some in [pieces_of("none")]]',
            [True],
            "The chunks may be looked at again. Does your function change one of the pieces?",
        ),
    ),
    hints=(
        "Keep a list of calls, and a dict from index to the call that stands there now. Find the call first, then ask "
        "whether the piece opens another one.",
        "Where the index is None, the piece goes on with the call that began last; else with the call at its index. "
        "An id that is neither empty nor that of the call found opens a new call.",
        "For each piece: index = piece.get('index'); call = at.get(index) if index is not None else the last call or "
        "None. If call is None, or the piece has an id other than call['id']: append a new one, note at[index]. "
        "Then add the arguments, or nothing where they are None.",
    ),
    solution='''
def merge(pieces):
    """Return the calls that these pieces make, in order."""
    calls, at = [], {}
    for piece in pieces:
        index, id = piece.get("index"), piece.get("id")
        function = piece["function"]
        call = at.get(index)
        if index is None and calls:
            call = calls[-1]
        if call is None or (id and id != call["id"]):
            call = {"id": id, "name": function["name"], "arguments": ""}
            calls.append(call)
            at[index] = call
        call["arguments"] += function.get("arguments") or ""
    return calls
''',
    given=pieces,
)
