"""Failures that people have reported of files and processes: each case by its id, with files of our own.

The calls go through a runtime, as a model's do. Where our design decides otherwise than was hoped for, the test says
so.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from tools_for_tests import codes, until

from labkit import ToolCall, ToolRegistry, ToolResult, ToolRuntime, tool
from labkit.toolsets import workspace_tools

posix_only = pytest.mark.skipif(os.name != "posix", reason="links, shells and process groups as POSIX has them")
links_wanted = pytest.mark.skipif(os.name == "nt", reason="making a link needs a right of its own on Windows")


def folder_with(root: Path, files: dict[str, bytes]) -> Path:
    """Put files under a folder, which is made."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def ask(root: Path, name: str, limit: float = 20.0, **arguments: Any) -> ToolResult:
    """Send one call to the workspace tools of a folder."""
    return ToolRuntime(ToolRegistry(workspace_tools(root, limit))).dispatch(ToolCall("call_1", name, arguments))


def everywhere(root: Path, path: str) -> Iterator[ToolResult]:
    """Send a path to each tool that takes one."""
    yield ask(root, "read_file", path=path)
    yield ask(root, "read_lines", path=path, start_line=1)
    yield ask(root, "list_files", path=path)
    yield ask(root, "search_text", query="SECRET", path=path)
    yield ask(root, "edit_file", path=path, old="SECRET", new="spoiled")


# --- K8-01: a neighbour with the same beginning ---------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder_with(tmp_path / "work-secret", {"key.txt": b"SECRET"})
    folder_with(tmp_path / "workspace2", {"x": b"SECRET"})
    return folder_with(tmp_path / "work", {"ok.txt": b"fine\n", "sub/a.txt": b"a\n"})


@pytest.mark.parametrize(
    "path", ["../work-secret/key.txt", "sub/../../work-secret/key.txt", "../workspace2/x", "{}/work-secret/key.txt"]
)
def test_k8_01_a_neighbour_is_outside_for_every_tool(way: str, place: Path, path: str) -> None:
    path = path.format(place.parent)
    for result in everywhere(place, path):
        assert codes([result]) == ["path_outside_workspace"]
        assert "SECRET" not in result.content and str(place.parent) not in result.content
    assert (place.parent / "work-secret" / "key.txt").read_bytes() == b"SECRET"


def test_k8_01_nothing_tells_whether_there_is_a_file_outside(way: str, place: Path) -> None:
    there, not_there = (list(everywhere(place, f"../work-secret/{name}")) for name in ("key.txt", "none.txt"))
    assert [each.content for each in there] == [each.content for each in not_there]


def test_k8_01_paths_inside_work_and_absolute_ones_are_refused(way: str, place: Path) -> None:
    """One policy: a path is relative, also where an absolute one would point inside."""
    assert ask(place, "read_file", path="./ok.txt").content == "fine\n"
    assert codes(everywhere(place, str(place / "ok.txt"))) == ["path_outside_workspace"] * 5


@pytest.mark.parametrize("path", ["", "."])
def test_k8_01_the_workspace_itself_is_a_folder(way: str, place: Path, path: str) -> None:
    assert "is a folder; " in ask(place, "read_file", path=path).content.replace("\nHint: ", "; ")
    assert ask(place, "list_files", path=path).content == "ok.txt\nsub/\nsub/a.txt"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("~/.ssh/id_rsa", "not_found"),  # a tilde is a character like any other
        ("ok.txt\x00.png", "path_outside_workspace"),
        ("file://{}/ok.txt", "path_outside_workspace"),
    ],
)
def test_k8_01_other_spellings_are_errors_in_words(way: str, place: Path, path: str, code: str) -> None:
    assert codes(everywhere(place, path.format(place))) == [code] * 5


def test_k8_01_the_tests_run_in_the_workspace(place: Path) -> None:
    """``run_test`` takes no path, so there is no folder to choose."""
    folder_with(place, {"test_where.py": b"import os\nprint(sorted(os.listdir('.')))\n"})
    assert "['ok.txt', 'sub', 'test_where.py']" in ask(place, "run_test").content
    assert codes([ask(place, "run_test", cwd="../work-secret")]) == ["schema_validation"]


# --- K8-02: links that lead out -------------------------------------------------------------------------------------


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    folder_with(tmp_path / "out", {"secret.txt": b"SECRET"})
    root = folder_with(tmp_path / "work", {"real/a.txt": b"a\n"})
    for name, target in [("link.txt", tmp_path / "out" / "secret.txt"), ("dir", tmp_path / "out")]:
        (root / name).symlink_to(target)
    (root / "inside").symlink_to("./real")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to("../out")
    (root / "chain").symlink_to("dir")
    return root


