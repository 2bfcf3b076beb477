"""Tempting wrong answers to the exercises of chapter 04: each takes the stub's place, and each must fail."""

HEAD = "from labkit import ToolError\nfrom labkit.course.garden_shop import Refused\ndef error_of(problem, tool):\n"
REFUSAL = (
    "    if isinstance(problem, Refused):\n        no = problem.failure\n"
    "        return ToolError(no.code, no.reason, tool, no.suggestion)\n"
)
BY_NAME = "    return ToolError('execution_error', f'it raised {type(problem).__name__}', tool)\n"

WRONG: dict[str, tuple[str, ...]] = {
    "04.1": (
        # a dict, as in the part by hand
        HEAD + '    return {"code": "execution_error", "message": type(problem).__name__, "tool": tool}\n',
        # the text travels, as in the stub
        HEAD + REFUSAL + '    return ToolError("execution_error", f"it raised {problem!r}", tool)\n',
        # what looks like a key is cut off, the path is not
        HEAD + REFUSAL + '    message = str(problem).partition("token")[0]\n'
        '    return ToolError("execution_error", message, tool)\n',
        # harmless texts are let through
        HEAD + REFUSAL + '    message = "it broke" if "/" in str(problem) else str(problem)\n'
        '    return ToolError("execution_error", message, tool)\n',
        # nothing at all is said
        HEAD + REFUSAL + '    return ToolError("execution_error", "it failed", tool)\n',
        # the type of an exception is taken for the kind of a failure
        HEAD + REFUSAL + '    code = "not_found" if isinstance(problem, OSError) else "execution_error"\n'
        "    return ToolError(code, type(problem).__name__, tool)\n",
        # a refusal is an exception like any other
        HEAD + BY_NAME,
        # every refusal has the same code
        HEAD + REFUSAL.replace("no.code", "'failed'") + BY_NAME,
        # the reason is dressed up
        HEAD + REFUSAL.replace("no.reason", "f'refused: {no.reason}'") + BY_NAME,
        # the next step is lost
        HEAD + REFUSAL.replace(", no.suggestion", "") + BY_NAME,
        # where nothing was suggested, something is made up
        HEAD + REFUSAL.replace("no.suggestion", "no.suggestion or 'try again'") + BY_NAME,
    ),
    "04.2": (
        # whatever is not ok is a failed call
        'def next_step(result):\n    return "go on" if result.ok else "another call"\n',
        # whatever is not ok is bad news
        'def next_step(result):\n    return "go on" if result.ok else "another change"\n',
        # the text decides
        "def next_step(result):\n    if result.ok:\n        return 'go on'\n"
        "    return 'another call' if 'ERROR' in result.content else 'another change'\n",
        # the beginning of the text decides
        "def next_step(result):\n    if result.content.startswith('ERROR'):\n        return 'another call'\n"
        "    return 'another change' if not result.ok else 'go on'\n",
        # the name of the tool decides
        "def next_step(result):\n    if result.ok:\n        return 'go on'\n"
        "    return 'another change' if result.name == 'run_test' else 'another call'\n",
        # only test runners bring bad news
        "def next_step(result):\n    if result.error is not None:\n        return 'another call'\n"
        "    return 'another change' if 'AssertionError' in result.content else 'go on'\n",
        # a result without an error is a good one
        "def next_step(result):\n    return 'go on' if result.error is None else 'another call'\n",
    ),
    "04.3": (
        # codes in place of layers
        "def by_layer(results):\n    counted = {}\n    for r in results:\n        if r.error:\n"
        "            counted[r.error.code] = counted.get(r.error.code, 0) + 1\n    return counted\n",
        # whatever is not ok has a layer
        "def by_layer(results):\n    counted = {}\n    for r in results:\n        if not r.ok:\n"
        "            layer = ErrorCode(r.error.code).layer if r.error else 'execution'\n"
        "            counted[layer] = counted.get(layer, 0) + 1\n    return counted\n",
        # every code is an ErrorCode
        "def by_layer(results):\n    counted = {}\n    for r in results:\n        if r.error:\n"
        "            counted[r.error.code.layer] = counted.get(r.error.code.layer, 0) + 1\n    return counted\n",
        # what is counted is taken out of the list
        "def by_layer(results):\n    counted = {}\n    while results:\n        r = results.pop(0)\n"
        "        if r.error:\n            layer = ErrorCode(r.error.code).layer\n"
        "            counted[layer] = counted.get(layer, 0) + 1\n    return counted\n",
        # a layer counts once
        "def by_layer(results):\n    return {ErrorCode(r.error.code).layer: 1 for r in results if r.error}\n",
        # layers without a failure are kept
        "def by_layer(results):\n    counted = dict.fromkeys(('transport', 'contract', 'execution', 'control'), 0)\n"
        "    for r in results:\n        if r.error:\n            counted[ErrorCode(r.error.code).layer] += 1\n"
        "    return counted\n",
        # the code is read out of the text
        "import re\ndef by_layer(results):\n    counted = {}\n    for r in results:\n"
        "        found = re.match(r'ERROR \\[(\\w+)\\]', r.content)\n        if found:\n"
        "            layer = ErrorCode(found[1]).layer\n            counted[layer] = counted.get(layer, 0) + 1\n"
        "    return counted\n",
    ),
}
