"""Failures that people have reported of clients: each case by its id, with answers of our own, and its siblings.

What the key may never do, K9-04, is a law of its own: ``test_keys.py``. Where our design decides otherwise than was
hoped for, the test says so.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
import openai._base_client
import pytest
from tools_for_tests import quick, runtime_of

from labkit import Agent, Run, Tool, ToolCall
from labkit.history import broken
from labkit.models import ModelError, OpenAIModel, OpenAIResponsesModel
from labkit.models.endpoint import mind

Answer = Any
"""A body (an object is sent as JSON, a text as it stands), or (status, body, headers), or an exception to raise."""

KINDS: tuple[Callable[..., Any], ...] = (OpenAIModel, OpenAIResponsesModel)
NOW = 1_924_992_000.0  # Wed, 01 Jan 2031 00:00:00 GMT
DONE = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}]}
DONE_TOO = {
    "status": "completed",
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}],
}


class Canned:
    """A server that gives these answers in order, the last one for ever, and keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, BaseException):
            raise answer
        status, body, headers = answer if isinstance(answer, tuple) else (200, answer, {})
        if isinstance(body, str):
            return httpx2.Response(status, text=body, headers=headers)
        return httpx2.Response(status, content=json.dumps(body), headers={"content-type": "application/json"} | headers)

    @property
    def bodies(self) -> list[Any]:
        """What was sent, as JSON."""
        return [json.loads(request.content) for request in self.requests]

    def client(self, **options: Any) -> openai.OpenAI:
        """Return a client that comes here, set up as ``connect`` does it."""
        http = httpx2.Client(transport=httpx2.MockTransport(self), event_hooks={"response": [mind]})
        settings: dict[str, Any] = {"api_key": "no key", "base_url": "http://h:1/v1", "http_client": http}
        return openai.OpenAI(**settings | options)


def model_of(kind: Callable[..., Any], canned: Canned, max_retries: int = 0, **options: Any) -> Any:
    """Return a model behind canned answers."""
    return kind(client=canned.client(max_retries=max_retries), model="any", **options)


def sse(*lines: Any) -> tuple[int, str, dict[str, str]]:
    """Return an answer that streams: each object is a data line, a text stands as it is, and so does the end."""
    said = [line if isinstance(line, str) else f"data: {json.dumps(line)}\n\n" for line in lines]
    return 200, "".join(said), {"content-type": "text/event-stream"}