@links_wanted
@pytest.mark.parametrize(
    "path", ["link.txt", "dir/secret.txt", "dir/new.txt", "up/secret.txt", "chain/secret.txt", "dir", "inside/../dir"]
)
def test_k8_02_links_that_lead_out_are_refused_by_every_tool(way: str, linked: Path, path: str) -> None:
    results = list(everywhere(linked, path))
    assert codes(results) == ["path_outside_workspace"] * 5
    assert not any("SECRET" in result.content for result in results)
    outside = linked.parent / "out"
    assert [(file.name, file.read_bytes()) for file in outside.iterdir()] == [("secret.txt", b"SECRET")]


@links_wanted
def test_k8_02_walks_name_links_and_do_not_follow_them(way: str, linked: Path) -> None:
    assert "SECRET" not in ask(linked, "search_text", query="S").content
    listed = ask(linked, "list_files", path=".").content.splitlines()
    assert [line for line in listed if "(link)" not in line] == ["real/", "real/a.txt"]
    assert len(listed) == 8


@links_wanted
def test_k8_02_a_link_that_stays_inside_works_and_a_loop_is_an_error_in_words(way: str, linked: Path) -> None:
    assert ask(linked, "read_file", path="inside/a.txt").content == "a\n"
    for result in everywhere(linked, "loop"):
        assert "round in a circle" in result.content


@links_wanted
def test_k8_02_no_file_is_made_through_a_link(way: str, linked: Path) -> None:
    assert codes([ask(linked, "edit_file", path="dir/new.txt", old="", new="n")]) == ["schema_validation"]
    assert not (linked.parent / "out" / "new.txt").exists()


# --- K8-05: line ends and byte order marks --------------------------------------------------------------------------

OLD, NEW = "alpha\nbeta", "alpha\nBETA\nextra"
MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("old", [OLD, OLD.replace("\n", "\r\n")], ids=["newline", "pair"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"alpha\r\nbeta\r\ngamma\r\n", b"alpha\r\nBETA\r\nextra\r\ngamma\r\n"),
        (MARK + b"alpha\r\nbeta\r\ngamma\r\n", MARK + b"alpha\r\nBETA\r\nextra\r\ngamma\r\n"),
        (b"alpha\r\nbeta\r\ngamma", b"alpha\r\nBETA\r\nextra\r\ngamma"),
        (b"gamma\r\nalpha\r\nbeta", b"gamma\r\nalpha\r\nBETA\r\nextra"),
        (b"alpha\rbeta\rgamma\r", b"alpha\rBETA\rextra\rgamma\r"),
        (b"gamma\nalpha\r\nbeta\r\ngamma\n", b"gamma\nalpha\r\nBETA\r\nextra\r\ngamma\n"),
    ],
    ids=["pairs", "mark", "no final end", "at the end", "lone returns", "mixed"],
)
def test_k8_05_an_edit_matches_as_it_reads_and_keeps_every_other_byte(
    tmp_path: Path, before: bytes, after: bytes, old: str
) -> None:
    folder_with(tmp_path, {"w.txt": before})
    result = ask(tmp_path, "edit_file", path="w.txt", old=old, new=NEW)
    assert (result.ok, (tmp_path / "w.txt").read_bytes()) == (True, after), result.content


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_k8_05_what_one_tool_shows_the_others_find(tmp_path: Path, end: bytes) -> None:
    folder_with(tmp_path, {"w.txt": MARK + end.join([b"alpha", b"beta", b""])})
    assert ask(tmp_path, "read_file", path="w.txt").content == "alpha\nbeta\n"
    assert ask(tmp_path, "read_lines", path="w.txt", start_line=1).content == "1: alpha\n2: beta"
    assert ask(tmp_path, "search_text", query="beta").content == "w.txt:2: beta"


