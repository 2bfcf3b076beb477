"""From a function's signature to its schema, through pydantic: the types are the one source of truth. Pure."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, get_type_hints

from pydantic import ConfigDict, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python
from typing_extensions import TypedDict

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
    Raises ValueError, naming the parameter, for what JSON Schema can't say.
    """
    description, notes = read_docstring(inspect.getdoc(_innermost(fn)) or "")
    fields, defaults, positional = _fields(name, fn)
    adapter = _adapter(name, fields, defaults)
    schema = tidy(adapter.json_schema())
    for parameter, values in schema["properties"].items():
        if parameter in notes and "description" not in values:
            values["description"] = notes[parameter]
        if parameter in defaults:
            _show_default(values, defaults[parameter])
    return Described(description, schema, adapter, defaults, positional)


def function_name(fn: Callable[..., Any]) -> str:
    """Return the name under which a callable is declared: a function's own, or its class's."""
    inner = _innermost(fn)
    return getattr(inner, "__name__", None) or type(inner).__name__


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description and the descriptions of the parameters (Google, NumPy or Sphinx style)."""
    if not _PARAMETER_SECTION.search(text):
        return text.strip(), {}
    from docstring_parser import parse

    parsed = parse(text)
    description = "\n\n".join(part for part in (parsed.short_description, parsed.long_description) if part)
    return description, {p.arg_name: " ".join(p.description.split()) for p in parsed.params if p.description}


def _innermost(fn: Callable[..., Any]) -> Any:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def _fields(name: str, fn: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    hints = _hints(name, fn)
    bound = fn.keywords if isinstance(fn, functools.partial) else {}
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    positional: list[str] = []
    for key, parameter in inspect.signature(fn).parameters.items():
        if key in bound:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"tool {name}: *{key} can't be declared; give each parameter a name")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(key)
        fields[key], default = _annotation(hints.get(key, Any), parameter.default)
        if default is not PydanticUndefined:
            defaults[key] = default
    return fields, defaults, tuple(positional)


def _hints(name: str, fn: Callable[..., Any]) -> dict[str, Any]:
    inner = _innermost(fn)
    if not inspect.isroutine(inner) and not inspect.isclass(inner):
        inner = type(inner).__call__
    try:
        return get_type_hints(inspect.unwrap(inner), include_extras=True)
    except NameError as problem:
        raise ValueError(
            f"tool {name}: the annotation {problem.name} is not known where the function is defined; "
            "define or import it at the top of the module"
        ) from None


def _annotation(hint: Any, default: Any) -> tuple[Any, Any]:
    """Return a hint and its default; ``x: int = Field(3, ge=1)`` and ``Annotated[int, Field(3)]`` say both."""
    if isinstance(default, FieldInfo):
        return Annotated[hint, default], default.get_default(call_default_factory=True)
    if default is inspect.Parameter.empty:
        return hint, next(
            (m.get_default() for m in getattr(hint, "__metadata__", ()) if isinstance(m, FieldInfo)),
            PydanticUndefined,
        )
    return hint, default


def _adapter(name: str, fields: dict[str, Any], defaults: dict[str, Any]) -> TypeAdapter[Any]:
    try:
        return _typed_dict(name, fields, defaults)
    except Exception:  # pydantic has many; the question is only which parameter it was
        for key, hint in fields.items():
            try:
                _typed_dict(name, {key: hint}, defaults)
            except Exception:
                raise ValueError(
                    f"tool {name}: the type of the parameter {key} can't be described in JSON Schema; "
                    "use str, int, float, bool, date, Enum, Literal, list, dict, a dataclass or a model"
                ) from None
        raise


def _typed_dict(name: str, fields: dict[str, Any], defaults: dict[str, Any]) -> TypeAdapter[Any]:
    kinds = {key: NotRequired[hint] if key in defaults else hint for key, hint in fields.items()}
    arguments = TypedDict(f"{name}_arguments", kinds)  # type: ignore[misc]
    # python-re: Python's own patterns, so that lookarounds work here as they do in the other validators
    arguments.__pydantic_config__ = ConfigDict(extra="forbid", regex_engine="python-re")  # type: ignore[attr-defined]
    adapter: TypeAdapter[Any] = TypeAdapter(arguments)
    adapter.json_schema()
    return adapter


def _show_default(schema: dict[str, Any], default: Any) -> None:
    """Show a default in the schema where JSON can say it and the parameter's own type admits it."""
    schema.pop("default", None)
    try:
        value = to_jsonable_python(default)
    except Exception:  # a default that JSON can't say stays a default of the function
        return
    if isinstance(value, float) and not math.isfinite(value):
        return
    if value is None and "type" in schema and "null" not in schema["type"]:
        return
    schema["default"] = value
