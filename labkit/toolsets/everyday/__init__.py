"""The everyday tools: weather, arithmetic, a small search, orders in a database.

For all chapters. They read shipped data only, and change nothing.

    >>> [tool.name for tool in everyday_tools()]
    ['get_weather', 'calc', 'web_search', 'query_orders']

Does not: use the network, write anything but its own copy of the orders, which is removed again.
"""

from __future__ import annotations

from typing import Any

from labkit.declare import Tool
from labkit.toolsets.everyday import calc, orders, search, weather

__all__ = ["everyday_tools"]


def everyday_tools() -> list[Tool]:
    """Return the four tools. Each call makes an orders database of its own, kept until its tool is gone.

    Raises FileNotFoundError where the checkout does not hold the data.
    """
    database = orders.OrdersDatabase.build()
    return [
        Tool.from_function(weather.get_weather, readonly=True, touches=_nothing, timeout=8.0),
        Tool.from_function(calc.calc, readonly=True, touches=_nothing),
        Tool.from_function(search.web_search, readonly=True, touches=_nothing, timeout=8.0),
        Tool.from_function(
            database.query_orders, readonly=True, touches=_nothing, timeout=8.0, check=orders.check_dates
        ),
    ]


def _nothing(values: dict[str, Any]) -> tuple[str, ...]:
    """No other tool can change what these read."""
    return ()
