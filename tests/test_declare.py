"""From signatures to declarations: what a schema says, what can't be declared, strict forms, findings, registries."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import json
import math
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from labkit import Tool, ToolCall, ToolRegistry, ToolResult, ToolRuntime, lint, tool
from labkit.declare import Finding
from labkit.declare.strict import not_strict
from labkit.validate import normaliser, unsupported
from tests.strategies import json_values

MISSING: Any = object()


class Color(Enum):
    """The colours of a light."""

    RED = "red"
    GREEN = "green"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Address(BaseModel):
    street: str
    zip: str = "0000"


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str = ""


class Node(BaseModel):
    name: str
    kids: list[Node] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]


@dataclass
class Point:
    x: int
    y: float = 2.0


class Option(TypedDict):
    key: str


OPTIONAL_TEXT = Optional[str]  # noqa: UP045 - the older spelling is a type of its own


def taking(annotation: Any, default: Any = MISSING) -> Callable[..., Any]:
    """Return a function of one parameter, ``value``, that gives its value back."""

    def give(value: Any) -> Any:
        """Give the value back, whatever it is."""
        return value

    give.__annotations__ = {"value": annotation}
    if default is not MISSING:
        give.__defaults__ = (default,)
    return give


def schema_of(annotation: Any, default: Any = MISSING) -> dict[str, Any]:
    """Return the schema of one parameter, with the definitions that it refers to, where it does."""
    parameters = tool(taking(annotation, default)).parameters
    found: dict[str, Any] = parameters["properties"]["value"]
    return found | ({"$defs": parameters["$defs"]} if "$defs" in parameters else {})


def ran(declared: Tool, arguments: Any) -> ToolResult:
    return ToolRuntime(ToolRegistry([declared])).dispatch(ToolCall("call_1", declared.name, arguments))


def received(annotation: Any, value: Any, default: Any = MISSING) -> Any:
    """Return what the function gets for a JSON value."""
    seen: list[Any] = []
    give = taking(annotation, default)
    declared = Tool.from_function(functools.wraps(give)(lambda value: seen.append(value)))
    result = ran(declared, {"value": value})
    assert result.ok, result.content
    return seen[0]


# ---- what a signature says ----


def test_a_declaration_has_type_properties_required_in_this_order() -> None:
    @tool
    def move(path: str, to: str, copies: int = 1) -> str:
        """Move a file."""
        return path

    assert move.definition() == {
        "type": "function",
        "function": {
            "name": "move",
            "description": "Move a file.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "to": {"type": "string"},
                    "copies": {"type": "integer", "default": 1},
                },
                "required": ["path", "to"],
                "additionalProperties": False,
            },
        },
    }
    assert list(move.parameters) == ["type", "properties", "required", "additionalProperties"]


def test_a_function_without_parameters_has_an_empty_closed_object() -> None:
    declared = Tool.from_function(lambda: "pong", name="ping")
    empty = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert declared.parameters == empty
    assert declared.definition(strict=True)["function"]["parameters"] == empty
    assert all(ran(declared, arguments).content == "pong" for arguments in ("", "{}", None, {}))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (Any, {}),
        (date, {"type": "string", "format": "date"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (Path, {"type": "string"}),
        (bytes, {"type": "string"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Color, {"type": "string", "description": "The colours of a light.", "enum": ["red", "green"]}),
        (Size, {"type": "integer", "enum": [1, 2]}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (OPTIONAL_TEXT, {"type": ["string", "null"]}),
        (int | str | None, {"type": ["integer", "string", "null"]}),
        (str | Path, {"type": "string"}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Annotated[int, Field(ge=1, lt=9)], {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}),
        (Annotated[int | None, Field(ge=1)], {"type": ["integer", "null"], "minimum": 1}),
        (list[Color | None], {"type": "array", "items": {"type": ["string", "null"], "enum": ["red", "green", None]}}),
    ],
)
def test_types_and_their_schemas(annotation: Any, expected: dict[str, Any]) -> None:
    found = schema_of(annotation)
    if "description" not in expected:
        found = without(found, "description")
    assert found == expected


def without(value: Any, keyword: str) -> Any:
    if isinstance(value, list):
        return [without(item, keyword) for item in value]
    if isinstance(value, dict):
        return {key: without(item, keyword) for key, item in value.items() if key != keyword}
    return value


@pytest.mark.parametrize(
    ("annotation", "sent", "expected"),
    [
        (date, "2025-03-01", date(2025, 3, 1)),
        (datetime, "2031-05-04T10:00:00", datetime(2031, 5, 4, 10)),
        (UUID, "12345678-1234-5678-1234-567812345678", UUID(int=0x12345678123456781234567812345678)),
        (Decimal, "1.50", Decimal("1.50")),
        (Path, "a/b", Path("a/b")),
        (tuple[int, str], [3, "a"], (3, "a")),
        (set[str], ["b", "a", "a"], {"a", "b"}),
        (Color, "red", Color.RED),
        (Color | None, None, None),
        (Size, 2, Size.LARGE),
        (Point, {"x": 1}, Point(1)),
        (Address, {"street": "s"}, Address(street="s")),
        (Address | None, {"street": "s"}, Address(street="s")),
        (list[Address], [{"street": "s", "zip": "1"}], [Address(street="s", zip="1")]),
        (Option, {"key": "k"}, {"key": "k"}),
        (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog"}, Dog(kind="dog")),
        (int | str | None, "12", "12"),
    ],
)
def test_a_function_receives_its_annotated_types(annotation: Any, sent: Any, expected: Any) -> None:
    found = received(annotation, sent)
    assert found == expected
    assert type(found) is type(expected)


def test_a_set_with_a_size_keeps_its_items_apart() -> None:
    assert schema_of(Annotated[set[str], Field(min_length=2)])["uniqueItems"] is True
    assert "uniqueItems" not in schema_of(frozenset[str])


def test_nested_objects_are_closed_unless_they_ask_to_be_open() -> None:
    for annotation in (Address, Point, Option, list[Address], Address | None):
        definitions = schema_of(annotation)["$defs"]
        assert [part["additionalProperties"] for part in definitions.values()] == [False]
    assert schema_of(Open)["$defs"]["Open"]["additionalProperties"] is True
    assert "additionalProperties" not in schema_of(int)


def test_a_closed_nested_object_refuses_what_it_does_not_list() -> None:
    refused = ran(tool(taking(Address)), {"value": {"street": "s", "steet": "x"}})
    assert refused.error is not None
    assert [problem.path for problem in refused.error.problems] == ["value.steet"]


def test_most_ordinary_types_are_in_the_subset() -> None:
    ordinary = [str, int, date, Path, Color, Size, Color | None, Address, Point, list[Address], set[str], dict, Node]
    assert [unsupported(tool(taking(annotation)).parameters) for annotation in ordinary] == [[]] * len(ordinary)


def test_a_model_that_holds_itself_is_declared_and_checked_at_every_level() -> None:
    def draw(root: Node) -> int:
        """Draw a tree."""
        return 1 + len(root.kids)

    declared = tool(draw)
    assert declared.parameters["properties"]["root"] == {"$ref": "#/$defs/Node"}
    assert ran(declared, '{"root": {"name": "a", "kids": [{"name": "b", "kids": []}]}}').content == "2"
    refused = ran(declared, '{"root": {"name": "a", "kids": [{"kids": []}]}}')
    assert refused.error is not None
    assert [(p.path, p.rule) for p in refused.error.problems] == [("root.kids.0.name", "required")]


def test_titles_go_but_parameters_named_like_keywords_stay() -> None:
    def make_card(
        board: str, title: str, type: str = "task", description: str = "", required: bool = False, properties: str = ""
    ) -> str:
        """Make a card."""
        return f"{board}/{title}/{type}"

    declared = tool(make_card)
    names = ["board", "title", "type", "description", "required", "properties"]
    assert list(declared.parameters["properties"]) == names
    assert declared.parameters["required"] == ["board", "title"]
    assert not any("title" in part for part in declared.parameters["properties"].values())
    everything = {"board": "b", "title": "t", "type": "x", "description": "", "required": True, "properties": ""}
    assert ran(declared, everything).content == "b/t/x"
    strict = declared.definition(strict=True)["function"]["parameters"]
    assert strict["required"] == names


def test_names_that_pydantic_models_reserve_are_ordinary_names() -> None:
    def q(
        query: str, model_extra: str, schema: str, json: str, copy: bool, model_dump: int, self_: int = 0, _own: int = 1
    ) -> str:
        """Put everything in a row."""
        return "|".join(map(str, (query, model_extra, schema, json, copy, model_dump, self_, _own)))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        declared = tool(q)
    assert list(declared.parameters["properties"]) == list(inspect.signature(q).parameters)
    sent = {"query": "a", "model_extra": "b", "schema": "c", "json": "d", "copy": True, "model_dump": 7, "_own": 2}
    assert ran(declared, json.dumps(sent)).content == "a|b|c|d|True|7|0|2"


# ---- defaults ----


@pytest.mark.parametrize(
    ("annotation", "default", "expected"),
    [
        (Annotated[int, Field(4, ge=1)], 4, 4),
        (int, Field(3, ge=1), 3),
        (Annotated[int, Field(default=3)], MISSING, 3),
        (Annotated[Annotated[int, Field(3)], Field(description="how many")], MISSING, 3),
        (Annotated[list[int], Field(default_factory=list)], MISSING, []),
        (list[int], Field(default_factory=list), []),
        (int | None, None, None),
        (Color, Color.RED, "red"),
        (date, date(2025, 3, 1), "2025-03-01"),
        (Path, Path("a"), "a"),
        (tuple[int, ...], (1, 2), [1, 2]),
        (set[str], {"c", "a", "b"}, ["a", "b", "c"]),
        (Point, Point(1), {"x": 1, "y": 2.0}),
    ],
)
def test_defaults_that_json_can_say_are_shown(annotation: Any, default: Any, expected: Any) -> None:
    declared = tool(taking(annotation, default))
    assert declared.parameters["properties"]["value"]["default"] == expected
    assert declared.parameters["required"] == []


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, None),
        (int, "many"),
        (Annotated[int, Field(ge=1)], 0),
        (float, float("nan")),
        (list[float], [float("inf")]),
        (int, MISSING),
        (bytes, b"\xff"),
        (Address, {"zip": "1"}),
    ],
)
def test_other_defaults_stay_with_the_function(annotation: Any, default: Any) -> None:
    give = taking(annotation)
    give.__defaults__ = (default,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        declared = tool(give)
    assert "default" not in declared.parameters["properties"]["value"]
    assert declared.parameters["required"] == []
    assert declared.defaults["value"] is default


def test_a_required_field_is_required() -> None:
    declared = tool(taking(int, Field(ge=1, description="how many")))
    assert declared.parameters["required"] == ["value"]
    assert declared.parameters["properties"]["value"] == {"type": "integer", "description": "how many", "minimum": 1}


def test_a_default_in_a_field_reaches_the_function_also_in_a_direct_call() -> None:
    def order(item: str, qty: int = Field(3, ge=1)) -> str:
        """Order things."""
        return f"{item} {qty}"

    declared = tool(order)
    assert ran(declared, {"item": "tea"}).content == "tea 3"
    assert declared("tea") == declared(item="tea") == "tea 3"
    assert declared("tea", 5) == declared("tea", qty=5) == "tea 5"


@pytest.mark.parametrize(
    ("annotation", "default"),
    [(Annotated[int, Field(4)], 5), (Annotated[int, Field(4)], Field(5)), (Annotated[Any, Field(None)], 0)],
)
def test_two_different_defaults_are_refused(annotation: Any, default: Any) -> None:
    with pytest.raises(ValueError, match="tool give: the parameter value has two defaults"):
        tool(taking(annotation, default))


def test_a_direct_call_is_the_functions_own() -> None:
    @tool
    def add(x: int, y: int = 1) -> int:
        """Add."""
        return x + y

    assert (add(1), add(1, 2), add(x=1, y=5)) == (2, 3, 6)
    assert add("a", "b") == "ab", "a direct call is not validated"
    for wrong in (lambda: add(), lambda: add(1, 2, 3), lambda: add(1, z=2)):
        with pytest.raises(TypeError):
            wrong()


# ---- descriptions ----

GOOGLE = """Search notes.

