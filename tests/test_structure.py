"""How the house is built: floors, fronts, lengths, tests that can fail, and nothing of anybody's machine.

Every rule is a function that takes text and returns what is wrong, a sentence each. It is tried on small made-up
sources first, so that it is known to fail, and then on the files of this checkout.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
LABKIT = ROOT / "labkit"

FLOORS = {
    "calls": 1,
    "paths": 1,
    "validate": 2,
    "trace": 2,
    "history": 2,
    "declare": 3,
    "schedule": 4,
    "routing": 4,
    "guard": 4,
    "timeline": 5,
    "workers": 5,
    "runtime": 6,
    "models": 6,
    "agent": 7,
    "toolsets": 7,
    "course": 8,
    "widgets": 9,
    "commands": 10,
    "opening": 10,
    "__main__": 10,
}
COMES_LATER = {"routing"}
FRONT_DOOR = 11  # labkit itself: it may import every room, and no room imports it
SAME_FLOOR = {("__main__", "commands"), ("__main__", "opening")}
WITHOUT_CHAPTER = {"paths", "commands", "__main__"}

MAY_PRINT = ("labkit/__main__.py", "labkit/commands/", "labkit/course/lab.py", "labkit/opening/")
LONGEST_FILE = 260
LONGEST_FUNCTION = 45

Function = ast.FunctionDef | ast.AsyncFunctionDef


# ---- floors ----


def room_of(module: str) -> str:
    """``labkit.models.base`` stands in the room ``models``; the front door is no room."""
    return module.split(".")[1] if "." in module else ""


def imported_rooms(source: str, module: str, is_package: bool = False) -> list[tuple[int, str]]:
    """Every import of labkit in a source, also inside functions: line, and room ("" for the front door)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for target in _targets(node, module, is_package):
            if target == "labkit" or target.startswith("labkit."):
                found.append((getattr(node, "lineno", 0), room_of(target)))
    return found


def _targets(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=origin, names=names, level=level):
            base = _absolute(origin, level, module, is_package)
            if base != "labkit":
                yield base
            for alias in names if base == "labkit" else ():
                yield f"labkit.{alias.name}" if alias.name in FLOORS else "labkit"
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _last_name(func) in (
            "import_module",
            "__import__",
        ):
            yield name


def _absolute(origin: str | None, level: int, module: str, is_package: bool) -> str:
    if not level:
        return origin or ""
    parts = module.split(".")
    base = parts[: len(parts) - level + is_package]
    return ".".join([*base, *([origin] if origin else [])])


def climbs(source: str, module: str, is_package: bool = False) -> list[str]:
    """The imports of a module that do not go down a floor, a sentence each."""
    room = room_of(module)
    floor = FLOORS.get(room, FRONT_DOOR)
    wrong = []
    for line, target in imported_rooms(source, module, is_package):
        below = FLOORS.get(target, FRONT_DOOR)
        if room == target or below < floor or (room, target) in SAME_FLOOR:
            continue
        wrong.append(f"{module}:{line} (floor {floor}) imports {target or 'labkit'} (floor {below})")
    return wrong


def modules() -> Iterator[tuple[Path, str, bool]]:
    for path in sorted(LABKIT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        yield path, ".".join(parts[:-1] if is_package else parts), is_package


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from labkit.declare import Tool", "labkit.calls"),
        ("import labkit.agent", "labkit.runtime.batch"),
        ("def f():\n    from labkit.runtime import ToolRuntime", "labkit.validate.parse"),
        ("if TYPE_CHECKING:\n    from labkit.models.base import Model", "labkit.timeline"),
        ("from labkit.trace import Trace", "labkit.history"),
        ("from ..agent import Agent", "labkit.models.base"),
        ("from labkit import agent", "labkit.runtime.batch"),
        ("from labkit import ToolCall", "labkit.agent"),
        ("import_module('labkit.agent')", "labkit.models.base"),
        ("from labkit.opening import main", "labkit.commands.play"),
    ],
)
def test_an_import_that_does_not_go_down_is_found(source: str, module: str) -> None:
    assert len(climbs(source, module)) == 1


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import json\nfrom pydantic import Field", "labkit.calls"),
        ("from labkit.calls import ToolCall", "labkit.agent"),
        ("from labkit.validate.parse import parse", "labkit.validate.adapters"),
        ("from labkit import history, trace", "labkit.agent"),
        ("from .base import Model", "labkit.models.scripted"),
        ("from labkit.commands import play", "labkit.__main__"),
        ("from labkit.agent import Agent", "labkit"),
        ("text = 'import labkit.agent'", "labkit.calls"),
    ],
)
def test_an_import_that_goes_down_is_allowed(source: str, module: str) -> None:
    assert climbs(source, module) == []


