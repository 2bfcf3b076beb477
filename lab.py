#!/usr/bin/env python3
"""Set labkit up in .venv and do what was asked, with nothing but Python itself.

The first call makes the environment; every later one starts in a moment. All that is written stays in
this folder: packages, settings of Jupyter and logs in .venv, your notebooks in my/.

    python lab.py            open the lab
    python lab.py run m2     watch a whole task in the terminal

labkit itself is linked into .venv by a .pth file with a relative path, not built: that needs no network
and no build tool, and the path survives spaces and every alphabet.

Does not: install Python, touch anything outside this folder, or need a name typed twice.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time

TYPE_CHECKING = False  # typing costs a start; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

# Windows keeps the path as typed: resolving a mapped drive there gives a network path that few programs accept.
_HERE = os.path.realpath(__file__) if os.name == "posix" else os.path.abspath(__file__)
ROOT = os.path.dirname(_HERE)
LOWEST = (3, 11)
TRIED = "3.11 to 3.13"
ROOM_NEEDED = 600  # MB; the finished environment takes about half of it

# command -> (what is typed, what it does)
COMMANDS = {
    "open": ("[--no-browser] [--port N]", "open the lab in your browser"),
    "test": ("test [ARGS]", "run every test, library and notebooks; ARGS go to pytest"),
    "run": ("run [TASK]", "play a scripted task in the terminal, such as m2; without TASK: which there are"),
    "serve": ("serve [SCRIPT]", "play a script to any client over HTTP; also --port N, --drip SECONDS, --quirk NAME"),
    "check": ("check", "look at this machine and say what is missing"),
    "reset": ("reset [05]", "put a chapter in my/ back as shipped; yours is kept beside it"),
    "rebuild": ("rebuild [05]", "for maintainers: run chapters again and store their outputs"),
    "lock": ("lock [--upgrade]", "for maintainers: renew the lists of exact package versions"),
    "bench": ("bench", "for maintainers: the benchmark, as ratios"),
}

# How .venv can stand -> what is said before it is made, or made again.
STATES = {
    "missing": "Setting labkit up in .venv: once, about a minute, about 300 MB.",
    "half-made": "The .venv here was not finished by lab.py. Making it again.",
    "no Python": "The Python that .venv was made with is gone. Making .venv again.",
    "moved": "This folder has been moved or copied. Making .venv again.",
    "other Python": "This is another Python than .venv was made with. Making .venv again.",
    "new lock": "The list of packages has changed. Bringing .venv up to date.",
}

# What an installer's log says -> a sentence and a remedy. The first that fits is used.
DIAGNOSES = (
    (
        r"No space left|not enough space|disk quota|os error (?:28|112)\b",
        "The disk is full.",
        "Free about 600 MB and run the same command again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|invalid peer certificate|UnknownIssuer",
        "The package index could not be trusted: its certificate is not known here.",
        "Behind a company proxy, set SSL_CERT_FILE and PIP_CERT to the company's certificate file and try again.",
    ),
    (
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed|tunnel error|407 Proxy|proxy (?:refused|error)",
        "The proxy refused the connection to the package index.",
        "Check HTTPS_PROXY (and HTTP_PROXY), with name and password where the proxy wants them, and try again.",
    ),
    (
        r"NewConnectionError|name resolution|getaddrinfo|dns error|timed out|ConnectTimeout|Network is unreachable"
        r"|Connection refused|Connection reset|Failed to fetch|error sending request|Max retries exceeded",
        "The package index could not be reached.",
        "Check the network, or set HTTPS_PROXY where a proxy is needed; then run the same command again.",
    ),
    (
        r"No matching distribution|no version of|has no wheels|Failed to build|metadata-generation-failed"
        r"|Could not build wheels|No solution found",
        "A package has no ready-made build for this Python or this kind of machine.",
        "Use Python " + TRIED + " from python.org or conda.",
    ),
    (
        r"Permission denied|Access is denied|PermissionError|os error (?:5|13|32)\b",
        "A file in .venv could not be written.",
        "Stop every program that uses .venv (JupyterLab, an editor), and try again.",
    ),
)


class Stop(Exception):
    """Ends lab.py with one sentence and a remedy instead of a traceback."""

    def __init__(self, sentence: str, remedy: str) -> None:
        super().__init__(sentence)
        self.sentence, self.remedy = sentence, remedy


def main(arguments: list[str]) -> int:
    """Do one command; returns its exit code (2 for a command that does not exist)."""
    with contextlib.suppress(AttributeError, ValueError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    command, rest = split(arguments)
    if command == "help":
        print(usage())
        return 0
    if command not in COMMANDS:
        say(f"lab.py has no command {command!r}.\n\n{usage()}")
        return 2
    try:
        refuse(too_old(sys.version_info[:2], shutil.which))
        return hand_over(command, rest, ready(ROOT))
    except Stop as stop:
        say(f"{stop.sentence}\n{stop.remedy}")
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130


def split(arguments: list[str]) -> tuple[str, list[str]]:
    """The command and what follows it; no command, or an option first, opens the lab."""
    if arguments and arguments[0] in ("-h", "--help", "help"):
        return "help", []
    if not arguments or arguments[0].startswith("-"):
        return "open", list(arguments)
    return arguments[0], list(arguments[1:])


def usage() -> str:
    """The table of commands."""
    lines = [f"  python lab.py {typed:<27}{does}" for typed, does in COMMANDS.values()]
    return "\n".join(["labkit: how a language model calls tools", "", *lines])


def say(line: str) -> None:
    """Progress and complaints go to stderr, so that what a command prints can be kept in a file."""
    with contextlib.suppress(OSError):  # nobody reading it is no reason to stop half-way
        print(line, file=sys.stderr, flush=True)


# ---- handing over to the environment's Python ----


def hand_over(command: str, rest: list[str], python: str) -> int:
    """Run the command with the environment's own Python; on POSIX this process becomes that one."""
    env = environment(ROOT, dict(os.environ))
    if command == "lock":
        return lock(ROOT, python, env, rest)
    if command in ("open", "reset"):
        return become([python, "-m", "labkit.opening", command, *rest], env)
    if command in ("test", "rebuild"):
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LABKIT_MODEL", "LABKIT_PROGRESS"):
            env.pop(name, None)  # stored outputs and tests belong to the scripted model and to nobody's progress
    if command == "test":
        rest = test_arguments(rest, os.getcwd(), ROOT)
        os.chdir(ROOT)
        return become([python, "-m", "pytest", "-p", "tests.counting", *rest], env)
    return become([python, "-m", "labkit", command, *rest], env)


