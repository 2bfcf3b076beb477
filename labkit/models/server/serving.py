"""The server itself: starts, answers from a script, keeps records, stops at once. On this machine only."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from labkit.calls import many
from labkit.models.scripted import ScriptedModel
from labkit.models.server.answering import Asked, answer
from labkit.models.server.answers import Answer, as_bytes, error
from labkit.models.server.faults import Fault, in_order
from labkit.models.server.listener import Listener
from labkit.models.server.streams import MODEL, QUIRKS

POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Received:
    """One request and what became of it. A value; no key and no token is in it.

    ``api`` is ``chat.completions``, ``responses`` or ``models``; empty for an address that does not exist. ``status``
    is 0 where no answer was given. ``message`` says what was refused, or which fault was played.
    """

    api: str
    streamed: bool
    body: Any
    status: int
    message: str = ""


class ScriptedServer:
    """A strict chat server on loopback that plays a script. A context manager; ``base_url`` is where clients go.

    ``faults`` are played one per request, in order; None in it lets one request pass. ``quirk`` bends the streams of
    chat completions (a name of QUIRKS). ``drip`` is the gap between the frames of a stream in seconds, or one gap after
    the other. ``port`` 0 takes any free one. ``on_request`` hears of every request, in the thread that answers it; what
    it raises is dropped, since the answer is due.

    Raises ValueError for a script, fault or quirk that is not of the right form, OSError where the port is taken.
    """

    def __init__(
        self,
        script: dict[str, Any] | str | os.PathLike[str],
        *,
        faults: Iterable[Fault | str | None] = (),
        quirk: str = "none",
        drip: float | Sequence[float] = 0.0,
        port: int = 0,
        on_request: Callable[[Received], None] | None = None,
    ) -> None:
        if quirk not in QUIRKS:
            raise ValueError(f"there is no quirk {quirk!r}; choose one of {', '.join(QUIRKS)}")
        self.script = ScriptedModel(script).script
        self.token = secrets.token_hex(16)
        self.drip = drip
        self.stopping = threading.Event()
        self._quirk, self._port, self._on_request = quirk, port, on_request
        self._faults = deque(in_order(faults))
        self._requests: list[Received] = []
        self._lock = threading.Lock()
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Begin to listen. A server that was stopped can be started again."""
        if self._listener is None:
            self.stopping.clear()
            self._listener = Listener(self._port, self)
            self._port = self._listener.server_port
            self._thread = threading.Thread(target=self._listener.serve_forever, args=(POLL_SECONDS,), daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Break off what is under way, and return when every thread has ended."""
        listener, self._listener = self._listener, None
        if listener is None:
            return
        self.stopping.set()
        listener.shutdown()
        listener.hang_up()
        listener.server_close()
        if self._thread:
            self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Where clients go; the random token in it is the key to this server. Raises RuntimeError before the start."""
        if not self._port:
            raise RuntimeError("the server has not been started; use it in a with block, or call start()")
        return f"http://127.0.0.1:{self._port}/{self.token}/v1"

    @property
    def requests(self) -> tuple[Received, ...]:
        """What was asked of the model so far, in the order of arrival."""
        with self._lock:
            return tuple(self._requests)

    @property
    def last_error(self) -> str | None:
        """What the newest refused request was told; None where none was."""
        return next((each.message for each in reversed(self.requests) if each.status >= 400), None)

    def answer(self, asked: Asked) -> Answer:
        """Return the answer to a request to the model, and keep a record of both."""
        with self._lock:
            fault = self._faults.popleft() if self._faults else None
        try:
            given = answer(asked, self.script, fault, self._quirk)
        except Exception as bug:  # a client is told that it is not at fault; a lost connection would say nothing
            given = error(500, f"the server itself failed ({type(bug).__name__})")
        self._keep(Received(asked.api, asked.streamed, asked.body, given.status, given.message), to_model=True)
        return given

    def models(self) -> Answer:
        """Return the list of models: the scripted one."""
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "labkit"}
        return Answer(200, (as_bytes({"object": "list", "data": [model]}),))

    def tell(self, api: str, body: Any, answered: Answer) -> None:
        """Hear of a request that did not come as far as the model."""
        to_model = api not in ("", "models")
        self._keep(Received(api, False, body, answered.status, answered.message), to_model)

    def _keep(self, received: Received, to_model: bool) -> None:
        if to_model:
            with self._lock:
                self._requests.append(received)
        if self._on_request:
            with contextlib.suppress(Exception):
                self._on_request(received)

    def __repr__(self) -> str:
        state = "listening" if self._listener else "stopped"
        return f"ScriptedServer({many(len(self.script['decisions']), 'decision')}, {state})"
