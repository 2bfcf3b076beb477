"""What can stand in the model's place. Chapters 01 and 09 to 11.

    >>> ScriptedModel({"task": "greet", "decisions": [{"content": "hello"}]}).reply([], []).content
    'hello'

Does not: run tools, keep a history.
"""

from labkit.models.base import Model, ModelError, ModelReply, Usage
from labkit.models.scripted import ScriptedModel

__all__ = ["Model", "ModelError", "ModelReply", "ScriptedModel", "Usage"]
