"""History to the wire and back: chat completions and the Responses API. Pure.

Chapter 09. History is what happened; what is sent is what a server accepts, whatever the history went through.

    >>> to_chat([{"role": "tool", "content": "26.5", "tool_call_id": "call_1"}])
    [{'role': 'user', 'content': '[a tool result that answers no open call] 26.5'}]

Total in both directions: a field that is missing or odd is mended, or read as absent. Only an answer without any reply
in it raises. Does not: send anything, change the history, know a model's name.
"""

from labkit.models.wire.chat import chat_tools, from_chat, reply_from_chat, to_chat
from labkit.models.wire.responses import from_responses, reply_from_response, responses_tools, to_responses

__all__ = [
    "chat_tools",
    "from_chat",
    "from_responses",
    "reply_from_chat",
    "reply_from_response",
    "responses_tools",
    "to_chat",
    "to_responses",
]
