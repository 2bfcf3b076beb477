"""What can stand in the model's place. Chapters 01 and 09 to 11.

    >>> ScriptedModel({"task": "greet", "decisions": [{"content": "hello"}]}).reply([], []).content
    'hello'

Does not: run tools, keep a history.
"""

from typing import TYPE_CHECKING, Any

from labkit.models.base import Model, ModelError, ModelReply, Usage
from labkit.models.scripted import ScriptedModel

if TYPE_CHECKING:
    from labkit.models.json_mode import JsonModeModel
    from labkit.models.local import LocalModel
    from labkit.models.openai_chat import OpenAIModel
    from labkit.models.openai_responses import OpenAIResponsesModel
    from labkit.models.server import ScriptedServer
    from labkit.models.text_protocol import TextProtocolModel

__all__ = [
    "JsonModeModel",
    "LocalModel",
    "Model",
    "ModelError",
    "ModelReply",
    "OpenAIModel",
    "OpenAIResponsesModel",
    "ScriptedModel",
    "ScriptedServer",
    "TextProtocolModel",
    "Usage",
]

_HOMES = {
    "JsonModeModel": "json_mode",
    "LocalModel": "local",
    "OpenAIModel": "openai_chat",
    "OpenAIResponsesModel": "openai_responses",
    "ScriptedServer": "server",
    "TextProtocolModel": "text_protocol",
}


def __getattr__(name: str) -> Any:
    """Load the models that not every run needs when they are asked for."""
    from importlib import import_module

    room = _HOMES.get(name)
    if room is None:
        raise AttributeError(f"labkit.models has no {name}")
    globals()[name] = getattr(import_module(f"labkit.models.{room}"), name)
    return globals()[name]
