"""One call a turn: a small model that may list several goes on listing until it is cut off."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labkit.models.base import ModelReply

if TYPE_CHECKING:
    from labkit.models.openai_chat import OpenAIModel


class OneCall:
    """A model that is held to the envelope of JSON mode with one call in it at most."""

    def __init__(self, model: OpenAIModel) -> None:
        self.model = model

    def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> ModelReply:
        """Return the model's reply as it is."""
        return self.model.reply(messages, tools)

    def constrained(self, schema: dict[str, Any]) -> OpenAIModel:
        """Return the model held to the schema, and to one call."""
        return self.model.constrained(with_one_call(schema))


def with_one_call(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the envelope's schema in which a list of calls has room for one."""
    changed = copy.deepcopy(schema)
    for form in changed.get("oneOf", ()):
        if "tool_calls" in form["properties"]:
            form["properties"]["tool_calls"]["maxItems"] = 1
    return changed
