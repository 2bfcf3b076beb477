"""Events of the Responses API to a reply. Pure and total, as ``chat`` is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labkit.models.base import ModelError, ModelReply
from labkit.models.streaming.assembly import CUT_SHORT, Assembly
from labkit.models.streaming.chat import as_text, close_all
from labkit.models.streaming.growing import Growing
from labkit.models.wire.reading import found_fault, listed, mapping, text
from labkit.models.wire.responses import CALLS, reply_from_response

ENDS = ("response.completed", "response.incomplete")
ARGUMENT_DELTAS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
ARGUMENT_ENDS = ("response.function_call_arguments.done", "response.custom_tool_call_input.done")


class ResponsesAssembly(Assembly):
    """What is known of a reply after the events so far; the same face as ``ChatAssembly``."""

    def __init__(self) -> None:
        super().__init__()
        self._at: dict[int, Growing] = {}
        self._with_id: dict[str, Growing] = {}
        self._whole: ModelReply | None = None

    def feed(self, event: Any) -> None:
        """Take one event, a dict as it came."""
        event = mapping(event)
        kind, item = event.get("type"), mapping(event.get("item"))
        if kind is None:  # no event of this protocol: an error that lacks its type, or a sign of life
            self.fault = self.fault or found_fault(event)
        elif kind in ("error", "response.failed"):
            told = found_fault(event) or found_fault(mapping(event.get("response"))) or text(event.get("message"))
            self.fault = self.fault or told or "it gave no reason"
        elif kind in ENDS:
            self._end(mapping(event.get("response")), str(kind))
        elif kind == "response.output_text.delta":
            self._content.add(text(event.get("delta")))
        elif kind == "response.refusal.delta":
            self._refusal.add(text(event.get("delta")))
        elif item.get("type") in CALLS:
            self._take_item(event, item, done=kind == "response.output_item.done")
        elif kind in ARGUMENT_DELTAS:
            self._of(event).add(text(event.get("delta")))
        elif kind in ARGUMENT_ENDS:
            growing = self._of(event)
            growing.set(as_text(event.get("arguments", event.get("input"))) or growing.arguments)

    def reply(self) -> ModelReply:
        """Return the reply. Raises ModelError where the server sent an error, or never said that it had ended."""
        finish_reason = self._ended()
        if self._whole is None:
            raise ModelError(CUT_SHORT)
        if self._whole.tool_calls or (not self._calls and (self._whole.content or self._whole.refusal)):
            return self._whole  # the server said it all again, as one
        calls = tuple(growing.call for growing in self._calls)
        return ModelReply(self.content, calls, finish_reason, self.usage, self.refusal or None)

    def _end(self, response: Mapping[str, Any], kind: str) -> None:
        if response.get("error"):
            self.fault = self.fault or found_fault(response)
            return
        status = "incomplete" if kind == "response.incomplete" else "completed"
        whole = reply_from_response({**response, "status": status, "output": listed(response.get("output"))})
        self._whole, self.usage, self.finish_reason = whole, whole.usage, whole.finish_reason
        if whole.finish_reason == "stop" and self._calls:
            self.finish_reason = "tool_calls"
        close_all(self._calls, self.finish_reason)

    def _take_item(self, event: Mapping[str, Any], item: Mapping[str, Any], *, done: bool) -> None:
        growing = self._of(event, item)
        growing.id = growing.id or text(item.get("call_id")) or text(item.get("id"))
        growing.name = growing.name or text(item.get("name"))
        arguments = as_text(item.get("arguments", item.get("input")))
        if done:
            growing.set(arguments or growing.arguments)
            if item.get("status") != "incomplete":
                growing.close()
        elif arguments and not growing.begun:
            growing.add(arguments)

    def _of(self, event: Mapping[str, Any], item: Mapping[str, Any] | None = None) -> Growing:
        """Return the call that an event is about: by its place in the output, else by its item's id, else the last."""
        place, name = event.get("output_index"), text((item or {}).get("id")) or text(event.get("item_id"))
        growing = self._at.get(place) if type(place) is int else None
        if growing is not None and event.get("type") == "response.output_item.added":
            growing = self._with_id.get(name)  # a server that counts wrong: another item begins at the same place
        elif growing is None:
            growing = self._with_id.get(name)
        if growing is None and type(place) is not int and not name and item is None and self._calls:
            return self._calls[-1]
        if growing is None:
            growing = Growing()
            self._calls.append(growing)
        if type(place) is int:
            self._at[place] = growing
        if name:
            self._with_id.setdefault(name, growing)
        return growing


def assemble_responses(events: Iterable[Any]) -> ModelReply:
    """Return the reply that the events of one stream make. Raises ModelError as ``ResponsesAssembly.reply`` does."""
    assembly = ResponsesAssembly()
    for event in events:
        assembly.feed(event)
    return assembly.reply()