Finds whole words only.

Args:
    query: What to look for,
        syntax: field:value pairs are allowed
    top (str, optional): How many. Defaults to 5.

Returns:
    The notes.
"""
NUMPY = """Search notes.

Finds whole words only.

Parameters
----------
query : str
    What to look for,
    syntax: field:value pairs are allowed
top : {1, 2}, optional
    How many. Defaults to 5.

Returns
-------
str
    The notes.
"""
SPHINX = """Search notes.

Finds whole words only.

:param query: What to look for,
    syntax: field:value pairs are allowed
:param str top: How many. Defaults to 5.
:returns: The notes.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX])
def test_docstrings_describe_parameters_and_never_type_them(docstring: str) -> None:
    def find(query: str, top: int = 5) -> str:
        return query

    find.__doc__ = docstring
    declared = tool(find)
    assert declared.description == "Search notes.\n\nFinds whole words only."
    assert declared.parameters["properties"] == {
        "query": {"type": "string", "description": "What to look for, syntax: field:value pairs are allowed"},
        "top": {"type": "integer", "description": "How many. Defaults to 5.", "default": 5},
    }


def test_what_stands_nearer_to_the_parameter_describes_it() -> None:
    def light(color: Color, size: Annotated[int, Field(description="in metres")], name: str = "") -> str:
        """Switch a light on.

        Args:
            color: the one to show
            size: from the docstring
            nobody: is no parameter
        """
        return name

    described = {key: part.get("description") for key, part in tool(light).parameters["properties"].items()}
    assert described == {"color": "the one to show", "size": "in metres", "name": None}


