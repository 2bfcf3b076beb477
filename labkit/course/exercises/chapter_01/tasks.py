"""The three exercises of chapter 01: a reader that survives drift, requests counted, a reply that is taken wrong."""

from __future__ import annotations

from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted
from labkit.course.transcripts import drift, not_right, taken, transcript, verdict
from labkit.models.text_protocol import cut

CAIRO = {"name": "get_weather", "arguments": {"city": "Cairo", "date": "2026-09-03"}}
ASKED = 'Action: get_weather\nAction Input: {"city": "Cairo", "date": "2026-09-03"}'


def _given() -> dict[str, Any]:
    names = {"drift": drift, "not_right": not_right, "transcript": transcript}
    names |= {"taken": taken, "verdict": verdict, "cut": cut}
    return {**names, "asked": ASKED, "meant": (CAIRO,)}


def _call(city: str, day: int) -> dict[str, Any]:
    return {"name": "get_weather", "arguments": f'{{"city": "{city}", "date": "2026-09-0{day}"}}'}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


READER = Exercise(
    id="01.1",
    title="A reader that survives drift",
    names=("read_v1",),
    cases=(
        Case(
            "an ordinary call is read",
            'read_v1(transcript("ordinary_1").text)',
            _call("Beijing", 1),
            "The start reads it. What has changed since? Go back one step.",
        ),
        Case(
            "all ordinary replies are read, with blank lines, inputs of several lines, and lines that end in \\r\\n",
            'not_right(read_v1, "ordinary")',
            [],
            "Look at one of these: transcript(id).text is its text. Which signs does a `.` not stand for?",
        ),
        Case(
            "capitals do not count",
            'read_v1(transcript("other_capitals_1").text)',
            _call("Berlin", 1),
            "How is a regular expression told that capitals do not matter?",
        ),
        Case(
            "stars, signs and numbers around a label do not count",
            'not_right(read_v1, "ornament")',
            [],
            "Look at one of these under the microscope. What may stand before a label, after it, and around the name?",
        ),
        Case(
            "a wide colon is a colon",
            'read_v1(transcript("other_words_6").text)',
            {"answer": "相差 4.7 °C。"},
            'The wide colon is written "\\uff1a". Where does your expression expect a colon?',
        ),
        Case(
            "a blank may stand before the colon",
            'read_v1(transcript("other_words_3").text)',
            _call("London", 4),
            "What may stand between the word of a label and its colon?",
        ),
        Case(
            "what stands first counts: an action before an answer is taken",
            'read_v1(transcript("invented_observation_2").text)',
            _call("Cairo", 3),
            "In which order do you look for the answer and for the action? Which of them comes first in the text?",
        ),
        Case(
            "an input ends where the next label begins",
            'read_v1(transcript("two_actions_1").text)',
            _call("Beijing", 1),
            "How far does your expression go after the label of the input?",
        ),
        Case(
            "an answer runs to the end of the text",
            'read_v1("Final Answer: Two lines:\\nAction: calc")',
            {"answer": "Two lines:\nAction: calc"},
            "What ends an input must not end an answer. Which of the two do you look at?",
        ),
        Case(
            "an input belongs to the action right above it",
            'read_v1("Action: calc\\nThought: no\\nAction: run_test\\nAction Input: {}")',
            {"name": "run_test", "arguments": "{}"},
            "Which action does your function pair with the input? An action without one is no call.",
        ),
        Case(
            "a label inside a line is no label",
            'read_v1(transcript("label_inside_2").text)',
            {"name": "search_text", "arguments": '{"query": "Final Answer:"}'},
            "What ties an expression to the beginning of a line?",
        ),
        Case(
            "where there is neither an action nor an answer, there is nothing",
            'read_v1("Thought: I take action: later")',
            None,
            "What does your function return when its search finds nothing?",
        ),
    ),
    hints=(
        "All five labels drift in the same way, and `label` is the one place that says what a label looks like. Mend "
        "it first; then see what is left.",
        "Before the word: ornament, perhaps a number. After it: blanks, a number, ornament, one of two colons. "
        "Capitals are a flag. An input goes over lines, as the answer does, up to a look-ahead: (?=…) for a label.",
        'To take what stands first, search once, for one expression or the other: f"{final}|{action}{given}". Name '
        "the groups, as in (?P<answer>…), and see which of them was found. The input is ([\\s\\S]*?) before a label or "
        "the end of the text.",
    ),
    solution=r'''
def read_v1(text):
    """Return the answer or the call, whichever comes first, or None."""
    label = r"^[^\w\n]*(?:\d+[.)] *)?(?:%s)[ \d*_`]*[:\uff1a][*_`]*"
    labels = "Thought|Action|Action Input|Observation|Final Answer"
    final = label % "Final Answer" + r"(?P<answer>[\s\S]+)"
    action = label % "Action" + r"(?P<name>.+)\s*"
    given = label % "Action Input" + r"(?P<given>[\s\S]*?)"
    given += rf"(?={label % labels}|\Z)"
    found = re.search(f"{final}|{action}{given}", text, re.M | re.I)
    if not found:
        return None
    if found["answer"]:
        return {"answer": found["answer"].strip()}
    name = found["name"].strip().strip("`*")
    return {"name": name, "arguments": found["given"].strip()}
''',
    given=_given,
)

