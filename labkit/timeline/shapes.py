"""The few shapes that pictures of calls are made of, their ink, and the paper around them.

Chapter 05. Pure: every function returns SVG text with fixed decimals; words are escaped here and nowhere else.

    >>> dotted(0, 10, 5).startswith('<line x1="0.0" y1="5.0"')
    True

Does not: know time or calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

EDGE = 20
PAPER, INK, DIM, RULE, GREY = "#ffffff", "#1f2328", "#59636e", "#d8dee4", "#8c959f"
READ, WRITE, ALARM = "#0072B2", "#B34700", "#8E3B74"  # told apart with every kind of colour vision
SANS = "system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif"
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
MONO_CELL, SANS_CELL, FOOT_CELL = 6.95, 5.9, 6.8  # pixels per character at 11.5, 11 and 12 pixels, generous
HALO = f' paint-order="stroke" stroke="{PAPER}" stroke-width="3"'  # keeps words readable on lines


def sheet(key: str, width: int, height: float, name: str, told: str, parts: Iterable[str]) -> str:
    """Return the whole picture: paper and patterns under the parts, a name and a description for those who listen.

    ``key`` begins every id, so that several pictures can stand on one page.
    """
    body = "\n".join(parts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" \
width="{width}" height="{height:.0f}" style="max-width:100%;height:auto" \
role="img" aria-labelledby="{key}t {key}d" font-family="{SANS}" font-size="12">
<title id="{key}t">{escape(name)}</title><desc id="{key}d">{escape(told)}</desc>
<defs>
<pattern id="{key}w" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
<rect width="6" height="6" fill="{WRITE}"/>\
<line x1="0" y1="0" x2="0" y2="6" stroke="{PAPER}" stroke-opacity=".45" stroke-width="2"/></pattern>
<pattern id="{key}g" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">\
<rect width="6" height="6" fill="{PAPER}"/>\
<line x1="0" y1="0" x2="0" y2="6" stroke="{GREY}" stroke-width="1.4"/></pattern></defs>
<rect x=".5" y=".5" width="{width - 1}" height="{height - 1:.0f}" rx="8" fill="{PAPER}" stroke="{RULE}"/>
{body}
</svg>"""


def header(title: str, rule: str) -> str:
    """The first line: a name, and beside it what it means."""
    return (
        f'<text x="{EDGE}" y="26"><tspan fill="{INK}" font-size="14" font-weight="600">{escape(title)}</tspan>'
        f'<tspan dx="12" fill="{DIM}">{escape(rule)}</tspan></text>'
    )


def text(x: float, y: float, words: str, fill: str, size: float, more: str = "") -> str:
    """Words at a place; ``more`` holds further attributes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" font-size="{size}"{more}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    """A straight line; ``stroke`` holds the attributes of its ink."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {stroke}/>'


def dotted(start: float, end: float, y: float) -> str:
    """Waiting."""
    return line(start, y, end, y, f'stroke="{GREY}" stroke-width="1.2" stroke-dasharray="1 3"')


def unknown(start: float, end: float, y: float) -> str:
    """A call that is not known yet."""
    return line(start, y, end, y, f'stroke="{GREY}" stroke-width="1.2" stroke-dasharray="9 5"')


def dashed(x: float, top: float, bottom: float) -> str:
    """A barrier."""
    return line(x, top - 2, x, bottom + 2, f'stroke="{INK}" stroke-opacity=".55" stroke-dasharray="2 3"')


def patch(x: float, y: float, width: float, height: float, fill: str) -> str:
    """A plain ground for words on a hatched one."""
    return f'<rect x="{x:.1f}" y="{y + 1:.1f}" width="{width:.1f}" height="{height - 2:.1f}" rx="3" fill="{fill}"/>'


def cross(x: float, y: float) -> str:
    """The mark of a call that never ran."""
    return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke="{ALARM}" stroke-width="2" fill="none"/>'
