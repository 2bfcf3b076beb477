"""The thinking behind the declaration bench: from a source to what it declares, or to one sentence with a line."""

from __future__ import annotations

import json
import sys
import threading
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field
from tools_for_tests import until

from labkit import Tool, ToolCall, ToolRegistry, ToolRuntime
from labkit.course.checking import check
from labkit.course.declaring import NotDeclared, as_text, declared, in_words, judged
from labkit.course.declaring.examples import EXAMPLES
from labkit.course.declaring.limited import TookTooLong, within
from labkit.course.declaring.sampling import sample_calls
from labkit.course.exercises import exercise
from labkit.toolsets import everyday_tools

ENDLESS = 0.2
"""Seconds that a source gets which never ends."""

# ---- what a source declares ----

ORDER = '''
from __future__ import annotations
from datetime import date
from enum import Enum
from typing import Annotated
from pydantic import BaseModel, Field

class Line(BaseModel):
    item: Annotated[str, Field(description="What", min_length=1)]
    part: Part | None = None

class Part(BaseModel):
    n: int

class Colour(Enum):
    RED = "red"

def order(lines: list[Line], day: date, colour: "Colour" = Colour.RED) -> str:
    """Order things.

    Args:
        day: When to send it
    """
    raise AssertionError("is never called")
'''


def test_a_source_gives_its_schema_its_strict_form_findings_and_samples() -> None:
    found = declared(ORDER)
    assert list(found.schema["properties"]) == ["lines", "day", "colour"]
    assert found.schema["required"] == ["lines", "day"]
    assert found.schema["properties"]["day"] == {"type": "string", "description": "When to send it", "format": "date"}
    assert set(found.schema["$defs"]) == {"Line", "Part"}
    assert found.strict is not None
    assert found.strict["required"] == ["lines", "day", "colour"]
    assert found.obstacle == ""
    assert "lines" in {finding.place for finding in found.findings}
    verdicts = {each.sample.way: (each.accepted, each.says) for each in found.samples}
    assert verdicts["everything"] == (True, "")
    assert verdicts["a missing argument"] == (False, "lines: is required")
    assert verdicts["words for a date"][1].startswith("day: must be a date")


def test_what_it_says_in_words_holds_all_of_it() -> None:
    found = declared(ORDER)
    words = in_words(found)
    assert repr(found) == words
    assert as_text(found.schema) in words
    assert as_text(found.strict) in words
    for finding in found.findings:
        assert str(finding) in words
    for each in found.samples:
        assert each.sample.change in words
        assert each.says in words


@pytest.mark.parametrize(
    "source",
    [
        "from dataclasses import dataclass\n@dataclass\nclass P:\n  x: 'Q'\n@dataclass\nclass Q:\n  n: int\n"
        "def f(v: P): ...",
        "from typing_extensions import TypedDict\nclass P(TypedDict):\n  x: 'Q'\nclass Q(TypedDict):\n  n: int\n"
        "def f(v: P): ...",
        "from pydantic import BaseModel\nclass P(BaseModel):\n  x: 'Q'\nclass Q(BaseModel):\n  n: int\n"
        "def f(v: P): ...",
        "from __future__ import annotations\nfrom pydantic import BaseModel\ndef f(v: P): ...\n"
        "class P(BaseModel):\n  x: Q\nclass Q(BaseModel):\n  n: int",
    ],
)
def test_classes_of_the_source_may_name_each_other_before_they_are_there(source: str) -> None:
    found = declared(source)
    assert found.schema["$defs"]["Q"]["properties"] == {"n": {"type": "integer"}}
    assert any(each.says.startswith("v.x.n: must be an integer") for each in found.samples)


