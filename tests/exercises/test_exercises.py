"""Every exercise and every question of every chapter.

Every rule is a function that returns what is wrong, a sentence each. The rules are tried on a made-up chapter first,
so that they are known to fail, and then on all that ``labkit.course.exercises`` lists.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from exercises.playing import SOLUTION, STUB, Notebook, Played, Tried, play

from labkit.commands.twins import solved, twin_of
from labkit.course import exercises
from labkit.course.exercise import Case, Exercise
from labkit.course.quiz import Option, Question
from labkit.course.stubs import stub_id
from labkit.paths import repository

HERE = Path(__file__).resolve().parent
WRONG_ANSWERS = 3
SHORT = 12  # characters; a shorter line of a solution, such as a bracket, tells nothing


@dataclass(frozen=True)
class Chapter:
    """A chapter with all that belongs to its exercises; ``made`` is the twin that it should have. A value."""

    number: str
    exercises: tuple[Exercise, ...]
    questions: tuple[Question, ...]
    notebook: Notebook
    made: Notebook | None
    twin: Notebook | None
    wrong: dict[str, tuple[str, ...]] | None
    played: Played


@cache
def chapter(number: str) -> Chapter:
    """Read a chapter and play it, once."""
    found = sorted((repository() / "notebooks").glob(f"{number}_*.ipynb"))
    assert found, f"chapter {number} has exercises and no notebook"
    notebook = nbformat.read(found[0], as_version=4)
    twin = twin_of(found[0])
    answers = HERE / f"wrong_{number}.py"
    wrong = runpy.run_path(str(answers))["WRONG"] if answers.exists() else None
    return Chapter(
        number,
        exercises.exercises_of(number),
        exercises.questions_of(number),
        notebook,
        solved(notebook),
        nbformat.read(twin, as_version=4) if twin.exists() else None,
        wrong,
        play(number, notebook, exercises.exercises_of(number), wrong or {}),
    )


# ---- rules for one exercise ----


def it_has_one_stub(chapter: Chapter, exercise: Exercise) -> list[str]:
    """Exactly one cell is tagged with the exercise."""
    count = sum(stub_id(cell) == exercise.id for cell in chapter.notebook["cells"])
    return [] if count == 1 else [f"{count} cells are tagged exercise-{exercise.id}, instead of one"]


def check_hint_and_solution_follow(chapter: Chapter, exercise: Exercise) -> list[str]:
    """The stub, the check, the hint, the solution: once each, each alone in its cell, in this order."""
    wanted = [f'lab.{what}("{exercise.id}")' for what in ("check", "hint", "solution")]
    cells = ["stub" if stub_id(cell) == exercise.id else cell["source"].strip() for cell in code_of(chapter.notebook)]
    found = [cell for cell in cells if cell in ("stub", *wanted)]
    return [] if found == ["stub", *wanted] else [f"the cells are {found}, not the stub and {wanted}"]


def an_objective_names_it(chapter: Chapter, exercise: Exercise) -> list[str]:
    """One of the objectives in the first cell says that this exercise checks it."""
    first = next((cell["source"] for cell in chapter.notebook["cells"] if cell["cell_type"] == "markdown"), "")
    objectives = [line for line in first.splitlines() if line.startswith(("- ", "* "))]
    named = any(re.search(rf"\b{re.escape(exercise.id)}\b", line) for line in objectives)
    return [] if named else ["no objective of the first cell names it"]


def the_stub_is_not_yet(chapter: Chapter, exercise: Exercise) -> list[str]:
    """The untouched stub runs, and the check says so in a friendly way."""
    return [f"the stub: {each.text}" for each in tried(chapter, exercise, STUB) if not is_not_yet(each)]


def the_solution_passes(chapter: Chapter, exercise: Exercise) -> list[str]:
    """Our own solution passes."""
    ours = tried(chapter, exercise, SOLUTION)
    wrong = [] if ours else ["the solution was never tried: no cell of the chapter came to it"]
    return wrong + [f"the solution: {each.text}" for each in ours if not (each.verdict and each.verdict.passed)]


def wrong_answers_fail_in_words_of_their_own(chapter: Chapter, exercise: Exercise) -> list[str]:
    """At least three wrong answers, each of which fails, each with another message."""
    answers = tried(chapter, exercise, "wrong answer")
    wrong = [f"{each.kind}: {each.text}" for each in answers if not is_not_yet(each)]
    if len(answers) < WRONG_ANSWERS:
        wrong.append(f"{len(answers)} wrong answers are known, fewer than {WRONG_ANSWERS}")
    seen: dict[str, str] = {}
    for each in answers:
        if (before := seen.setdefault(each.text, each.kind)) != each.kind:
            wrong.append(f"{each.kind} gets the same message as {before}")
    return wrong


def verdicts_are_plain(chapter: Chapter, exercise: Exercise) -> list[str]:
    """No verdict shows a traceback, or a line of the solution that the learner has not written."""
    wrong = []
    for each in chapter.played.tried.get(exercise.id, ()):
        said = in_one_line(each.text)
        if "Traceback" in said:
            wrong.append(f"{each.kind}: the verdict shows a traceback")
        told = [line for line in lines_of(exercise.solution) - lines_of(each.source) if line in said]
        wrong += [f"{each.kind}: the verdict tells a line of ours: {line}" for line in told if len(line) >= SHORT]
    return wrong


def hints_go_three_steps(chapter: Chapter, exercise: Exercise) -> list[str]:
    """Three hints, each of them says something else, and none of them is the solution."""
    hints = [in_one_line(hint) for hint in exercise.hints]
    wrong = [] if len(hints) == 3 else [f"there are {len(hints)} hints, not three"]
    if not all(hints) or len(set(hints)) < len(hints):
        wrong.append("a hint is empty, or said twice")
    stub = next((cell["source"] for cell in chapter.notebook["cells"] if stub_id(cell) == exercise.id), "")
    ours = lines_of(exercise.solution) - lines_of(stub)
    return wrong + ["a hint holds the whole solution" for hint in hints if all(line in hint for line in ours)]


def cases_say_what_and_what_next(chapter: Chapter, exercise: Exercise) -> list[str]:
    """Every case has a rule, an input that holds one of the learner's names, and a next step."""
    wrong = [] if exercise.cases else ["there are no cases"]
    for case in exercise.cases:
        if not (case.rule.strip() and case.step.strip()):
            wrong.append(f"the case {case.run} has no rule or no next step")
        if not any(re.search(rf"\b{name}\b", case.run) for name in exercise.names):
            wrong.append(f"the case {case.run} does not look at {', '.join(exercise.names)}")
    return wrong


