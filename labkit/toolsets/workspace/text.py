"""Text as it stands in a file: its byte order mark, its encoding, its line ends, kept apart so that they survive.

Chapter 04. Pure.

    >>> text = decode(b"one\\r\\ntwo")
    >>> text.plain
    'one\\ntwo'
    >>> text.encode(text.splice(0, 3, "1"))
    b'1\\r\\ntwo'

``\\n``, ``\\r\\n`` and a lone ``\\r`` each end a line, here and in every tool. A file is UTF-8, or what its byte order
mark announces: UTF-8, UTF-16 or UTF-32.

Does not: guess an encoding, or replace a byte that it can't decode.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

# The marks of UTF-32 begin like those of UTF-16, so they are tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")


class NotText(Exception):
    """The bytes are no text that can be read without loss; the message says why."""


@dataclass(frozen=True)
class Text:
    """The characters of a file, exactly as they stand there, and what is needed to write them back. A value."""

    raw: str
    mark: bytes
    encoding: str

    @cached_property
    def plain(self) -> str:
        """The characters with every line end as ``\\n``: what a model reads, and what it quotes back."""
        return plain(self.raw)

    def splice(self, start: int, end: int, new: str) -> str:
        """Return the raw characters with ``plain[start:end]`` replaced; line ends in ``new`` become those around it."""
        first, last = self._raw_position(start), self._raw_position(end)
        line_end = _line_end_around(self.raw, first, last)
        return self.raw[:first] + plain(new).replace("\n", line_end) + self.raw[last:]

    def encode(self, raw: str) -> bytes:
        """Return the bytes of a file that holds ``raw`` in this file's encoding, mark included."""
        return self.mark + raw.encode(self.encoding)

    def _raw_position(self, position: int) -> int:
        """Each pair before a position in the plain text stands for one character more in the raw one."""
        pairs = 0
        for pair in re.finditer("\r\n", self.raw):
            if pair.start() - pairs >= position:
                break
            pairs += 1
        return position + pairs


def decode(data: bytes) -> Text:
    """Return the text of a file; raise ``NotText`` where a byte would be lost."""
    mark, encoding = announced(data)
    try:
        return Text(data[len(mark) :].decode(encoding), mark, encoding)
    except UnicodeDecodeError as error:
        byte = data[len(mark) + error.start]
        raise NotText(f"byte 0x{byte:02X} at offset {len(mark) + error.start:,} is no {encoding.upper()}") from None


def announced(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and the encoding; raise ``NotText`` for a NUL byte where no mark explains it."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return mark, encoding
    if b"\0" in head:
        raise NotText("it holds a NUL byte, so it is binary")
    return b"", "utf-8"


def plain(text: str) -> str:
    """Return a text with every line end as ``\\n``."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


def shown_name(name: str) -> str:
    """Return a file name on one line: what can't be printed is escaped, so that no name can imitate a listing."""
    return "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in name)


def _line_end_around(raw: str, first: int, last: int) -> str:
    """Return how lines end at a place: in it, else right behind it, else right before it. Files can be mixed."""
    inside = Counter(_LINE_END.findall(raw[first:last])).most_common(1)
    behind = _LINE_END.search(raw, last)
    before: list[str] = _LINE_END.findall(raw[:first])
    if inside:
        return str(inside[0][0])
    return behind[0] if behind else (before or ["\n"])[-1]
