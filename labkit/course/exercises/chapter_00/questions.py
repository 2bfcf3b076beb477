"""Three questions of chapter 00: who runs a tool, what a model knows, which fault stays silent."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "00.q1",
        "The model's message holds a tool call for `run_test`. What has happened on our machine by then?",
        (
            Option(
                "The tests have run, and the message says how they ended.",
                "How they ended stands in the tool message, and our loop makes that one afterwards.",
            ),
            Option(
                "Nothing. The call is data, and our program decides what to do with it.",
                "The model only asks. `read` and `run` come later, and they may refuse.",
                right=True,
            ),
            Option(
                "The tests were started, and their result follows.",
                "Nobody has started anything: there is a name and there are arguments, and `run` has not seen them.",
            ),
            Option(
                "The model has run the tests where it lives.",
                "A model writes text. The tests and the files are on our machine, and it can't reach them.",
            ),
        ),
    ),
    Question(
        "00.q2",
        "You stop the loop after its second turn and go on tomorrow. What must be kept for the model?",
        (
            Option(
                "Nothing. The model remembers the run.",
                "The model keeps nothing between two requests. `ask` hands it everything, each time.",
            ),
            Option("The last message.", "Then it would know neither its task nor what it has read so far."),
            Option(
                "The list of messages.",
                "It is all that the model ever knows of a run. (The folder must be there too, but for the tools.)",
                right=True,
            ),
        ),
    ),
    Question(
        "00.q3",
        "Which of these faults will you notice last?",
        (
            Option("A tool name that does not exist.", "The loop dies at once, with the line in front of you."),
            Option("A model that asks again and again.", "The run does not end, and the bill grows. You will look."),
            Option(
                "An edit that finds nothing to replace.",
                "The tool says `edited`, the model reports a success, and the file is as it was. Nothing points at it.",
                right=True,
            ),
            Option("Arguments that come as text.", "The very first call dies of it."),
        ),
    ),
)
