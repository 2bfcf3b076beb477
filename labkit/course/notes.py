"""What the course says between the cells: a hint, a word to wait, how far a learner has come."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.course.exercises import chapters, exercises_of, questions_of
from labkit.course.layout import beside
from labkit.course.progress import Entry, Progress


@dataclass(frozen=True, repr=False)
class Note:
    """A few words to the learner under a title. A value; its ``repr`` is what is read."""

    title: str
    text: str

    def __repr__(self) -> str:
        return f"{self.title}\n{beside('  ', self.text)}"


@dataclass(frozen=True, repr=False)
class Report:
    """How far a learner has come. A value: ``done`` of ``all`` exercises and questions are passed."""

    done: int
    all: int
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join(self.lines)


def report(progress: Progress, chapter: str) -> Report:
    """Return a line for each exercise and question of a chapter, and of others where something was done."""
    rows: list[tuple[str, str, Entry]] = []
    for number in chapters():
        of_chapter = [
            *((each.id, each.title, progress.entry(each.id)) for each in exercises_of(number)),
            *((each.id, "quiz", progress.entry(each.id)) for each in questions_of(number)),
        ]
        if number == chapter or any(entry != Entry() for _, _, entry in of_chapter):
            rows += of_chapter
    done = sum(entry.passed for _, _, entry in rows)
    lines = [f"{id:<6} {_state(entry):<8} {title}" for id, title, entry in rows]
    kept = None if progress.path else "kept until the kernel ends"
    lines.append("; ".join(filter(None, [f"{done} of {len(rows)} passed", kept, progress.trouble, progress.damaged])))
    return Report(done, len(rows), tuple(lines))


def _state(entry: Entry) -> str:
    return "passed" if entry.passed else "tried" if entry.tries else "open"