def become(command: list[str], env: dict[str, str]) -> int:
    """Start the command in place of this process, or wait for it where the system has no such thing."""
    if sys.platform != "win32":
        os.execve(command[0], command, env)
    child = subprocess.Popen(command, env=env)
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C reaches the child too; it decides
            return child.wait()


def environment(root: str, given: dict[str, str]) -> dict[str, str]:
    """The children's environment: all that Jupyter and IPython keep stays in .venv. Pure.

    What would load other code or settings than the shipped ones is left out; loopback needs no proxy.
    """
    venv = os.path.join(root, ".venv")
    own = os.path.join(venv, "jupyter")
    foreign = (
        *("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONDONTWRITEBYTECODE"),
        *("JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "JUPYTER_TOKEN"),
    )
    env = {name: value for name, value in given.items() if name not in foreign}
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "MPLCONFIGDIR": "matplotlib",
    }
    env.update({name: os.path.join(own, folder) for name, folder in folders.items()})
    env.update(VIRTUAL_ENV=venv, PYTHONUTF8="1", JUPYTER_PLATFORM_DIRS="1")
    env["PYTHONPYCACHEPREFIX"] = os.path.join(venv, "pycache")  # none in the checkout, and the second start is quick
    env["PATH"] = os.pathsep.join(filter(None, [os.path.dirname(python_in(venv)), given.get("PATH", "")]))
    direct = ",".join(filter(None, [given.get("NO_PROXY") or given.get("no_proxy"), "127.0.0.1,localhost"]))
    env.update(NO_PROXY=direct, no_proxy=direct)
    return env


