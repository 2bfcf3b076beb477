"""What a Responses request must keep, as a strict server sees it. Pure, and total: any JSON can be judged.

    >>> lone = {"type": "function_call_output", "call_id": "call_1", "output": "4"}
    >>> [fault.message for fault in responses_broken_rules({"model": "m", "input": [lone]})]
    ['input.0.call_id: an answer to call_1, but no such call stands before it (rule 2)']

Calls and answers are items of one list, matched by ``call_id`` over all of it: so an id must not come again (rule 7).

Does not: know stored responses, hosted tools, or how labkit writes a request.
"""

from __future__ import annotations

from typing import Any

from labkit.models.server.broken import Broken, broken, foreign_fields, kind_of, spelled
from labkit.models.server.format_rules import format_faults
from labkit.models.server.message_rules import arguments_faults, id_faults, name_faults, part_faults
from labkit.models.server.parameter_rules import RESPONSES_PARAMETERS, parameter_faults
from labkit.models.server.tool_rules import tool_faults

Object = dict[str, Any]

MAX_CALL_ID = 64
FIELDS = {
    "message": {"type", "role", "content", "id", "status", "phase"},
    "function_call": {"type", "call_id", "name", "arguments", "id", "status"},
    "function_call_output": {"type", "call_id", "output", "id", "status"},
    "custom_tool_call": {"type", "call_id", "name", "input", "id", "status"},
    "custom_tool_call_output": {"type", "call_id", "output", "id", "status"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
}
ID_PREFIX = {"message": "msg", "function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs"}
INPUT_PARTS = ("input_text", "input_image", "input_file")
ROLES = {
    **dict.fromkeys(("developer", "system", "user"), INPUT_PARTS),
    "assistant": ("output_text", "refusal"),
}


def responses_broken_rules(body: Any) -> list[Broken]:
    """Return every broken rule of a Responses request, in the order of the request; empty for a good one."""
    if not isinstance(body, dict):
        return [broken("form", "body", f"the body must be an object, not {kind_of(body)}")]
    found = parameter_faults(body, RESPONSES_PARAMETERS)
    items = body.get("input")
    if not isinstance(items, list | str) or not items:
        found.append(broken("form", "input", "a request needs input: text, or a list of at least one item"))
    if isinstance(items, list):
        for position, item in enumerate(items):
            found += _item_faults(item, f"input.[{position}]")
        found += _pairing_faults(items)
    found += tool_faults(body, flat=True)
    text = body.get("text")
    wanted = text.get("format") if isinstance(text, dict) else None
    return found + format_faults(wanted, "text.format", [items, body.get("instructions")], flat=True)


def _item_faults(item: Any, param: str) -> list[Broken]:
    if not isinstance(item, dict):
        return [broken("form", param, f"an item must be an object, not {kind_of(item)}")]
    kind = item.get("type", "message" if "role" in item else None)
    if not isinstance(kind, str) or kind not in FIELDS:
        return [broken("form", f"{param}.type", f"must be one of {', '.join(FIELDS)}, not {spelled(kind)}")]
    found = foreign_fields(item, FIELDS[kind], param, f"an item of the type {kind}")
    found += _item_id_faults(item, kind, param)
    if kind == "message":
        return found + _message_faults(item, param)
    if kind == "reasoning":
        fits = isinstance(item.get("summary"), list) and isinstance(item.get("id"), str)
        return found if fits else [*found, broken("form", param, "a reasoning item needs its id and summary")]
    found += id_faults(item.get("call_id"), f"{param}.call_id", MAX_CALL_ID)
    if kind.endswith("_output"):
        return found + _output_faults(item.get("output"), f"{param}.output")
    found += name_faults(item.get("name"), f"{param}.name")
    if kind == "function_call":
        return found + arguments_faults(item.get("arguments"), f"{param}.arguments")
    fits = isinstance(item.get("input"), str)
    return found if fits else [*found, broken(17, f"{param}.input", "the input of a custom call must be text")]


def _item_id_faults(item: Object, kind: str, param: str) -> list[Broken]:
    """An item may carry the id that the server gave it; a call_id is no such id."""
    given, prefix = item.get("id"), ID_PREFIX.get(kind, "")
    if given is None or (isinstance(given, str) and given.startswith(prefix)):
        return []
    return [broken("form", f"{param}.id", f"must begin with {prefix}; the id of the call is call_id")]


def _message_faults(item: Object, param: str) -> list[Broken]:
    role, content = item.get("role"), item.get("content")
    if not isinstance(role, str) or role not in ROLES:
        return [broken("form", f"{param}.role", f"must be one of {', '.join(ROLES)}, not {spelled(role)}")]
    rule: int | str = 5 if role == "assistant" else "form"
    if isinstance(content, list):
        return part_faults(content, ROLES[role], rule, f"{param}.content")
    if not isinstance(content, str):
        return [broken(rule, f"{param}.content", f"must be text or a list of parts, not {kind_of(content)}")]
    return []


def _output_faults(output: Any, param: str) -> list[Broken]:
    if isinstance(output, list):
        return part_faults(output, INPUT_PARTS, 4, param)
    return (
        [] if isinstance(output, str) else [broken(4, param, f"must be text or a list of parts, not {kind_of(output)}")]
    )


def _pairing_faults(items: list[Any]) -> list[Broken]:
    """Every call has one answer, later in the list and of its own kind."""
    found: list[Broken] = []
    asked: dict[tuple[str, str], int] = {}
    answered: set[tuple[str, str]] = set()
    for position, item in enumerate(items):
        kind, name = (item.get("type"), item.get("call_id")) if isinstance(item, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(name, str):
            continue
        param, pair = f"input.[{position}].call_id", (kind.removesuffix("_output"), name)
        if kind in ("function_call", "custom_tool_call"):
            if any(name == known for _, known in asked):
                found.append(broken(7, param, f"the call_id {spelled(name)} stands for two calls"))
            asked.setdefault(pair, position)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            if pair not in asked:
                found.append(broken(2, param, f"an answer to {spelled(name)}, but no such call stands before it"))
            elif pair in answered:
                found.append(broken(1, param, f"the call {spelled(name)} is answered twice"))
            answered.add(pair)
    for (kind, name), position in asked.items():
        if (kind, name) not in answered:
            param = f"input.[{position}].call_id"
            found.append(broken(1, param, f"the call {spelled(name)} has no {kind}_output after it"))
    return found
