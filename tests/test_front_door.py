"""The front door: what ``import labkit`` gives, what it costs, and that its names keep their promises."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import labkit
import labkit.course
import labkit.models
import labkit.toolsets
from labkit import ErrorCode, Failure, Tool, ToolRegistry, ToolRuntime, tool
from labkit.paths import repository

HEAVY = (
    "IPython",
    "cloudpickle",
    "docstring_parser",
    "hypothesis",
    "ipywidgets",
    "jsonschema",
    "matplotlib",
    "openai",
    "psutil",
    "regex",
)


def fresh(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter, in an empty folder, with this checkout's labkit."""
    env = os.environ | {"PYTHONPATH": str(repository()), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=60
    )


# ---- the list of names ----


def in_order(names: list[str]) -> list[str]:
    """Constants first, then classes, then the rest, each by name: the order that the linter keeps (RUF022)."""
    return sorted(names, key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name))


def public(module: ModuleType) -> set[str]:
    """The names that a module gives, those that it loads only when they are asked for included."""
    for name in module.__all__:
        getattr(module, name)
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and value not in (TYPE_CHECKING, Any)
    }


def test_the_order_of_names_is_the_linters() -> None:
    assert in_order(["plan", "Agent", "POLICIES", "Run", "lint"]) == ["POLICIES", "Agent", "Run", "lint", "plan"]


def test_all_is_sorted_and_is_the_public_surface() -> None:
    assert labkit.__all__ == in_order(labkit.__all__)
    assert set(labkit.__all__) == public(labkit)
    assert len(set(labkit.__all__)) == len(labkit.__all__)


@pytest.mark.parametrize("room", [labkit.models, labkit.toolsets, labkit.course], ids=lambda room: room.__name__)
def test_the_other_fronts_say_what_they_give(room: ModuleType) -> None:
    assert room.__all__ == in_order(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)


def test_everything_at_the_front_door_says_what_it_is() -> None:
    values = {name: getattr(labkit, name) for name in labkit.__all__}
    silent = [name for name, value in values.items() if callable(value) and not inspect.getdoc(value)]
    assert silent == []


# ---- the import ----