def inputs_can_be_tried(chapter: Chapter, exercise: Exercise) -> list[str]:
    """What an input names, the notebook has by then: a learner can run it in a cell of their own."""
    there = set(exercise.names) | set(dir(builtins))
    for cell in code_of(chapter.notebook):
        if stub_id(cell) == exercise.id:
            break
        there |= {name for node in ast.walk(ast.parse(cell["source"])) for name in defined_by(node)}
    wrong = []
    for case in exercise.cases:
        nodes = list(ast.walk(ast.parse(case.run, mode="eval")))
        own = {name for node in nodes for name in defined_by(node)}
        named = [node.id for node in nodes if isinstance(node, ast.Name)]
        wrong += [f"the notebook has no {name} for {case.run}" for name in named if name not in there | own]
    return wrong


def defined_by(node: ast.AST) -> list[str]:
    """The names that a piece of a program gives a meaning to."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return [name]
        case ast.alias(name=name, asname=other):
            return [other or name.split(".")[0]]
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case _:
            return []


EXERCISE_RULES = (
    it_has_one_stub,
    check_hint_and_solution_follow,
    an_objective_names_it,
    the_stub_is_not_yet,
    the_solution_passes,
    wrong_answers_fail_in_words_of_their_own,
    verdicts_are_plain,
    hints_go_three_steps,
    cases_say_what_and_what_next,
    inputs_can_be_tried,
)


# ---- rules for a chapter ----


def its_cells_run(chapter: Chapter) -> list[str]:
    """Up to the last stub no cell ends with an error that was not asked for."""
    return [chapter.played.broken] if chapter.played.broken else []


def ids_count_up(chapter: Chapter) -> list[str]:
    """Exercises are NN.1, NN.2 … and questions NN.q1, NN.q2 …, in order."""
    found = [each.id for each in (*chapter.exercises, *chapter.questions)]
    wanted = [f"{chapter.number}.{n}" for n in range(1, len(chapter.exercises) + 1)]
    wanted += [f"{chapter.number}.q{n}" for n in range(1, len(chapter.questions) + 1)]
    return [] if found == wanted else [f"the ids are {found}, not {wanted}"]


def wrong_answers_are_written_down(chapter: Chapter) -> list[str]:
    """A chapter with exercises has a file of wrong answers, and no answers to what is not asked."""
    file = f"tests/exercises/wrong_{chapter.number}.py"
    if chapter.wrong is None:
        return [f"there is no {file} with wrong answers to its exercises"] if chapter.exercises else []
    extra = sorted(set(chapter.wrong) - {exercise.id for exercise in chapter.exercises})
    return [f"{file} answers {id}, which is no exercise" for id in extra]


def questions_have_one_right_answer(chapter: Chapter) -> list[str]:
    """Exactly one option is right, all of them differ, and each explains itself."""
    wrong = []
    for question in chapter.questions:
        if (right := sum(option.right for option in question.options)) != 1:
            wrong.append(f"{question.id} has {right} right options, instead of one")
        if len({option.text for option in question.options}) < max(2, len(question.options)):
            wrong.append(f"{question.id} has an option twice, or no choice")
        if not all(text.strip() for option in question.options for text in (option.text, option.why)):
            wrong.append(f"{question.id} has an option without a text or an explanation")
    return wrong


def questions_are_asked_once(chapter: Chapter) -> list[str]:
    """Each question stands in one cell, as its last line."""
    lines = [cell["source"].strip().splitlines()[-1:] for cell in code_of(chapter.notebook)]
    counts = {question.id: lines.count([f'Quiz("{question.id}")']) for question in chapter.questions}
    return [f"{id} is asked in {count} cells, instead of one" for id, count in counts.items() if count != 1]


def the_twin_is_made_from_the_chapter(chapter: Chapter) -> list[str]:
    """The solved twin holds what the chapter and the solutions make, cell by cell."""
    if chapter.twin is None or chapter.made is None:
        return ["it has no solved twin: rebuild the chapter"] if chapter.exercises else []
    twin, made = ([(c["cell_type"], c["source"], c["metadata"]) for c in n["cells"]] for n in pair(chapter))
    differing = [n for n, (ours, theirs) in enumerate(zip(twin, made, strict=False), 1) if ours != theirs]
    if differing or len(twin) != len(made):
        return [f"the solved twin is not the chapter's, from cell {(*differing, len(made))[0]}: rebuild the chapter"]
    return []


def checks_are_stored_as_they_should_be(chapter: Chapter) -> list[str]:
    """In the chapter every stored check says "not yet", in the twin every one says "passed"."""
    wrong = []
    for name, notebook, word in (("chapter", chapter.notebook, "not yet"), ("twin", chapter.twin, "passed")):
        for cell in code_of(notebook or {"cells": []}):
            found = re.fullmatch(r'lab\.check\("(.+)"\)', cell["source"].strip())
            if found and word not in shown(cell):
                wrong.append(f'the {name} stores a check of {found[1]} that does not say "{word}"')
    return wrong


CHAPTER_RULES = (
    its_cells_run,
    ids_count_up,
    wrong_answers_are_written_down,
    questions_have_one_right_answer,
    questions_are_asked_once,
    the_twin_is_made_from_the_chapter,
    checks_are_stored_as_they_should_be,
)


# ---- helpers ----


def tried(chapter: Chapter, exercise: Exercise, kind: str) -> list[Tried]:
    return [each for each in chapter.played.tried.get(exercise.id, ()) if each.kind.startswith(kind)]


def is_not_yet(each: Tried) -> bool:
    return each.verdict is not None and not each.verdict.passed and "not yet" in each.text


def code_of(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def pair(chapter: Chapter) -> tuple[Notebook, Notebook]:
    """The stored twin and the one that is made. A stored cell may keep its tags only."""
    assert chapter.twin is not None and chapter.made is not None
    return chapter.twin, chapter.made


def shown(cell: dict[str, Any]) -> str:
    """What a cell's stored value says in plain text."""
    return "".join(output.get("data", {}).get("text/plain", "") for output in cell["outputs"])


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def lines_of(source: str) -> set[str]:
    """The lines of a source that say something, without their blanks."""
    return {in_one_line(line) for line in source.splitlines() if re.search(r"\w", line)}


