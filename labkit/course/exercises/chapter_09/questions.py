"""Chapter 09: three questions."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "09.q1",
        "A request has timed out, and nobody knows whether the server has worked on it. What is safe to do again?",
        (
            Option(
                "nothing: whatever timed out may have happened",
                "For a tool that writes, that is so. A request to the model changes nothing on our side: it only asks.",
            ),
            Option(
                "the request to the model: no call of its reply has been run",
                "Asking twice costs tokens at most. Calls are run only once a reply is there, and they are run once.",
                right=True,
            ),
            Option(
                "the whole run, from the task on",
                "Then calls that were run already would be run again, the edit and the mail among them.",
            ),
            Option(
                "the tool calls of the turn before, to be sure that their results are right",
                "Their results stand in the history. Running them again may do their work twice.",
            ),
        ),
    ),
    Question(
        "09.q2",
        "The server answers 400: a call has no answer. What helps?",
        (
            Option(
                "to wait, and to send the same request again",
                "The same request breaks the same rule. That is why neither the SDK nor labkit repeats a 400.",
            ),
            Option(
                "to take the model's message out of the history",
                "Then the history no longer says what happened, and the answers to its other calls are orphans.",
            ),
            Option(
                "to send another text for the same history, one in which the call is answered",
                "The history stays what happened. What is sent says honestly that no result was kept.",
                right=True,
            ),
            Option(
                "to answer the call with an empty text",
                "The server would take it. The model would read that the tool had worked and found nothing.",
            ),
        ),
    ),
    Question(
        "09.q3",
        "In turn 1 there is a call with the id `call_1`, and in turn 2 another one with the same id. Who refuses that?",
        (
            Option(
                "both wires: an id stands for one call",
                "In chat completions an answer belongs to the message right before it, so ids may come again.",
            ),
            Option(
                "chat completions only",
                "It is the other way round: there an answer is looked for in one turn only.",
            ),
            Option(
                "the Responses API only",
                "There calls and answers are items of one long list, matched by `call_id`. Try it in the lab.",
                right=True,
            ),
            Option(
                "neither, since ids are labels",
                "Labels they are, and order is position. But one of the wires has nothing else to match by.",
            ),
        ),
    ),
)
