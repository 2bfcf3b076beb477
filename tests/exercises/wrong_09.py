"""Tempting wrong answers to the exercises of chapter 09: each takes the stub's place, and each must fail."""

ANSWERED = """
def answered(messages):
    kept = []
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        kept.append(message)
        found = {}
        for each in messages[position + 1 :]:
            if each["role"] != "tool":
                break
            found.setdefault(each["tool_call_id"], each)
        for call in message.get("tool_calls", ()):
            kept.append(found.get(call["id"], says(call["id"], NOT_KEPT)))
    return kept
"""
SETDEFAULT = 'found.setdefault(each["tool_call_id"], each)'
ONE_LOOK_UP = """
def answered(messages):
    found = {}
    for each in messages:
        if each["role"] == "tool":
            found.setdefault(each["tool_call_id"], each)
    kept = []
    for message in messages:
        if message["role"] != "tool":
            kept.append(message)
            for call in message.get("tool_calls", ()):
                kept.append(found.get(call["id"], says(call["id"], NOT_KEPT)))
    return kept
"""
AS_THEY_CAME = """
def answered(messages):
    kept, open_ids = [], []
    for message in [*messages, None]:
        if message and message["role"] == "tool":
            if message["tool_call_id"] in open_ids:
                open_ids.remove(message["tool_call_id"])
                kept.append(message)
            continue
        kept += [says(id, NOT_KEPT) for id in open_ids]
        if message:
            kept.append(message)
            open_ids = [call["id"] for call in message.get("tool_calls", ())]
    return kept
"""
IN_PLACE = """
def answered(messages):
    new = ours(messages)
    messages[:] = new
    return messages
"""

NAMES = """
def legal_names(names):
    legal = re.compile(r"[a-zA-Z0-9_-]{1,64}")
    sent = {name: name for name in names if legal.fullmatch(name)}
    for name in names:
        if name not in sent:
            short = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:60]
            made, number = short, 1
            while made in sent.values():
                number += 1
                made = f"{short}_{number}"
            sent[name] = made
    return sent
"""
ADDED_ONCE = NAMES.replace("while made", "if made").replace('f"{short}_{number}"', 'f"{short}_{names.index(name)}"')
PLAIN = 'def legal_names(names):\n    return {name: re.sub(r"[^a-zA-Z0-9_-]", "_", name)%s for name in names}\n'

WHAT_NOW = """
def what_now(reply):
    if reply.refusal or reply.finish_reason == "content_filter":
        return "declined"
    if reply.finish_reason == "length":
        return "cut off"
    return "run" if reply.tool_calls else "answer"
"""

