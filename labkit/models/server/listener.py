"""Takes connections on loopback and can end all of them at once.

Does not: read or write; each connection does, in a thread of its own.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from labkit.models.server.connection import Connection
from labkit.models.server.desk import Desk


class Listener(ThreadingHTTPServer):
    """Takes connections, each in a thread that is known, so that all of them can be ended."""

    daemon_threads = True
    request_queue_size = 64
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two programs share one port

    def __init__(self, port: int, desk: Desk) -> None:
        self.desk = desk
        self._open: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), Connection)

    def server_bind(self) -> None:
        """Bind without asking the network for this machine's name, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        thread = threading.Thread(target=self._serve, args=(request, client_address), daemon=True)
        with self._lock:
            self._open[thread] = request
        thread.start()

    def _serve(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no fault of this server and needs no traceback."""

    def hang_up(self, seconds: float = 2.0) -> None:
        """Break off every connection and wait for its thread."""
        with self._lock:
            left = dict(self._open)
        for connection in left.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + seconds
        for thread in left:
            thread.join(max(0.0, deadline - time.monotonic()))
