"""From a source text to the one tool that it declares, or to a sentence that says why there is none. Chapter 02.

    >>> with module_for_source() as module:
    ...     tool_in("def roll(sides: int = 6): ...", module)
    Tool(roll: sides)

Acts: it executes the source. Does not: limit it in time, show a traceback or a message of Python's.
"""

from __future__ import annotations

import ast
import builtins
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import CodeType, FrameType, ModuleType, TracebackType

from labkit.calls import many, quote
from labkit.declare import Tool

FILE = "<declaration>"
MODULE = "labkit_declaration"
# They print, ask or leave; what they do would land in whichever cell runs.
LEFT_OUT = ("input", "breakpoint", "help", "exit", "quit", "copyright", "credits", "license")

_READING = Lock()


class NotDeclared(ValueError):
    """A source declares no tool. Its text is a sentence for the learner; ``line`` counts from 1, None for the whole."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence if line is None else f"line {line}: {sentence}")
        self.line = line


@contextmanager
def module_for_source() -> Iterator[ModuleType]:
    """Give a source a module while it is read, one source at a time.

    Text in annotations names classes, and they are looked up in the module by its name.
    """
    module = ModuleType(MODULE)
    kept = {name: value for name, value in vars(builtins).items() if name not in LEFT_OUT}
    vars(module).update(__builtins__=kept | {"print": lambda *values, **options: None})
    with _READING:
        sys.modules[MODULE] = module
        try:
            yield module
        finally:
            sys.modules.pop(MODULE, None)


def tool_in(source: str, module: ModuleType) -> Tool:
    """Execute a source in a module and return the one tool that it declares, or whose function it defines.

    Raises NotDeclared with one sentence, and the line where there is one. Interrupts come through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a string, a field that hides another: no faults here
        tree, code = _parsed(source)
        _define(code, module)
        return _declare(*_one_function(tree, module), module)


def _one_function(tree: ast.Module, module: ModuleType) -> tuple[str, int]:
    found = {name: line for name, line in _functions(tree) if name in vars(module)}
    if not found:
        raise NotDeclared("no function is defined here; begin one with def")
    if len(found) > 1:
        listed = ", ".join(f"{name} (line {line})" for name, line in found.items())
        raise NotDeclared(f"{many(len(found), 'function')} are defined, {listed}; begin the names of helpers with _")
    return next(iter(found.items()))


def _declare(name: str, line: int, module: ModuleType) -> Tool:
    value = vars(module)[name]
    try:
        return value if isinstance(value, Tool) else Tool.from_function(value)
    except Exception as problem:
        raise NotDeclared(sentence(problem), line) from None


def _parsed(source: str) -> tuple[ast.Module, CodeType]:
    """Return the tree of a source, which tells where its functions are, and its code."""
    try:
        tree = ast.parse(source, FILE)
        return tree, compile(tree, FILE, "exec", dont_inherit=True)  # the __future__ import above is not the source's
    except SyntaxError as problem:
        lines, line = source.splitlines(), problem.lineno or 1
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        raise NotDeclared(f"this is not Python: {quote(text)}" if text else "this is not Python", line) from None
    except (ValueError, RecursionError, MemoryError):
        raise NotDeclared("this is not Python: it holds a character or a nesting that no source may have") from None


def _define(code: CodeType, module: ModuleType) -> None:
    """Run the definitions of a source in its module."""
    try:
        exec(code, vars(module))
    except (Exception, SystemExit, GeneratorExit) as problem:
        raise NotDeclared(sentence(problem), line_of(problem.__traceback__)) from None


def _functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the public functions that a source defines for all to see, also under an ``if``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("_"):
                yield node.name, node.lineno
        elif not isinstance(node, ast.ClassDef | ast.Lambda):
            yield from _functions(node)


# ---- what went wrong, in our own words ----


def sentence(problem: BaseException) -> str:
    """Return what was raised while a source declares its tool, in our own words."""
    if _is_ours(problem):
        return str(problem)
    if isinstance(problem, ModuleNotFoundError) and problem.name:
        return f"there is no module {problem.name}"
    if isinstance(problem, NameError) and problem.name:
        return f"the name {problem.name} is not known here; import it, or define it above"
    return f"this raises {type(problem).__name__} while the function is being declared"


def _is_ours(problem: BaseException) -> bool:
    """Say whether labkit itself refused: then the message is in words for a learner."""
    innermost = list(_frames(problem.__traceback__))[-1:]
    return isinstance(problem, ValueError | TypeError) and any(
        frame.f_globals.get("__name__", "").startswith("labkit.") for frame, _ in innermost
    )


def line_of(trace: TracebackType | None) -> int | None:
    """Return the last line of the source that a traceback goes through."""
    lines = [line for frame, line in _frames(trace) if frame.f_code.co_filename == FILE]
    return lines[-1] if lines else None


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
