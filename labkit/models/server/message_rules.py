"""One message of a chat completions request: its role, its content, its calls. Pure."""

from __future__ import annotations

import json
from typing import Any

from labkit.models.server.broken import LEGAL_NAME, Broken, broken, foreign_fields, kind_of, spelled

Object = dict[str, Any]

FIELDS = {
    "developer": {"role", "content", "name"},
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
PARTS = {"user": ("text", "image_url", "input_audio", "file"), "assistant": ("text", "refusal")}
CONTENT_RULE: dict[str, int | str] = {"tool": 4, "assistant": 5}
MAX_ID = 40


def message_faults(message: Any, param: str) -> list[Broken]:
    """Return what is wrong within one message."""
    if not isinstance(message, dict):
        return [broken("form", param, f"a message must be an object, not {kind_of(message)}")]
    role = message.get("role")
    if not isinstance(role, str) or role not in FIELDS:
        return [broken("form", f"{param}.role", f"must be one of {', '.join(FIELDS)}, not {spelled(role)}")]
    found = foreign_fields(message, FIELDS[role], param, f"a message of the role {role}")
    found += _content_faults(message, role, param)
    if role == "assistant" and "tool_calls" in message:
        found += _calls_faults(message["tool_calls"], f"{param}.tool_calls")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        found.append(broken(2, param, "a tool message needs tool_call_id, the id of the call that it answers"))
    return found


def arguments_faults(arguments: Any, param: str) -> list[Broken]:
    """Return what is wrong with the arguments of a replayed call (rule 6)."""
    if not isinstance(arguments, str):
        return [broken(6, param, f"must be JSON in a text, not {kind_of(arguments)}")]
    try:
        value = json.loads(arguments, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return [broken(6, param, "the text must be valid JSON")]
    return [] if isinstance(value, dict) else [broken(6, param, f"must hold an object, not {kind_of(value)}")]


def name_faults(name: Any, param: str) -> list[Broken]:
    """Return what is wrong with the name of a tool (rule 8)."""
    if isinstance(name, str) and LEGAL_NAME.fullmatch(name):
        return []
    return [broken(8, param, f"{spelled(name)} must match ^[a-zA-Z0-9_-]{{1,64}}$")]


def id_faults(value: Any, param: str, longest: int = MAX_ID) -> list[Broken]:
    """Return what is wrong with the id of a call (rule 7)."""
    if not isinstance(value, str) or not value:
        return [broken(7, param, "a call needs an id, a text that is not empty")]
    if len(value) > longest:
        return [broken(7, param, f"an id has at most {longest} characters, not {len(value)}")]
    return []


def part_faults(parts: list[Any], known: tuple[str, ...], rule: int | str, param: str) -> list[Broken]:
    """Return what is wrong with content that is given in parts."""
    if not parts:
        return [broken(rule, param, "a list of parts must hold at least one")]
    found = []
    for position, part in enumerate(parts):
        kind = part.get("type") if isinstance(part, dict) else None
        place = f"{param}.[{position}]"
        if kind not in known:
            found.append(broken(rule, place, f"must be a part of the type {' or '.join(known)}"))
            continue
        key = "refusal" if kind == "refusal" else "text"
        if (kind.endswith("text") or kind == "refusal") and not isinstance(part.get(key), str):
            found.append(broken(rule, f"{place}.{key}", "must be text"))
    return found


def _content_faults(message: Object, role: str, param: str) -> list[Broken]:
    content, place = message.get("content"), f"{param}.content"
    rule = CONTENT_RULE.get(role, "form")
    refusal = message.get("refusal")
    if refusal is not None and not isinstance(refusal, str):
        return [broken("form", f"{param}.refusal", "must be text or null")]
    if isinstance(content, str):
        return []
    if isinstance(content, list):
        return part_faults(content, PARTS.get(role, ("text",)), rule, place)
    if content is not None:
        return [broken(rule, place, f"must be text or a list of text parts, not {kind_of(content)}")]
    if role != "assistant":
        return [broken(rule, place, f"a message of the role {role} needs content")]
    if message.get("tool_calls") or refusal:
        return []
    return [broken(rule, place, "an assistant message needs content or tool_calls")]


def _calls_faults(calls: Any, param: str) -> list[Broken]:
    if not isinstance(calls, list) or not calls:
        return [broken("form", param, "must be a list of at least one call; leave it out where there is none")]
    found: list[Broken] = []
    seen: set[str] = set()
    for position, call in enumerate(calls):
        place = f"{param}.[{position}]"
        found += _call_faults(call, place)
        name = call.get("id") if isinstance(call, dict) else None
        if isinstance(name, str) and name in seen:
            found.append(broken(7, f"{place}.id", f"the id {spelled(name)} stands twice in this message"))
        seen |= {name} if isinstance(name, str) else set()
    return found


def _call_faults(call: Any, param: str) -> list[Broken]:
    if not isinstance(call, dict):
        return [broken("form", param, f"a call must be an object, not {kind_of(call)}")]
    kind = call.get("type")
    if kind not in ("function", "custom"):
        found = foreign_fields(call, {"id", "type", "function", "custom"}, param, "a call")
        return [*found, broken(17, f"{param}.type", f"must be function or custom, not {spelled(kind)}")]
    found = foreign_fields(call, {"id", "type", kind}, param, f"a call of the type {kind}")
    found += id_faults(call.get("id"), f"{param}.id")
    inner, place, text = call.get(kind), f"{param}.{kind}", "arguments" if kind == "function" else "input"
    if not isinstance(inner, dict):
        return [*found, broken("form", place, f"must be an object with name and {text}")]
    found += foreign_fields(inner, {"name", text}, place, f"a {kind}")
    found += name_faults(inner.get("name"), f"{place}.name")
    if kind == "function":
        return found + arguments_faults(inner.get("arguments"), f"{place}.arguments")
    fits = isinstance(inner.get("input"), str)
    return found if fits else [*found, broken(17, f"{place}.input", "the input of a custom call must be text")]


def _no_constant(name: str) -> Any:
    raise ValueError(name)
