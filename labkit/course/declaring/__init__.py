"""The thinking behind the declaration bench: from a source text to what it declares. Chapter 02.

    >>> found = declared('def roll(sides: int = 6) -> int:\\n    "Roll a die."')
    >>> found.schema["properties"]
    {'sides': {'type': 'integer', 'default': 6}}

Does not: call the function, guard anything against the source.
"""

from labkit.course.declaring.bench import Declared, Judged, as_text, declared, in_words, judged, verdict
from labkit.course.declaring.defining import NotDeclared

__all__ = ["Declared", "Judged", "NotDeclared", "as_text", "declared", "in_words", "judged", "verdict"]
