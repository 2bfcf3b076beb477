"""What a question of a quiz is: every option says why it is right or wrong. All chapters.

Pure: everything here is a value. Does not: ask; the widget does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One answer to choose, and why it is right or wrong. A value."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with options, exactly one of them right. A value; its id is such as ``03.q1``."""

    id: str
    ask: str
    options: tuple[Option, ...]
