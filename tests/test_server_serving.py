"""``lab.py serve``: a script for any client, with lines that can be pasted."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server_clients import SCRIPT, post, real_client

import lab
from labkit.__main__ import main
from labkit.commands.serving import serve
from labkit.models.server import ScriptedServer

ROOT = Path(lab.__file__).parent


class Terminal:
    """``lab.py serve`` as a learner starts it: its lines as they come, and its end."""

    def __init__(self, *arguments: str) -> None:
        env = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONUTF8="1", http_proxy="http://127.0.0.1:9")
        command = [sys.executable, "-m", "labkit", "serve", *arguments]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, env=env, text=True, encoding="utf-8", **pipes)
        self.lines: list[str] = []

    def read_to(self, last: str) -> list[str]:
        """Read on until a line begins so."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith(last):
                break
        return self.lines

    def ctrl_c(self) -> tuple[int, str]:
        """The exit code after Ctrl+C, and what was said after it."""
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=20)
        return self.process.returncode, rest


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    if os.name != "posix":
        pytest.skip("sends a signal as a terminal does")
    opened = Terminal(*request.param)
    yield opened
    opened.process.kill()
    opened.process.communicate()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the printed line needs curl")
@pytest.mark.parametrize("terminal", [["m2"]], indirect=True)
def test_the_printed_lines_work_as_pasted(terminal: Terminal) -> None:
    said = terminal.read_to("Ctrl+C stops it.")
    base_url, note = said[0].split(maxsplit=1)
    assert note == "(scripted model, this machine only)"
    plain, stream = [line for line in said if line.startswith("curl ")]
    env = dict(os.environ, http_proxy="http://127.0.0.1:9", NO_PROXY="", no_proxy="")
    got = [
        subprocess.run(line, shell=True, env=env, capture_output=True, encoding="utf-8", timeout=60)
        for line in (plain, stream)
    ]
    assert [each.stderr for each in got] == ["", ""]
    message = json.loads(got[0].stdout)["choices"][0]["message"]
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["read_file", "list_files", "search_text"]
    assert got[1].stdout.startswith("data: {")
    assert got[1].stdout.endswith("data: [DONE]\n\n")
    settings = dict(line.removeprefix("export ").split("=", 1) for line in said if line.startswith("export "))
    assert settings == {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "loopback", "LABKIT_MODEL": "scripted"}
    code, rest = terminal.ctrl_c()
    assert (code, rest.splitlines()) == (
        0,
        ["chat.completions: 200", "chat.completions, streamed: 200", "Stopped after 2 requests."],
    )


@pytest.mark.parametrize("terminal", [["weather", "--drip", "60", "--quirk", "no_index"]], indirect=True)
def test_ctrl_c_ends_it_while_a_stream_drips(terminal: Terminal) -> None:
    base_url = terminal.read_to("Ctrl+C stops it.")[0].split()[0]
    place = type("Place", (), {"base_url": base_url})
    with real_client(place) as client:
        message: Any = {"role": "user", "content": "hello"}
        stream = client.chat.completions.create(model="m", messages=[message], stream=True)
        assert next(iter(stream)).choices
        code, rest = terminal.ctrl_c()
    assert (code, rest.splitlines()[-1]) == (0, "Stopped after 1 request.")


def test_every_request_is_a_line_without_the_token() -> None:
    said: list[str] = []
    stop, ready = threading.Event(), threading.Event()

    def say(line: str) -> None:
        said.append(line)
        if line == "Ctrl+C stops it.":
            ready.set()

    codes: list[int] = []
    running = threading.Thread(target=lambda: codes.append(serve("m1", say, stop=stop)))
    running.start()
    assert ready.wait(20)
    place: Any = type("Place", (), {"base_url": said[0].split()[0]})
    told = len(said)
    post(place, "/chat/completions", {"model": "m", "messages": []})
    post(place, "/nowhere", {})
    with real_client(place) as client:
        client.models.list()
    stop.set()
    running.join(20)
    assert codes == [0]
    assert said[told:] == [
        "chat.completions: 400  messages: a request needs messages, a list of at least one (form)",
        "another address: 404  there is nothing at this address; use the whole base URL, token and /v1 included",
        "models: 200",
        "Stopped after 1 request.",
    ]
    assert place.base_url.split("/")[3] not in "\n".join(said[told:])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "choose one of bookings, five_slow_calls, m1, m2, weather, or give the path of a JSON file"),
        (["m3"], 'there is no script "m3"; choose one of bookings, '),
        (["m2", "--port", "x"], '"x" is no port; give a number from 1024 to 65535, or leave --port out'),
        (["m2", "--port", "65536"], '"65536" is no port; '),
        (["m2", "--drip", "slow"], '"slow" is no gap; --drip takes seconds from 0 to 60, such as 0.2'),
        (["m2", "--drip", "nan"], '"nan" is no gap; '),
        (["m2", "--drip", "61"], '"61" is no gap; '),
        (["m2", "--quirk", "sideways"], 'there is no quirk "sideways"; choose one of none, '),
    ],
)
def test_what_was_mistyped_is_said_with_a_remedy(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    out = capsys.readouterr().out
    assert out.startswith(sentence)
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "mine.json is not valid JSON; data/scripts/m1_task.json shows the form"),
        ("[]", "mine.json must hold one JSON object; data/scripts/m1_task.json shows the form"),
        ("{}", 'mine.json is no script: a script needs a "task", '),
        ('{"task": "t", "decisions": [{}]}', "mine.json is no script: decision 1 needs "),
    ],
)
def test_a_file_that_is_no_script_is_said(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "mine.json").write_text(content, encoding="utf-8")
    said: list[str] = []
    assert serve(str(tmp_path / "mine.json"), said.append) == 2
    assert len(said) == 1
    assert said[0].startswith(sentence)


def test_a_port_that_is_taken_is_said() -> None:
    said: list[str] = []
    with ScriptedServer(SCRIPT) as server:
        port = server.base_url.split("/")[2].split(":")[1]
        assert serve("m2", said.append, port=port) == 2
    assert said == [f"port {port} is taken by another program; choose another with --port, or leave --port out"]


def test_a_script_of_ones_own_and_its_names_are_quoted_right(tmp_path: Path) -> None:
    script = {"task": "it's \"5\" o'clock $HOME `ü`", "decisions": [{"tool_calls": [{"id": "a", "name": "a.b"}]}]}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    said: list[str] = []
    stop = threading.Event()
    curl = ""

    def say(line: str) -> None:
        nonlocal curl
        said.append(line)
        if line.startswith("curl ") and os.name == "posix" and not curl:
            curl = subprocess.run(line, shell=True, capture_output=True, encoding="utf-8", timeout=60).stdout
        if line == "Ctrl+C stops it.":
            stop.set()

    assert serve(str(path), say, stop=stop) == 0
    assert not any("a.b" in line for line in said)  # no server takes such a name in a declaration
    if os.name == "posix" and shutil.which("curl"):
        content = json.loads(curl)["choices"][0]["message"]["content"]
        assert json.loads(content) == {"tool_calls": [{"name": "a.b", "arguments": {}}]}


def test_the_command_stands_in_the_table() -> None:
    assert re.search(r"python lab\.py serve \[SCRIPT\] +play a script to any client", lab.usage())
