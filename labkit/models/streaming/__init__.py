"""A reply that comes in pieces: put together again, whatever the server did to it on the way. Pure.

Chapter 10. Fed with the chunks of a stream as dicts, in order; at any moment it can be asked what is known so far.

    >>> assembly = ChatAssembly()
    >>> assembly.feed({"choices": [{"index": 0, "delta": {"content": "hel"}}]})
    >>> assembly.content, assembly.finish_reason
    ('hel', None)

A reply counts only where the server said that it is whole. Does not: read from a network, judge arguments, run a call.
"""

from labkit.models.streaming.chat import ChatAssembly, assemble
from labkit.models.streaming.growing import Growing
from labkit.models.streaming.responses import ResponsesAssembly, assemble_responses

__all__ = ["ChatAssembly", "Growing", "ResponsesAssembly", "assemble", "assemble_responses"]
