"""Checks, hints, solutions, progress and questions: what a learner meets around an exercise."""

from __future__ import annotations

import asyncio
import json
import linecache
import math
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit.course import start
from labkit.course.checking import Verdict, check
from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.exercises import chapters, exercise, exercises_of, question, questions_of
from labkit.course.layout import WIDTH
from labkit.course.progress import Entry, Progress, here
from labkit.course.stubs import stub, untouched
from labkit.widgets import Quiz

RULES = ("two times a number", "a number below zero too", "nothing is nothing")
DOUBLE = Exercise(
    id="99.1",
    title="double a number",
    names=("double",),
    cases=(
        Case(RULES[0], "double(3)", 6, "What does times two mean?"),
        Case(RULES[1], "double(-2)", -4, "What of the sign?"),
        Case(RULES[2], "double(0)", 0, "What is two times nothing?"),
    ),
    hints=("one", "two", "three"),
    solution="def double(n):\n    return 2 * n\n",
)


def asking(*cases: Case, given: Callable[[], dict[str, Any]] = dict) -> Exercise:
    """The exercise with other cases."""
    return Exercise("99.1", DOUBLE.title, DOUBLE.names, cases, DOUBLE.hints, DOUBLE.solution, given)


def verdict_on(double: Any, exercise: Exercise = DOUBLE) -> Verdict:
    return check(exercise, {"double": double})


def rows_of(double: Any, exercise: Exercise = DOUBLE) -> dict[str, str]:
    return dict(verdict_on(double, exercise).rows)


def from_a_cell(source: str) -> Any:
    """What a cell defines as ``double``; a verdict can look up its lines, as it can those of a kernel."""
    names: dict[str, Any] = {}
    linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(keepends=True), "<cell 1>")
    exec(compile(source, "<cell 1>", "exec"), names)
    return names["double"]


# ---- a check ----


def test_a_right_answer_passes() -> None:
    verdict = verdict_on(lambda n: 2 * n)
    assert verdict == Verdict("99.1", cases=3, differing=0)
    assert verdict.passed
    assert repr(verdict) == "99.1  passed: 3 cases"


def test_the_first_case_that_differs_is_shown_whole() -> None:
    verdict = verdict_on(lambda n: n * n - 3)
    assert (verdict.passed, verdict.untouched, verdict.differing) == (False, False, 2)
    assert repr(verdict) == (
        "99.1  not yet: 2 of 3 cases differ\n"
        "  property   a number below zero too\n"
        "  input      double(-2)\n"
        "  expected   -4\n"
        "  yours      1\n"
        "  next       What of the sign?"
    )


def test_one_case_differs_and_several_differ() -> None:
    assert repr(verdict_on(abs)).startswith("99.1  not yet: 2 of 3 cases differ\n")
    assert repr(verdict_on(lambda n: 2 * n or None)).startswith("99.1  not yet: 1 of 3 cases differs\n")


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1, True),
        (True, 1),
        (1, 1.0),
        (None, False),
        ([1], (1,)),
        ((1,), [1]),
        ([1, 2], [1]),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ([{"a": [0]}], [{"a": [False]}]),
        ({1}, frozenset({1})),
        ("1", 1),
    ],
)
def test_values_are_compared_in_kind_too(expected: Any, value: Any) -> None:
    case = Case("a rule", "double(3)", expected, "a step")
    assert verdict_on(lambda n: value, asking(case)).differing == 1
    assert verdict_on(lambda n: expected, asking(case)).passed


def test_what_cannot_be_written_down_is_told_in_words() -> None:
    case = Case("a rule", "double(3)", Wanted("an even number", lambda value: value % 2 == 0), "a step")
    assert verdict_on(lambda n: 4, asking(case)).passed
    assert rows_of(lambda n: 5, asking(case))["expected"] == "an even number"
    assert rows_of(lambda n: None, asking(case))["yours"] == "None", "the learner's code raised nothing"


