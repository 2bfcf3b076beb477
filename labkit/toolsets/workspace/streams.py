"""Reads a text file line by line in bounded memory, also one of 50 MB without a single line end.

Chapter 04. Acts on the disk, by reading only.

    >>> list(pieces(opened))                  # of a file that holds b"one\\r\\ntwo"
    [(1, 'one', True), (2, 'two', True)]

Does not: hold more than two chunks of a file at a time.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

from labkit.toolsets.workspace.descent import Opened
from labkit.toolsets.workspace.refusals import trouble
from labkit.toolsets.workspace.text import NotText, announced

CHUNK = 65_536
"""Characters read at a time; only a line longer than this comes in several pieces."""


def pieces(opened: Opened, first: int = 1) -> Iterator[tuple[int, str, bool]]:
    """Yield (line number, piece of the line, whether the line ends with it); raise ``NotText`` or ``Refused``.

    Lines count from 1; those before ``first`` may be passed over, with one empty piece of the last of them.
    """
    number, rest, begun = 1, "", False
    for chunk in _chunks(opened):
        ends = chunk.count("\n")
        if number + ends < first:
            number, rest, begun = number + ends, "", not chunk.endswith("\n")
            yield (number, "", False) if begun else (number - 1, "", True)  # only so that the count is known
            continue
        *whole, rest = (rest + chunk).split("\n")
        for line in whole:
            yield number, line, True
            number += 1
        begun = begun and not whole
        if len(rest) >= CHUNK:
            yield number, rest, False
            rest, begun = "", True
    if rest or begun:
        yield number, rest, True


def _chunks(opened: Opened) -> Iterator[str]:
    """Yield the characters of a file with every line end as ``\\n``."""
    assert opened.fd is not None
    try:
        mark, encoding = announced(os.read(opened.fd, 8_192))
        os.lseek(opened.fd, len(mark), os.SEEK_SET)
        with open(opened.fd, "rb", closefd=False) as binary, io.TextIOWrapper(binary, encoding) as reader:
            while chunk := reader.read(CHUNK):
                if not mark and "\0" in chunk:
                    raise NotText("it holds a NUL byte, so it is binary")
                yield chunk
    except UnicodeDecodeError:
        raise NotText("it is no UTF-8 all through") from None
    except OSError as error:
        raise trouble(opened.path, error) from None
