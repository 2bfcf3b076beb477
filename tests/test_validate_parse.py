"""``parse_arguments``: strict JSON, three repairs that guess nothing, and refusals that help."""

from __future__ import annotations

import copy
import json
import math
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import any_texts, arguments, is_json, json_texts, python_objects

from labkit import CallRefused, parse_arguments
from labkit.validate.parse import parse

FENCE = "```"


def refusal(raw: Any, repair: str = "lossless") -> Any:
    with pytest.raises(CallRefused) as caught:
        parse_arguments(raw, repair)  # type: ignore[arg-type]
    return caught.value.error


@pytest.mark.parametrize("repair", ["lossless", "none"])
@pytest.mark.parametrize("raw", [None, "", " ", "\n\t ", "null", " null\n", "\u00a0"])
def test_absent_arguments_are_no_arguments_and_no_repair(raw: str | None, repair: Any) -> None:
    assert parse(raw, repair) == ({}, ())


@pytest.mark.parametrize(
    ("raw", "values", "repairs"),
    [
        (f'{FENCE}json\n{{"days": 2}}\n{FENCE}', {"days": 2}, ("code_fence",)),
        (f'{FENCE}\n{{"days": 2}}\n{FENCE}\n', {"days": 2}, ("code_fence",)),
        (f'{FENCE}{{"days": 2}}{FENCE}', {"days": 2}, ("code_fence",)),
        ('~~~~ JSON \r\n{"days": 2}\r\n~~~~', {"days": 2}, ("code_fence",)),
        (f"{FENCE}json\nnull\n{FENCE}", {}, ("code_fence",)),
        (
            f'{FENCE}\n{{"text": "{FENCE}py\\nx\\n{FENCE}"}}\n{FENCE}',
            {"text": f"{FENCE}py\nx\n{FENCE}"},
            ("code_fence",),
        ),
        (json.dumps('{"days": 2}'), {"days": 2}, ("double_encoding",)),
        (json.dumps(' {"text": "{\\"a\\": 1}"}'), {"text": '{"a": 1}'}, ("double_encoding",)),
        ('{"text": "one\ntwo\tthree\x07"}', {"text": "one\ntwo\tthree\x07"}, ("control_characters",)),
        (json.dumps('{"text": "one\ntwo"}'), {"text": "one\ntwo"}, ("double_encoding", "control_characters")),
        (f'{FENCE}\n{{"text": "a\tb"}}\n{FENCE}', {"text": "a\tb"}, ("code_fence", "control_characters")),
    ],
)
def test_lossless_repairs_are_made_and_named(raw: str, values: dict[str, Any], repairs: tuple[str, ...]) -> None:
    assert parse(raw) == (values, repairs)
    assert refusal(raw, "none").code in ("invalid_json", "schema_validation")


@pytest.mark.parametrize(
    "raw",
    [
        '{"text": "```json\\n{}\\n```"}',
        '{"text": "}{"}',
        '{"text": "{\\"a\\": 1}"}',
        '{"text": "\\ud83d\\ude00 \\u0007"}',
        '{"text": "' + "9" * 5000 + '"}',
        '{"a": {"a": {"a": 1}}}',
        '{"n": 1e-999, "m": ' + "9" * 4300 + "}",
        '{"n": 0.' + "1" * 5000 + "}",
    ],
)
def test_what_only_looks_like_a_fault_is_left_alone(raw: str) -> None:
    assert parse(raw, "lossless") == (json.loads(raw), ())
    assert parse(raw, "none") == (json.loads(raw), ())


