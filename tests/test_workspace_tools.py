"""The six workspace tools on real files: what they answer, what they leave alone, where they cut."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.calls import Failure, ToolOutput
from labkit.declare import Tool, lint
from labkit.paths import data
from labkit.toolsets import workspace_tools
from labkit.toolsets.workspace import confine, editing, steady, testing
from labkit.toolsets.workspace.text import NotText, decode

posix_only = pytest.mark.skipif(os.name != "posix", reason="process groups and mode bits are POSIX")

Files = dict[str, str | bytes]


class Workspace:
    """A folder with files, and the tools on it."""

    def __init__(self, path: Path, test_limit: float = 20.0) -> None:
        self.path = path
        self.tools: dict[str, Tool] = {tool.name: tool for tool in workspace_tools(path, test_limit)}

    def put(self, files: Files) -> Workspace:
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def bytes(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def __call__(self, name: str, **values: Any) -> Any:
        return self.tools[name](**values)


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    folder = tmp_path / "work"
    folder.mkdir()
    return Workspace(folder)


# The declarations


def test_the_six_tools_and_which_of_them_only_read(work: Workspace) -> None:
    assert list(work.tools) == ["read_file", "edit_file", "run_test", "list_files", "search_text", "read_lines"]
    readers = {name for name, tool in work.tools.items() if tool.readonly}
    assert readers == {"read_file", "list_files", "search_text", "read_lines"}
    assert {name for name, tool in work.tools.items() if tool.parallel_safe} == readers


def test_the_declarations_leave_nothing_to_improve(work: Workspace) -> None:
    assert [finding for tool in work.tools.values() for finding in lint(tool)] == []
    assert all("Example: {" in tool.description for tool in work.tools.values())


def test_the_bounds_of_the_schemas(work: Workspace) -> None:
    schemas = {name: tool.parameters for name, tool in work.tools.items()}
    entries = schemas["list_files"]["properties"]["max_entries"]
    assert (entries["minimum"], entries["maximum"], entries["default"]) == (1, 200, 100)
    assert schemas["search_text"]["properties"]["query"]["minLength"] == 1
    assert schemas["search_text"]["required"] == ["query"]
    assert schemas["edit_file"]["properties"]["old"]["minLength"] == 1
    assert schemas["read_lines"]["required"] == ["path", "start_line"]
    assert schemas["read_lines"]["properties"]["start_line"]["minimum"] == 1
    assert schemas["run_test"]["properties"] == {}


def test_the_runtime_waits_longer_than_the_tests_may_take(tmp_path: Path) -> None:
    run_test = Workspace(tmp_path, test_limit=7.0).tools["run_test"]
    assert run_test.timeout is not None
    assert run_test.timeout > 7.0


@pytest.mark.parametrize(
    ("start", "end", "verdict"),
    [(6, 2, "end_line 2 is less than start_line 6"), (4, 6, None), (4, 4, None), (4, None, None)],
)
def test_the_rule_of_two_lines(work: Workspace, start: int, end: int | None, verdict: str | None) -> None:
    check = work.tools["read_lines"].check
    assert check is not None
    assert check({"path": "x", "start_line": start, "end_line": end}) == verdict


# Reading


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_are_read_as_newlines_and_counted_alike_everywhere(work: Workspace, line_end: str) -> None:
    work.put({"a.txt": line_end.join(["one", "two", "three"])})
    assert work("read_file", path="a.txt") == "one\ntwo\nthree"
    assert work("read_lines", path="a.txt", start_line=2, end_line=3) == "2: two\n3: three"
    assert work("search_text", query="three") == "a.txt:3: three"


def test_only_line_ends_end_a_line(work: Workspace) -> None:
    work.put({"a.txt": "one\x0bstill\x0cstill\u2028still\x85still\ntwo"})
    assert work("read_lines", path="a.txt", start_line=2) == "2: two"
    assert work("search_text", query="two") == "a.txt:2: two"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(work: Workspace, encoding: str) -> None:
    work.put({"a.txt": "grüß\n日本\n".encode(encoding)})
    assert work("read_file", path="a.txt") == "grüß\n日本\n"
    assert work("read_lines", path="a.txt", start_line=2) == "2: 日本"
    assert work("search_text", query="日本") == "a.txt:2: 日本"


UNREADABLE: Files = {
    "gbk.txt": "中文".encode("gbk"),
    "latin.txt": b"na\xefve list\n",
    "bin.dat": bytes(range(256)),
    "late.txt": b"list\n" * 50_000 + b"\xff",
    "late_nul.txt": b"list\n" * 50_000 + b"\0",
    "odd.txt": b"\xff\xfea",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_text_is_said_to_be_none_and_left_alone(work: Workspace, name: str) -> None:
    work.put(UNREADABLE)
    for tool, values in [
        ("read_file", {}),
        ("edit_file", {"old": "list", "new": "row"}),
        ("read_lines", {"start_line": 1_000_000}),
    ]:
        answer = work(tool, path=name, **values)
        assert isinstance(answer, Failure)
        assert f'"{name}" is not readable as text' in answer.reason
    assert work.bytes(name) == UNREADABLE[name]


def test_the_reason_names_the_byte(work: Workspace) -> None:
    work.put(UNREADABLE)
    assert "byte 0xEF at offset 2 is no UTF-8" in work("read_file", path="latin.txt").reason
    assert "NUL byte" in work("read_file", path="bin.dat").reason


def test_a_long_file_is_cut_at_a_line_and_says_where_to_go_on(work: Workspace) -> None:
    lines = [f"line {number} " + "x" * 40 for number in range(1, 1_001)]
    work.put({"long.txt": "\n".join(lines)})
    answer = work("read_file", path="long.txt")
    *shown, notice = answer.split("\n")
    assert shown == lines[: len(shown)]
    assert notice == (
        f"[cut: lines 1 to {len(shown)} of 1,000 are shown; read_lines with start_line {len(shown) + 1} goes on]"
    )
    assert len(answer) < 8_000


def test_read_lines_can_be_followed_to_the_end(work: Workspace) -> None:
    lines = [f"line {number} " + "x" * (number % 70) for number in range(1, 901)]
    work.put({"long.txt": "\n".join(lines)})
    seen: list[str] = []
    start = 1
    while True:
        answer = work("read_lines", path="long.txt", start_line=start)
        assert len(answer) < 8_000
        *page, notice = answer.split("\n")
        if not notice.startswith("[cut"):
            seen += [*page, notice]
            break
        seen += page
        start = int(notice.removesuffix(" goes on]").rsplit(" ", 1)[1])
    assert seen == [f"{number}: {line}" for number, line in enumerate(lines, 1)]


def test_ranges_at_the_edges(work: Workspace) -> None:
    work.put({"a.txt": "one\ntwo\n", "empty.txt": ""})
    assert work("read_lines", path="a.txt", start_line=2, end_line=2) == "2: two"
    assert work("read_lines", path="a.txt", start_line=2, end_line=9) == "2: two\n[the file ends with line 2]"
    beyond = work("read_lines", path="a.txt", start_line=3)
    assert (beyond.code, beyond.reason) == ("not_found", 'there is no line 3 in "a.txt": it has 2 lines')
    assert "it has 0 lines" in work("read_lines", path="empty.txt", start_line=1).reason
    assert work("read_file", path="empty.txt") == "[the file is empty]"


def test_a_huge_file_is_refused_whole_and_read_in_parts(work: Workspace) -> None:
    work.put({"huge.txt": b"word " * 300_000 + b"\nlast needle"})
    for tool, values in [("read_file", {}), ("edit_file", {"old": "needle", "new": "pin"})]:
        answer = work(tool, path="huge.txt", **values)
        assert "too large to be read whole: 1,500,012 bytes" in answer.reason
        assert "read_lines" in answer.suggestion
    assert work("read_lines", path="huge.txt", start_line=2) == "2: last needle"
    assert work("search_text", query="needle") == "huge.txt:2: last needle"


def peak_of(work: Callable[[], Any]) -> tuple[Any, int]:
    """Return what ``work`` returns and the most bytes that it held at a time."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_fifty_megabytes_without_a_line_end_are_read_in_little_memory(work: Workspace) -> None:
    with (work.path / "big.txt").open("wb") as file:
        for _ in range(50):
            file.write(b"x" * 1_000_000)
        file.write(b"needle")
    hit, searching = peak_of(lambda: work("search_text", query="needle", path="big.txt"))
    line, reading = peak_of(lambda: work("read_lines", path="big.txt", start_line=1))
    assert hit.startswith("big.txt:1: …xxx")
    assert hit.endswith("needle")
    assert line.endswith("[and 49,999,006 more characters in this line]")
    assert len(line) < 1_100
    assert max(searching, reading) < 3_000_000


