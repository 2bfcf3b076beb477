"""What a chapter needs around its cells: a start, data, sources to show, exercises with their checks. All chapters.

    >>> lab = start("05")
    scripted model
    >>> lab.check("05.2")
    05.2  passed: 14 cases

Does not: teach. The chapters do.
"""

from labkit.course.checking import Verdict
from labkit.course.lab import Lab, start
from labkit.course.real import real_model
from labkit.course.source import Source, show_source

__all__ = ["Lab", "Source", "Verdict", "real_model", "show_source", "start"]
