"""Runs JupyterLab in this process, on the first chapter, as quietly and as closed as it can be.

For every chapter.

    >>> serve(root, port=None, browser=True)  # returns when it is stopped

Does not: copy chapters, set the folders Jupyter keeps its things in (``lab.py`` does), run as a service.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from labkit.opening.copies import shipped
from labkit.opening.keys import leave_keys_to_widgets

FIRST = "00_start_here.ipynb"


def serve(root: Path, port: int | None, browser: bool) -> int:
    """Run JupyterLab in this process until it is stopped."""
    if port is not None and not _free(port):
        print(f"Port {port} is taken or not allowed. Choose another, or leave --port out.", file=sys.stderr)
        return 1
    print("Starting JupyterLab.", flush=True)
    _trust([*(root / "notebooks").rglob("*.ipynb"), *_own_chapters(root)])
    os.environ["LABKIT_PROGRESS"] = str(root / "my" / ".progress.json")
    from jupyterlab.commands import get_user_settings_dir
    from jupyterlab.labapp import LabApp

    leave_keys_to_widgets(Path(get_user_settings_dir()), Path(sys.prefix, "share", "jupyter", "lab", "schemas"))
    log = root / ".venv" / "jupyter" / "server.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=log, filemode="w", encoding="utf-8", level=logging.WARNING, force=True)
    token = secrets.token_hex(24)
    server = LabApp.initialize_server(argv=list(options(root, port, browser, token)))
    address = f"http://127.0.0.1:{server.port}/lab/tree/my/{FIRST}?token={token}"
    print(
        f"The lab is open at\n\n    {address}\n\nStop it with Ctrl-C. Its log is {log.relative_to(root)}.", flush=True
    )
    server.log.handlers[:] = logging.getLogger().handlers  # a tab that closes is logged at length; nobody need see it
    _stop_at_once(server)
    server.start()
    return 0


def options(root: Path, port: int | None, browser: bool, token: str) -> Iterator[str]:
    """JupyterLab's options: the first chapter at once, loopback and a token."""
    yield f"--ServerApp.root_dir={root}"
    yield f"--FileContentsManager.preferred_dir={root / 'my'}"
    yield f"--LabApp.default_url=/lab/tree/my/{FIRST}"
    yield "--ServerApp.ip=127.0.0.1"
    yield f"--IdentityProvider.token={token}"
    yield f"--ServerApp.open_browser={browser}"
    yield "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"
    yield "--LanguageServerManager.autodetect=False"  # looking for them starts npm, which writes to the home folder
    yield "--Application.log_level=WARN"
    if port is not None:
        yield f"--ServerApp.port={port}"
        yield "--ServerApp.port_retries=0"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield "--ServerApp.allow_root=True"


def _stop_at_once(server: Any) -> None:
    """Ctrl-C and a closed terminal end the server and its kernels, without a question."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: server.stop(from_signal=True))


def _free(port: int) -> bool:
    try:
        with socket.socket() as probe:
            if os.name == "posix":  # elsewhere this option would let two servers share a port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except (OSError, OverflowError):
        return False
    return True


def _own_chapters(root: Path) -> list[Path]:
    """The learner's copies of shipped notebooks; what else lies in my/ is not ours to trust."""
    return [root / "my" / name for name in shipped(root / "notebooks") if name.endswith(".ipynb")]


def _trust(paths: Sequence[Path]) -> None:
    """Sign the notebooks, so that their stored pictures are shown before anything was run."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in paths:
        try:
            notebook = nbformat.read(path, as_version=4)
        except (OSError, ValueError, AttributeError):
            continue  # JupyterLab will say what is wrong with it
        if not notary.check_signature(notebook):
            notary.sign(notebook)