def test_arguments(arguments: list[str], here: str, root: str) -> list[str]:
    """What pytest gets: paths that were meant from ``here``, and two workers where everything is run. Pure but for
    asking which paths exist.

    ``loadscope`` keeps the cells of a notebook together and in order. A narrower choice runs in one process.
    """
    everything = all(one in ("-q", "-v", "-vv", "-x") or one.startswith("--") for one in arguments)
    workers = ["-n", "2", "--dist", "loadscope"] if everything and "--pdb" not in arguments else []
    return workers + [_from(here, one) if here != root else one for one in arguments]


def _from(here: str, argument: str) -> str:
    option, equals, value = argument.partition("=")
    if equals and option in ("--junitxml", "--junit-xml"):
        return option + equals + os.path.join(here, value)
    path, colons, test = argument.partition("::")
    place = os.path.join(here, path)
    return place + colons + test if path and not path.startswith("-") and os.path.exists(place) else argument


def lock(root: str, python: str, env: dict[str, str], rest: list[str]) -> int:
    """Write both lists of exact versions from pyproject.toml; pins stay as they are unless ``--upgrade``."""
    if set(rest) - {"--upgrade"}:
        raise Stop("lock takes no argument but --upgrade.", "Type: python lab.py lock --upgrade")
    shape = ["--universal", "--python-version", "{}.{}".format(*LOWEST), "--no-header", "--quiet"]
    silent = ["--no-emit-index-url", "--no-emit-find-links"]  # a lock names versions, never where they come from
    targets = {
        "requirements.lock": ["--extra", "lab", "--extra", "test"],
        "requirements-dev.lock": ["--extra", "dev", "--constraint", "requirements.lock"],
    }
    for name, choice in targets.items():
        command = [python, "-m", "uv", "pip", "compile", "pyproject.toml", *choice, *shape, *silent, *rest, "-o", name]
        if subprocess.call(command, cwd=root, env=dict(env, UV_CACHE_DIR=os.path.join(root, ".venv", "cache"))):
            raise Stop(f"{name} could not be renewed.", "The lines above say why; it stays as it was.")
        with open(os.path.join(root, name), encoding="utf-8") as file:
            print(f"{name}: {sum('==' in line for line in file)} packages")
    return 0


# ---- making the environment ----


def ready(root: str) -> str:
    """The path of the environment's Python, made or brought up to date first where needed."""
    venv = os.path.join(root, ".venv")
    now = fingerprint(root)
    if state(venv, now) != "ready":
        refuse(unfit(root, importlib.util.find_spec, shutil.disk_usage))
        with alone(venv):
            found = state(venv, now)  # another lab.py may have done it while this one waited
            if found != "ready":
                set_up(root, venv, now, found)
    return python_in(venv)


def fingerprint(root: str) -> dict[str, str]:
    """What an environment was made from: if any of it differs, the environment is not the right one."""
    try:
        with open(os.path.join(root, "requirements.lock"), "rb") as file:
            wanted = hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        raise Stop("requirements.lock is missing.", "Get the whole project again; this copy is not complete.") from None
    python = f"{sys.implementation.cache_tag} {sys.platform}"
    return {"checkout": os.path.normcase(root), "python": python, "lock": wanted}


def state(venv: str, now: dict[str, str]) -> str:
    """How the environment stands: ``ready``, or a key of STATES."""
    try:
        with open(os.path.join(venv, "labkit-stamp.json"), encoding="utf-8") as file:
            made = dict(json.load(file))
    except (OSError, ValueError, TypeError):
        return "half-made" if os.path.exists(os.path.join(venv, "pyvenv.cfg")) else "missing"
    if made.get("checkout") != now["checkout"]:
        return "moved"
    if made.get("python") != now["python"]:
        return "other Python"
    if not os.path.exists(python_in(venv)):
        return "no Python"
    return "ready" if made == now else "new lock"


