"""Tempting wrong answers to the exercises of chapter 05: each takes the stub's place, and each must fail."""

CHAIN = "def longest(waits_for, lengths):\n"
PAIR = "def conflict(one, other):\n    (kind, path), (other_kind, other_path) = one, other\n"
READS = '    if kind == other_kind == "read":\n        return False\n'
NONE = "    if path is None or other_path is None:\n        return True\n"
PARTS = '    a, b = path.split("/"), other_path.split("/")\n    n = min(len(a), len(b))\n    return a[:n] == b[:n]\n'

WRONG: dict[str, tuple[str, ...]] = {
    "05.1": (
        # one after the other
        CHAIN + "    return sum(lengths)\n",
        # everything overlaps
        CHAIN + "    return max(lengths, default=0)\n",
        # only the call just before counts
        CHAIN + "    return max((n + max((lengths[j] for j in waits_for[i]), default=0)"
        " for i, n in enumerate(lengths)), default=0)\n",
        # all that are waited for run one after the other
        CHAIN + "    def end(i):\n        return lengths[i] + sum(end(j) for j in waits_for[i])\n"
        "    return max((end(i) for i in range(len(lengths))), default=0)\n",
        # the last call is taken for the last one to end
        CHAIN + "    def end(i):\n        return lengths[i] + max((end(j) for j in waits_for[i]), default=0)\n"
        "    return end(len(lengths) - 1) if lengths else 0\n",
        # calls wait for earlier calls only
        CHAIN + "    ends = []\n    for i, n in enumerate(lengths):\n"
        "        ends.append(n + max((ends[j] for j in waits_for[i]), default=0))\n    return max(ends, default=0)\n",
        # the same, and what is not known yet is taken for 0
        CHAIN + "    ends = {}\n    for i, n in enumerate(lengths):\n"
        "        ends[i] = n + max((ends.get(j, 0) for j in waits_for[i]), default=0)\n"
        "    return max(ends.values(), default=0)\n",
        # the chain of the most calls
        CHAIN + "    def chain(i):\n        tails = [chain(j) for j in waits_for[i]]\n"
        "        return [i, *max(tails, key=len, default=[])]\n"
        "    chains = [chain(i) for i in range(len(lengths))]\n"
        "    return sum(lengths[i] for i in max(chains, key=len, default=[]))\n",
        # of those that are waited for, the longest itself and not the last to end
        CHAIN + "    def end(i):\n        longest = max(waits_for[i], key=lambda j: lengths[j], default=None)\n"
        "        return lengths[i] + (0 if longest is None else end(longest))\n"
        "    return max((end(i) for i in range(len(lengths))), default=0)\n",
        # no calls
        CHAIN + "    def end(i):\n        return lengths[i] + max((end(j) for j in waits_for[i]), default=0)\n"
        "    return max(end(i) for i in range(len(lengths)))\n",
    ),
    "05.2": (
        # everything keeps its order
        PAIR + "    return True\n",
        # only the second call is asked what it does
        PAIR + '    return other_kind == "edit" and path == other_path\n',
        # only the first call is asked what it does
        PAIR + '    return kind == "edit" and path == other_path\n',
        # two edits always meet
        PAIR + '    if kind == other_kind:\n        return kind == "edit"\n' + NONE + PARTS,
        # a read and an edit only
        PAIR + "    return kind != other_kind and (path is None or other_path is None or path == other_path)\n",
        # folders are names like any other
        PAIR + READS + NONE + "    return path == other_path\n",
        # one direction
        PAIR + READS + NONE + '    return other_path == path or other_path.startswith(path + "/")\n',
        # letter by letter
        PAIR + READS + NONE + "    return path.startswith(other_path) or other_path.startswith(path)\n",
        # the first part of a path decides
        PAIR + READS + NONE + '    return path.split("/")[0] == other_path.split("/")[0]\n',
        # only the folder right above
        PAIR + READS + NONE + '    return path == other_path or path.rpartition("/")[0] == other_path '
        'or other_path.rpartition("/")[0] == path\n',
        # the last part of a path decides
        PAIR + READS + NONE + '    return path.split("/")[-1] == other_path.split("/")[-1] or '
        'path.startswith(other_path + "/") or other_path.startswith(path + "/")\n',
        # what touches nothing that is known touches nothing
        PAIR + READS + "    if path is None or other_path is None:\n        return False\n" + PARTS,
        # only the first may touch everything
        PAIR
        + READS
        + "    if path is None:\n        return True\n    if other_path is None:\n        return False\n"
        + PARTS,
        # nothing is like everything, so both of them are alike
        PAIR + NONE + READS + PARTS,
    ),
    "05.3": (
        # a length is missing
        'batch = """\nedit tea.txt\nread tea.txt 40\n"""\n',
        # more calls than needed
        'batch = """\n' + "".join(f"edit file_{n}.txt 100\n" for n in range(5)) + 'read file_0.txt 1\n"""\n',
        # reads overlap under barriers too
        'batch = """\nread tea.txt 100\nread rye.txt 100\nread oat.txt 100\nedit tea.txt 1\nread tea.txt 1\n"""\n',
        # one file: by_resource can't overlap anything
        'batch = """\nedit tea.txt 50\nread tea.txt 50\nedit tea.txt 50\n"""\n',
        # one call is so long that the others hardly count
        'batch = """\nedit tea.txt 200\nedit rye.txt 40\nedit oat.txt 40\nedit fig.txt 40\nread tea.txt 40\n"""\n',
        # fast, but no read overtakes anything
        'batch = """\nedit tea.txt 100\nedit rye.txt 100\nedit oat.txt 100\nedit fig.txt 100\n"""\n',
    ),
}