@pytest.mark.parametrize(
    ("source", "name", "parameters"),
    [
        ("def f(n: int): ...", "f", ["n"]),
        ("async def f(n: int): ...", "f", ["n"]),
        ("if True:\n  def f(n: int): ...", "f", ["n"]),
        ("def _helper(): ...\ndef f(n: int): ...", "f", ["n"]),
        ("class A:\n  def g(self): ...\ndef f(n: int): ...", "f", ["n"]),
        ("def f(n: int): ...\ndef f(m: str): ...", "f", ["m"]),
        ("import functools\n@functools.lru_cache\ndef f(n: int): ...", "f", ["n"]),
        ("from labkit import tool\n@tool(name='other', readonly=True)\ndef f(n: int): ...", "other", ["n"]),
        ("print('not shown')\ndef f(n: int): ...", "f", ["n"]),
        ("def f(n: str = '\\d'): ...", "f", ["n"]),
    ],
)
def test_one_public_function_is_found(
    source: str, name: str, parameters: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = declared(source)
    assert (found.tool.name, list(found.schema["properties"])) == (name, parameters)
    assert capsys.readouterr() == ("", "")


def test_a_cross_field_rule_of_a_decorated_function_judges_too() -> None:
    source = "from labkit import tool\n@tool(check=lambda v: 'too odd' if v['n'] == 1 else None)\ndef f(n: int): ..."
    assert [each.says for each in declared(source).samples if each.sample.way == "everything"] == ["too odd"]


# ---- what declares nothing ----


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("", None, "no function is defined here"),
        ("x = 1", None, "no function is defined here"),
        ("f = lambda n: n", None, "no function is defined here"),
        ("class A:\n  def f(self): ...", None, "no function is defined here"),
        ("def f(n): ...\ndel f", None, "no function is defined here"),
        ("def a(): ...\n\ndef b(): ...", None, "2 functions are defined, a (line 1), b (line 3)"),
        ("\ndef f(x: int:\n  ...", 2, 'this is not Python: "def f(x: int:"'),
        ("    def f(n): ...", 1, "this is not Python"),
        ("x = 1\nreturn x", 2, "this is not Python"),
        ("\x00", None, "this is not Python"),
        ("\ud800", None, "this is not Python"),
        ("x = 1\n\n1 / 0\ndef f(): ...", 3, "this raises ZeroDivisionError"),
        ("raise SystemExit(3)", 1, "this raises SystemExit"),
        ("def _r(): _r()\n_r()", 1, "this raises RecursionError"),
        ("import no_such_module_here", 1, "there is no module no_such_module_here"),
        ("def f(day: date): ...", 1, "the name date is not known here"),
        ("from __future__ import annotations\n\ndef f(day: date): ...", 3, "the type date of the parameter day is not"),
        ("def f(x: 'int |'): ...", 1, "the annotation of the parameter x can't be read"),
        ("def f(*args): ...", 1, "*args can't be declared"),
        ("def f(n): yield n", 1, "a function that yields can't be declared"),
        ("def f(n): ...\nf = 5", 1, "a tool is made of a function, not of 5"),
        ("from labkit import tool\n@tool(time_out=3)\ndef f(n): ...", 2, "there is no option time_out"),
        ("input('?')\ndef f(n): ...", 1, "the name input is not known here"),
        ("exit()\ndef f(n): ...", 1, "the name exit is not known here"),
    ],
)
def test_a_source_that_declares_nothing_gets_one_sentence_with_its_line(
    source: str, line: int | None, words: str
) -> None:
    with pytest.raises(NotDeclared) as refusal:
        declared(source)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "Traceback" not in str(refusal.value)
    if "\x00" not in source:  # where such a character stands is told by some interpreters only
        assert refusal.value.line == line
    assert str(refusal.value).startswith(f"line {refusal.value.line}: ") is (refusal.value.line is not None)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n: int): ...\n\nwhile True: pass",
        "x = 1\n\nwhile True:\n  try: x += 1\n  except: pass",
        "from typing import Annotated\nfrom pydantic import BeforeValidator\ndef _v(v):\n  while True: v = 1\n"
        "def f(n: Annotated[int, BeforeValidator(_v)]): ...",
    ],
)
def test_a_source_that_never_ends_is_stopped_wherever_it_loops(source: str) -> None:
    before = threading.active_count()
    with pytest.raises(NotDeclared, match=r"^line \d: this took longer than 0.2 s and was stopped$") as refusal:
        declared(source, ENDLESS)
    assert refusal.value.line is not None and refusal.value.line >= 3
    assert until(lambda: threading.active_count() <= before)


def test_after_a_stopped_source_the_next_one_is_read() -> None:
    with pytest.raises(NotDeclared):
        declared("while True: pass", ENDLESS)
    assert declared("def f(n: int): ...").tool.name == "f"


