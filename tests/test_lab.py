"""lab.py and the learner's copy, without a network and without making an environment."""

from __future__ import annotations

import ast
import datetime
import errno
import json
import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

import lab
from labkit.opening.copies import Followed, chapters, follow, put_back, shipped
from labkit.opening.serving import options
from tests.counting import closing_line

ROOT = Path(lab.ROOT)
TODAY = datetime.date(2026, 3, 1)
Usage = namedtuple("Usage", "total used free")
ROOMY = Usage(0, 0, 10**12)


def notebook(*sources: str, output: str = "") -> str:
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    cells = [{"cell_type": "code", "source": source, "outputs": outputs, "metadata": {}} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path: Path) -> tuple[Path, Path]:
    """Two shipped chapters, a picture, a solution, and no copy yet."""
    notebooks = tmp_path / "notebooks"
    for name, content in {
        "00_start_here.ipynb": notebook("1 + 1"),
        "05_concurrency.ipynb": notebook("plan([])"),
        "pictures/loop.svg": "<svg/>",
        "solutions/05_concurrency.ipynb": notebook("the answer"),
        ".ipynb_checkpoints/00_start_here-checkpoint.ipynb": notebook("old"),
    }.items():
        (notebooks / name).parent.mkdir(parents=True, exist_ok=True)
        (notebooks / name).write_text(content, encoding="utf-8")
    return notebooks, tmp_path / "my"


# ---- the learner's copy ----


