"""The three questions of chapter 11: what a silent server does, what a schema can't promise, what to choose."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "11.q1",
        "You have moved an agent to a new endpoint. Every run ends with `final_answer`, and no tool is ever called. "
        "What do you look at first?",
        (
            Option(
                "Whether the model calls a tool on a task that can't be done without one",
                "That is the one thing that a server which drops `tools` can't pretend. It costs one request.",
                right=True,
            ),
            Option("The status of the responses", "A server that drops a field answers 200 all the same."),
            Option("Whether our request held the tools", "It did. What the server made of it does not show there."),
            Option("The finish reason", "It says `stop`, as after every other answer."),
        ),
    ),
    Question(
        "11.q2",
        "A server holds the reply to the envelope's schema. Which of these can still happen?",
        (
            Option("The model names a tool that does not exist", "The names are constants in the schema."),
            Option(
                "The model looks up the weather in the wrong city",
                "Any city is a text. The schema knows forms, and no facts.",
                right=True,
            ),
            Option("There is prose before the object", "The first character has to be a brace."),
            Option("`tool_calls` and `answer` stand side by side", "The two forms are closed: no other key fits."),
        ),
    ),
    Question(
        "11.q3",
        "A reply holds both `tool_calls` and `answer`. Why is it sent back, and not simply read as calls?",
        (
            Option("It is no valid JSON", "It is. That is why `read_v0` took it without a word."),
            Option("Servers refuse such a message", "No server sees it: the envelope is text for them."),
            Option(
                "One of the two would be lost, and nobody would notice",
                "A correction costs one request. A decision that is guessed costs whatever follows from it.",
                right=True,
            ),
            Option("An answer must come without a thought", "A thought may stand in both forms."),
        ),
    ),
)
