"""The way to a server: the SDK's client, set up so that no key is needed at home and no error is retried in vain.

HTTP, authentication, time limits and retries are the SDK's. What is ours: a server on this machine is reached without a
key and without a proxy, and two kinds of answer are told to the SDK as what they are (``mind``).
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from labkit.calls import quote
from labkit.models.base import ModelError
from labkit.models.wire.reading import mapping, text
from labkit.workers.child import hide_keys

if TYPE_CHECKING:
    from openai import OpenAI

NO_KEY = "no-key-was-needed"
"""What is sent in place of a key to a server on this machine: the SDK wants one, such a server does not."""
NO_QUOTA = "insufficient_quota"
OPENAI = "https://api.openai.com/v1"


class Secret(str):
    """A text that does not show itself: what a debugger, a traceback or a notebook prints of it is its end alone."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(f"…{self[-4:]}" if len(self) >= 12 else "…")


def connect(base_url: str | None = None) -> OpenAI:
    """Return a client for an address, or for ``OPENAI_BASE_URL``, or for OpenAI itself.

    Raises ModelError for an address that can't be one, and where a key is needed and ``OPENAI_API_KEY`` holds none.
    """
    from openai import DefaultHttpxClient, OpenAI

    given = ((each or "").strip() for each in (base_url, os.environ.get("OPENAI_BASE_URL")))
    address = Secret(next(filter(None, given), ""))
    if problem := address and _wrong_with(address):
        raise ModelError(problem)
    home = bool(address) and at_home(address)
    key = Secret(os.environ.get("OPENAI_API_KEY", "").strip() or (NO_KEY if home else ""))
    if not key:
        raise ModelError("no key is there: set OPENAI_API_KEY, or give a base_url on this machine, which needs none")
    return OpenAI(
        api_key=_require_sendable(key),
        base_url=address.rstrip("/") or OPENAI,  # without it the SDK takes a blank OPENAI_BASE_URL for an address
        http_client=DefaultHttpxClient(event_hooks={"response": [mind]}, trust_env=not home),
    )


def discreet(client: OpenAI) -> OpenAI:
    """Return a client like this one whose key does not show itself. The connections are shared, and the given client
    stays as it is. Raises ModelError for a key that can't be sent, TypeError for what is no such client."""
    from openai import OpenAI

    if not isinstance(client, OpenAI):
        raise TypeError(f"client takes an openai.OpenAI, whose requests are not awaited; not this: {quote(client)}")
    key = client.api_key
    if not isinstance(key, str) or not key or isinstance(key, Secret):
        return client
    key = Secret(key)  # first of all: a traceback shows it
    _require_sendable(key)
    alike = client.with_options()  # a key given here would take the place of another way to say who asks: Azure's
    alike.api_key = key
    return alike


def named(model: str | None) -> str:
    """Return the name of the model to ask, given or from ``LABKIT_MODEL``. Raises ModelError where there is none."""
    name = (model or os.environ.get("LABKIT_MODEL") or "").strip()
    if not name:
        raise ModelError('no model is named: set LABKIT_MODEL, or pass model="…" with a name that the server knows')
    return name


def at_home(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def mind(response: Any) -> None:
    """Tell the SDK what an answer really is, before it decides whether to try again.

    A 200 whose body is an error with a status in it (gateways do that) gets that status. An account without quota
    stays without it: the SDK would try again, and is told not to.
    """
    if "event-stream" in response.headers.get("content-type", ""):
        return  # a stream is read piece by piece, later
    response.read()
    try:
        body = mapping(json.loads(response.content))
    except (ValueError, RecursionError):
        return
    error = mapping(body.get("error"))
    code = error.get("code")
    status = code if type(code) is int else int(text(code)) if text(code).isdecimal() else 0
    if response.status_code == 200 and 400 <= status <= 599 and not body.get("choices"):
        response.status_code = status
    if NO_QUOTA in (code, error.get("type")):
        response.headers["x-should-retry"] = "false"


def _require_sendable(key: Secret) -> Secret:
    """HTTP packages quote a header that they can't send, in their exceptions and in their logs."""
    if not (key.isascii() and key.isprintable()):
        raise ModelError("the key holds a character that can't be sent, such as a line break: copy it anew")
    return key


def _wrong_with(address: str) -> str | None:
    """Return why an address can't be asked, without quoting what may be a secret."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets or a port that make no sense
        parts, fits = urlsplit(""), False
    if "@" in address:
        return "leave the name and the password out of the base_url: a key goes into OPENAI_API_KEY"
    if "?" in address:
        return "leave the query off the base_url: a client of your own takes it, OpenAI(default_query=…)"
    if not fits or re.search(r"[\s#]", address):
        shown = quote(hide_keys(address.partition("#")[0]))
        return f"{shown} is no address of a server: it has to look like http://localhost:8080/v1"
    path = parts.path.rstrip("/")
    for ending in ("/chat/completions", "/responses"):
        if path.endswith(ending):
            return f"leave {ending} off the base_url: the client adds it by itself"
    return None
