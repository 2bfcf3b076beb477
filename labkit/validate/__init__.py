"""From the text that a model sent to values that a tool may be given: parse, normalise, judge. Chapter 03.

    >>> parse_arguments('{"city": "Oslo"}')
    {'city': 'Oslo'}

Pure. Does not: run a tool, know a tool, change what it is handed.
"""

from typing import TYPE_CHECKING, Any

from labkit.validate.adapters import judge
from labkit.validate.normalise import normaliser
from labkit.validate.parse import parse, parse_arguments
from labkit.validate.subset import validate

if TYPE_CHECKING:
    from labkit.validate.coverage import unsupported

__all__ = ["judge", "normaliser", "parse", "parse_arguments", "unsupported", "validate"]


def __getattr__(name: str) -> Any:
    """Load what only the hand-written validator asks for when it is asked for."""
    if name != "unsupported":
        raise AttributeError(f"labkit.validate has no {name}")
    from labkit.validate.coverage import unsupported

    globals()[name] = unsupported
    return unsupported