# Listing and searching


def test_a_listing_is_sorted_and_can_be_used_as_it_is(work: Workspace) -> None:
    work.put({"b.txt": "", "a/z.py": "", "a/b/c.py": "", "a.txt": "", "a-b": "", "ä": "", "B": ""})
    listing = work("list_files").split("\n")
    assert listing == sorted(["B", "a-b", "a.txt", "a/", "a/b/", "a/b/c.py", "a/z.py", "b.txt", "ä"])
    assert work("list_files", path="a") == "a/b/\na/b/c.py\na/z.py"
    assert work("list_files", path="a/b/../b") == "a/b/c.py"
    assert "is a file, not a folder" in work("list_files", path="a.txt").reason


def test_a_listing_leaves_out_what_tools_keep_for_themselves(work: Workspace) -> None:
    work.put({".git/config": "x", "a/__pycache__/x.pyc": "x", ".gitignore": "x"})
    assert work("list_files") == ".gitignore\na/"
    assert work("search_text", query="x") == ".gitignore:1: x"


def test_a_listing_says_how_many_more_there_are(work: Workspace) -> None:
    work.put({f"f{number:03}": "" for number in range(250)})
    assert work("list_files", max_entries=3).split("\n") == [
        "f000",
        "f001",
        "f002",
        "[247 more; raise max_entries, up to 200, or list a folder further down]",
    ]
    assert work("list_files").count("\nf") == 99
    (work.path / "empty").mkdir()
    assert work("list_files", path="empty") == "[the folder is empty]"