def test_sources_leave_nothing_behind() -> None:
    before = set(sys.modules)
    declared(ORDER)
    with pytest.raises(NotDeclared):
        declared("1 / 0")
    assert not {name for name in set(sys.modules) - before if "declaration" in name}


def test_sources_are_read_from_any_thread_and_one_at_a_time() -> None:
    names: list[str] = []

    def read(number: int) -> None:
        source = (
            f"from pydantic import BaseModel\nclass M(BaseModel):\n  a{number}: 'N'\nclass N(BaseModel):\n  n: int\n"
        )
        found = declared(source + f"def f{number}(m: M): ...")
        names.append(f"{found.tool.name} {next(iter(found.schema['$defs']['M']['properties']))}")

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(names) == [f"f{number} a{number}" for number in range(8)]


def test_every_example_declares_or_says_why_not() -> None:
    silent = {"a slip of the pen", "an unknown name", "never ends"}
    for name, source in EXAMPLES.items():
        if name in silent:
            with pytest.raises(NotDeclared, match=r"^line \d: "):
                declared(source, ENDLESS)
        else:
            assert declared(source).samples, name
    assert declared(EXAMPLES["good"]).findings == ()
    assert len(declared(EXAMPLES["bad"]).findings) > 5
    assert declared(EXAMPLES["not strict"]).strict is None


# ---- a limited time ----


def test_a_job_gives_its_value_or_its_exception() -> None:
    assert within(10.0, lambda: 2 + 2, "x") == 4
    with pytest.raises(KeyError):
        within(10.0, lambda: {}["a"], "x")
    with pytest.raises(SystemExit):
        within(10.0, lambda: sys.exit(3), "x")


def test_a_job_that_waits_outside_python_is_given_up_and_ends_when_it_can() -> None:
    release = threading.Event()

    def wait() -> None:
        lock = threading.Lock()
        with lock:
            lock.acquire(timeout=2.0)
        release.set()

    with pytest.raises(TookTooLong) as late:
        within(0.05, wait, __file__)
    assert late.value.stopped is False
    assert late.value.line is not None
    assert not release.is_set()


# ---- sample calls ----


class Level(Enum):
    LOW = "low"


class Item(BaseModel):
    name: Annotated[str, Field(min_length=2, max_length=5)]
    count: Annotated[int, Field(ge=3, le=9, multiple_of=3)] = 3


class Tree(BaseModel):
    name: str
    trees: list["Tree"] = []  # noqa: UP037 - the class is not there yet


def schema_of(annotation: Any, default: Any = ...) -> dict[str, Any]:
    return tool_of(annotation, default).parameters


def tool_of(annotation: Any, default: Any = ...) -> Tool:
    def take(value: Any) -> None: ...

    take.__annotations__ = {"value": annotation}
    if default is not ...:
        take.__defaults__ = (default,)
    return Tool.from_function(take)


TYPES = [
    str,
    int,
    float,
    bool,
    date,
    datetime,
    UUID,
    Decimal,
    Level,
    Literal["a", 1, None],
    int | None,
    int | str,
    list[int],
    set[str],
    tuple[int, str],
    dict[str, int],
    Item,
    list[Item],
    Item | None,
    Tree,
    Annotated[int, Field(gt=3, lt=5)],
    Annotated[float, Field(gt=0, lt=1)],
    Annotated[int, Field(multiple_of=7, ge=20)],
    Annotated[str, Field(min_length=30, max_length=31)],
    Annotated[str, Field(pattern="^[A-Z]{2}$")],
    Annotated[str, Field(pattern="^Q[0-9]{7}$", examples=["Q1234567"])],
    Annotated[list[int], Field(min_length=3, max_length=4)],
    Annotated[set[str], Field(min_length=3)],
    Any,
]


FORMS = ("a date in another order", "text of another form")


