"""What a chapter needs around its cells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit import tool
from labkit.course import show_source, start
from labkit.course.first_loop import loop, tools_of
from labkit.paths import data


def test_start_says_one_line_and_may_run_twice(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = start("05"), start("05")
    assert capsys.readouterr().out == "scripted model\nscripted model\n"
    assert first == second
    assert repr(first) == "Lab(chapter='05')"


@pytest.mark.parametrize("chapter", ["5", "", "ab", 5, None])
def test_a_chapter_is_two_digits(chapter: object) -> None:
    with pytest.raises(ValueError, match="two digits"):
        start(chapter)  # type: ignore[arg-type]


def test_a_proxy_does_not_stand_between_this_machine_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "example.org,localhost")
    monkeypatch.delenv("no_proxy", raising=False)
    start("05")
    start("05")
    assert os.environ["NO_PROXY"] == "example.org,localhost,127.0.0.1,::1"
    assert os.environ["no_proxy"] in ("127.0.0.1,localhost,::1", os.environ["NO_PROXY"])


def test_a_workspace_is_a_fresh_copy_each_time() -> None:
    lab = start("05")
    first, second = lab.workspace("calculator"), lab.workspace("calculator")
    (first / "calculator.py").write_text("spoilt")
    assert (second / "calculator.py").read_bytes() == data("workspaces", "calculator", "calculator.py").read_bytes()
    assert first.name == "calculator"


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="data/workspaces has no nowhere; it has bookings, calculator"):
        start("05").workspace("nowhere")
    with pytest.raises(FileNotFoundError, match=r"data/scripts has no nothing; it has bookings_task, .*m1_task"):
        start("05").script("nothing")


def test_source_is_shown_as_it_stands() -> None:
    @tool
    def double(x: int) -> int:
        "Double a number."
        return 2 * x

    source = show_source(double)
    assert repr(source).splitlines()[-1] == "    return 2 * x"
    assert repr(show_source(loop)).startswith("def loop(")


def test_what_has_no_source_is_a_clear_error() -> None:
    with pytest.raises(TypeError, match="no source to show for a int"):
        show_source(5)


def test_the_plain_loop_plays_m1(tmp_path: Path) -> None:
    import json

    lab = start("00")
    folder = lab.workspace("calculator")
    messages = loop(json.loads(lab.script("m1_task").read_text(encoding="utf-8")), tools_of(folder))
    assert [m["role"] for m in messages] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert messages[-2]["content"] == "EXIT 0"
