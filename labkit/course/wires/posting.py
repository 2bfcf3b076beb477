"""One request over HTTP to the strict server on this machine. Acts: starts the server, asks, and stops it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from labkit.course.wires.history import SCRIPT
from labkit.models.server import ScriptedServer

CHAT, RESPONSES = "chat", "responses"
PATHS = {CHAT: "/chat/completions", RESPONSES: "/responses"}
PATIENCE = 20
BETWEEN = re.compile(r"; (?=messages\.|input\.|tools\.|and \d+ more)")

PLACE = re.compile(r"(?:messages|input)\.(?P<number>\d+)\b.*\((?P<rule>[^()]*)\)", re.DOTALL)


@dataclass(frozen=True)
class Answered:
    """What came back over HTTP. A value; ``body`` is the JSON as it was received."""

    status: int
    body: Any

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the server says of a request that it refuses, one broken rule each; none where it accepts."""
        return tuple(BETWEEN.split(self.body["error"]["message"])) if self.status != 200 else ()

    def rules_at(self, position: int) -> tuple[str, ...]:
        """Return the rules that the server names for one message, counted from 0, such as ``rule 1``."""
        places = (PLACE.fullmatch(sentence) for sentence in self.sentences)
        return tuple(found["rule"] for found in places if found and int(found["number"]) == position)


def post(api: str, body: dict[str, Any], script: dict[str, Any] = SCRIPT) -> Answered:
    """Send a request to a server that plays a script, and return what came back.

    ``api`` is ``chat`` or ``responses``. No proxy is asked: the server is on this machine.
    """
    sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    with ScriptedServer(script) as server:
        request = Request(server.base_url + PATHS[api], sent, {"Content-Type": "application/json"})
        try:
            with build_opener(ProxyHandler({})).open(request, timeout=PATIENCE) as response:
                return Answered(response.status, json.loads(response.read()))
        except HTTPError as refused:
            with refused:
                return Answered(refused.code, json.loads(refused.read()))