def test_a_description_can_be_given_and_a_plain_docstring_is_taken_as_it_is() -> None:
    give = taking(int)
    assert tool(description="Say it.")(give).description == "Say it."
    assert Tool.from_function(give, description="").description == ""
    give.__doc__ = '\n    Give.\n\n    Example: {"value": 1}\n    '
    assert tool(give).description == 'Give.\n\nExample: {"value": 1}'


# ---- which callables ----


class Kit:
    def __init__(self, base: int = 10) -> None:
        self.base = base

    def up(self, n: int = 1) -> int:
        """Add n."""
        return self.base + n

    @classmethod
    def made(cls, n: int) -> str:
        return cls.__name__ + str(n)

    @staticmethod
    def plain(n: int) -> int:
        return n

    def __call__(self, n: int) -> int:
        return n * 2


class Later:
    """Waits, then answers."""

    async def __call__(self, n: int) -> int:
        return n


def decorated(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return inner


@decorated
def wrapped(n: int) -> int:
    return n


def ordered(a: int, /, b: int, *, c: int = 0) -> str:
    return f"{a}{b}{c}"


async def awaited(n: int) -> int:
    return n


@pytest.mark.parametrize(
    ("fn", "name", "names", "arguments", "content"),
    [
        (Kit(10).up, "up", ["n"], {"n": 5}, "15"),
        (Kit.made, "made", ["n"], {"n": 5}, "Kit5"),
        (Kit.plain, "plain", ["n"], {"n": 5}, "5"),
        (Kit(), "Kit", ["n"], {"n": 5}, "10"),
        (functools.partial(ordered, 1), "ordered", ["b", "c"], {"b": 2}, "120"),
        (functools.partial(functools.partial(ordered, 1), c=3), "ordered", ["b"], {"b": 2}, "123"),
        (functools.partial(Kit()), "Kit", ["n"], {"n": 5}, "10"),
        (wrapped, "wrapped", ["n"], {"n": 5}, "5"),
        (ordered, "ordered", ["a", "b", "c"], {"a": 1, "b": 2}, "120"),
        (awaited, "awaited", ["n"], {"n": 5}, "5"),
        (Later(), "Later", ["n"], {"n": 5}, "5"),
    ],
)
def test_callables_of_every_kind(
    fn: Callable[..., Any], name: str, names: list[str], arguments: dict[str, Any], content: str
) -> None:
    declared = Tool.from_function(fn)
    assert (declared.name, list(declared.parameters["properties"])) == (name, names)
    assert all(part["type"] == "integer" for part in declared.parameters["properties"].values())
    assert ran(declared, arguments).content == content


def test_positional_only_parameters_are_named() -> None:
    assert Tool.from_function(ordered).positional == ("a",)
    assert Tool.from_function(functools.partial(ordered, 1)).positional == ()


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (awaited, True),
        (functools.partial(awaited, n=1), True),
        (Later(), True),
        (functools.partial(Later()), True),
        (Later().__call__, True),
        (wrapped, False),
        (Kit(), False),
        (len, False),
    ],
)
def test_async_callables_are_known(fn: Callable[..., Any], expected: bool) -> None:
    assert Tool.from_function(fn).is_async is expected


