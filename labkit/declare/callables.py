"""What a callable is behind its wrappings: a partial, a method, an object that can be called. Pure. Chapter 02."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def function_name(fn: Callable[..., Any]) -> str:
    """Return the name under which a callable is declared: a function's own, or its class's."""
    inner = innermost(fn)
    return getattr(inner, "__name__", None) or type(inner).__name__


def is_async(fn: Callable[..., Any]) -> bool:
    """Say whether a call gives a coroutine: of an async function, a partial of one, or an object called so."""
    return inspect.iscoroutinefunction(called(fn))


def yields(fn: Callable[..., Any]) -> bool:
    """Say whether a call gives a generator, which is no result: nothing of the function has run by then."""
    return inspect.isgeneratorfunction(called(fn)) or inspect.isasyncgenfunction(called(fn))


def innermost(fn: Callable[..., Any]) -> Any:
    """Return what is inside a partial, or inside several."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def called(fn: Callable[..., Any]) -> Any:
    """Return the function that a call ends in: the method ``__call__`` of an object, the inside of a partial."""
    inner = innermost(fn)
    return inner if inspect.isroutine(inner) else type(inner).__call__
