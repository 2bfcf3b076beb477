"""The five labels of the protocol, and the lines of a text that begin with one of them or with something like it.

Pure. Does not: read a reply; ``reading`` does, and knows nothing of what only looks like a label.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

THOUGHT, ACTION, INPUT = "Thought", "Action", "Action Input"
OBSERVATION, ANSWER = "Observation", "Final Answer"
COLONS = ":\uff1a\ufe55"
LABELS = (THOUGHT, ACTION, INPUT, OBSERVATION, ANSWER)

OTHER_WORDS = {
    THOUGHT: (
        "reasoning, gedanke, überlegung, pensée, réflexion, pensamiento, pensiero, мысль, размышление, 思考, 想法, 考え"
    ),
    ACTION: "tool, function, tool call, aktion, acción, azione, ação, действие, 行动, 动作, 行動",
    INPUT: (
        "input, tool input, arguments, args, parameters, aktion eingabe, aktionseingabe, eingabe, entrée, "
        "entrée de l'action, entrada, entrada de acción, entrada de la acción, input azione, ввод, ввод действия, "
        "входные данные, 行动输入, 动作输入, 输入, 行動入力, 入力"
    ),
    OBSERVATION: (
        "result, tool result, beobachtung, ergebnis, résultat, observación, osservazione, наблюдение, 观察, 観察"
    ),
    ANSWER: (
        "answer, final, final response, antwort, endgültige antwort, réponse, réponse finale, respuesta, "
        "respuesta final, risposta finale, ответ, окончательный ответ, 最终答案, 答案, 最終回答, 回答"
    ),
}
_MEANT = {word.casefold(): label for label in LABELS for word in (label, *OTHER_WORDS[label].split(", "))}


class Mark(NamedTuple):
    """A line that begins with a label, or nearly. A value.

    ``label`` is the one that is meant; ``start`` and ``end`` are characters of the text, the colon included.
    ``drift`` is empty for a label as it should be, else ``case``, ``decoration``, ``colon`` or ``word``.
    """

    label: str
    start: int
    end: int
    drift: str = ""


def marks(text: str) -> list[Mark]:
    """Return the lines that begin with a label, or with what was meant as one, from top to bottom."""
    found = (_mark(line) for line in _LIKE_A_LABEL.finditer(text))
    return [mark for mark in found if mark is not None]


# Ornament, perhaps a number, a word or two, perhaps a number or ornament, a colon: "**Action 1:**".
_LIKE_A_LABEL = re.compile(
    r"^(?P<before>(?:[^\w\n]|_){0,12}(?:\d{1,2}[.)][^\w\n]{0,4})?)"
    r"(?P<word>[^\W\d_](?:[\w' \u2019-]{0,24}?[^\W\d_])?)"
    r"(?P<after>[ \t*_`\d]{0,6})(?P<colon>[:\uff1a\ufe55])",
    re.M,
)


def _mark(line: re.Match[str]) -> Mark | None:
    word = line["word"]
    label = _MEANT.get(" ".join(unicodedata.normalize("NFC", word).replace("\u2019", "'").casefold().split()))
    if label is None:
        return None
    return Mark(label, line.start("word"), line.end(), _drift(line, label))


def _drift(line: re.Match[str], label: str) -> str:
    """Name what keeps a line from being a label: the first that holds."""
    word = line["word"]
    if word.casefold() != label.casefold():
        return "word"
    if word != label:
        return "case"
    if line["before"] or line["after"]:
        return "decoration"
    return "" if line["colon"] == ":" else "colon"
