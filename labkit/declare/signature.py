"""From a function's signature to its schema, through pydantic: the types are the one source of truth. Pure.

Chapter 02.

    >>> def roll(sides: int = 6) -> int: "Roll a die."
    >>> describe("roll", roll).parameters["properties"]
    {'sides': {'type': 'integer', 'default': 6}}

Does not: guess a type from a docstring or a default; a parameter without an annotation takes anything.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, Required, get_type_hints

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python
from typing_extensions import TypedDict

from labkit.declare.callables import called, innermost
from labkit.declare.generator import Generator, NoCallFits
from labkit.declare.ready_made import admits
from labkit.declare.tidy import tidy

_PARAMETER_SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Params)\s*:?\s*$|^\s*:param\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Described:
    """What a signature says. A value; ``defaults`` are Python objects, ``positional`` the positional-only names."""

    description: str
    parameters: dict[str, Any]
    adapter: TypeAdapter[Any]
    defaults: dict[str, Any]
    positional: tuple[str, ...]


def describe(name: str, fn: Callable[..., Any]) -> Described:
    """Return the declaration that a function's signature and docstring give.

    Arguments are validated as a TypedDict: a model would reserve names such as ``json`` and ``model_config``.
    Raises ValueError, naming the parameter, for what can't be declared.
    """
    description, notes = read_docstring(_docstring(fn))
    signature = _signature(name, fn)
    fields, defaults = _fields(name, fn, signature)
    adapter, raw = _adapter(name, fields, defaults)
    for parameter in fields:
        if parameter not in raw.get("properties", {}):
            raise ValueError(f"tool {name}: the parameter {parameter} can't have an alias; rename the parameter")
        if parameter in notes:
            raw["properties"][parameter].setdefault("description", notes[parameter])
    schema = tidy(raw)
    for parameter, values in schema["properties"].items():
        values.pop("default", None)
        if parameter in defaults:
            _show_default(values, defaults[parameter], schema.get("$defs", {}))
    positional = tuple(key for key in fields if signature[key].kind is inspect.Parameter.POSITIONAL_ONLY)
    return Described(description, schema, adapter, defaults, positional)


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description and the descriptions of the parameters (Google, NumPy or Sphinx style)."""
    if not _PARAMETER_SECTION.search(text):
        return text.strip(), {}
    from docstring_parser import parse

    parsed = parse(text)
    description = "\n\n".join(part for part in (parsed.short_description, parsed.long_description) if part)
    told = [(p.arg_name, " ".join(p.description.split())) for p in parsed.params if p.description]
    return description, {name.strip(): text for names, text in told for name in names.split(",")}  # NumPy: "x, y"


def _docstring(fn: Callable[..., Any]) -> str:
    return inspect.cleandoc(called(fn).__doc__ or innermost(fn).__doc__ or "")


