"""The engine's own server, on loopback and in this process: one for each file of weights and number of threads."""

from __future__ import annotations

import secrets
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from labkit.models.base import ModelError

if TYPE_CHECKING:
    from openai import OpenAI

CONTEXT = 4096  # tokens of prompt and reply together; memory grows with it
SILENT = -1  # the engine writes to the process's own stderr, where a notebook would show it


class Serving:
    """A running server. It ends when nobody refers to it any more, or with the process."""

    def __init__(self, path: Path, n_threads: int) -> None:
        self.key = secrets.token_urlsafe(16)
        self.server = _start(path, n_threads, self.key)
        self.base_url = f"{self.server.listening_address}/v1"

    def connect(self) -> tuple[OpenAI, Any]:
        """Return a client for this server alone, with its key and past any proxy, and the connections under it.

        The server lives as long as the connections name it in ``served_by``: copies of the client share them.
        """
        from openai import DefaultHttpxClient, OpenAI

        connections: Any = DefaultHttpxClient(trust_env=False)
        connections.served_by = self
        return OpenAI(api_key=self.key, base_url=self.base_url, http_client=connections, max_retries=0), connections


def serving(path: Path, n_threads: int) -> Serving:
    """Return the server of a file of weights, started where there is none yet. Raises ModelError where it can't be."""
    with _LOCK:
        there = _RUNNING.get((path.resolve(), n_threads))
        if there is None:
            there = _RUNNING[path.resolve(), n_threads] = Serving(path, n_threads)
        return there


_LOCK = threading.Lock()
_RUNNING: WeakValueDictionary[tuple[Path, int], Serving] = WeakValueDictionary()


def _start(path: Path, n_threads: int, key: str) -> Any:
    try:
        engine = import_module("xllamacpp")
    except ImportError:
        raise ModelError(
            "the engine for a local model can't be loaded: it needs the system's libgomp and libstdc++"
        ) from None
    try:
        return engine.Server(_settings(engine, path, n_threads, key))
    except RuntimeError:
        raise ModelError(f"{path.name} can't be loaded as weights of a model; it has to be a .gguf file") from None


def _settings(engine: Any, path: Path, n_threads: int, key: str) -> Any:
    settings = engine.CommonParams()
    settings.model.path = str(path)
    settings.model_alias = {path.stem}  # else replies would name the file with its folder
    settings.api_keys = [key]
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = n_threads
    settings.n_gpu_layers = 0  # the same arithmetic on every machine, as far as that goes
    settings.cache_ram_mib = 0  # else past prompts are kept, up to 8 GB of them
    settings.warmup = False
    settings.ui = False
    settings.verbosity = SILENT
    return settings