def test_relative_imports_are_resolved_from_packages_too() -> None:
    assert imported_rooms("from .parse import parse", "labkit.validate", is_package=True) == [(1, "validate")]
    assert imported_rooms("from ..calls import ToolCall", "labkit.validate.parse") == [(1, "calls")]
    assert imported_rooms("from .. import calls", "labkit.validate", is_package=True) == [(1, "calls")]
    assert imported_rooms("from . import calls", "labkit", is_package=True) == [(1, "calls")]


def test_every_room_imports_only_from_floors_below() -> None:
    wrong = [
        sentence
        for path, module, is_package in modules()
        for sentence in climbs(path.read_text(encoding="utf-8"), module, is_package)
    ]
    assert not wrong, in_lines(wrong)


def test_the_rooms_are_those_of_the_map() -> None:
    rooms = {room_of(module) for _, module, _ in modules()} - {""}
    assert rooms - set(FLOORS) == set(), "a new room needs a floor"
    assert set(FLOORS) - rooms <= COMES_LATER, "a room of the map is missing"


def floors_told(text: str) -> dict[str, int]:
    """The rooms and floors of a table whose rows begin ``| 4 | `routing`, `guard` |``."""
    rows = re.findall(r"(?m)^\| (\d+) \| ([^|]+) \|", text)
    return {room.rstrip("/"): int(floor) for floor, rooms in rows for room in re.findall(r"`([^`]+)`", rooms)}