def test_importing_labkit_says_nothing(tmp_path: Path) -> None:
    done = fresh("import labkit", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_importing_labkit_loads_nothing_heavy(tmp_path: Path) -> None:
    done = fresh("import sys, json, labkit; print(json.dumps(sorted(sys.modules)))", tmp_path)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded & set(HEAVY) == set()
    assert {"labkit", "json"} <= loaded, "the list of loaded modules is not what it seems"


@pytest.mark.parametrize(
    "first",
    [
        "import labkit",
        "import labkit.validate",
        "import labkit.validate.adapters",
        "from labkit.validate.normalise import normaliser",
        "import importlib; importlib.import_module('labkit.validate.parse')",
        "import labkit; import labkit.validate; import labkit.validate.normalise",
    ],
)
def test_validate_is_the_function_and_stays_it(first: str, tmp_path: Path) -> None:
    asked = "import labkit; print(labkit.validate({'type': 'integer'}, '5')[1][0].rule)"
    done = fresh(f"{first}; {asked}", tmp_path)
    assert (done.stdout, done.stderr) == ("type\n", "")


# ---- fixed names ----

NEEDED = inspect.Parameter.empty

# name -> its documented parameters, with their defaults where they have one
SIGNATURES: dict[str, dict[str, Any]] = {
    "ToolCall": {"id": NEEDED, "name": NEEDED, "arguments": NEEDED},
    "ToolOutput": {"content": NEEDED, "ok": True, "data": None},
    "Failure": {"reason": NEEDED, "suggestion": None, "code": "failed"},
    "ToolError": {"code": NEEDED, "message": NEEDED, "tool": NEEDED, "hint": None, "problems": ()},
    "CallRefused": {"error": NEEDED},
    "Problem": {"path": NEEDED, "rule": NEEDED, "message": NEEDED},
    "Tool.from_function": {"fn": NEEDED},
    "Tool.from_schema": {"name": NEEDED, "description": NEEDED, "parameters": NEEDED, "fn": NEEDED},
    "Tool.definition": {"strict": False},
    "ToolRegistry.register": {"tool": NEEDED},
    "ToolRegistry.definitions": {},
    "parse_arguments": {"raw": NEEDED, "repair": "lossless"},
    "validate": {"schema": NEEDED, "value": NEEDED},
    "plan": {"calls": NEEDED, "registry": NEEDED, "policy": "barriers"},
    "Timeline.predict": {"plan": NEEDED, "durations": NEEDED, "max_parallel": 64},
    "Timeline.from_trace": {"trace": NEEDED},
    "Timeline.to_svg": {},
    "ToolRuntime": {
        "registry": NEEDED,
        "policy": "barriers",
        "max_parallel": 64,
        "validator": "pydantic",
        "executor": None,
    },
    "ToolRuntime.dispatch": {"call": NEEDED},
    "ToolRuntime.dispatch_many": {"calls": NEEDED, "on_event": None, "began": None},
    "RetryGuard": {"max_same_failures": 2, "max_same_results": 3},
    "Agent": {
        "model": NEEDED,
        "runtime": NEEDED,
        "max_turns": 10,
        "max_calls_per_turn": 8,
        "guard": None,
        "trace": None,
    },
    "Agent.run": {"task": NEEDED, "system": None, "history": None},
    "Trace": {"path": None},
    "Trace.load": {"path": NEEDED},
    "ScriptedModel": {"script": NEEDED},
    "ScriptedModel.reply": {"messages": NEEDED, "tools": NEEDED},
    "toolsets.workspace_tools": {"root": NEEDED},
    "toolsets.everyday_tools": {},
    "course.start": {"chapter": NEEDED},
}


def departures(fn: Callable[..., Any], documented: Mapping[str, Any]) -> list[str]:
    """How a signature differs from what is documented; further parameters need a default and come last."""
    parameters = {name: each for name, each in inspect.signature(fn).parameters.items() if name != "self"}
    wrong = [f"{name} is missing" for name in documented if name not in parameters]
    wrong += [
        f"{name} has the default {parameters[name].default!r}"
        for name, default in documented.items()
        if name in parameters and parameters[name].default != default
    ]
    if list(parameters)[: len(documented)] != list(documented):
        wrong.append(f"the order is {', '.join(parameters)}")
    further = [each for name, each in parameters.items() if name not in documented]
    catch_all = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    wrong += [f"{each.name} is needed too" for each in further if each.default is NEEDED and each.kind not in catch_all]
    return wrong


def test_a_departing_signature_is_found() -> None:
    documented = {"a": NEEDED, "b": 1}
    assert departures(lambda a, b=1, c=None: None, documented) == []
    assert departures(lambda a, b=2: None, documented) == ["b has the default 2"]
    assert departures(lambda b=1: None, documented)[0] == "a is missing"
    assert departures(lambda a, c=0, b=1: None, documented) == ["the order is a, c, b"]
    assert "c is needed too" in departures(lambda a, c, b=1: None, documented)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_fixed_name_takes_what_is_documented(name: str) -> None:
    value: Any = labkit
    for part in name.split("."):
        value = getattr(value, part)
    assert departures(value, SIGNATURES[name]) == []


def test_a_result_and_a_run_have_the_documented_fields() -> None:
    result = ["call_id", "name", "ok", "content", "data", "error", "started", "finished"]
    assert [field.name for field in dataclasses.fields(labkit.ToolResult)][:8] == result
    run = {"answer", "messages", "turns", "tool_calls", "stop_reason", "usage", "trace"}
    assert run <= {field.name for field in dataclasses.fields(labkit.Run)} | set(vars(labkit.Run))


def test_the_policies_are_the_five() -> None:
    assert list(labkit.POLICIES) == ["serial", "all_or_nothing", "reads_first", "barriers", "by_resource"]


def test_the_error_codes_and_their_layers_are_the_closed_list() -> None:
    layers: dict[str, list[str]] = {}
    for code in ErrorCode:
        layers.setdefault(code.layer, []).append(code.value)
    assert layers == {
        "transport": ["invalid_json", "truncated"],
        "contract": ["unknown_tool", "schema_validation", "invalid_range"],
        "execution": ["path_outside_workspace", "not_found", "not_unique", "execution_error", "timeout", "failed"],
        "control": ["tool_banned", "too_many_calls", "cancelled"],
    }


def test_a_failure_takes_execution_codes_only() -> None:
    for code in ErrorCode:
        if code.layer == "execution":
            assert Failure("why", code=code).code == code
        else:
            with pytest.raises(ValueError, match="execution code"):
                Failure("why", code=code)


def test_a_decorated_function_has_the_documented_defaults_and_stays_callable() -> None:
    @tool
    def add(x: int, y: int = 1) -> int:
        """Add two whole numbers."""
        return x + y

    assert add(2, 3) == 5
    assert (add.name, add.description) == ("add", "Add two whole numbers.")
    assert (add.readonly, add.parallel_safe, add.timeout, add.run_in) == (False, False, 10.0, "thread")
    assert (add.touches, add.check) == (None, None)


def test_a_tool_takes_the_documented_options() -> None:
    def seven() -> int:
        return 7

    made = Tool.from_function(
        seven,
        "lucky",
        "Return seven.",
        readonly=True,
        parallel_safe=None,
        timeout=None,
        run_in="process",
        touches=lambda values: ["a"],
        check=lambda values: None,
    )
    assert (made.name, made.description, made.timeout, made.run_in) == ("lucky", "Return seven.", None, "process")
    assert (made.readonly, made.parallel_safe) == (True, True), "None means the same as readonly"
    assert Tool.from_function(seven, readonly=True, parallel_safe=False).parallel_safe is False


def test_the_registry_refuses_a_second_tool_of_one_name_and_runtimes_see_a_later_one() -> None:
    registry = ToolRegistry()
    runtime = ToolRuntime(registry)

    @registry.tool(readonly=True, timeout=None)
    def late() -> str:
        """Say that it came late."""
        return "here"

    assert late is registry["late"]
    assert "late" in registry
    assert [each.name for each in registry] == ["late"]
    assert runtime.dispatch(labkit.ToolCall("call_1", "late", None)).content == "here"
    with pytest.raises(ValueError, match="late"):
        registry.register(late)
