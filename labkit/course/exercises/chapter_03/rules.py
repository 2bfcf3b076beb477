"""Chapter 03: what may be repaired, and what takes two values to judge."""

from __future__ import annotations

import datetime as dt
from typing import Any

from labkit.course.exercise import Case, Exercise, Wanted

UNFENCE = Exercise(
    id="03.4",
    title="Undo a fence, and nothing else",
    names=("unfence",),
    cases=(
        Case(
            "a fence around the whole text is taken off",
            r"""unfence('```json\n{"n": 1}\n```')""",
            '{"n": 1}',
            "Which lines are the fence, and which are the body?",
        ),
        Case(
            "the word behind the fence may be missing",
            r"""unfence('```\n{"n": 1}\n```')""",
            '{"n": 1}',
            "What do all first lines have in common?",
        ),
        Case(
            "blanks and line breaks around the fence mean nothing",
            r"""unfence('\n ```json\n{"n": 1}\n``` \n')""",
            '{"n": 1}',
            "Is there something to take off the text before you look at its lines?",
        ),
        Case(
            "a body of several lines stays as it is",
            r"""unfence('```json\n{\n "n": 1\n}\n```')""",
            '{\n "n": 1\n}',
            "Do you put the lines together again as they were?",
        ),
        Case(
            "a text without a fence is returned as it is",
            r"""unfence('{"n": 1}')""",
            '{"n": 1}',
            "What if the first line is no fence?",
        ),
        Case(
            "without a fence not even a blank is taken off",
            r"""unfence(' {"n": 1}\n')""",
            ' {"n": 1}\n',
            "You return a text. Is it the one that came, or one that you have stripped?",
        ),
        Case(
            "one line can't be both fences",
            r"""unfence('```')""",
            "```",
            "How many lines are a fence that opens and one that closes?",
        ),
        Case(
            "a fence around nothing is no empty call: what was in it may be lost, so hands off",
            r"""unfence('```\n```')""",
            "```\n```",
            "Your function makes an empty text of it, and the parser reads that as no arguments. Were none sent?",
        ),
        Case(
            "arguments beside the first backticks would be lost: hands off",
            r"""unfence('```{"n": 1}\n```')""",
            '```{"n": 1}\n```',
            "Look at what you throw away with the first line. A single word is no loss. And this?",
        ),
        Case(
            "the last fence stands alone on its line, else it may open another one",
            r"""unfence('```\n{"n": 1}\n```json')""",
            '```\n{"n": 1}\n```json',
            "Your last line begins with three backticks. Is there anything behind them?",
        ),
        Case(
            "a fence that never closes may have lost something: hands off",
            r"""unfence('```json\n{"n": 1}')""",
            '```json\n{"n": 1}',
            "What if the last line is no fence? Where could the rest of the text be?",
        ),
        Case(
            "text before the fence: somebody has to choose what counts, so hands off",
            r"""unfence('Here:\n```json\n{"n": 1}\n```')""",
            'Here:\n```json\n{"n": 1}\n```',
            "Do you look for a fence anywhere? Only one around the whole text has one reading.",
        ),
        Case(
            "two fences hold two bodies: hands off",
            r"""unfence('```\n{"n": 1}\n```\n```\n{"n": 2}\n```')""",
            '```\n{"n": 1}\n```\n```\n{"n": 2}\n```',
            "The first and the last line are fences here. What about the lines between?",
        ),
        Case(
            "a fence inside a value belongs to the value",
            r"""unfence('```json\n{"text": "```"}\n```')""",
            '{"text": "```"}',
            "Do you take away every fence that you find? Only a line that begins with one is a fence.",
        ),
        Case(
            "characters of a value stay what they are, U+2028 too",
            r"""unfence('```\n{"text": "a\u2028b"}\n```')""",
            '{"text": "a\u2028b"}',
            'splitlines() knows more line breaks than JSON does. Which way to split keeps all but "\\n"?',
        ),
    ),
    hints=(
        "Look at lines, not at characters: a fence is a line that begins with three backticks.",
        "There is one reading where the first line is a fence with one word or none, the last line is three backticks "
        "alone, and the lines between hold something and no fence. In every other case return the text as it came.",
        'Take `lines = text.strip().split("\\n")`, write the conditions, and join `lines[1:-1]` with `"\\n"`. '
        "`lines[0][3:].strip()` is the word; `isalpha()` says whether it is one.",
    ),
    solution=r'''
def unfence(text):
    """Take off one fence around the whole text, else change nothing."""
    lines = text.strip().split("\n")
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    if fences != [0, len(lines) - 1] or lines[-1] != "```":
        return text
    word = lines[0][3:].strip()
    if word and not word.isalpha():
        return text
    body = "\n".join(lines[1:-1])
    return body if body.strip() else text
''',
)