def test_a_listing_of_long_names_is_cut_before_the_notice_is(work: Workspace) -> None:
    work.put({f"{number:03}" + "n" * 200: "" for number in range(100)})
    answer = work("list_files", max_entries=200)
    assert len(answer) < 7_000
    shown = answer.count("n" * 200)
    assert answer.endswith(f"[{100 - shown} more; raise max_entries, up to 200, or list a folder further down]")


def test_a_walk_ends(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labkit.toolsets.workspace.searching.MOST_ENTRIES", 20)
    work.put({f"f{number:03}": "needle" for number in range(30)})
    assert "[more than 18 more;" in work("list_files", max_entries=2)
    assert "stopped after 20 files and folders" in work("search_text", query="needle")


def test_a_folder_too_deep_is_named_and_not_entered(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "DEEPEST", 2)
    work.put({"a/b/c/x.txt": "needle"})
    assert work("list_files") == "a/\na/b/\na/b/c/ (closed)"
    assert work("search_text", query="needle") == "[no line holds the query]\n[1 could not be looked into]"


@posix_only
def test_a_file_name_can_not_imitate_a_listing(work: Workspace) -> None:
    work.put({"a\nb.txt": "needle"})
    assert work("list_files") == "a\\nb.txt"
    assert work("search_text", query="needle") == "a\\nb.txt:1: needle"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse names that are no Unicode")
def test_a_file_name_that_is_no_unicode_can_be_sent(work: Workspace) -> None:
    (Path(os.fsdecode(os.fsencode(work.path) + b"/caf\xe9"))).write_text("needle", encoding="utf-8")
    for answer in (work("list_files"), work("search_text", query="needle")):
        assert answer.encode("utf-8").startswith(b"caf\\udce9")


def test_search_has_one_entry_for_folder_and_file(work: Workspace) -> None:
    work.put({"a.py": "def f():\n    g()\n", "sub/b.py": "g = 1\n"})
    assert work("search_text", query="g") == "a.py:2:     g()\nsub/b.py:1: g = 1"
    assert work("search_text", query="g", path="sub") == "sub/b.py:1: g = 1"
    assert work("search_text", query="g", path="sub/b.py") == "sub/b.py:1: g = 1"
    assert work("search_text", query="G") == "[no line holds the query]"
    assert work("search_text", query="g", path="none.py").code == "not_found"


PATTERNS = ["(k+)+$", "(k|k)*m", "(.*)*x", "([", "a{1,100000000}", "\\d+", ".*", "^", "k" * 100_000]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern[:12])
def test_a_query_is_literal(work: Workspace, pattern: str) -> None:
    work.put({"k.txt": "k" * 40 + "?\n123 abc\n"})
    assert work("search_text", query=pattern) == "[no line holds the query]"
    work.put({"p.txt": f"before {pattern} after"})
    assert work("search_text", query=pattern).startswith("p.txt:1: ")


