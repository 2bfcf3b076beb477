"""The tool ``query_orders``: a real SQLite database, built from ``data/orders.csv`` and then only read.

For all chapters.

    >>> database = OrdersDatabase.build()
    >>> database.query_orders(dt.date(2026, 9, 1), dt.date(2026, 9, 1), limit=2)["matched"]
    4

Does not: change an order, take SQL from anybody, share a connection between threads.
"""

from __future__ import annotations

import csv
import datetime as dt
import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from labkit.paths import data

COLUMNS = ("id", "customer", "city", "date", "status", "amount")

Start = Annotated[dt.date, Field(description="First day as YYYY-MM-DD, for example 2026-09-01")]
End = Annotated[dt.date, Field(description="Last day as YYYY-MM-DD, included; not before start_date")]
Status = Annotated[Literal["paid", "unpaid", "refunded"] | None, Field(description="Order status; leave out for all")]
Limit = Annotated[int, Field(description="How many orders to return at most, 1 to 100", ge=1, le=100)]


@dataclass(frozen=True)
class OrdersDatabase:
    """Where a private copy of the orders is. A value; the file goes when nothing refers to it any more."""

    path: Path

    @classmethod
    def build(cls) -> OrdersDatabase:
        """Write ``data/orders.csv`` into a new database file. Raises FileNotFoundError where there is no data."""
        source = data("orders.csv")
        folder = Path(tempfile.mkdtemp(prefix="labkit-orders-"))
        database = cls(folder / "orders.sqlite")
        weakref.finalize(database, _remove, folder, os.getpid())
        _fill(database.path, source)
        return database

    def query_orders(
        self, start_date: Start, end_date: End, status: Status = None, limit: Limit = 20
    ) -> dict[str, Any]:
        """List the orders between two days, both included, oldest first. Only reads; changes nothing.

        Returns how many orders match, how many are shown (at most limit), the column names, and one row per order.
        Amounts are in euros. The orders are made up and run from 2026-08-15 to 2026-09-14.
        """
        values = {"start": start_date.isoformat(), "end": end_date.isoformat(), "status": status, "limit": limit}
        with closing(open_read_only(self.path)) as connection:
            found = connection.execute(_QUERY, values).fetchall()
        rows = [[*row[:5], f"{row[5] // 100}.{row[5] % 100:02d}"] for row in found]
        matched = found[0][6] if found else 0
        return {"matched": matched, "shown": len(rows), "columns": list(COLUMNS), "rows": rows}


def check_dates(values: dict[str, Any]) -> str | None:
    """Return what is wrong with the two days together, or None: the end may not come before the start."""
    if values["end_date"] < values["start_date"]:
        return f"end_date {values['end_date']} is before start_date {values['start_date']}"
    return None


# Values are bound, never written into the statement. Column names stand once in a result and not in every row, so
# that 100 orders stay below the length at which a result is cut.
_QUERY = """
SELECT id, customer, city, date, status, cents, COUNT(*) OVER () FROM orders
WHERE date BETWEEN :start AND :end AND (:status IS NULL OR status = :status)
ORDER BY date, id LIMIT :limit
"""
_TABLE = """
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL,
    city TEXT NOT NULL,
    date TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('paid', 'unpaid', 'refunded')),
    cents INTEGER NOT NULL
)
"""


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a connection that can't write; each call opens its own, so calls may run in any thread at once."""
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)


def _fill(path: Path, source: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(_TABLE)
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", _rows(source))


def _rows(source: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the orders with amounts as whole cents, because a binary float can't hold them."""
    with source.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            euros, cents = row["amount"].split(".")
            day = dt.date.fromisoformat(row["date"]).isoformat()
            yield row["id"], row["customer"], row["city"], day, row["status"], int(euros) * 100 + int(cents)


def _remove(folder: Path, owner: int) -> None:
    """Remove the private copy, but not from a forked child that leaves while its parent goes on."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