def _signature(name: str, fn: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters that are left to the caller, each with a name and a place of its own."""
    if inspect.isclass(innermost(fn)):
        raise ValueError(f"tool {name}: a class can't be declared; give a function that makes the object")
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        raise ValueError(f"tool {name}: the function does not tell its parameters; wrap it in one that does") from None
    bound = fn.keywords if isinstance(fn, functools.partial) else {}
    for position, (key, parameter) in enumerate(parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"tool {name}: {str(parameter).partition(':')[0]} can't be declared; name each parameter")
        if position == 0 and key in ("self", "cls"):
            raise ValueError(f"tool {name}: a method is declared on its object: Tool.from_function(thing.{name})")
    return {key: parameter for key, parameter in parameters.items() if key not in bound}


def _fields(
    name: str, fn: Callable[..., Any], signature: Mapping[str, inspect.Parameter]
) -> tuple[dict[str, Any], dict[str, Any]]:
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    known = getattr(inspect.unwrap(called(fn)), "__globals__", {})
    for key, parameter in signature.items():
        hint = Any if parameter.annotation is parameter.empty else _resolved(name, key, parameter.annotation, known)
        if isinstance(parameter.default, FieldInfo):  # x: int = Field(3, ge=1)
            hint = Annotated[hint, parameter.default]
        fields[key] = hint
        told = _told_defaults(name, hint, parameter)
        # The adapter fills in a Field's default by itself, so a second one would depend on who fills in.
        if any(value is not told[-1] and value != told[-1] for value in told):
            raise ValueError(f"tool {name}: the parameter {key} has two defaults, one of them in its Field")
        if told:
            defaults[key] = told[-1]
    return fields, defaults


def _resolved(name: str, key: str, annotation: Any, known: dict[str, Any]) -> Any:
    """Return an annotation that may be text, or hold text, read where its function is defined."""

    def holder() -> None: ...

    holder.__annotations__ = {key: annotation}
    try:
        return get_type_hints(holder, globalns=known, include_extras=True)[key]
    except NameError as problem:
        raise ValueError(
            f"tool {name}: the type {problem.name} of the parameter {key} is not known where the function is defined; "
            "define or import it at the top of the module"
        ) from None
    except Exception:  # the text may be no Python, or an expression that fails
        raise ValueError(f"tool {name}: the annotation of the parameter {key} can't be read") from None


def _told_defaults(name: str, hint: Any, parameter: inspect.Parameter) -> list[Any]:
    """Return the defaults of a parameter: of each Field in its annotation, then of the signature."""
    infos = [info for info in getattr(hint, "__metadata__", ()) if isinstance(info, FieldInfo)]
    try:
        told = [
            info.get_default(call_default_factory=True, validated_data={}) if info.default_factory else info.default
            for info in infos
        ]
    except Exception as problem:
        raise ValueError(
            f"tool {name}: the default_factory of the parameter {parameter.name} raises {type(problem).__name__}"
        ) from None
    if parameter.default is not parameter.empty and not isinstance(parameter.default, FieldInfo):
        told.append(parameter.default)
    return [value for value in told if value is not PydanticUndefined]


def _adapter(name: str, fields: dict[str, Any], defaults: dict[str, Any]) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    try:
        return _typed_dict(name, fields, defaults)
    except Exception as problem:  # pydantic has many; the question is only which parameter it was
        for key, hint in fields.items():
            try:
                _typed_dict(name, {key: hint}, defaults)
            except Exception as cause:
                raise ValueError(f"tool {name}: the parameter {key} can't be declared: {_reason(cause)}") from None
        raise ValueError(f"tool {name}: the parameters can't be declared together: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    if isinstance(problem, NoCallFits):
        return str(problem)
    if isinstance(problem, NameError):  # pydantic's own is one too
        return f"the type {problem.name} in it is not known where it is defined; define or import it at the top"
    if isinstance(problem, PydanticUserError) and problem.code == "class-not-fully-defined":
        return "its class holds a type that is not known where it is defined; define or import that at the top"
    if isinstance(problem, PydanticUserError) and problem.code == "typed-dict-version":
        return "before Python 3.12, take TypedDict from typing_extensions"
    return (
        "JSON Schema can't describe its type with these bounds; use str, int, float, bool, date, Enum, Literal, "
        "list, dict, a dataclass or a model"
    )


def _typed_dict(name: str, fields: dict[str, Any], defaults: dict[str, Any]) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    kinds = {key: NotRequired[hint] if key in defaults else Required[hint] for key, hint in fields.items()}
    arguments = TypedDict(f"{name}_arguments", kinds)  # type: ignore[misc]
    # python-re: Python's own patterns, so that lookarounds work here as they do in the other validators
    arguments.__pydantic_config__ = ConfigDict(extra="forbid", regex_engine="python-re")  # type: ignore[attr-defined]
    adapter: TypeAdapter[Any] = TypeAdapter(arguments)
    schema = adapter.json_schema(schema_generator=Generator)
    if _holds_nan(schema):
        raise ValueError("a bound is not a number")  # JSON can't say it, and every call would be refused
    return adapter, schema


def _holds_nan(part: Any) -> bool:
    if isinstance(part, dict):
        return any(map(_holds_nan, part.values()))
    return any(map(_holds_nan, part)) if isinstance(part, list) else isinstance(part, float) and math.isnan(part)


def _show_default(schema: dict[str, Any], default: Any, definitions: dict[str, Any]) -> None:
    """Show a default in the schema where JSON can say it and the parameter's own type admits it."""
    if isinstance(default, (set, frozenset)):
        default = sorted(default, key=repr)  # the same in every run
    try:
        value = json.loads(json.dumps(to_jsonable_python(default), allow_nan=False))
    except Exception:  # a default that JSON can't say stays a default of the function
        return
    if admits(schema, value, {"$defs": definitions}):
        schema["default"] = value
