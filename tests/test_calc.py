"""The calculator: exact where it can be, bounded always, and never an exception."""

from __future__ import annotations

import decimal
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.calls import Failure
from labkit.toolsets.everyday.calc import calc

PIECES = "0 1 2 7 10 0.5 .25 3. 1e3 1e-3 9e99 + - * / // % ** ( ) , abs( max( round( sqrt( [ ] . x 'a' == :="


def reason(expression: str) -> str:
    answer = calc(expression)
    assert isinstance(answer, Failure), f"{expression!r} gave {answer}"
    assert answer.code == "failed"
    assert answer.suggestion and "abs, max, min, round, sqrt" in answer.suggestion
    return answer.reason


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("31.2 - 26.5", "4.7"),
        ("(26.5 - 18.2) * 2", "16.6"),
        ("0.1 + 0.2", "0.3"),
        ("1.10 * 1", "1.1"),
        ("1000 * 1", "1000"),
        ("1e3", "1000"),
        ("0 * -1", "0"),
        ("-2 ** 2", "-4"),
        ("2 ** 3 ** 2", "512"),
        ("2 ** -2", "0.25"),
        ("2 ** 100", str(2**100)),
        ("1.1 ** 10", "2.5937424601"),
        ("100 / 3", "33.33333333333333333333333333"),
        ("1 / 3 * 3", "1"),
        ("sqrt(2) ** 2", "2"),
        ("4 ** 0.5", "2"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 % -3", "-2"),
        ("+5 - -3", "8"),
        (" 1\n+\t1 ", "2"),
        ("\u22123 \u00d7 2 \u00f7 4", "-1.5"),
        ("abs(-3.50)", "3.5"),
        ("max(1, 2.5, -3) + min(4, 2)", "4.5"),
        ("round(2.675, 2)", "2.68"),
        ("round(2.5)", "2"),
        ("round(1234, -2)", "1200"),
        ("round(5, 3)", "5"),
        ("round(12345678901234567890123456789012.4)", "12345678901234567890123456789012"),
        ("2 ** 1000", "1.071508607186267320948425049E+301"),
        ("1e-30", "1E-30"),
    ],
)
def test_answers(expression: str, expected: str) -> None:
    assert calc(expression) == expected


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("1 +", "missing or misplaced"),
        ("1 2", "missing or misplaced"),
        ("007", "missing or misplaced"),
        ("(1 + 1", "1 closing bracket is missing"),
        ("((((", "4 closing brackets are missing"),
        ("1)", "no opening one"),
        ("()", "empty"),
        ("x + 1", '"x" is not known'),
        ("__import__('os').system('ls')", '"__import__" is not known'),
        ("(1).real", "no attributes"),
        ("(1).__class__", "no attributes"),
        ("1 << 99999999", "shifts"),
        ("1 == 1", "comparisons"),
        ("1 < 2", "comparisons"),
        ("(1 := 2)", "assignments"),
        ("(a := 2)", '"a" is not known'),
        ("'a' * 999999999", "text is not a number"),
        ('"a"', "text is not a number"),
        ("b'1'", '"b" is not known'),
        ("f'{1}'", '"f" is not known'),
        ("[1, 2]", "round brackets"),
        ("{1: 2}", "round brackets"),
        ("2 ^ 3", "write **"),
        ("~1", "operators on bits"),
        ("1 if 1 else 2", '"if" is not known'),
        ("lambda: 1", '"lambda" is not known'),
        ("not 1", '"not" is not known'),
        ("1_000", '"_000" is not known'),
        ("0x10", '"x10" is not known'),
        ("1j", '"j" is not known'),
        ("NaN", '"NaN" is not known'),
        ("1,000", "write 1000, not 1,000"),
        ("2(3)", "write * before it"),
        ("abs", "write abs(…)"),
        ("max(*1)", "where a number should"),
        ("abs()", "abs takes 1 number, not 0"),
        ("round(1, 2, 3)", "round takes 1 or 2 numbers, not 3"),
        ("max()", "max takes 1 number or more, not 0"),
        ("round(1.5, 0.5)", "whole number of places"),
        ("round(1.5, 999999)", "whole number of places"),
        ("20 °C", "units"),
        ("\uff11 + 1", "has no meaning"),
        ("1;2", "has no meaning"),
        ("\x00", "has no meaning"),
        ("\ud800", "has no meaning"),
        ("1 / 0", "division by zero"),
        ("0 / 0", "division by zero"),
        ("1 // 0.0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("0 ** 0", "positive powers only"),
        ("0 ** -1", "positive powers only"),
        ("(-8) ** 0.5", "whole powers only"),
        ("sqrt(-1)", "no square root"),
    ],
)
def test_refusals_name_what_is_wrong(expression: str, named: str) -> None:
    assert named in reason(expression)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("9**9**9", "exponent is too large"),
        ("9**9**9**9**9", "exponent is too large"),
        ("2 ** 1e300", "exponent is too large"),
        ("2 ** -1001", "exponent is too large"),
        ("1e999999999", "too large"),
        ("1e" + "9" * 190, "too large"),
        ("10 ** 999 * 10", "too large"),
        ("1e-999999999", "too small"),
        ("0.1 ** 1000 * 0.3 ** 100 / 7 ** 1000", "too small"),
        ("1e60 // 7", "quotient is too large"),
        ("1e60 % 7", "quotient is too large"),
        ("9" * 51, "more than 50 digits"),
        ("0." + "1" * 50, "more than 50 digits"),
        ("(" * 99 + "1" + ")" * 99, "30 deep"),
        ("1" + "+1" * 100, "201 characters"),
        ("1" * 10_000_000, "10000000 characters"),
    ],
)
def test_bounds_are_judged_before_the_work(expression: str, named: str) -> None:
    tracemalloc.start()
    try:
        assert named in reason(expression)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000, "no big number was ever made"


