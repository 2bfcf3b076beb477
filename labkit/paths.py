"""Where the checkout and its data are, found from labkit's own place and never from the working directory.

    >>> data("orders.csv").name
    'orders.csv'

Does not: read or write anything.
"""

from __future__ import annotations

from pathlib import Path


def repository() -> Path:
    """Return the root of the checkout that this labkit belongs to."""
    return Path(__file__).resolve().parents[1]


def data(*parts: str) -> Path:
    """Return a path under ``data/``. Raises FileNotFoundError where the checkout does not hold it."""
    path = repository().joinpath("data", *parts)
    if not path.exists():
        raise FileNotFoundError(
            f"data/{'/'.join(parts)} is missing: labkit reads its data from the checkout it was set up in "
            "(python lab.py check)"
        )
    return path
