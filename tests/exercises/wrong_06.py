"""Tempting wrong answers to the exercises of chapter 06: each takes the stub's place, and each must fail."""

POOL = "from concurrent.futures import ThreadPoolExecutor, as_completed\ndef run_together(calls, tools):\n"
SIZED = "    with ThreadPoolExecutor(max_workers=max(1, len(calls))) as pool:\n"

THREAD = "from queue import Empty, SimpleQueue\nfrom threading import Thread\ndef limited(fn, seconds):\n"
OURS = (
    THREAD + "    box = SimpleQueue()\n    def work():\n        try:\n            box.put(('ok', fn()))\n"
    "        except BaseException as problem:\n            box.put(('error', type(problem).__name__))\n"
    "    Thread(target=work, daemon=True).start()\n    try:\n        return box.get(timeout=seconds)\n"
    "    except Empty:\n        return ('timeout', None)\n"
)

WRONG: dict[str, tuple[str, ...]] = {
    "06.1": (
        # one after the other, as in chapter 00
        "def run_together(calls, tools):\n    return [tools[n](**args) for n, args in calls]\n",
        # futures in place of results
        POOL + SIZED + "        return [str(type(pool.submit(tools[n], **a)).__name__) for n, a in calls]\n",
        # as they come
        POOL + SIZED + "        futures = [pool.submit(tools[n], **args) for n, args in calls]\n"
        "        return [future.result() for future in as_completed(futures)]\n",
        # by the name of the tool
        POOL + SIZED + "        futures = {n: pool.submit(tools[n], **args) for n, args in calls}\n"
        "        return [future.result() for future in futures.values()]\n",
        # by name and arguments
        POOL + SIZED + "        futures = {n + str(args): pool.submit(tools[n], **args) for n, args in calls}\n"
        "        return [future.result() for future in futures.values()]\n",
        # a pool that is too small
        POOL + "    with ThreadPoolExecutor(max_workers=4) as pool:\n"
        "        futures = [pool.submit(tools[n], **args) for n, args in calls]\n"
        "        return [future.result() for future in futures]\n",
        # a pool that can't be made for no calls
        POOL + "    with ThreadPoolExecutor(max_workers=len(calls)) as pool:\n"
        "        futures = [pool.submit(tools[n], **args) for n, args in calls]\n"
        "        return [future.result() for future in futures]\n",
        # the caller's list is used up
        POOL + SIZED + "        futures = []\n        while calls:\n            name, args = calls.pop(0)\n"
        "            futures.append(pool.submit(tools[name], **args))\n"
        "        return [future.result() for future in futures]\n",
    ),
    "06.2": (
        # the version by hand, as it stands in the chapter
        THREAD + "    box = SimpleQueue()\n    Thread(target=lambda: box.put(fn()), daemon=True).start()\n"
        "    try:\n        return box.get(timeout=seconds)\n    except Empty:\n        return 'timeout'\n",
        # a failure looks like a timeout
        THREAD + "    import threading\n    box = SimpleQueue()\n    threading.excepthook = lambda _: None\n"
        "    Thread(target=lambda: box.put(('ok', fn())), daemon=True).start()\n"
        "    try:\n        return box.get(timeout=seconds)\n    except Empty:\n        return ('timeout', None)\n"
        "    finally:\n        threading.excepthook = threading.__excepthook__\n",
        # None is taken for no value
        THREAD + "    box = []\n    work = Thread(target=lambda: box.append(fn()), daemon=True)\n    work.start()\n"
        "    work.join(seconds)\n    value = box[0] if box else None\n"
        "    return ('timeout', None) if value is None else ('ok', value)\n",
        # the text of the exception
        OURS.replace("type(problem).__name__", "str(len(str(problem)))"),
        # sys.exit is no Exception
        OURS.replace("BaseException", "Exception"),
        # whatever is an exception was raised
        THREAD + "    box = SimpleQueue()\n    def work():\n        try:\n            box.put(fn())\n"
        "        except BaseException as problem:\n            box.put(problem)\n"
        "    Thread(target=work, daemon=True).start()\n    try:\n        value = box.get(timeout=seconds)\n"
        "    except Empty:\n        return ('timeout', None)\n"
        "    failed = isinstance(value, BaseException)\n"
        "    return ('error', type(value).__name__) if failed else ('ok', value)\n",
        # a pool that is left, and so waited for
        "from concurrent.futures import ThreadPoolExecutor\ndef limited(fn, seconds):\n"
        "    with ThreadPoolExecutor(1) as pool:\n        future = pool.submit(fn)\n        try:\n"
        "            return ('ok', future.result(timeout=seconds))\n        except BaseException as problem:\n"
        "            if not future.done():\n                return ('timeout', None)\n"
        "            return ('error', type(problem).__name__)\n",
        # no limit at all
        "def limited(fn, seconds):\n    try:\n        return ('ok', fn())\n"
        "    except BaseException as problem:\n        return ('error', type(problem).__name__)\n",
        # a thread that holds the end of the program
        OURS.replace("daemon=True", "daemon=False"),
        # a TimeoutError of the function's own is taken for ours
        OURS.replace(
            "type(problem).__name__))",
            "type(problem).__name__) if not isinstance(problem, TimeoutError) else ('timeout', None))",
        ),
        # the whole limit is slept away
        OURS.replace(
            "    try:\n        return box", "    import time\n    time.sleep(seconds)\n    try:\n        return box"
        ),
        # a limit of its own
        OURS.replace("timeout=seconds", "timeout=0.05"),
        # called once more for the value
        OURS.replace("box.put(('ok', fn()))", "fn()\n            box.put(('ok', fn()))"),
    ),
    "06.3": (
        # those that wait for it directly
        "def held(plan, hung):\n    if plan.calls[hung].kind == 'read':\n        return set()\n"
        "    return {i for i in range(len(plan)) if hung in plan[i]}\n",
        # all that stand behind it
        "def held(plan, hung):\n    if plan.calls[hung].kind == 'read':\n        return set()\n"
        "    return set(range(hung + 1, len(plan)))\n",
        # reads and writes alike
        "def held(plan, hung):\n    return plan.depends_on([hung])\n",
        # everybody else
        "def held(plan, hung):\n    return set(range(len(plan))) - {hung}\n",
        # with the hung call itself
        "def held(plan, hung):\n    return plan.depends_on([hung]) | {hung}\n",
        # only the next one
        "def held(plan, hung):\n    if plan.calls[hung].kind == 'read':\n        return set()\n"
        "    return {i for i in [hung + 1] if i < len(plan) and plan[i]}\n",
        # only reads are held
        "def held(plan, hung):\n    if plan.calls[hung].kind == 'read':\n        return set()\n"
        "    return {i for i in plan.depends_on([hung]) if plan.calls[i].kind == 'read'}\n",
    ),
}
