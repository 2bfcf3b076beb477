"""Makes the output of a test run the same on every machine and at every run, so that it can be compared to the letter.

Chapter 00. Pure.

    >>> steady("Ran 3 tests in 0.002s", Path("/tmp/work"))
    'Ran 3 tests'

Left out are times, addresses of objects, the place of the workspace, the frames of a traceback that lie outside it, and
the marks under a line of source, which differ from one Python to the next.

Does not: change what the tests themselves say.
"""

from __future__ import annotations

import re
from pathlib import Path

_DURATION = re.compile(r"^(Ran \d+ tests?) in [\d.]+m?s", re.MULTILINE)
_ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+")
_MARKS = re.compile(r"^ +[~^][~^ ]*\n", re.MULTILINE)
_FRAME = re.compile(
    r'^(?P<place>  File "(?P<file>[^"\n]*)", line \d+(?:, in .*)?\n)(?P<source>    .*\n)?(?:    .*\n)*', re.MULTILINE
)
_EMPTY = re.compile(r"^Ran 0 tests\n\nOK$", re.MULTILINE)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|<frozen ")


def steady(output: str, root: Path) -> str:
    """Return the output without what differs from run to run."""
    output = output.replace(f"{root}/", "").replace(f"{root}\\", "").replace(str(root), ".")
    output = _MARKS.sub("", output)
    output = _FRAME.sub(_frame, output)
    output = _DURATION.sub(r"\1", _ADDRESS.sub("at 0x…", output))
    # Since 3.12 Python says so itself, with exit code 5.
    return _EMPTY.sub("Ran 0 tests\n\nNO TESTS RAN", output).rstrip("\n")


def _frame(found: re.Match[str]) -> str:
    """Keep a frame that lies in the workspace: its path with ``/``, and one line of source, as older Pythons show."""
    file = found["file"]
    if _ABSOLUTE.match(file):
        return ""
    return found["place"].replace(file, file.replace("\\", "/"), 1) + (found["source"] or "")
