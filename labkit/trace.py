"""The record of one run: append-only JSON lines, and what can be counted from them.

Chapters 07 and 13. This is the only room that spells event names and payload keys.

    >>> trace = Trace()
    >>> trace.record(decision(1))["seq"]
    1

Does not: decide what happens in a run, print, draw.
"""

from __future__ import annotations

import gc
import json
import math
import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from labkit.calls import ErrorCode, ToolCall, ToolResult

Line = dict[str, Any]


def event(kind: str, /, **payload: Any) -> Line:
    """Return an event line, without its number."""
    return {"type": "event", "event": kind, "payload": payload}


def session_start(task: str, system: str | None, time: str) -> Line:
    """The opening line; ``time`` is wall-clock time, ISO 8601 in UTC."""
    return event("session_start", task=task, system=system, time=time)


def decision(step: int) -> Line:
    """The model is asked for its next decision; steps count from 1."""
    return event("decision", step=step)


def tool_batch(mode: str, size: int) -> Line:
    """A turn of more than one call; ``mode`` is ``parallel`` or ``serial``."""
    return event("tool_batch", mode=mode, size=size)


def tool_start(call: ToolCall, kind: str) -> Line:
    """A call is taken up; ``kind`` is ``read``, ``write`` or ``refused``."""
    return event("tool_start", call_id=call.id, name=call.name, kind=kind)


def early_discarded(call: ToolCall, reason: str, started: float | None) -> Line:
    """A call was started before its reply was whole, and its result is not used; ``started`` as in ``tool_finished``.

    ``reason`` is ``changed`` (the reply asks for another call at its place), the stop reason of a run that ends here
    (``model_error``, ``refused``, ``interrupted`` …), or the code of the answer that the loop gave in its place.
    """
    return event("early_discarded", call_id=call.id, name=call.name, reason=reason, started=started)


def tool_finished(result: ToolResult, whole: float | None = None) -> Line:
    """A call has its result. Times are seconds since the run began, null where the tool never started.

    ``whole`` is when the reply was whole; a tool that started before has ``early``, by how many seconds.
    """
    payload: dict[str, Any] = {
        "call_id": result.call_id,
        "name": result.name,
        "ok": result.ok,
        "started": result.started,
        "finished": result.finished,
    }
    if result.error is not None:
        payload["code"] = str(result.error.code)
    if result.repairs:
        payload["repairs"] = list(result.repairs)
    if result.abandoned:
        payload["abandoned"] = True
    if whole is not None and result.started is not None and result.started < whole:
        payload["early"] = whole - result.started
    return event("tool_finished", **payload)


def session_end(reason: str, steps: int, detail: str | None = None) -> Line:
    """The closing line; ``detail`` says more where the run did not end with an answer."""
    return event("session_end", reason=reason, steps=steps, **({"detail": detail} if detail else {}))


def message(content: Mapping[str, Any], **beside: Any) -> Line:
    """A message of the history; usage, finish reason and model time stand beside it on the assistant's line."""
    return {"type": "message", "message": dict(content), **beside}


class Metrics(NamedTuple):
    """What a trace counts up to. A value; ``failures`` maps error codes to how often they occurred."""

    decisions: int
    calls: int
    failures: dict[str, int]
    repairs: dict[str, int]

    @property
    def by_layer(self) -> dict[str, int]:
        """How often calls failed in each layer: transport, contract, execution, control."""
        layers: Counter[str] = Counter()
        for code, count in self.failures.items():
            layers[ErrorCode(code).layer if code in list(ErrorCode) else "unknown"] += count
        return dict(layers)


class Trace:
    """The lines of one run, in memory and, where a path is given, in a file that is started anew.

    Every line is handed to the system before ``record`` returns: a killed program loses none.
    Raises OSError where the file can't be written.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self.lines: list[Line] = []
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("wb", buffering=0)

    def record(self, line: Line) -> Line:
        """Number a line, keep it, write it, and return it. A second ``session_start`` is refused with ValueError."""
        with self._lock:
            if self.lines and line.get("event") == "session_start":
                raise ValueError("this trace holds a run already: one Trace is one run, make a new one")
            line = {**line, "seq": len(self.lines) + 1}
            self.lines.append(line)
            if self._file is not None:
                self._file.write(encode(line))
            return line

    def close(self) -> None:
        """Close the file; the lines stay readable."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a trace back, up to its last whole line. Raises ValueError, with the line, for what is no trace."""
        trace = cls()
        whole, _, _cut = Path(path).read_bytes().rpartition(b"\n")
        with _collector_at_rest():
            for number, text in enumerate(whole.split(b"\n") if whole else [], 1):
                try:
                    line = json.loads(text)
                except (ValueError, RecursionError):
                    raise ValueError(f"{Path(path).name}, line {number}: not valid JSON") from None
                if not _is_line(line):
                    raise ValueError(f"{Path(path).name}, line {number}: neither a message nor an event")
                trace.lines.append(line)
        return trace

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages of the run, in order."""
        return [line["message"] for line in self.lines if line["type"] == "message"]

    def events(self, name: str | None = None) -> list[Line]:
        """Return the event lines, all or those of one name."""
        return [line for line in self.lines if line["type"] == "event" and name in (None, line["event"])]

    def metrics(self) -> Metrics:
        """Count decisions, calls, failures by code, and repairs."""
        ends = [line["payload"] for line in self.events("tool_finished")]
        return Metrics(
            decisions=len(self.events("decision")),
            calls=len(ends),
            failures=dict(Counter(end["code"] for end in ends if "code" in end)),
            repairs=dict(Counter(repair for end in ends for repair in end.get("repairs", ()))),
        )

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Line]:
        return iter(tuple(self.lines))

    def __repr__(self) -> str:
        return f"Trace({len(self.lines)} lines)"


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Many small values without a cycle are made: the collector would look through all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_line(line: Any) -> bool:
    kind = line.get("type") if isinstance(line, dict) else None
    if kind == "message":
        return isinstance(line.get("message"), dict)
    return kind == "event" and isinstance(line.get("event"), str) and isinstance(line.get("payload"), dict)


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_ascii_encoder = json.JSONEncoder(allow_nan=False)


def encode(line: Line) -> bytes:
    """Return a line as UTF-8 JSON with its newline; what JSON can't say, such as a NaN argument, is spelled out."""
    try:
        text = _encoder.encode(line)
    except (TypeError, ValueError, RecursionError):
        text = _encoder.encode(_sayable(line, 0))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8, but JSON can escape it
        return _ascii_encoder.encode(json.loads(text)).encode() + b"\n"


def _sayable(value: Any, depth: int) -> Any:
    if depth > 100:
        return "…"
    if isinstance(value, dict):
        return {key if isinstance(key, str) else _spell(key): _sayable(v, depth + 1) for key, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_sayable(v, depth + 1) for v in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int) and value.bit_length() < 10_000:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return _spell(value)


def _spell(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # a foreign object's own repr, or an integer too long to spell
        return f"a {type(value).__name__}"
