"""How text that a learner reads is laid out: a label, and its text beside it, broken where the page ends."""

from __future__ import annotations

from textwrap import wrap

WIDTH = 76
"""Columns of a page, as those of a chapter's cells."""


def beside(label: str, text: str) -> str:
    """Return a text beside a label, as many lines as it needs; its own line breaks are kept."""
    lines = [
        part for line in text.splitlines() for part in wrap(line, WIDTH - len(label), break_on_hyphens=False) or [""]
    ]
    return label + f"\n{' ' * len(label)}".join(lines)
