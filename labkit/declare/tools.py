"""A tool: a function with its declaration. A value; nothing about a run is kept on it.

Chapter 02.

    >>> Tool.from_schema("ping", "Say pong.", {"type": "object"}, lambda: "pong").definition()["function"]["name"]
    'ping'

Does not: validate arguments, run anything but a direct call, know other tools.
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, overload

from labkit.calls import quote
from labkit.declare.callables import function_name, is_async, yields

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LEGAL_NAME = "[a-zA-Z0-9_-]{1,64}"
OPTIONS = ("readonly", "parallel_safe", "timeout", "run_in", "touches", "check")
Touches = Callable[[dict[str, Any]], Iterable[str | PurePath] | None]
Check = Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tool:
    """A declared function. Callable like the function itself.

    ``timeout`` is in seconds; None means no limit. ``touches`` maps validated values to resource keys, None meaning
    everything. ``check`` maps them to None or to a sentence: the rule that needs several values at once.
    ``original_name`` is the name before it was made legal; ``notes`` says what was changed in a ready-made schema.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    fn: Callable[..., Any]
    readonly: bool = False
    parallel_safe: bool = False
    timeout: float | None = 10.0
    run_in: Literal["thread", "process"] = "thread"
    touches: Touches | None = None
    check: Check | None = None
    original_name: str = ""
    notes: tuple[str, ...] = ()
    adapter: TypeAdapter[Any] | None = field(default=None, repr=False)
    defaults: dict[str, Any] = field(default_factory=dict, repr=False)
    positional: tuple[str, ...] = ()
    is_async: bool = False

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], name: str | None = None, description: str | None = None, **options: Any
    ) -> Tool:
        """Declare a function: its signature gives the schema, its docstring the descriptions.

        Raises ValueError where the name is not legal or a parameter can't be declared, TypeError for what is no
        function and for an unknown option.
        """
        fn = _function(fn)
        from labkit.declare.signature import describe  # loads the larger part of pydantic

        name = function_name(fn) if name is None else name
        _check_name(name)
        told = describe(name, fn)
        return cls._make(
            name,
            told.description if description is None else description,
            fn,
            options,
            parameters=told.parameters,
            adapter=told.adapter,
            defaults=told.defaults,
            positional=told.positional,
        )

    @classmethod
    def from_schema(
        cls, name: str, description: str, parameters: dict[str, Any], fn: Callable[..., Any], **options: Any
    ) -> Tool:
        """Declare a function with a ready-made JSON Schema, whose well-known misspellings are put right.

        ``notes`` and ``lint`` say what was changed. Raises ValueError where the schema can't be read or the function
        does not fit it, TypeError for what is no function and for an unknown option.
        """
        from labkit.declare.ready_made import legal_name, normalise_schema

        fn = _function(fn)
        if not isinstance(name, str):
            raise TypeError(f"the name of a tool is text, not {quote(name)}")
        sent = legal_name(name)
        try:
            schema, notes = normalise_schema(parameters)
        except ValueError as problem:
            raise ValueError(f"tool {sent}: {problem}") from None
        if sent != name:
            notes = [f"the name {quote(name)} is sent as {quote(sent)}", *notes]
        notes += _misfits(sent, fn, schema)
        return cls._make(sent, description, fn, options, parameters=schema, original_name=name, notes=tuple(notes))

    @classmethod
    def _make(cls, name: str, description: str, fn: Callable[..., Any], options: dict[str, Any], **told: Any) -> Tool:
        if not isinstance(description, str):
            raise TypeError(f"the description of tool {name} is text, not {quote(description)}")
        _check_options(name, options)
        if options.get("parallel_safe") is None:
            options = options | {"parallel_safe": options.get("readonly", False)}
        if yields(fn):
            raise ValueError(f"tool {name}: a function that yields can't be declared; return a list")
        awaited = is_async(fn)
        if awaited and options.get("run_in") == "process":
            raise ValueError(f"tool {name}: an async function runs on the event loop, it can't run in a process")
        return cls(
            name=name, description=description, fn=fn, is_async=awaited, **{"original_name": name} | told, **options
        )

    def __post_init__(self) -> None:
        _check_name(self.name)
        # Frozen for everybody else; these make help(), inspect and editors see the function.
        shown: dict[str, Any] = {
            key: getattr(self.fn, key) for key in functools.WRAPPER_ASSIGNMENTS if hasattr(self.fn, key)
        }
        self.__dict__.update(shown, __wrapped__=self.fn)

    def definition(self, strict: bool = False) -> dict[str, Any]:
        """Return a fresh copy of the declaration in the format of OpenAI's ``tools`` list.

        ``strict=True`` makes every optional parameter a nullable one; raises ValueError where the schema
        can't be made strict.
        """
        function: dict[str, Any] = {"name": self.name, "description": self.description}
        if strict:
            from labkit.declare.strict import strict_schema

            return {"type": "function", "function": function | {"parameters": strict_schema(self), "strict": True}}
        return {"type": "function", "function": function | {"parameters": copy.deepcopy(self.parameters)}}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, unvalidated. What is not given gets its declared default, also one given by a Field."""
        if self.defaults:
            given = inspect.signature(self.fn).bind_partial(*args, **kwargs).arguments
            missing = self.defaults.keys() - given.keys() - set(self.positional)
            kwargs |= {name: self.defaults[name] for name in missing}
        return self.fn(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name}: {', '.join(self.parameters['properties']) or 'no parameters'})"


def _function(fn: Any) -> Callable[..., Any]:
    """Return the function to declare; one that is declared already is taken out of its tool."""
    if isinstance(fn, Tool):
        return fn.fn
    if not callable(fn):
        raise TypeError(f"a tool is made of a function, not of {quote(fn)}")
    return fn  # type: ignore[no-any-return]


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(LEGAL_NAME, name):
        raise ValueError(
            f"the tool name {quote(name)} is not legal: 1 to 64 letters of a-z, A-Z, 0-9, _ and -. "
            'Give one with name="…"'
        )


def _check_options(name: str, options: dict[str, Any]) -> None:
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise TypeError(f"tool {name}: there is no option {', '.join(unknown)}; known: {', '.join(OPTIONS)}")
    timeout = options.get("timeout")
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0 < timeout < math.inf):
        raise ValueError(f"tool {name}: timeout must be a positive number of seconds or None, not {quote(timeout)}")
    if options.get("run_in", "thread") not in ("thread", "process"):
        raise ValueError(f'tool {name}: run_in must be "thread" or "process", not {quote(options["run_in"])}')
    for option in ("touches", "check"):
        if options.get(option) is not None and not callable(options[option]):
            raise TypeError(f"tool {name}: {option} must be a function of the values, not {quote(options[option])}")


def _misfits(name: str, fn: Callable[..., Any], schema: dict[str, Any]) -> list[str]:
    """Refuse a function that can never take its schema's arguments; say which it needs although they may be missing."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some built-in functions tell nothing about themselves
        return []
    properties = schema["properties"]
    try:
        signature.bind(**dict.fromkeys(properties))
    except TypeError:
        raise ValueError(
            f"tool {name}: its function takes {signature}, but the schema gives it, by name, "
            f"{', '.join(properties) or 'nothing'}"
        ) from None
    sure = {
        *schema["required"],
        *(key for key, part in properties.items() if isinstance(part, dict) and "default" in part),
    }
    needed = [key for key, p in signature.parameters.items() if p.default is p.empty and key in properties]
    return [f"{key}: the function needs it, but the schema does not require it" for key in needed if key not in sure]


@overload
def tool(fn: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(fn: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Declare the function below, with or without options: ``@tool`` or ``@tool(readonly=True)``.

    Options: ``name``, ``description``; ``readonly`` (False), ``parallel_safe`` (None: the same as ``readonly``),
    ``timeout`` (10.0 seconds; None: no limit), ``run_in`` (``thread`` or ``process``), ``touches`` and ``check``, as
    ``Tool`` describes them.
    """
    if fn is None:
        return functools.partial(Tool.from_function, **options)
    return Tool.from_function(fn, **options)
