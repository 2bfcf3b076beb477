"""Tempting wrong answers to the exercises of chapter 10: each takes the stub's place, and each must fail."""

MERGE = "def merge(pieces):\n"
GOOD = """    calls, at = [], {}
    for piece in pieces:
        index, id = piece.get("index"), piece.get("id")
        function = piece["function"]
        call = at.get(index)
        if index is None and calls:
            call = calls[-1]
        if call is None or (id and id != call["id"]):
            call = {"id": id, "name": function["name"], "arguments": ""}
            calls.append(call)
            at[index] = call
        call["arguments"] += function.get("arguments") or ""
    return calls
"""
BY_INDEX = """    calls = {}
    for piece in pieces:
        new = {"id": "", "name": "", "arguments": ""}
        call = calls.setdefault(piece.get("index", 0), new)
        call["id"] += piece.get("id") or ""
        call["name"] += piece["function"].get("name") or ""
        call["arguments"] += piece["function"].get("arguments") or ""
    return list(calls.values())
"""
LAST = """    calls = []
    for piece in pieces:
        if %s:
            calls.append({"id": piece["id"], "name": piece["function"]["name"], "arguments": ""})
        calls[-1]["arguments"] += piece["function"].get("arguments") or ""
    return calls
"""

WHOLE = "import json\ndef whole(text):\n"
LOADS = "    try:\n        value = json.loads(text)\n    except ValueError:\n        return False\n"

EARLY = "def early(calls):\n"
LOOP = """    places = []
    for place, call in enumerate(calls):
        %s
        places.append(place)
    return places
"""
STOP = LOOP % "if not call.whole or not call.readonly:\n            break"