REQUESTS = Exercise(
    id="01.2",
    title="How often is the model asked?",
    names=("text_requests", "structured_requests"),
    cases=(
        Case(
            "the weather task in text: three calls, and then the answer",
            "text_requests([2, 1])",
            4,
            "Count in the run above: is the answer a request too?",
        ),
        Case(
            "the weather task with structured calls: two waves, and then the answer",
            "structured_requests([2, 1])",
            3,
            "How many messages does it take to send the calls of one wave?",
        ),
        Case(
            "a task without tools is one request",
            "(text_requests([]), structured_requests([]))",
            (1, 1),
            "Nothing is asked of a tool. What is left?",
        ),
        Case(
            "where each call waits for the one before, both cost the same",
            "(text_requests([1, 1, 1]), structured_requests([1, 1, 1]))",
            (4, 4),
            "A wave of one call gains nothing. Which part of your formula says otherwise?",
        ),
        Case(
            "twenty calls of one wave take three messages: 8, 8 and 4",
            "structured_requests([20])",
            4,
            "How many messages of at most `most` calls does a wave of 20 need? Mind the last one.",
        ),
        Case(
            "a message that is just full needs no second one",
            "structured_requests([8, 16])",
            4,
            "What does your division say of 8 calls, and what of 9?",
        ),
        Case(
            "the calls of two waves never share a message",
            "structured_requests([9, 1, 6])",
            5,
            "Do you round for each wave, or only once, for all of them together?",
        ),
        Case(
            "the limit can be another one",
            "structured_requests([3, 2], most=1)",
            6,
            "With one call a message this is the text protocol. Do you use `most`?",
        ),
    ),
    hints=(
        "Go through the run of the weather task, request by request, and write down what each one was for.",
        "Every call is a request in text. In a structured message there is room for a whole wave, up to `most` calls.",
        "-(-calls // most) is a division that rounds up. Add it up over the waves, and do not forget the answer.",
    ),
    solution='''
def text_requests(waves):
    """Return how often a model is asked in the text protocol."""
    return sum(waves) + 1


def structured_requests(waves, most=8):
    """Return how often a model is asked with structured calls."""
    return sum(-(-calls // most) for calls in waves) + 1
''',
)

MISTAKEN = Exercise(
    id="01.3",
    title="Break it: a reply that is taken wrong",
    names=("mistaken",),
    cases=(
        Case("it is a text", "mistaken", Wanted("a text", _is_text), "Put your reply between three quotation marks."),
        Case(
            "it asks for Cairo in two flawless lines",
            "asked in mistaken",
            True,
            "Both lines of `asked` have to stand in it, one right under the other, to the letter.",
        ),
        Case(
            "no made-up observation is needed",
            '"Observation" in mistaken',
            False,
            "The stop sequence would cut your reply there. Which fault does it not help against?",
        ),
        Case(
            "the reader takes something from it",
            "taken(cut(mistaken)) is None",
            False,
            "Nothing taken would be noticed. What could be taken in place of your two lines?",
        ),
        Case(
            "what it takes is not the call for Cairo, and nobody notices",
            "verdict(taken(cut(mistaken)), meant)",
            "WRONG",
            "`right`: what does the reader look for before your two lines? `missed`: is what it takes in good order?",
        ),
    ),
    hints=(
        "The reader takes one thing from a reply. Which of the WRONG rows above were not about observations?",
        "The first action wins, and an answer wins over every action, wherever it stands.",
        "Let the writer first try something else in good form, think better of it, and then ask for Cairo.",
    ),
    solution='''
first = """Thought: Tokyo first, or rather not.
Action: get_weather
Action Input: {"city": "Tokyo", "date": "2026-09-03"}
Thought: No, the user asked about Cairo only.
"""
mistaken = first + asked
''',
    given=_given,
)