# --- K8-07: an empty text to look for -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "e.txt", "old": "", "new": "Z"}, "schema_validation"),
        ({"path": "e.txt", "old": "", "new": "Z", "replace_all": True}, "schema_validation"),
        ({"path": "e.txt", "old": "q", "new": "Z", "replace_all": True}, "schema_validation"),
        ({"path": "e.txt", "old": "q", "new": "q"}, "failed"),
        # An empty file and a new one are never written to: this tool changes a text that is there.
        ({"path": "empty.txt", "old": "", "new": "Z"}, "schema_validation"),
        ({"path": "new.txt", "old": "", "new": "Z"}, "schema_validation"),
        ({"path": "new.txt", "old": "x", "new": "Z"}, "not_found"),
    ],
)
@pytest.mark.parametrize("validator", ["pydantic", "subset", "jsonschema"])
def test_k8_07_an_edit_without_a_text_or_without_a_change_is_refused(
    tmp_path: Path, arguments: dict[str, Any], code: str, validator: str
) -> None:
    files = {"e.txt": b"pq", "empty.txt": b""}
    runtime = ToolRuntime(ToolRegistry(workspace_tools(folder_with(tmp_path, files))), validator=validator)
    assert codes([runtime.dispatch(ToolCall("call_1", "edit_file", arguments))]) == [code]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files


def test_k8_07_the_functions_themselves_refuse_it_too(tmp_path: Path) -> None:
    """A decorated function stays callable, past the schema."""
    tools = {tool.name: tool for tool in workspace_tools(folder_with(tmp_path, {"e.txt": b"pq"}))}
    assert tools["edit_file"](path="e.txt", old="", new="Z").reason == "old must not be empty"
    assert tools["search_text"](query="").reason == "query must not be empty"
    assert (tmp_path / "e.txt").read_bytes() == b"pq"


def test_k8_07_an_edit_that_changes_nothing_says_so(tmp_path: Path) -> None:
    folder_with(tmp_path, {"e.txt": b"pq"})
    assert "nothing was changed" in ask(tmp_path, "edit_file", path="e.txt", old="q", new="q").content


def test_k8_07_an_empty_query_is_not_every_line(tmp_path: Path) -> None:
    folder_with(tmp_path, {"e.txt": b"pq"})
    assert codes([ask(tmp_path, "search_text", query="")]) == ["schema_validation"]


# --- K8-08: files that are no UTF-8 ---------------------------------------------------------------------------------

FILES = {
    "gbk.txt": "中文".encode("gbk"),
    "latin.txt": b"na\xefve list\n",
    "bin.dat": bytes(range(256)),
    "u16.txt": "hi\n".encode("utf-16"),
}


@pytest.mark.parametrize(
    ("name", "why"),
    [("gbk.txt", "byte 0xD6 at offset 0 is no UTF-8"), ("latin.txt", "byte 0xEF at offset 2"), ("bin.dat", "NUL byte")],
)
def test_k8_08_what_can_not_be_read_without_loss_is_said_to_be_none(tmp_path: Path, name: str, why: str) -> None:
    folder_with(tmp_path, FILES)
    assert why in ask(tmp_path, "read_file", path=name).content
    assert "not readable as text" in ask(tmp_path, "read_lines", path=name, start_line=1).content
    assert why in ask(tmp_path, "edit_file", path=name, old="list", new="row").content
    assert (tmp_path / name).read_bytes() == FILES[name]


def test_k8_08_a_byte_order_mark_names_the_encoding(tmp_path: Path) -> None:
    folder_with(tmp_path, FILES)
    assert ask(tmp_path, "read_file", path="u16.txt").content == "hi\n"
    assert ask(tmp_path, "edit_file", path="u16.txt", old="hi", new="ho").ok
    assert (tmp_path / "u16.txt").read_bytes() == "ho\n".encode("utf-16")


def test_k8_08_a_search_passes_them_over_and_counts_them(tmp_path: Path) -> None:
    folder_with(tmp_path, FILES | {"list.txt": b"a list\n"})
    assert ask(tmp_path, "search_text", query="list").content == (
        "list.txt:1: a list\n[3 files skipped: not UTF-8 text]"
    )
    assert ask(tmp_path, "search_text", query="list", path="latin.txt").content == (
        "[no line holds the query]\n[1 file skipped: not UTF-8 text]"
    )


def test_k8_08_what_breaks_late_in_a_file_counts_too(tmp_path: Path) -> None:
    """Beyond the first chunk: lines that were found before are no licence to show half of a file that is no text."""
    folder_with(tmp_path, {"late.txt": b"list\n" + b"x" * 200_000 + b"\n\xff\n", "late.dat": b"y" * 200_000 + b"\0"})
    for name in ("late.txt", "late.dat"):
        assert "not readable as text" in ask(tmp_path, "read_file", path=name).content
        assert codes([ask(tmp_path, "edit_file", path=name, old="list", new="row")]) == ["failed"]
    assert ask(tmp_path, "search_text", query="list").content.endswith("[2 files skipped: not UTF-8 text]")