def faults(chapter: Chapter) -> list[str]:
    """All that is wrong with a chapter and its exercises."""
    wrong = [f"{rule.__name__}: {fault}" for rule in CHAPTER_RULES for fault in rule(chapter)]
    for exercise in chapter.exercises:
        wrong += [f"{exercise.id}: {rule.__name__}: {f}" for rule in EXERCISE_RULES for f in rule(chapter, exercise)]
    return wrong


# ---- the rules can fail ----

STUB_SOURCE = "def double(n):\n    return ..."
SOLVED_SOURCE = "def double(n):\n    return n * factor"
DOUBLE = Exercise(
    id="05.1",
    title="double a number",
    names=("double",),
    cases=(
        Case("two times a number", "double(3)", 6, "What does times two mean?"),
        Case("a number below zero too", "double(-2)", -4, "What of the sign?"),
        Case("a text twice", "double('ab')", "abab", "Which sign works for both?"),
    ),
    hints=("Think of times.", "Which sign is it?", "The factor stands in a cell above."),
    solution=SOLVED_SOURCE + "\n",
)
QUESTION = Question("05.q1", "What is 2 * 3?", (Option("5", "That is 2 + 3."), Option("6", "Three twos.", right=True)))
WRONG = ("def double(n):\n    return n", "def double(n):\n    return abs(n) * 2", "def double(n):\n    return n + 2")


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str, says: str = "", tag: str = "") -> dict[str, Any]:
    output = {"output_type": "execute_result", "data": {"text/plain": says}}
    metadata = {"tags": [tag]} if tag else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [output] if says else []}


