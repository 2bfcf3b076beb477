"""The few pieces of HTML that labs are drawn with. Everything that was typed or received is escaped here.

Styles stand in the elements, because a stored page may lose a style sheet; colours follow JupyterLab's theme and fall
back to dark on light. States are told apart by a word and a mark, not by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

INK = "var(--jp-ui-font-color1, #222)"
FAINT = "var(--jp-ui-font-color2, #555)"
PAPER = "var(--jp-layout-color1, #fff)"
LINE = "var(--jp-border-color1, #bbb)"
FIXED = "font-family:var(--jp-code-font-family, monospace)"


class Tone(NamedTuple):
    """How a state is told: a mark and a colour that colour-blind people can tell from the others."""

    mark: str
    colour: str


TONES = {
    "good": Tone("✓", "#0072b2"),
    "bad": Tone("✗", "#d55e00"),
    "note": Tone("!", "#b07d00"),
    "off": Tone("·", "#777"),
}


def framed(html: str) -> str:
    """Return a drawing with paper and ink of its own, for light and dark pages and for none."""
    return f'<div style="background:{PAPER};color:{INK};padding:8px;line-height:1.4;overflow-x:auto">{html}</div>'


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f'<p style="margin:4px 0">{escape(text)}</p>'


def heading(text: str) -> str:
    """Return a small heading inside a drawing."""
    return f'<div style="font-weight:600;margin:8px 0 2px;overflow-wrap:anywhere">{escape(text)}</div>'


def told(tone: str, text: str) -> str:
    """Return a state in words, with its mark and colour: ``told("bad", "refused")``."""
    mark, colour = TONES[tone]
    return f'<span style="{inked(colour)};font-weight:600">{mark} {escape(text)}</span>'


def inked(colour: str) -> str:
    """Return the style of text in a colour: a little darker on a light page, a little lighter on a dark one."""
    return f"color:{colour};color:color-mix(in srgb, {colour} 65%, {INK})"


def code(text: str) -> str:
    """Return a piece of code within a line."""
    return f'<code style="{FIXED};background:var(--jp-layout-color2, #eee);padding:0 3px">{escape(text)}</code>'


def block(text: str) -> str:
    """Return lines of code or JSON; long lines are broken, blanks are kept."""
    return (
        f'<pre style="{FIXED};margin:4px 0;padding:6px;white-space:pre-wrap;overflow-wrap:break-word;word-break:normal;'
        f'border:1px solid {LINE};color:{INK};background:{PAPER}">{escape(text)}</pre>'
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return a table. Cells are HTML that was made here already; headings and caption are text."""
    cell = f"border:1px solid {LINE};padding:3px 8px;text-align:left;vertical-align:top;color:{INK}"
    head = "".join(f'<th scope="col" style="{cell}">{escape(text)}</th>' for text in headings)
    body = "".join("<tr>" + "".join(f'<td style="{cell}">{each}</td>' for each in row) + "</tr>" for row in rows)
    title = f'<caption style="text-align:left;color:{FAINT};padding:2px 0">{escape(caption)}</caption>'
    return f'<table style="border-collapse:collapse;margin:6px 0">{title}<tr>{head}</tr>{body}</table>'


def columns(parts: Iterable[str]) -> str:
    """Return parts side by side where there is room, else one under the other."""
    boxes = "".join(f'<div style="flex:1 1 240px;min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:12px">{boxes}</div>'


def worded(text: str) -> str:
    """Return text in which ``backticks`` mark code, as a line of HTML."""
    pieces = text.split("`")
    return "".join(code(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces))


def sendable(text: str) -> str:
    """Return text that a browser can be sent: half a character is written as the escape that it is."""
    return text.encode("utf-8", "backslashreplace").decode()
