"""Tempting wrong answers to the exercises of chapter 07: each takes the stub's place, and each must fail."""

GAP = "def close_gap(messages):\n"
FIND = "def failures(lines):\n    found = []\n"
BOTH = (
    "import json\ndef changes(old, new):\n    sides = (old, new)\n"
    "    old, new = (json.loads(a) if isinstance(a, str) else a for a in sides)\n"
)

WRONG: dict[str, tuple[str, ...]] = {
    "07.1": (
        # the turn with the gap is cut off: valid, and a call is forgotten
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    return messages[: -1 - answered] if answered < len(calls) else messages\n",
        # an answer that says nothing
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    missing = [{'role': 'tool', 'content': '', 'tool_call_id': c['id']} for c in calls[answered:]]\n"
        "    return [*messages, *missing]\n",
        # every call is answered again
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    return [*messages, *({'role': 'tool', 'content': 'ERROR', 'tool_call_id': c['id']} for c in calls)]\n",
        # only the last call is answered
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    last = [c for c in calls[answered:]][-1:]\n"
        "    return [*messages, *({'role': 'tool', 'content': 'ERROR', 'tool_call_id': c['id']} for c in last)]\n",
        # missing answers are found by id
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    there = {m['tool_call_id'] for m in messages[len(messages) - answered :]}\n"
        "    missing = [c for c in calls if c['id'] not in there]\n"
        "    return [*messages, *({'role': 'tool', 'content': 'ERROR', 'tool_call_id': c['id']} for c in missing)]\n",
        # found by id, and in all turns
        GAP + "    there = [m['tool_call_id'] for m in messages if m['role'] == 'tool']\n"
        "    calls, answered = history.last_turn(messages)\n    missing = []\n"
        "    for call in calls:\n        if call['id'] in there:\n            there.remove(call['id'])\n"
        "        else:\n            missing.append(call)\n"
        "    return [*messages, *({'role': 'tool', 'content': 'ERROR', 'tool_call_id': c['id']} for c in missing)]\n",
        # the caller's list grows
        GAP + "    calls, answered = history.last_turn(messages)\n"
        "    messages += [{'role': 'tool', 'content': 'ERROR', 'tool_call_id': c['id']} for c in calls[answered:]]\n"
        "    return messages\n",
    ),
    "07.2": (
        # the code is read out of the text
        "import re\n" + FIND + "    for line in lines:\n"
        "        words = re.match(r'ERROR \\[(\\w+)\\]', str(line.get('message', {}).get('content')))\n"
        "        if words:\n            found.append((line['seq'], words[1]))\n    return found\n",
        # the end line in place of the answer's
        FIND + "    for line in lines:\n        code = line.get('payload', {}).get('code')\n"
        "        if code:\n            found.append((line['seq'], code))\n    return found\n",
        # whatever is not ok
        FIND + "    for line in lines:\n        payload = line.get('payload', {})\n"
        "        if payload.get('ok') is False:\n"
        "            found.append((line['seq'] - 1, payload.get('code', 'failed')))\n    return found\n",
        # one failure for each id
        "def failures(lines):\n    found = {}\n    for line in lines:\n        message = line.get('message', {})\n"
        "        if 'error' in message:\n"
        "            found[message['tool_call_id']] = (line['seq'], message['error']['code'])\n"
        "    return list(found.values())\n",
        # a list of codes that were seen so far
        FIND + "    for line in lines:\n        for code in ('invalid_range', 'not_found'):\n"
        "            if code in str(line.get('message', {}).get('error')):\n"
        "                found.append((line['seq'], code))\n    return found\n",
        # the trace is eaten up
        FIND + "    while lines:\n        line = lines.pop(0)\n        error = line.get('message', {}).get('error')\n"
        "        if error:\n            found.append((line['seq'], error['code']))\n    return found\n",
        # needs the end line that follows
        FIND + "    for line, after in zip(lines, lines[1:]):\n        error = line.get('message', {}).get('error')\n"
        "        if error and after.get('event') == 'tool_finished':\n"
        "            found.append((line['seq'], error['code']))\n    return found\n",
    ),
    "07.3": (
        # text is not read
        "def changes(old, new):\n"
        "    return {n: (old.get(n), new.get(n)) for n in {**old, **new} if old.get(n) != new.get(n)}\n",
        # only the names of the old call
        BOTH + "    return {n: (old[n], new.get(n)) for n in old if json.dumps(old[n]) != json.dumps(new.get(n))}\n",
        # only the names of the new call
        BOTH + "    return {n: (old.get(n), new[n]) for n in new if json.dumps(old.get(n)) != json.dumps(new[n])}\n",
        # true is taken for 1
        BOTH + "    return {n: (old.get(n), new.get(n)) for n in {**old, **new} if old.get(n) != new.get(n)}\n",
        # compared as Python writes them out: "4" is taken for 4
        BOTH
        + "    return {n: (old.get(n), new.get(n)) for n in {**old, **new} if str(old.get(n)) != str(new.get(n))}\n",
        # the same object, in place of an equal one
        BOTH + "    return {n: (old.get(n), new.get(n)) for n in {**old, **new} if old.get(n) is not new.get(n)}\n",
        # the type is asked, and what is inside a list is not
        BOTH + "    def differs(a, b):\n        return type(a) is not type(b) or a != b\n"
        "    return {n: (old.get(n), new.get(n)) for n in {**old, **new} if differs(old.get(n), new.get(n))}\n",
        # the new value first
        BOTH + "    names = {**old, **new}\n"
        "    return {n: (new.get(n), old.get(n)) for n in names if json.dumps(old.get(n)) != json.dumps(new.get(n))}\n",
        # the arguments are emptied while they are compared
        BOTH + "    names = [*{**old, **new}]\n    pairs = {n: (old.pop(n, None), new.pop(n, None)) for n in names}\n"
        "    return {n: p for n, p in pairs.items() if json.dumps(p[0]) != json.dumps(p[1])}\n",
    ),
}