def made_up(stub: str = STUB_SOURCE, verdict: str = "05.1  not yet") -> Notebook:
    return {
        "cells": [
            markdown("# Doubling\n\nA promise.\n\n- **double** a number (exercise 05.1)."),
            code("factor = 2"),
            code("1 / 0", tag="raises-exception"),
            code("ask_a_real_model()", tag="skip-execution"),
            code(stub, tag="exercise-05.1"),
            code('lab.check("05.1")', verdict),
            code('lab.hint("05.1")', "05.1  hint 1 of 3"),
            code('lab.solution("05.1")', "05.1  the solution can wait"),
            code('from labkit.widgets import Quiz\n\nQuiz("05.q1")', "Quiz(05.q1)"),
        ]
    }


def gathered(
    *,
    exercise: Exercise = DOUBLE,
    question: Question = QUESTION,
    notebook: Notebook | None = None,
    wrong: dict[str, tuple[str, ...]] | None = None,
    **parts: Any,
) -> Chapter:
    """The made-up chapter, sound but for the parts that are given."""
    notebook, wrong = notebook or made_up(), wrong or {"05.1": WRONG}
    made = made_up(SOLVED_SOURCE, "05.1  passed: 3 cases")
    played = play("05", notebook, [exercise], wrong)
    whole = Chapter("05", (exercise,), (question,), notebook, made, copy.deepcopy(made), wrong, played)
    return replace(whole, **parts)


