"""HTTP on one connection: reads requests, writes answers, and lets go at once when the server stops.

Does not: know rules or scripts; what to answer is asked of the desk behind it.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from labkit.models.server.answering import Asked
from labkit.models.server.answers import Answer, error
from labkit.models.server.playing import CHAT, RESPONSES

if TYPE_CHECKING:
    from labkit.models.server.listener import Listener

MAX_BODY = 8_000_000
"""Bytes of a request that are read; a longer one is refused."""

APIS = {"/chat/completions": CHAT, "/responses": RESPONSES}
HEARD_OUT = 8 * MAX_BODY
LOOK_SECONDS = 0.05


class Connection(BaseHTTPRequestHandler):
    """The requests of one client, one after the other."""

    server: Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_version, sys_version = "labkit", ""

    def do_GET(self) -> None:
        """Answer the list of models; there is nothing else to read."""
        self._leave_body()
        place = self._place()
        if place == "/models":
            self._send(self.server.desk.models(), "models")
        elif place in APIS:
            self._send(error(405, "this address takes POST only"), APIS[place])
        else:
            self._unknown()

    def do_POST(self) -> None:
        """Answer a request to the model."""
        body = self._body()
        api = APIS.get(self._place() or "")
        if isinstance(body, Answer):
            self._send(body, api or "")
            self._hear_out(body)
        elif api is None:
            self._unknown()
        else:
            key = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            self._write(self.server.desk.answer(Asked(api, body, key)))

    def do_other(self) -> None:
        """Refuse every other method."""
        self._leave_body()
        self._send(error(405, f"this server has no {self.command}"), "")

    do_DELETE = do_PATCH = do_PUT = do_OPTIONS = do_other  # noqa: N815  (http.server looks for these names)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no HTTP with JSON too."""
        self.close_connection = True
        self.request_version = self.protocol_version  # else the oldest form is taken, which has no status
        self._send(error(code, "this is no request that can be read"), "")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the desk keeps the records, and the path holds the token."""

    def _place(self) -> str | None:
        """What the path asks for, below the token and the version; None for a path with another token."""
        path = self.path.partition("?")[0]
        prefix, given = f"/{self.server.desk.token}/v1", path.encode("utf-8", "replace")
        head = given[: len(prefix)]
        return path[len(prefix) :].rstrip("/") if secrets.compare_digest(head, prefix.encode()) else None

    def _unknown(self) -> None:
        self._send(error(404, "there is nothing at this address; use the whole base URL, token and /v1 included"), "")

    def _body(self) -> Any:
        """Return the JSON of the request, or the answer that says why it can't be read."""
        try:
            length = int(self.headers.get("Content-Length") or "-1")
        except ValueError:
            length = -1
        if not 0 <= length <= MAX_BODY or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # what follows can't be told from the next request
            if length > MAX_BODY:
                return error(413, f"the body is longer than {MAX_BODY} bytes")
            return error(411, "the request must say its Content-Length")
        raw = self.rfile.read(length)
        if len(raw) < length:
            raise ConnectionAbortedError  # the client went away in the middle, or the server was stopped
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return error(415, "the Content-Type must be application/json")
        return _decoded(raw)

    def _leave_body(self) -> None:
        """A body that nobody reads would be taken for the next request."""
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True

    def _hear_out(self, answered: Answer) -> None:
        """Drop what a client still sends: closing on unread data would take the answer away from it."""
        left = HEARD_OUT if answered.status == 413 else 0
        while left > 0 and (piece := self.rfile.read1(65536)):
            left -= len(piece)

    def _send(self, answered: Answer, api: str) -> None:
        self.server.desk.tell(api, None, answered)
        self._write(answered)

    def _write(self, answered: Answer) -> None:
        try:
            if answered.instead == "reset":
                self._reset()
            elif answered.instead == "silence":
                self._say_nothing()
            elif answered.streamed:
                self._stream(answered)
            else:
                self._whole(answered)
        except OSError:  # the client went away, or the server was stopped
            self.close_connection = True

    def _whole(self, answered: Answer) -> None:
        body = b"".join(answered.frames)
        self._head(answered, [("Content-Length", str(len(body)))])
        self.wfile.write(body[: answered.keep])
        self.close_connection = self.close_connection or answered.keep is not None

    def _stream(self, answered: Answer) -> None:
        chunked = self.request_version != "HTTP/1.0"
        self._head(answered, [("Cache-Control", "no-cache"), *([("Transfer-Encoding", "chunked")] if chunked else [])])
        left = answered.keep
        for piece in self._in_time(answered.frames):
            piece = piece if left is None else piece[:left]
            left = None if left is None else left - len(piece)
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            if left == 0:
                break
        else:
            if chunked:
                self.wfile.write(b"0\r\n\r\n")
        self.close_connection = self.close_connection or not chunked or left is not None

    def _head(self, answered: Answer, more: list[tuple[str, str]]) -> None:
        self.send_response_only(answered.status)
        for name, value in (("Content-Type", answered.content_type), *answered.headers, *more):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _in_time(self, frames: Sequence[bytes]) -> Iterator[bytes]:
        """Give the frames out with the server's gaps between them, counted from the first."""
        desk, due = self.server.desk, time.monotonic()
        for position, piece in enumerate(frames):
            due += _gap(desk.drip, position)
            if desk.stopping.wait(max(0.0, due - time.monotonic())):
                raise ConnectionAbortedError
            yield piece

    def _say_nothing(self) -> None:
        """Wait until the client has gone or the server stops."""
        self.close_connection = True
        while not self.server.desk.stopping.wait(LOOK_SECONDS):
            if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def _reset(self) -> None:
        """Close without a farewell: what is left unsaid makes the system send a reset."""
        self.close_connection = True
        linger = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.rfile.close()
        self.connection.close()


def _gap(drip: float | Sequence[float], position: int) -> float:
    """Seconds to wait before this frame."""
    if position == 0:
        return 0.0
    if isinstance(drip, Sequence):
        return drip[position - 1] if position <= len(drip) else 0.0
    return drip


def _decoded(raw: bytes) -> Any:
    """Return the value of a body, or the answer that refuses it."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        return error(400, "the body is nested too deeply")
    except ValueError:
        return error(400, "the body is no valid JSON in UTF-8")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)
