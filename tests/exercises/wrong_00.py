"""Tempting wrong answers to the exercises of chapter 00: each takes the stub's place, and each must fail."""

WRONG: dict[str, tuple[str, ...]] = {
    "00.1": (
        # a pair of messages per decision: right as long as each asks for one tool
        "def messages_at_end(asked):\n    return 2 * len(asked)\n",
        # the task is forgotten
        "def messages_at_end(asked):\n    return len(asked) + sum(asked)\n",
        # the answers of the tools are forgotten
        "def messages_at_end(asked):\n    return 1 + len(asked)\n",
        # every decision is played, also those after the answer
        "def messages_at_end(asked):\n    return 1 + len(asked) + sum(asked)\n",
    ),
    "00.2": (
        # text only
        'def read_both(call):\n    return json.loads(call["arguments"])\n',
        # a dict only
        'def read_both(call):\n    return call["arguments"]\n',
        # JSON taken for Python
        'def read_both(call):\n    arguments = call["arguments"]\n'
        "    return eval(arguments) if isinstance(arguments, str) else arguments\n",
        # the empty text is forgotten
        'def read_both(call):\n    arguments = call["arguments"]\n'
        "    return json.loads(arguments) if isinstance(arguments, str) else arguments\n",
        # broken text becomes a call without arguments
        'def read_both(call):\n    arguments = call["arguments"]\n    if not isinstance(arguments, str):\n'
        "        return arguments\n    try:\n        return json.loads(arguments)\n"
        "    except ValueError:\n        return {}\n",
        # the message is changed
        'def read_both(call):\n    if isinstance(call["arguments"], str):\n'
        '        call["arguments"] = json.loads(call["arguments"] or "{}")\n'
        '    return call["arguments"]\n',
        # whatever goes wrong means no arguments
        'def read_both(call):\n    try:\n        return json.loads(call["arguments"])\n'
        "    except Exception:\n        return {}\n",
    ),
    "00.3": (
        # as it was
        "def run_safe(calls, tools):\n    return [tools[name](**arguments) for name, arguments in calls]\n",
        # the names that there are stay a secret
        "def run_safe(calls, tools):\n    contents = []\n    for name, arguments in calls:\n        try:\n"
        "            contents.append(tools[name](**arguments))\n        except Exception:\n"
        '            contents.append(f"ERROR: {name} failed")\n    return contents\n',
        # the first failure ends the batch
        "def run_safe(calls, tools):\n    contents = []\n    for name, arguments in calls:\n"
        '        if name not in tools:\n            return [f"ERROR: no {name}, but {list(tools)}"]\n'
        "        contents.append(tools[name](**arguments))\n    return contents\n",
        # only the name is looked at
        "def run_safe(calls, tools):\n    contents = []\n    for name, arguments in calls:\n"
        '        known = name in tools\n        error = f"ERROR: no {name}, but {list(tools)}"\n'
        "        contents.append(tools[name](**arguments) if known else error)\n    return contents\n",
        # a KeyError of the tool is taken for an unknown name
        "def run_safe(calls, tools):\n    contents = []\n    for name, arguments in calls:\n        try:\n"
        "            contents.append(tools[name](**arguments))\n        except KeyError:\n"
        '            contents.append(f"ERROR: no {name}, but {list(tools)}")\n'
        "        except Exception:\n"
        '            contents.append(f"ERROR: {name} failed")\n    return contents\n',
        # one text instead of a list
        'def run_safe(calls, tools):\n    return "ERROR: something went wrong"\n',
    ),
}