@pytest.mark.parametrize("annotation", TYPES)
def test_the_calls_that_should_fit_do_and_the_others_do_not(annotation: Any) -> None:
    for declared_tool in (tool_of(annotation), tool_of(annotation, None)):
        verdicts = {each.sample.way: each.accepted for each in judged(declared_tool)}
        good = {"everything", "nothing but what is required", "null where it may be left out"}
        assert verdicts["everything"]
        assert all(accepted == (way in good) for way, accepted in verdicts.items()), verdicts
        validator = Draft202012Validator(declared_tool.parameters)
        for sample in sample_calls(declared_tool.parameters):
            # that a default stands for null, and that formats are kept, is the gate's part
            if sample.way not in ("null where it may be left out", "words for a date", *FORMS):
                assert validator.is_valid(sample.arguments) == (sample.way in good), sample


@pytest.mark.parametrize(
    ("annotation", "way", "change", "says"),
    [
        (int, "a missing argument", "without value", "value: is required"),
        (int, "an argument too many", 'colour = "red"', "colour: is not a parameter; known: value"),
        (int, "a wrong type", 'value = "some text"', "value: must be an integer"),
        (int, "a number in quotes", 'value = "1"', "value: must be an integer"),
        (int, "true for a number", "value = true", "value: must be an integer, got true"),
        (int, "null where a value is required", "value = null", "value: must be an integer, got null"),
        (date, "words for a date", 'value = "yesterday"', "value: must be a date"),
        (Level, "not one of the list", 'value = "something else"', "value: must be"),
        (Item, "below the least", "value.count = 2", "value.count: must be at least 3"),
        (Item, "above the most", "value.count = 10", "value.count: must be at most 9"),
        (Item, "not a multiple", "value.count = 4.5", "value.count: must be an integer"),
        (Item, "text too short", 'value.name = "t"', "value.name: must have at least 2"),
        (Item, "text too long", 'value.name = "xxxxxx"', "value.name: must have at most 5"),
        (Annotated[list[int], Field(min_length=1)], "too few items", "value = []", "value: must have at least 1 item"),
        (
            Annotated[list[int], Field(max_length=2)],
            "too many items",
            "value = [1, 1, 1]",
            "value: must have at most 2",
        ),
        (Annotated[set[int], Field(min_length=1)], "an item twice", "value = [1, 1]", "value: "),
        (list[Item], "text too short", 'value.0.name = "t"', "value.0.name: must have"),
    ],
)
def test_each_way_of_going_wrong_is_tried_where_it_can_be(annotation: Any, way: str, change: str, says: str) -> None:
    [tried] = [each for each in judged(tool_of(annotation)) if each.sample.way == way]
    assert tried.sample.change == change
    assert not tried.accepted
    assert tried.says.startswith(says)


def test_a_way_is_tried_once_and_a_pattern_that_nobody_can_guess_is_said_to_be_one() -> None:
    ways = [sample.way for sample in sample_calls(everyday_tools()[-1].parameters)]
    assert len(ways) == len(set(ways))
    [guess] = judged(tool_of(Annotated[str, Field(pattern="^Q[0-9]{7}$")]))
    assert (guess.sample.way, guess.accepted) == ("everything, as a guess", False)


def test_judging_runs_no_tool() -> None:
    touched: list[Any] = []
    for run_in in ("thread", "process"):
        made = Tool.from_schema(
            "touch", "Touch.", {"properties": {"n": {"type": "integer"}}}, lambda n=0: touched.append(n), run_in=run_in
        )
        assert any(each.accepted for each in judged(made))
    assert touched == []


json_schemas = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer", "minimum": 2},
            {"type": "number", "exclusiveMaximum": 0},
            {"type": "boolean"},
            {"enum": ["a", 2]},
            {"type": ["string", "null"], "maxLength": 2},
            {"type": "string", "format": "date"},
            {},
        ]
    ),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items, "minItems": 1}, inner)
        | st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner)
        | st.builds(
            lambda one, two: {"type": "object", "properties": {"x": one, "y": two}, "required": ["x"]}, inner, inner
        )
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(json_schemas)
def test_law_samples_of_any_schema_are_judged_as_they_were_meant(schema: dict[str, Any]) -> None:
    parameters = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    made = Tool.from_schema("work", "Work.", parameters, lambda v: "")
    samples = sample_calls(made.parameters)
    runtime = ToolRuntime(ToolRegistry([made]))
    for sample in samples:
        result = runtime.dispatch(ToolCall("call_1", "work", sample.arguments))
        if sample.way != "null where it may be left out":
            assert result.ok == sample.way.startswith(("everything", "nothing")), (sample, result.content)