def changed(cell: int, **parts: Any) -> Notebook:
    """The made-up notebook with some parts of one cell changed."""
    notebook = made_up()
    notebook["cells"][cell].update(parts)
    return notebook


def without(cell: int) -> Notebook:
    notebook = made_up()
    del notebook["cells"][cell]
    return notebook


def options(*rights: bool, why: str = "So it is.") -> Question:
    return Question("05.q1", "?", tuple(Option(f"option {n}", why, right) for n, right in enumerate(rights)))


TELLING = Case("n * factor: return n * factor", "double(1)", 2, "Think.")
SPOILED: list[tuple[Callable[..., list[str]], dict[str, Any]]] = [
    (it_has_one_stub, {"notebook": changed(1, metadata={"tags": ["exercise-05.1"]})}),
    (it_has_one_stub, {"notebook": changed(4, metadata={})}),
    (check_hint_and_solution_follow, {"notebook": without(6)}),
    (check_hint_and_solution_follow, {"notebook": changed(7, source='lab.hint("05.1")\nlab.solution("05.1")')}),
    (an_objective_names_it, {"notebook": changed(0, source="# Doubling\n\nExercise 05.1.\n\n- **double** (05.10)")}),
    (the_stub_is_not_yet, {"notebook": changed(4, source=SOLVED_SOURCE)}),
    (the_stub_is_not_yet, {"notebook": changed(4, source="1 / 0")}),
    (the_solution_passes, {"exercise": replace(DOUBLE, solution=WRONG[0])}),
    (the_solution_passes, {"exercise": replace(DOUBLE, solution="def double(n)")}),
    (the_solution_passes, {"notebook": changed(1, source="factor = 1 / 0")}),
    (wrong_answers_fail_in_words_of_their_own, {"wrong": {"05.1": (*WRONG, SOLVED_SOURCE)}}),
    (wrong_answers_fail_in_words_of_their_own, {"wrong": {"05.1": (*WRONG, "raise ValueError")}}),
    (wrong_answers_fail_in_words_of_their_own, {"wrong": {"05.1": WRONG[:2]}}),
    (wrong_answers_fail_in_words_of_their_own, {"wrong": {"05.1": (*WRONG, WRONG[0] + "\n")}}),
    (verdicts_are_plain, {"exercise": replace(DOUBLE, cases=(TELLING,))}),
    (verdicts_are_plain, {"exercise": replace(DOUBLE, cases=(replace(TELLING, rule="Traceback"),))}),
    (hints_go_three_steps, {"exercise": replace(DOUBLE, hints=("Think.", "Times."))}),
    (hints_go_three_steps, {"exercise": replace(DOUBLE, hints=("Think.", "Times.", "Think."))}),
    (hints_go_three_steps, {"exercise": replace(DOUBLE, hints=("Think.", " ", "Times."))}),
    (hints_go_three_steps, {"exercise": replace(DOUBLE, hints=("Think.", "Times.", "Write return n  * factor."))}),
    (cases_say_what_and_what_next, {"exercise": replace(DOUBLE, cases=())}),
    (cases_say_what_and_what_next, {"exercise": replace(DOUBLE, cases=(replace(TELLING, step=" "),))}),
    (cases_say_what_and_what_next, {"exercise": replace(DOUBLE, cases=(replace(TELLING, run="doubled(1)"),))}),
    (inputs_can_be_tried, {"exercise": replace(DOUBLE, cases=(replace(TELLING, run="double(helper(1))"),))}),
    (inputs_can_be_tried, {"exercise": replace(DOUBLE, cases=(replace(TELLING, run="[double(n) for m in [1]]"),))}),
    (its_cells_run, {"notebook": changed(1, source="factor = 1 / 0")}),
    (ids_count_up, {"exercise": replace(DOUBLE, id="05.2")}),
    (ids_count_up, {"question": replace(QUESTION, id="06.q1")}),
    (wrong_answers_are_written_down, {"wrong": {"05.1": WRONG, "05.2": WRONG}}),
    (questions_have_one_right_answer, {"question": options(False, False)}),
    (questions_have_one_right_answer, {"question": options(True, True)}),
    (questions_have_one_right_answer, {"question": options(True)}),
    (questions_have_one_right_answer, {"question": options(True, False, why="")}),
    (questions_are_asked_once, {"notebook": without(8)}),
    (the_twin_is_made_from_the_chapter, {"twin": None}),
    (the_twin_is_made_from_the_chapter, {"twin": made_up()}),
    (the_twin_is_made_from_the_chapter, {"twin": without(8)}),
    (checks_are_stored_as_they_should_be, {"twin": made_up(SOLVED_SOURCE)}),
    (checks_are_stored_as_they_should_be, {"notebook": made_up(verdict="05.1  passed: 3 cases")}),
]


