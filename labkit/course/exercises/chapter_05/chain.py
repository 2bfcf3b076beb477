"""05.1: the time of the longest chain, which no number of workers can beat."""

from __future__ import annotations

from labkit.course.exercise import Case, Exercise, Wanted


def ms(number: int) -> Wanted:
    """Return the wish for this many milliseconds, whole or not."""
    return Wanted(repr(number), lambda value: type(value) in (int, float) and value == number)


LONGEST_CHAIN = Exercise(
    id="05.1",
    title="The longest chain",
    names=("longest",),
    cases=(
        Case(
            "one call takes its own time",
            "longest([set()], [40])",
            ms(40),
            "Nobody is waited for. What is left of the chain?",
        ),
        Case(
            "calls that wait for nobody overlap",
            "longest([set(), set(), set()], [60, 40, 120])",
            ms(120),
            "Three chains of one call each. Do their times add up?",
        ),
        Case(
            "a call ends its own length after the one that it waits for",
            "longest([set(), {0}], [60, 40])",
            ms(100),
            "When can the second call start, and how long does it take from then on?",
        ),
        Case(
            "a chain may be longer than two calls",
            "longest([set(), {0}, {1}], [60, 40, 30])",
            ms(130),
            "The second call waits itself. Do you add the length of the call before, or the time when it ends?",
        ),
        Case(
            "of all that it waits for, the last one to end counts",
            "longest([set(), set(), {0, 1}], [60, 100, 10])",
            ms(110),
            "Two calls before it run beside each other. Is it their sum that is waited for?",
        ),
        Case(
            "the longest chain need not be the last call's",
            "longest([set(), {0}, {0}], [60, 100, 10])",
            ms(160),
            "Which of the calls does your function return the end of?",
        ),
        Case(
            "a call may wait for one that stands behind it: so it is under reads_first",
            "longest([set(), {0, 2}, set()], [60, 80, 70])",
            ms(150),
            "When your loop reaches the second call, is the end of the third one known? What could look it up?",
        ),
        Case(
            "the longest chain is the one that takes longest, not the one with the most calls",
            "longest([set(), {0}, {1}, set()], [10, 20, 30, 100])",
            ms(100),
            "Do you look for the chain with the most links? What is its time, and what is that of call 3 alone?",
        ),
        Case(
            "of two that it waits for, the shorter one may end last",
            "longest([set(), {0}, set(), {1, 2}], [100, 20, 50, 10])",
            ms(130),
            "Call 3 waits for 1 and 2. Which of the two ends last, and is it the one that takes longest?",
        ),
        Case(
            "a chain may lead backwards all the way",
            "longest([{1}, {2}, {3}, set()], [10, 20, 30, 40])",
            ms(100),
            "Is every end known that you add to? Going through the calls a fixed number of times is not enough.",
        ),
        Case(
            "the lists that were handed in stay as they are",
            "[(w, ms) for w, ms in [([set(), {0}], [60, 40])] if longest(w, ms)]",
            [([set(), {0}], [60, 40])],
            "The plan and the lengths belong to the caller. Work on lists of your own.",
        ),
        Case(
            "a message without calls takes no time",
            "longest([], [])",
            ms(0),
            "There is nothing to take the largest of. What does `max` need then?",
        ),
    ),
    hints=(
        "Every call has a moment at which it ends. Say in words how it follows from those that it waits for.",
        "A small function inside, `end(i)`, may call itself for each call that i waits for. Then the order of the "
        "calls does not matter.",
        "end(i) is the largest end of all j in waits_for[i] (0 if there is none) plus lengths[i]. Return the largest "
        "end of all; max(…, default=0) helps twice.",
    ),
    solution='''
def longest(waits_for, lengths):
    """Return the time of the longest chain."""

    def end(i):
        start = max((end(j) for j in waits_for[i]), default=0)
        return start + lengths[i]

    return max((end(i) for i in range(len(lengths))), default=0)
''',
)