def test_an_empty_query_is_no_query(work: Workspace) -> None:
    work.put({"a.txt": "x\n"})
    assert "must not be empty" in work("search_text", query="").reason
    assert "line break" in work("search_text", query="x\ny").reason


def test_search_counts_what_it_can_not_read(work: Workspace) -> None:
    work.put({**UNREADABLE, "good.txt": "a list\n"})
    lines = work("search_text", query="a list").split("\n")
    assert lines == ["good.txt:1: a list", "[6 files skipped: not UTF-8 text]"]
    assert work("search_text", query="a", path="bin.dat").endswith("[1 file skipped: not UTF-8 text]")


def test_search_is_cut_and_says_so(work: Workspace) -> None:
    work.put({"a.txt": "hit\n" * 500})
    *hits, notice = work("search_text", query="hit").split("\n")
    assert hits == [f"a.txt:{number}: hit" for number in range(1, 101)]
    assert notice == "[stopped after 100 lines, there are more; make the query or the path narrower]"
    work.put({"a.txt": ("hit " + "x" * 190 + "\n") * 500})
    answer = work("search_text", query="hit")
    assert len(answer) < 6_200
    assert "there are more" in answer


def test_a_search_of_very_much_ends_and_says_so(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labkit.toolsets.workspace.searching.MOST_READ", 1_000)
    work.put({"a.txt": "hit\n" + "x\n" * 2_000 + "hit\n", "b.txt": "hit\n"})
    hit, notice = work("search_text", query="hit").split("\n")
    assert hit == "a.txt:1: hit"
    assert notice.startswith("[stopped after 1,000 characters")


def test_exactly_as_many_hits_as_are_shown_are_all_of_them(work: Workspace) -> None:
    work.put({"a.txt": "hit\n" * 100})
    assert "more" not in work("search_text", query="hit")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.integers(65_500, 65_560), query=st.sampled_from(["needle", "x needle", "n"]), line=st.booleans())
def test_a_hit_is_found_wherever_the_chunks_are_cut(work: Workspace, before: int, query: str, line: bool) -> None:
    """Law: how a file is read in chunks changes neither the hits nor their line numbers."""
    work.put({"a.txt": ("x" * before + "\n" if line else "x" * before) + "x needle\nand so on"})
    answer = work("search_text", query=query)
    number = 2 if line else 1
    assert answer.startswith(f"a.txt:{number}: ")
    hit = answer.split("\n")[0]
    assert query in hit
    assert hit.endswith(("needle", "…"))


# Editing


def edited(work: Workspace, content: bytes, old: str, new: str) -> bytes:
    work.put({"w.txt": content})
    answer = work("edit_file", path="w.txt", old=old, new=new)
    assert isinstance(answer, str), answer
    return work.bytes("w.txt")


