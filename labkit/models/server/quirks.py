"""How streams of other servers differ from OpenAI's: each deviation a function from chunks to chunks. Pure.

Chapter 10. All of them have been reported of real servers. A bent stream means the same calls as the straight one,
except under ``no_finish``, where nothing says that the calls are whole, so there are none.

    >>> sorted(QUIRKS)[:3]
    ['all_at_once', 'arguments_null', 'arguments_object']

Does not: change what it is given, repair anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import chain, zip_longest
from typing import Any

from labkit.calls import quote

Chunk = dict[str, Any]
Delta = dict[str, Any]
"""One entry of ``delta.tool_calls``: the header of a call, which has its id, or a fragment of its arguments."""


def bend(chunks: Sequence[Chunk], quirk: str) -> list[Chunk]:
    """Return the chunks as a server with this quirk sends them. Raises ValueError for an unknown quirk.

    ``chunks`` are straight: no two calls overlap, every header comes before its fragments.
    """
    if quirk not in QUIRKS:
        raise ValueError(f"there is no quirk {quote(quirk)}; there are {', '.join(QUIRKS)}")
    return _BENDS[quirk](deepcopy(list(chunks)))


def _index_lost(chunks: list[Chunk]) -> list[Chunk]:
    for call in _calls(chunks)[1:]:
        for delta in call:
            del delta["index"]
    return chunks


def _id_repeated(chunks: list[Chunk]) -> list[Chunk]:
    for header, *fragments in _calls(chunks):
        for delta in fragments:
            delta.update(id=header["id"], type="function")
            delta["function"]["name"] = header["function"]["name"]
    return chunks


def _name_fragmented(chunks: list[Chunk]) -> list[Chunk]:
    groups: list[list[Delta]] = []
    for header, *fragments in _calls(chunks):
        name = header["function"]["name"]
        middle = (len(name) + 1) // 2
        header["function"]["name"] = name[:middle]
        rest = {"index": header["index"], "function": {"name": name[middle:]}}
        groups += [[header], [rest], *([delta] for delta in fragments)]
    return _with_calls(chunks, groups)


def _id_empty_later(chunks: list[Chunk]) -> list[Chunk]:
    for _, *fragments in _calls(chunks):
        for delta in fragments:
            delta.update(id="", type=None)
            delta["function"]["name"] = None
    return chunks


def _arguments_null(chunks: list[Chunk]) -> list[Chunk]:
    for header, *_ in _calls(chunks):
        header["function"]["arguments"] = None
    return chunks


def _arguments_object(chunks: list[Chunk]) -> list[Chunk]:
    whole = [_joined(call) for call in _calls(chunks)]
    for delta in whole:
        delta["function"]["arguments"] = _as_object(delta["function"]["arguments"])
    return _with_calls(chunks, ([delta] for delta in whole))


def _all_at_once(chunks: list[Chunk]) -> list[Chunk]:
    return _with_calls(chunks, ([_joined(call)] for call in _calls(chunks)))


def _one_chunk(chunks: list[Chunk]) -> list[Chunk]:
    whole = [_joined(call) for call in _calls(chunks)]
    for delta in whole:
        del delta["index"]
    return _with_calls(chunks, [whole])


def _interleaved(chunks: list[Chunk]) -> list[Chunk]:
    return _with_calls(chunks, ([delta] for group in _rounds(chunks) for delta in group))


def _two_in_one_chunk(chunks: list[Chunk]) -> list[Chunk]:
    pairs = (group[start : start + 2] for group in _rounds(chunks) for start in range(0, len(group), 2))
    return _with_calls(chunks, pairs)


def _legacy_function_call(chunks: list[Chunk]) -> list[Chunk]:
    if len(_calls(chunks)) != 1:
        return chunks
    for chunk in chunks:
        for choice in chunk["choices"]:
            for delta in choice["delta"].pop("tool_calls", ()):
                choice["delta"]["function_call"] = delta["function"]
            if choice["finish_reason"] == "tool_calls":
                choice["finish_reason"] = "function_call"
    return chunks


def _finish_stop(chunks: list[Chunk]) -> list[Chunk]:
    for choice in _choices(chunks):
        if choice["finish_reason"] == "tool_calls":
            choice["finish_reason"] = "stop"
    return chunks


def _no_finish(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if not any(choice["finish_reason"] for choice in chunk["choices"])]


def _finish_with_last(chunks: list[Chunk]) -> list[Chunk]:
    choices = list(_choices(chunks))
    choices[-2]["finish_reason"] = choices[-1]["finish_reason"]
    return [chunk for chunk in chunks if choices[-1] not in chunk["choices"]]


def _empty_choices(chunks: list[Chunk]) -> list[Chunk]:
    idle = {"index": 0, "finish_reason": None}
    empty: list[Any] = [[], None, [idle | {"delta": None}], [idle], [idle | {"delta": {}}]]
    bent: list[Chunk] = []
    for number, chunk in enumerate(chunks):
        bent += [{**chunk, "choices": deepcopy(empty[number % len(empty)]), "usage": None}, chunk]
    return [*bent, {"choices": None}]


def _unknown_keys(chunks: list[Chunk]) -> list[Chunk]:
    for delta in chain.from_iterable(_calls(chunks)):
        delta.update(extra_content={"thought_signature": "c2lnbmVk"}, status="partial")
    for choice in _choices(chunks):
        choice.update(content_filter_results={}, token_ids=[1, 2])
        choice["delta"].update(annotations=[], audio=None, provider_specific_fields=None)
    return [chunk | {"obfuscation": "aZ0", "service_tier": "default", "x_timing": {"queue": 0.1}} for chunk in chunks]


def _reasoning(chunks: list[Chunk]) -> list[Chunk]:
    thoughts = [deepcopy(chunks[0]) for _ in range(2)]
    for chunk, piece in zip(thoughts, ("I should look ", 'first: {"name": "nothing"}'), strict=True):
        chunk["choices"][0]["delta"] = {"content": None, "reasoning_content": piece}
    return [chunks[0], *thoughts, *chunks[1:]]


def _usage_always(chunks: list[Chunk]) -> list[Chunk]:
    running = [{"prompt_tokens": 1, "completion_tokens": n, "total_tokens": n + 1} for n in range(len(chunks))]
    return [{**chunk, "usage": chunk.get("usage") or usage} for chunk, usage in zip(chunks, running, strict=True)]


def _role_always(chunks: list[Chunk]) -> list[Chunk]:
    for choice in _choices(chunks):
        choice["delta"] = {"role": "assistant", "content": None, **choice["delta"]}
    return chunks


def _second_choice(chunks: list[Chunk]) -> list[Chunk]:
    bent: list[Chunk] = []
    for chunk in chunks:
        other = [{**deepcopy(choice), "index": 1} for choice in chunk["choices"]]
        bent += [chunk, {**chunk, "choices": other}] if other else [chunk]
    return bent


def _on_each(change: Callable[[Delta], Any]) -> Callable[[list[Chunk]], list[Chunk]]:
    """A bend that changes every delta of every call."""

    def bent(chunks: list[Chunk]) -> list[Chunk]:
        for delta in chain.from_iterable(_calls(chunks)):
            change(delta)
        return chunks

    return bent


_TABLE: dict[str, tuple[Callable[[list[Chunk]], list[Chunk]], str]] = {
    "none": (lambda chunks: chunks, "Nothing differs: this is how OpenAI sends it."),
    "no_index": (_on_each(lambda d: d.pop("index")), "No call has an index; only an id shows that one begins."),
    "null_index": (_on_each(lambda d: d.update(index=None)), "The index of a call is null."),
    "index_zero": (_on_each(lambda d: d.update(index=0)), "Every call has index 0; only another id tells them apart."),
    "from_one": (_on_each(lambda d: d.update(index=d["index"] + 1)), "Indices count from 1."),
    "index_lost": (_index_lost, "Only the first call has an index; the others have none."),
    "id_repeated": (_id_repeated, "Id and name stand in every delta of a call, not only in its header."),
    "name_fragmented": (_name_fragmented, "The name comes in two pieces."),
    "id_empty_later": (_id_empty_later, "After the header the id is an empty text, and type and name are null."),
    "no_type": (_on_each(lambda d: d.pop("type", None)), "No delta says that the call is a function call."),
    "arguments_null": (_arguments_null, "The arguments in the header are null, not an empty text."),
    "arguments_object": (_arguments_object, "The arguments are an object, not its JSON text."),
    "all_at_once": (_all_at_once, "A call comes whole, in one delta."),
    "one_chunk": (_one_chunk, "All calls come whole in a single chunk, without an index."),
    "two_in_one_chunk": (_two_in_one_chunk, "One chunk holds fragments of two calls."),
    "interleaved": (_interleaved, "Fragments of the calls alternate; the index says whose they are."),
    "legacy_function_call": (_legacy_function_call, "A single call comes as function_call, without an id."),
    "finish_stop": (_finish_stop, "The finish reason is stop although there are calls."),
    "finish_with_last": (_finish_with_last, "The finish reason stands in the last delta, not in a chunk of its own."),
    "no_finish": (_no_finish, "The stream ends without a finish reason: its calls must not run."),
    "empty_choices": (_empty_choices, "Keep-alives in between: no choices, or a choice without a delta."),
    "unknown_keys": (_unknown_keys, "Chunks, choices, deltas and calls hold keys that nobody has heard of."),
    "reasoning": (_reasoning, "The model's thoughts come in reasoning_content, before the answer."),
    "usage_always": (_usage_always, "Every chunk counts the tokens so far; only the last count is right."),
    "role_always": (_role_always, "Every delta repeats the role, and has a content that is null."),
    "second_choice": (_second_choice, "A second choice with the same calls streams beside the first."),
}
_BENDS = {name: bent for name, (bent, _) in _TABLE.items()}
QUIRKS: dict[str, str] = {name: sentence for name, (_, sentence) in _TABLE.items()}


def _choices(chunks: list[Chunk]) -> Iterable[dict[str, Any]]:
    return (choice for chunk in chunks for choice in chunk["choices"])


def _calls(chunks: list[Chunk]) -> list[list[Delta]]:
    """The deltas of each call: its header, then its fragments."""
    calls: dict[int, list[Delta]] = {}
    for choice in _choices(chunks):
        for delta in choice["delta"].get("tool_calls", ()):
            calls.setdefault(delta["index"], []).append(delta)
    return list(calls.values())


def _with_calls(chunks: list[Chunk], groups: Iterable[list[Delta]]) -> list[Chunk]:
    """Put these deltas where the calls stood, one chunk for each group."""
    places = [i for i, chunk in enumerate(chunks) for c in chunk["choices"] if "tool_calls" in c["delta"]]
    if not places:
        return chunks
    choices = [{"index": 0, "delta": {"tool_calls": group}, "finish_reason": None} for group in groups]
    bent = [{**chunks[0], "choices": [choice]} for choice in choices]
    return chunks[: places[0]] + bent + chunks[places[-1] + 1 :]


def _rounds(chunks: list[Chunk]) -> list[list[Delta]]:
    """The first delta of every call, then the second of every call that has one, and so on."""
    return [[delta for delta in group if delta] for group in zip_longest(*_calls(chunks))]


def _joined(call: list[Delta]) -> Delta:
    """One delta that holds all of a call."""
    text = "".join(delta["function"]["arguments"] for delta in call)
    return {**call[0], "function": {**call[0]["function"], "arguments": text}}


def _as_object(text: str) -> Any:
    """The object that the text stands for, or the text where it stands for none."""
    try:
        value = json.loads(text, parse_constant=int)  # NaN is no JSON, and no whole number either
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text
