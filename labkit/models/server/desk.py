"""What stands behind the connections of a server, as an interface."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

from labkit.models.server.answering import Asked
from labkit.models.server.answers import Answer


class Desk(Protocol):
    """What stands behind the connections."""

    token: str
    drip: float | Sequence[float]
    stopping: threading.Event

    def answer(self, asked: Asked) -> Answer:
        """Return the answer to a request to the model, and keep a record of both."""
        ...

    def models(self) -> Answer:
        """Return the list of models."""
        ...

    def tell(self, api: str, body: Any, answered: Answer) -> None:
        """Hear of a request that did not come as far as the model."""
        ...
