"""The tool ``get_weather``: a look-up in a shipped table.

For all chapters.

    >>> get_weather("Beijing", dt.date(2026, 9, 1))["temperature_c"]
    26.5

Does not: forecast, ask a service, guess which city was meant.
"""

from __future__ import annotations

import csv
import datetime as dt
import functools
import unicodedata
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import Field

from labkit.calls import Failure, quote
from labkit.paths import data

City = Annotated[
    str,
    Field(description="City in English or in its own language, for example Beijing", min_length=1, max_length=60),
]
Day = Annotated[dt.date, Field(description="Day as YYYY-MM-DD, from 2026-09-01 to 2026-09-07, for example 2026-09-01")]


def get_weather(city: City, date: Day) -> dict[str, Any] | Failure:
    """Return the temperature in degrees Celsius and the sky over one city on one day.

    Reads a small table that was made up for this course: 16 cities, one week. Takes one city and one day a
    call; ask for several in one message. Knows no "today" and no "yesterday".
    """
    table = _table()
    days = table.get(_key(city))
    if days is None:
        return Failure(f"there is no weather for the city {quote(city)}", _cities_like(city, table), "not_found")
    if date not in days:
        reason = f"there is no weather for {date.isoformat()}"
        return Failure(reason, f"dates go from {min(days)} to {max(days)}", "not_found")
    return dict(days[date])


Table = dict[str, dict[dt.date, dict[str, Any]]]


@functools.cache
def _table() -> Table:
    """Read the table once; a city stands in it under its English and its local name."""
    table: Table = {}
    with data("weather.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            day = {
                "city": row["city"],
                "date": row["date"],
                "temperature_c": float(row["temperature_c"]),
                "sky": row["sky"],
            }
            for name in (row["city"], row["local_name"]):
                table.setdefault(_key(name), {})[dt.date.fromisoformat(row["date"])] = day
    return table


def _key(name: str) -> str:
    """Spell a name for comparison: capitals, spaces and the way of writing an accent do not count."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _cities_like(city: str, table: Table) -> str:
    names = {key: next(iter(days.values()))["city"] for key, days in table.items()}
    close = [names[key] for key in get_close_matches(_key(city), names, n=3)]
    if close:
        return f"did you mean {' or '.join(dict.fromkeys(close))}?"
    return f"cities are {', '.join(sorted(set(names.values())))}"
