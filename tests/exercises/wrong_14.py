"""Tempting wrong answers to the exercises of chapter 14: each takes the stub's place, and each must fail."""


def decision(code: str, **changes: object) -> str:
    """The source of an ``on_error`` with one call, right but for the changes."""
    call = {
        "id": "call_8",
        "name": "edit_file",
        "arguments": {"path": "calculator.py", "old": "return n + n", "new": "return n * n"},
    }
    recovery = {code: {"content": "", "tool_calls": [call | changes]}}
    return f"on_error = {recovery!r}\n"


WRONG: dict[str, tuple[str, ...]] = {
    "14.1": (
        # what is read
        'def touched(values):\n    return [values["source"]]\n',
        # what is written
        'def touched(values):\n    return [values["target"]]\n',
        # both, and taken out of the values
        'def touched(values):\n    return values.pop("source"), values.pop("target")\n',
        # the names of the parameters
        "def touched(values):\n    return tuple(values)\n",
        # both in one text
        'def touched(values):\n    return values["source"] + values["target"]\n',
        # nothing: then nothing waits
        "def touched(values):\n    return []\n",
    ),
    "14.2": (
        # only one half
        "def overlap(one, other):\n    return other[0] < one[1]\n",
        # the second must start within the first
        "def overlap(one, other):\n    return one[0] < other[0] < one[1]\n",
        # touching counts
        "def overlap(one, other):\n    return one[0] <= other[1] and other[0] <= one[1]\n",
        # a refused call is forgotten
        "def overlap(one, other):\n    return one[0] < other[1] and other[0] < one[1]\n",
        # zero is taken for nothing
        "def overlap(one, other):\n    if not (one[0] and other[0]):\n        return False\n"
        "    return one[0] < other[1] and other[0] < one[1]\n",
        # a start or an end within the other
        "def overlap(one, other):\n    first, second = sorted([one, other], key=str)\n"
        "    return first[0] < second[0] < second[1] < first[1]\n",
    ),
    "14.3": (
        # under another code
        decision("execution_error"),
        # an id that is taken
        decision("not_found", id="call_6"),
        # the same slip once more
        decision("not_found", arguments={"path": "calculator.py", "old": "?", "new": "return n * n"}),
        # an edit, and not the one that is needed
        decision("not_found", arguments={"path": "calculator.py", "old": "return n + n", "new": "return 2 * n"}),
        # a call where a decision should stand
        'on_error = {"not_found": {"id": "call_8", "name": "edit_file"}}\n',
    ),
}
