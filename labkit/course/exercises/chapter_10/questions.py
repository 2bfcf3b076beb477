"""Chapter 10: three questions."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "10.q1",
        "A stream ends without a finish reason. The arguments of its only call are a complete object. What is run?",
        (
            Option(
                "the call: its arguments are complete",
                "They are, and the reply is not: nobody said that it had ended. Another call may have been on its way, "
                "or a sentence that takes this one back.",
            ),
            Option(
                "nothing: the reply is not whole",
                "Nothing of it is used. The run ends with a reason, its history is as it was, and one can ask again.",
                right=True,
            ),
            Option(
                "the call, if its tool only reads",
                "It may be at work by then, if early dispatch is on. Its result is not used, and the trace says so.",
            ),
        ),
    ),
    Question(
        "10.q2",
        "Two pieces come, both with index 0. The second has another id, a name and an empty text. What is it?",
        (
            Option(
                "the next piece of the same call: the index says so",
                "That is what the naive reader thinks, and it glues two calls into one.",
            ),
            Option(
                "a mistake of the server: the stream is given up",
                "It breaks a promise, and it is clear what was meant. To give up here would be to give up every reply "
                "of that server that asks for two things.",
            ),
            Option(
                "the beginning of another call",
                "A call keeps its id. A header with another id, and a name, opens a new call, whatever the index says.",
                right=True,
            ),
        ),
    ),
    Question(
        "10.q3",
        "Why does an order not start early, although its arguments are complete?",
        (
            Option(
                "the reply may still be thrown away, and an order can't be",
                "A read that was for nothing costs a little time. What an order has done stays done.",
                right=True,
            ),
            Option(
                "its arguments may still change",
                "A complete object can't grow. That holds for an order as for a read.",
            ),
            Option(
                "it would be slower",
                "It would be faster. That is not the question.",
            ),
        ),
    ),
)
