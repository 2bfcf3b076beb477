"""The whole agent in plain lines, as chapter 00 writes it: three tools, four steps, one loop.

Every later chapter replaces one step. The chapter and this file hold the same source; a test compares them.

Does not: survive anything. What breaks it is the subject of the course.
"""

import subprocess
import sys
from functools import partial


def read_file(folder, path):
    """Return the text of a file."""
    return (folder / path).read_text()


def edit_file(folder, path, old, new):
    """Replace a piece of text in a file."""
    text = (folder / path).read_text()
    (folder / path).write_text(text.replace(old, new))
    return "edited"


def run_test(folder):
    """Run the tests of the folder and return how they ended."""
    command = [sys.executable, "-B", "-m", "unittest"]
    ended = subprocess.run(command, cwd=folder, capture_output=True)
    return f"EXIT {ended.returncode}"


def tools_of(folder):
    """Return the tools by name, each bound to the folder."""
    tools = [read_file, edit_file, run_test]
    return {tool.__name__: partial(tool, folder) for tool in tools}


def ask(script, messages):
    """Return the model's next message; our model plays a script."""
    played = sum(m["role"] == "assistant" for m in messages)
    return {"role": "assistant", **script["decisions"][played]}


def read(call):
    """Return the arguments of a call."""
    return call["arguments"]


def run(calls, tools):
    """Run the calls one by one and return what they said."""
    return [tools[name](**arguments) for name, arguments in calls]


def answer(call, content):
    """Return the message that tells the model what a call said."""
    return {
        "role": "tool",
        "content": content,
        "tool_call_id": call["id"],
    }


def loop(script, tools, ask=ask, read=read, run=run, answer=answer):
    """Ask, run, append, repeat; return all messages."""
    messages = [{"role": "user", "content": script["task"]}]
    while True:
        messages.append(ask(script, messages))
        calls = messages[-1].get("tool_calls")
        if not calls:
            return messages
        results = run([(c["name"], read(c)) for c in calls], tools)
        for call, content in zip(calls, results, strict=True):
            messages.append(answer(call, content))
