"""09.3: what to do with a reply, told by what is in it."""

from __future__ import annotations

from typing import Any

from labkit.calls import ToolCall
from labkit.course.exercise import Case, Exercise
from labkit.models.base import ModelReply

CALL = (ToolCall("call_1", "look", "{}"),)


def replies() -> dict[str, Any]:
    """Return what the cases use beside the learner's names; the chapter defines it, too."""
    return {"CALL": CALL, "ModelReply": ModelReply}


WHAT_NOW = Exercise(
    id="09.3",
    title="What to do with a reply",
    names=("what_now",),
    cases=(
        Case(
            "text without calls is the answer",
            'what_now(ModelReply("Done."))',
            "answer",
            "The plainest reply there is.",
        ),
        Case(
            "calls are run",
            'what_now(ModelReply("I look.", CALL, "tool_calls"))',
            "run",
            "There is text as well as a call. Which of the two decides?",
        ),
        Case(
            "also where the reason says that the model has stopped",
            'what_now(ModelReply("I look.", CALL, "stop"))',
            "run",
            "Some servers say `stop` beside calls. Look at the calls.",
        ),
        Case(
            "also where the reason is a word that you do not know",
            'what_now(ModelReply("", CALL, "function_call"))',
            "run",
            "Servers have words of their own. Which words do you have to know?",
        ),
        Case(
            "a reason that promises calls makes none",
            'what_now(ModelReply("Done.", (), "tool_calls"))',
            "answer",
            "There is nothing to run here, whatever the reason says.",
        ),
        Case(
            "nor does a text need a reason that you know",
            'what_now(ModelReply("Done.", (), "end_turn"))',
            "answer",
            "No call, no refusal, and nothing was cut off. Do you ask for `stop`?",
        ),
        Case(
            "a reply that was cut off is not run",
            'what_now(ModelReply("I look.", CALL, "length"))',
            "cut off",
            "What looks whole may have been meant to be longer. Here the reason does count.",
        ),
        Case(
            "and its text is no answer",
            'what_now(ModelReply("The three reasons are", (), "length"))',
            "cut off",
            "Half a sentence was never the answer.",
        ),
        Case(
            "a refusal is no answer",
            'what_now(ModelReply("", (), "stop", None, "I can\'t help with that."))',
            "declined",
            "There is no call and no text. Where does the model say no?",
        ),
        Case(
            "a refusal is one, also beside a call",
            'what_now(ModelReply("", CALL, "stop", None, "I can\'t help with that."))',
            "declined",
            "The field `refusal` says it in the model's words.",
        ),
        Case(
            "what a filter withheld is neither run nor an answer",
            '[what_now(ModelReply("First", calls, "content_filter")) for calls in ((), CALL)]',
            ["declined", "declined"],
            "Here it is the reason that says it, with calls and without, and whatever of the text came through.",
        ),
        Case(
            "a refusal that was cut off is still a refusal",
            'what_now(ModelReply("", (), "length", None, "I can\'t"))',
            "declined",
            "Asking again for the rest of a refusal leads nowhere. Which do you look at first?",
        ),
    ),
    hints=(
        "Three questions, in the right order. Only two words of `finish_reason` matter at all.",
        "First: was it declined? Then: was it cut off? Then: are there calls?",
        '`reply.refusal or reply.finish_reason == "content_filter"` comes first, then "length", then '
        "`reply.tool_calls`; what is left is an answer.",
    ),
    solution='''
def what_now(reply):
    """Return run, answer, cut off, or declined."""
    if reply.refusal or reply.finish_reason == "content_filter":
        return "declined"
    if reply.finish_reason == "length":
        return "cut off"
    return "run" if reply.tool_calls else "answer"
''',
    given=replies,
)
