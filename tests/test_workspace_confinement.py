"""No path, link or name leads a workspace tool out of its root; each refusal says nothing of what is there."""

from __future__ import annotations

import functools
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.calls import Failure
from labkit.declare import Tool
from labkit.toolsets import workspace_tools
from labkit.toolsets.workspace import confine, descent, editing, resolving
from labkit.toolsets.workspace.refusals import Refused

SECRET = "the secret outside"

posix_only = pytest.mark.skipif(os.name != "posix", reason="links and pipes are made freely on POSIX only")
by_descriptor = pytest.mark.skipif(not descent.SUPPORTED, reason="this platform can't open relative to a folder")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "ok.txt").write_text("inside\n", encoding="utf-8")
    (work / "sub" / "deep.txt").write_text("deep inside\n", encoding="utf-8")
    for neighbour in ("work-secret", "workspace2", "out"):
        (tmp_path / neighbour).mkdir()
        (tmp_path / neighbour / "key.txt").write_text(SECRET, encoding="utf-8")
    return work


def tools_of(place: Path) -> dict[str, Tool]:
    return _tools_of(place, descent.SUPPORTED)


@functools.cache
def _tools_of(place: Path, supported: bool) -> dict[str, Tool]:
    return {tool.name: tool for tool in workspace_tools(place)}


def ask(place: Path, name: str, **values: Any) -> Any:
    return tools_of(place)[name](**values)


def everywhere(place: Path, path: str) -> Iterator[Any]:
    """Yield what each tool with a path says to it."""
    yield ask(place, "read_file", path=path)
    yield ask(place, "read_lines", path=path, start_line=1)
    yield ask(place, "list_files", path=path)
    yield ask(place, "search_text", query="secret", path=path)
    yield ask(place, "edit_file", path=path, old="secret", new="spoiled")


LEAVING = [
    "..",
    "../work-secret/key.txt",
    "../workspace2/key.txt",
    "../work/ok.txt",
    "sub/../../work-secret/key.txt",
    "sub/../../missing.txt",
    "missing/../../work-secret/key.txt",
    "./.././out",
    "/etc/passwd",
    "//server/share/x",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "..\\work-secret\\key.txt",
    "sub\\deep.txt",
    "C:\\Windows\\win.ini",
    "C:/Windows/win.ini",
    "c:win.ini",
    "file:///etc/passwd",
    "http://example.org/x",
    "ok.txt\0.png",
    "\0",
    "CON",
    "nul",
    "sub/NUL.txt",
    "aux.c",
    "COM1",
    "com¹",
    "lpt9.log",
    "PRN ",
    "CONIN$",
    "...",
    "sub/.. /ok.txt",
    "sub/ /x",
    "a" * 5_000,
    "half \ud800 pair",
]


@pytest.mark.parametrize("path", LEAVING, ids=lambda path: ascii(path)[:40])
def test_a_path_that_is_not_plainly_inside_is_refused_by_every_tool(way: str, place: Path, path: str) -> None:
    for answer in everywhere(place, path):
        assert isinstance(answer, Failure), answer
        assert answer.code == "path_outside_workspace"
        assert answer.suggestion


def test_absolute_paths_are_refused_inside_the_workspace_too(way: str, place: Path) -> None:
    for answer in everywhere(place, str(place / "ok.txt")):
        assert answer.code == "path_outside_workspace"


def test_a_refusal_tells_nothing_of_the_target(way: str, place: Path) -> None:
    for existing, missing in [("../out/key.txt", "../out/none.txt"), ("/etc", "/no/such/place")]:
        assert list(everywhere(place, existing)) == list(everywhere(place, missing))
    for answer in everywhere(place, str(place.parent / "out" / "key.txt")):
        assert str(place.parent) not in answer.reason + answer.suggestion


def test_plain_spellings_of_a_path_work(way: str, place: Path) -> None:
    for path in ("ok.txt", "./ok.txt", "sub/../ok.txt", "sub//../ok.txt", "./././ok.txt"):
        assert ask(place, "read_file", path=path) == "inside\n"
    (place / "ä b").mkdir()
    (place / "ä b" / "日本.txt").write_text("x", encoding="utf-8")
    assert ask(place, "read_file", path="ä b/日本.txt") == "x"


