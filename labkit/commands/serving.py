"""Serve a script to any client: the loopback chat server in the terminal, with the lines to paste."""

from __future__ import annotations

import errno
import json
import math
import os
import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from labkit.calls import many, quote
from labkit.commands.playing import tasks
from labkit.models.server import QUIRKS, Received, ScriptedServer
from labkit.models.server.broken import LEGAL_NAME
from labkit.paths import data

Say = Callable[[str], None]
LOOK_SECONDS = 0.2
LONGEST_GAP = 60.0


class _Wrong(Exception):
    """What was typed can't be done; the message is a sentence and a remedy."""


def serve(
    script: str,
    say: Say,
    port: str = "0",
    drip: str = "0",
    quirk: str = "none",
    stop: threading.Event | None = None,
) -> int:
    """Serve a script until Ctrl+C (or ``stop``), and say how to talk to it and what was asked.

    ``script`` is the name of a task or the path of a JSON file. Returns the exit code: 0 when it was stopped, 2 where
    it could not begin.
    """
    try:
        server = _started(script, say, port, drip, quirk)
    except _Wrong as wrong:
        say(str(wrong))
        return 2
    with server:
        for line in _directions(server):
            say(line)
        _wait(stop or threading.Event())
    say(f"Stopped after {many(len(server.requests), 'request')}.")
    return 0


def _started(script: str, say: Say, port: str, drip: str, quirk: str) -> ScriptedServer:
    path, number, gap = _path(script), _port(port), _gap(drip)
    if quirk not in QUIRKS:
        raise _Wrong(f"there is no quirk {quote(quirk)}; choose one of {', '.join(QUIRKS)}")
    try:
        server = ScriptedServer(path, port=number, drip=gap, quirk=quirk, on_request=lambda heard: say(_line(heard)))
    except ValueError as fault:
        told = str(fault) if str(fault).startswith(path.name) else f"{path.name} is no script: {fault}"
        raise _Wrong(f"{told}; data/scripts/m1_task.json shows the form") from None
    except OSError:
        raise _Wrong(f"{quote(script)} can't be read; give the path of a JSON file, or a name such as m2") from None
    try:
        return server.start()
    except OSError as fault:
        why = "is taken by another program" if fault.errno == errno.EADDRINUSE else "can't be used here"
        raise _Wrong(f"port {number} {why}; choose another with --port, or leave --port out") from None


def _path(script: str) -> Path:
    """The file of a task's name, or of a path as typed."""
    if script in tasks():
        scripts = data("scripts")
        return next(p for p in (scripts / f"{script}_task.json", scripts / f"{script}.json") if p.exists())
    if Path(script).is_file():
        return Path(script)
    what = f"there is no script {quote(script)}; " if script else ""
    raise _Wrong(f"{what}choose one of {', '.join(tasks())}, or give the path of a JSON file")


def _port(typed: str) -> int:
    if typed.isascii() and typed.isdigit() and len(typed) <= 5 and int(typed) <= 65535:
        return int(typed)
    raise _Wrong(f"{quote(typed)} is no port; give a number from 1024 to 65535, or leave --port out")


def _gap(typed: str) -> float:
    try:
        seconds = float(typed)
    except ValueError:
        seconds = math.nan
    if 0 <= seconds <= LONGEST_GAP:
        return seconds
    raise _Wrong(f"{quote(typed)} is no gap; --drip takes seconds from 0 to {LONGEST_GAP:.0f}, such as 0.2")


def _directions(server: ScriptedServer) -> list[str]:
    """What a person needs to talk to the server."""
    body = {"model": "scripted", "messages": [{"role": "user", "content": server.script["task"]}]} | _tools(server)
    settings = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "loopback", "LABKIT_MODEL": "scripted"}
    spell = '$env:{} = "{}"' if os.name == "nt" else "export {}={}"
    return [
        f"{server.base_url}    (scripted model, this machine only)",
        "",
        "The first decision, in one piece:",
        _curl(server, body),
        "The same as a stream:",
        _curl(server, body | {"stream": True}, "-N "),
        "",
        "These lead the chapters here:",
        *(spell.format(name, value) for name, value in settings.items()),
        "",
        "Ctrl+C stops it.",
    ]


def _curl(server: ScriptedServer, body: dict[str, Any], option: str = "") -> str:
    """One line for a shell. A proxy of the environment is passed by: it knows nothing of this machine's loopback."""
    text = json.dumps(body, separators=(",", ":"))
    quoted = '"' + text.replace('"', '\\"') + '"' if os.name == "nt" else shlex.quote(text)
    kind = '"Content-Type: application/json"'
    return f"curl -sS {option}--noproxy 127.0.0.1 {server.base_url}/chat/completions -H {kind} -d {quoted}"


def _tools(server: ScriptedServer) -> dict[str, Any]:
    """The tools of the script, by name alone: without tools the server would answer as JSON mode does."""
    decisions = [*server.script["decisions"], *server.script.get("on_error", {}).values()]
    asked = [call["name"] for decision in decisions for call in decision.get("tool_calls") or ()]
    names = [name for name in dict.fromkeys(asked) if LEGAL_NAME.fullmatch(name)]
    declared = [{"type": "function", "function": {"name": name}} for name in names]
    return {"tools": declared} if declared else {}


def _line(heard: Received) -> str:
    """One request as a line: what was asked, and what came of it."""
    asked = (heard.api or "another address") + (", streamed" if heard.streamed else "")
    answered = str(heard.status) if heard.status else "no answer"
    return f"{asked}: {answered}" + (f"  {heard.message}" if heard.message else "")


def _wait(stop: threading.Event) -> None:
    """Wait in slices: not every system lets Ctrl+C interrupt a wait without an end."""
    try:
        while not stop.wait(LOOK_SECONDS):
            pass
    except KeyboardInterrupt:
        pass
