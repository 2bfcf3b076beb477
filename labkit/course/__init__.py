"""What a chapter needs around its cells: a start, data, and the source of what it teaches. All chapters.

    >>> lab = start("05")
    scripted model

Does not: teach. The chapters do.
"""

from labkit.course.lab import Lab, start
from labkit.course.source import Source, show_source

__all__ = ["Lab", "Source", "show_source", "start"]