@pytest.mark.parametrize("value", [..., (1, ...), [...], {"a": ...}, ({"a": [1, ...]},)])
def test_a_stub_is_as_it_came(value: Any) -> None:
    verdict = verdict_on(lambda n: value)
    assert verdict.untouched and not verdict.passed
    assert repr(verdict).startswith("99.1  not yet\n  still      double: there is `...`")
    assert RULES[0] in repr(verdict), "what is asked first is said"


def test_a_half_finished_answer_is_not_as_it_came() -> None:
    verdict = verdict_on(lambda n: 6 if n == 3 else ...)
    assert not verdict.untouched and verdict.differing == 2
    assert dict(verdict.rows)["property"] == RULES[1] and dict(verdict.rows)["yours"] == "..."


def test_a_finished_value_is_no_stub() -> None:
    assert not verdict_on(lambda n: [[], {}, (), "...", type(...)]).untouched


def test_a_name_that_is_missing_is_named() -> None:
    verdict = check(DOUBLE, {"duoble": abs})
    assert verdict.untouched and not verdict.passed
    assert dict(verdict.rows) == {"missing": "double: run the cell that defines it"}


def test_an_error_is_told_by_its_name_and_the_learners_line() -> None:
    double = from_a_cell("def double(n):\n    table = {}\n    return   table[n]  # look it up\n")
    verdict = verdict_on(double)
    assert dict(verdict.rows)["yours"] == "raises KeyError, in the line: return   table[n]  # look it up"
    assert "Traceback" not in repr(verdict)


def test_the_words_of_an_error_are_not_passed_on() -> None:
    def double(n: int) -> None:
        raise ValueError("the key is 1234")

    assert rows_of(double)["yours"] == "raises ValueError"


def test_an_error_below_the_learners_code_is_placed_in_it() -> None:
    double = from_a_cell("import json\ndef double(n):\n    return json.loads('{')\n")
    assert rows_of(double)["yours"] == "raises JSONDecodeError, in the line: return json.loads('{')"


class OfTheirOwn(BaseException):
    """What a learner may have defined."""


ANY_PROBLEM = [SystemExit, GeneratorExit, RecursionError, MemoryError, asyncio.CancelledError, OfTheirOwn]


@pytest.mark.parametrize("problem", ANY_PROBLEM)
def test_a_value_that_raises_when_it_is_asked_is_no_error_of_the_code(problem: type[BaseException]) -> None:
    def refuse(*_: object) -> Any:
        raise problem

    value = type("Shy", (), {"__eq__": refuse, "__repr__": refuse, "__hash__": object.__hash__})()
    even = Wanted("an even number", lambda n: n == 2)
    yours = f"a Shy whose repr raises {problem.__name__}"
    assert rows_of(lambda n: value)["yours"] == yours
    assert rows_of(lambda n: value, asking(Case("a rule", "double(1)", even, "a step")))["yours"] == yours


@pytest.mark.parametrize("problem", ANY_PROBLEM)
def test_nothing_of_the_learners_gets_out(problem: type[BaseException]) -> None:
    def double(n: int) -> None:
        raise problem

    assert rows_of(double)["yours"] == f"raises {problem.__name__}"


def test_an_interrupt_ends_the_check_and_is_told_with_the_line() -> None:
    double = from_a_cell("def double(n):\n    while True:  # for ever\n        raise KeyboardInterrupt\n")
    verdict = verdict_on(double)
    assert verdict.differing is None and not verdict.passed and not verdict.untouched
    yours = "did not end before you stopped it, in the line: raise KeyboardInterrupt"
    assert dict(verdict.rows)["yours"] == yours
    assert repr(verdict).startswith("99.1  not yet\n")


def test_what_the_learner_prints_is_shown_with_the_case_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(lambda n: print("n is", n))
    assert rows["printed"] == "n is 3"
    assert rows["next"].startswith("Your code gives None: does it `return`")
    assert capsys.readouterr().out == ""
    assert len(rows_of(lambda n: print("long " * 1000))["printed"]) <= 160


def test_a_value_of_another_kind_is_told() -> None:
    assert rows_of(lambda n: 2.0 * n)["next"] == "The kind differs: float instead of int. What does times two mean?"
    assert rows_of(lambda n: str(2 * n))["next"].startswith("The kind differs: str instead of int.")
    assert rows_of(lambda n: "tea")["next"] == "What does times two mean?"


