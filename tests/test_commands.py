"""The commands behind lab.py: what they print, and what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tools_for_tests import until

from labkit import Trace
from labkit.__main__ import main
from labkit.commands import check, play
from labkit.commands.playing import tasks
from labkit.paths import repository


@pytest.mark.parametrize("name", ["m1", "m2", "weather"])
def test_a_task_can_be_played_again_and_leaves_the_same_number_of_lines(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labkit.commands.playing.repository", lambda: tmp_path)
    counts, said = [], []
    for _ in range(2):
        assert play(name, said.append) == 0
        counts.append(len(Trace.load(tmp_path / "traces" / f"{name}.jsonl")))
    assert counts[0] == counts[1] == {"m1": 19, "m2": 36, "weather": 18}[name]
    text = "\n".join(said)
    assert f"trace: traces/{name}.jsonl, {counts[0]} lines" in text
    assert "scripted model" in text
    assert "final answer after" in text


def test_a_transcript_shows_verdicts_errors_and_the_gantt_of_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labkit.commands.playing.repository", lambda: tmp_path)
    said: list[str] = []
    play("m2", said.append)
    calls = [line for line in said if line.startswith("   call_")]
    assert [line.split()[:3] for line in calls][:4] == [
        ["call_1", "read_file", "OK"],
        ["call_2", "list_files", "OK"],
        ["call_3", "search_text", "OK"],
        ["call_4", "read_lines", "ERR"],
    ]
    assert calls[3].endswith("invalid_range: end_line 2 is less than start_line 6")
    assert any("│ 3 calls · measured" in line for line in said)
    assert any("order kept" in line for line in said)
    assert "final answer after 6 decisions, 7 calls, 1 recovered error" in said


def test_a_task_that_does_not_exist_is_answered_with_those_that_do() -> None:
    said: list[str] = []
    assert play("m3", said.append) == 2
    assert said == [f'there is no task "m3"; choose one of {", ".join(tasks())}']


def test_the_check_says_what_is_missing_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    assert check(said.append) == 0
    assert said[-1] == "all that is needed is here"
    monkeypatch.setattr("labkit.commands.checking.NEEDED", ("pydantic", "no_such_package"))
    said.clear()
    assert check(said.append, optional=False) == 1
    assert "MISSING  package no_such_package: delete .venv and run: python lab.py" in said
    assert said[-1] == "missing: package no_such_package"
    assert not any(line.startswith("optional") for line in said)


def test_the_commands_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no_such_task"]) == 2
    assert main(["run"]) == 2
    assert main(["rebuild", "99"]) == 2
    assert main(["rebuild", "140"]) == 2
    assert main(["check"]) == 0
    out = capsys.readouterr().out
    assert "choose one of bookings, five_slow_calls, m1, m2, weather" in out
    assert "there is no chapter 99; there are 00, 01, " in out
    with pytest.raises(SystemExit) as ended:
        main(["fly"])
    assert ended.value.code == 2


def test_a_trace_that_can_not_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "traces").write_text("a file where the folder should be")
    monkeypatch.setattr("labkit.commands.playing.repository", lambda: tmp_path)
    said: list[str] = []
    assert play("m1", said.append) == 1
    assert said == ["traces/m1.jsonl can't be written; look at the rights of the folder and at the room on the disk"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal as a terminal does")
def test_ctrl_c_ends_a_task_with_a_whole_trace(tmp_path: Path) -> None:
    script = (
        "import labkit.commands.playing as playing, pathlib, sys\n"
        f"playing.repository = lambda: pathlib.Path({str(tmp_path)!r})\n"
        "sys.exit(playing.play('five_slow_calls', print))\n"
    )
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=repository())
    trace = tmp_path / "traces" / "five_slow_calls.jsonl"
    assert until(lambda: trace.exists() and b"tool_start" in trace.read_bytes())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert "ended with interrupted after 1 decision" in out
    lines = Trace.load(trace).lines
    assert lines[-1]["payload"] == {"reason": "interrupted", "steps": 1, "detail": "KeyboardInterrupt"}
    assert [line["payload"]["code"] for line in lines if line.get("event") == "tool_finished"] == ["cancelled"] * 5