# What is wrong, at which line and column, and a word of the hint. Found by our own reading of the text, so it is the
# same on every Python version.
REFUSED = [
    ('Sure: {"a": 1}', "other text stands before the JSON", (1, 1), "one JSON object"),
    (f'Sure:\n{FENCE}json\n{{"a": 1}}\n{FENCE}', "other text stands before the JSON", (1, 1), "one JSON object"),
    ('{"a": 1} thanks', "other text stands after the JSON", (1, 10), "one JSON object"),
    (f'{FENCE}json\n{{"a": 1}}\n{FENCE}\nDone.', "a code fence stands in the text", (1, 1), "without a fence"),
    (f'{FENCE}json\n{{"a": 1}}', "a code fence stands in the text", (1, 1), "without a fence"),
    (f'{FENCE}json\n{{"a": 1,}}\n{FENCE}', "a comma stands before the closing brace", (2, 8), "last comma"),
    ("uptime", "the text is no JSON", (1, 1), "one JSON object"),
    ('\ufeff{"a": 1}', "a byte order mark stands before the JSON", (1, 1), "one JSON object"),
    ('{"a": "Os', "the text ends inside a string", (1, 10), "cut off"),
    ('{"a": "Os\\', "the text ends inside a string", (1, 11), "cut off"),
    ('{"a": "\\u12', "the text ends inside a string", (1, 12), "cut off"),
    ('{"a": 1, ', "the text ends inside an object", (1, 10), "cut off"),
    ('{"a": [1,\n2', "the text ends inside an array", (2, 2), "cut off"),
    ("{'a': 'we''re late'}", "single quotes stand where JSON has double quotes", (1, 2), "double quotes"),
    ("{\"a\": 'b'}", "single quotes stand where JSON has double quotes", (1, 7), "double quotes"),
    ("{“a”: 1}", "typographic quotes stand where JSON has straight ones", (1, 2), "double quotes"),
    ('{"a": True}', "True is not JSON", (1, 7), "lower case"),
    ('{"a": [None]}', "None is not JSON", (1, 8), "lower case"),
    ('{"a": {"b", "c"}}', "a colon is missing after a key", (1, 11), '"key": value'),
    ('{"a": __import__("os")}', '"__import__" is no JSON value', (1, 7), "double quotes"),
    ('{"a": 1,}', "a comma stands before the closing brace", (1, 8), "last comma"),
    ('{"a": 1 ,\n }', "a comma stands before the closing brace", (1, 9), "last comma"),
    ('{"a": [1, ]}', "a comma stands before the closing bracket", (1, 9), "last comma"),
    ('{"a": 1 // one\n}', "a comment stands in the text", (1, 9), "no comments"),
    ('{\n  # one\n  "a": 1}', "a comment stands in the text", (2, 3), "no comments"),
    ('{"a": /* one */ 1}', "a comment stands in the text", (1, 7), "no comments"),
    ('{"a": NaN}', "NaN is not a JSON number", (1, 7), "finite"),
    ('{"a": [-Infinity]}', "-Infinity is not a JSON number", (1, 8), "finite"),
    ('{"a": 1e999}', "the number 1e999 is too large", (1, 7), "1e308"),
    ('{"a": 1, "a": 2}', 'the key "a" stands twice in one object', (1, 10), "once"),
    ('{"x": [{"a": 1, "\\u0061": 2}]}', 'the key "a" stands twice in one object', (1, 17), "once"),
    ('{"a": ' + "9" * 4301 + "}", "an integer of 4,301 digits is too long", (1, 7), "shorter"),
    ('{"a": -' + "9" * 5000, "an integer of 5,000 digits is too long", (1, 7), "shorter"),
    ('{"a": ' + "[" * 100 + "]" * 100 + "}", "more than 100 levels of nesting", (1, 106), "flatter"),
    ("[" * 100_000, "more than 100 levels of nesting", (1, 101), "flatter"),
    ('{"x": 4}{"x": 4}', "a second JSON value follows the first", (1, 9), "one object"),
    ('{"x": 4}\n{"x": 5}', "a second JSON value follows the first", (2, 1), "one object"),
    ('{"x": 4}}', '"}" closes nothing', (1, 9), "one JSON object"),
    ('{"x": [4}', '"[" is closed by "}"', (1, 9), "Close"),
    ('{"a": 01}', "01 is not a JSON number", (1, 7), "0.5"),
    ('{"a": +1}', "+1 is not a JSON number", (1, 7), "0.5"),
    ('{"a": .5}', ".5 is not a JSON number", (1, 7), "0.5"),
    ('{"a": 0x1F}', "0x1F is not a JSON number", (1, 7), "0.5"),
    ("{a: 1}", 'the key "a" is not in double quotes', (1, 2), "double quotes"),
    ('{"a" 1}', "a colon is missing after a key", (1, 6), '"key": value'),
    ('{"a": 1 "b": 2}', 'a comma or "}" is missing before a string', (1, 9), "comma"),
    ('{"a": "he said "hi" to me"}', 'a comma or "}" is missing before "hi"', (1, 17), "quote inside a string"),
    ('{"a": }', "a value is missing", (1, 7), "null"),
    ('{"a": 1,, "b": 2}', "a key is missing", (1, 9), '"key": value'),
    ('{"a": "\\x"}', "\\x is no escape that JSON knows", (1, 8), "backslash"),
]


