"""Chapter 03: three questions."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "03.q1",
        "Four texts arrive as arguments. Which one may be repaired before it is judged?",
        (
            Option(
                '`{"path": "notes/old` and there the text ends',
                "Every path that begins so could have been meant, and the shortest of them is a folder. Cut text is "
                "refused, and the model sends it again.",
            ),
            Option(
                'a code fence around `{"path": "notes"}`',
                "Take the fence off, and one text is left. No other text could have been meant, so nothing is guessed.",
                right=True,
            ),
            Option(
                '`{"path": "notes", "path": "old"}`',
                "Python's decoder takes the last one, others take the first. Two readings are one too many.",
            ),
            Option(
                "`{path: notes}`",
                'Without quotes, text can\'t be told from a number: `{"n": 1}` and `{"n": "1"}` look alike.',
            ),
        ),
    ),
    Question(
        "03.q2",
        "A model asks for lines 6 to 2. Both numbers are integers and at least 1. Where is this stopped?",
        (
            Option("in the parser", "The text is sound JSON. The parser does not know what the values mean."),
            Option("by the keyword `minimum`", "Each value alone is within its bounds, and a bound sees one value."),
            Option(
                "by the tool's `check`, before the tool runs",
                "A rule over two values needs both of them. It runs after the schema has been kept, so it sees typed "
                "values with their defaults, and its sentence goes back as `invalid_range`.",
                right=True,
            ),
            Option("by the tool itself", "It could. But then every tool invents its own message, and has been run."),
        ),
    ),
    Question(
        "03.q3",
        "Why are defaults filled in after the values have been checked, and not before?",
        (
            Option("It is faster", "The work is the same. It is about who hears what."),
            Option(
                "A default that breaks its own schema would be reported to the model, which never sent it",
                "A problem has to be about something that the model can change. Defaults are the author's.",
                right=True,
            ),
            Option(
                "A default must not be seen by the cross-field rule",
                "It must: the rule compares the values that the tool will get, and comes after the defaults.",
            ),
            Option("Defaults are for the model only", "The tool gets them: it is run with the filled values."),
        ),
    ),
)
