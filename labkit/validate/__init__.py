"""From the text that a model sent to values that a tool may be given: parse, normalise, judge. Chapter 03.

    >>> parse_arguments('{"city": "Oslo"}')
    {'city': 'Oslo'}

Pure. Does not: run a tool, know a tool, change what it is handed.
"""

from labkit.validate.adapters import judge
from labkit.validate.coverage import unsupported
from labkit.validate.normalise import normaliser
from labkit.validate.parse import parse, parse_arguments
from labkit.validate.subset import validate

__all__ = ["judge", "normaliser", "parse", "parse_arguments", "unsupported", "validate"]
