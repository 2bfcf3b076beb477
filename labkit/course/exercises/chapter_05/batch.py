"""05.3: a batch, written line by line, that tells the policies apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.scheduling import Setting, walls, written

MOST = 5


def trying() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter imports them, too."""
    return {"walls": walls, "written": written, "Setting": Setting}


def _walls(told: str, test: Callable[[dict[str, int]], bool]) -> Wanted:
    return Wanted(told, lambda value: test(value))


TELL_APART = Exercise(
    id="05.3",
    title="Tell the policies apart",
    names=("batch",),
    cases=(
        Case(
            "every line can be read",
            "written(batch)[1]",
            (),
            "Each line is what, which file, how many ms.",
        ),
        Case(
            f"there are at most {MOST} calls",
            "len(written(batch)[0])",
            Wanted(f"a number from 1 to {MOST}", lambda value: 1 <= value <= MOST),
            "Which calls could be left out without any wall time growing shorter?",
        ),
        Case(
            "under barriers nothing is gained",
            "walls(batch)",
            _walls("barriers as slow as serial", lambda found: found["barriers"] == found["serial"]),
            "Two neighbours that are both reads overlap. What has to stand between any two reads?",
        ),
        Case(
            "under by_resource it is at least three times as fast",
            "walls(batch)",
            _walls("by_resource at most a third of serial", lambda found: 3 * found["by_resource"] <= found["serial"]),
            "The longest chain is too long. How many calls touch the same file, and how long does each of them take?",
        ),
        Case(
            "under reads_first the outcome is another one, and nobody is told",
            'Setting(written(batch)[0], "reads_first").warnings',
            Wanted("at least one sentence", lambda value: len(value) > 0),
            "A read has to overtake an edit that it was meant to see. Where would it stand, and what would it read?",
        ),
    ),
    hints=(
        "A batch of edits only has no speed-up under barriers. Begin with some of those.",
        "Let the edits touch different files, and take equally long. Then think of one read that comes too early.",
        "Four edits of four files, 100 ms each, and behind them a very short read of one of these files.",
    ),
    solution='''
batch = """
edit tea.txt 100
edit rye.txt 100
edit oat.txt 100
edit fig.txt 100
read fig.txt 1
"""
''',
    given=trying,
)