def test_an_async_tool_is_awaited_like_its_function_and_can_not_run_in_a_process() -> None:
    assert asyncio.run(Tool.from_function(awaited)(3)) == 3
    with pytest.raises(ValueError, match="tool awaited: an async function"):
        Tool.from_function(awaited, run_in="process")


def test_the_description_of_an_object_is_that_of_its_call_or_of_its_class() -> None:
    assert Tool.from_function(Kit().up).description == "Add n."
    assert Tool.from_function(Kit()).description == ""
    assert Tool.from_function(Later()).description == "Waits, then answers."


def with_args(*values: int) -> int:
    return len(values)


def with_kwargs(**values: int) -> int:
    return len(values)


@pytest.mark.parametrize(
    ("fn", "kind", "words"),
    [
        (lambda n: n, ValueError, '"<lambda>" is not legal'),
        (Kit.up, ValueError, "a method is declared on its object"),
        (Kit, ValueError, "a class can't be declared"),
        (with_args, ValueError, r"with_args: \*values can't be declared"),
        (with_kwargs, ValueError, r"with_kwargs: \*\*values can't be declared"),
        (min, ValueError, "does not tell its parameters"),
        (5, TypeError, "not of 5"),
        ("read_file", TypeError, 'not of "read_file"'),
        (None, TypeError, "not of null"),
    ],
)
def test_what_can_not_be_a_tool_is_said_at_once(fn: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        Tool.from_function(fn)


def test_a_method_can_not_be_decorated_in_its_class() -> None:
    with pytest.raises(ValueError, match=r"tool up: a method is declared on its object: Tool\.from_function"):

        class Wrong:
            @tool
            def up(self, n: int) -> int:
                return n


@pytest.mark.parametrize("name", ["", "web.search", "My Tool!", "工具", "a" * 65, "post_/items", "a\n", 5])
def test_illegal_names_are_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="is not legal"):
        Tool.from_function(taking(int), name=name)


@pytest.mark.parametrize("name", ["1st", "ok-name_1", "a" * 64, "_"])
def test_legal_names_are_kept(name: str) -> None:
    assert Tool.from_function(taking(int), name=name).original_name == name


class Strange:
    pass


@pytest.mark.parametrize(
    "annotation",
    [Callable[[int], int], Strange, Annotated[str, Field(pattern="(")], list[Strange]],
)
def test_a_type_that_has_no_schema_is_refused_with_its_parameter(annotation: Any) -> None:
    def two(first: int, second: Any) -> int:
        return first

    two.__annotations__ = {"first": int, "second": annotation}
    with pytest.raises(ValueError, match=r"^tool two: the parameter second can't be declared"):
        tool(two)


def test_an_alias_is_refused() -> None:
    with pytest.raises(ValueError, match="the parameter value can't have an alias"):
        tool(taking(Annotated[int, Field(alias="other")]))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads typing.TypedDict from 3.12 on")
def test_an_old_typed_dict_is_refused_with_the_remedy() -> None:
    import typing

    old = typing.TypedDict("old", {"key": str})  # noqa: UP013
    with pytest.raises(ValueError, match="take TypedDict from typing_extensions"):
        tool(taking(old))


# ---- annotations that are text ----

MODULE = '''
from __future__ import annotations
from typing import TYPE_CHECKING, Literal, Optional
from pathlib import Path
from pydantic import BaseModel
if TYPE_CHECKING:
    from fractions import Fraction
class Box(BaseModel):
    w: int
def ship(box: Box, mode: Literal["air", "sea"] = "sea", label: Optional[str] = None, out: Path = Path(".")) -> Fraction:
    """Ship a box."""
    return f"{box.w}{mode}"
def factory():
    class Local(BaseModel):
        n: int
    def inner(size: int, item: Local) -> int:
        return item.n
    return inner
def unknown(size: int, part: Fraction) -> int:
    return size
def broken(size: int, part: "int |") -> int:
    return size
'''


@pytest.fixture(scope="module")
def elsewhere() -> Any:
    """A module whose names this one does not know."""
    module = types.ModuleType("elsewhere")
    sys.modules["elsewhere"] = module
    exec(MODULE, module.__dict__)
    yield module
    del sys.modules["elsewhere"]


