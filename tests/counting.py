"""Counts library tests and notebook cells apart and says both after pytest's own closing line.

``lab.py test`` loads it with ``-p tests.counting``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest


class Counting:
    """One outcome per test, taken from pytest's reports; a failed set-up or tear-down makes a test failed."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.broken_files = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.broken_files += report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.outcomes[report.nodeid] = "failed"
        elif report.skipped or report.when == "call":
            self.outcomes.setdefault(report.nodeid, report.outcome)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and (self.outcomes or self.broken_files):
            reporter.write_line(closing_line(self.outcomes.items(), self.broken_files))


def pytest_configure(config: pytest.Config) -> None:
    """Count in the one process that reports, not in its workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Counting(), "labkit-counting")


def closing_line(outcomes: Iterable[tuple[str, str]], broken_files: int = 0) -> str:
    """Such as ``312 library tests and 41 notebook cells passed, 2 skipped``. Pure."""
    counts = Counter((outcome, ".ipynb::" in nodeid) for nodeid, outcome in outcomes)
    tests, cells = counts["passed", False], counts["passed", True]
    parts = [f"{_many(tests, 'library test')} and {_many(cells, 'notebook cell')} passed"]
    for outcome in ("failed", "skipped"):
        number = counts[outcome, False] + counts[outcome, True]
        parts += [f"{number} {outcome}"] if number else []
    parts += [f"{_many(broken_files, 'file')} could not be read"] if broken_files else []
    return ", ".join(parts)


def _many(number: int, name: str) -> str:
    return f"{number} {name}" + ("" if number == 1 else "s")
