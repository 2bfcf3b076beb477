"""What a chat completions request must keep, as a strict server sees it. Pure, and total: any JSON can be judged.

    >>> [fault.message for fault in broken_rules({"model": "m", "messages": [{"role": "tool", "content": "4"}]})]
    ['messages.0: a tool message needs tool_call_id, the id of the call that it answers (rule 2)']

Sources: the request types of the openai package, its documentation, and what servers are known to refuse. Rules 3 and
12 to 15 are for the reading side; there is nothing in them to refuse.

Does not: repair anything, know how labkit writes a request.
"""

from __future__ import annotations

from typing import Any

from labkit.models.server.broken import Broken, broken, kind_of
from labkit.models.server.format_rules import format_faults
from labkit.models.server.message_rules import message_faults
from labkit.models.server.pairing import pairing_faults
from labkit.models.server.parameter_rules import CHAT_PARAMETERS, parameter_faults
from labkit.models.server.tool_rules import tool_faults


def broken_rules(body: Any) -> list[Broken]:
    """Return every broken rule of a chat completions request, in the order of the request; empty for a good one."""
    if not isinstance(body, dict):
        return [broken("form", "body", f"the body must be an object, not {kind_of(body)}")]
    found = parameter_faults(body, CHAT_PARAMETERS)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        found.append(broken("form", "messages", "a request needs messages, a list of at least one"))
        messages = []
    for position, message in enumerate(messages):
        found += message_faults(message, f"messages.[{position}]")
    found += pairing_faults(messages)
    found += tool_faults(body, flat=False)
    return found + format_faults(body.get("response_format"), "response_format", messages, flat=False)