@pytest.mark.parametrize("expression", ["-" * 199 + "1", "1" + "+1" * 99, "(" * 30 + "1" + ")" * 30, "9" * 50])
def test_what_just_fits_is_calculated(expression: str) -> None:
    assert calc(expression) == str(eval(expression))  # a fixed text of this test


def leaf() -> st.SearchStrategy[tuple[str, Fraction]]:
    numbers = st.decimals(min_value=0, max_value=9999, places=2)
    return numbers.map(lambda number: (str(number), Fraction(number)))


def node(children: st.SearchStrategy[tuple[str, Fraction]]) -> st.SearchStrategy[tuple[str, Fraction]]:
    meaning: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
    }
    return st.tuples(children, st.sampled_from(sorted(meaning)), children).map(
        lambda t: (f"({t[0][0]} {t[1]} {t[2][0]})", meaning[t[1]](t[0][1], t[2][1]))
    )


trees = st.recursive(leaf(), node, max_leaves=8)


@given(trees)
def test_sums_and_products_are_exact(tree: tuple[str, Fraction]) -> None:
    text, value = tree
    answer = calc(text)
    assert isinstance(answer, str)
    assert Fraction(answer) == value


whole = st.integers(-(10**15), 10**15)


@given(whole, whole.filter(bool))
def test_floor_division_and_remainder_are_those_of_python(a: int, b: int) -> None:
    assert calc(f"({a}) // ({b})") == str(a // b)
    assert calc(f"({a}) % ({b})") == str(a % b)


@given(whole, whole.filter(bool))
def test_quotients_are_right_to_28_digits(a: int, b: int) -> None:
    answer = calc(f"({a}) / ({b})")
    assert isinstance(answer, str)
    exact = Fraction(a, b)
    assert abs(Fraction(answer) - exact) <= abs(exact) * Fraction(1, 10**27)


@given(st.integers(-9, 9).filter(bool), st.integers(0, 50))
def test_powers_of_digits_are_exact(base: int, exponent: int) -> None:
    assert calc(f"({base}) ** {exponent}") == str(base**exponent)


texts = (
    st.text(max_size=300)
    | st.text("0123456789.eE+-*/%(), abs", max_size=300)
    | st.lists(st.sampled_from(PIECES.split()), max_size=60).map(" ".join)
)


@settings(max_examples=400, deadline=2000)
@given(texts)
def test_any_text_gets_a_short_number_or_a_reason(text: str) -> None:
    answer = calc(text)
    if isinstance(answer, Failure):
        assert answer.reason and len(answer.reason) < 160
        assert "Traceback" not in answer.reason and "decimal." not in answer.reason
    else:
        assert Decimal(answer).is_finite()
        assert len(answer) < 120


def test_the_threads_own_decimal_context_is_neither_used_nor_touched() -> None:
    with decimal.localcontext() as mine:
        mine.prec = 3
        mine.rounding = decimal.ROUND_UP
        mine.capitals = 0
        for signal in mine.traps:
            mine.traps[signal] = True
        before = repr(mine)
        assert calc("1 / 3 + round(12345.678, 1) - abs(-0.1)") == "12345.93333333333333333333333"
        assert calc("123456 % 1000") == "456"
        assert calc("2 ** 1000") == "1.071508607186267320948425049E+301"
        assert "division by zero" in reason("1 / 0")
        assert repr(decimal.getcontext()) == before