WRONG: dict[str, tuple[str, ...]] = {
    "10.1": (
        # the naive reader, by index
        MERGE + BY_INDEX,
        # an id opens a call
        MERGE + LAST % 'piece.get("id")',
        # another id opens a call, and the index is never asked
        MERGE + LAST % 'piece.get("id") and (not calls or piece["id"] != calls[-1]["id"])',
        # an id that is not the call's opens one, also where it is empty
        MERGE + GOOD.replace("(id and id != call", '("id" in piece and id != call'),
        # a list by index
        MERGE + GOOD.replace("at[index] = call", "at[len(calls) - 1] = call"),
        # only the first call of an index is remembered
        MERGE + GOOD.replace("at[index] = call", "at.setdefault(index, call)"),
        # null arguments are a text
        MERGE + GOOD.replace('function.get("arguments") or ""', 'function["arguments"]'),
        # null arguments are the word None
        MERGE + GOOD.replace('function.get("arguments") or ""', 'str(function.get("arguments", ""))'),
        # the same tool is the same call
        MERGE + GOOD.replace('(id and id != call["id"])', '(id and function["name"] != call["name"])'),
        # calls without arguments are left out
        MERGE + GOOD.replace("return calls", 'return [call for call in calls if call["arguments"]]'),
        # the pieces are emptied
        MERGE + GOOD.replace('.get("arguments") or', '.pop("arguments", None) or'),
        # ids are made up
        MERGE + GOOD.replace("return calls", 'return [{**c, "id": f"call_{i}"} for i, c in enumerate(calls, 1)]'),
        # an empty call is taken over by the next one
        MERGE + GOOD.replace('id != call["id"])', 'call["arguments"] and id != call["id"])'),
        # blank space is taken off
        MERGE + GOOD.replace('function.get("arguments") or ""', '(function.get("arguments") or "").strip()'),
        # a missing index is index 0
        MERGE + GOOD.replace('piece.get("index"), piece', 'piece.get("index", 0), piece'),
        # id and name are put on the end
        MERGE
        + GOOD.replace(
            '        call["arguments"] +=',
            "        call['name'] += function.get('name') or ''\n        call[\"arguments\"] +=",
        ).replace('"name": function["name"]', '"name": ""'),
    ),
    "10.2": (
        # it can be read
        WHOLE + LOADS + "    return True\n",
        # what is there is true
        WHOLE + LOADS + "    return bool(value)\n",
        # it ends in a brace
        "def whole(text):\n    return text.endswith('}')\n",
        # it ends in a brace, blanks aside
        "def whole(text):\n    return text.strip().endswith('}')\n",
        # as many are closed as are opened
        "def whole(text):\n    return '{' in text and text.count('{') == text.count('}')\n",
        # it can be read, and has names
        WHOLE + LOADS + "    return isinstance(value, dict) and len(value) > 0\n",
        # objects and lists
        WHOLE + LOADS + "    return isinstance(value, (dict, list))\n",
        # the first object decides
        "import json\ndef whole(text):\n    try:\n        value, _ = json.JSONDecoder().raw_decode(text.strip())\n"
        "    except ValueError:\n        return False\n    return isinstance(value, dict)\n",
        # texts, without escapes
        "def whole(text):\n    depth, inside, ended = 0, False, False\n    for char in text.strip():\n"
        "        if ended:\n            return False\n"
        "        if char == '\"':\n            inside = not inside\n        elif not inside:\n"
        "            depth += (char == '{') - (char == '}')\n        ended = depth == 0 and char == '}'\n"
        "    return ended\n",
        # nothing is no arguments, and they are all there
        WHOLE + "    text = text or '{}'\n" + LOADS + "    return isinstance(value, dict)\n",
        # texts, with escapes by the one character before
        "def whole(text):\n    text, depth, inside = text.strip(), 0, False\n    for at, char in enumerate(text):\n"
        "        if char == '\"' and text[at - 1] != '\\\\':\n            inside = not inside\n"
        "        elif not inside and char in '{}':\n            depth += 1 if char == '{' else -1\n"
        "            if depth == 0:\n                return at == len(text) - 1\n    return False\n",
        # Python is read in place of JSON
        "import ast\ndef whole(text):\n    try:\n        return isinstance(ast.literal_eval(text.strip()), dict)\n"
        "    except (ValueError, SyntaxError):\n        return False\n",
        # whatever is no number and no null
        WHOLE + LOADS + "    return isinstance(value, (dict, bool))\n",
        # a blank after the object ends it
        "import json\ndef whole(text):\n    text = text.strip()\n    try:\n"
        "        value, end = json.JSONDecoder().raw_decode(text)\n    except ValueError:\n        return False\n"
        "    return isinstance(value, dict) and text[end:end + 1] in ('', ' ')\n",
        # one object within another
        'import re\nONE = r\'\\{(?:[^"{}]|"(?:\\\\.|[^"\\\\])*"%s)*\\}\'\n'
        "def whole(text):\n    return bool(re.fullmatch(ONE % ('|' + ONE % ''), text.strip()))\n",
        # None for no
        WHOLE + LOADS.replace("return False", "return None") + "    return isinstance(value, dict)\n",
    ),
    "10.3": (
        # all that is whole
        EARLY + "    return [i for i, c in enumerate(calls) if c.whole]\n",
        # all reads
        EARLY + "    return [i for i, c in enumerate(calls) if c.readonly]\n",
        # all whole reads
        EARLY + "    return [i for i, c in enumerate(calls) if c.whole and c.readonly]\n",
        # an open call is passed over
        EARLY + LOOP % "if not call.readonly:\n            break\n        if not call.whole:\n            continue",
        # an order is passed over
        EARLY + LOOP % "if not call.whole:\n            break\n        if not call.readonly:\n            continue",
        # an open order is passed over
        EARLY
        + LOOP
        % ("if call.whole and not call.readonly:\n            break\n        if not call.whole:\n            continue"),
        # orders start too
        EARLY + LOOP % "if not call.whole:\n            break",
        # only where there is no order at all
        EARLY + "    if not all(c.readonly for c in calls):\n        return []\n"
        "    return [i for i, c in enumerate(calls) if c.whole]\n",
        # an order holds the next call only
        EARLY + "    places = []\n    for i, c in enumerate(calls):\n        if not c.whole:\n            break\n"
        "        if c.readonly and (i == 0 or calls[i - 1].readonly):\n"
        "            places.append(i)\n    return places\n",
        # only the newest
        EARLY + "    return [len(calls) - 1] if calls and all(c.whole and c.readonly for c in calls) else []\n",
        # not before the reply is whole
        EARLY
        + "    if not all(c.whole for c in calls):\n        return []\n"
        + LOOP % "if not call.readonly:\n            break",
        # the list is emptied
        EARLY + "    places = []\n    while calls and calls[0].whole and calls[0].readonly:\n"
        "        calls.pop(0)\n        places.append(len(places))\n    return places\n",
        # the calls in place of their places
        EARLY + STOP.replace("append(place)", "append(call)"),
        # None where there is nothing
        EARLY + STOP.replace("return places", "return places or None"),
    ),
}
