"""What can stand in the model's place. Chapters 01 and 09 to 11.

    >>> ScriptedModel({"task": "greet", "decisions": [{"content": "hello"}]}).reply([], []).content
    'hello'

Does not: run tools, keep a history.
"""

from typing import TYPE_CHECKING, Any

from labkit.models.base import Model, ModelError, ModelReply, Usage
from labkit.models.scripted import ScriptedModel

if TYPE_CHECKING:
    from labkit.models.text_protocol import TextProtocolModel

__all__ = ["Model", "ModelError", "ModelReply", "ScriptedModel", "TextProtocolModel", "Usage"]


def __getattr__(name: str) -> Any:
    """Load the models that not every run needs when they are asked for."""
    from importlib import import_module

    room = {"TextProtocolModel": "labkit.models.text_protocol"}.get(name)
    if room is None:
        raise AttributeError(f"labkit.models has no {name}")
    globals()[name] = getattr(import_module(room), name)
    return globals()[name]