WRONG: dict[str, tuple[str, ...]] = {
    "09.1": (
        # what is there is kept, and nothing is put in
        "def answered(messages):\n    return list(messages)\n",
        # only the last turn is looked after
        "def answered(messages):\n    calls = messages[-1].get('tool_calls', ())\n"
        "    return messages + [says(call['id'], NOT_KEPT) for call in calls]\n",
        # the last message is forgotten
        ANSWERED.replace("enumerate(messages)", "enumerate(messages[:-1])"),
        # the second answer takes the first one's place
        ANSWERED.replace(SETDEFAULT, 'found[each["tool_call_id"]] = each'),
        # one look-up for the whole history
        ONE_LOOK_UP,
        # answers in the order in which they came
        AS_THEY_CAME,
        # orphans stay
        ANSWERED.replace(
            "            continue\n",
            "            if position and messages[position - 1]['role'] == "
            "'user':\n                kept.append(message)\n            continue\n",
        ),
        # answers are looked for beyond the next message
        ANSWERED.replace("                break\n", "                continue\n"),
        # the given list is changed
        ANSWERED.replace("def answered", "def ours") + IN_PLACE,
        # the model's message is changed in place of an answer
        ANSWERED.replace('says(call["id"], NOT_KEPT)', 'says(call["id"], "")'),
        # only the texts of the answers are kept
        ANSWERED.replace(
            SETDEFAULT, 'found.setdefault(each["tool_call_id"], says(each["tool_call_id"], each["content"]))'
        ),
        # an empty answer is none
        ANSWERED.replace(SETDEFAULT, 'each["content"] and ' + SETDEFAULT),
        # the kept answers are written to
        ANSWERED.replace(SETDEFAULT, SETDEFAULT + '; each["name"] = "look"'),
        # the model's text is lost
        ANSWERED.replace(
            "append(message)",
            'append(asks(*[c["id"] for c in message.get("tool_calls", ())]) if "tool_calls" in message else message)',
        ),
        # other roles are forgotten
        ANSWERED.replace('["role"] == "tool"', '["role"] not in ("user", "assistant")'),
        # what is missing is put behind what is there
        ANSWERED.replace(
            'in message.get("tool_calls", ())',
            'in sorted(message.get("tool_calls", ()), key=lambda call: call["id"] not in found)',
        ),
        # one answer in the whole history is enough for an id
        ANSWERED.replace("kept = []", "kept, seen = [], set()").replace(
            "            kept.append(found.get(",
            '            if call["id"] in seen and call["id"] not in found:\n'
            '                continue\n            seen.add(call["id"])\n            kept.append(found.get(',
        ),
    ),
    "09.2": (
        # nothing is done
        "def legal_names(names):\n    return {name: name for name in names}\n",
        # letters of every alphabet
        NAMES.replace('r"[^a-zA-Z0-9_-]"', 'r"[^\\w-]"'),
        # hyphens are changed as well
        PLAIN.replace("9_-", "9_") % "[:64]",
        # not shortened
        PLAIN % "",
        # two tools become one
        PLAIN % "[:64]",
        # the first to come takes the name
        NAMES.replace("sent = {name: name for name in names if legal.fullmatch(name)}", "sent = {}"),
        # a number that makes the name too long
        NAMES.replace("[:60]", "[:64]"),
        # a number that is tried once
        ADDED_ONCE,
        # what is not legal is left out
        PLAIN.replace('"_", name', '"", name') % "[:64]",
        # capital letters are not known
        NAMES.replace("a-zA-Z", "a-z"),
        # everything in small letters
        NAMES.replace("a-zA-Z", "a-z").replace('"_", name)', '"_", name.lower())'),
        # several characters, one underscore
        NAMES.replace('9_-]"', '9_-]+"'),
        # a line break at the end is let through
        NAMES.replace('{1,64}")', '{1,64}$")').replace("fullmatch", "match"),
        # legal long names are shortened
        NAMES.replace("{1,64}", "{1,60}"),
        # room for one digit
        NAMES.replace("[:60]", "[:62]"),
        # the second of two is left out
        "def legal_names(names):\n    sent = {}\n    for name in sorted(names, key=all_legal_first):\n"
        '        made = re.sub("[^a-zA-Z0-9_-]", "_", name)[:64]\n        if made not in sent.values():\n'
        "            sent[name] = made\n    return sent\n"
        'def all_legal_first(name):\n    return not re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)\n',
    ),
    "09.3": (
        # the reason decides
        'def what_now(reply):\n    return "run" if reply.finish_reason == "tool_calls" else "answer"\n',
        # stop means stop
        WHAT_NOW.replace("if reply.tool_calls else", 'if reply.finish_reason != "stop" and reply.tool_calls else'),
        # only the words that are known
        WHAT_NOW.replace(
            '"run" if reply.tool_calls', '"run" if reply.tool_calls and reply.finish_reason in ("stop", "tool_calls")'
        ),
        # text comes before calls
        WHAT_NOW.replace('"run" if reply.tool_calls else "answer"', '"answer" if reply.content else "run"'),
        # a promise is taken for calls
        WHAT_NOW.replace("if reply.tool_calls else", 'if reply.tool_calls or reply.finish_reason == "tool_calls" else'),
        # calls that were cut are run
        WHAT_NOW.replace('reply.finish_reason == "length"', 'reply.finish_reason == "length" and not reply.tool_calls'),
        # half a sentence is an answer
        WHAT_NOW.replace('reply.finish_reason == "length"', 'reply.finish_reason == "length" and reply.tool_calls'),
        # a refusal is not looked for
        WHAT_NOW.replace("reply.refusal or ", ""),
        # a filter is not known
        WHAT_NOW.replace(' or reply.finish_reason == "content_filter"', ""),
        # a filter counts only where there are no calls
        WHAT_NOW.replace(
            'reply.finish_reason == "content_filter"',
            '(reply.finish_reason == "content_filter" and not reply.tool_calls)',
        ),
        # a refusal counts only beside calls
        WHAT_NOW.replace(
            "reply.refusal or", "(reply.refusal and (reply.tool_calls or reply.finish_reason == 'length')) or"
        ),
        # an answer needs a word that is known
        WHAT_NOW.replace(
            'else "answer"', 'else "answer" if reply.finish_reason in ("stop", "tool_calls") else "cut off"'
        ),
        # the length comes first
        'def what_now(reply):\n    if reply.finish_reason == "length":\n        return "cut off"\n'
        '    if reply.refusal or reply.finish_reason == "content_filter":\n        return "declined"\n'
        '    return "run" if reply.tool_calls else "answer"\n',
    ),
}
