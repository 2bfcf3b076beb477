"""Tempting wrong answers to the exercises of chapter 11: each takes the stub's place, and each must fail."""

from __future__ import annotations

IS_CALL = (
    "def is_call(call):\n"
    "    if not isinstance(call, dict) or set(call) != {'name', 'arguments'}:\n        return False\n"
    "    return isinstance(call['name'], str) and isinstance(call['arguments'], dict)\n"
)
READ = (
    IS_CALL + "def read_envelope(text):\n"
    "    try:\n        said = parse_arguments(text)\n    except CallRefused:\n        return None\n"
    "    calls = said.get('tool_calls')\n"
    "    keys = set(said) - {'thought'}\n"
    "    if not isinstance(said.get('thought', ''), str):\n        return None\n"
    "    if keys == {'answer'}:\n"
    "        return said if isinstance(said['answer'], str) and said['answer'] else None\n"
    "    if keys == {'tool_calls'}:\n"
    "        return said if isinstance(calls, list) and calls and all(map(is_call, calls)) else None\n"
    "    return None\n"
)
PARSED = "        said = parse_arguments(text)\n"
FENCE = "import json\nimport re\n"
LIST = "isinstance(calls, list) and calls and "
NAMED = "return isinstance(call['name'], str) and isinstance(call['arguments'], dict)"

SCHEMA = (
    "def envelope_of(tools):\n"
    "    calls = [closed(name={'const': n}, arguments=p) for n, p in tools.items()]\n"
    "    asked = {'type': 'array', 'minItems': 1, 'items': {'anyOf': calls}}\n"
    "    answer = {'type': 'string', 'minLength': 1}\n"
    "    return {'anyOf': [closed(tool_calls=asked), closed(answer=answer)]}\n"
)
CALLS = "[closed(name={'const': n}, arguments=p) for n, p in tools.items()]"
OPENED = (
    "def opened(**properties):\n    return {'type': 'object', 'properties': properties, 'required': list(properties)}\n"
)