def test_annotations_are_read_where_the_function_is_defined(elsewhere: Any) -> None:
    for fn in (elsewhere.ship, decorated(elsewhere.ship)):
        declared = tool(fn)
        assert declared.parameters["properties"]["mode"] == {"type": "string", "enum": ["air", "sea"], "default": "sea"}
        assert ran(declared, {"box": {"w": 2}, "mode": "air"}).content == "2air"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("inner", "the type Local of the parameter item is not known where the function is defined"),
        ("unknown", "the type Fraction of the parameter part is not known"),
        ("broken", "the annotation of the parameter part can't be read"),
    ],
)
def test_an_annotation_that_is_not_known_is_refused_at_once(elsewhere: Any, name: str, words: str) -> None:
    fn = elsewhere.factory() if name == "inner" else getattr(elsewhere, name)
    with pytest.raises(ValueError, match=f"^tool {name}: {words}"):
        tool(fn)


# ---- the tool itself ----


def test_options_are_kept_and_parallel_safe_follows_readonly() -> None:
    give = taking(int)
    assert (tool(give).timeout, tool(give).run_in, tool(give).readonly, tool(give).parallel_safe) == (
        10.0,
        "thread",
        False,
        False,
    )
    assert tool(readonly=True)(give).parallel_safe is True
    assert tool(readonly=True, parallel_safe=False)(give).parallel_safe is False
    assert tool(parallel_safe=True)(give).readonly is False
    assert tool(timeout=None)(give).timeout is None


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"time_out": 3}, TypeError),
        ({"timeout": 0}, ValueError),
        ({"timeout": -1}, ValueError),
        ({"timeout": float("nan")}, ValueError),
        ({"timeout": float("inf")}, ValueError),
        ({"timeout": "3"}, ValueError),
        ({"timeout": True}, ValueError),
        ({"run_in": "fork"}, ValueError),
        ({"touches": "path"}, TypeError),
        ({"check": 3}, TypeError),
    ],
)
def test_wrong_options_are_refused_by_name(options: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match=f"tool give: .*{next(iter(options))}"):
        tool(**options)(taking(int))
    with pytest.raises(kind, match=f"tool ping: .*{next(iter(options))}"):
        Tool.from_schema("ping", "", {}, lambda: "", **options)


def test_a_tool_looks_like_its_function() -> None:
    declared = tool(wrapped)
    assert inspect.signature(declared) == inspect.signature(wrapped)
    assert (declared.__name__, declared.__doc__, declared.__module__) == ("wrapped", wrapped.__doc__, __name__)
    assert inspect.unwrap(declared) is inspect.unwrap(wrapped)
    assert repr(Tool.from_function(ordered)) == "Tool(ordered: a, b, c)"
    assert repr(Tool.from_function(lambda: 1, name="ping")) == "Tool(ping: no parameters)"


def test_a_tool_is_a_value_and_a_copy_with_other_options_is_whole() -> None:
    declared = tool(wrapped)
    with pytest.raises(AttributeError):
        declared.timeout = 3.0  # type: ignore[misc]
    slow = replace(declared, timeout=60.0)
    assert (slow.timeout, declared.timeout, slow(4)) == (60.0, 10.0, 4)
    assert inspect.signature(slow) == inspect.signature(wrapped)


def test_a_tool_declared_again_keeps_its_function() -> None:
    first = Tool.from_function(awaited)
    again = Tool.from_function(first, name="other", readonly=True)
    assert (again.fn, again.is_async, again.name, again.readonly) == (awaited, True, "other", True)
    assert first.readonly is False


def test_definitions_are_copies() -> None:
    registry = ToolRegistry([tool(taking(Color, Color.RED))])
    before = copy.deepcopy(registry.definitions())
    for strict in (False, True):
        spoilt = registry.definitions(strict)[0]["function"]["parameters"]
        spoilt["properties"]["value"]["enum"].clear()
        spoilt["properties"]["new"] = {}
    assert registry.definitions() == before


NOTEBOOK = """
import threading, cloudpickle, pickle, subprocess, sys
from labkit import Tool, tool
factor = 3
@tool
def times(n: int, depth: int = 0) -> int:
    "Multiply; calls itself by its name, which is now the tool's."
    return times(n, depth=depth - 1) if depth else n * factor
source = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(n=2, depth=1))"
for thing in (times, times.fn):
    text = cloudpickle.dumps(thing)
    child = subprocess.run([sys.executable, "-c", source], input=text, capture_output=True)
    print(child.stdout.decode().strip(), child.returncode)
    print(pickle.loads(text)(n=2))
"""