@pytest.mark.parametrize(("raw", "what", "place", "hint"), REFUSED, ids=[raw[:30] for raw, *_ in REFUSED])
@pytest.mark.parametrize("repair", ["lossless", "none"])
def test_a_refusal_says_what_is_wrong_and_where_and_what_to_send(
    raw: str, what: str, place: tuple[int, int], hint: str, repair: str
) -> None:
    error = refusal(raw, repair)
    assert (error.code, error.tool) == ("invalid_json", "")
    if repair == "lossless" or not raw.startswith(FENCE):
        assert what in error.message
        assert error.message.endswith(f"at line {place[0]}, column {place[1]}")
        assert hint in error.hint
    assert len(error.message) < 200


def test_control_characters_are_named_where_nothing_is_repaired() -> None:
    error = refusal('{"a": "x\ny"}', "none")
    assert "a raw control character (U+000A) stands inside a string, at line 1, column 9" in error.message


def test_a_repaired_control_character_does_not_hide_another_fault() -> None:
    assert "a comma stands before the closing brace, at line 2, column 3" in refusal('{"a": "x\ny",}').message


def test_a_fault_inside_quoted_json_is_explained_there() -> None:
    assert "inside the quoted text, at line 1, column 8" in refusal(json.dumps('{"a": 1,}')).message


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ('["Oslo"]', "an array"),
        ("[]", "an array"),
        ("5", "a number"),
        ("0", "a number"),
        ("false", "true or false"),
        ('"Oslo"', "a string"),
        (json.dumps(json.dumps('{"a": 1}')), "a string"),
        (f"{FENCE}\n[1]\n{FENCE}", "an array"),
        ([], "an array"),
        (False, "true or false"),
        (0, "a number"),
        (1.5, "a number"),
    ],
)
def test_json_that_is_no_object_breaks_the_contract(raw: Any, kind: str) -> None:
    error = refusal(raw)
    assert (error.code, error.message) == ("schema_validation", f"the arguments must be a JSON object, not {kind}")


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Text(str):
    def __str__(self) -> str:
        raise RuntimeError("asked")


class Odd(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 1


class Liar:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("asked")


def test_a_dict_is_copied_into_plain_types() -> None:
    inner = {"list": [Colour.RED, Size.BIG, 1.5, None, True]}
    values = parse_arguments({Text("key"): inner})
    assert values == {"key": {"list": ["red", 3, 1.5, None, True]}}
    assert is_json(values)
    values["key"]["list"].clear()
    assert len(inner["list"]) == 5


def _cycle() -> dict[str, Any]:
    values: dict[str, Any] = {"a": [{}]}
    values["a"][0]["b"] = values
    return values


def _deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"a": {1: 2}}, "the argument a has a key that is no text"),
        ({None: 2}, "the arguments object has a key that is no text"),
        ({"a": [{"b": {1, 2}}]}, "the argument a.0.b holds a Python set"),
        ({"a": (1, 2)}, "the argument a holds a Python tuple"),
        ({"a": b"x"}, "the argument a holds a Python bytes"),
        ({"a": math.nan}, "the argument a is nan"),
        ({"a": [1.0, -math.inf]}, "the argument a.1 is -inf"),
        (_cycle(), "the argument a.0.b contains itself"),
        (_deep(101), "is nested more than 100 levels deep"),
        ({"a": 10**4300}, "the argument a is an integer of more than 4,300 digits"),
        (b"{}", "the arguments are a Python bytes"),
        (math.nan, "the arguments are a Python float"),
        (object, "the arguments are a Python type"),
    ],
)
def test_python_that_is_no_json_is_refused_at_its_place(raw: Any, words: str) -> None:
    error = refusal(raw)
    assert error.code == "invalid_json"
    assert words in error.message
    assert len(error.message) < 300


def test_an_object_is_not_asked_what_it_is() -> None:
    assert "the arguments are a Python Liar" in refusal(Liar()).message
    assert "the argument a holds a Python Liar" in refusal({"a": Liar()}).message


def test_the_bounds_themselves_are_allowed() -> None:
    assert parse_arguments(_deep(100)) == _deep(100)
    assert parse_arguments(json.dumps(_deep(100))) == _deep(100)
    assert parse_arguments({"a": 10**4300 - 1}) == {"a": 10**4300 - 1}


