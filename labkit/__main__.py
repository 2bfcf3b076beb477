"""The commands behind ``lab.py``: ``run``, ``serve``, ``check``, ``rebuild``, ``bench``.

Does not: make the environment; ``lab.py`` does.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from labkit.commands import check, play, rebuild
from labkit.commands.playing import tasks
from labkit.paths import repository


def main(arguments: list[str]) -> int:
    """Do one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="lab.py", description="Learn how a language model calls tools.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="play a scripted task in the terminal")
    run.add_argument("task", nargs="?", default="", help=f"one of {', '.join(tasks())}")
    served = commands.add_parser("serve", help="play a script to any client over HTTP, on this machine only")
    served.add_argument("script", nargs="?", default="", help="a task, as for run, or the path of a JSON file")
    served.add_argument("--port", default="0", help="any free one without it")
    served.add_argument("--drip", default="0", help="seconds between the pieces of a stream")
    served.add_argument("--quirk", default="none", help="how a stream deviates, such as no_index")
    commands.add_parser("check", help="check this environment")
    again = commands.add_parser("rebuild", help="run chapters again and store their outputs")
    again.add_argument("chapter", nargs="?", help="two digits, such as 05; all chapters without it")
    commands.add_parser("bench", help="measure labkit, as ratios")
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        return play(chosen.task, _say)
    if chosen.command == "serve":
        from labkit.commands.serving import serve  # the only command that needs a server

        return serve(chosen.script, _say, chosen.port, chosen.drip, chosen.quirk)
    if chosen.command == "check":
        return check(_say)
    if chosen.command == "rebuild":
        return rebuild(chosen.chapter, _say)
    measured = runpy.run_path(str(repository() / "tests" / "bench" / "bench.py"))
    return int(measured["main"](_say))


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
