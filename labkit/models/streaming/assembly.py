"""What both assemblies share: what is known of a reply so far, whichever wire it comes over."""

from __future__ import annotations

from labkit.models.base import ModelError, Usage
from labkit.models.streaming.growing import Growing, Pieces

CUT_SHORT = "the stream ended before the reply was whole, so nothing of it was used; ask again"


class Assembly:
    """What is known of a reply so far.

    ``calls`` are in the order in which they appeared; ``fault`` is the server's sentence where it sent an error.
    """

    def __init__(self) -> None:
        self._content = Pieces()
        self._refusal = Pieces()
        self._calls: list[Growing] = []
        self.finish_reason: str | None = None
        self.usage: Usage | None = None
        self.fault: str | None = None

    @property
    def content(self) -> str:
        """The text so far."""
        return str(self._content)

    @property
    def refusal(self) -> str:
        """What was said to decline, so far."""
        return str(self._refusal)

    @property
    def calls(self) -> tuple[Growing, ...]:
        """The calls so far, in order of appearance."""
        return tuple(self._calls)

    def _ended(self) -> str:
        """Return the finish reason. Raises ModelError where the server sent an error, or never said that it ended."""
        if self.fault is not None:
            raise ModelError(f"the server broke its reply off: {self.fault}")
        if self.finish_reason is None:
            raise ModelError(CUT_SHORT)
        return self.finish_reason