def test_a_tilde_is_an_ordinary_character(way: str, place: Path) -> None:
    assert ask(place, "read_file", path="~/.ssh/id_rsa").code == "not_found"
    (place / "~").mkdir()
    (place / "~" / "x.txt").write_text("here", encoding="utf-8")
    assert ask(place, "read_file", path="~/x.txt") == "here"


def test_names_that_only_look_like_devices_are_names(way: str, place: Path) -> None:
    for name in ("console.txt", "com10.txt", "nullable.py", "auxiliary", "communication", "x.con"):
        (place / name).write_text(name, encoding="utf-8")
        assert ask(place, "read_file", path=name) == name


@pytest.mark.parametrize("path", ["", ".", "sub", "sub/.", "sub/.."])
def test_reading_a_folder_says_so(way: str, place: Path, path: str) -> None:
    for name, values in [("read_file", {}), ("read_lines", {"start_line": 1}), ("edit_file", {"old": "a", "new": "b"})]:
        answer = ask(place, name, path=path, **values)
        assert "is a folder" in answer.reason
        assert answer.code == "failed"


@pytest.mark.parametrize("path", ["none.txt", "sub/none.txt", "ok.txt/x", "none/../ok2.txt", "x" * 300])
def test_what_is_not_there_is_not_found(way: str, place: Path, path: str) -> None:
    for answer in everywhere(place, path):
        assert answer.code == "not_found"
        assert str(place) not in answer.reason


@pytest.fixture
def linked(place: Path) -> Path:
    """Links of every kind; nothing that any tool does may show or change what is outside."""
    if os.name != "posix":
        pytest.skip("making a link needs a privilege on Windows")
    out = place.parent / "out"
    links = {
        "link.txt": out / "key.txt",
        "dir": out,
        "relative.txt": "../out/key.txt",
        "dangling": out / "none.txt",
        "round": "../work/ok.txt",
        "first": "second",
        "second": "../out/key.txt",
        "loop": "loop",
        "ping": "pong",
        "pong": "ping",
        "inside": "sub",
        "alias.txt": "sub/deep.txt",
        "absolute": place.resolve() / "sub",
        "sub/up": "..",
        "root": ".",
    }
    for name, target in links.items():
        (place / name).symlink_to(target)
    return place


LEAVING_LINKS = ["link.txt", "dir", "dir/key.txt", "relative.txt", "dangling", "first", "sub/up/dir/key.txt", "dir/.."]


@pytest.mark.parametrize("path", LEAVING_LINKS)
def test_a_link_that_leaves_is_refused(way: str, linked: Path, path: str) -> None:
    for answer in everywhere(linked, path):
        assert isinstance(answer, Failure), answer
        assert answer.code == "path_outside_workspace"
    assert (linked.parent / "out" / "key.txt").read_text(encoding="utf-8") == SECRET


def test_a_link_to_nothing_outside_is_refused_like_one_to_a_file(way: str, linked: Path) -> None:
    assert list(everywhere(linked, "dangling")) == list(everywhere(linked, "link.txt"))


@by_descriptor
def test_a_link_that_leaves_and_comes_back_is_refused(linked: Path) -> None:
    assert ask(linked, "read_file", path="round").code == "path_outside_workspace"


def test_links_that_stay_inside_work(way: str, linked: Path) -> None:
    for path in ("inside/deep.txt", "alias.txt", "absolute/deep.txt", "sub/up/sub/deep.txt", "root/root/alias.txt"):
        assert ask(linked, "read_file", path=path) == "deep inside\n"
    assert ask(linked, "list_files", path="inside") == "sub/deep.txt\nsub/up (link)"


def test_an_edit_through_a_link_changes_its_target_and_keeps_the_link(way: str, linked: Path) -> None:
    assert ask(linked, "edit_file", path="alias.txt", old="deep", new="far") == "edited sub/deep.txt, line 1"
    assert (linked / "alias.txt").is_symlink()
    assert (linked / "sub" / "deep.txt").read_text(encoding="utf-8") == "far inside\n"


@pytest.mark.parametrize("path", ["loop", "ping", "loop/x.txt"])
def test_a_loop_of_links_is_a_clear_error(way: str, linked: Path, path: str) -> None:
    for answer in everywhere(linked, path):
        assert isinstance(answer, Failure)
        assert answer.code in ("failed", "not_found")
    assert "circle" in ask(linked, "read_file", path="loop").reason


