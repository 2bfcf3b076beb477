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
    from labkit.widgets.concurrency import ConcurrencyLab
    from labkit.widgets.declaration import DeclarationLab
    from labkit.widgets.loop import LoopLab
    from labkit.widgets.quiz import Quiz
    from labkit.widgets.recovery import RecoveryLab
    from labkit.widgets.stream import StreamLab
    from labkit.widgets.transcript import TranscriptLab
    from labkit.widgets.wire import WireLab
    from labkit.widgets.worker import WorkerLab

__all__ = [
    "ArgumentLab",
    "ChannelsLab",
    "ConcurrencyLab",
    "DeclarationLab",
    "LoopLab",
    "Quiz",
    "RecoveryLab",
    "StreamLab",
    "TranscriptLab",
    "WireLab",
    "WorkerLab",
]

_HOMES = {
    "ArgumentLab": "argument",
    "ChannelsLab": "channels",
    "ConcurrencyLab": "concurrency",
    "DeclarationLab": "declaration",
    "LoopLab": "loop",
    "Quiz": "quiz",
    "RecoveryLab": "recovery",
    "StreamLab": "stream",
    "TranscriptLab": "transcript",
    "WireLab": "wire",
    "WorkerLab": "worker",
}


def __getattr__(name: str) -> Any:
    """Load a lab when it is asked for: a chapter needs one of them."""
    if name not in _HOMES:
        raise AttributeError(f"labkit.widgets has no {name}; it has {', '.join(__all__)}")
    globals()[name] = getattr(import_module(f"labkit.widgets.{_HOMES[name]}"), name)
    return globals()[name]
