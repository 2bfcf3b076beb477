"""The labs of the chapters: knobs, and a picture that answers to them. The only room that knows ipywidgets.

For every chapter with a lab.

    >>> injector = ArgumentLab()
    >>> injector.controls["fault"].value = "cut_json"
    >>> print(injector.text())

Does not: decide anything. What a lab shows is made by functions of lower rooms, the same that the chapter calls.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labkit.widgets.argument import ArgumentLab
    from labkit.widgets.channels import ChannelsLab
    from labkit.widgets.declaration import DeclarationLab
    from labkit.widgets.quiz import Quiz
    from labkit.widgets.transcript import TranscriptLab

__all__ = ["ArgumentLab", "ChannelsLab", "DeclarationLab", "Quiz", "TranscriptLab"]

_HOMES = {
    "ArgumentLab": "argument",
    "ChannelsLab": "channels",
    "DeclarationLab": "declaration",
    "Quiz": "quiz",
    "TranscriptLab": "transcript",
}


def __getattr__(name: str) -> Any:
    """Load a lab when it is asked for: a chapter needs one of them."""
    if name not in _HOMES:
        raise AttributeError(f"labkit.widgets has no {name}; it has {', '.join(__all__)}")
    globals()[name] = getattr(import_module(f"labkit.widgets.{_HOMES[name]}"), name)
    return globals()[name]