def test_a_tool_of_a_script_travels_to_another_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(NOTEBOOK, encoding="utf-8")
    root = str(Path(__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root}
    child = subprocess.run([sys.executable, str(script)], capture_output=True, env=environment)
    assert child.stdout.decode().split() == ["6", "0", "6"] * 2, child.stderr.decode()[-500:]


# ---- strict ----


def assert_strict(part: Any, level: int = 1) -> None:
    """Assert each rule of strict schemas at every place."""
    assert isinstance(part, dict) and level <= 10
    assert not {"default", "prefixItems", "oneOf", "allOf", "uniqueItems", "discriminator", "patternProperties"} & set(
        part
    )
    if "$ref" in part:
        assert set(part) == {"$ref"}
        return
    types = [part["type"]] if isinstance(part.get("type"), str) else part.get("type", [])
    assert types or part.get("anyOf")
    assert "null" not in types or "enum" not in part or None in part["enum"]
    if "object" in types:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    if "array" in types:
        assert_strict(part["items"], level + 1)
    for inner in part.get("properties", {}).values():
        assert_strict(inner, level + 1)
    for inner in [*part.get("anyOf", []), *part.get("$defs", {}).values()]:
        assert_strict(inner, level)


def admits_null(part: dict[str, Any]) -> bool:
    return Draft202012Validator(part).is_valid(None)


STRICT = [
    (str, MISSING),
    (int, 1),
    (date, date(2025, 3, 1)),
    (datetime, MISSING),
    (Color, Color.RED),
    (Size, Size.SMALL),
    (Literal["a", 1, None], None),
    (Literal["a"], "a"),
    (Color | None, None),
    (int | str | None, None),
    (list[str], []),
    (set[str], MISSING),
    (Address, MISSING),
    (Address, Address(street="s")),
    (Address | None, None),
    (Annotated[Address, Field(description="where to")], MISSING),
    (Annotated[Address | None, Field(description="where to")], None),
    (Annotated[Address, Field(description="where to")], Address(street="s")),
    (list[Address], MISSING),
    (Point, Point(1)),
    (Option, MISSING),
    (Node, MISSING),
    (Address | Point, MISSING),
    (Address | Point, Point(1)),
    (Annotated[Cat | Dog, Field(discriminator="kind")], MISSING),
    (Annotated[Cat | Dog | None, Field(discriminator="kind")], None),
    (Decimal, Decimal(1)),
    (UUID, MISSING),
    (Path, Path()),
]


@pytest.mark.parametrize(("annotation", "default"), STRICT)
def test_the_strict_form_keeps_every_rule(annotation: Any, default: Any) -> None:
    declared = tool(taking(annotation, default))
    before = copy.deepcopy(declared.parameters)
    function = declared.definition(strict=True)["function"]
    assert function["strict"] is True
    assert_strict(function["parameters"])
    Draft202012Validator.check_schema(function["parameters"])
    value = function["parameters"]["properties"]["value"] | {"$defs": function["parameters"].get("$defs", {})}
    assert admits_null(value) == (default is not MISSING)
    assert declared.parameters == before


def test_the_way_back_from_strict_null_means_the_default() -> None:
    def order(item: str, qty: int = 1, addr: Address | None = None) -> str:
        """Order things."""
        return f"{item}x{qty} {addr.zip if addr else '-'}"

    declared = tool(order)
    assert ran(declared, '{"item": "a", "qty": null, "addr": null}').content == "ax1 -"
    assert ran(declared, '{"item": "a", "qty": 2, "addr": {"street": "s", "zip": null}}').content == "ax2 0000"
    assert ran(declared, '{"item": null}').error is not None


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (tuple[int, str], "value is a tuple"),
        (dict, "value is a free-form map"),
        (dict[str, int] | None, "value is a free-form map"),
        (list[dict[str, int]], "value.items is a free-form map"),
        (Open, "$defs.Open admits unknown properties"),
        (Any, "value has no type"),
        (list, "value.items has no type"),
        (list[Any], "value.items has no type"),
    ],
)
def test_what_can_not_be_strict_is_refused_with_its_place(annotation: Any, words: str) -> None:
    declared = tool(taking(annotation))
    with pytest.raises(ValueError) as refusal:
        declared.definition(strict=True)
    assert str(refusal.value).startswith("tool give can't be strict: ")
    assert words in str(refusal.value)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    return schema


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (nested(11), "nested more than 10 levels"),
        ({"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(5_001)}}, "5001 properties"),
        ({"type": "object", "properties": {"a": {"enum": list(range(1_001))}}}, "1001 enum values"),
        ({"type": "object", "properties": {"a": {"type": "string", "not": {"const": "a"}}}}, "a uses not"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "a does not say what its items are"),
        ({"type": "object", "properties": {"a": True}}, "the root has a property without a type"),
        ({"type": "object", "properties": {"a": {"$ref": "#", "minimum": 1}}}, "a says more than its reference"),
        ({"type": "object", "properties": {"a": {"anyOf": [{}], "oneOf": [{}]}}}, "a is two choices at once"),
        ({"type": "object", "properties": {}, "anyOf": [{"type": "object"}]}, "the root is a choice"),
    ],
)
def test_the_limits_of_strict_schemas(schema: dict[str, Any], words: str) -> None:
    assert any(words in sentence for sentence in not_strict(schema)), not_strict(schema)


def test_the_limits_themselves_are_within() -> None:
    assert not_strict(nested(10)) == []
    assert not_strict({"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(5_000)}}) == []
    assert not_strict({"type": "object", "properties": {"a": {"enum": list(range(1_000))}}}) == []


# ---- laws ----


def bounded(low: int, high: int) -> Any:
    return Annotated[int, Field(ge=low, le=high)]


ORDINARY: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers(-9, 9) | st.just(5.0)),
    (float, st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)),
    (str, st.text(max_size=3)),
    (bool, st.booleans()),
    (bounded(1, 3), st.integers(0, 4)),
    (Annotated[str, Field(min_length=1, max_length=2)], st.text(max_size=3)),
    (Annotated[str, Field(pattern="^(?=a)a+$")], st.text("ab", max_size=3)),
    (Literal["air", "sea"], st.sampled_from(["air", "sea", "rail"])),
    (Color, st.sampled_from(["red", "green", "Red", "RED"])),
    (Point, st.fixed_dictionaries({}, optional={"x": st.integers(0, 3), "y": st.just(0.5)})),
    (Option, st.dictionaries(st.just("key"), st.text(max_size=2) | st.integers())),
]