def _given() -> dict[str, Any]:
    return {"date": dt.date}


def _names(*words: str) -> Wanted:
    """A sentence that holds each of these words."""
    wanted = f"a sentence that names {' and '.join(words)}"
    return Wanted(wanted, lambda value: isinstance(value, str) and all(word in value for word in words))


SPAN = Exercise(
    id="03.3",
    title="A rule over two values",
    names=("span_rule",),
    cases=(
        Case(
            "days in order are fine: None",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": date(2026, 9, 3)})',
            None,
            "What does a check return when the values fit together?",
        ),
        Case(
            "the end may not come before the start; the sentence names both days",
            'span_rule({"start_date": date(2026, 9, 3), "end_date": date(2026, 9, 1)})',
            _names("2026-09-03", "2026-09-01"),
            "Is there a sentence at all? A model has to find both days in it, spelt as it sent them.",
        ),
        Case(
            "one day is a span too",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": date(2026, 9, 1)})',
            None,
            "Is equal the same as before?",
        ),
        Case(
            "without an end there is nothing to compare",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": None})',
            None,
            "The check sees defaults too. What is the default of end_date?",
        ),
        Case(
            "seven days, both included, are allowed",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": date(2026, 9, 7)})',
            None,
            "How many days are from the 1st to the 7th, and what is the difference of the two dates?",
        ),
        Case(
            "ten days are too many; this sentence names both days, too",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": date(2026, 9, 10)})',
            _names("2026-09-01", "2026-09-10"),
            "Is there a sentence, and does it name both days? Dates can be subtracted; `.days` is the difference.",
        ),
        Case(
            "eight days are one too many",
            'span_rule({"start_date": date(2026, 9, 1), "end_date": date(2026, 9, 8)})',
            _names("2026-09-01", "2026-09-08"),
            "`.days` from the 1st to the 8th is 7. How many days are that, if both are counted?",
        ),
        Case(
            "a span may go over the end of a month",
            'span_rule({"start_date": date(2026, 9, 28), "end_date": date(2026, 10, 10)})',
            _names("2026-09-28", "2026-10-10"),
            "Do you subtract the days of the month, or the dates?",
        ),
        Case(
            "the values stay as they are: the tool will get them",
            '[span_rule(values) for values in 2 * [{"start_date": date(2026, 9, 1), "end_date": None}]]',
            [None, None],
            "Does your rule take a value out of the dict, or only look at it?",
        ),
    ),
    hints=(
        "A check returns None, or a sentence. It never raises, and never returns True or False.",
        "Three questions in this order: is there an end at all, is it before the start, is the span too long?",
        "`(end - start).days` is 0 for one day and 6 for seven. Return a sentence where it is below 0, and another "
        "sentence where it is above 6.",
    ),
    solution=r'''
def span_rule(values):
    """Return what is wrong with the two days together, or None."""
    start, end = values["start_date"], values["end_date"]
    if end is None:
        return None
    if end < start:
        return f"end_date {end} is before start_date {start}"
    if (end - start).days > 6:
        return f"{start} to {end} are more than 7 days"
    return None
''',
    given=_given,
)