def test_the_map_for_people_is_the_map_that_is_held() -> None:
    assert floors_told("| 2 | `trace` | 07 |\n| 4 | `a/`, `b` | 05 |\n") == {"trace": 2, "a": 4, "b": 4}
    assert floors_told((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == FLOORS


# ---- docstrings ----


def front_faults(docstring: str, needs_chapter: bool) -> list[str]:
    """What a room's front does not say."""
    wrong = [] if "Does not" in docstring else ["does not say what it does not do"]
    if needs_chapter and not re.search(r"\b[Cc]hapters?\b", docstring):
        wrong.append("names no chapter")
    return wrong


def test_a_front_without_its_two_lines_is_found() -> None:
    assert len(front_faults("The values that travel.", needs_chapter=True)) == 2
    assert front_faults("The values.\n\nChapter 01.\n\nDoes not: act.", needs_chapter=True) == []
    assert front_faults("Where things are.\n\nDoes not: act.", needs_chapter=False) == []


def test_every_module_says_what_it_is_and_every_room_what_it_leaves_out() -> None:
    wrong = []
    for path, module, is_package in modules():
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if not docstring:
            wrong.append(f"{module} has no docstring")
        elif module.count(".") == 1 and (is_package or path.parent == LABKIT):
            room = room_of(module)
            wrong += [f"{module} {fault}" for fault in front_faults(docstring, room not in WITHOUT_CHAPTER)]
    assert not wrong, in_lines(wrong)


# ---- lengths, prints, marks ----


def prints(source: str) -> list[int]:
    """The lines on which a source calls ``print``."""
    return [n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and _name(n.func) == "print"]


def unfinished(source: str) -> list[str]:
    """Marks of unfinished work: in comments, and as an exception raised in place of the work."""
    comments = (t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT)
    found = [f"line {t.start[0]}: {t.string}" for t in comments if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", t.string)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if _name(raised) == "NotImplementedError":
                found.append(f"line {node.lineno}: raises NotImplementedError")
    return found


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Every function of a source, nested ones too, with its length in lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_prints_and_marks_and_lengths_are_found() -> None:
    assert prints("def f():\n    print('x')\n") == [2]
    assert prints("'print(x)'\nself.print(1)\n") == []
    assert unfinished("x = 1  # TODO: the rest\n") == ["line 1: # TODO: the rest"]
    assert unfinished("def f():\n    raise NotImplementedError('later')\n") == ["line 2: raises NotImplementedError"]
    assert unfinished("x = 'TODO'  # says TODOS\n") == []
    assert list(functions("def f():\n    def g():\n        pass\n    return g\n")) == [("f", 4), ("g", 2)]


def test_only_the_edges_print() -> None:
    wrong = [
        f"{name}:{line}"
        for name, source in python_files("labkit")
        if not name.startswith(MAY_PRINT)
        for line in prints(source)
    ]
    assert not wrong, in_lines(wrong)


def test_nothing_is_left_unfinished() -> None:
    wrong = [
        f"{name} {mark}" for name, source in python_files("labkit", "tests", "lab.py") for mark in unfinished(source)
    ]
    assert not wrong, in_lines(wrong)


def test_files_and_functions_can_be_read_in_one_go() -> None:
    wrong = []
    for name, source in python_files("labkit"):
        if (lines := len(source.splitlines())) > LONGEST_FILE:
            wrong.append(f"{name} has {lines} lines, more than {LONGEST_FILE}")
        wrong += [
            f"{name}: {function} has {length} lines, more than {LONGEST_FUNCTION}"
            for function, length in functions(source)
            if length > LONGEST_FUNCTION
        ]
    assert not wrong, in_lines(wrong)


# ---- tests that can fail ----


def asserts(node: ast.AST, helpers: Iterable[str] = ()) -> bool:
    """Whether a function can fail by its own judgement, or calls a helper that can."""
    return any(
        isinstance(part, ast.Assert)
        or (isinstance(part, ast.Call) and _spelled(part.func) in ("pytest.raises", "pytest.fail"))
        or (isinstance(part, ast.Call) and _last_name(part.func) in helpers)
        for part in ast.walk(node)
    )


def helpers_that_assert(trees: Iterable[ast.Module]) -> set[str]:
    """The names of the ``assert_…`` and ``check_…`` functions that hold an assertion, also by way of each other."""
    named = [
        node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, Function) and node.name.startswith(("assert_", "check_"))
    ]
    found: set[str] = set()
    while more := {node.name for node in named if asserts(node, found)} - found:
        found |= more
    return found


def idle_tests(tree: ast.Module, helpers: Iterable[str]) -> list[str]:
    """Tests that assert nothing."""
    return [
        f"line {node.lineno}: {node.name} asserts nothing" for node in _tests_of(tree) if not asserts(node, helpers)
    ]


def empty_assertions(tree: ast.Module) -> list[str]:
    """Assertions that hold whatever happens."""
    return [
        f"line {node.lineno}: {ast.unparse(node)} can't fail"
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and _always_holds(node.test)
    ]


def _always_holds(test: ast.expr) -> bool:
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=[_, *_]):
            return True
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()], comparators=[right]):
            return ast.dump(left) == ast.dump(right)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(_always_holds, values))
        case _:
            return False


def sleeping_tests(tree: ast.Module) -> list[str]:
    """Tests that sleep in their own body; a slow tool declared inside a test may."""
    return [
        f"line {call.lineno}: {test.name} sleeps"
        for test in _tests_of(tree)
        for call in _own_calls(test)
        if _last_name(call.func) == "sleep"
    ]


def sleeping_helpers(tree: ast.Module, allowed: tuple[str, ...]) -> list[str]:
    """Functions at the top of a file, and methods, that sleep without a name that says so."""
    outer = [node for owner in _owners(tree) for node in owner.body if isinstance(node, Function)]
    return [
        f"line {call.lineno}: {node.name} sleeps"
        for node in outer
        if not node.name.startswith(("test_", *allowed))
        for call in _own_calls(node)
        if _last_name(call.func) == "sleep"
    ]


def _tests_of(tree: ast.Module) -> list[Function]:
    return [
        node
        for owner in _owners(tree)
        for node in owner.body
        if isinstance(node, Function) and node.name.startswith("test_")
    ]


def _owners(tree: ast.Module) -> list[ast.Module | ast.ClassDef]:
    return [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]


