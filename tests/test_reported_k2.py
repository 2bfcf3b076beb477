"""Failures of schema generation that others have reported, each by its case number, through the front door.

Each case stands with its siblings: what failed for one value would have failed for its whole kind. The numbers in
between belong to other kinds. No case of this kind is left out.
"""

from __future__ import annotations

import functools
import json
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from jsonschema import Draft202012Validator
from pydantic import AwareDatetime, BaseModel, Field
from typing_extensions import TypedDict

from labkit import Tool, ToolCall, ToolRegistry, ToolResult, ToolRuntime, lint

VALIDATORS = ("pydantic", "jsonschema")  # the third does not know every keyword that pydantic writes, and says so


def ran(declared: Tool, arguments: Any, validator: str = "pydantic") -> ToolResult:
    runtime = ToolRuntime(ToolRegistry([declared]), validator=validator)
    return runtime.dispatch(ToolCall("call_1", declared.name, arguments))


def places(result: ToolResult) -> list[tuple[str, str]]:
    """The problems of a refused call, as path and rule."""
    return [(p.path, p.rule) for p in result.error.problems] if result.error else []


def giving(annotation: Any, default: Any = ...) -> Callable[..., Any]:
    """A function of one parameter that answers with the repr of what it was given."""

    def give(value: Any) -> str:
        return repr(value)

    give.__annotations__ = {"value": annotation}
    if default is not ...:
        give.__defaults__ = (default,)
    return give


def objects_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object, at any depth; property maps and other values are walked through."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
            yield schema
        for inner in schema.values():
            yield from objects_in(inner)
    if isinstance(schema, list):
        for inner in schema:
            yield from objects_in(inner)


# ---- K2-01: cleaning away "title" takes a parameter called title along ----


class Card(BaseModel):
    title: str
    type: str = "plain"
    properties: list[str] = []


class Page(TypedDict):
    title: str
    required: bool


def test_k2_01_parameters_named_like_keywords_stay() -> None:
    def new_card(
        title: str, type: str, description: str = "", required: bool = False, properties: str = "", items: int = 0
    ) -> str:
        return f"{title}-{type}-{items}"

    declared = Tool.from_function(new_card)
    names = ["title", "type", "description", "required", "properties", "items"]
    assert list(declared.parameters["properties"]) == names
    assert declared.parameters["required"] == ["title", "type"]
    everything = {"title": "t", "type": "y", "description": "", "required": True, "properties": "p", "items": 3}
    for validator in (*VALIDATORS, "subset"):
        assert ran(declared, everything, validator).content == "t-y-3"
    assert declared.definition(strict=True)["function"]["parameters"]["required"] == names


def test_k2_01_fields_of_nested_objects_stay_too() -> None:
    def show(card: Card, page: Page) -> str:
        return card.title + page["title"]

    declared = Tool.from_function(show)
    inner = declared.parameters["$defs"]
    assert [list(inner[name]["properties"]) for name in ("Card", "Page")] == [
        ["title", "type", "properties"],
        ["title", "required"],
    ]
    for strict in (False, True):
        for each in objects_in(declared.definition(strict)["function"]["parameters"]):
            assert set(each.get("required", ())) <= set(each["properties"])
    assert ran(declared, {"card": {"title": "a"}, "page": {"title": "b", "required": True}}).content == "ab"


def test_k2_01_a_ready_made_schema_keeps_them() -> None:
    parameters = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("title", "$ref", "enum", "default", "format", "type")},
        "required": ["title", "$ref"],
    }
    declared = Tool.from_schema("work", "Work.", parameters, lambda **values: json.dumps(values))
    assert declared.parameters["properties"] == parameters["properties"]
    assert json.loads(ran(declared, {"title": "a", "$ref": "b", "enum": "c"}).content)["$ref"] == "b"
    assert places(ran(declared, {"title": "a"})) == [("$ref", "required")]


# ---- K2-03: annotations that are text, resolved in the wrong place ----

