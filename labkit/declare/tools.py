"""A tool: a function with its declaration. A value; nothing about a run is kept on it."""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, overload

from labkit.calls import quote
from labkit.declare.ready_made import legal_name, normalise_schema
from labkit.declare.signature import describe, function_name
from labkit.declare.strict import strict_schema

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LEGAL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
Touches = Callable[[dict[str, Any]], Iterable[str | PurePath] | None]
Check = Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True, eq=False, kw_only=True)
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

        Raises ValueError where the name is not legal or an annotation can't be described in JSON Schema.
        """
        name = name or function_name(fn)
        if not LEGAL_NAME.fullmatch(name):
            raise ValueError(
                f"the tool name {quote(name)} is not legal: 1 to 64 letters of a-z, A-Z, 0-9, _ and -. "
                'Give one with name="…"'
            )
        told = describe(name, fn)
        return cls._make(
            fn,
            options,
            name=name,
            description=description or told.description,
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

        ``notes`` and ``lint`` say what was changed. Raises ValueError where the schema is no object's schema.
        """
        schema, notes = normalise_schema(parameters)
        sent = legal_name(name)
        if sent != name:
            notes = [f"the name {quote(name)} is sent as {quote(sent)}", *notes]
        _accepts(fn, sent, list(schema["properties"]))
        return cls._make(
            fn,
            options,
            name=sent,
            description=description,
            parameters=schema,
            original_name=name,
            notes=tuple(notes),
        )

    @classmethod
    def _make(cls, fn: Callable[..., Any], options: dict[str, Any], **told: Any) -> Tool:
        known = ("readonly", "parallel_safe", "timeout", "run_in", "touches", "check")
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise TypeError(f"a tool has no option {', '.join(unknown)}; known: {', '.join(known)}")
        timeout = options.get("timeout", 10.0)
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds or None, not {timeout!r}")
        if options.get("run_in", "thread") not in ("thread", "process"):
            raise ValueError(f'run_in must be "thread" or "process", not {options["run_in"]!r}')
        if options.get("parallel_safe") is None:
            options = options | {"parallel_safe": options.get("readonly", False)}
        is_async = inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))  # noqa: B004
        if is_async and options.get("run_in") == "process":
            raise ValueError("an async function runs on the event loop; a process tool must be an ordinary function")
        made = cls(fn=fn, is_async=is_async, **{"original_name": told["name"]} | told, **options)
        # Frozen for everybody else; these make help(), inspect and editors see the function.
        shown = {key: getattr(fn, key) for key in functools.WRAPPER_ASSIGNMENTS if hasattr(fn, key)}
        made.__dict__.update(shown, __wrapped__=fn)
        return made

    def definition(self, strict: bool = False) -> dict[str, Any]:
        """Return a fresh copy of the declaration in the format of OpenAI's ``tools`` list.

        ``strict=True`` makes every optional parameter a nullable one; raises ValueError where the schema
        can't be made strict.
        """
        function: dict[str, Any] = {"name": self.name, "description": self.description}
        if strict:
            return {"type": "function", "function": function | {"parameters": strict_schema(self), "strict": True}}
        return {"type": "function", "function": function | {"parameters": copy.deepcopy(self.parameters)}}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name}: {', '.join(self.parameters['properties']) or 'no parameters'})"


def _accepts(fn: Callable[..., Any], name: str, parameters: list[str]) -> None:
    """Refuse a function that can't take its schema's parameters, now and not at the first call."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some built-in functions tell nothing about themselves
        return
    try:
        signature.bind_partial(**dict.fromkeys(parameters))
    except TypeError:
        taken = ", ".join(signature.parameters) or "nothing"
        raise ValueError(
            f"the function of tool {name} does not take all of {', '.join(parameters)} by name; it takes {taken}"
        ) from None


@overload
def tool(fn: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(fn: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Declare the function below, with or without options: ``@tool`` or ``@tool(readonly=True)``."""
    if fn is None:
        return functools.partial(Tool.from_function, **options)
    return Tool.from_function(fn, **options)
