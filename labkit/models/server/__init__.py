"""A strict chat server on loopback that plays a script, for any client. Chapters 09 and 10.

It refuses with 400 what a real server refuses, and can be told to fail in sixteen ways. Chat completions and Responses,
in one piece or as a stream.

    >>> with ScriptedServer({"task": "greet", "decisions": [{"content": "hello"}]}) as server:
    ...     server.base_url.endswith("/v1")
    True

Does not: reason (it is a script), listen to other machines, keep keys, share code with the client it judges.
"""

from labkit.models.server.broken import Broken
from labkit.models.server.faults import FAULTS, Fault
from labkit.models.server.quirks import QUIRKS
from labkit.models.server.responses_rules import responses_broken_rules
from labkit.models.server.rules import broken_rules
from labkit.models.server.serving import Received, ScriptedServer

__all__ = [
    "FAULTS",
    "QUIRKS",
    "Broken",
    "Fault",
    "Received",
    "ScriptedServer",
    "broken_rules",
    "responses_broken_rules",
]