def _own_calls(function: Function) -> Iterator[ast.Call]:
    """The calls in a function's own body, without those of functions and classes defined in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (lambda t: idle_tests(t, ()), "def test_x():\n    run()\n"),
        (lambda t: idle_tests(t, ()), "class TestX:\n    def test_x(self):\n        run()\n"),
        (lambda t: idle_tests(t, ()), "def test_x():\n    check_it()\n"),
        (
            lambda t: idle_tests(t, helpers_that_assert([t])),
            "def check_it():\n    run()\ndef test_x():\n    check_it()\n",
        ),
        (empty_assertions, "assert True\n"),
        (empty_assertions, "assert 'a sentence'\n"),
        (empty_assertions, "assert (x == 2, 'why')\n"),
        (empty_assertions, "assert x.y == x.y\n"),
        (empty_assertions, "assert x or True\n"),
        (sleeping_tests, "def test_x():\n    time.sleep(1)\n    assert done\n"),
        (sleeping_tests, "async def test_x():\n    await asyncio.sleep(1)\n    assert done\n"),
        (lambda t: sleeping_helpers(t, ("slow",)), "def settle():\n    sleep(1)\n"),
    ],
)
def test_a_test_that_could_not_fail_is_found(rule: Callable[[ast.Module], list[str]], source: str) -> None:
    assert len(rule(ast.parse(source))) == 1


def test_tests_that_can_fail_are_let_through() -> None:
    source = (
        "def test_a():\n    assert run() == 2\n"
        "def test_b():\n    with pytest.raises(ValueError):\n        run()\n"
        "def check_it(x):\n    assert x\n"
        "def assert_both(x):\n    check_it(x)\n"
        "def test_c():\n    assert_both(run())\n"
        "def test_d():\n    def slow():\n        time.sleep(1)\n    assert run(slow) == 2\n"
        "def slow_tool():\n    time.sleep(1)\n"
    )
    tree = ast.parse(source)
    assert helpers_that_assert([tree]) == {"check_it", "assert_both"}
    assert idle_tests(tree, helpers_that_assert([tree])) == []
    assert empty_assertions(tree) == []
    assert sleeping_tests(tree) == []
    assert sleeping_helpers(tree, ("slow",)) == []


SLOW_BY_NAME = ("slow", "hang", "nap", "sleep", "wait_and")
"""How the names of tools begin whose very work is to take time; nothing else in tests/ sleeps."""


def test_every_test_asserts_something_that_could_be_false() -> None:
    trees = {name: ast.parse(source) for name, source in python_files("tests")}
    helpers = helpers_that_assert(trees.values())
    wrong = [f"{name} {fault}" for name, tree in trees.items() for fault in idle_tests(tree, helpers)]
    wrong += [f"{name} {fault}" for name, tree in trees.items() for fault in empty_assertions(tree)]
    assert not wrong, in_lines(wrong)


def test_no_test_sleeps_to_wait_for_something() -> None:
    trees = {name: ast.parse(source) for name, source in python_files("tests")}
    wrong = [f"{name} {fault}" for name, tree in trees.items() for fault in sleeping_tests(tree)]
    wrong += [f"{name} {fault}" for name, tree in trees.items() for fault in sleeping_helpers(tree, SLOW_BY_NAME)]
    assert not wrong, in_lines(wrong)


# ---- nothing of anybody's machine ----

PRIVATE = {
    "a path of one machine": re.compile(
        r"(?<![\w.:])/(?:(?:root|work)/|(?:home|Users)/(?!ann\b))[\w.-]+|\b[A-Z]:\\{1,2}Users\\{1,2}(?!ann\b)\w",
        re.ASCII,
    ),  # ann is made up: tests that look for paths in messages need one
    "a package index": re.compile(
        r"(?m:^\s*--?(?:extra-)?index-url)"
        r"|\"resolved\": \"https?:"
        r"|https?://[^\s\"'`)]+/(?:simple|packages)/"
        r"|\b(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|conda\.anaconda\.org|proxy\.golang\.org)\b"
    ),
    "something shaped like a key": re.compile(
        r"\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    ),
}
NOT_SHIPPED = {".git", ".venv", "my", "traces", "build", "dist", "node_modules"}


def private_parts(text: str) -> list[str]:
    """What in a text belongs to one machine or one person."""
    return [
        f"line {text.count(chr(10), 0, found.start()) + 1} names {what}: {found[0]}"
        for what, pattern in PRIVATE.items()
        for found in pattern.finditer(text)
    ]


def shipped_files() -> list[Path]:
    """The tracked files; where git does not know the checkout, all files but caches and what lab.py makes."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=30)
        names = [name for name in listed.stdout.decode("utf-8").split("\0") if name and not listed.returncode]
    except (OSError, subprocess.TimeoutExpired):
        names = []
    if names:
        return [path for path in map(ROOT.joinpath, names) if path.is_file()]
    return sorted(_walk(ROOT))


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        cache = path.name.startswith(".") and path.name.endswith("_cache")
        if path.is_file():
            yield path
        elif not cache and path.name not in NOT_SHIPPED | {"__pycache__", ".hypothesis", ".ipynb_checkpoints"}:
            yield from _walk(path)