def test_a_sound_chapter_passes() -> None:
    assert faults(gathered()) == []


@pytest.mark.parametrize(
    ("rule", "parts"), SPOILED, ids=[f"{n}-{rule.__name__}" for n, (rule, _) in enumerate(SPOILED)]
)
def test_a_spoiled_chapter_fails_by_the_rule_meant(rule: Callable[..., list[str]], parts: dict[str, Any]) -> None:
    spoiled = gathered(**parts)
    found = rule(spoiled, spoiled.exercises[0]) if rule in EXERCISE_RULES else rule(spoiled)
    assert len(found) >= 1


def test_every_rule_has_been_seen_to_fail() -> None:
    assert {rule for rule, _ in SPOILED} == {*EXERCISE_RULES, *CHAPTER_RULES}


def test_a_chapter_without_wrong_answers_says_which_file_is_missing() -> None:
    sentence = "there is no tests/exercises/wrong_05.py with wrong answers to its exercises"
    assert wrong_answers_are_written_down(replace(gathered(), wrong=None)) == [sentence]


def test_a_line_that_the_learner_wrote_may_be_quoted() -> None:
    source = "def double(n):\n    factor = None\n    return n * factor"
    chapter = gathered(wrong={"05.1": (*WRONG, source)})
    assert "raises TypeError, in the line: return n * factor" in tried(chapter, DOUBLE, "wrong answer 4")[0].text
    assert faults(chapter) == []


def test_trials_do_not_see_one_another_and_helpers_see_the_trial() -> None:
    notebook = changed(1, source="factor = 2\ndef twice(n):\n    return double(double(n))")
    asked = replace(DOUBLE, names=("double", "twice"), cases=(Case("two times two", "twice(3)", 12, "Think."),))
    answers = {"05.1": (SOLVED_SOURCE + "\nfactor = 7", SOLVED_SOURCE)}
    spoiling, sound = play("05", notebook, [asked], answers).tried["05.1"][2:]
    assert "yours      147" in spoiling.text
    assert sound.text == "05.1  passed: 1 case"


def test_progress_of_the_learner_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LABKIT_PROGRESS", str(tmp_path / "progress.json"))
    lab = 'from labkit.course import start\nlab = start("00")\nmessages_at_end = sum\nlab.check("00.1")'
    assert play("05", changed(1, source="factor = 2\n" + lab), [DOUBLE], {}).broken == ""
    assert list(tmp_path.iterdir()) == []


# ---- all exercises ----


def test_chapters_have_exercises() -> None:
    assert {"00", "14"} <= set(exercises.chapters())


@pytest.mark.parametrize("number", exercises.chapters())
def test_a_chapter_keeps_every_rule(number: str) -> None:
    wrong = faults(chapter(number))
    assert not wrong, "\n" + "\n".join(wrong)
