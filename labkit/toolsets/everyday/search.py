"""The tool ``web_search``: ranks a small shipped corpus by the words of a query.

For all chapters. It has the shape of a web search, so that a run needs no network.

    >>> web_search("retry guard", 1)[0]["title"]
    'The retry guard'

Does not: reach the web, know synonyms, rank by meaning.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from labkit.calls import Failure
from labkit.paths import data

TITLE_WEIGHT = 3
SNIPPET_CHARACTERS = 160
NOISE = "a an and are as at be by do does for from how in is it its of on or the to what when why with"

Query = Annotated[
    str,
    Field(
        description="The words to look for, 3 to 50 characters, for example parallel tool calls",
        min_length=3,
        max_length=50,
    ),
]
TopK = Annotated[int, Field(description="How many results at most, 1 to 10", ge=1, le=10)]


def web_search(query: Query, top_k: TopK = 4) -> list[dict[str, Any]] | Failure:
    """Search a small shipped collection of short articles and return title, url and snippet, best first.

    This is no search of the web: about 30 texts on tool calling and a few on everyday subjects. It compares words,
    not meanings. An empty list means that no article holds any of the words: try other or fewer words.
    """
    wanted = set(_words(query)).difference(NOISE.split())
    if not wanted:
        return Failure("the query has no word to look for", "name the subject, for example: tool errors")
    scored = [(_score(document, wanted), document) for document in _corpus()]
    found = sorted((pair for pair in scored if pair[0] > (0, 0)), key=_best_first)
    return [
        {"title": document.title, "url": document.url, "snippet": _snippet(document.text, wanted)}
        for _, document in found[:top_k]
    ]


@dataclass(frozen=True, slots=True)
class _Document:
    title: str
    url: str
    text: str
    counts: Counter[str]


def _score(document: _Document, wanted: set[str]) -> tuple[int, int]:
    """Return how many of the words occur and how often they do, as whole numbers that compare alike everywhere."""
    hits = [document.counts[word] for word in wanted if document.counts[word]]
    return len(hits), sum(hits)


def _best_first(pair: tuple[tuple[int, int], _Document]) -> tuple[int, int, str]:
    (different, often), document = pair
    return -different, -often, document.title


@functools.cache
def _corpus() -> tuple[_Document, ...]:
    lines = data("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_document(**json.loads(line)) for line in lines)


def _document(title: str, url: str, text: str) -> _Document:
    return _Document(title, url, text, Counter(_words(title) * TITLE_WEIGHT + _words(text)))


def _words(text: str) -> list[str]:
    """Split into words without capitals; a plural s is dropped, so that "calls" finds "call"."""
    return [word[:-1] if re.search(r"...[^s]s$", word) else word for word in re.findall(r"\w+", text.casefold())]


def _snippet(text: str, wanted: set[str]) -> str:
    """Return the first sentence that holds a wanted word, or the first of all, cut at a word where it is long."""
    sentences = re.split(r"(?<=[.?!]) +", text)
    best = next((sentence for sentence in sentences if wanted & set(_words(sentence))), sentences[0])
    if len(best) <= SNIPPET_CHARACTERS:
        return best
    return best[: SNIPPET_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"
