"""Keys that a widget needs are left to it, in the lab that lab.py opens."""

from __future__ import annotations

import json
from pathlib import Path

from labkit.opening.keys import FILE, NOTEBOOK, leave_keys_to_widgets, rebound

COMMAND_MODE = ".jp-Notebook.jp-mod-commandMode:not(.jp-mod-readWrite) :focus"
SHORTCUTS = [
    {"command": "notebook:move-cursor-down", "keys": ["ArrowDown"], "selector": COMMAND_MODE},
    {"command": "notebook:delete-cell", "keys": ["D", "D"], "selector": COMMAND_MODE},
    {"command": "notebook:run-cell", "keys": ["Accel Enter"], "selector": COMMAND_MODE},
    {"command": "notebook:run-and-insert", "keys": ["Alt Enter"], "selector": COMMAND_MODE},
    {"command": "notebook:move-cell-up", "keys": ["Ctrl Shift ArrowUp"], "selector": COMMAND_MODE},
    {"command": "notebook:enter-command-mode", "keys": ["Escape"], "selector": ".jp-Notebook.jp-mod-editMode"},
    {"command": "notebook:trust", "keys": [], "selector": COMMAND_MODE},
]


def test_one_key_commands_are_bound_anew_but_for_widgets() -> None:
    off, on = rebound(SHORTCUTS)[:2], rebound(SHORTCUTS)[2:]
    assert off == [{**each, "disabled": True} for each in SHORTCUTS[:2]]
    assert [each["keys"] for each in on] == [["ArrowDown"], ["D", "D"]]
    assert {each["selector"] for each in on} == {COMMAND_MODE + ":not(.jupyter-widgets *)"}


def test_it_is_written_once_and_a_learner_s_own_setting_stays(tmp_path: Path) -> None:
    schemas, settings = tmp_path / "schemas", tmp_path / "settings"
    (schemas / NOTEBOOK).parent.mkdir(parents=True)
    (schemas / NOTEBOOK).write_text(json.dumps({"jupyter.lab.shortcuts": SHORTCUTS}), encoding="utf-8")
    leave_keys_to_widgets(settings, schemas)
    assert len(json.loads((settings / FILE).read_text(encoding="utf-8"))["shortcuts"]) == 4
    (settings / FILE).write_text("{}", encoding="utf-8")
    leave_keys_to_widgets(settings, schemas)
    assert (settings / FILE).read_text(encoding="utf-8") == "{}"


def test_a_jupyterlab_of_another_form_is_left_alone(tmp_path: Path) -> None:
    schemas, settings = tmp_path / "schemas", tmp_path / "settings"
    leave_keys_to_widgets(settings, schemas)
    (schemas / NOTEBOOK).parent.mkdir(parents=True)
    for text in ("", "[]", '{"jupyter.lab.shortcuts": [{"keys": 5}]}'):
        (schemas / NOTEBOOK).write_text(text, encoding="utf-8")
        leave_keys_to_widgets(settings, schemas)
    assert not (settings / FILE).exists()
