"""A desk with a few files, a test and a job that takes its time, all in memory, and six tools for them.

Chapter 08. The tools do what they say on the things of this desk, and nothing on the disk.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labkit.calls import Failure, ToolOutput, quote
from labkit.declare import Tool

ORDERS = 12
STEPS_OF_THE_JOB = 6
PRICES = "TEA = 1\nMINT = 1\nBASIL = 1\n"
RIGHT_PRICES = "TEA = 4\nMINT = 2\nBASIL = 3\n"
NOTES = "The shop is closed on Monday.\nMint is ordered.\n"

Path = Annotated[str, Field(description="name of a file on the desk, such as notes.txt")]
Line = Annotated[int, Field(ge=1, description="line number, from 1")]


class Desk:
    """What the tools of one run work on."""

    def __init__(self) -> None:
        self.files = {"notes.txt": NOTES, "prices.py": PRICES}
        self.files |= {f"order_{n}.txt": f"order {n}: {n + 1} pots\n" for n in range(1, ORDERS + 1)}
        self.looked = 0

    def tools(self) -> list[Tool]:
        """Return six tools; the last two may change something."""
        readers = (self.read_file, self.read_lines, self.search_text, self.job_status)
        writers = (self.edit_file, self.run_test)
        return [
            *(Tool.from_function(fn, readonly=True, timeout=None) for fn in readers),
            *(Tool.from_function(fn, timeout=None) for fn in writers),
        ]

    def read_file(self, path: Path) -> str | Failure:
        """Return the text of a file."""
        return self.files[path] if path in self.files else self._missing(path)

    def read_lines(self, path: Path, start_line: Line, end_line: Line) -> str | Failure:
        """Return some lines of a file, the last one included."""
        if path not in self.files:
            return self._missing(path)
        return "\n".join(self.files[path].splitlines()[start_line - 1 : end_line])

    def search_text(
        self,
        query: Annotated[str, Field(min_length=1, description="text to look for, as it is")],
        limit: Annotated[int, Field(ge=1, le=20, description="how many lines at most")] = 5,
    ) -> str:
        """Return the lines in which a text stands, with the names of their files."""
        lines = ((path, line) for path, text in self.files.items() for line in text.splitlines())
        found = [f"{path}: {line}" for path, line in lines if query in line]
        return "\n".join(found[:limit]) or f"no line holds {quote(query)}"

    def job_status(self, job: Annotated[str, Field(description="name of a job: backup or print")]) -> str | Failure:
        """Return how far a job has come. The backup goes on; the printer has no paper."""
        if job == "print":
            return "waiting: 0 of 6 pages printed"
        if job != "backup":
            return Failure(f"there is no job {quote(job)}", "the jobs are backup and print", "not_found")
        self.looked = min(self.looked + 1, STEPS_OF_THE_JOB)
        state = "done" if self.looked == STEPS_OF_THE_JOB else "running"
        return f"{state}: {self.looked} of {STEPS_OF_THE_JOB} files copied"

    def edit_file(self, path: Path, old: str, new: str) -> str | Failure:
        """Replace a piece of text that stands in a file once."""
        if path not in self.files:
            return self._missing(path)
        if (count := self.files[path].count(old)) != 1:
            return Failure(f"the old text stands {count} times in {quote(path)}", "read the file", "not_unique")
        self.files[path] = self.files[path].replace(old, new)
        return f"edited {path}"

    def run_test(self) -> ToolOutput:
        """Run the test of prices.py and return how it ended."""
        right = self.files["prices.py"] == RIGHT_PRICES
        return ToolOutput("EXIT 0" if right else "EXIT 1: the prices are not right", ok=right)

    def _missing(self, path: str) -> Failure:
        names = "notes.txt, prices.py and order_1.txt to order_12.txt"
        return Failure(f"there is no file {quote(path)}", f"there are {names}", "not_found")


def steps_to_the_right_prices() -> list[dict[str, Any]]:
    """Return the three edits that make the test pass, as arguments."""
    pairs = zip(PRICES.splitlines(), RIGHT_PRICES.splitlines(), strict=True)
    return [{"path": "prices.py", "old": old, "new": new} for old, new in pairs]
