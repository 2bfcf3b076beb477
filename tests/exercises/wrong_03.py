"""Tempting wrong answers to the exercises of chapter 03. Each takes the stub cell's place, and each must fail."""

from __future__ import annotations

WRONG: dict[str, tuple[str, ...]] = {
    "03.1": (
        """
def enum_rule(schema, value, path):
    for choice in schema["enum"]:
        if isinstance(choice, bool) == isinstance(value, bool) and choice == value:
            return []
    return Problem(path, "enum", f"must be one of {schema['enum']}")
""",
        """
def enum_rule(schema, value, path):
    choices = schema["enum"]
    while choices:
        choice = choices.pop(0)
        if isinstance(choice, bool) == isinstance(value, bool) and choice == value:
            return []
    return [Problem(path, "enum", "must be one of paid, unpaid")]
""",
        """
def enum_rule(schema, value, path):
    if value in schema["enum"]:
        return []
    return [Problem(path, "enum", f"must be one of {schema['enum']}")]
""",
        """
def enum_rule(schema, value, path):
    for choice in schema["enum"]:
        if type(choice) is type(value) and choice == value:
            return []
    return [Problem(path, "enum", f"must be one of {schema['enum']}")]
""",
        """
def enum_rule(schema, value, path):
    choices = set(schema["enum"])
    if value in choices and not isinstance(value, bool):
        return []
    return [Problem(path, "enum", f"must be one of {schema['enum']}")]
""",
        """
def enum_rule(schema, value, path):
    if isinstance(value, bool) != any(isinstance(c, bool) for c in schema["enum"]):
        return [Problem(path, "enum", "is not allowed")]
    return [] if value in schema["enum"] else [Problem(path, "enum", "is not allowed")]
""",
    ),
    "03.2": (
        """
def items_rule(schema, value, path):
    problems, number = [], 0
    while isinstance(value, list) and value:
        problems += find_problems(schema["items"], value.pop(0), join(path, number))
        number += 1
    return problems
""",
        """
def items_rule(schema, value, path):
    items = value if isinstance(value, list) else []
    found = [find_problems(schema["items"], item, join(path, n)) for n, item in enumerate(items)]
    return [problems for problems in found if problems]
""",
        """
def items_rule(schema, value, path):
    problems = []
    for number, item in enumerate(value):
        problems += find_problems(schema["items"], item, join(path, number))
    return problems
""",
        """
def items_rule(schema, value, path):
    if isinstance(value, list):
        for number, item in enumerate(value):
            if found := find_problems(schema["items"], item, join(path, number)):
                return found
    return []
""",
        """
def items_rule(schema, value, path):
    problems = []
    for item in value if isinstance(value, list) else []:
        problems += find_problems(schema["items"], item, path)
    return problems
""",
        """
def items_rule(schema, value, path):
    problems = []
    for number, item in enumerate(value if isinstance(value, list) else []):
        problems += find_problems(schema["items"], item, f"{path}.{number}")
    return problems
""",
    ),
    "03.4": (
        """
def unfence(text):
    lines = text.strip().split("\\n")
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    word = lines[0][3:].strip()
    if fences != [0, len(lines) - 1] or lines[-1] != "```" or (word and not word.isalpha()):
        return text
    return "\\n".join(lines[1:-1])
""",
        """
def unfence(text):
    return text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
""",
        """
import re

def unfence(text):
    found = re.search(r"```[a-z]*\\n(.*?)\\n```", text, re.DOTALL)
    return found[1] if found else text
""",
        """
def unfence(text):
    lines = text.strip().splitlines()
    if lines[0].startswith("```") and lines[-1] == "```":
        return "\\n".join(lines[1:-1])
    return text
""",
        """
def unfence(text):
    lines = text.strip().splitlines()
    if text.count("```") == 2 and lines[0].startswith("```") and lines[-1] == "```":
        return "\\n".join(lines[1:-1])
    return text
""",
    ),
    "03.3": (
        """
def span_rule(values):
    start, end = values["start_date"], values.pop("end_date")
    if end is not None and end < start:
        return f"end_date {end} is before start_date {start}"
    if end is not None and (end - start).days > 6:
        return f"{start} to {end} are more than 7 days"
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    if end is not None and end < start:
        return f"end_date {end:%d.%m.%Y} is before start_date {start:%d.%m.%Y}"
    if end is not None and (end - start).days > 6:
        return f"{start} to {end} are more than 7 days"
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    if end < start:
        return f"end_date {end} is before start_date {start}"
    if (end - start).days > 6:
        return f"{start} to {end} are more than 7 days"
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    if end is not None and end <= start:
        return f"end_date {end} is before start_date {start}"
    if end is not None and (end - start).days > 6:
        return f"{start} to {end} are more than 7 days"
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    if end is not None and end < start:
        return f"end_date {end} is before start_date {start}"
    if end is not None and (end - start).days >= 6:
        return f"{start} to {end} are more than 7 days"
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    return end is None or (start <= end and (end - start).days <= 6)
""",
        """
def span_rule(values):
    start, end = values["start_date"], values["end_date"]
    if end is not None and end < start:
        return "the end is before the start"
    return None
""",
    ),
}
