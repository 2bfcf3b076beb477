"""Opens the lab on the learner's own copy of the chapters, and puts chapters back as shipped.

For every chapter; ``lab.py`` runs ``python -m labkit.opening open`` and ``reset``.

    >>> main(["reset", "05"])
    0

Does not: make the environment it runs in (``lab.py`` does), know what the chapters teach.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path

from labkit.opening.copies import Followed, chapters, follow, put_back
from labkit.opening.serving import FIRST, serve

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """The commands ``open`` and ``reset`` of lab.py; returns the exit code."""
    root = Path(__file__).resolve().parents[2]
    asked = _parser().parse_args(arguments)
    if asked.command == "reset":
        return _reset(root, asked.chapter)
    followed = follow(root / "notebooks", root / "my")
    _tell(followed)
    return serve(root, asked.port, asked.browser)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lab.py", description="Open the lab, or put chapters back as shipped.")
    commands = parser.add_subparsers(dest="command", required=True)
    opening = commands.add_parser("open", prog="lab.py")
    opening.add_argument("--no-browser", dest="browser", action="store_false", help="print the address only")
    opening.add_argument("--port", type=int, help="listen here instead of on the first free port from 8888")
    reset = commands.add_parser("reset", prog="lab.py reset")
    reset.add_argument("chapter", nargs="?", help="such as 05; all chapters where it is left out")
    return parser


def _tell(followed: Followed) -> None:
    if FIRST in followed.new and len(followed.new) > 1:
        print("Your own copy of the chapters is in my/.")
    elif followed.new:
        print(f"New in my/: {', '.join(followed.new)}.")
    if followed.renewed:
        print(f"Brought up to date in my/: {', '.join(followed.renewed)}.")
    if followed.behind:
        print(f"Kept as you changed them, though newer ones exist: {', '.join(followed.behind)}.")
        print(f"python lab.py reset {followed.behind[0][:2]} takes the new one and keeps yours beside it.")


def _reset(root: Path, wanted: str | None) -> int:
    try:
        names = chapters(root / "notebooks", wanted)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for name in names:
        kept = put_back(root / "notebooks", root / "my", name, datetime.date.today())
        print(f"my/{name} is as shipped." + (f" Your version is kept as my/{kept}." if kept else ""))
    return 0