@pytest.mark.parametrize(
    "text",
    [
        "see " + "/home/" + "ada/labkit",
        '"' + "/Users/" + 'ada/x"',
        "C:" + "\\Users\\" + "ada",
        "--index-" + "url https://example.org",
        "https://mirror.example" + "/simple/" + "labkit",
        "from " + "pypi" + ".org",
        'key = "sk-' + "a" * 24 + '"',
        "-----BEGIN RSA PRIVATE" + " KEY-----",
    ],
)
def test_what_belongs_to_one_machine_is_found(text: str) -> None:
    assert len(private_parts(f"first line\n{text}\n")) == 1


@pytest.mark.parametrize(
    "text", ["data/work/x", "https://example.org/home/ada", "sk-…", "python.org", "/etc/passwd", "a task-" + "a" * 24]
)
def test_what_belongs_to_nobody_is_let_through(text: str) -> None:
    assert private_parts(text) == []


def test_no_file_names_a_machine_an_index_or_a_key() -> None:
    files = shipped_files()
    assert ROOT / "lab.py" in files
    wrong = []
    for path in files:
        if path.stat().st_size < 2_000_000 and path.suffix not in (".png", ".pyc"):
            text = path.read_text(encoding="utf-8", errors="replace")
            wrong += [f"{path.relative_to(ROOT).as_posix()} {found}" for found in private_parts(text)]
    assert not wrong, in_lines(wrong)


# ---- one list of requirements, told three times ----


def conda_requirements(text: str) -> set[str]:
    """The requirements of an ``environment.yml``: the items of the list, without those of its pip section."""
    return {item.strip() for item in re.findall(r"(?m)^  - ([^:\n]+)$", text.partition("dependencies:")[2])}


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(*extras: str) -> set[str]:
    told = project()
    return {*told["dependencies"], *(each for extra in extras for each in told["optional-dependencies"][extra])}


def names(wanted: Iterable[str]) -> set[str]:
    """The packages of some requirements, spelled as package indexes compare them."""
    return {re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", each, maxsplit=1)[0]).lower() for each in wanted}


def test_requirements_are_read_from_both_forms() -> None:
    text = "name: x\nchannels:\n  - conda-forge\ndependencies:\n  - python>=3.11\n  - pip\n  - pip:\n      - -e .\n"
    assert conda_requirements(text) == {"python>=3.11", "pip"}
    assert names(["docstring_parser>=0.16", "Regex==1 ; x", "pytest"]) == {"docstring-parser", "regex", "pytest"}


def test_conda_and_the_project_ask_for_the_same() -> None:
    told = conda_requirements((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert told == requirements("lab", "test") | {f"python{project()['requires-python']}", "pip"}


@pytest.mark.parametrize(
    ("lock", "extras"), [("requirements.lock", ("lab", "test")), ("requirements-dev.lock", ("dev",))]
)
def test_the_lock_holds_all_that_is_asked_for(lock: str, extras: tuple[str, ...]) -> None:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.lstrip().startswith("#")]
    assert names(requirements(*extras)) <= names(pinned)
    assert [line for line in pinned if "==" not in line] == []


# ---- helpers ----


def in_lines(wrong: Iterable[str]) -> str:
    """All that is wrong, one a line, as the message of a failed test."""
    return "\n" + "\n".join(wrong)


def python_files(*places: str) -> Iterator[tuple[str, str]]:
    """Name and text of every Python file in the places, which are folders or files of the checkout."""
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else _name(node)


def _spelled(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""
