"""Tempting wrong answers to the exercises of chapter 08: each takes the stub's place, and each must fail."""

ANSWERS = "def answer_all(calls, run, limit):\n"
MESSAGE = '{"role": "tool", "content": %s, "tool_call_id": call["id"]}'
NO = 'f"ERROR [too_many_calls]: at most {limit}"'
RAN = MESSAGE % "run(call)"
REFUSED = MESSAGE % NO
EACH = MESSAGE % f"run(call) if place < limit else {NO}"
BY_THE_USER = REFUSED.replace('"tool"', '"user"')
BY_ID = EACH.replace("place < limit", "call['id'] in kept")

CIRCLES = "from collections import Counter\ndef circles(rounds, limit):\n    counts = Counter()\n    for r in rounds:\n"
FORGET = "        if r.changed:\n            counts = Counter({key: counts[key]})\n"
KEY = "        key = (r.call.name, fingerprint(r.call), r.content)\n"
COUNT = "        counts[key] += 1\n        if counts[key] == limit:\n            return True\n    return False\n"

NEWEST = "def newest(messages, most):\n"

WRONG: dict[str, tuple[str, ...]] = {
    "08.1": (
        # the surplus is cut off, and nobody hears of it
        ANSWERS + f"    return [{RAN} for call in calls[:limit]]\n",
        # the last call that is run hears of it, and is answered twice
        ANSWERS + "    kept = calls[:limit]\n    messages = []\n    if len(calls) > limit:\n        call = kept[-1]\n"
        f"        messages.append({REFUSED})\n    return messages + [{RAN} for call in kept]\n",
        # all are run, and the surplus is told that it was not
        ANSWERS + f"    messages = [{RAN} for call in calls]\n    for message in messages[limit:]:\n"
        f"        message['content'] = {NO}\n    return messages\n",
        # too many: none is run
        ANSWERS + f"    if len(calls) > limit:\n        return [{REFUSED} for call in calls]\n"
        f"    return [{RAN} for call in calls]\n",
        # one too many
        ANSWERS + f"    return [{EACH.replace('place < limit', 'place <= limit')}"
        " for place, call in enumerate(calls)]\n",
        # one too few
        ANSWERS + f"    return [{EACH} for place, call in enumerate(calls, 1)]\n",
        # the refusals come first
        ANSWERS + f"    return [{REFUSED} for call in calls[limit:]] + [{RAN} for call in calls[:limit]]\n",
        # the surplus is answered in the user's name
        ANSWERS + f"    done = [{RAN} for call in calls[:limit]]\n"
        f"    return done + [{BY_THE_USER} for call in calls[limit:]]\n",
        # the text has no code
        ANSWERS
        + f"    return [{EACH.replace('ERROR [too_many_calls]', 'not run')} for place, call in enumerate(calls)]\n",
        # the text does not name the limit
        ANSWERS
        + f"    return [{EACH.replace('at most {limit}', 'fewer please')} for place, call in enumerate(calls)]\n",
        # one limit is written into the text
        ANSWERS + f"    return [{EACH.replace('{limit}', '2')} for place, call in enumerate(calls)]\n",
        # the text names the place of the call, not the limit
        ANSWERS + f"    return [{EACH.replace('{limit}', '{place}')} for place, call in enumerate(calls)]\n",
        # ids are made up
        ANSWERS
        + "    return ["
        + EACH.replace('call["id"]', "f'call_{place + 1}'")
        + " for place, call in enumerate(calls)]\n",
        # calls are looked up by their ids
        ANSWERS + f"    kept = {{call['id'] for call in calls[:limit]}}\n    return [{BY_ID} for call in calls]\n",
        # the list is emptied
        ANSWERS + "    messages = []\n    while calls:\n        place, call = len(messages), calls.pop(0)\n"
        f"        messages.append({EACH})\n    return messages\n",
        # the last answer tells, also where there is none
        ANSWERS + f"    messages = [{EACH} for place, call in enumerate(calls)]\n"
        "    messages[-1]['content'] += ''\n    return messages\n",
    ),
    "08.2": (
        # neighbours only
        "def circles(rounds, limit):\n    run, last = 0, None\n    for r in rounds:\n"
        "        key = (r.call.name, fingerprint(r.call), r.content)\n"
        "        run = 0 if r.changed else run + 1 if key == last else 1\n        last = key\n"
        "        if run == limit:\n            return True\n    return False\n",
        # what came back does not count
        CIRCLES + KEY.replace(", r.content", "") + FORGET + COUNT,
        # which tool it was does not count
        CIRCLES + KEY.replace("r.call.name, ", "") + FORGET + COUNT,
        # the arguments do not count
        CIRCLES + KEY.replace("fingerprint(r.call), ", "") + FORGET + COUNT,
        # arguments as they were spelled
        CIRCLES + KEY.replace("fingerprint(r.call)", "str(r.call.arguments)") + FORGET + COUNT,
        # arguments as Python compares them
        "import json\n" + CIRCLES + "        a = r.call.arguments\n"
        "        a = json.loads(a) if isinstance(a, str) else a\n"
        "        key = (r.call.name, tuple(sorted(a.items())), r.content)\n" + FORGET + COUNT,
        # changes are rounds like any other
        CIRCLES + KEY + COUNT,
        # a change is not counted itself
        CIRCLES + "        if r.changed:\n            counts.clear()\n            continue\n" + KEY + COUNT,
        # a change forgets itself, too
        CIRCLES + KEY + "        if r.changed:\n            counts.clear()\n" + COUNT,
        # only what came after the last change
        "from collections import Counter\ndef circles(rounds, limit):\n"
        "    since = []\n    for r in rounds:\n        since = [] if r.changed else [*since, r]\n"
        "    keys = Counter((r.call.name, fingerprint(r.call), r.content) for r in since)\n"
        "    return any(n >= limit for n in keys.values())\n",
        # a change forgets only what it touched
        CIRCLES + "        if r.changed:\n            counts.pop('run_test', None)\n            continue\n"
        "        key = r.call.name if r.call.name == 'run_test' else (fingerprint(r.call), r.content)\n" + COUNT,
        # the limit is three
        CIRCLES + KEY + FORGET + COUNT.replace("limit", "3"),
        # beyond the limit
        CIRCLES + KEY + FORGET + COUNT.replace("== limit", "> limit"),
        # the list is eaten up
        CIRCLES.replace("for r in rounds", "while rounds") + "        r = rounds.pop(0)\n" + KEY + FORGET + COUNT,
        # after a change there is no circle any more
        CIRCLES + "        if r.changed:\n            return False\n" + KEY + COUNT,
        # what changes something is known by its name
        CIRCLES + KEY + FORGET.replace("r.changed", "r.call.name == 'edit_file'") + COUNT,
        # tests are taken for a change
        CIRCLES + KEY + FORGET.replace("r.changed", "r.call.name in ('edit_file', 'run_test')") + COUNT,
        # only the last content of a call is remembered
        CIRCLES.replace("    counts", "    last, counts", 1).replace("= Counter()", "= {}, Counter()")
        + "        key = (r.call.name, fingerprint(r.call))\n        if last.get(key) != r.content:\n"
        "            counts[key] = 0\n        last[key] = r.content\n" + FORGET + COUNT,
        # None for no
        CIRCLES + KEY + FORGET + COUNT.replace("    return False\n", ""),
    ),
    "08.3": (
        # a slice
        NEWEST + "    return messages[:1] + messages[1:][-(most - 1):]\n",
        # the task goes with the rest
        NEWEST + "    kept = []\n    for block in reversed(blocks(messages)):\n"
        "        if kept and len(kept) + len(block) > most:\n            break\n        kept = block + kept\n"
        "    return kept\n",
        # the oldest stay
        NEWEST + "    task, *rest = blocks(messages)\n    kept = task\n    for block in rest:\n"
        "        if len(kept) + len(block) > most:\n            break\n        kept = kept + block\n    return kept\n",
        # whatever fits, with gaps
        NEWEST + "    task, *rest = blocks(messages)\n    kept = []\n    for block in reversed(rest):\n"
        "        if not kept or 1 + len(kept) + len(block) <= most:\n            kept = block + kept\n"
        "    return task + kept\n",
        # newest first
        NEWEST + "    task, *rest = blocks(messages)\n    kept = []\n    for block in reversed(rest):\n"
        "        if kept and 1 + len(kept) + len(block) > most:\n            break\n        kept = kept + block\n"
        "    return task + kept\n",
        # orphans are taken out after a slice, and the newest turn with them
        NEWEST + "    kept = messages[1:][-(most - 1):] if most > 1 else []\n"
        "    while kept and kept[0]['role'] == 'tool':\n        kept = kept[1:]\n    return messages[:1] + kept\n",
        # turns are counted, not messages
        NEWEST + "    task, *rest = blocks(messages)\n    return task + sum(rest[-most:], [])\n",
        # the task is not counted
        NEWEST + "    task, *rest = blocks(messages)\n    kept = []\n    for block in reversed(rest):\n"
        "        if kept and len(kept) + len(block) > most:\n            break\n        kept = block + kept\n"
        "    return task + kept\n",
        # one place is given away
        NEWEST + "    task, *rest = blocks(messages)\n    kept = []\n    for block in reversed(rest):\n"
        "        if kept and 1 + len(kept) + len(block) >= most:\n            break\n        kept = block + kept\n"
        "    return task + kept\n",
        # old messages are taken out of the history itself
        NEWEST + "    while len(messages) > most and len(blocks(messages)) > 2:\n"
        "        del messages[1 : 1 + len(blocks(messages)[1])]\n    return messages\n",
        # a turn there must be
        NEWEST + "    task, *rest = blocks(messages)\n    kept = rest.pop()\n"
        "    while rest and 1 + len(kept) + len(rest[-1]) <= most:\n        kept = rest.pop() + kept\n"
        "    return task + kept\n",
    ),
}
