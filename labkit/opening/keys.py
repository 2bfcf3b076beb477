"""Leaves the keys to a knob that has the focus. Else JupyterLab takes the arrow keys, and A, B and D, D for itself.

A knob of a widget is no editor to JupyterLab, so its one-key commands go through, and an arrow key moves to the next
cell instead of to the next option. Each of those commands is bound anew, but for where a widget has the focus.

    >>> leave_keys_to_widgets(settings, schemas)

Acts on one settings file, and only where there is none: what a learner has set stays.

Does not: change commands that need Ctrl or Cmd.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path("@jupyterlab", "shortcuts-extension", "shortcuts.jupyterlab-settings")
NOTEBOOK = Path("@jupyterlab", "notebook-extension", "tracker.json")
FOCUS = ":focus"
ELSEWHERE = ":focus:not(.jupyter-widgets *)"


def leave_keys_to_widgets(settings: Path, schemas: Path) -> None:
    """Write the setting where there is none yet. Where it can't be written, the keys stay JupyterLab's."""
    file = settings / FILE
    try:
        if not file.exists():
            declared = json.loads((schemas / NOTEBOOK).read_text(encoding="utf-8"))["jupyter.lab.shortcuts"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({"shortcuts": rebound(declared)}, indent=1) + "\n", encoding="utf-8")
    except (OSError, ValueError, KeyError, TypeError):
        return


def rebound(shortcuts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is to be set: every one-key command of a notebook switched off, and on again but for widgets."""
    ours = [each for each in shortcuts if each["selector"].endswith(FOCUS) and _is_one_key(each["keys"])]
    off = [{**each, "disabled": True} for each in ours]
    on = [{**each, "selector": each["selector"].removesuffix(FOCUS) + ELSEWHERE} for each in ours]
    return off + on


def _is_one_key(keys: list[str]) -> bool:
    """Say whether keys can be meant for a knob: there are some, and none is pressed with Ctrl, Cmd or Alt."""
    held = {name for key in keys for name in key.split()}
    return bool(keys) and not held & {"Accel", "Ctrl", "Cmd", "Alt"}
