"""The envelope: its schema, how it is read, how it is written. Pure.

One object, in one of two forms: ``{"thought"?, "tool_calls": [{"name", "arguments"}]}`` or ``{"thought"?, "answer"}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from labkit.calls import CallRefused, Problem
from labkit.declare.tidy import places
from labkit.validate import parse, validate

Schema = dict[str, Any]

THOUGHT: Schema = {"type": "string"}
ANSWER: Schema = {"type": "string", "minLength": 1}
CALL: Schema = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name", "arguments"],
    "additionalProperties": False,
}
KEYS = ("tool_calls", "answer")


class Envelope(NamedTuple):
    """What was read from a reply. A value.

    ``calls`` are ``{"name", "arguments"}``; ``problems`` say, a clause each, why nothing could be read.
    """

    thought: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    answer: str | None = None
    problems: tuple[str, ...] = ()


def read(text: str, *, has_tools: bool) -> Envelope:
    """Return what a reply decides, or its problems, a clause each. A code fence around the object is taken off."""
    try:
        value, _ = parse(text)
    except CallRefused as refusal:
        return Envelope(problems=(_without_subject(refusal.error.message),))
    if not text.strip():
        return Envelope(problems=("it is empty",))
    problems = [_said(problem) for problem in validate(_OBJECT, value)[1]]
    there = [key for key in KEYS if key in value]
    if len(there) != 1:
        problems.append(
            'it has both "tool_calls" and "answer"' if there else 'it has neither "tool_calls" nor "answer"'
        )
    elif there == ["answer"] and not problems and not value["answer"].strip():
        problems.append("answer: must say something")
    elif there == ["tool_calls"] and not has_tools:
        problems.append("it asks for a tool, and there are none now")
    if problems:
        return Envelope(problems=tuple(problems))
    return Envelope(value.get("thought", ""), tuple(value.get("tool_calls", ())), value.get("answer"))


def write(thought: str, calls: Sequence[Mapping[str, Any]], answer: str | None = None) -> str:
    """Return the text of an envelope."""
    told: dict[str, Any] = {"thought": thought} if thought else {}
    told |= {"tool_calls": list(calls)} if calls else {"answer": answer or ""}
    return json.dumps(told, ensure_ascii=False)


def envelope(definitions: Sequence[Mapping[str, Any]]) -> Schema:
    """Return the JSON schema that a decision has to fit, for a server that can hold a model to one.

    Each tool's own schema is in it, so that arguments fit the tool that is named. Without definitions only an answer
    does.
    """
    answer = _closed({"thought": THOUGHT, "answer": ANSWER}, ["answer"])
    if not definitions:
        return answer
    shared: Schema = {}
    calls = [_call(definition.get("function") or definition, shared) for definition in definitions]
    asked: Schema = {"type": "array", "minItems": 1, "items": {"oneOf": calls} if len(calls) > 1 else calls[0]}
    schema: Schema = {
        "type": "object",
        "oneOf": [_closed({"thought": THOUGHT, "tool_calls": asked}, ["tool_calls"]), answer],
    }
    return schema | {"$defs": shared} if shared else schema


_OBJECT: Schema = {
    "type": "object",
    "properties": {"thought": THOUGHT, "tool_calls": {"type": "array", "minItems": 1, "items": CALL}, "answer": ANSWER},
    "additionalProperties": False,
}


def _without_subject(message: str) -> str:
    """A refusal speaks of arguments; here it is the whole reply that can't be read."""
    for subject in ("the arguments are not valid JSON: ", "the arguments "):
        if message.startswith(subject):
            return ("it is no valid JSON: " if "not valid" in subject else "it ") + message.removeprefix(subject)
    return message


def _said(problem: Problem) -> str:
    """The validator speaks of parameters; here they are fields."""
    message = "there is no such field" if problem.rule == "additionalProperties" else problem.message
    return f"{problem.path}: {message}" if problem.path else message


def _closed(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _call(function: Mapping[str, Any], shared: Schema) -> Schema:
    """The schema of a call of one tool. Parameters with references inside move to the root, as a whole."""
    name = str(function.get("name"))
    parameters = deepcopy(dict(function.get("parameters") or {"type": "object"}))
    pointing = [part for _, part in places(parameters) if str(part.get("$ref")).startswith("#")]
    if pointing:
        root = f"#/$defs/{name}"
        for part in pointing:
            part["$ref"] = root + part["$ref"][1:]
        shared[name] = {key: value for key, value in parameters.items() if key not in ("$id", "$schema")}
        parameters = {"$ref": root}
    return _closed({"name": {"const": name}, "arguments": parameters}, ["name", "arguments"])
