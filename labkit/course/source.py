"""The source of one function, shown in a chapter. A room is read in an editor; a chapter shows what matters."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

from labkit.declare import Tool


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """The text of a function or class. A value; shown as plain text, which every page sets in a fixed-width face."""

    text: str

    def __repr__(self) -> str:
        return self.text


def show_source(thing: Any) -> Source:
    """Return the source of a function, a class or a tool. Raises TypeError for what has none."""
    try:
        text = inspect.getsource(thing.fn if isinstance(thing, Tool) else thing)
    except (TypeError, OSError):
        raise TypeError(
            f"there is no source to show for a {type(thing).__name__}; give a function, a class or a tool"
        ) from None
    return Source(textwrap.dedent(text).rstrip())
