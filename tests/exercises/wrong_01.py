"""Tempting wrong answers to the exercises of chapter 01. Each takes the stub cell's place, and each must fail."""

from __future__ import annotations

WRONG: dict[str, tuple[str, ...]] = {
    "01.1": (
        # What v0 does, with capitals.
        r"""
def read_v1(text):
    if found := re.search(r"^Final Answer:(.+)", text, re.M | re.S | re.I):
        return {"answer": found[1].strip()}
    if found := re.search(r"^Action:(.+)\nAction Input:\s*(.*)", text, re.M | re.I):
        return {"name": found[1].strip(), "arguments": found[2]}
    return None
""",
        # Capitals and long inputs, and plain labels only.
        r"""
def read_v1(text):
    text = re.sub(r"^(thought|action input|action|observation|final answer)\b", lambda m: m[0].title(), text,
                  flags=re.M | re.I)
    if found := re.search(r"^Final Answer:(.+)", text, re.M | re.S):
        return {"answer": found[1].strip()}
    if found := re.search(r"^Action:([^\n]+)\n\s*Action Input:(.*?)(?=^[A-Z]\w+:|\Z)", text, re.M | re.S):
        return {"name": found[1].strip(), "arguments": found[2].strip()}
    return None
""",
        # The answer first, wherever it stands; ordinary input may have several lines.
        r"""
BEFORE, AFTER = r"^[^\w\n]*(?:\d+[.)] *)?", r"[ \d*_`]*[:\uff1a][*_`]*"
OF_ALL = r"(?:thought|action|action input|observation|final answer)"

def read_v1(text):
    if found := re.search(BEFORE + "final answer" + AFTER + r"(.+)", text, re.M | re.S | re.I):
        return {"answer": found[1].strip()}
    call = BEFORE + "action" + AFTER + r"([^\n]*)\n\s*" + BEFORE + "action input" + AFTER
    end = r"(.*?)(?=" + BEFORE + OF_ALL + AFTER + r"|\Z)"
    if found := re.search(call + end, text, re.M | re.S | re.I):
        return {"name": found[1].strip().strip("`*"), "arguments": found[2].strip()}
    return None
""",
        # A label counts wherever it stands.
        r"""
LABEL = re.compile(
    r"(thought|action input|action|observation|final answer)[ \d*_`]*[:\uff1a][*_`]*", re.I
)

def read_v1(text):
    _, *found = LABEL.split(text)
    steps = [*zip(found[::2], found[1::2]), ("", "")]
    for (label, body), (after, given) in zip(steps, steps[1:]):
        if label.lower() == "final answer":
            return {"answer": body.strip()}
        if (label.lower(), after.lower()) == ("action", "action input"):
            name = body.strip().strip("`*# -").rstrip("123. \n")
            return {"name": name.strip(), "arguments": given.strip().rstrip("*")}
""",
        # The wide colon is forgotten.
        r"""
LABEL = re.compile(
    r"^[^\w\n]*(?:\d+[.)] *)?(thought|action input|action|observation|final answer)[ \d*_`]*:[*_`]*",
    re.M | re.I,
)

def read_v1(text):
    _, *found = LABEL.split(text)
    steps = [*zip(found[::2], found[1::2]), ("", "")]
    for (label, body), (after, given) in zip(steps, steps[1:]):
        if label.lower() == "final answer":
            return {"answer": body.strip()}
        if (label.lower(), after.lower()) == ("action", "action input"):
            return {"name": body.strip().strip("`*"), "arguments": given.strip()}
""",
    ),
    "01.2": (
        # Round trips in place of requests.
        """
def text_requests(waves):
    return sum(waves)

def structured_requests(waves, most=8):
    return len(waves)
""",
        # No limit for a message.
        """
def text_requests(waves):
    return sum(waves) + 1

def structured_requests(waves, most=8):
    return len(waves) + 1
""",
        # Rounded once, for all waves together.
        """
def text_requests(waves):
    return sum(waves) + 1

def structured_requests(waves, most=8):
    return max(len(waves), -(-sum(waves) // most)) + 1
""",
        # Rounded down.
        """
def text_requests(waves):
    return sum(waves) + 1

def structured_requests(waves, most=8):
    return sum(max(1, calls // most) for calls in waves) + 1
""",
        # A structured call is a request too.
        """
def text_requests(waves):
    return sum(waves) + 1

def structured_requests(waves, most=8):
    return sum(waves) + 1
""",
    ),
    "01.3": (
        # Nothing but the two lines: they are taken right.
        """
mistaken = asked
""",
        # A broken action before it: that is noticed.
        """
mistaken = "Action: get_weather\\nAction Input: {'city': 'Tokyo'}\\n" + asked
""",
        # A made-up observation: the stop sequence helps.
        """
mistaken = asked + "\\nObservation: 35\\nFinal Answer: It will be 35 °C."
""",
        # The two lines on one.
        """
mistaken = asked.replace("\\n", " ") + "\\nFinal Answer: I have asked."
""",
    ),
}