def test_a_call_that_can_t_be_made_is_told() -> None:
    assert rows_of(lambda: 6)["next"].startswith("It can't be called like this: compare its parameters")
    inside = from_a_cell("def double(n):\n    return 2 * len(n)\n")
    assert rows_of(inside)["next"] == "What does times two mean?"


def test_a_name_that_is_not_there_is_told_and_so_are_our_own_words() -> None:
    assert rows_of(from_a_cell("def double(n):\n    return total\n"))["yours"] == (
        "raises NameError: total, in the line: return total"
    )
    ours = from_a_cell("from labkit import Tool\ndef double(n):\n    return Tool.from_function(lambda x: x)\n")
    assert "raises ValueError: " in rows_of(ours)["yours"] or "raises TypeError: " in rows_of(ours)["yours"]


def test_a_value_that_holds_itself_is_no_end_of_the_check() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert verdict_on(lambda n: endless).differing == 3


def test_helpers_are_fresh_for_each_case() -> None:
    box = Case("an empty box", "double(box)", [2], "a step")

    def double(box: list[int]) -> list[int]:
        box.append(2)
        return box

    assert verdict_on(double, asking(box, box, given=lambda: {"box": []})).passed


def test_the_learners_name_goes_before_a_helper() -> None:
    case = Case("a rule", "double(1)", 2, "a step")
    assert verdict_on(lambda n: 2 * n, asking(case, given=lambda: {"double": math.sqrt})).passed


def test_a_long_value_is_cut() -> None:
    yours = rows_of(lambda n: "x" * 10_000)["yours"]
    assert len(yours) <= 400 and yours.endswith("…")


def test_a_value_that_cannot_be_shown_is_told() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert rows_of(lambda n: Shy())["yours"] == "a Shy whose repr raises RuntimeError"


def test_a_verdict_fits_the_page() -> None:
    case = Case("a long rule " * 12, "double('" + "y " * 60 + "')", "z " * 80, "a long step " * 12)
    lines = repr(verdict_on(lambda n: [["a", "b"]] * 20, asking(case))).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert all(line.startswith("  ") for line in lines[1:])


# ---- looking up ----


def test_exercises_are_found_by_id() -> None:
    for number in chapters():
        assert [exercise(each.id) for each in exercises_of(number)] == list(exercises_of(number))
        assert [question(each.id) for each in questions_of(number)] == list(questions_of(number))
    assert exercises_of("99") == () == questions_of("99")


@pytest.mark.parametrize("id", ["00.9", "00", "00.q1"])
def test_an_unknown_exercise_names_those_of_its_chapter(id: str) -> None:
    with pytest.raises(ValueError, match=r"chapter 00 has no exercise '.+'; it has 00\.1, 00\.2, 00\.3"):
        exercise(id)


@pytest.mark.parametrize("id", ["99.1", "", "five", None, 5, ["00.1"]])
def test_an_id_of_no_chapter_gets_an_example(id: Any) -> None:
    with pytest.raises(ValueError, match=r'names no exercise; write it such as "00\.1"'):
        exercise(id)
    with pytest.raises(ValueError, match=r'names no question; write it such as "\d\d\.q1"'):
        question(id)