def test_walks_name_links_and_never_follow_them(way: str, linked: Path) -> None:
    listing = ask(linked, "list_files").split("\n")
    assert {"dir (link)", "link.txt (link)", "inside (link)", "loop (link)"} <= set(listing)
    assert not [line for line in listing if line.startswith(("dir/", "inside/", "root/"))]
    assert SECRET not in ask(linked, "search_text", query="secret")
    assert ask(linked, "search_text", query="deep inside") == "sub/deep.txt:1: deep inside"


@by_descriptor
def test_a_link_put_in_the_place_of_a_file_after_the_look_is_not_followed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = os.stat

    def look_then_swap(path: Any, **options: Any) -> os.stat_result:
        found = look(path, **options)
        if path == "ok.txt" and stat.S_ISREG(found.st_mode):
            (place / "ok.txt").unlink()
            (place / "ok.txt").symlink_to(place.parent / "out" / "key.txt")
        return found

    monkeypatch.setattr(descent.os, "stat", look_then_swap)
    answer = ask(place, "read_file", path="ok.txt")
    assert answer.code == "path_outside_workspace"


@by_descriptor
def test_a_link_put_in_the_place_of_a_folder_during_a_walk_is_not_followed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap_then_say(entry: os.DirEntry[str]) -> str:
        if entry.name == "sub":
            (place / "sub").rename(place / "moved")
            (place / "sub").symlink_to(place.parent / "out")
            return "folder"
        return "file"

    monkeypatch.setattr(confine, "_kind", swap_then_say)
    answer = ask(place, "search_text", query="secret")
    assert SECRET not in answer
    assert "1 could not be looked into" in answer


@posix_only
def test_the_other_way_finds_out_a_link_made_between_judging_and_opening(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descent, "SUPPORTED", False)
    real_open = os.open

    def swap_then_open(path: Any, *args: Any, **options: Any) -> int:
        if str(path).endswith("ok.txt") and not Path(path).is_symlink():
            Path(path).unlink()
            Path(path).symlink_to(place.parent / "out" / "key.txt")
        return real_open(path, *args, **options)

    monkeypatch.setattr(resolving.os, "open", swap_then_open)
    assert ask(place, "read_file", path="ok.txt").code == "path_outside_workspace"


@by_descriptor
def test_a_folder_swapped_back_and_forth_never_leads_out(place: Path) -> None:
    (place / "real").mkdir()
    (place / "real" / "key.txt").write_text("harmless", encoding="utf-8")
    (place / "door").symlink_to("real")
    (place / "spare").symlink_to(place.parent / "out")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name, target in [("next", place.parent / "out"), ("next", Path("real"))]:
                (place / name).symlink_to(target)
                (place / name).replace(place / "door")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        answers = [ask(place, "read_file", path="door/key.txt") for _ in range(400)]
    finally:
        stop.set()
        swapper.join()
    assert {answer if isinstance(answer, str) else answer.code for answer in answers} <= {
        "harmless",
        "path_outside_workspace",
        "failed",
    }