EDITS = {
    "old with newlines": (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB\nd", b"a\r\nB\r\nd\r\nc\r\n"),
    "old with pairs": (b"a\r\nb\r\nc\r\n", "a\r\nb", "a\r\nB\r\nd", b"a\r\nB\r\nd\r\nc\r\n"),
    "a mark": (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "b\na", b"\xef\xbb\xbfb\r\na\r\n"),
    "no final line end": (b"a\r\nb", "b", "c\nd", b"a\r\nc\r\nd"),
    "lone returns": (b"a\rb\rc\r", "a\nb", "a\nB\nd", b"a\rB\rd\rc\r"),
    "newlines": (b"a\nb\n", "b", "c\r\nd", b"a\nc\nd\n"),
    "no line end at all": (b"a", "a", "a\nb", b"a\nb"),
    "mixed, elsewhere untouched": (b"a\r\nb\nc\rd\n", "b", "B", b"a\r\nB\nc\rd\n"),
    "mixed, inside untouched too": (b"a\r\nb\nc\rd\n", "a\nb\nc", "a\nb\nC", b"a\r\nb\nC\rd\n"),
    "utf-16": ("a\r\nü\r\n".encode("utf-16"), "ü\n", "x\ny\n", "a\r\nx\r\ny\r\n".encode("utf-16")),
    "big-endian": (b"\xfe\xff" + "aü".encode("utf-16-be"), "ü", "日", b"\xfe\xff" + "a日".encode("utf-16-be")),
    "other separators": ("a\u2028b\x0cc".encode(), "b", "B", "a\u2028B\x0cc".encode()),
    "removal": (b"a\r\nb\r\nc", "b\n", "", b"a\r\nc"),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_keeps_every_byte_outside_it(work: Workspace, case: str) -> None:
    content, old, new, expected = EDITS[case]
    assert edited(work, content, old, new) == expected


mixed_lines = st.lists(st.tuples(st.text("ab ü", max_size=3), st.sampled_from(["\n", "\r\n", "\r"])), max_size=6).map(
    lambda lines: "".join(line + end for line, end in lines)
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=mixed_lines, after=mixed_lines, mark=st.sampled_from([b"", b"\xef\xbb\xbf"]), new=st.text("xy\n", max_size=5)
)
def test_whatever_stands_around_an_edit_survives(
    work: Workspace, before: str, after: str, mark: bytes, new: str
) -> None:
    """Law: an edit changes the bytes of its place only, whatever line ends stand around it."""
    content = mark + f"{before}[]{after}".encode()
    result = edited(work, content, "[]", f"[{new}!]")
    assert result.startswith(mark + before.encode() + b"[")
    assert result.endswith(b"!]" + after.encode())
    assert len(result) >= len(content) + len(new) + 1


def test_an_edit_says_where(work: Workspace) -> None:
    work.put({"a.py": "one\ntwo\nthree\n"})
    assert work("edit_file", path="a.py", old="two\n", new="2\n2.5\n") == "edited a.py, lines 2 to 3"
    assert work("edit_file", path="a.py", old="one", new="1") == "edited a.py, line 1"


REFUSED_EDITS = {
    "empty old": ("pq", "", "Z", "failed", "must not be empty"),
    "the same": ("pq", "q", "q", "failed", "nothing was changed"),
    "the same but for line ends": ("p\nq", "p\nq", "p\r\nq", "failed", "nothing was changed"),
    "absent": ("pq", "x", "y", "not_found", "does not occur"),
    "an empty file": ("", "x", "y", "not_found", "does not occur"),
    "twice": ("a b a", "a", "c", "not_unique", "occurs 2 times"),
    "overlapping": ("aaa", "aa", "b", "not_unique", "occurs 2 times"),
    "half a pair": ("pq", "q", "\ud800", "failed", "surrogate"),
    "too much": ("pq", "q", "x" * 1_048_576, "failed", "would grow"),
}


@pytest.mark.parametrize("case", REFUSED_EDITS)
def test_an_edit_that_is_not_clear_changes_nothing(work: Workspace, case: str) -> None:
    content, old, new, code, words = REFUSED_EDITS[case]
    work.put({"e.txt": content})
    answer = work("edit_file", path="e.txt", old=old, new=new)
    assert answer.code == code
    assert words in answer.reason
    assert work.bytes("e.txt") == content.encode()
    assert [file.name for file in work.path.iterdir()] == ["e.txt"]


def test_the_hints_of_an_edit_name_the_slip(work: Workspace) -> None:
    work.put({"a.py": "def f():\n    return 1\n\ndef g():\n    return 1\n"})

    def hint(old: str) -> str:
        return str(work("edit_file", path="a.py", old=old, new="x").suggestion)

    assert "stands in lines 2, 5;" in hint("return 1")
    assert "at line 1 differs only in its spaces" in hint("def f():\n  return 1")
    assert "leave out the line numbers" in hint("1: def f():\n2:     return 1")
    assert "read the file again" in hint("def h():")


def test_counting_places_ends(work: Workspace) -> None:
    work.put({"a.txt": "a" * 1_000_000})
    assert "occurs 100 times or more" in work("edit_file", path="a.txt", old="a" * 300_000, new="b").reason


def test_an_edit_never_makes_a_file(work: Workspace) -> None:
    assert work("edit_file", path="new.txt", old="a", new="b").code == "not_found"
    assert work("edit_file", path="new.txt", old="", new="b").code == "not_found"
    assert list(work.path.iterdir()) == []


@posix_only
def test_an_edit_keeps_the_mode_and_respects_read_only(work: Workspace) -> None:
    work.put({"a.sh": "echo 1\n"})
    (work.path / "a.sh").chmod(0o754)
    assert work("edit_file", path="a.sh", old="1", new="2") == "edited a.sh, line 1"
    assert stat.S_IMODE((work.path / "a.sh").stat().st_mode) == 0o754
    (work.path / "a.sh").chmod(0o444)
    assert "read-only" in work("edit_file", path="a.sh", old="2", new="3").reason
    assert work.bytes("a.sh") == b"echo 2\n"


def test_an_edit_does_not_undo_somebody_elses(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    work.put({"a.txt": "one two"})
    write = editing._write

    def meanwhile(*args: Any) -> None:
        work.put({"a.txt": "one two three"})
        write(*args)

    monkeypatch.setattr(editing, "_write", meanwhile)
    assert "changed while it was edited" in work("edit_file", path="a.txt", old="two", new="2").reason
    assert work.bytes("a.txt") == b"one two three"
    assert len(list(work.path.iterdir())) == 1


def test_a_failed_write_leaves_the_file_and_no_rest(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    work.put({"a.txt": "one"})

    def full(*args: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(editing.os, "replace", full)
    answer = work("edit_file", path="a.txt", old="one", new="two")
    assert answer.reason == '"a.txt" can\'t be used: the operating system answered ENOSPC'
    assert [file.name for file in work.path.iterdir()] == ["a.txt"]
    assert work.bytes("a.txt") == b"one"


def test_text_goes_back_to_the_bytes_it_came_from() -> None:
    for content in (b"", b"a\r\n\xc3\xbc", b"\xef\xbb\xbf", "ü\r".encode("utf-16"), "ü".encode("utf-32")):
        text = decode(content)
        assert text.encode(text.raw) == content
    with pytest.raises(NotText, match="0xE4 at offset 1"):
        decode(b"a\xe4")


# Running tests

PASSING = "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        {body}\n"


def run_on(tmp_path: Path, body: str, limit: float = 20.0) -> tuple[Workspace, Any]:
    folder = tmp_path / "tested"
    folder.mkdir()
    work = Workspace(folder, limit).put({"test_it.py": PASSING.format(body=body.replace("\n", "\n        "))})
    return work, work("run_test")


def test_passing_tests_are_exit_0(tmp_path: Path) -> None:
    work, answer = run_on(tmp_path, "self.assertEqual(1, 1)")
    assert answer == ToolOutput(f"EXIT 0\n.\n{'-' * 70}\nRan 1 test\n\nOK", ok=True, data={"exit_code": 0})
    assert [file.name for file in work.path.iterdir()] == ["test_it.py"]


def test_failing_tests_are_an_answer_and_the_same_everywhere(tmp_path: Path) -> None:
    _, answer = run_on(tmp_path, "self.assertEqual(1 + 1, 3)")
    assert isinstance(answer, ToolOutput)
    assert not answer.ok
    assert answer.content.split("\n") == [
        "EXIT 1",
        "F",
        "=" * 70,
        "FAIL: test_it (test_it.T.test_it)",
        "-" * 70,
        "Traceback (most recent call last):",
        '  File "test_it.py", line 5, in test_it',
        "    self.assertEqual(1 + 1, 3)",
        "AssertionError: 2 != 3",
        "",
        "-" * 70,
        "Ran 1 test",
        "",
        "FAILED (failures=1)",
    ]


def test_a_file_that_does_not_load_shows_no_place_outside(tmp_path: Path) -> None:
    _, answer = run_on(tmp_path, "pass\nimport nothing_like_this")
    assert answer.content.startswith("EXIT 1")
    broken = Workspace(tmp_path / "tested").put({"test_it.py": "import nothing_like_this\n"})("run_test")
    assert "No module named 'nothing_like_this'" in broken.content
    assert 'File "test_it.py", line 1' in broken.content
    assert 'File "/' not in broken.content
    assert str(tmp_path) not in broken.content


def test_no_tests_at_all_do_not_pass(work: Workspace) -> None:
    answer = work("run_test")
    assert not answer.ok
    assert answer.content.startswith("EXIT 5\n")
    assert answer.content.endswith("Ran 0 tests\n\nNO TESTS RAN")


def test_the_tests_see_no_key_and_no_setting_of_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("SOME_TOKEN", "very-secret")
    monkeypatch.setenv("PYTHONPATH", "/nowhere/special")
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    _, answer = run_on(tmp_path, "import os, sys\nprint(dict(os.environ), sys.path, sys.warnoptions)")
    assert answer.ok
    for word in ("secret", "special", "error"):
        assert word not in answer.content


def test_standard_modules_are_those_of_python(work: Workspace) -> None:
    work.put({"unittest.py": "raise SystemExit(9)\n", "test_it.py": PASSING.format(body="pass")})
    assert work("run_test").content.startswith("EXIT 0")


def test_input_ends_at_once(tmp_path: Path) -> None:
    _, answer = run_on(tmp_path, "input()")
    assert "EOFError" in answer.content
    assert not answer.ok


def test_odd_bytes_and_odd_exits_are_told(tmp_path: Path) -> None:
    _, answer = run_on(tmp_path, "import os, sys\nsys.stdout.buffer.write(bytes(range(256)))\nos._exit(7)")
    assert answer.content.startswith("EXIT 7\n")
    assert "\ufffd" in answer.content
    assert answer.content.encode("utf-8")


@posix_only
def test_a_crash_is_told_as_a_negative_exit(tmp_path: Path) -> None:
    _, answer = run_on(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert answer.content == f"EXIT -{int(signal.SIGKILL)}"


def test_much_output_is_cut_in_its_middle(tmp_path: Path) -> None:
    body = "print('first')\nfor _ in range(300): print('e' * 100_000, end='')\nprint('last')"
    (_, answer), peak = peak_of(lambda: run_on(tmp_path, body))
    assert answer.ok
    assert "\nfirst\n" in answer.content[:40]
    assert "last\n" in answer.content[-200:]
    assert "characters left out …]" in answer.content
    dropped = int(answer.content.split("[… ")[1].split(" ")[0].replace(",", ""))
    assert 30_000_000 - 6_000 < dropped < 30_000_000
    assert len(answer.content) < 7_000
    assert peak < 3_000_000


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has, only nobody has asked for its exit code yet."""
    try:
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            process.wait(timeout=5)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE
    return True


SLEEPER = (
    "import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']{more})\n"
)
NOTE = "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"


def pids(work: Workspace) -> list[int]:
    return [int(pid) for pid in work.bytes("pids").split()]


def test_tests_that_do_not_end_are_stopped_with_all_that_they_started(tmp_path: Path) -> None:
    body = "import os, time\nprint('started')\n" + SLEEPER.format(more="") + NOTE + "time.sleep(60)"
    work, answer = run_on(tmp_path, body, limit=3.0)
    assert isinstance(answer, Failure)
    assert answer.code == "timeout"
    assert answer.reason == "the tests did not end within 3 seconds and were stopped"
    assert answer.suggestion is not None
    assert "started" in answer.suggestion
    assert [gone(pid) for pid in pids(work)] == [True, True]


@posix_only
def test_a_child_that_ignores_signals_or_left_the_group_is_ended_too(tmp_path: Path) -> None:
    body = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        + SLEEPER.format(more=", start_new_session=True")
        + NOTE
        + "time.sleep(60)"
    )
    work, answer = run_on(tmp_path, body, limit=3.0)
    assert answer.code == "timeout"
    assert [gone(pid) for pid in pids(work)] == [True, True]


def test_the_limit_holds_during_a_flood(tmp_path: Path) -> None:
    body = "import sys\nprint('begin')\nwhile True: sys.stdout.write('y\\n' * 10_000)"
    began = time.monotonic()
    (_, answer), peak = peak_of(lambda: run_on(tmp_path, body, limit=2.0))
    assert answer.code == "timeout"
    assert time.monotonic() - began < 10
    assert peak < 3_000_000
    assert answer.suggestion.endswith("y")
    assert len(answer.suggestion) < 1_200


@posix_only
def test_a_process_that_keeps_the_pipe_open_is_not_waited_for(tmp_path: Path) -> None:
    body = "import os\n" + SLEEPER.format(more=", start_new_session=True") + NOTE + "child.returncode = 0"
    began = time.monotonic()
    work, answer = run_on(tmp_path, body, limit=30.0)
    took = time.monotonic() - began
    _, sleeper = pids(work)
    if psutil.pid_exists(sleeper):
        os.kill(sleeper, signal.SIGKILL)
    assert answer.content.startswith("EXIT 0")
    assert took < 15


def test_an_interrupt_leaves_no_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "import os, time\n" + SLEEPER.format(more="") + NOTE + "print('ready')\ntime.sleep(60)"
    folder = tmp_path / "tested"

    def interrupt(process: subprocess.Popen[bytes], output: Any, deadline: float) -> bool:
        while "ready" not in output._head and time.monotonic() < deadline:
            output.ended.wait(0.02)
        raise KeyboardInterrupt

    monkeypatch.setattr(testing, "_wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_on(tmp_path, body)
    assert [gone(pid) for pid in pids(Workspace(folder))] == [True, True]


def test_what_differs_between_pythons_and_machines_is_left_out(tmp_path: Path) -> None:
    output = (
        f'Traceback (most recent call last):\n  File "{tmp_path}/a.py", line 3, in f\n    g(1)\n    ~^^^\n'
        '  File "/usr/lib/python3.13/x.py", line 9, in g\n    raise it\n    ^^^^^^^^\n'
        "ValueError: <object at 0x7f00aa>\n\nRan 2 tests in 0.013s\n"
    )
    assert steady.steady(output, tmp_path) == (
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g(1)\n'
        "ValueError: <object at 0x…>\n\nRan 2 tests"
    )


# The shipped workspaces and scripts


def script(name: str) -> dict[str, Any]:
    return dict(json.loads(data("scripts", f"{name}.json").read_text(encoding="utf-8")))


def play(name: str, tmp_path: Path) -> tuple[Workspace, list[tuple[str, Any]]]:
    """Make every call of a script in order; a broken cross-field rule stands for its answer."""
    told = script(name)
    work = Workspace(Path(shutil.copytree(data("workspaces", told["workspace"]), tmp_path / "copy")))
    answers = []
    for call in (call for decision in told["decisions"] for call in decision["tool_calls"]):
        given = call["arguments"]
        values = json.loads(given) if isinstance(given, str) else given
        check = work.tools[call["name"]].check
        broken = check({"end_line": None, **values}) if check else None
        answers.append((call["id"], broken or work(call["name"], **values)))
    return work, answers


@pytest.mark.parametrize("name", ["calculator", "bookings"])
def test_a_shipped_workspace_fails_until_it_is_fixed(name: str, tmp_path: Path) -> None:
    work = Workspace(Path(shutil.copytree(data("workspaces", name), tmp_path / "copy")))
    assert work("run_test").content.startswith("EXIT 1\n")
    assert 2 <= len(list(work.path.iterdir())) <= 4


@pytest.mark.parametrize(
    ("name", "decisions", "calls"), [("m1_task", 4, 3), ("m2_task", 6, 7), ("bookings_task", 6, 7)]
)
def test_a_script_has_its_decisions_and_ends_with_passing_tests(
    name: str, decisions: int, calls: int, tmp_path: Path
) -> None:
    told = script(name)
    asked = [call for decision in told["decisions"] for call in decision["tool_calls"]]
    assert (len(told["decisions"]), len(asked)) == (decisions, calls)
    assert [call["id"] for call in asked] == [f"call_{number}" for number in range(1, calls + 1)]
    assert told["decisions"][-1]["tool_calls"] == []
    _, answers = play(name, tmp_path)
    assert answers[-1][1].content.startswith("EXIT 0\n")


def test_the_m2_script_follows_its_facts(tmp_path: Path) -> None:
    first, second, third, *_ = (decision["tool_calls"] for decision in script("m2_task")["decisions"])
    assert [call["name"] for call in first] == ["read_file", "list_files", "search_text"]
    assert all(isinstance(call["arguments"], dict) for call in first)
    assert isinstance(second[0]["arguments"], str)
    assert third[0]["arguments"] == {"path": "calculator.py", "start_line": 4, "end_line": 6}
    work, answers = play("m2_task", tmp_path)
    told = dict(answers)
    assert told["call_4"] == "end_line 2 is less than start_line 6"
    assert told["call_5"].startswith("4: def square(n):")
    assert "return n * n" in (work.path / "calculator.py").read_text(encoding="utf-8")


def test_the_bookings_script_recovers_from_another_error(tmp_path: Path) -> None:
    _, answers = play("bookings_task", tmp_path)
    told = dict(answers)
    assert isinstance(told["call_1"], ToolOutput)
    assert not told["call_1"].ok
    assert told["call_4"].code == "not_unique"


@pytest.mark.parametrize("start", [2, 4, 5, 9, 100_000])
@pytest.mark.parametrize(("text", "lines"), [("a\nb\nc\n", 3), ("a\nb\nc", 3), ("a", 1), ("x\n" * 70_000, 70_000)])
def test_a_start_past_the_end_is_told_the_true_length(work: Workspace, text: str, lines: int, start: int) -> None:
    work.put({"f.txt": text})
    answer = work("read_lines", path="f.txt", start_line=start)
    if start > lines:
        assert answer.reason.endswith(f"it has {lines:,} line" + ("" if lines == 1 else "s"))
    else:
        assert answer.startswith(f"{start}: ")