def test_the_first_start_copies_chapters_but_no_solution(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    everything = ("00_start_here.ipynb", "05_concurrency.ipynb", "pictures/loop.svg")
    assert follow(notebooks, my) == Followed(everything, (), ())
    assert tuple(shipped(my)) == everything
    assert follow(notebooks, my) == Followed((), (), ())


def test_an_untouched_copy_follows_an_update(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    follow(notebooks, my)
    (notebooks / "05_concurrency.ipynb").write_text(notebook("plan([], None)"))
    assert follow(notebooks, my).renewed == ("05_concurrency.ipynb",)
    assert "plan([], None)" in (my / "05_concurrency.ipynb").read_text()


def test_running_a_chapter_is_no_change(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    follow(notebooks, my)
    copy = my / "05_concurrency.ipynb"
    copy.write_text(notebook("plan([])", output="my own output"))
    assert follow(notebooks, my) == Followed((), (), ())
    assert "my own output" in copy.read_text(), "outputs stay while nothing newer is shipped"
    (notebooks / copy.name).write_text(notebook("plan([], None)"))
    assert follow(notebooks, my).renewed == (copy.name,)


def test_a_changed_copy_is_kept_and_named(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    follow(notebooks, my)
    copy = my / "05_concurrency.ipynb"
    copy.write_text(notebook("plan(['mine'])"))
    assert follow(notebooks, my) == Followed((), (), ()), "there is nothing newer to be missed"
    (notebooks / copy.name).write_text(notebook("plan([], None)"))
    for _ in range(2):
        assert follow(notebooks, my) == Followed((), (), (copy.name,))
        assert "mine" in copy.read_text()


@pytest.mark.parametrize("broken", ["", "{}", "[]", '{"a": 1}', '{"00_start_here.ipynb": {"file": "x"}}'])
def test_without_a_list_of_what_was_copied_a_different_file_counts_as_changed(
    course: tuple[Path, Path], broken: str
) -> None:
    notebooks, my = course
    follow(notebooks, my)
    (my / "00_start_here.ipynb").write_text(notebook("mine"))
    (my / ".shipped.json").write_text(broken)
    followed = follow(notebooks, my)
    assert followed.behind == ("00_start_here.ipynb",)
    assert "mine" in (my / "00_start_here.ipynb").read_text()


def test_a_copy_that_is_no_notebook_any_more_is_kept(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    follow(notebooks, my)
    (my / "00_start_here.ipynb").write_text("{ cut off")
    (notebooks / "00_start_here.ipynb").write_text(notebook("2 + 2"))
    assert follow(notebooks, my).behind == ("00_start_here.ipynb",)
    assert (my / "00_start_here.ipynb").read_text() == "{ cut off"


def test_a_deleted_copy_comes_back(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    follow(notebooks, my)
    (my / "00_start_here.ipynb").unlink()
    assert follow(notebooks, my).new == ("00_start_here.ipynb",)


@pytest.mark.parametrize("wanted", ["5", "05", "05_concurrency", "05_concurrency.ipynb", "my/05_concurrency.ipynb"])
def test_a_chapter_has_several_names(course: tuple[Path, Path], wanted: str) -> None:
    assert chapters(course[0], wanted) == ["05_concurrency.ipynb"]


def test_an_unknown_chapter_is_answered_with_the_list(course: tuple[Path, Path]) -> None:
    with pytest.raises(ValueError) as caught:
        chapters(course[0], "07")
    assert "05_concurrency.ipynb" in str(caught.value) and "07" in str(caught.value)
    assert chapters(course[0], None) == ["00_start_here.ipynb", "05_concurrency.ipynb"]


def test_putting_back_keeps_every_version_of_the_learner(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    name = "05_concurrency.ipynb"
    follow(notebooks, my)
    kept = []
    for version in ("first", "second", "third"):
        (my / name).write_text(notebook(version))
        kept.append(put_back(notebooks, my, name, TODAY))
        assert (my / name).read_bytes() == (notebooks / name).read_bytes()
    assert kept == [f"05_concurrency.2026-03-01{more}.ipynb" for more in ("", "-2", "-3")]
    assert ["first" in (my / str(one)).read_text() for one in kept] == [True, False, False]
    assert follow(notebooks, my) == Followed((), (), ())


def test_putting_back_an_unchanged_chapter_keeps_nothing(course: tuple[Path, Path]) -> None:
    notebooks, my = course
    assert put_back(notebooks, my, "00_start_here.ipynb", TODAY) is None
    (my / "00_start_here.ipynb").write_text(notebook("1 + 1", output="2"))
    assert put_back(notebooks, my, "00_start_here.ipynb", TODAY) is None
    assert [path.name for path in my.iterdir() if not path.name.startswith(".")] == ["00_start_here.ipynb"]


def test_jupyterlab_listens_on_loopback_with_a_token() -> None:
    given = list(options(Path("/a b/c"), 9000, False, "secret"))
    assert "--ServerApp.ip=127.0.0.1" in given and "--IdentityProvider.token=secret" in given
    assert "--LabApp.default_url=/lab/tree/my/00_start_here.ipynb" in given
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    assert ("--ServerApp.allow_root=True" in given) == as_root


# ---- lab.py: what was asked ----


@pytest.mark.parametrize(
    "typed, meant",
    [
        ([], ("open", [])),
        (["--no-browser", "--port", "9"], ("open", ["--no-browser", "--port", "9"])),
        (["run", "m2"], ("run", ["m2"])),
        (["--help"], ("help", [])),
        (["run", "--help"], ("run", ["--help"])),
    ],
)
def test_commands_are_told_from_options(typed: list[str], meant: tuple[str, list[str]]) -> None:
    assert lab.split(typed) == meant


def test_an_unknown_command_is_answered_with_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert lab.main(["rnu", "m2"]) == 2
    complaint = capsys.readouterr().err
    assert "'rnu'" in complaint
    assert all(f"python lab.py {typed}" in complaint for typed, _ in lab.COMMANDS.values())
    assert lab.main(["--help"]) == 0


def test_paths_are_meant_from_where_the_learner_stands(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").touch()
    given = lab.test_arguments(["a.ipynb::Cell 1", "-k", "other", "--junitxml=out.xml"], str(tmp_path), "/elsewhere")
    assert given == [f"{tmp_path / 'a.ipynb'}::Cell 1", "-k", "other", f"--junitxml={tmp_path / 'out.xml'}"]


@pytest.mark.parametrize("arguments, split", [([], True), (["--junitxml=x"], True), (["-q"], True)])
def test_everything_is_run_by_two_workers(arguments: list[str], split: bool) -> None:
    assert ("-n" in lab.test_arguments(arguments, "/x", "/x")) == split


@pytest.mark.parametrize("arguments", [["-m", "browser"], ["tests/test_lab.py"], ["-k", "plan"], ["--pdb"]])
def test_a_choice_is_run_in_one_process(arguments: list[str]) -> None:
    assert lab.test_arguments(arguments, "/x", "/x") == arguments


# ---- lab.py: the children's environment ----


def test_jupyter_keeps_its_things_in_the_checkout() -> None:
    env = lab.environment("/course", {"HOME": "/anybody", "PATH": "/bin"})
    folders = [
        name for name in env if name.startswith(("JUPYTER", "IPYTHON", "MPL")) and name != "JUPYTER_PLATFORM_DIRS"
    ]
    assert len(folders) == 7
    assert all(Path(env[name]).is_relative_to(Path("/course/.venv/jupyter")) for name in folders)
    assert env["HOME"] == "/anybody"
    assert env["PATH"].split(os.pathsep) == [str(Path(lab.python_in(str(Path("/course/.venv")))).parent), "/bin"]


def test_loopback_needs_no_proxy_and_other_exceptions_stay() -> None:
    assert lab.environment("/c", {})["NO_PROXY"] == "127.0.0.1,localhost"
    for name in ("NO_PROXY", "no_proxy"):
        env = lab.environment("/c", {name: "intranet", "HTTP_PROXY": "http://proxy"})
        assert env["NO_PROXY"] == env["no_proxy"] == "intranet,127.0.0.1,localhost"
        assert env["HTTP_PROXY"] == "http://proxy"


def test_what_would_load_other_code_is_left_out_and_nothing_given_is_changed() -> None:
    given = {"PYTHONPATH": "/x", "PYTHONHOME": "/x", "PYTHONSTARTUP": "/x", "JUPYTER_PATH": "/x", "KEPT": "1"}
    before = dict(given)
    env = lab.environment("/c", given)
    assert set(env) & set(given) == {"KEPT"}
    assert given == before


def test_settings_are_written_once(tmp_path: Path) -> None:
    lab.settle(str(tmp_path))
    settings = next(tmp_path.rglob("notification.jupyterlab-settings"))
    assert json.loads(settings.read_text()) == {"fetchNews": "false", "checkForUpdates": False}
    settings.write_text("{}")
    lab.settle(str(tmp_path))
    assert settings.read_text() == "{}", "a learner's own choice stays"


# ---- lab.py: how the environment stands ----


@pytest.fixture
def made(tmp_path: Path) -> tuple[str, dict[str, str]]:
    """An environment that looks finished, and what it was made from."""
    (tmp_path / "requirements.lock").write_text("a==1\n")
    now = lab.fingerprint(str(tmp_path))
    python = Path(lab.python_in(str(tmp_path / ".venv")))
    python.parent.mkdir(parents=True)
    python.touch()
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    (tmp_path / ".venv" / "labkit-stamp.json").write_text(json.dumps(now))
    return str(tmp_path / ".venv"), now


def test_a_finished_environment_is_ready(made: tuple[str, dict[str, str]]) -> None:
    assert lab.state(*made) == "ready"


@pytest.mark.parametrize("changed, found", [("checkout", "moved"), ("python", "other Python"), ("lock", "new lock")])
def test_a_difference_is_named(made: tuple[str, dict[str, str]], changed: str, found: str) -> None:
    venv, now = made
    assert lab.state(venv, {**now, changed: "another"}) == found
    assert found in lab.STATES


@pytest.mark.parametrize("stamp", [None, "", "[1]", "null", "{"])
def test_without_its_stamp_an_environment_is_half_made(made: tuple[str, dict[str, str]], stamp: str | None) -> None:
    venv, now = made
    file = Path(venv, "labkit-stamp.json")
    file.unlink() if stamp is None else file.write_text(stamp)
    assert lab.state(venv, now) == "half-made"


def test_an_environment_without_its_python_is_seen(made: tuple[str, dict[str, str]]) -> None:
    venv, now = made
    Path(lab.python_in(venv)).unlink()
    assert lab.state(venv, now) == "no Python"
    assert lab.state(venv + "-none", now) == "missing"


def test_clearing_keeps_downloads_and_the_learners_settings(made: tuple[str, dict[str, str]]) -> None:
    venv, _ = made
    for name in ("cache", "jupyter", "lib"):
        Path(venv, name).mkdir()
    Path(venv, "labkit.lock").touch()
    lab.clear(venv)
    assert sorted(path.name for path in Path(venv).iterdir()) == ["cache", "jupyter", "labkit.lock"]


def test_the_link_is_relative_and_plain_ascii(tmp_path: Path) -> None:
    root = tmp_path / "ein Ort é"
    packages = root / ".venv" / "Lib" / "site-packages"
    if os.name == "posix":
        packages = root / ".venv" / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    packages.mkdir(parents=True)
    lab.link(str(root), str(root / ".venv"))
    line = (packages / "labkit.pth").read_bytes().decode("ascii").strip()
    assert (packages / line).resolve() == root.resolve()


def test_a_second_lab_waits_for_the_first(tmp_path: Path) -> None:
    """The first holds the lock until its line is read; the second can only have it afterwards."""
    code = "import lab, sys\nwith lab.alone(sys.argv[1]):\n    print('in', flush=True)\n    sys.stdin.read()"
    start = [sys.executable, "-c", code, str(tmp_path / "venv")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    first = subprocess.Popen(start, cwd=ROOT, **pipes)  # type: ignore[call-overload]
    assert first.stdout.readline() == "in\n"
    second = subprocess.Popen(start, cwd=ROOT, **pipes)  # type: ignore[call-overload]
    assert "Waiting" in second.stderr.readline()
    first.communicate("")
    assert second.communicate("")[0] == "in\n"
    assert (first.returncode, second.returncode) == (0, 0)


# ---- lab.py: what is said when it cannot go on ----


def test_lab_py_can_be_read_by_older_pythons() -> None:
    assert ast.parse((ROOT / "lab.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_an_old_python_is_refused_and_a_newer_one_named() -> None:
    sentence, remedy = lab.too_old((3, 8), {"python3.12": "/usr/bin/python3.12"}.get)
    assert "3.11" in sentence and "3.8" in sentence and "python3.12 lab.py" in remedy
    assert "Install" in lab.too_old((3, 10), lambda name: None)[1]
    assert lab.too_old((3, 11), lambda name: None) is None
    assert lab.too_old((4, 0), lambda name: None) is None


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_refused_with_the_package_to_install(tmp_path: Path, missing: str) -> None:
    sentence, remedy = lab.unfit(str(tmp_path), lambda name: None if name == missing else name, lambda path: ROOMY)
    assert "ensurepip" in sentence
    assert "apt install python{}.{}-venv".format(*sys.version_info) in remedy


def test_a_full_disk_is_seen_before_anything_is_made(tmp_path: Path) -> None:
    sentence, remedy = lab.unfit(str(tmp_path), lambda name: name, lambda path: Usage(0, 0, 12_000_000))
    assert "12 MB" in sentence and "Free" in remedy
    assert lab.unfit(str(tmp_path), lambda name: name, lambda path: ROOMY) is None


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    sentence, remedy = lab.unfit(str(tmp_path), lambda name: name, lambda path: ROOMY)
    assert "cannot be written" in sentence and "Copy it" in remedy


@pytest.mark.parametrize(
    "number, words", [(errno.ENOSPC, "full"), (errno.EROFS, "cannot be written"), (errno.EACCES, "cannot be written")]
)
def test_errors_of_the_file_system_become_sentences(number: int, words: str) -> None:
    assert words in lab.cannot_write(OSError(number, "x"))[0]


@pytest.mark.parametrize(
    "log, words",
    [
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("failed to write: not enough space (os error 112)", "disk is full"),
        ("Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407'))", "proxy"),
        ("NewConnectionError: Failed to establish a new connection: Temporary failure in name resolution", "reached"),
        ("error sending request: dns error: failed to lookup address", "reached"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", "certificate"),
        ("ERROR: No matching distribution found for regex==1", "ready-made build"),
        ("PermissionError: [WinError 5] Access is denied", "could not be written"),
        ("something never seen before", "did not work"),
    ],
)
def test_an_installers_output_becomes_a_sentence_and_a_remedy(log: str, words: str) -> None:
    sentence, remedy = lab.diagnosis(log)
    assert words in sentence
    assert ".venv/install.log" in remedy


def test_a_failed_set_up_ends_with_a_sentence_and_no_stamp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "requirements.lock").write_text("a==1\n")
    monkeypatch.setattr(lab, "ROOT", str(tmp_path))
    for name in ("executable", "_base_executable"):
        monkeypatch.setattr(sys, name, str(tmp_path / "no-such-python"))
    assert lab.main(["check"]) == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said and "Setting labkit up" in said
    assert lab.state(str(tmp_path / ".venv"), lab.fingerprint(str(tmp_path))) == "missing"


def test_an_incomplete_checkout_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "ROOT", str(tmp_path))
    assert lab.main(["check"]) == 1
    assert "requirements.lock is missing" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# ---- the closing line of lab.py test ----


@pytest.mark.parametrize(
    "outcomes, line",
    [
        ({"tests/test_a.py::a": "passed"}, "1 library test and 0 notebook cells passed"),
        (
            {"tests/a.py::a": "passed", "tests/a.py::b": "skipped", "n/00.ipynb::Cell 0": "passed"}
            | {"n/00.ipynb::Cell 1": "failed", "tests/a.py::c": "passed"},
            "2 library tests and 1 notebook cell passed, 1 failed, 1 skipped",
        ),
    ],
)
def test_the_closing_line_counts_tests_and_cells_apart(outcomes: dict[str, str], line: str) -> None:
    assert closing_line(outcomes.items()) == line


def test_a_file_that_cannot_be_read_is_counted() -> None:
    assert closing_line([], 2).endswith("2 files could not be read")