# ---- a schema as text ----


def test_a_schema_as_text_is_json_again_and_no_wider_than_it_must_be() -> None:
    for made in everyday_tools():
        text = as_text(made.definition())
        assert json.loads(text) == made.definition()
        assert all(len(line) <= 76 or '": "' in line for line in text.splitlines())
    assert as_text({"a": [1, "ß"]}) == '{"a": [1, "ß"]}'
    assert as_text([]) == "[]"


@pytest.mark.parametrize("problem", ["KeyboardInterrupt", "GeneratorExit", "Mine"])
def test_whatever_a_source_raises_is_told_and_never_gets_out(problem: str) -> None:
    with pytest.raises(NotDeclared, match=rf"line 2: this raises {problem}"):
        declared(f"class Mine(BaseException): ...\nraise {problem}\ndef find(text: str): ...")


def test_a_source_that_catches_the_end_of_its_time_is_told_again() -> None:
    loop = "while True: pass"
    source = f"try:\n    {loop}\nexcept BaseException:\n    pass\n{loop}\ndef find(text: str): ..."
    with pytest.raises(TookTooLong) as late:
        within(0.2, lambda: exec(compile(source, "<source>", "exec"), {}), "<source>")
    assert late.value.stopped


FIELD = "from typing import Annotated\nfrom pydantic import Field\n"
BOUNDS = ["int, Field(ge=10**400)", "float, Field(le=1e308)", "float, Field(gt=1e308)"]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounds_that_no_number_meets_are_no_end_of_the_bench(bounds: str) -> None:
    source = f"{FIELD}def find(n: Annotated[{bounds}]): ..."
    assert declared(source).samples


def test_a_bound_that_is_no_number_is_refused_with_its_line() -> None:
    with pytest.raises(NotDeclared, match="line 3: tool find: the parameter n can't be declared"):
        declared(f"{FIELD}def find(n: Annotated[float, Field(ge=float('nan'))]): ...")


@pytest.mark.parametrize("part", ["str, Field(min_length=10**10)", "list[int], Field(max_length=10**10)"])
def test_no_sample_call_fills_the_memory(part: str) -> None:
    source = f"{FIELD}def find(n: Annotated[{part}]): ..."
    assert all(len(repr(each.sample.arguments)) < 10_000 for each in declared(source, limit=10.0).samples)


def test_an_async_function_is_judged_like_any_other() -> None:
    plain, awaited = (declared(f'{word}def find(text: str) -> list: "Find notes."') for word in ("", "async "))
    assert [each.accepted for each in awaited.samples] == [each.accepted for each in plain.samples]
    assert awaited.samples[0].accepted


# ---- exercises of chapter 02: right answers in other words ----

BY_CHOICE = """
import copy

def strict_v0(schema):
    strict = copy.deepcopy(schema)
    for name, part in strict["properties"].items():
        part.pop("default", None)
        takes_null = "null" in part["type"] and "enum" not in part
        if name not in schema.get("required", []) and not takes_null:
            strict["properties"][name] = {"anyOf": [part, {"type": "null"}]}
    return {**strict, "required": list(strict["properties"]), "additionalProperties": False}
"""
AS_A_TOOL = '''
from datetime import date
from typing import Annotated, Optional
from pydantic import Field
from labkit import tool

@tool(readonly=True)
def find_notes(
    text: str, since_date: Optional[date] = None, limit: Annotated[int, Field(ge=1, le=50)] = 10
) -> list:
    """Find the notes that hold a text, newest first. Only reads.

    Args:
        text: Words, for example tea
        since_date: For example 2026-09-01
        limit: How many at most, for example 10
    """
    return []
'''


@pytest.mark.parametrize(("id", "source"), [("02.3", BY_CHOICE), ("02.2", AS_A_TOOL)])
def test_a_right_answer_in_another_spelling_passes(id: str, source: str) -> None:
    names: dict[str, Any] = {}
    exec(source, names)
    assert repr(check(exercise(id), names)).startswith(f"{id}  passed")