JUDGED = (
    "def judged(reply, wanted):\n"
    "    try:\n        said = parse_arguments(reply) if '{' in reply else None\n"
    "    except CallRefused:\n        said = None\n"
    "    if said is None:\n        return False, False, False, False\n"
    "    name, arguments = said.get('name'), said.get('arguments')\n"
    "    values = fitting(name, arguments)\n"
    "    right = name == wanted['name']\n"
    "    return True, values is not None, right, right and values == wanted['arguments']\n"
)
WRONG: dict[str, tuple[str, ...]] = {
    "11.1": (
        # from the first brace to the last
        FENCE + READ.replace(PARSED, "        said = parse_arguments(text[text.find('{'):text.rfind('}') + 1])\n"),
        # the first object counts, whatever follows
        FENCE
        + READ.replace(PARSED, "        said = json.JSONDecoder().raw_decode(text)[0]\n").replace(
            "except CallRefused", "except ValueError"
        ),
        # the usual way to read JSON
        FENCE
        + READ.replace(PARSED, "        said = json.loads(text)\n").replace("except CallRefused", "except ValueError"),
        # calls win over an answer
        READ.replace("keys == {'tool_calls'}", "'tool_calls' in keys"),
        # whatever holds no calls is an answer
        READ[: READ.rindex("    return None\n")] + "    return said if keys <= {'answer'} else None\n",
        # no calls are fine too
        READ.replace(LIST, "isinstance(calls, list) and "),
        # a single call need not stand in a list
        READ.replace("    keys = ", "    calls = [calls] if isinstance(calls, dict) else calls\n    keys = "),
        # only calls that are objects are looked at
        READ.replace("all(map(is_call, calls))", "all(is_call(c) for c in calls if isinstance(c, dict))"),
        # the first call is looked at
        READ.replace("all(map(is_call, calls))", "isinstance(calls[-1], dict) and is_call(calls[0])"),
        # a name of any type
        READ.replace(NAMED, "return isinstance(call['arguments'], dict)"),
        # arguments of any type
        READ.replace(NAMED, "return isinstance(call['name'], str)"),
        # an answer of any type
        READ.replace("isinstance(said['answer'], str) and said['answer']", "said['answer'] != ''"),
        # an answer of any length
        READ.replace("isinstance(said['answer'], str) and said['answer']", "isinstance(said['answer'], str)"),
        # nobody looks at the thought
        READ.replace("    if not isinstance(said.get('thought', ''), str):\n        return None\n", ""),
        # a thought has to be there
        READ.replace(
            "    if not isinstance(said.get('thought', ''), str)", "    if not isinstance(said.get('thought'), str)"
        ),
        # a thought beside an answer is one key too many
        READ.replace("keys == {'answer'}", "set(said) == {'answer'}"),
        # what is null is not there
        READ.replace("    calls = ", "    said = {k: v for k, v in said.items() if v is not None}\n    calls = "),
        # an empty list is not there
        READ.replace("    keys = ", "    said = {k: v for k, v in said.items() if v != []}\n    keys = "),
        # a thought may be null
        READ.replace("said.get('thought', '')", "said.get('thought') or ''"),
        # other keys of a call are passed over
        READ.replace("set(call) != {'name', 'arguments'}", "not set(call) >= {'name', 'arguments'}"),
        # other keys are passed over beside calls
        READ.replace("keys == {'tool_calls'}", "'tool_calls' in keys and 'answer' not in keys"),
        # other keys are passed over
        READ.replace("keys == {'answer'}", "'answer' in keys and 'tool_calls' not in keys"),
    ),
    "11.2": (
        # names and arguments are listed apart, and mix
        SCHEMA.replace(CALLS, "[closed(name={'enum': list(tools)}, arguments={'anyOf': list(tools.values())})]"),
        # any name will do
        SCHEMA.replace("{'const': n}", "{'type': 'string'}"),
        # arguments are some object
        SCHEMA.replace("arguments=p)", "arguments={'type': 'object'} | {'required': p['required']})"),
        # a list of calls of one tool
        SCHEMA.replace("{'type': 'array', 'minItems': 1, 'items': {'anyOf': calls}}", "{'anyOf': asked}").replace(
            "    asked = ",
            "    asked = [{'type': 'array', 'minItems': 1, 'items': each} for each in calls]\n    asked = ",
        ),
        # the list may be empty
        SCHEMA.replace("'minItems': 1, ", ""),
        # one call or a list of calls
        SCHEMA.replace(
            "{'type': 'array', 'minItems': 1, 'items': {'anyOf': calls}}",
            "{'anyOf': [*calls, {'type': 'array', 'minItems': 1, 'items': {'anyOf': calls}}]}",
        ),
        # the two forms are open objects
        OPENED + SCHEMA.replace("closed(tool_calls", "opened(tool_calls"),
        # the call is an open object
        OPENED + SCHEMA.replace("closed(name", "opened(name"),
        # nothing is required of a call
        SCHEMA.replace("    asked = ", "    calls = [{**each, 'required': []} for each in calls]\n    asked = "),
        # one form with two optional keys
        SCHEMA.replace(
            "{'anyOf': [closed(tool_calls=asked), closed(answer=answer)]}",
            "closed(tool_calls=asked, answer=answer) | {'required': [], 'maxProperties': 1}",
        ),
        # an answer of any length
        SCHEMA.replace(", 'minLength': 1", ""),
        # an answer of any type
        SCHEMA.replace("{'type': 'string', 'minLength': 1}", "{'minLength': 1}"),
        # the two tools of the example
        SCHEMA.replace("tools.items()", "two_tools.items()"),
        # every argument has to be there
        SCHEMA.replace("arguments=p)", "arguments=closed(**p['properties']))"),
        # the arguments are open objects
        SCHEMA.replace("arguments=p)", "arguments={**p, 'additionalProperties': True})"),
        # one of the calls fits
        SCHEMA.replace("'items'", "'contains'"),
        # an answer beside calls may be null
        SCHEMA.replace(
            "closed(tool_calls=asked), ",
            "closed(tool_calls=asked), {**closed(tool_calls=asked, answer={'type': 'null'}), "
            "'required': ['tool_calls']}, ",
        ),
        # a list beside an answer may be empty
        SCHEMA.replace(
            "closed(answer=answer)]",
            "closed(answer=answer), closed(answer=answer, tool_calls={'type': 'array', 'maxItems': 0})]",
        ),
        # there is room for a thought
        SCHEMA.replace(
            "closed(answer=answer)]", "closed(answer=answer), closed(answer=answer, thought={'type': 'string'})]"
        ),
        # a list of calls alone
        SCHEMA.replace("closed(answer=answer)]", "closed(answer=answer), asked]"),
        # a text alone
        SCHEMA.replace("closed(answer=answer)]", "closed(answer=answer), answer]"),
        # the answer was forgotten
        SCHEMA.replace("{'anyOf': [closed(tool_calls=asked), closed(answer=answer)]}", "closed(tool_calls=asked)"),
    ),
    "11.3": (
        # from the first brace to the last
        JUDGED.replace("parse_arguments(reply) if", "parse_arguments(reply[reply.find('{'):]) if"),
        # an empty reply is an object
        JUDGED.replace(" if '{' in reply else None", ""),
        # null is an object
        JUDGED.replace("'{' in reply", "reply.strip()"),
        # valid is whatever is parsed
        JUDGED.replace("True, values is not None,", "True, True,"),
        # only a valid call can be of the right tool
        JUDGED.replace("right = name == wanted['name']", "right = values is not None and name == wanted['name']"),
        # only the right tool can be valid
        JUDGED.replace("True, values is not None,", "True, values is not None and name == wanted['name'],"),
        # the right tool has the right arguments
        JUDGED.replace("right and values == wanted['arguments']", "right and values is not None"),
        # texts are compared
        "import json\n"
        + JUDGED.replace("values == wanted['arguments']", "json.dumps(values) == json.dumps(wanted['arguments'])"),
        # arguments are compared as they came
        JUDGED.replace("values == wanted['arguments']", "arguments == wanted['arguments']"),
        # the judge mends what it reads
        JUDGED.replace(
            "    values = ",
            "    arguments = parse_arguments(arguments) if isinstance(arguments, str) else arguments\n    values = ",
        ),
        # capitals do not count
        JUDGED.replace("right = name ==", "right = str(name).casefold() =="),
        # one argument is compared
        JUDGED.replace(
            "values == wanted['arguments']", "(values or {}).get('city') == wanted['arguments'].get('city')"
        ),
        # what was left out is right
        JUDGED.replace(
            "values == wanted['arguments']",
            "values is not None and all(wanted['arguments'][k] == v for k, v in arguments.items())",
        ),
        # whatever is JSON is an object
        "import json\n"
        + JUDGED.replace("parse_arguments(reply)", "json.loads(reply)").replace("CallRefused", "ValueError"),
        # a name is always there
        JUDGED.replace("said.get('name')", "said['name']"),
    ),
}