def test_k8_08_fifty_megabytes_in_one_line_are_bounded_in_time_and_memory(tmp_path: Path) -> None:
    root = folder_with(tmp_path, {"big.txt": b"x" * 50_000_000})
    began = time.monotonic()
    tracemalloc.start()
    try:
        whole = ask(root, "read_file", path="big.txt")
        part = ask(root, "read_lines", path="big.txt", start_line=1, end_line=1)
        found = ask(root, "search_text", query="list")
        edited = ask(root, "edit_file", path="big.txt", old="x", new="y")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.monotonic() - began < 10
    assert peak < 3_000_000
    assert "too large to be read whole: 50,000,000 bytes" in whole.content
    assert part.content.endswith("[and 49,999,000 more characters in this line]")
    assert found.content == "[no line holds the query]"
    assert codes([whole, part, found, edited]) == ["failed", None, None, "failed"]


# --- K8-09: children of a test run that does not end ----------------------------------------------------------------

# Tests are run by unittest in the workspace, so what was reported as a command stands in a test file. The sleeping
# children carry a number of their own, by which they are found again.
SHELL = "import subprocess\nsubprocess.run({!r}, shell=True)\n"
STUCK = {
    "61.01": SHELL.format("sleep 61.01 & echo started; wait"),
    "61.02": "import subprocess, time\nprint('started')\nsubprocess.Popen(['sleep', '61.02'])\ntime.sleep(60)\n",
    "61.03": SHELL.format("trap '' TERM INT HUP; echo started; sleep 61.03"),
    "61.04": SHELL.format("echo started; setsid sleep 61.04"),
    "61.05": SHELL.format("trap '' TERM INT HUP; echo started; sleep 61.05 & sh -c 'sleep 61.05; true'; wait"),
}


def sleepers(number: str) -> list[psutil.Process]:
    """Return the processes that sleep this long and have not ended."""
    alive = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if number in (process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE:
            alive.append(process)
    return alive


def run_file(root: Path, source: str, limit: float) -> tuple[ToolResult, float]:
    """Run a test file; return the answer and the seconds until it came."""
    folder_with(root, {"test_it.py": source.encode()})
    began = time.monotonic()
    return ask(root, "run_test", limit), time.monotonic() - began


@posix_only
def test_k8_09_nothing_that_the_tests_started_outlives_the_limit(tmp_path: Path) -> None:
    if not shutil.which("setsid"):
        del STUCK["61.04"]
    with ThreadPoolExecutor(len(STUCK)) as pool:
        runs = {number: pool.submit(run_file, tmp_path / number, source, 2.5) for number, source in STUCK.items()}
    for number, run in runs.items():
        result, seconds = run.result()
        assert codes([result]) == ["timeout"], number
        assert "started" in result.content, number
        assert seconds < 8, number
        assert until(lambda number=number: not sleepers(number), 3), number


@posix_only
@pytest.mark.parametrize(("number", "start"), [("61.06", ""), ("61.07", "setsid ")])
def test_k8_09_a_pipe_that_somebody_keeps_open_is_not_waited_for(tmp_path: Path, number: str, start: str) -> None:
    """The tests end at once. What stays in their group is ended; what left it and lost its parent is not ours."""
    if start and not shutil.which("setsid"):
        pytest.skip("there is no setsid here")
    command = f"echo started; {start}sleep {number} & exit 0"
    try:
        result, seconds = run_file(tmp_path, SHELL.format(command), 20.0)
        assert (codes([result]), "started" in result.content) == ([None], True)
        assert seconds < 10
        if not start:
            assert until(lambda: not sleepers(number), 3)
    finally:
        for process in sleepers(number):
            process.kill()


# That an interrupt takes the same way out is tested with a kernel, in tests/notebooks/test_reported_k10.py.


# --- K8-10: patterns that never end ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["(k+)+$", "(k|k)*m", "(.*)*x", "([", "a{1,100000000}", "\\d+", "k" * 100_000, "(" * 100_000, ".*", "(?R)"]
)
def test_k8_10_a_query_is_a_text_and_no_pattern(tmp_path: Path, query: str) -> None:
    """Searches are literal and know no patterns, so none can be wrong and none can run for ever."""
    folder_with(tmp_path, {"k.txt": b"k" * 40 + b"?\n", "it.txt": b"before " + query.encode() + b" after\n"})
    began = time.monotonic()
    result = ask(tmp_path, "search_text", query=query)
    assert time.monotonic() - began < 3
    assert result.ok
    assert [line.partition(":")[0] for line in result.content.splitlines()] == ["it.txt"]


