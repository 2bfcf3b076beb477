"""What an exercise is: what to define, hidden cases, three hints, a solution. All chapters.

    >>> Case("true is no integer", "is_integer(True)", False, "What is type(True)?").run
    'is_integer(True)'

Pure: everything here is a value. Does not: run anything; ``checking`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wanted:
    """What is expected where no value can be written down: words for the learner, and the test behind them."""

    text: str
    test: Callable[[Any], bool]


@dataclass(frozen=True)
class Case:
    """One thing that must hold. A value.

    ``run`` is a Python expression over the learner's names and the given ones; the learner sees it as it is and can
    try it in a cell. ``expected`` is compared strictly (``True`` is not ``1``), or is a ``Wanted``. ``step`` says what
    to think of next, and never the solution.
    """

    rule: str
    run: str
    expected: Any
    step: str


@dataclass(frozen=True)
class Exercise:
    """One exercise. A value; ``solution`` takes the place of the stub cell in the chapter's solved twin.

    ``names`` are what the learner defines. ``given`` makes, for each check anew, what the cases use beside them.
    """

    id: str
    title: str
    names: tuple[str, ...]
    cases: tuple[Case, ...]
    hints: tuple[str, str, str]
    solution: str
    given: Callable[[], dict[str, Any]] = dict
