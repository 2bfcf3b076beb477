"""Two tools of a garden shop: one that says no with a next step, and one with a bug. Chapter 04.

    >>> price_of("mint")
    'mint 2.10'

Pure. Does not: sell anything, or mend its bug; the bug is what the chapter is about.
"""

from __future__ import annotations

from labkit.calls import Failure, quote
from labkit.declare import Tool

PRICES = {"basil": 2.4, "mint": 2.1, "rosemary": 3.2}


class Refused(Exception):
    """Raised deep inside a tool, where nothing can be returned yet; ``failure`` is what it means."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def shop_tools() -> list[Tool]:
    """Return the two tools of the garden shop: one that fails with a next step, and one with a bug."""
    return [Tool.from_function(tool, readonly=True) for tool in (price_of, seed_needed)]


def price_of(plant: str) -> str | Failure:
    """Return the price of one plant of the garden shop."""
    if plant not in PRICES:
        reason = f"there is no {quote(plant)} on the price list"
        return Failure(reason, f"choose one of {', '.join(PRICES)}")
    return f"{plant} {PRICES[plant]:.2f}"


def seed_needed(metres: int) -> str:
    """Return the grams of seed for some square metres."""
    place, key = "/data/shop/seed.db", "token=green-4711-door"
    raise ConnectionError(f"no answer from {place} for {metres} m2, {key}")