def python_in(venv: str) -> str:
    """Where an environment keeps its Python on this system."""
    return os.path.join(venv, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def refuse(problem: tuple[str, str] | None) -> None:
    """Stop where there is a problem."""
    if problem:
        raise Stop(*problem)


def too_old(version: tuple[int, int], which: Callable[[str], str | None]) -> tuple[str, str] | None:
    """Sentence and remedy for a Python that is too old, naming a newer one if the search path has it."""
    if tuple(version) >= LOWEST:
        return None
    sentence = "labkit needs Python {}.{} or newer; this is Python {}.{}.".format(*LOWEST, *version)
    newer = next((name for name in ("python3.13", "python3.12", "python3.11") if which(name)), None)
    if newer:
        return sentence, f"There is a newer one here. Type: {newer} lab.py"
    return sentence, "Install a newer Python (python.org, conda, or the system's packages) and start lab.py with it."


def unfit(root: str, find_spec: Callable[[str], Any], disk_usage: Callable[[str], Any]) -> tuple[str, str] | None:
    """Sentence and remedy for what would make the set-up fail, or None."""
    version = "{}.{}".format(*sys.version_info)
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        return (
            "This Python comes without the parts that make environments (venv and ensurepip).",
            f"On Debian and Ubuntu: sudo apt install python{version}-venv. Elsewhere: install Python from python.org.",
        )
    if os.pathsep in root:
        return f"The folder's path contains {os.pathsep!r}.", "Move the folder to a path without it, and try again."
    if not os.access(root, os.W_OK):
        return (
            "This folder cannot be written to.",
            "Copy it to a place of your own, such as your home folder, and start lab.py there.",
        )
    free = disk_usage(root).free // 1_000_000
    if free < ROOM_NEEDED:
        return f"The disk has {free} MB left; setting up takes up to {ROOM_NEEDED} MB.", "Free some room and try again."
    return None


@contextlib.contextmanager
def alone(venv: str) -> Iterator[None]:
    """Hold the environment's lock, so that two lab.py never write to it at once."""
    try:
        os.makedirs(venv, exist_ok=True)
        with open(os.path.join(venv, "labkit.lock"), "ab"):
            pass
    except OSError as error:
        raise Stop(*cannot_write(error)) from None
    with open(os.path.join(venv, "labkit.lock"), "r+b") as file:
        if not _taken(file):
            say("Another lab.py is setting up here. Waiting for it.")
            while not _taken(file):
                time.sleep(0.2)
        yield


def _taken(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # A file system without locks must not stop a single learner.
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


def cannot_write(error: OSError) -> tuple[str, str]:
    """Sentence and remedy for a file of .venv that could not be written or removed."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "The disk is full.", f"Free about {ROOM_NEEDED} MB and run the same command again."
    if error.errno == errno.EROFS:
        return "This folder cannot be written to.", "Copy it to a place of your own and start lab.py there."
    return (
        f".venv cannot be written to ({os.strerror(error.errno or errno.EIO)}).",
        "Stop every program that uses it (JupyterLab, an editor), or remove the folder .venv; then try again.",
    )


def set_up(root: str, venv: str, now: dict[str, str], found: str) -> None:
    """Make the environment, or bring it up to date. The stamp comes last: without it nothing is trusted."""
    say(STATES[found])
    began = time.monotonic()
    stamp = os.path.join(venv, "labkit-stamp.json")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.remove(stamp)
        if found != "new lock":
            clear(venv)
        with open(os.path.join(venv, "install.log"), "w+b") as log:
            install(root, venv, Installer(root, venv, log), anew=found != "new lock")
        shutil.rmtree(os.path.join(venv, "cache"), ignore_errors=True)
        with open(stamp + ".new", "w", encoding="utf-8") as file:
            json.dump(now, file)
        os.replace(stamp + ".new", stamp)
    except OSError as error:
        raise Stop(*cannot_write(error)) from None
    say(f"Ready after {time.monotonic() - began:.0f} s.")


def clear(venv: str) -> None:
    """Empty the environment, but keep what was downloaded and what belongs to the learner: Jupyter's settings."""
    for name in os.listdir(venv):
        path = os.path.join(venv, name)
        if name in ("labkit.lock", "cache", "jupyter"):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def install(root: str, venv: str, installer: Installer, anew: bool) -> None:
    """The steps of a set-up: the environment, the installer, the packages, labkit itself."""
    python = python_in(venv)
    if anew:
        say("  1/3 making the environment for Python {}.{}".format(*sys.version_info))
        # From an activated .venv, its own Python would be asked to make itself again after it was removed.
        installer.must([getattr(sys, "_base_executable", sys.executable), "-m", "venv", venv])
    say("  2/3 fetching the installer")
    pip = [python, "-m", "pip", "install", "--retries", "2"]
    wanted = ["-r", "requirements.lock"]
    fast = installer.tries([*pip, "--constraint", "requirements-dev.lock", "uv"])
    with open(os.path.join(root, "requirements.lock"), encoding="utf-8") as file:
        say(f"  3/3 installing {sum('==' in line for line in file)} packages")
    if not (fast and installer.tries([python, "-m", "uv", "pip", "install", "--python", python, *wanted])):
        installer.must([*pip, *wanted])
    link(root, venv)
    settle(venv)


def link(root: str, venv: str) -> None:
    """Make labkit importable in place: one relative line, plain ASCII, which every Python reads alike."""
    import sysconfig

    places = {"base": venv, "platbase": venv, "installed_base": venv, "installed_platbase": venv}
    packages = sysconfig.get_path("purelib", "venv", vars=places)
    with open(os.path.join(packages, "labkit.pth"), "w", encoding="ascii") as file:
        file.write(os.path.relpath(root, packages) + "\n")


def settle(venv: str) -> None:
    """Write the settings that keep JupyterLab and its kernels quiet; a learner's own choices stay."""
    own = os.path.join(venv, "jupyter")
    files = {
        # No question about news when the lab opens, and no look for updates.
        ("settings", "@jupyterlab", "apputils-extension", "notification.jupyterlab-settings"): (
            '{"fetchNews": "false", "checkForUpdates": false}\n'
        ),
        # Names are completed from live objects alone: jedi would fill a cache in the home folder. The kernel's
        # sockets stay on this machine, so its warning about them would only worry a learner.
        ("ipython", "profile_default", "ipython_kernel_config.py"): (
            "c.IPCompleter.use_jedi = False\nc.IPKernelApp.log_level = 40\n"
        ),
    }
    for place, content in files.items():
        path = os.path.join(own, *place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
            file.write(content)


class Installer:
    """Runs installing commands with their output in the log, and says in plain words what went wrong."""

    def __init__(self, root: str, venv: str, log: BinaryIO) -> None:
        self.root, self.log, self.start = root, log, 0
        cache = os.path.join(venv, "cache")
        self.env = dict(environment(root, dict(os.environ)), PIP_CACHE_DIR=cache, UV_CACHE_DIR=cache)
        if not os.path.exists(os.path.expanduser("~/.rustup")):
            self.env["RUSTUP_HOME"] = cache  # pip asks rustc for its version, which would leave a folder at home
        self.env.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_USER="0", UV_PYTHON_DOWNLOADS="never")

    def tries(self, command: list[str]) -> bool:
        """Whether the command succeeded."""
        self.log.write(("\n$ " + " ".join(command) + "\n").encode("utf-8", "replace"))
        self.log.flush()
        self.start = self.log.tell()
        nothing, together = subprocess.DEVNULL, subprocess.STDOUT
        code = subprocess.call(command, cwd=self.root, env=self.env, stdin=nothing, stdout=self.log, stderr=together)
        self.log.seek(0, os.SEEK_END)
        return code == 0

    def must(self, command: list[str]) -> None:
        """The same, but a failure ends the set-up."""
        if not self.tries(command):
            self.log.seek(self.start)
            raise Stop(*diagnosis(self.log.read().decode("utf-8", "replace")))


def diagnosis(text: str) -> tuple[str, str]:
    """Sentence and remedy for what an installer printed before it gave up. Pure."""
    for pattern, sentence, remedy in DIAGNOSES:
        if re.search(pattern, text, re.IGNORECASE):
            return sentence, remedy + " All it printed is in .venv/install.log."
    return "Setting up did not work.", "What the installer printed is in .venv/install.log."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
