"""Declarations of tools, and what chooses among them: for chat completions, and flat for Responses. Pure."""

from __future__ import annotations

from typing import Any

from labkit.models.server.broken import Broken, broken, foreign_fields, kind_of, spelled
from labkit.models.server.message_rules import name_faults
from labkit.models.server.strict_rules import strict_faults

Object = dict[str, Any]

MAX_TOOLS = 128
MAX_DESCRIPTION = 1024
FUNCTION = {"name", "description", "parameters", "strict"}
CUSTOM = {"name", "description", "format"}


def tool_faults(body: Object, flat: bool) -> list[Broken]:
    """Return what is wrong with ``tools``, ``tool_choice`` and ``parallel_tool_calls``; ``flat`` for Responses."""
    if "tools" not in body:
        beside = [name for name in ("tool_choice", "parallel_tool_calls") if body.get(name) is not None]
        return [broken(11, name, "only allowed beside tools") for name in beside]
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        return [broken(11, "tools", "must be a list of at least one; leave tools out where there is none")]
    found = []
    if len(tools) > MAX_TOOLS:
        found.append(broken(10, "tools", f"at most {MAX_TOOLS} tools, not {len(tools)}"))
    for position, tool in enumerate(tools):
        found += _declaration_faults(tool, flat, f"tools.[{position}]")
    if not isinstance(body.get("parallel_tool_calls", True), bool):
        found.append(broken("parameter", "parallel_tool_calls", "must be true or false"))
    return found + _choice_faults(body.get("tool_choice"), [*map(_name_of, tools)], flat)


def schema_faults(schema: Any, strict: Any, param: str) -> list[Broken]:
    """Return what is wrong with a JSON Schema; ``strict`` as it was sent."""
    if strict is not None and not isinstance(strict, bool):
        return [broken("schema", param, "strict must be true or false")]
    if not isinstance(schema, dict):
        return [broken("schema", param, f"must be a JSON Schema, not {kind_of(schema)}")]
    return strict_faults(schema, param) if strict else []


def _declaration_faults(tool: Any, flat: bool, param: str) -> list[Broken]:
    if not isinstance(tool, dict):
        return [broken("form", param, f"a tool must be an object, not {kind_of(tool)}")]
    kind = tool.get("type")
    if kind not in ("function", "custom"):
        return [broken("form", f"{param}.type", f"must be function or custom, not {spelled(kind)}")]
    known = FUNCTION if kind == "function" else CUSTOM
    if flat:
        found = foreign_fields(tool, known | {"type"}, param, f"a {kind} tool of the Responses API")
        inner: Any = tool
        place = param
    else:
        found = foreign_fields(tool, {"type", kind}, param, f"a {kind} tool")
        inner, place = tool.get(kind), f"{param}.{kind}"
        if not isinstance(inner, dict):
            return [*found, broken("form", place, "must be an object with a name")]
        found += foreign_fields(inner, known, place, f"the declaration of a {kind}")
    found += name_faults(inner.get("name"), f"{place}.name")
    found += _description_faults(inner.get("description"), f"{place}.description")
    if kind == "function":
        found += _parameters_faults(inner, f"{place}.parameters")
    return found


def _parameters_faults(function: Object, param: str) -> list[Broken]:
    """A function without parameters may leave them out, but not where they are to be strict."""
    schema, strict = function.get("parameters"), function.get("strict")
    if schema is None and not strict:
        return []
    if isinstance(schema, dict) and schema.get("type") != "object":
        return [broken("schema", param, 'must be a JSON Schema of the type "object"')]
    return schema_faults(schema, strict, param)


def _description_faults(description: Any, param: str) -> list[Broken]:
    if description is None:
        return []
    if not isinstance(description, str):
        return [broken(9, param, f"must be text, not {kind_of(description)}")]
    if len(description) > MAX_DESCRIPTION:
        return [broken(9, param, f"at most {MAX_DESCRIPTION:,} characters, not {len(description):,}")]
    return []


def _choice_faults(choice: Any, declared: list[Any], flat: bool) -> list[Broken]:
    """A choice is a word, or an object that names a tool."""
    if choice is None or choice in ("none", "auto", "required"):
        return []
    if not isinstance(choice, dict) or choice.get("type") not in ("function", "custom", "allowed_tools"):
        return [broken("parameter", "tool_choice", "must be none, auto, required, or an object that names a tool")]
    if choice["type"] == "allowed_tools":
        return []
    inner = choice if flat else choice.get(choice["type"])
    name = inner.get("name") if isinstance(inner, dict) else None
    if name not in declared:
        return [broken(11, "tool_choice", f"names {spelled(name)}, which tools does not declare")]
    return []


def _name_of(tool: Any) -> Any:
    if not isinstance(tool, dict):
        return None
    inner = tool.get(str(tool.get("type")))
    return inner.get("name") if isinstance(inner, dict) else tool.get("name")
