"""The commands behind ``lab.py`` that need labkit: play a task, check the machine, rebuild the chapters.

    >>> play("m2", print)
    0

Does not: set anything up; ``lab.py`` does, with the standard library alone.
"""

from labkit.commands.checking import check
from labkit.commands.playing import play
from labkit.commands.rebuilding import rebuild

__all__ = ["check", "play", "rebuild"]