def failed_run(model: Any, *tools: Tool, **options: Any) -> Run:
    """Run an agent that can't come to an answer; whatever happened, its history can be gone on from."""
    run = Agent(model, runtime_of(*(tools or (quick(),))), **options).run("try")
    assert (run.stop_reason, run.answer, broken(run.messages)) == ("model_error", "", [])
    assert run.detail is not None and len(run.detail) < 600 and "\n" not in run.detail
    return run


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that the SDK makes, in seconds; nobody waits, and it is always the same moment."""
    pauses: list[float] = []
    clock = SimpleNamespace(sleep=pauses.append, time=lambda: NOW)
    monkeypatch.setattr(openai._base_client, "time", clock)
    return pauses


# --- K9-01: an error inside a 200 -----------------------------------------------------------------------------------

LIMITED = {"error": {"message": "rate limited upstream", "code": 429}}
REPORTED: list[tuple[Any, str]] = [
    (LIMITED, "rate limited upstream"),
    ({"code": "daily_cap", "message": "quota used up (429)"}, "quota used up (429)"),
    ({"id": "x", "choices": None}, '"choices": null'),
    ({"id": "x", "choices": []}, '"choices": []'),
    ({"choices": [{"index": 0, "message": None, "finish_reason": "error"}]}, '"finish_reason": "error"'),
    (None, "null"),
    ([], "[]"),
    ("ok", "ok"),
]
SIBLINGS: list[tuple[Any, str]] = [
    ({"error": "the engine is down"}, "the engine is down"),
    ({"error": {"type": "overloaded_error"}}, "overloaded_error"),
    ({"error": {"message": {"en": "busy"}}}, "busy"),
    ({"error": [{"message": "busy"}]}, "busy"),
    ({"error": {"message": "w" * 5_000}}, "w" * 100),
    ({"object": "error", "message": "no such model", "code": 404}, "no such model"),
    ({"detail": "Not Found"}, "Not Found"),
    ({"choices": [{"error": {"message": "the provider failed", "code": 502}}]}, "the provider failed"),
    ({"choices": [{"message": {"content": "hel"}, "error": {"message": "it broke off"}}]}, "it broke off"),
    ({"choices": [{"message": {"content": "hel"}, "finish_reason": "error", "error": "it broke off"}]}, "it broke off"),
    ({"choices": {}}, '"choices": {}'),
    ({"choices": [None]}, "[null]"),
    ({"choices": [{"message": "hello"}]}, "hello"),
    ({"choices": "hello"}, "hello"),
    ({}, "{}"),
    (3, "3"),
    (True, "true"),
    ("", "no JSON"),
    ('{"choices": [', "no JSON"),
    ("[" * 100_000, "no JSON"),
    ('"ok"', "ok"),
    ("\ud83d\ude00 \udc00".encode("utf-16", "surrogatepass").decode("latin-1"), "no JSON"),
]


def spelled(case: Any) -> str:
    return (case if isinstance(case, str) else json.dumps(case))[:40]


@pytest.mark.parametrize(("body", "told"), REPORTED + SIBLINGS, ids=spelled)
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "asked to stream"])
def test_k9_01_an_answer_without_a_reply_is_an_error_that_says_what_came(body: Any, told: str, stream: bool) -> None:
    canned = Canned(body)
    with pytest.raises(ModelError) as caught:
        model_of(OpenAIModel, canned, stream=stream).reply([{"role": "user", "content": "hi"}], [])
    assert told in str(caught.value) and len(str(caught.value)) < 600
    failed_run(model_of(OpenAIModel, canned, stream=stream))


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "asked to stream"])
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (LIMITED, "rate limited upstream"),
        ({"error": {"message": "no", "code": None}, "status": "failed"}, "no"),
        ({"status": "failed", "output": []}, '"failed"'),
        ({"code": "daily_cap", "message": "quota used up (429)"}, "quota used up (429)"),
        ({"id": "x"}, '"x"'),
        (DONE, "choices"),
        (None, "null"),
        ([], "[]"),
        ("ok", "ok"),
    ],
    ids=spelled,
)
def test_k9_01_so_it_is_with_the_other_api(body: Any, told: str, stream: bool) -> None:
    assert told in str(failed_run(model_of(OpenAIResponsesModel, Canned(body), stream=stream)).detail)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", [429, "429", 500, 503, 529])
def test_k9_01_a_status_inside_is_obeyed_like_one_outside(kind: Any, code: Any, slept: list[float]) -> None:
    canned = Canned({"error": {"message": "later", "code": code}}, DONE if kind is OpenAIModel else DONE_TOO)
    run = Agent(model_of(kind, canned, max_retries=2), runtime_of(quick())).run("try")
    assert (run.stop_reason, run.answer) == ("final_answer", "done")
    assert (len(canned.requests), len(slept)) == (2, 1)


@pytest.mark.parametrize("code", [400, "401", 404, "daily_cap", True, None, -1, 99999])
def test_k9_01_no_other_code_inside_is_tried_again(code: Any, slept: list[float]) -> None:
    canned = Canned({"error": {"message": "no", "code": code}}, DONE)
    failed_run(model_of(OpenAIModel, canned, max_retries=2))
    assert (len(canned.requests), slept) == (1, [])


def test_k9_01_an_error_beside_a_reply_does_not_cost_the_reply() -> None:
    run = Agent(model_of(OpenAIModel, Canned(DONE | {"error": {"code": 429}})), runtime_of(quick())).run("try")
    assert (run.stop_reason, run.answer) == ("final_answer", "done")


def test_k9_01_a_message_that_says_nothing_is_no_answer() -> None:
    empty = {"choices": [{"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "stop"}]}
    run = Agent(model_of(OpenAIModel, Canned(empty)), runtime_of(quick())).run("try")
    assert (run.stop_reason, run.answer) == ("stalled", "")


# --- K9-02: Retry-After ---------------------------------------------------------------------------------------------


def limited(status: int = 429, **headers: str) -> tuple[int, Any, dict[str, str]]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, sent


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry_after": "2"}, 2.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "Wed, 01 Jan 2031 00:00:05 GMT"}, 5.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        ({"retry_after_ms": "soon", "retry_after": "9"}, 9.0),
        ({"retry_after": " 7 "}, 7.0),
        ({"retry_after": "120"}, 120.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("status", [429, 503])
def test_k9_02_a_wait_that_was_asked_for_is_kept(
    headers: dict[str, str], pause: float, status: int, slept: list[float]
) -> None:
    canned = Canned(limited(status, **headers), DONE)
    run = Agent(model_of(OpenAIModel, canned, max_retries=2), runtime_of(quick())).run("try")
    assert (run.answer, slept) == ("done", [pause])


JUNK = ["-1", "nan", "", "abc", "0", "inf", "Wed, 99 Foo 2031", "Thu, 01 Jan 2015 00:00:00 GMT", "1,5", "0x2"]


@pytest.mark.parametrize("header", [*JUNK, None])
def test_k9_02_junk_makes_the_usual_pauses_and_an_end(header: str | None, slept: list[float]) -> None:
    """Half a second, then twice that, each up to a quarter shorter by chance; three requests in all."""
    canned = Canned(limited() if header is None else limited(retry_after=header))
    run = failed_run(model_of(OpenAIModel, canned, max_retries=2))
    assert len(canned.requests) == 3
    assert [0.375 <= slept[0] <= 0.5, 0.75 <= slept[1] <= 1.0, len(slept)] == [True, True, 2]
    assert "slow down" in str(run.detail) and "pause" not in str(run.detail)


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"retry_after": "3600"}, "3600 seconds"),
        ({"retry_after": "121"}, "121 seconds"),
        ({"retry_after": "120.5"}, "120.5 seconds"),
        ({"retry_after": "999999999999"}, "999999999999 seconds"),
        ({"retry_after": "Wed, 01 Jan 2031 01:00:00 GMT"}, "until Wed, 01 Jan 2031 01:00:00 GMT"),
        ({"retry_after_ms": "3600000"}, "3600 seconds"),
    ],
    ids=str,
)
@pytest.mark.parametrize("status", [429, 503])
def test_k9_02_a_wait_that_is_too_long_is_told_at_once(
    headers: dict[str, str], told: str, status: int, slept: list[float]
) -> None:
    canned = Canned(limited(status, **headers), DONE)
    run = failed_run(model_of(OpenAIModel, canned, max_retries=2))
    assert (len(canned.requests), slept) == (1, [])
    assert told in str(run.detail) and "slow down" in str(run.detail)


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
def test_k9_02_how_often_is_bounded_by_the_client_s_own_setting(retries: int, slept: list[float]) -> None:
    canned = Canned(limited(retry_after="2"))
    failed_run(model_of(OpenAIModel, canned, max_retries=retries))
    assert (len(canned.requests), slept) == (retries + 1, [2.0] * retries)


def test_k9_02_a_pause_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(openai._base_client, "time", SimpleNamespace(sleep=interrupt, time=lambda: NOW))
    canned = Canned(limited(retry_after="100"), DONE)
    with pytest.raises(KeyboardInterrupt) as caught:
        Agent(model_of(OpenAIModel, canned, max_retries=2), runtime_of(quick())).run("try")
    run = caught.value.run  # type: ignore[attr-defined]
    assert (run.stop_reason, broken(run.messages), len(canned.requests)) == ("interrupted", [], 1)
    again = Agent(model_of(OpenAIModel, canned), runtime_of(quick())).run("try again", history=run.messages)
    assert again.answer == "done"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("place", ["code", "type"])
def test_k9_02_what_waiting_can_t_mend_is_not_tried_again(
    kind: Any, stream: bool, place: str, slept: list[float]
) -> None:
    canned = Canned((429, {"error": {"message": "no money", place: "insufficient_quota"}}, {}))
    run = failed_run(model_of(kind, canned, max_retries=2, stream=stream))
    assert (len(canned.requests), slept) == (1, [])
    assert "no quota left" in str(run.detail) and "no money" in str(run.detail)


# --- K9-03: an address without /v1 ----------------------------------------------------------------------------------

PAGE = "<!doctype html><html><head><title>A model server</title></head><body>" + "welcome " * 100 + "</body></html>"


class OneAddress(ThreadingHTTPServer):
    """Chat completions at one path, the same start page at every other."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.paths: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: OneAddress

    def do_POST(self) -> None:
        self.server.paths.append(self.path)
        self.rfile.read(int(self.headers["Content-Length"]))
        right = self.path == "/v1/chat/completions"
        body = (json.dumps(DONE) if right else PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if right else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def one_address() -> Iterator[OneAddress]:
    with OneAddress() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def asked_paths(one_address: OneAddress, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    one_address.paths.clear()
    return one_address.paths


def address(server: OneAddress, url: str) -> str:
    """Return a reported address as that of the server that is there."""
    return url.replace("h:1", f"127.0.0.1:{server.server_port}")


@pytest.mark.parametrize("given", ["argument", "environment"])
@pytest.mark.parametrize(
    "url", ["http://h:1/v1", "http://h:1/v1/", " http://h:1/v1 ", "HTTP://h:1/v1", "http://h:1/v1//"]
)
def test_k9_03_with_v1_it_works(
    url: str, given: str, one_address: OneAddress, asked_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = address(one_address, url)
    if given == "environment":
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    model = OpenAIModel(model="any", base_url=url if given == "argument" else None)
    assert Agent(model, runtime_of(quick())).run("try").answer == "done"
    assert asked_paths == ["/v1/chat/completions"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("url", "path", "told"),
    [
        ("http://h:1", "/chat/completions", "http://h:1/chat/completions"),
        ("http://h:1/", "/chat/completions", "http://h:1/chat/completions"),
        ("http://h:1//", "/chat/completions", "http://h:1/chat/completions"),
        ("http://h:1/openai/v1", "/openai/v1/chat/completions", "http://h:1/openai/v1/chat/completions"),
    ],
)
def test_k9_03_without_it_one_request_is_made_and_the_page_is_told(
    url: str, path: str, told: str, stream: bool, one_address: OneAddress, asked_paths: list[str]
) -> None:
    run = failed_run(OpenAIModel(model="any", base_url=address(one_address, url), stream=stream))
    detail = str(run.detail)
    assert asked_paths == [path]
    for part in (address(one_address, told), "(200, text/html; charset=utf-8)", PAGE[:20], "/v1"):
        assert part in detail
    assert len(detail) < 500


def test_k9_03_the_other_api_says_the_same(one_address: OneAddress, asked_paths: list[str]) -> None:
    run = failed_run(OpenAIResponsesModel(model="any", base_url=address(one_address, "http://h:1/v1")))
    assert asked_paths == ["/v1/responses"]
    assert "is no JSON" in str(run.detail) and "text/html" in str(run.detail)


REFUSED = [
    ("h:1/v1", "http://"),
    ("localhost:1/v1", "http://"),
    ("//h:1/v1", "http://"),
    ("h", "http://"),
    ("/v1", "http://"),
    ("http:/h/v1", "http://"),
    ("http://", "http://"),
    ("http:///v1", "http://"),
    ("ftp://h:1/v1", "http://"),
    ("file:///v1", "http://"),
    ("http://h:1/v1/chat/completions", "/chat/completions"),
    ("http://h:1/v1/chat/completions/", "/chat/completions"),
    ("http://h:1/v1/responses", "/responses"),
    ("http://h:port/v1", "address"),
    ("http://h:99999/v1", "address"),
    ("http://[::1/v1", "address"),
    ("http://h:1/v 1", "address"),
    ("http://h\n:1/v1", "address"),
    ("http://h:1/v1?key=abcdefgh12345678", "default_query"),
    ("http://h:1/v1?", "default_query"),
    ("http://h:1/v1#top", "address"),
    ("http://ann:abcdefgh12345678@h:1/v1", "OPENAI_API_KEY"),
]


@pytest.mark.parametrize("given", ["argument", "environment"])
@pytest.mark.parametrize(("url", "told"), REFUSED)
def test_k9_03_what_can_t_be_an_address_is_refused_before_any_request(
    url: str, told: str, given: str, asked_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what would work with luck: a query is lost behind a path, and the SDK logs credentials in an address."""
    monkeypatch.setenv("OPENAI_API_KEY", "any key")
    if given == "environment":
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ModelError) as caught:
        OpenAIModel(model="any", base_url=url if given == "argument" else None)
    assert told in str(caught.value) and "\n" not in str(caught.value)
    assert "abcdefgh" not in str(caught.value)
    assert asked_paths == []


def test_k9_03_of_an_address_nothing_is_told_that_may_be_a_secret() -> None:
    """A client can be made by hand with what ``base_url`` refuses: then the address is told without it."""
    for hidden in ("http://ann:abcdefgh12345678@h:1/v1", "http://h:1/abcdefgh12345678/v1"):
        for answer in (PAGE, (500, PAGE, {}), httpx2.ConnectError("no"), httpx2.ReadTimeout("slow")):
            client = Canned(answer).client(base_url=hidden, default_query={"key": "abcdefgh12345678"}, max_retries=0)
            run = failed_run(OpenAIModel(client=client, model="any"))
            assert "http://h:1/" in str(run.detail) and "abcdefgh" not in str(run.detail)


# --- K9-07: an error in the middle of a stream ----------------------------------------------------------------------

HELLO = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'
ASKED = (
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"A","function":{"name":"a",'
    '"arguments":"{\\"x\\":1}"}}]}}]}\n\n'
)
FINISHED = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n'
END = "data: [DONE]\n\n"
BROKEN = {
    "an object as a chunk": (
        HELLO + 'data: {"error":{"message":"upstream overloaded","code":529}}\n\n',
        "upstream overloaded",
    ),
    "an event of its own": (ASKED + 'event: error\ndata: {"message":"read failed"}\n\n' + END, "read failed"),
    "glued to a line": (
        'data: {"choices":[{"index":0,"del\ndata: {"type":"error","error":{"message":"read failed"}}\n\n',
        "read failed",
    ),
    "glued after a call": (
        ASKED + 'data: {"choices":[{"index":0,"del\ndata: {"type":"error","error":{"message":"read failed"}}\n\n',
        "read failed",
    ),
    "glued within a line": (
        ASKED + 'data: {"choices":[{"index":0,"deldata: {"error":{"message":"read failed"}}\n\n' + END,
        "read failed",
    ),
    "after the reason": (ASKED + FINISHED + 'data: {"error":{"message":"read failed"}}\n\n' + END, "read failed"),
    "a text": (ASKED + 'data: {"error":"read failed"}\n\n' + END, "read failed"),
    "no object": (ASKED + "event: error\ndata: read failed\n\n" + END, ""),
    "inside a choice": (
        ASKED + 'data: {"choices":[{"index":0,"delta":{},"error":{"message":"read failed"}}]}\n\n' + FINISHED + END,
        "read failed",
    ),
    "as a finish reason": (
        ASKED + 'data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n' + END,
        "",
    ),
    "beside choices": (
        ASKED + 'data: {"choices":[],"error":{"message":"read failed"}}\n\n' + FINISHED + END,
        "read failed",
    ),
    "pings and no end": (ASKED + ": ping\n\n: ping\n\nevent: ping\ndata: {}\n\n", ""),
    "another event": (
        ASKED + 'event: server_error\ndata: {"message":"read failed","code":503}\n\n' + END,
        "read failed",
    ),
    "a line that is cut": (ASKED + 'data: {"choices":[{"index":0,"delta":{},"finish_re', ""),
    "a page": (ASKED + "data: <html>502 Bad Gateway</html>\n\n", ""),
}


@pytest.mark.parametrize("early", [False, True], ids=["", "early"])
@pytest.mark.parametrize("case", BROKEN)
def test_k9_07_an_error_in_a_stream_ends_the_run_and_nothing_of_the_reply_counts(case: str, early: bool) -> None:
    """No part of a broken stream is asked for again by itself: the SDK retries up to the first byte, and whether to
    pay for the whole once more is left to whoever reads the run. Its history is the one from before."""
    raw, told = BROKEN[case]
    ran: list[int] = []

    def pay(x: int) -> str:
        ran.append(x)
        return "paid"

    canned = Canned(sse(raw), DONE)
    tool = Tool.from_function(pay, name="a", description="Pay.")
    run = failed_run(model_of(OpenAIModel, canned, max_retries=2, stream=True), tool, early_dispatch=early)
    assert (ran, run.messages, run.turns) == ([], [{"role": "user", "content": "try"}], ())
    assert told in str(run.detail) and "Hel" not in str(run.detail)
    again = Agent(model_of(OpenAIModel, canned), runtime_of(tool)).run("try again", history=run.messages)
    assert (again.stop_reason, again.answer) == ("final_answer", "done")


def test_k9_07_what_was_read_early_is_not_used() -> None:
    def read(x: int) -> str:
        return "read"

    model = model_of(OpenAIModel, Canned(sse(BROKEN["an event of its own"][0])), stream=True)
    tool = Tool.from_function(read, name="a", description="Read.", readonly=True)
    run = failed_run(model, tool, early_dispatch=True)
    assert [line["payload"]["reason"] for line in run.trace.events("early_discarded")] == ["model_error"]
    assert [message["role"] for message in run.messages] == ["user"]


RESPONSES = {
    "an event of its own": 'event: error\ndata: {"type":"error","code":"x","message":"read failed"}\n\n',
    "without a type": 'event: error\ndata: {"message":"read failed"}\n\n',
    "an object": 'data: {"error":{"message":"read failed","code":503}}\n\n',
    "in the end": 'data: {"type":"response.failed","response":{"error":{"message":"read failed","code":"x"}}}\n\n',
    "glued to a line": 'data: {"type":"response.out\ndata: {"type":"error","message":"read failed"}\n\n',
}


@pytest.mark.parametrize("case", RESPONSES)
def test_k9_07_so_it_is_with_the_other_api(case: str) -> None:
    asked = {"type": "function_call", "id": "i", "call_id": "A", "name": "quick", "arguments": "{}"}
    begun = sse({"type": "response.output_item.done", "output_index": 0, "item": asked})[1]
    run = failed_run(model_of(OpenAIResponsesModel, Canned(sse(begun + RESPONSES[case])), stream=True))
    assert "read failed" in str(run.detail)
    assert (run.turns, run.tool_calls, ToolCall("A", "quick", "{}") in run.tool_calls) == ((), (), False)
