"""Replies of a scripted model, and the small shop whose tools they ask for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from labkit.calls import ToolCall
from labkit.declare import Tool, ToolRegistry, tool
from labkit.models.base import ModelReply, Usage

SECONDS = {"get_stock": 0.4, "get_price": 0.3, "order_pots": 0.3}
"""How long each tool takes in a prediction."""


@dataclass(frozen=True)
class Sample:
    """A reply to look at, and what it is in words. A value."""

    title: str
    reply: ModelReply


def _reply(*asked: tuple[str, dict[str, Any]], content: str = "") -> ModelReply:
    calls = tuple(ToolCall(f"call_{i}", name, json.dumps(given)) for i, (name, given) in enumerate(asked, 1))
    return ModelReply(content, calls, "tool_calls", Usage(120, 12 * len(calls)))


STOCK, PRICE = ("get_stock", {"plant": "mint"}), ("get_price", {"plant": "basil"})
ORDER = ("order_pots", {"plant": "mint", "pots": 3})

REPLIES = {
    "two_look_ups": Sample("two look-ups", _reply(STOCK, PRICE)),
    "words_and_look_ups": Sample(
        "a sentence, then three look-ups",
        _reply(STOCK, PRICE, ("get_stock", {"plant": "sage"}), content="I look at the shelf and at the prices."),
    ),
    "look_order_look": Sample("two look-ups, an order, a look-up", _reply(STOCK, PRICE, ORDER, STOCK)),
    "order_first": Sample("an order, then two look-ups", _reply(ORDER, STOCK, PRICE)),
    "one_order": Sample("a single order", _reply(ORDER)),
}
"""The replies that can be looked at, by name."""


def script_of(reply: str) -> dict[str, Any]:
    """Return a script that makes this reply, and then ends."""
    asked = REPLIES[reply].reply
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in asked.tool_calls]
    decisions = [{"content": asked.content, "tool_calls": calls}, {"content": "That is all."}]
    return {"task": "See to the mint.", "decisions": decisions}


def shop_tools(ordered: list[str] | None = None) -> list[Tool]:
    """Return the tools of the shop: two that look and one that orders. ``ordered`` collects what was ordered."""
    book = [] if ordered is None else ordered
    shelf = {"mint": 4, "basil": 0, "sage": 7}
    prices = {"mint": "2.10", "basil": "2.40", "sage": "1.90"}

    @tool(readonly=True)
    def get_stock(plant: str) -> str:
        """Return how many pots of a plant stand on the shelf."""
        return f"{plant}: {shelf.get(plant, 0)} pots"

    @tool(readonly=True)
    def get_price(plant: str) -> str:
        """Return the price of a pot."""
        return f"{plant}: {prices.get(plant, 'no price')}"

    @tool
    def order_pots(plant: str, pots: int) -> str:
        """Order pots of a plant."""
        book.append(f"{pots} {plant}")
        return f"ordered {pots} {plant}"

    return [get_stock, get_price, order_pots]


def shop_registry() -> ToolRegistry:
    """Return a registry with the tools of the shop."""
    return ToolRegistry(shop_tools())
