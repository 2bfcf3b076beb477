"""The tool ``calc``: arithmetic on decimals.

For all chapters. Pure: text goes in, text or a Failure comes out.

    >>> calc("31.2 - 26.5")
    '4.7'

A result is text, because a JSON number would become a binary float again. Work is done with 50 digits, and a result
that had to be rounded is shown with 28, so that 1 / 3 * 3 is 1.

Does not: run code, know names or variables, change the thread's decimal context.
"""

from __future__ import annotations

from decimal import Decimal, DecimalException, Inexact, InvalidOperation, Overflow, Underflow
from typing import Annotated

from pydantic import Field

from labkit.calls import Failure
from labkit.toolsets.everyday.arithmetic import evaluate, own_context
from labkit.toolsets.everyday.expression import MAX_CHARACTERS, MAX_DIGITS, Wrong, read

SHOWN_DIGITS = 28
ALLOWED = "allowed are numbers, + - * / // % **, brackets, and abs, max, min, round, sqrt, as in (26.5 - 18.2) * 2"

Expression = Annotated[
    str,
    Field(
        description="Arithmetic in Python's notation, for example (26.5 - 18.2) * 2 or round(100 / 7, 2)",
        min_length=1,
        max_length=MAX_CHARACTERS,
    ),
]


def calc(expression: Expression) -> str | Failure:
    """Calculate an arithmetic expression and return the number as text.

    Decimal and exact where possible: 31.2 - 26.5 is 4.7. Knows + - * / // % ** and brackets, and the functions
    abs, max, min, round (a half goes to the even digit) and sqrt. Knows no variables, units or percentages.
    """
    context = own_context(MAX_DIGITS)
    try:
        value = evaluate(read(expression), context)
        return plain(value, exact=not context.flags[Inexact])
    except Wrong as wrong:
        return Failure(str(wrong), ALLOWED)
    except (DecimalException, RecursionError) as problem:
        return Failure(_OUT_OF_BOUNDS[type(problem)], ALLOWED)


_OUT_OF_BOUNDS: dict[type[Exception], str] = {
    Overflow: "a number or a result is too large: the largest has 1,000 digits before the point",
    Underflow: "a number or a result is too small: it lies closer to 0 than 1e-999",
    InvalidOperation: f"a quotient is too large: // and % work with whole quotients of up to {MAX_DIGITS} digits",
    RecursionError: "the expression is nested too deeply",
}


def plain(value: Decimal, exact: bool) -> str:
    """Return 4.7, not 4.70000; 1000, not 1E+3; a power of ten only beyond the digits that are known."""
    digits = MAX_DIGITS if exact else SHOWN_DIGITS
    context = own_context(digits)
    value = context.normalize(value)
    if not value:
        return "0"
    if -SHOWN_DIGITS <= value.adjusted() < digits:
        return format(value, "f")
    return context.to_sci_string(value)
