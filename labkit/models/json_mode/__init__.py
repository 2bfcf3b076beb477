"""Tool calls for a model that knows no tools: one JSON object a turn, the envelope, read strictly. Chapter 11.

    >>> read('{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]}', has_tools=True).calls
    ({'name': 'get_weather', 'arguments': {'city': 'Oslo'}},)

``read`` and ``envelope`` are pure. Does not: guess what a reply meant, judge arguments, run a tool.
"""

from labkit.models.json_mode.envelope import Envelope, envelope, read, write
from labkit.models.json_mode.model import JsonModeModel

__all__ = ["Envelope", "JsonModeModel", "envelope", "read", "write"]
