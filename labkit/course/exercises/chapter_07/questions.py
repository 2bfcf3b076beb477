"""Three questions of chapter 07: when an answer counts, what messages can't tell, why a correction is a new call."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "07.q1",
        "A `Run` has an `answer` of three good sentences. What do you look at before you show it to a user?",
        (
            Option(
                "Nothing: where there is an answer, the run has ended well.",
                "A reply that was cut off has an answer too, and it is half of one.",
            ),
            Option(
                "`stop_reason`",
                "Only `final_answer` says that the model had finished. At a limit it answers with what it has.",
                right=True,
            ),
            Option(
                "Whether a call has failed.",
                "The run of this chapter has a failed call and a good answer. That is what recovery means.",
            ),
        ),
    ),
    Question(
        "07.q2",
        "Which of these can you tell from the trace, and not from the messages?",
        (
            Option("What a failed call was answered.", "That answer is a message; the model has to read it."),
            Option("How many calls were made.", "The model's messages hold every call."),
            Option(
                "Which of three calls at once was over first, and how long it took.",
                "Start and end stand in the end lines. A message has no times.",
                right=True,
            ),
        ),
    ),
    Question(
        "07.q3",
        "The model has corrected its call. What becomes of the wrong one in the history?",
        (
            Option(
                "It is replaced, so that the model is not misled.",
                "Then its answer would belong to nothing, and the model would forget what it has learnt.",
            ),
            Option(
                "It stays, with its answer; the corrected one is a new call with a new id.",
                "History is what happened. The pair tells the model what not to send again.",
                right=True,
            ),
            Option(
                "It stays, and the corrected call takes over its id.",
                "Two calls with one id can't be told apart by whoever goes by ids.",
            ),
            Option(
                "It stays, and its answer is taken out.",
                "A call without an answer makes the whole list useless for the next request.",
            ),
        ),
    ),
)