# ---- the lab ----


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The file that keeps progress, not there yet."""
    path = tmp_path / "my" / ".progress.json"
    monkeypatch.setenv("LABKIT_PROGRESS", str(path))
    here.cache_clear()
    yield path
    here.cache_clear()


SOUND = exercise("00.1").solution


def in_a_notebook(*cells: str) -> Any:
    """Run cells in one namespace that has a ``lab``, and return what the last one is worth."""
    names: dict[str, Any] = {"lab": start("00")}
    for cell in cells[:-1]:
        exec(cell, names)
    return eval(cells[-1], names)


def test_a_check_looks_into_the_notebook_that_calls_it() -> None:
    assert in_a_notebook(SOUND, 'lab.check("00.1")').passed
    assert "missing" in repr(in_a_notebook('lab.check("00.1")'))


def test_a_try_is_noted_and_a_stub_is_none() -> None:
    in_a_notebook('lab.check("00.1")')
    in_a_notebook("def messages_at_end(asked): return ...", 'lab.check("00.1")')
    in_a_notebook(str(stub("14.3")), 'lab.check("14.3")')
    assert here().entry("00.1") == Entry() == here().entry("14.3")
    in_a_notebook("messages_at_end = sum", 'lab.check("00.1")')
    assert here().entry("00.1") == Entry(tries=1)
    in_a_notebook(SOUND, 'lab.check("00.1")')
    assert here().entry("00.1") == Entry(tries=2, passed=True)


def test_hints_come_one_after_the_other() -> None:
    lab = start("00")
    texts = [lab.hint("00.2") for _ in range(4)]
    assert [note.text for note in texts] == [*exercise("00.2").hints, exercise("00.2").hints[2]]
    assert repr(texts[0]).startswith("00.2  hint 1 of 3\n  ")
    assert repr(texts[2]) == repr(texts[3])


def test_a_solution_waits_for_the_hints() -> None:
    lab, ours = start("00"), exercise("00.2").solution.strip()
    for left in ("3 hints left", "2 hints left", "1 hint left"):
        assert left in repr(lab.solution("00.2"))
        assert "return" not in repr(lab.solution("00.2"))
        lab.hint("00.2")
    assert repr(lab.solution("00.2")) == ours


def test_a_solution_is_shown_to_those_who_passed_and_to_those_who_insist() -> None:
    in_a_notebook("messages_at_end = sum", 'lab.check("00.1")')
    assert "can wait" in repr(start("00").solution("00.1"))
    assert repr(start("00").solution("00.1", now=True)) == SOUND.strip()
    in_a_notebook(SOUND, 'lab.check("00.1")')
    assert repr(start("00").solution("00.1")) == SOUND.strip()


@pytest.mark.parametrize("what", ["check", "hint", "solution"])
def test_an_unknown_id_names_those_there_are(what: str) -> None:
    with pytest.raises(ValueError, match=r"it has 00\.1, 00\.2, 00\.3"):
        getattr(start("00"), what)("00.7")


def test_progress_tells_this_chapter_and_others_where_something_was_done() -> None:
    report = start("00").progress()
    assert (report.done, report.all) == (0, len(exercises_of("00")) + len(questions_of("00")))
    assert "14.1" not in repr(report)
    in_a_notebook(SOUND, 'lab.check("00.1")')
    start("14").hint("14.2")
    lines = repr(start("00").progress()).splitlines()
    assert lines[0] == f"00.1   passed   {exercise('00.1').title}"
    assert [line.split()[:2] for line in lines if line.startswith("14.")] == [[f"14.{n}", "open"] for n in (1, 2, 3)]
    assert lines[-1] == f"1 of {report.all + 3} passed"


# ---- progress ----


def test_progress_comes_back_after_a_restart(file: Path) -> None:
    first = Progress(file)
    first.tried("00.1", passed=True)
    first.tried("00.1", passed=False)
    assert [first.next_hint("00.2", 3) for _ in range(2)] == [1, 2]
    again = Progress(file)
    assert again.entry("00.1") == Entry(tries=2, passed=True)
    assert again.entry("00.2") == Entry(hints=2)
    assert again.entry("00.3") == Entry()


def test_a_solution_stays_open_after_a_restart() -> None:
    for _ in range(3):
        start("00").hint("00.1")
    here.cache_clear()
    assert repr(start("00").solution("00.1")) == SOUND.strip()


def test_without_a_file_progress_lives_as_long_as_the_kernel(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.delenv("LABKIT_PROGRESS")
    here.cache_clear()
    here().tried("00.1", passed=True)
    assert here().entry("00.1").passed
    here.cache_clear()
    assert here().entry("00.1") == Entry()
    assert not file.exists()


def test_two_chapters_at_once_keep_what_each_has_done(file: Path) -> None:
    one, other = Progress(file), Progress(file)
    one.tried("00.1", passed=True)
    other.tried("14.1", passed=True)
    one.next_hint("00.2", 3)
    kept = Progress(file)
    assert [kept.entry(id) for id in ("00.1", "14.1", "00.2")] == [Entry(1, True), Entry(1, True), Entry(hints=1)]


def test_two_views_of_one_exercise_never_take_a_pass_back(file: Path) -> None:
    one, other = Progress(file), Progress(file)
    one.tried("00.1", passed=True)
    other.tried("00.1", passed=False)
    assert Progress(file).entry("00.1") == Entry(tries=2, passed=True)


def test_what_another_chapter_did_is_seen_without_a_restart(file: Path) -> None:
    one, other = Progress(file), Progress(file)
    one.tried("00.1", passed=True)
    assert other.entry("00.1").passed


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"7",
        b'{"00.1": 7}',
        b'{"00.1": {"tries": "2"}}',
        b'{"00.1": {"passed": 1}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside(file: Path, damaged: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(damaged)
    progress = Progress(file)
    assert progress.entry("00.1") == Entry()
    progress.tried("00.2", passed=True)
    assert Progress(file).entry("00.2").passed
    assert [path.read_bytes() for path in file.parent.iterdir() if "unreadable" in path.name] == [damaged]


def test_of_a_damaged_file_the_sound_entries_are_kept_and_it_is_said(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"00.1": {"passed": true, "newer": 5}, "00.2": 7}', encoding="utf-8")
    assert here().entry("00.1").passed and here().entry("00.2") == Entry()
    here().tried("00.3", passed=False)
    assert Progress(file).entry("00.1").passed
    assert ".progress.json was damaged; it is kept as .progress.json.unreadable-1" in repr(start("00").progress())


def test_a_chapter_run_again_and_again_gives_the_first_hint(file: Path) -> None:
    for _ in range(4):
        here.cache_clear()  # as a restarted kernel does
        assert repr(start("00").hint("00.1")).startswith("00.1  hint 1 of 3")
        assert "can wait" in repr(start("00").solution("00.1"))


def test_a_file_that_cannot_be_read_just_now_stays_as_it_is(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    Progress(file).tried("00.1", passed=True)
    before = file.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        patch.setattr(Path, "read_text", refuse)
        progress = Progress(file)
        progress.tried("00.2", passed=True)
        assert "can't be read" in str(progress.trouble)
    assert [path.name for path in file.parent.iterdir()] == [file.name] and file.read_bytes() == before
    assert progress.entry("00.1").passed and progress.entry("00.2").passed


def test_quizzes_answered_on_several_threads_leave_a_whole_file(file: Path) -> None:
    one, other = Progress(file), Progress(file)

    def work(progress: Progress, id: str) -> None:
        for _ in range(50):
            progress.tried(id, passed=True)

    threads = [threading.Thread(target=work, args=(each, f"00.{n}")) for n, each in enumerate((one, other, one, other))]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    sys.setswitchinterval(before)
    assert [path.name for path in file.parent.iterdir()] == [file.name], "nothing was torn and set aside"
    assert [Progress(file).entry(f"00.{n}").tries for n in range(4)] == [50] * 4


def test_a_second_damaged_file_does_not_replace_the_first(file: Path) -> None:
    file.parent.mkdir()
    for damaged in (b"{1", b"{2"):
        file.write_bytes(damaged)
        Progress(file)
    assert sorted(path.read_bytes() for path in file.parent.iterdir()) == [b"{1", b"{2"]


def test_where_there_is_no_file_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "kept until" not in repr(start("00").progress())
    monkeypatch.delenv("LABKIT_PROGRESS")
    here.cache_clear()
    assert repr(start("00").progress()).endswith("of 6 passed; kept until the kernel ends")


def test_where_nothing_can_be_written_progress_goes_on_and_says_so(file: Path) -> None:
    file.parent.write_text("a file where the folder should be", encoding="utf-8")
    in_a_notebook(SOUND, 'lab.check("00.1")')
    assert here().entry("00.1").passed
    assert ".progress.json can't be written" in repr(start("00").progress())
    file.parent.unlink()
    start("00").hint("00.2")
    assert "can't be written" not in repr(start("00").progress())
    assert Progress(file).entry("00.1").passed


def test_an_old_file_that_cannot_be_written_takes_nothing_back(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    Progress(file).tried("00.1", passed=False)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    progress = Progress(file)
    monkeypatch.setattr(Path, "write_text", refuse)
    progress.tried("00.1", passed=True)
    progress.next_hint("00.2", 3)
    assert progress.entry("00.1") == Entry(tries=2, passed=True)
    assert progress.entry("00.2") == Entry(hints=1)


def test_the_file_holds_nothing_that_the_learner_wrote(file: Path) -> None:
    in_a_notebook("def messages_at_end(asked): return 'my own words'", 'lab.check("00.1")')
    assert json.loads(file.read_text(encoding="utf-8")) == {"00.1": {"tries": 1, "passed": False, "hints": 0}}
    assert [path.name for path in file.parent.iterdir()] == [file.name], "no half-written file is left"


# ---- a question ----

ASKED = question("00.q1")
LETTERS = dict(zip("abcdefgh", ASKED.options, strict=False))
RIGHT = next(letter for letter, option in LETTERS.items() if option.right)


def test_a_question_explains_every_answer() -> None:
    quiz = Quiz("00.q1")
    assert repr(quiz) == "Quiz(00.q1)"
    assert all(option.text in quiz.text() and option.why not in quiz.text() for option in ASKED.options)
    for letter, option in LETTERS.items():
        quiz.controls["answer"].value = letter
        verdict = "right" if option.right else "not this one"
        assert quiz.text().endswith(f"\n\n{letter}: {verdict}. {option.why}")


def test_an_answer_is_noted() -> None:
    quiz = Quiz("00.q1")
    assert here().entry("00.q1") == Entry()
    for letter in LETTERS:
        quiz.controls["answer"].value = letter
    assert here().entry("00.q1") == Entry(tries=len(LETTERS), passed=True)
    quiz.controls["reset"].click()
    assert quiz.controls["answer"].value is None
    assert here().entry("00.q1") == Entry(tries=len(LETTERS), passed=True)
    assert all(option.why not in quiz.text() for option in ASKED.options)


def test_a_wrong_answer_is_no_pass() -> None:
    wrong = next(letter for letter in LETTERS if letter != RIGHT)
    Quiz("00.q1").controls["answer"].value = wrong
    assert here().entry("00.q1") == Entry(tries=1)


def test_a_page_without_a_kernel_holds_all_explanations() -> None:
    stored = Quiz("00.q1")._repr_mimebundle_()["text/html"]
    assert stored.count("<details>") == len(ASKED.options)
    assert stored.count("not this one") == len(ASKED.options) - 1


def test_an_unknown_question_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"chapter 00 has no question '00\.q9'; it has 00\.q1, 00\.q2, 00\.q3"):
        Quiz("00.q9")


# ---- stubs ----


def test_a_stub_is_known_by_what_it_is_and_not_by_what_it_returns() -> None:
    source, asked = str(stub("14.3")), exercise("14.3")
    names: dict[str, Any] = {}
    exec(source, names)
    assert untouched(asked, names) == asked.names
    assert untouched(asked, {**names, "on_error": {"timeout": {}}}) == ()
    assert check(asked, names).untouched


def test_a_function_that_was_changed_is_no_stub_though_it_is_called_the_same() -> None:
    asked = exercise("00.1")
    names: dict[str, Any] = {}
    exec(str(stub("00.1")), names)
    assert untouched(asked, names) == ("messages_at_end",)
    exec("def messages_at_end(asked):\n    return 0", names)
    assert untouched(asked, names) == ()


def test_an_exercise_of_no_chapter_has_no_stub() -> None:
    assert stub("99.1") is None
    assert untouched(Exercise("99.1", "", ("double",), (), DOUBLE.hints, ""), {"double": abs}) == ()


def test_half_of_the_work_is_told_from_none() -> None:
    names: dict[str, Any] = {}
    exec(str(stub("01.2")), names)
    exec("def text_requests(waves):\n    return sum(waves) + 1", names)
    verdict = check(exercise("01.2"), names)
    assert not verdict.untouched and "..." in dict(verdict.rows)["yours"]
