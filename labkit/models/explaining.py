"""What the SDK raises, as one sentence that says what was wrong and what to do. No key is ever in it."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from labkit.models.base import ModelError
from labkit.models.endpoint import NO_QUOTA
from labkit.models.wire.reading import excerpt, found_fault, mapping
from labkit.workers.child import hide_keys

AGAIN = "try again later"
HIDDEN = "[hidden]"
SAYS_WHO = re.compile("key|auth|token|secret", re.IGNORECASE)
UNREACHED = ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol")
REMEDIES = {
    400: "the request has to change",
    401: "check OPENAI_API_KEY",
    403: "the key may not do this: check the account, or use another model",
    404: "check the address (does it end in /v1?) and the model's name",
    413: "send less: trim the history",
    422: "the request has to change",
    429: AGAIN,
}


def explained(problem: Exception, client: Any) -> ModelError:
    """Return an exception of the SDK, or of reading its answer, as a ModelError without keys."""
    told = str(problem) if isinstance(problem, ModelError) else _sentence(problem, str(client.base_url))
    return ModelError(without_keys(told, client))


def without_keys(sentence: str, client: Any) -> str:
    """Return a text without keys, neither the client's own nor what looks like one; also where quoting cut one."""
    for key in sorted(_keys_of(client), key=len, reverse=True):
        sentence = sentence.replace(key, HIDDEN)
        for length in range(len(key) - 1, 4, -1):
            sentence = sentence.replace(f"{key[:length]}…", f"{HIDDEN}…")
    return hide_keys(sentence)


def _keys_of(client: Any) -> set[str]:
    """What a client sends to say who it is: its key, and what stands for one in its headers and its query."""
    sent = {"api_key": client.api_key, **client.default_headers, **client.default_query}
    words = [
        value.split()[-1]
        for name, value in sent.items()
        if isinstance(value, str) and SAYS_WHO.search(name) and value.strip()
    ]
    return {word for word in words if len(word) >= 4}


def place(url: str) -> str:
    """Return an address as it may be told: without credentials, a query, or a part as long as a token."""
    parts = urlsplit(url)
    path = re.sub(r"/[^/]{16,}(?=/|$)", "/…", parts.path.rstrip("/"))
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    host = f"{host}:{parts.port}" if parts.port else host
    return f"{parts.scheme}://{host}{path}"


def _sentence(problem: Exception, url: str) -> str:
    import httpx2
    import openai

    match problem:
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return f"the server at {place(url)} did not answer in time; try again, or give it longer: timeout=60"
        case openai.APIConnectionError() | httpx2.HTTPError():
            return _unreached(problem, url)
        case openai.APIStatusError():
            return _refused(problem, url)
        case openai.APIError():
            return f"the server broke its reply off: {_told(problem.body) or excerpt(problem.body or problem.message)}"
        case ValueError() if told := _told_in_line(getattr(problem, "doc", "")):
            return f"the server broke its reply off: {told}"
        case ValueError() | RecursionError():  # a line of a stream that is no JSON, or none that can be read
            return "the server sent something that is no event of a stream, so nothing of its reply was used; ask again"
    return f"no reply could be had: {type(problem).__name__}"


def _unreached(problem: Exception, url: str) -> str:
    cause = type(problem.__cause__).__name__
    if cause == "ProxyError":
        return f"the proxy did not let the request to {place(url)} through; check HTTPS_PROXY and NO_PROXY"
    if cause in UNREACHED:
        return f"no server could be reached at {place(url)}; check the address, and whether the server runs"
    return f"the connection to {place(url)} broke off before the answer was whole; {AGAIN}"


def _refused(problem: Any, url: str) -> str:
    status, body = problem.status_code, problem.body
    told = (_told(body) or (excerpt(body) if body else "")).rstrip(".")
    if NO_QUOTA in (problem.code, problem.type):
        return _joined(f"the account has no quota left ({status})", told, "add credit, or use another key")
    if pause := _pause(problem.response.headers):
        return _joined(f"the server asks for a pause {pause} ({status})", told, "wait, then go on")
    if status >= 500:
        return _joined(f"the server at {place(url)} failed ({status})", told, AGAIN)
    return _joined(f"the server refused the request ({status})", told, REMEDIES.get(status, REMEDIES[400]))


def _joined(what: str, told: str, remedy: str) -> str:
    """Put a sentence together; a remedy that the server has named itself is not said twice."""
    said = f"{what}: {told}" if told else what
    return said if remedy in told.lower() else f"{said}; {remedy}"


def _pause(headers: Any) -> str | None:
    """How long the server wants to be left alone, in words; None where it does not say, or nothing that makes sense."""
    for name, parts in (("retry-after-ms", 1_000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / parts
        except ValueError:
            continue
        if 0 < seconds < math.inf:
            return f"of {seconds:.3f}".rstrip("0").rstrip(".") + " seconds"
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return f"until {format_datetime(until, usegmt=True)}" if until > datetime.now(UTC) else None
    except (ValueError, TypeError):  # no date, or one without a zone
        return None


def _told_in_line(line: str) -> str:
    """The sentence of an error that came glued to the beginning of another line."""
    for piece in re.split(r"data:|\n", line):
        try:
            told = found_fault(mapping(json.loads(piece)))
        except (ValueError, RecursionError):
            continue
        if told:
            return told
    return ""


def _told(body: Any) -> str:
    """The server's own sentence. The SDK has already taken it out of its ``error``, mostly."""
    inner = mapping(body)
    return excerpt(found_fault(inner) or inner.get("message") or "")
