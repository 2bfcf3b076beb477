"""The project's own files agree with one another: requirements, locks, conda, CI, README."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import lab

ROOT = Path(lab.ROOT)
LOCKS = ("requirements.lock", "requirements-dev.lock")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["project"])


def requirements(lines: list[str]) -> dict[str, SpecifierSet]:
    parsed = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name): one.specifier for one in parsed}


def pins(name: str) -> dict[str, list[str]]:
    """Package -> its pinned versions (several where a marker tells them apart)."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            package, version = line.split(";")[0].split("==")
            found.setdefault(canonicalize_name(package), []).append(version.strip())
    return found


def asked_for(project: dict[str, Any], *extras: str) -> dict[str, SpecifierSet]:
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return requirements(lines)


# ---- requirements ----


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_exact_versions_and_no_address(name: str) -> None:
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        assert "://" not in line and not line.startswith("-") and "@" not in line, line
        assert not re.search(r"(^|\s)([A-Za-z]:\\|/)", line), line
        if line.strip() and not line.lstrip().startswith("#"):
            assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+( ; .+)?", line), line


@pytest.mark.parametrize("name, extras", [("requirements.lock", ("lab", "test")), ("requirements-dev.lock", ("dev",))])
def test_a_lock_covers_the_requirements(project: dict[str, Any], name: str, extras: tuple[str, ...]) -> None:
    pinned = pins(name)
    for package, allowed in asked_for(project, *extras).items():
        assert package in pinned, f"{package} is not in {name}: run python lab.py lock"
        for version in pinned[package]:
            assert version in allowed, f"{package} {version} is outside {allowed}: run python lab.py lock"


def test_the_locks_agree() -> None:
    learner, maintainer = pins(LOCKS[0]), pins(LOCKS[1])
    for package in set(learner) & set(maintainer):
        assert learner[package] == maintainer[package]


def test_conda_gets_the_same_requirements(project: dict[str, Any]) -> None:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = requirements([one for one in listed if isinstance(one, str)])
    assert conda.pop(canonicalize_name("python")) == SpecifierSet(project["requires-python"])
    assert conda.pop(canonicalize_name("pip")) == SpecifierSet()
    assert conda == asked_for(project, "lab", "test")
    assert [one for one in listed if isinstance(one, dict)] == [{"pip": ["-e ."]}]


def test_pytest_is_bounded_from_above(project: dict[str, Any]) -> None:
    assert "10.0" not in asked_for(project, "test")[canonicalize_name("pytest")]


# ---- supported Pythons ----


def supported(project: dict[str, Any]) -> list[str]:
    return [one.split(" :: ")[-1] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]


def test_everybody_names_the_same_pythons(project: dict[str, Any]) -> None:
    versions = supported(project)
    lowest, newest = versions[0], versions[-1]
    assert SpecifierSet(project["requires-python"]) == SpecifierSet(f">={lowest}")
    assert "{}.{}".format(*lab.LOWEST) == lowest
    assert f"{lowest} to {newest}" == lab.TRIED
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == [lowest, newest]
    assert {one.split("-")[0] for one in matrix["os"]} == {"ubuntu", "macos", "windows"}


# ---- what is said and what is there ----


def test_the_commands_in_the_texts_exist() -> None:
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    named = {
        command for text in texts for command in re.findall(r"\blab\.py ([a-z]+)\b", text.read_text(encoding="utf-8"))
    }
    assert {"test", "run"} <= named
    assert named <= set(lab.COMMANDS)


def test_ci_runs_what_a_learner_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = re.findall(r"lab\.py ([a-z]+)", script)
    assert {"check", "test", "run", "rebuild"} <= set(commands) <= set(lab.COMMANDS)
    assert "set -euo pipefail" in script


def test_files_end_their_lines_alike() -> None:
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert "* text=auto eol=lf" in attributes.splitlines()
    for name in ("lab.py", ".ci/run", *LOCKS):
        assert b"\r" not in (ROOT / name).read_bytes(), name


@pytest.mark.parametrize(
    "path, ignored",
    [
        (".venv/x", True),
        ("my/00_start_here.ipynb", True),
        ("traces/m2.jsonl", True),
        ("data/traces/m2.jsonl", False),
        ("notebooks/00_start_here.ipynb", False),
        ("requirements.lock", False),
    ],
)
def test_git_ignores_what_is_made_and_nothing_that_is_shipped(path: str, ignored: bool) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this copy is no git checkout")
    asked = subprocess.run(["git", "check-ignore", "-q", "--no-index", path], cwd=ROOT)
    assert asked.returncode == (0 if ignored else 1)


def test_the_licence_is_the_one_named(project: dict[str, Any]) -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert project["license"] == "MIT" and text.startswith("MIT License")
    assert project["authors"][0]["name"] in text