@pytest.mark.parametrize("old", ["(k+)+$", "([", "\\d+", ".*", "\\1"])
def test_k8_10_so_is_the_text_of_an_edit(tmp_path: Path, old: str) -> None:
    folder_with(tmp_path, {"k.txt": b"k" * 40 + b"?\n", "it.txt": b"<" + old.encode() + b">"})
    assert codes([ask(tmp_path, "edit_file", path="k.txt", old=old, new="x")]) == ["not_found"]
    assert ask(tmp_path, "edit_file", path="it.txt", old=old, new="\\g<0>").ok
    assert (tmp_path / "it.txt").read_bytes() == b"<\\g<0>>"


def test_k8_10_a_search_stops_others_from_nothing(tmp_path: Path) -> None:
    """Beside a search through much text another thread goes on, so that the stop button works as well."""
    folder_with(tmp_path, {f"{n}.txt": (b"k" * 99 + b"\n") * 100_000 for n in range(3)})
    over = threading.Event()
    beats: list[float] = []

    def beat() -> None:
        while not over.wait(0.01):
            beats.append(time.monotonic())

    heart = threading.Thread(target=beat)
    heart.start()
    result = ask(tmp_path, "search_text", query="(k+)+$")
    over.set()
    heart.join()
    assert result.content == "[no line holds the query]"
    assert len(beats) >= 2
    assert max(later - earlier for earlier, later in itertools.pairwise(beats)) < 1.0


WORDS = [
    "w",
    "/a",
    "a.",
    "sk-",
    "password=",
    "https://",
    "a://b:",
    "Bearer ",
    "'/a",
    "C:\\\\",
    '{"a":',
    "1+",
    "([",
    "= ",
]


@pytest.mark.parametrize("word", WORDS)
def test_k8_10_our_own_patterns_come_to_an_end_on_any_text(word: str) -> None:
    """Ours read what models send and what tools raise; a long text must not cost more than its length."""
    text = (word * 100_000)[:100_000]

    @tool(readonly=True)
    def repeat(text: str, more: dict[str, Any] | None = None) -> str:
        """Fail in the words that were sent."""
        raise ValueError(text)

    runtime = ToolRuntime(ToolRegistry([repeat]))
    began = time.monotonic()
    sent: list[Any] = [{"text": text}, {"text": "a", "more": text}, {text: 1}, text, f'{{"text": "{text}']
    results = [runtime.dispatch(ToolCall("call_1", "repeat", arguments)) for arguments in sent]
    results.append(runtime.dispatch(ToolCall("call_1", text, {})))
    assert time.monotonic() - began < 3
    assert not any(result.ok for result in results)
    assert all(len(result.content) < 1_500 for result in results)


# --- K8-12: output without end --------------------------------------------------------------------------------------


def shell(program: str) -> str:
    """Return a test file that runs a program of its own, as was reported."""
    return f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {program!r}])\n"


FLOODS = {
    "for ever": ("import sys\nwhile True: sys.stdout.write('y\\n'*1000)", 1.5, "timeout", "y"),
    "one line": ("for _ in range(300): print('x'*1000000, end='')", 20.0, None, "xxx"),
    "errors": ("import sys\nfor _ in range(300): sys.stderr.write('e'*1000000)", 20.0, None, "eee"),
    "bytes": ("import sys; sys.stdout.buffer.write(bytes(range(256))*1000)", 20.0, None, "\ufffd"),
}


@pytest.mark.parametrize("case", FLOODS)
def test_k8_12_output_is_bounded_while_it_is_read(tmp_path: Path, case: str) -> None:
    program, limit, code, words = FLOODS[case]
    tracemalloc.start()
    try:
        result, seconds = run_file(tmp_path, shell(program), limit)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert codes([result]) == [code], result.content[:200]
    assert (words in result.content, len(result.content) <= 8_000) == (True, True)
    assert peak < 3_000_000
    assert seconds < limit + 5
    if code is None:
        assert " characters left out …]" in result.content


def test_k8_12_what_was_left_out_is_counted(tmp_path: Path) -> None:
    result, _ = run_file(tmp_path, shell("print('x'*3000000, end='')"), 20.0)
    dropped = int(result.content.split("[… ")[1].split(" ")[0].replace(",", ""))
    assert dropped + result.content.count("x") == 3_000_000


def test_k8_12_input_ends_at_once(tmp_path: Path) -> None:
    result, seconds = run_file(tmp_path, shell("input()"), 20.0)
    assert "EOFError" in result.content
    assert seconds < 10
