"""Chapter 08: three questions."""

from __future__ import annotations

from labkit.course.quiz import Option, Question

QUIZ: tuple[Question, ...] = (
    Question(
        "08.q1",
        "A model has asked for three files, and the turn limit is reached. What comes next in the list of messages?",
        (
            Option(
                "the closing question, and the three calls are left as they are",
                "Then three calls stand there without an answer. A server that checks pairs refuses the whole request.",
            ),
            Option(
                "three answers, then the closing question",
                "First every call is answered, by its tool or by a refusal. Then a question can be asked.",
                right=True,
            ),
            Option(
                "nothing: the loop returns what it has",
                "What it has is no answer. The results were paid for, and the model has not even read the last ones.",
            ),
            Option(
                "the closing question, with the model's message taken out again",
                "That would be a valid list, but not what happened: the model asked, and the history should say so.",
            ),
        ),
    ),
    Question(
        "08.q2",
        "`run_test` came back with the same `EXIT 1` three times, with a different edit before each. What is the guard "
        "to do?",
        (
            Option(
                "ban run_test: it has failed three times",
                "It has not failed at all. The tests did not pass, which is a result, and each edit made it news.",
            ),
            Option(
                "ban this pair of tool and arguments: three equal rounds",
                "Equal they are, but each edit that worked may have changed the world, so the count began anew.",
            ),
            Option(
                "nothing: after a change an equal result is news",
                "The guard counts equal rounds since the last change. Here it never gets beyond one.",
                right=True,
            ),
            Option(
                "ban edit_file: the edits do not help",
                "The guard does not judge whether an edit was a good one. Nobody could, from these results.",
            ),
        ),
    ),
    Question(
        "08.q3",
        "Which of these runs will the guard *not* stop?",
        (
            Option(
                "a, b, a, b, a, b: two calls in turn, both failing in the same way",
                "Rounds need not follow each other. Each of the two is counted, and banned after its second failure.",
            ),
            Option(
                "one search, with its keys in another order each time",
                "Arguments are compared in one spelling, so it is one pair, with one count.",
            ),
            Option(
                "a tool that does not exist, asked for again and again",
                "The refusal is a failed round like any other. After two of them the call is banned.",
            ),
            Option(
                "an edit that is made and undone, made and undone",
                "Every step changes something, so nothing is ever counted. Only the turn limit ends this one.",
                right=True,
            ),
        ),
    ),
)
