"""The environment check: a plain verdict a line, and a remedy where one is needed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from labkit.models.local import missing
from labkit.paths import data, repository

Say = Callable[[str], None]
LOWEST = (3, 11)
NEEDED = ("pydantic", "jsonschema", "regex", "cloudpickle", "docstring_parser", "psutil", "ipywidgets", "openai")
LAB = ("jupyterlab", "nbval", "nbclient", "pytest", "hypothesis")
SETTINGS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LABKIT_MODEL")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line of the check. A value; ``needed`` says whether labkit can do without."""

    what: str
    good: bool
    remedy: str = ""
    needed: bool = True

    def __str__(self) -> str:
        if self.good:
            return f"ok       {self.what}"
        return f"{'MISSING' if self.needed else 'optional'}  {self.what}: {self.remedy}".rstrip(": ")


def check(say: Say, optional: bool = True) -> int:
    """Say a verdict a line, also on what labkit can do without unless told not to.

    Returns 0 when nothing needed is missing, else 1.
    """
    verdicts = [verdict for verdict in _verdicts() if verdict.needed or optional]
    for verdict in verdicts:
        say(str(verdict))
    missing = [v for v in verdicts if v.needed and not v.good]
    say("")
    say(f"missing: {', '.join(v.what for v in missing)}" if missing else "all that is needed is here")
    return 1 if missing else 0


def _verdicts() -> Iterator[Verdict]:
    lowest = ".".join(map(str, LOWEST))
    yield Verdict(f"Python {lowest} or newer", sys.version_info >= LOWEST, f"install Python {lowest} or newer")
    for package in NEEDED + LAB:
        yield Verdict(f"package {package}", _importable(package), "delete .venv and run: python lab.py")
    for part in ("scripts", "workspaces", "orders.csv", "weather.csv"):
        yield Verdict(f"data/{part}", _there(part), "the checkout is incomplete; clone it again")
    yield Verdict("the checkout can be written to", os.access(repository(), os.W_OK), "copy it to a folder of your own")
    browser = any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    tests = browser and _importable("playwright")
    yield Verdict("browser tests", tests, "chromium and playwright are for maintainers only", needed=False)
    lacking = "".join(f"\n          {clause}" for clause in missing())
    yield Verdict("a local model, for chapter 11", not lacking, f"this is missing{lacking}", needed=False)
    named = [name for name in SETTINGS if os.environ.get(name)]
    remedy = "none is set, and none is needed: the scripted model answers"
    yield Verdict(f"a real endpoint ({', '.join(named or SETTINGS)})", bool(named), remedy, needed=False)


def _importable(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _there(part: str) -> bool:
    try:
        return data(part).exists()
    except FileNotFoundError:
        return False