@posix_only
def test_an_edit_does_not_write_through_a_link_made_after_the_reading(
    way: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = editing._write

    def swap_then_write(*args: Any) -> None:
        (place / "ok.txt").unlink()
        (place / "ok.txt").symlink_to(place.parent / "out" / "key.txt")
        write(*args)

    monkeypatch.setattr(editing, "_write", swap_then_write)
    answer = ask(place, "edit_file", path="ok.txt", old="inside", new="spoiled")
    assert "changed while it was edited" in answer.reason
    assert (place.parent / "out" / "key.txt").read_text(encoding="utf-8") == SECRET
    assert not list(place.glob(".*.tmp"))


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what ``work`` returns; a reader that blocks fails the test and does not hang it."""
    answers: list[Any] = []
    worker = threading.Thread(target=lambda: answers.append(work()), daemon=True)
    worker.start()
    worker.join(seconds)
    assert answers, f"still waiting after {seconds} seconds"
    return answers[0]


@posix_only
def test_pipes_and_sockets_are_refused_without_waiting(
    way: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(place / "pipe")
    monkeypatch.chdir(place)  # the name of a socket must be short
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    try:
        for path in ("pipe", "socket"):
            for answer in within(5, lambda path=path: list(everywhere(place, path))):  # type: ignore[misc]
                assert "neither a file nor a folder" in answer.reason
        assert "pipe (neither file nor folder)" in within(5, lambda: ask(place, "list_files"))
        assert ask(place, "search_text", query="deep") == "sub/deep.txt:1: deep inside"
    finally:
        server.close()


@by_descriptor
def test_a_pipe_put_in_the_place_of_a_file_after_the_look_does_not_block(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = os.stat

    def look_then_swap(path: Any, **options: Any) -> os.stat_result:
        found = look(path, **options)
        if path == "ok.txt" and stat.S_ISREG(found.st_mode):
            (place / "ok.txt").unlink()
            os.mkfifo(place / "ok.txt")
        return found

    monkeypatch.setattr(descent.os, "stat", look_then_swap)
    answer = within(5, lambda: ask(place, "read_file", path="ok.txt"))
    assert "neither a file nor a folder" in answer.reason


@posix_only
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="descriptors are counted under /dev/fd")
def test_no_descriptor_is_left_open(way: str, linked: Path) -> None:
    def work() -> None:
        for path in ["ok.txt", "alias.txt", ".", "none", "loop", "../x", "dir/key.txt", "sub/deep.txt"]:
            assert len(list(everywhere(linked, path))) == 5

    work()
    before = len(list(Path("/dev/fd").iterdir()))
    work()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_workspace_that_is_gone_is_an_answer(way: str, place: Path) -> None:
    tools = tools_of(place)
    for file in sorted(place.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    place.rmdir()
    assert tools["read_file"](path="ok.txt").code == "not_found"
    assert isinstance(tools["list_files"](), Failure)
    assert "could not be started" in tools["run_test"]().reason


def test_a_root_must_be_a_folder(place: Path) -> None:
    with pytest.raises(NotADirectoryError, match="existing folder"):
        workspace_tools(place / "ok.txt")


def test_what_a_call_touches_is_the_resolved_place(linked: Path) -> None:
    tools = tools_of(linked)
    deep = tools["read_file"].touches({"path": "sub/deep.txt"})  # type: ignore[misc]
    assert tools["edit_file"].touches({"path": "alias.txt"}) == deep  # type: ignore[misc]
    assert deep != tools["read_file"].touches({"path": "ok.txt"})  # type: ignore[misc]
    folder = tools["list_files"].touches({"path": "inside"})[0]  # type: ignore[misc, index]
    everything = tools["run_test"].touches({})[0]  # type: ignore[misc, index]
    assert deep[0].is_relative_to(folder)  # type: ignore[index]
    assert folder.is_relative_to(everything)
    assert tools["read_file"].touches({"path": "../out/key.txt"}) == ()  # type: ignore[misc]


def test_on_a_file_system_that_ignores_case_two_spellings_are_one_resource(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confine.Root, "_ignores_case", lambda self: True)
    tools = tools_of(place)
    assert tools["edit_file"].touches({"path": "OK.txt"}) == tools["read_file"].touches({"path": "ok.TXT"})  # type: ignore[misc]


pathish = st.lists(
    st.sampled_from(
        ["..", ".", "", "sub", "out", "key.txt", "work", "work-secret", "dir", "inside", "/", "\\", "~", "C:", "\0"]
    )
    | st.text(max_size=3),
    max_size=7,
).map("/".join)


@posix_only
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=pathish)
def test_no_text_at_all_leads_out(linked: Path, path: str) -> None:
    """Law: whatever the path, an answer never holds what is outside, and nothing is raised."""
    for answer in everywhere(linked, path):
        assert isinstance(answer, str | Failure)
        assert SECRET not in str(answer)
    assert (linked.parent / "out" / "key.txt").read_text(encoding="utf-8") == SECRET


def test_refusals_stay_inside_the_package(place: Path) -> None:
    with pytest.raises(Refused) as refused:
        confine.Root(place).open("..")
    assert isinstance(refused.value.failure, Failure)
    assert isinstance(ask(place, "read_file", path=".."), Failure)
