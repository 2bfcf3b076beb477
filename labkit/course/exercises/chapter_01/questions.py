"""The three questions of chapter 01: what is taken, what costs most, what is refused in time."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "01.q1",
        "A reply goes on after its action: an observation, a thought, a final answer. No stop sequence was set. "
        "What does `read_v0` take?",
        (
            Option("The action, since it comes first", "It looks for an answer first, wherever that stands."),
            Option(
                "The final answer",
                "The answer is found first, and the run ends. No tool has run, and nobody is told.",
                right=True,
            ),
            Option(
                "Nothing, since there is too much", "Each label is where it should be. There is nothing to stumble on."
            ),
            Option("Both, one after the other", "One step a reply: whatever else there is, goes unread."),
        ),
    ),
    Question(
        "01.q2",
        "Which of these costs most in the end?",
        (
            Option("No label can be found in the reply", "That is noticed at once. It costs one more request."),
            Option("The input is no JSON", "The runtime says so, the model reads it, and sends it again."),
            Option("There is no tool of that name", "The runtime says which ones there are."),
            Option(
                "The second action of a reply is left out",
                "Everything looks well. No message, no log line, no retry tells you that half of the wish was lost.",
                right=True,
            ),
        ),
    ),
    Question(
        "01.q3",
        "The declaration says that `city` is a text and `date` a date. Which call is refused before the tool runs?",
        (
            Option('`{"city": "Beijing City", "date": "2026-09-01"}`', "It is a text. Only the tool knows its cities."),
            Option('`{"city": "Beijing", "date": "yesterday"}`', "`yesterday` has not the form of a date.", right=True),
            Option('`{"city": "Atlantis", "date": "2026-09-01"}`', "A schema knows forms, and no geography."),
            Option(
                '`{"city": "Beijing", "date": "2026-12-24"}`',
                "The form is right. That the table ends earlier is for the tool to say.",
            ),
        ),
    ),
)
