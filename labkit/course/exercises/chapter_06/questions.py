"""Chapter 06: three questions."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "06.q1",
        "A tool renders a film for minutes. If its limit passes, it must not go on. Where should it run?",
        (
            Option(
                "in a thread with a time limit",
                "At the limit the thread is abandoned: the call is answered, and the film is rendered all the same.",
            ),
            Option(
                "as an `async def` on the event loop",
                "A cancellation arrives where a coroutine waits. One that computes does not wait, and holds the loop.",
            ),
            Option(
                "in a process of its own",
                "A process can be killed at any moment, with all that it has started. The 50 ms that it costs do not "
                "matter beside minutes.",
                right=True,
            ),
            Option(
                "in the caller's thread, without a limit",
                "Then nobody can stop it but the interrupt of the whole run.",
            ),
        ),
    ),
    Question(
        "06.q2",
        "A write in a thread was answered `timeout`. Two seconds later the model sends another write, under "
        "`barriers`. What should a runtime do?",
        (
            Option(
                "run it: the first one has its answer",
                "The answer says that we stopped waiting. The thread goes on, and two writers would be at work.",
            ),
            Option(
                "end the first thread, then run it",
                "Nothing can end a thread from outside.",
            ),
            Option(
                "wait for the first one, however long it takes",
                "Then a hung tool holds the whole run, and the limit was in vain.",
            ),
            Option(
                "answer it `cancelled` while the first one goes on",
                "The model is told at once why it was not run, and can do something else. When the first one has "
                "ended, calls are let through.",
                right=True,
            ),
        ),
    ),
    Question(
        "06.q3",
        "Three calls of 50 ms have come back after 140 ms. Did they overlap?",
        (
            Option(
                "no, 140 ms is nearly three times 50",
                "They may have: on a busy machine, starting them may have taken the rest.",
            ),
            Option(
                "yes, it is less than 150 ms",
                "Two may have overlapped a little, or the clock is a little off. It says nothing about three.",
            ),
            Option(
                "the time alone does not tell; a counter does",
                "A counter knows how many were at work at one moment, on a slow machine as well as on a fast one.",
                right=True,
            ),
        ),
    ),
)
