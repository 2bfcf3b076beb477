"""05.2: whether two calls of one message have to keep their order."""

from __future__ import annotations

from labkit.course.exercise import Case, Exercise

CONFLICT = Exercise(
    id="05.2",
    title="Must they keep their order?",
    names=("conflict",),
    cases=(
        Case(
            "an edit and a read of the same file keep their order",
            'conflict(("edit", "tea.txt"), ("read", "tea.txt"))',
            True,
            "What would the read say if it came first?",
        ),
        Case(
            "so do a read and an edit: it does not matter which comes first",
            'conflict(("read", "tea.txt"), ("edit", "tea.txt"))',
            True,
            "Do you look at the first call only? Either of the two may be the edit.",
        ),
        Case(
            "two reads never disturb each other",
            'conflict(("read", "tea.txt"), ("read", "tea.txt"))',
            False,
            "Both look, and neither changes anything. Which rule comes before all questions of files?",
        ),
        Case(
            "calls that touch different files have nothing to do with each other",
            'conflict(("edit", "tea.txt"), ("edit", "rye.txt"))',
            False,
            "Two edits may overlap. When?",
        ),
        Case(
            "two edits of one file keep their order",
            'conflict(("edit", "tea.txt"), ("edit", "tea.txt"))',
            True,
            "The second edit works on what the first one left.",
        ),
        Case(
            "a folder stands for what is in it",
            'conflict(("read", "shop"), ("edit", "shop/tea.txt"))',
            True,
            "A list of the folder shows the file. How does a path say which folder it is in?",
        ),
        Case(
            "and the other way round",
            'conflict(("read", "shop/tea.txt"), ("edit", "shop"))',
            True,
            "Here the second path is the beginning of the first. Do you look in both directions?",
        ),
        Case(
            "a name that begins alike is no folder",
            'conflict(("edit", "tea"), ("read", "teapot"))',
            False,
            "`teapot` begins with `tea`, letter by letter. Where does a part of a path end?",
        ),
        Case(
            "two files of one folder are two files",
            'conflict(("edit", "shop/tea.txt"), ("edit", "shop/rye.txt"))',
            False,
            "They share their folder. Does either of them touch the folder itself?",
        ),
        Case(
            "a folder stands for what is deep in it, too",
            'conflict(("edit", "shop"), ("read", "shop/back/tea.txt"))',
            True,
            "`shop` is not the folder right above that file. Do you go only one step up?",
        ),
        Case(
            "files of one name in two folders are two files",
            'conflict(("edit", "shop/tea.txt"), ("read", "cellar/tea.txt"))',
            False,
            "Only their last parts are alike. At which end of a path do you begin to compare?",
        ),
        Case(
            "a folder of that name inside another one is another folder",
            'conflict(("edit", "shop"), ("read", "old/shop/tea.txt"))',
            False,
            "`shop` stands in the middle of the second path, and `old/shop` is not `shop`. Where must a path begin?",
        ),
        Case(
            "two files of one folder are two files, however deep it is",
            'conflict(("edit", "shop/back/tea.txt"), ("edit", "shop/back/rye.txt"))',
            False,
            "Do you compare a fixed number of parts?",
        ),
        Case(
            "None touches everything",
            'conflict(("edit", None), ("read", "tea.txt"))',
            True,
            "Nobody knows what this call touches. What has to be assumed?",
        ),
        Case(
            "also where None comes second",
            'conflict(("edit", "tea.txt"), ("read", None))',
            True,
            "Do you ask both calls whether they touch everything?",
        ),
        Case(
            "everything against everything is a conflict too",
            'conflict(("edit", None), ("edit", None))',
            True,
            "Both touch everything, so they meet.",
        ),
        Case(
            "two reads of everything are still two reads",
            'conflict(("read", None), ("read", None))',
            False,
            "Which of your questions comes first: what they do, or what they touch?",
        ),
    ),
    hints=(
        "Three questions, in this order: are both reads? Does one of them touch everything? Do the paths meet?",
        'Paths meet where one is the beginning of the other, part by part. `path.split("/")` gives the parts.',
        "Two reads: False. A None: True. Else let a and b be the lists of parts, n the smaller length of the two, and "
        "compare a[:n] with b[:n].",
    ),
    solution='''
def conflict(one, other):
    """Say whether two calls must keep their order."""
    (kind, path), (other_kind, other_path) = one, other
    if kind == other_kind == "read":
        return False
    if path is None or other_path is None:
        return True
    a, b = path.split("/"), other_path.split("/")
    n = min(len(a), len(b))
    return a[:n] == b[:n]
''',
)