def test_one_list_in_many_places_is_no_cycle_but_has_an_end() -> None:
    shared: list[Any] = [1]
    assert parse_arguments({"a": shared, "b": shared}) == {"a": [1], "b": [1]}
    for _ in range(90):
        shared = [shared, shared]
    assert "one list or object in too many places" in refusal({"a": shared}).message


def test_a_large_dict_is_as_good_as_its_text() -> None:
    values = {"rows": [{"n": n, "even": n % 2 == 0} for n in range(60_000)]}
    assert parse_arguments(values) == values
    assert parse_arguments(json.dumps(values)) == values


def test_two_keys_that_only_claim_to_differ_are_one_key_twice() -> None:
    assert 'the arguments object has the key "a" twice' in refusal({Odd("a"): 1, "a": 2}).message


def test_a_text_of_a_kind_that_overrides_everything_is_read_all_the_same() -> None:
    assert parse_arguments(Text('{"a": 1}')) == {"a": 1}


def test_an_unknown_policy_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="lossless"):
        parse_arguments("{}", "guess")  # type: ignore[arg-type]


def test_work_stays_linear_in_hostile_texts() -> None:
    for raw in (FENCE + " " * 200_000 + "x", '{"a": "' + "\\" * 200_001, '{"a": "' + "\ud800" * 100_000, "{" * 200_000):
        assert refusal(raw).code == "invalid_json"


# Laws.


def strict(text: str) -> Any:
    """The reference: Python's own decoder, with everything switched off that JSON does not have."""

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(entries)) != len(entries):
            raise ValueError("twice")
        return dict(entries)

    def constant(name: str) -> Any:
        raise ValueError(name)

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    if not is_json(value):
        raise ValueError("no JSON")
    return value


def undone(text: str) -> list[Any]:
    """What can be meant by a text once its wrappings are taken off: at most one fence, then at most one quoting."""
    bodies = [text]
    bare = text.strip()
    for mark in (FENCE, "~~~"):
        if bare.startswith(mark) and bare.endswith(mark):
            body = bare.strip(mark[0])
            bodies += [body, body.lstrip().partition("\n")[2], body.lstrip().partition(" ")[2]]
    meant = []
    for body in bodies:
        try:
            value = json.loads(body, strict=False)
            meant += [value, json.loads(value, strict=False)] if isinstance(value, str) else [value]
        except ValueError:
            continue
    return meant


@given(any_texts)
def test_law_nothing_is_guessed(text: str) -> None:
    try:
        expected = strict(text)
    except ValueError:
        expected = ValueError
    try:
        values, repairs = parse(text)
    except CallRefused as caught:
        assert expected is ValueError or not (expected is None or isinstance(expected, dict))
        assert caught.error.code in ("invalid_json", "schema_validation")
        return
    if not repairs:
        assert values == (expected or {}) or (values == {} and not text.strip())
    else:
        assert expected is ValueError or isinstance(expected, str)
        assert values in undone(text) or (values == {} and None in undone(text))
        with pytest.raises(CallRefused):
            parse(text, "none")


@given(any_texts | python_objects)
def test_law_only_a_refusal_is_ever_raised(raw: Any) -> None:
    for repair in ("lossless", "none"):
        try:
            values = parse_arguments(raw, repair)  # type: ignore[arg-type]
        except CallRefused as caught:
            assert caught.error.hint
            caught.error.message.encode()
            assert len(caught.error.message) < 400
        else:
            assert is_json(values)


@given(arguments)
def test_law_a_dict_and_its_text_are_the_same_arguments(values: dict[str, Any]) -> None:
    before = copy.deepcopy(values)
    assert parse_arguments(values) == parse_arguments(json.dumps(values)) == before
    assert values == before


@given(json_texts(), st.data())
def test_law_cut_text_is_refused(text: str, data: st.DataObject) -> None:
    whole = text.strip()
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    error = refusal(cut)
    assert "the text ends inside" in error.message or "no JSON value" in error.message or "JSON number" in error.message


@given(json_texts())
def test_law_wrappings_come_off(text: str) -> None:
    values = json.loads(text)
    assert parse(f"{FENCE}json\n{text}\n{FENCE}") == (values, ("code_fence",))
    assert parse(json.dumps(text)) == (values, ("double_encoding",))
