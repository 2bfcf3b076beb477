"""Calculating: the value of a syntax tree, as a decimal number.

For all chapters. Pure.

    >>> from labkit.toolsets.everyday.expression import read
    >>> evaluate(read("-7 // 2"), own_context(50))
    Decimal('-4')

Numbers are taken from the text as written, never through a binary float. All work goes through the methods of a
context of our own, because Python's operators on decimals would use the thread's.

Does not: read text, write results.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, Overflow, Underflow
from typing import Any, NamedTuple

from labkit.toolsets.everyday.expression import MAX_DIGITS, Parsed, Wrong

MAX_EXPONENT = 1000
_ZERO = Decimal(0)


def evaluate(parsed: Parsed, context: Context) -> Decimal:
    """Return the value; the context's flags then say whether anything was rounded.

    Raises Wrong for what has no result, and Overflow, Underflow or InvalidOperation beyond the context's bounds.
    """
    return _value(parsed.tree, parsed.text, context)


def own_context(digits: int) -> Context:
    """Return a context that takes nothing from the thread's, whose numbers have at most 1,000 places each way."""
    return Context(digits, ROUND_HALF_EVEN, -999, 999, 1, 0, [], [InvalidOperation, Overflow, Underflow])


def _value(node: ast.expr, text: str, context: Context) -> Decimal:
    match node:
        case ast.Constant():
            return context.create_decimal(text[node.col_offset : node.end_col_offset])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return context.minus(_value(operand, text, context))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, text, context)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](context, _value(left, text, context), _value(right, text, context))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, [_value(argument, text, context) for argument in arguments], context)
        case ast.Call():
            raise Wrong("a bracket does not multiply: write * before it")
        case ast.Name(id=name):
            raise Wrong(f"{name} is a function: write {name}(…)")
        case ast.Tuple(elts=[]):
            raise Wrong("a pair of brackets is empty")
        case ast.Tuple():
            raise Wrong("a comma stands only between the numbers of a function; write 1000, not 1,000")
        case _:
            raise Wrong("an operator stands where a number should")


def _divide(context: Context, left: Decimal, right: Decimal) -> Decimal:
    return context.divide(left, _divisor(right))


def _floor_divide(context: Context, left: Decimal, right: Decimal) -> Decimal:
    """Round down, as Python's // does; the decimal module's own rounds towards zero."""
    quotient = context.divide_int(left, _divisor(right))
    return context.subtract(quotient, Decimal(1)) if _signs_differ(context, left, right) else quotient


def _modulo(context: Context, left: Decimal, right: Decimal) -> Decimal:
    """Take the sign of the divisor, as Python's % does; the decimal module's own takes the dividend's."""
    rest = context.remainder(left, _divisor(right))
    return context.add(rest, right) if _signs_differ(context, left, right) else rest


def _signs_differ(context: Context, left: Decimal, right: Decimal) -> bool:
    rest = context.remainder(left, right)
    return bool(rest) and (rest < 0) != (right < 0)


def _divisor(value: Decimal) -> Decimal:
    if not value:
        raise Wrong("division by zero")
    return value


def _power(context: Context, base: Decimal, exponent: Decimal) -> Decimal:
    """Raise to a power; the bounds are judged first, so the work is bounded too."""
    if exponent.copy_abs() > MAX_EXPONENT:
        raise Wrong(f"an exponent is too large: it may go from -{MAX_EXPONENT} to {MAX_EXPONENT}")
    if not base and exponent <= 0:
        raise Wrong("0 can be raised to positive powers only")
    if base < 0 and not _is_whole(exponent):
        raise Wrong("a negative number can be raised to whole powers only")
    return context.power(base, exponent)


def _is_whole(value: Decimal) -> bool:
    return value == value.to_integral_value(rounding=ROUND_HALF_EVEN)


_OPERATORS: dict[type[ast.operator], Callable[[Context, Decimal, Decimal], Decimal]] = {
    ast.Add: Context.add,
    ast.Sub: Context.subtract,
    ast.Mult: Context.multiply,
    ast.Div: _divide,
    ast.FloorDiv: _floor_divide,
    ast.Mod: _modulo,
    ast.Pow: _power,
}


class _Function(NamedTuple):
    compute: Callable[..., Decimal]
    takes: str
    least: int
    most: int | None


def _call(name: str, values: list[Decimal], context: Context) -> Decimal:
    function = _FUNCTIONS[name]
    if len(values) < function.least or (function.most is not None and len(values) > function.most):
        raise Wrong(f"{name} takes {function.takes}, not {len(values)}")
    return function.compute(context, *values)


def _sqrt(context: Context, value: Decimal) -> Decimal:
    if value < 0:
        raise Wrong("a negative number has no square root")
    return context.sqrt(value)


def _round(context: Context, value: Decimal, places: Decimal = _ZERO) -> Decimal:
    if not _is_whole(places) or places.copy_abs() > MAX_DIGITS:
        raise Wrong(f"round takes a whole number of places, from -{MAX_DIGITS} to {MAX_DIGITS}")
    last = -int(places)
    exponent: Any = value.as_tuple().exponent
    if exponent >= last:
        return value
    # a fresh context: rounding that was asked for does not make the result an inexact one
    return value.quantize(Decimal((0, (1,), last)), context=own_context(MAX_DIGITS))


_FUNCTIONS = {
    "abs": _Function(Context.abs, "1 number", 1, 1),
    "max": _Function(lambda _, *values: max(values), "1 number or more", 1, None),
    "min": _Function(lambda _, *values: min(values), "1 number or more", 1, None),
    "round": _Function(_round, "1 or 2 numbers", 1, 2),
    "sqrt": _Function(_sqrt, "1 number", 1, 1),
}