@st.composite
def annotated(draw: st.DrawFn) -> tuple[Any, st.SearchStrategy[Any]]:
    """Draw an annotation and values that often fit it."""
    annotation, values = draw(st.sampled_from(ORDINARY))
    match draw(st.sampled_from(["plain", "optional", "list", "dict"])):
        case "optional":
            return annotation | None, values | st.none()
        case "list":
            return list[annotation], st.lists(values, max_size=3)
        case "dict":
            return dict[str, annotation], st.dictionaries(st.sampled_from("ab"), values, max_size=2)
    return annotation, values


@st.composite
def signatures(draw: st.DrawFn) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Draw a function of some parameters, and arguments for it."""
    names = draw(st.lists(st.sampled_from(["path", "size", "json", "type", "_x"]), max_size=4, unique=True))
    hints, parameters, arguments = {}, [], {}
    for name in names:
        hints[name], values = draw(annotated())
        default = draw(st.sampled_from([inspect.Parameter.empty, None, 3, "air", MISSING]))
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        if draw(st.integers(0, 4)):
            arguments[name] = draw(values | json_values if draw(st.booleans()) else values)
    fn = types.FunctionType((lambda **values: values).__code__, {}, "drawn")
    signature = [p.replace(annotation=hints[p.name]) for p in parameters]
    fn.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return fn, arguments


@settings(max_examples=300, deadline=None)
@given(signatures())
def test_law_the_adapter_and_the_schema_accept_the_same(drawn: tuple[Callable[..., Any], dict[str, Any]]) -> None:
    fn, arguments = drawn
    declared = Tool.from_function(fn)
    Draft202012Validator.check_schema(declared.parameters)
    values, _ = normaliser(declared.parameters)(arguments)
    assert declared.adapter is not None
    try:
        declared.adapter.validator.validate_json(json.dumps(values), strict=True)
        accepted = True
    except ValidationError:
        accepted = False
    assert Draft202012Validator(declared.parameters).is_valid(values) == accepted


@settings(max_examples=100, deadline=None)
@given(signatures())
def test_law_a_declaration_is_json_lintable_and_strict_or_refused(
    drawn: tuple[Callable[..., Any], dict[str, Any]],
) -> None:
    declared = Tool.from_function(drawn[0])
    assert json.loads(json.dumps(declared.definition(), allow_nan=False)) == declared.definition()
    assert set(declared.parameters["required"]) | set(declared.defaults) == set(declared.parameters["properties"])
    refused = any(finding.rule == "not_strict" for finding in lint(declared))
    assert refused == bool(not_strict(declared.parameters))
    if not refused:
        assert_strict(declared.definition(strict=True)["function"]["parameters"])


# ---- lint ----

GOOD = Field(description="such as 3")
LONG = "Says what it does, when to use it, and what it does not do."


def parameter(schema: dict[str, Any], name: str = "part") -> Tool:
    return Tool.from_schema("work", LONG, {"type": "object", "properties": {name: schema}}, lambda **values: "")


def with_default(kind: Any, value: Any) -> Tool:
    """A tool with a required parameter, and one of this kind with this default."""

    def work(first: str, part: Any = value) -> str:
        return ""

    work.__annotations__["part"] = kind
    return Tool.from_function(work)


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (date, "2026-09-01", False),  # it reads as a date, and the function would get text
        (date, date(2026, 9, 1), True),
        (str, None, False),
        (int, "3", False),
        (Annotated[int, Field(le=5)], 6, False),
        (Literal["on"], "off", False),
        (float, 1, True),
        (list[str], (), True),  # a tuple can't be changed by one call for the next
        (Any, "x", True),
        (Color, Color.RED, True),
        (Color, "red", False),
    ],
)
def test_a_default_that_the_function_would_get_in_a_wrong_type_is_found(kind: Any, value: Any, fits: bool) -> None:
    found = [finding.place for finding in lint(with_default(kind, value)) if finding.rule == "unfit_default"]
    assert found == ([] if fits else ["part"])


@pytest.mark.parametrize(
    ("rule", "fires", "silent"),
    [
        ("no_description", Tool.from_schema("t", "", {}, lambda: ""), Tool.from_schema("t", LONG, {}, lambda: "")),
        (
            "short_description",
            Tool.from_schema("t", "Works.", {}, lambda: ""),
            Tool.from_schema("t", LONG, {}, lambda: ""),
        ),
        (
            "long_description",
            Tool.from_schema("t", "a" * 1_025, {}, lambda: ""),
            Tool.from_schema("t", "a" * 1_024, {}, lambda: ""),
        ),
        ("changed", parameter({"type": "int"}), parameter({"type": "integer"})),
        ("no_parameter_description", parameter({"type": "string"}), parameter({"type": "string", "description": "a"})),
        ("no_type", parameter({"description": "a"}), parameter({"enum": [1]})),
        ("one_letter_name", parameter({"type": "string"}, "x"), parameter({"type": "string"}, "xy")),
        ("date_as_text", parameter({"type": "string"}, "start_date"), parameter({"type": "string"}, "candidate")),
        ("date_as_text", parameter({"type": "string"}, "endDate"), parameter({"type": "string"}, "update")),
        (
            "date_as_text",
            parameter({"type": "string"}, "date"),
            parameter({"type": "string", "format": "date"}, "date"),
        ),
        (
            "unbounded_limit",
            parameter({"type": "integer"}, "limit"),
            parameter({"type": "integer", "maximum": 9}, "limit"),
        ),
        ("bare_array", parameter({"type": "array"}), parameter({"type": "array", "items": {"type": "string"}})),
        ("not_strict", parameter({"type": "object"}), parameter({"type": "string"})),
        ("unfit_default", with_default(date, ""), with_default(date | None, None)),
    ],
)
def test_each_rule_fires_where_it_should_only(rule: str, fires: Tool, silent: Tool) -> None:
    found = [finding for finding in lint(fires) if finding.rule == rule]
    assert len(found) == 1
    assert found[0].message
    assert rule not in {finding.rule for finding in lint(silent)}


def test_findings_name_the_place_also_of_a_nested_parameter() -> None:
    def ship(to: Annotated[Address, GOOD]) -> str:
        return ""

    found = lint(tool(description=LONG)(ship))
    assert [finding.place for finding in found] == ["$defs.Address.street", "$defs.Address.zip"]
    assert str(Finding("", "r", "is short")) == "(tool): is short"
    assert str(Finding("a.b", "r", "is bare")) == "a.b: is bare"


def test_a_good_declaration_leaves_nothing_to_say() -> None:
    def count(lines: Annotated[int, Field(description="how many, such as 3")] = 3) -> int:
        return lines

    assert lint(tool(description=LONG)(count)) == []


# ---- the registry ----


def named(name: str) -> Tool:
    return Tool.from_schema(name, "", {}, lambda: name)


def test_tools_come_out_in_the_order_in_which_they_went_in() -> None:
    registry = ToolRegistry([named("b"), named("a")])
    late = registry.register(named("c"))
    assert [each.name for each in registry] == ["b", "a", "c"]
    assert [each["function"]["name"] for each in registry.definitions()] == ["b", "a", "c"]
    assert registry["c"] is late
    assert len(registry) == 3
    assert repr(registry) == "ToolRegistry(b, a, c)"


def test_iterating_is_not_disturbed_by_a_later_tool() -> None:
    registry = ToolRegistry([named("a")])
    for each in registry:
        registry.register(named(each.name + "x"))
    assert [each.name for each in registry] == ["a", "ax"]


@pytest.mark.parametrize(
    ("first", "second"), [("a", "a"), ("a.b", "a.b"), ("a.b", "a_b"), ("a_b", "a.b"), ("a.b", "a b")]
)
def test_a_second_tool_of_one_name_is_refused(first: str, second: str) -> None:
    registry = ToolRegistry([named(first)])
    with pytest.raises(ValueError, match=r"there is a tool .* already"):
        registry.register(named(second))
    assert [each.original_name for each in registry] == [first]


def test_a_tool_is_found_by_both_of_its_names() -> None:
    registry = ToolRegistry([named("math.add")])
    assert registry["math_add"] is registry["math.add"] is registry.get("math.add")
    assert "math.add" in registry and "math_add" in registry and "math-add" not in registry


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(KeyError) as missing:
        ToolRegistry([named("a"), named("b")])["c"]
    assert missing.value.args == ('there is no tool "c"; there are: a, b',)
    with pytest.raises(KeyError, match="there are: none"):
        ToolRegistry()["c"]


@pytest.mark.parametrize("name", [None, 5, [], {}, b"a", object(), ("a",), float("nan")])
def test_asking_for_what_is_no_name_never_fails_otherwise(name: Any) -> None:
    registry = ToolRegistry([named("a")])
    assert name not in registry
    assert registry.get(name) is None
    with pytest.raises(KeyError, match="there is no tool"):
        registry[name]


def test_the_registrys_decorator_registers_with_and_without_options() -> None:
    registry = ToolRegistry()

    @registry.tool
    def first(n: int) -> int:
        return n

    @registry.tool(name="other", readonly=True)
    def second(n: int) -> int:
        return n

    assert [(each.name, each.readonly) for each in registry] == [("first", False), ("other", True)]
    assert (first(1), second(2)) == (1, 2)
    with pytest.raises(ValueError, match='there is a tool "first" already'):
        registry.tool(name="first")(taking(int))


def test_what_is_no_tool_is_not_registered() -> None:
    with pytest.raises(TypeError, match="register takes a Tool, not function"):
        ToolRegistry([taking(int)])  # type: ignore[list-item]


@pytest.mark.parametrize("bound", [Field(ge=math.nan), Field(lt=math.nan), Field(multiple_of=math.nan)])
def test_a_bound_that_is_not_a_number_is_refused_where_it_is_declared(bound: Any) -> None:
    def wait(seconds: float) -> str:
        "Wait."
        return ""

    wait.__annotations__["seconds"] = Annotated[float, bound]
    with pytest.raises(ValueError, match="the parameter seconds can't be declared: JSON Schema can't describe"):
        Tool.from_function(wait)