ELSEWHERE = """
from __future__ import annotations
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional
from pydantic import BaseModel

class Crate(BaseModel):
    w: int
    lid: Lid | None = None

class Lid(BaseModel):
    k: int

@dataclass
class Pair:
    first: Crate

def send(crate: Crate, by: Literal["air", "sea"] = "sea", label: Optional[str] = None, out: Path = Path(".")) -> str:
    return f"{crate.w}{by}"

def send_pair(pair: Pair, more: "list['Lid']") -> str:
    return f"{pair.first.w}{more[0].k}"

class Sender:
    def send(self, crate: Crate) -> str:
        return f"{crate.w}"
    def __call__(self, crate: Crate) -> str:
        return f"{crate.w}"

def factory():
    class Inner(BaseModel):
        n: int
    @dataclass
    class Holder:
        inner: Inner
    def direct(size: int, item: Inner) -> int:
        return item.n
    def held(size: int, item) -> int:
        return item.inner.n
    held.__annotations__ = {"size": int, "item": Holder}
    return direct, held
"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Any]:
    """A module whose names are not known here."""
    module = types.ModuleType("elsewhere_k2")
    sys.modules[module.__name__] = module
    exec(compile(ELSEWHERE, "elsewhere_k2.py", "exec", dont_inherit=True), vars(module))
    yield module
    del sys.modules[module.__name__]


def wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return inner


def test_k2_03_text_is_read_where_the_function_stands(elsewhere: Any) -> None:
    for fn in (elsewhere.send, wrapped(elsewhere.send), functools.partial(elsewhere.send, out=None)):
        declared = Tool.from_function(fn, name="send")
        assert declared.parameters["properties"]["by"] == {"type": "string", "enum": ["air", "sea"], "default": "sea"}
        assert ran(declared, {"crate": {"w": 2}, "by": "air"}).content == "2air"
        assert places(ran(declared, {"crate": {"w": 2, "lid": {"k": "x"}}})) == [("crate.lid.k", "type")]
    for fn in (elsewhere.Sender().send, elsewhere.Sender()):
        assert ran(Tool.from_function(fn), {"crate": {"w": 3}}).content == "3"
    pair = {"pair": {"first": {"w": 1}}, "more": [{"k": 2}]}
    assert ran(Tool.from_function(elsewhere.send_pair), pair).content == "12"


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (0, "tool direct: the type Inner of the parameter item is not known where the function is defined"),
        (1, "tool held: the parameter item can't be declared: its class holds a type that is not known where"),
    ],
)
def test_k2_03_what_only_a_closure_knows_is_refused_at_declaration(elsewhere: Any, which: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Tool.from_function(elsewhere.factory()[which])


# ---- K2-04: a model that holds itself ----


class Branch(BaseModel):
    name: str
    twigs: list[Branch] = []


class Ping(BaseModel):
    pong: Pong | None = None


class Pong(BaseModel):
    ping: Ping | None = None


Ping.model_rebuild()


@dataclass
class Chain:
    n: int
    next: Optional[Chain] = None  # noqa: UP045 - the older spelling is a type of its own


class Nest(TypedDict):
    n: int
    nests: list[Nest]


@pytest.mark.parametrize(
    ("annotation", "good", "bad", "problem"),
    [
        (
            Branch,
            {"name": "a", "twigs": [{"name": "b", "twigs": []}]},
            {"name": "a", "twigs": [{"twigs": []}]},
            ("value.twigs.0.name", "required"),
        ),
        (Ping, {"pong": {"ping": {}}}, {"pong": {"ping": {"pong": {"pin": None}}}}, ("value.pong.ping.pong.pin", None)),
        (Chain, {"n": 1, "next": {"n": 2}}, {"n": 1, "next": {"n": "2"}}, ("value.next.n", "type")),
        (Nest, {"n": 1, "nests": []}, {"n": 1, "nests": [{"n": 1}]}, ("value.nests.0.nests", "required")),
        (list[Branch] | None, [{"name": "a"}], [{"name": 1}], ("value.0.name", "type")),
    ],
)
def test_k2_04_recursion_is_declared_and_judged_at_every_level(
    annotation: Any, good: Any, bad: Any, problem: tuple[str, str | None]
) -> None:
    declared = Tool.from_function(giving(annotation))
    assert declared.parameters["$defs"]
    for validator in VALIDATORS:
        assert ran(declared, {"value": good}, validator).ok
        path, rule = places(ran(declared, {"value": bad}, validator))[0]
        assert path == problem[0]
        assert problem[1] in (None, rule)
    assert lint(declared)
    Draft202012Validator.check_schema(declared.definition(strict=True)["function"]["parameters"])


# ---- K2-05: called strict, and not strict ----


class Address(BaseModel):
    street: str
    zip: str = "0000"


class Parcel(TypedDict, total=False):
    to: Address
    weight: int


def place_order(
    item: str,
    qty: int = 1,
    addr: Address | None = None,
    parcels: list[Parcel] = [],  # noqa: B006 - the runtime copies it for each call
    day: date = date(2031, 5, 4),
) -> str:
    return f"{item} x{qty} {addr.zip if addr else '-'} {len(parcels)} {day}"


def test_k2_05_every_object_of_a_strict_schema_is_closed_and_whole() -> None:
    function = Tool.from_function(place_order).definition(strict=True)["function"]
    assert function["strict"] is True
    found = list(objects_in(function["parameters"]))
    assert len(found) == 3
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    assert "default" not in json.dumps(function["parameters"])


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ('{"item": "a", "qty": null, "addr": null, "parcels": null, "day": null}', "a x1 - 0 2031-05-04"),
        ('{"item": "a", "qty": 2, "addr": {"street": "s", "zip": null}}', "a x2 0000 0 2031-05-04"),
    ],
)
def test_k2_05_null_on_the_way_back_means_the_default(arguments: str, content: str) -> None:
    for validator in VALIDATORS:
        assert ran(Tool.from_function(place_order), arguments, validator).content == content


def test_k2_05_null_for_what_is_required_is_refused() -> None:
    assert places(ran(Tool.from_function(place_order), '{"item": null}')) == [("item", "type")]
    nested = ran(Tool.from_function(place_order), '{"item": "a", "addr": {"street": null}}')
    assert places(nested) == [("addr.street", "type")]


@pytest.mark.parametrize("annotation", [dict[str, int], tuple[int, int], Any, list, dict[str, Address]])
def test_k2_05_what_can_not_be_strict_is_not_called_so(annotation: Any) -> None:
    declared = Tool.from_function(giving(annotation))
    with pytest.raises(ValueError, match="tool give can't be strict: value"):
        declared.definition(strict=True)
    assert "strict" not in declared.definition()["function"]


def test_k2_05_a_list_is_not_strict_in_part() -> None:
    """Others send such a tool as not strict. We refuse the list and name the tool: the author asked for strict."""
    registry = ToolRegistry([Tool.from_function(place_order), Tool.from_function(giving(dict[str, int]))])
    with pytest.raises(ValueError, match="tool give can't be strict: value"):
        registry.definitions(strict=True)
    assert len(registry.definitions()) == 2


# ---- K2-07: an empty schema in its many spellings ----


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": None},
        {"type": "object", "properties": {}, "required": None},
        {"type": None, "properties": None},
        {"type": ["object"]},
        {"type": "dict"},
        {"properties": {}, "additionalProperties": None},
    ],
)
def test_k2_07_no_parameters_are_an_empty_closed_object(parameters: dict[str, Any]) -> None:
    declared = Tool.from_schema("ping", "Say pong.", parameters, lambda: "pong")
    empty = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert declared.parameters == declared.definition(strict=True)["function"]["parameters"] == empty
    for validator in (*VALIDATORS, "subset"):
        assert [ran(declared, sent, validator).content for sent in ("", "{}", None, {})] == ["pong"] * 4


def test_k2_07_what_is_no_object_is_refused_at_declaration() -> None:
    for parameters in ({"type": "array"}, {"type": ["object", "null"]}, {"type": ""}, []):
        with pytest.raises(ValueError, match=r"^tool ping: "):
            Tool.from_schema("ping", "Say pong.", parameters, lambda: "pong")  # type: ignore[arg-type]


# ---- K2-08: names that a model class reserves ----


def test_k2_08_reserved_names_are_ordinary_names() -> None:
    def q(
        query: str, model_extra: str, model_fields_set: str, schema: str, json: str, copy: bool, model_dump: int,
        model_config: str, self_: int = 0, _private: int = 1, __twice: int = 2, args: int = 3, name: int = 4,
    ) -> str:  # fmt: skip
        return "|".join(map(str, (query, model_extra, model_fields_set, schema, json, copy, model_dump, model_config)))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        declared = Tool.from_function(q)
    assert list(declared.parameters["properties"]) == list(q.__code__.co_varnames[: q.__code__.co_argcount])
    sent = dict(zip(declared.parameters["required"], ["a", "b", "c", "d", "e", True, 7, "f"], strict=True))
    for validator in (*VALIDATORS, "subset"):
        assert ran(declared, json.dumps(sent), validator).content == "a|b|c|d|e|True|7|f"


def test_k2_08_the_runtimes_own_words_are_free_too() -> None:
    def words(fn: int, call: int, tool: int, values: int, arguments: int, value: int, self: int, cls: int) -> str:
        return f"{fn}{call}{tool}{values}{arguments}{value}{self}{cls}"

    declared = Tool.from_function(words)
    numbers = {name: number for number, name in enumerate(declared.parameters["properties"])}
    assert ran(declared, numbers).content == "01234567"
    assert ran(replace(declared, timeout=None), numbers).content == "01234567"


# ---- K2-09: names that a server refuses, with the whole request ----

ILLEGAL = ["post_/items", "a" * 65, "web.search", "My Tool!", "工具", "", "line\nbreak", "a" * 64 + "\n"]


@pytest.mark.parametrize("name", ILLEGAL)
def test_k2_09_a_function_with_such_a_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not legal"):
        Tool.from_function(giving(int), name=name)
    with pytest.raises(ValueError, match="is not legal"):
        replace(Tool.from_function(giving(int)), name=name)


@pytest.mark.parametrize("name", ["1st", "ok-name_1", "a" * 64])
def test_k2_09_legal_names_are_taken(name: str) -> None:
    assert Tool.from_function(giving(int), name=name).definition()["function"]["name"] == name


def test_k2_09_ready_made_names_are_mapped_and_never_meet() -> None:
    def made(name: str) -> Tool:
        return Tool.from_schema(name, "Say your name.", {}, lambda: name)

    for name in ("post_/items", "web.search", "My Tool!", "a" * 65):
        registry = ToolRegistry([made(name)])
        [sent] = registry.definitions()
        assert sent["function"]["name"] == registry[name].name
        for asked in (name, registry[name].name):
            assert ToolRuntime(registry).dispatch(ToolCall("call_1", asked, {})).content == name
    assert made("a" * 70 + "b").name != made("a" * 70 + "c").name
    assert len(made("a" * 70 + "b").name) <= 64
    for first, second in (("a.b", "a_b"), ("a_b", "a.b"), ("a.b", "a b")):
        with pytest.raises(ValueError, match="there is a tool"):
            ToolRegistry([made(first), made(second)])
    for name in ("工具", "", "..."):
        with pytest.raises(ValueError, match="no legal tool name"):
            made(name)


# ---- K2-10: docstrings whose text looks like structure ----


@pytest.mark.parametrize(
    ("args", "query", "top"),
    [
        (
            "    query: What to look for,\n        syntax: field:value pairs are allowed\n"
            "    top (int, optional): How many.",
            "What to look for, syntax: field:value pairs are allowed",
            "How many.",
        ),
        ("    query (Literal['a',\n        'b']): Which.\n    top (str): A number.", "Which.", "A number."),
        (
            "    query: One of\n        - new: the newest\n        - old: the oldest",
            "One of - new: the newest - old: the oldest",
            None,
        ),
        (
            "    query: see https://example.org: there\n    top:\n        On its own line.",
            "see https://example.org: there",
            "On its own line.",
        ),
        ("    query: First.\n\n        Second: part.\n    top: Last.", "First. Second: part.", "Last."),
        ("    query\n    top - how many", None, None),
        ("    nobody: is no parameter\n    top: How many.", None, "How many."),
    ],
)
def test_k2_10_descriptions_go_to_the_parameters_they_are_of(args: str, query: str | None, top: str | None) -> None:
    def find(query: str, top: int = 5) -> str:
        return query

    find.__doc__ = f"Search notes.\n\nArgs:\n{args}\n"
    declared = Tool.from_function(find)
    properties = declared.parameters["properties"]
    assert list(properties) == ["query", "top"]
    assert (properties["query"].get("description"), properties["top"].get("description")) == (query, top)
    assert [part["type"] for part in properties.values()] == ["string", "integer"], "a docstring never gives a type"
    assert declared.description.startswith("Search notes.")


def test_k2_10_parameters_that_share_a_line_share_its_description() -> None:
    def area(width: int, height: int) -> int:
        """Multiply.

        Parameters
        ----------
        width, height : int
            In metres.
        """
        return width * height

    described = Tool.from_function(area).parameters["properties"]
    assert [part["description"] for part in described.values()] == ["In metres.", "In metres."]


# ---- K2-12: declared, and every call fails ----


class Spot(NamedTuple):
    x: int
    y: int = 0


class Level(IntEnum):
    LOW = 1


class Mood(Enum):
    GOOD = "good"
    NONE = None


@dataclass
class Box:
    side: int
    area: int = field(init=False, default=0)


def test_k2_12_the_tool_gets_a_moment_a_set_and_a_pair() -> None:
    def plan(at: datetime, tags: set[str], spot: tuple[int, int]) -> str:
        return f"{at.isoformat()} {sorted(tags)} {spot}"

    declared = Tool.from_function(plan)
    good = '{"at": "2031-05-04T10:00:00", "tags": ["b", "a", "a"], "spot": [3, 4]}'
    bad = '{"at": "04/05/2031", "tags": [], "spot": [3, 4, 5]}'
    for validator in VALIDATORS:
        assert ran(declared, good, validator).content == "2031-05-04T10:00:00 ['a', 'b'] (3, 4)"
        assert places(ran(declared, bad, validator)) == [("at", "format"), ("spot", "maxItems")]


@pytest.mark.parametrize(
    ("annotation", "sent", "expected"),
    [
        (date, "2031-05-04", date(2031, 5, 4)),
        (time, "10:00:00", time(10)),
        (timedelta, "PT5M", timedelta(minutes=5)),
        (AwareDatetime | None, None, None),
        (Decimal, "1.5", Decimal("1.5")),
        (bytes, "ab", b"ab"),
        (frozenset[int], [1, 1], frozenset({1})),
        (tuple[date, set[int]], ["2031-05-04", [1, 1]], (date(2031, 5, 4), {1})),
        (Spot, [1], Spot(1)),
        (dict[date, int], {"2031-05-04": 1}, {date(2031, 5, 4): 1}),
        (dict[int, str], {"1": "a"}, {1: "a"}),
        (Level, 1, Level.LOW),
        (Mood, None, Mood.NONE),
        (list[Mood], ["good"], [Mood.GOOD]),
        (Box, {"side": 2}, Box(2)),
    ],
)
def test_k2_12_what_a_schema_offers_reaches_the_tool_as_its_type(annotation: Any, sent: Any, expected: Any) -> None:
    for validator in VALIDATORS:
        result = ran(Tool.from_function(giving(annotation)), {"value": sent}, validator)
        assert result.content == repr(expected)


def test_k2_12_a_field_that_a_dataclass_does_not_take_is_not_offered() -> None:
    assert list(Tool.from_function(giving(Box)).parameters["$defs"]["Box"]["properties"]) == ["side"]


class Empty(Enum):
    pass


class Day(Enum):
    FIRST = date(2031, 5, 4)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Literal[Mood.GOOD], "holds members of an Enum"),
        (list[Literal[Mood.GOOD]] | None, "holds members of an Enum"),
        (Literal[b"x"], "holds values that are not JSON"),
        (Day, "the values of its Enum are not JSON"),
        (Empty, "its Enum has no members"),
        (type[int], "a class can't be sent as JSON"),
    ],
)
def test_k2_12_a_type_that_no_call_can_satisfy_is_refused_at_declaration(annotation: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"tool give: the parameter value can't be declared: .*{words}"):
        Tool.from_function(giving(annotation))


def test_k2_12_a_default_that_can_not_be_made_is_refused_with_its_parameter() -> None:
    failing = Annotated[list[int], Field(default_factory=lambda: [1 // 0])]
    with pytest.raises(ValueError, match="tool give: the default_factory of the parameter value raises ZeroDivisionE"):
        Tool.from_function(giving(failing))


# ---- K2-15: a schema without a type on top ----


def test_k2_15_unions_are_declared_and_nothing_is_coerced() -> None:
    def look_up(
        name: str,
        title: Optional[str] = None,  # noqa: UP045 - the older spelling is a type of its own
        ref: int | str | None = None,
        how: Literal["a", 1, None] = None,
    ) -> str:
        return f"{name} {title} {ref!r} {how!r}"

    declared = Tool.from_function(look_up)
    for validator in (*VALIDATORS, "subset"):
        assert ran(declared, {"name": "x", "ref": "12"}, validator).content == "x None '12' None"
        assert ran(declared, {"name": "x", "ref": 12, "how": 1}, validator).content == "x None 12 1"
        assert places(ran(declared, {"name": "x", "how": "1"}, validator)) == [("how", "enum")]


@pytest.mark.parametrize(
    "annotation",
    [
        Address | Box,
        Address | list[Address] | None,
        Literal["a"] | int,
        list[int] | dict[str, int],
        date | datetime,
        str | date,
        Any | None,
        bool | int | float,
        None,
    ],
)
def test_k2_15_every_reader_of_a_schema_survives_a_choice(annotation: Any) -> None:
    declared = Tool.from_function(giving(annotation, None))
    Draft202012Validator.check_schema(declared.parameters)
    assert json.loads(json.dumps(declared.definition())) == declared.definition()
    assert all(str(finding) for finding in lint(declared))
    try:
        Draft202012Validator.check_schema(declared.definition(strict=True)["function"]["parameters"])
    except ValueError as refusal:
        assert "can't be strict" in str(refusal)
    for validator in VALIDATORS:
        assert ran(declared, {}, validator).content == "None"
        assert ran(declared, {"value": {"odd": object}}, validator).error is not None


# ---- K2-16: callables of every kind ----


class Kit:
    def __init__(self, base: int) -> None:
        self.base = base

    def up(self, n: int = 1) -> int:
        """Add n."""
        return self.base + n

    five = functools.partialmethod(up, n=5)

    @classmethod
    def made(cls, n: int) -> str:
        return cls.__name__ + str(n)

    @staticmethod
    def plain(n: int) -> int:
        return n

    @functools.cache  # noqa: B019 - one object, of one test
    def kept(self, n: int) -> int:
        return n

    def __call__(self, n: int) -> int:
        return n * 2


def ordered(a: int, /, b: int, *, c: int = 0) -> str:
    return f"{a}{b}{c}"


def all_optional(a: int = 1, b: int = 2, /, c: int = 3) -> str:
    return f"{a}{b}{c}"


@wrapped
def decorated(n: int) -> int:
    return n


@functools.lru_cache
def memory(n: int) -> int:
    return n


@pytest.mark.parametrize(
    ("fn", "names", "arguments", "content"),
    [
        (Kit(10).up, ["n"], {"n": 5}, "15"),
        (Kit(10).five, [], {}, "15"),
        (wrapped(Kit(10).up), ["n"], {"n": 5}, "15"),
        (functools.partial(Kit(10).up, n=2), [], {}, "12"),
        (Kit.made, ["n"], {"n": 5}, "Kit5"),
        (Kit.plain, ["n"], {"n": 5}, "5"),
        (Kit(1), ["n"], {"n": 5}, "10"),
        (Kit(1).kept, ["n"], {"n": 5}, "5"),
        (functools.partial(ordered, 1), ["b", "c"], {"b": 2}, "120"),
        (functools.partial(ordered, c=9), ["a", "b"], {"a": 1, "b": 2}, "129"),
        (ordered, ["a", "b", "c"], {"a": 1, "b": 2}, "120"),
        (all_optional, ["a", "b", "c"], {"b": 7}, "173"),
        (all_optional, ["a", "b", "c"], {"c": 7}, "127"),
        (decorated, ["n"], {"n": 5}, "5"),
        (memory, ["n"], {"n": 5}, "5"),
        (lambda n: n, ["n"], {"n": "any"}, "any"),
    ],
)
def test_k2_16_only_what_is_left_to_the_caller_is_declared(
    fn: Callable[..., Any], names: list[str], arguments: dict[str, Any], content: str
) -> None:
    declared = Tool.from_function(fn, name="work")
    assert list(declared.parameters["properties"]) == names
    for validator in (*VALIDATORS, "subset"):
        assert ran(declared, arguments, validator).content == content


def produced(n: int) -> Iterator[int]:
    yield n


async def streamed(n: int) -> Any:
    yield n


class Yielding:
    def __call__(self, n: int) -> Iterator[int]:
        yield n


@pytest.mark.parametrize(
    ("fn", "kind", "words"),
    [
        (lambda n: n, ValueError, '"<lambda>" is not legal'),
        (Kit, ValueError, "a class can't be declared"),
        (Kit.up, ValueError, "a method is declared on its object"),
        (wrapped(Kit.up), ValueError, "a method is declared on its object"),
        (min, ValueError, "does not tell its parameters"),
        (produced, ValueError, "a function that yields can't be declared"),
        (streamed, ValueError, "a function that yields can't be declared"),
        (functools.partial(produced, 1), ValueError, "a function that yields can't be declared"),
        (Yielding(), ValueError, "a function that yields can't be declared"),
        (Kit.__dict__["made"], TypeError, "a tool is made of a function"),
    ],
)
def test_k2_16_what_can_not_be_called_by_name_is_refused_at_declaration(
    fn: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        Tool.from_function(fn)


def test_k2_16_a_ready_made_schema_does_not_take_a_function_that_yields_either() -> None:
    with pytest.raises(ValueError, match="tool work: a function that yields can't be declared"):
        Tool.from_schema("work", "Work.", {"properties": {"n": {"type": "integer"}}}, produced)
