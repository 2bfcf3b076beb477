"""The law of the key (K9-04): wherever a key goes in, at most its last four characters come out again.

Every way to give a key, every way to ask a model, every fault, and then everything that was written: messages, results,
traces, logs of all loggers, tracebacks with their local variables, what an object shows of itself, a saved notebook.
Two places are not ours and are left out: what the SDK's own client shows of a key after a call of its key function, and
the line in which the HTTP package logs an address with a query that somebody gave to a client of their own.
"""

from __future__ import annotations

import copy
import io
import json
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import httpx2
import nbformat
import openai
import openai._base_client
import pytest
from nbclient import NotebookClient
from test_reported_k9 import DONE, Canned
from tools_for_tests import quick, runtime_of

from labkit import Agent, Run, Trace
from labkit.history import broken
from labkit.models import (
    JsonModeModel,
    ModelError,
    OpenAIModel,
    OpenAIResponsesModel,
    ScriptedServer,
    TextProtocolModel,
)
from labkit.models.endpoint import mind
from labkit.models.server import FAULTS, Fault

KEYS = ["sk-test-DEADBEEF0001", "q7Zr0f3a9c5e7b12X4wv8Kp2", "gw.9Lm+Tt3/Vb7=Hs5"]
"""One that looks like a key, and two that look like nothing."""
MAY_SHOW = 4
BY_HAND = ["client", "function", "header"]
GIVEN = ["environment", *BY_HAND]
WAYS: dict[str, Callable[..., Any]] = {
    "chat": OpenAIModel,
    "chat, streaming": lambda **options: OpenAIModel(stream=True, **options),
    "responses": OpenAIResponsesModel,
    "responses, streaming": lambda **options: OpenAIResponsesModel(stream=True, **options),
    "JSON mode": lambda **options: JsonModeModel(OpenAIModel(**options)),
    "JSON mode, constrained": lambda **options: JsonModeModel(OpenAIModel(**options), constrained=True),
    "text protocol": lambda **options: TextProtocolModel(OpenAIModel(stream=True, **options)),
}
PLAIN = ["chat", "chat, streaming", "responses, streaming", "JSON mode"]
SCRIPT = {
    "task": "try",
    "decisions": [{"tool_calls": [{"id": "call_1", "name": "quick", "arguments": "{}"}]}, {"content": "done"}],
}


def shown(key: str, text: str) -> list[str]:
    """Return the parts of a key that a text shows and must not."""
    size = MAY_SHOW + 1
    return [part for part in (key[i : i + size] for i in range(len(key) - MAY_SHOW)) if part in text]


def test_a_part_of_a_key_is_found_wherever_it_stands() -> None:
    assert shown(KEYS[0], "Incorrect API key provided: ****0001") == []
    for text in (KEYS[0], f"a{KEYS[0]}b", "sk-test-…", "…F0001", json.dumps({"a": KEYS[0]})):
        assert shown(KEYS[0], text) != []


@pytest.fixture(params=KEYS)
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that any logger says, with tracebacks."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    loggers = [logging.getLogger(name) for name in ("", "openai", "httpx2", "httpcore2", "labkit")]
    levels = [each.level for each in loggers]
    logging.getLogger().addHandler(handler)
    for each in loggers:
        each.setLevel(logging.DEBUG)
    yield written
    logging.getLogger().removeHandler(handler)
    for each, level in zip(loggers, levels, strict=True):
        each.setLevel(level)


def behind(canned: Canned) -> httpx2.Client:
    return httpx2.Client(transport=httpx2.MockTransport(canned), event_hooks={"response": [mind]})


def setting(given: str, key: str, base_url: str, monkeypatch: pytest.MonkeyPatch, **more: Any) -> dict[str, Any]:
    """Return the settings of a model that holds this key, given in one of the ways."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if given == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", key)
        return {"base_url": base_url, "model": "scripted"}
    settings: dict[str, Any] = {"base_url": base_url, "http_client": httpx2.Client(trust_env=False, verify=False)}
    settings["api_key"] = {"client": key, "function": lambda: key, "header": "none"}[given]
    if given == "header":
        settings["default_headers"] = {"api-key": key, "Authorization": f"Bearer {key}"}
    return {"client": openai.OpenAI(**settings | more), "model": "scripted"}


def seen_of(value: Any) -> str:
    """Return what an object shows of itself, and what comes of copying it."""
    said = [repr(value), str(value), format(value), attempt(pickle.dumps, value), attempt(copy.deepcopy, value)]
    if hasattr(value, "__dict__"):
        said += [repr(vars(value)), attempt(json.dumps, vars(value))]
    return "\n".join(said)


def attempt(act: Callable[[Any], Any], value: Any) -> str:
    try:
        made = act(value)
    except Exception as problem:  # without local variables: objects that are half copied can't be shown
        return "".join(traceback.format_exception(problem))
    return made.decode("latin-1") if isinstance(made, bytes) else f"{made!r} {getattr(made, '__dict__', '')}"


def told_of(problem: BaseException | None) -> str:
    """Return the traceback of an exception with all local variables, and those of what stands behind it."""
    told = ""
    while problem is not None:
        told += "".join(traceback.TracebackException.from_exception(problem, capture_locals=True).format())
        told += f"{problem!r} {problem.args} {getattr(problem, '__dict__', '')}"
        problem = problem.__cause__ or problem.__context__
    return told


def asking(model: Any) -> str:
    """Ask a model directly, and return all that is to be seen of it. No key is a local variable here."""
    try:
        return repr(model.reply([{"role": "user", "content": "try"}], []))
    except BaseException as problem:
        return told_of(problem)


def making(make: Callable[[], Any]) -> str:
    """Make a model and ask it, and return all that is to be seen of it."""
    try:
        return asking(make())
    except ModelError as problem:
        return told_of(problem)


def written_by(run: Run, file: Path) -> str:
    """Return all that a run leaves behind."""
    assert broken(run.messages) == []
    lines = json.dumps(run.trace.lines)
    return "\n".join([repr(run), repr(vars(run)), repr(run.turns), str(run.detail), lines, file.read_text("utf-8")])


# ---- every way in, every way to ask, every fault ----


@pytest.mark.parametrize("kind", [None, *FAULTS])
def test_k9_04_no_run_tells_the_key(
    kind: str | None,
    log: io.StringIO,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openai._base_client, "time", SimpleNamespace(sleep=lambda seconds: None, time=lambda: 0.0))
    faults = [Fault(kind, retry_after="1" if kind == "rate_limit" else None) if kind else None]
    reasons = set()
    first = [None, *FAULTS].index(kind)
    for number, way in enumerate(WAYS):
        given, key = GIVEN[(first + number) % len(GIVEN)], KEYS[(first + number) % len(KEYS)]
        with ScriptedServer(SCRIPT, faults=faults * 6) as server:
            more: dict[str, Any] = {"timeout": 0.03} if kind == "silence" else {}
            model = WAYS[way](**setting(given, key, server.base_url, monkeypatch), **more)
            file = tmp_path / f"{number}.jsonl"
            run = Agent(model, runtime_of(quick()), trace=Trace(file)).run("try")
            seen = [written_by(run, file), repr(server.requests), str(server.last_error), asking(model)]
        seen += [repr(model), str(model), repr(vars(model))]
        for text in seen:
            assert shown(key, text) == [], (way, given, text[:3_000])
        assert [each for each in KEYS if shown(each, log.getvalue())] == [], (way, given)
        if way != "text protocol":  # the server has no script in its words
            reasons.add(run.stop_reason)
    assert [each for each in KEYS for said in capfd.readouterr() if shown(each, said)] == []
    assert "POST" in log.getvalue()
    if kind is None:
        assert reasons == {"final_answer"}


ECHOES: dict[str, Callable[[str], Any]] = {
    "401": lambda key: (401, {"error": {"message": f"Incorrect API key provided: {key}."}}, {}),
    "500": lambda key: (500, {"error": {"message": f"Incorrect API key provided: {key}."}}, {}),
    "as text": lambda key: (500, f"<html>Authorization: Bearer {key}</html>", {}),
    "as a list": lambda key: (403, [key, {"key": key}], {}),
    "as a name": lambda key: (400, {key: {key: key}}, {}),
    "as a code": lambda key: (400, {"error": {"code": key, "type": key, "message": "no"}}, {}),
    "in a 200": lambda key: (200, {"error": {"message": f"no such key: {key}"}}, {}),
    "instead of choices": lambda key: (200, {"choices": key}, {}),
    "a page in a 200": lambda key: (200, f"<html>{key}</html>", {}),
    "a content type": lambda key: (200, "no", {"content-type": f"text/{key}"}),
    "a pause": lambda key: (429, {"error": {"message": "slow"}}, {"retry-after": key}),
    "doubled": lambda key: (401, {"error": {"message": key * 2}}, {}),
    "in the stream": lambda key: (
        200,
        f"data: {json.dumps({'error': {'message': f'no such key: {key}'}})}\n\n",
        {"content-type": "text/event-stream"},
    ),
    "in the stream, glued": lambda key: (
        200,
        f'data: {{"choi\ndata: {json.dumps({"error": {"message": f"no such key: {key}"}})}\n\n',
        {"content-type": "text/event-stream"},
    ),
    "in the stream, no JSON": lambda key: (200, f"data: {key}\n\n", {"content-type": "text/event-stream"}),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_k9_04_what_a_server_echoes_is_blotted_out(
    echo: str, key: str, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = behind(Canned(ECHOES[echo](key)))
    for given in BY_HAND:
        settings = setting(given, key, "http://h:1/v1", monkeypatch, http_client=http, max_retries=0)
        for way in PLAIN:
            run = Agent(WAYS[way](**settings), runtime_of(quick())).run("try")
            assert run.stop_reason == "model_error"
            for said in (json.dumps(run.trace.lines), asking(WAYS[way](**settings))):
                assert shown(key, said) == [], (way, given, said)
    assert shown(key, log.getvalue()) == []


@pytest.mark.parametrize("status", [401, 500, 200])
def test_k9_04_a_key_that_is_cut_in_the_middle_is_no_smaller_secret(status: int, key: str) -> None:
    """What a server says is quoted up to some length, and the cut may go through a key."""
    told = set()
    for before in range(10 if status == 200 else 160, 40 if status == 200 else 200):
        said = "w" * before + f" {key} and so on, " + "w" * 200
        body: Any = said if status == 200 else {"error": {"message": said}} if status == 401 else {"said": said}
        client = Canned((status, body, {})).client(api_key=key, max_retries=0)
        text = asking(OpenAIModel(client=client, model="any"))
        assert shown(key, text) == [], text
        told.add("[hidden]…" in text)
    assert told == {True, False}


# ---- what never reaches a server ----


@pytest.mark.parametrize("given", BY_HAND)
@pytest.mark.parametrize("problem", [httpx2.ConnectError, httpx2.ReadTimeout, httpx2.ReadError, httpx2.ProxyError])
def test_k9_04_no_connection_and_a_key_in_the_query(
    problem: type[httpx2.TransportError], given: str, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = KEYS[0]
    canned = Canned(problem(f"no way to http://h:1/v1?key={key}"))
    more: dict[str, Any] = {"http_client": behind(canned), "default_query": {"key": key}, "max_retries": 0}
    for way in WAYS:
        said = asking(WAYS[way](**setting(given, key, "http://h:1/v1", monkeypatch, **more)))
        assert "ModelError" in said and "http://h:1/v1" in said
        assert shown(key, said + log.getvalue()) == [], way
    assert key in str(canned.requests[0].url)


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), RuntimeError("a hook broke"), MemoryError()])
@pytest.mark.parametrize("given", ["client", "header"])
def test_k9_04_what_breaks_in_the_middle_shows_no_key_in_its_frames(
    given: str, problem: BaseException, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception that is not the SDK's comes through with the frames of the SDK, where the request stands."""
    key = KEYS[0]
    for way in PLAIN:
        settings = setting(given, key, "http://h:1/v1", monkeypatch, http_client=behind(Canned(problem)))
        said = asking(WAYS[way](**settings))
        assert type(problem).__name__ in said
        assert shown(key, said + log.getvalue()) == [], way


@pytest.mark.parametrize(
    "url",
    [
        "http://h:1/v1?key={}",
        "http://ann:{}@h:1/v1",
        "h:1/{}",
        "http://h:port/{}/v1",
        "http://h:1/v1#{}",
        "{}",
        "http://{}",
    ],
)
def test_k9_04_an_address_that_is_refused_is_told_without_the_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    monkeypatch.setenv("OPENAI_BASE_URL", url.format(KEYS[0]))
    assert shown(KEYS[0], making(lambda: OpenAIModel(model="any"))) == []


@pytest.mark.parametrize("odd", ["{}\n", "{}\r\nX-Other: 1", "\t{}\x00", "{}é", "{}\u200b", "a {}\n b", "{}\ud800"])
@pytest.mark.parametrize("given", ["client", "environment"])
def test_k9_04_a_key_that_can_t_be_sent_is_refused_unseen(
    given: str, odd: str, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line break at the end comes with copying; HTTP packages then quote the header in their exceptions and logs."""
    bad = odd.format(KEYS[0])
    if given == "environment" and ("\x00" in bad or "\ud800" in bad):
        bad = f"{KEYS[0]}\x7f"

    settings = setting(given, bad, "http://127.0.0.1:9/v1", monkeypatch)
    said = making(lambda: OpenAIModel(**settings, timeout=0.1, max_retries=0))
    assert "ModelError" in said
    assert "key" in said or (given, odd) == ("environment", "{}\n")
    assert shown(KEYS[0], said + log.getvalue()) == []


# ---- what an object shows of itself ----


@pytest.mark.parametrize("given", ["client", "environment"])
@pytest.mark.parametrize("way", WAYS)
def test_k9_04_an_object_shows_no_key_of_itself(way: str, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEYS[1]
    model = WAYS[way](**setting(given, key, "http://127.0.0.1:9/v1", monkeypatch))
    inner = getattr(model, "model", model)
    inner = inner if isinstance(inner, OpenAIModel | OpenAIResponsesModel) else model
    agent = Agent(model, runtime_of(quick()))
    for value in (model, inner, inner.client, agent, copy.copy(inner), inner.having(temperature=0)):
        assert shown(key, seen_of(value)) == [], type(value).__name__
    assert (inner.client.api_key, f"{inner.client.api_key}") == (key, key)


def test_k9_04_the_client_that_was_given_stays_as_it_is_and_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    canned = Canned(DONE)
    client = canned.client(api_key=KEYS[0], timeout=7, max_retries=0, default_headers={"x-mine": "1"})
    before = dict(vars(client))
    model = OpenAIModel(client=client, model="any")
    assert model.reply([{"role": "user", "content": "hi"}], []).content == "done"
    assert {name: value for name, value in vars(client).items() if name in before} == before
    assert type(client.api_key) is str
    assert (model.client.timeout, model.client.max_retries) == (7, 0)
    assert canned.requests[0].headers["authorization"] == f"Bearer {KEYS[0]}"
    assert canned.requests[0].headers["x-mine"] == "1"


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("way", WAYS)
def test_k9_04_the_key_does_reach_the_server(way: str, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all of the above would be easy."""
    with ScriptedServer(SCRIPT, faults=["echo_key"] * 2) as server:
        received: list[str] = []
        answer = server.answer
        monkeypatch.setattr(server, "answer", lambda asked: (received.append(asked.key), answer(asked))[1])
        asking(WAYS[way](**setting(given, KEYS[0], server.base_url, monkeypatch)))
    assert received and set(received) == {KEYS[0]}


# ---- a notebook that does all of this, executed and saved ----

CELLS = [
    """
    import copy, logging, os, pickle, sys, traceback
    import openai
    from labkit import Agent, Tool, ToolRegistry, ToolRuntime, Trace
    from labkit.models import *
    from labkit.models.endpoint import mind
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
    logging.getLogger("openai").setLevel(logging.DEBUG)

    def quick() -> str:
        "Answer at once."
        return "quick"

    tools = ToolRuntime(ToolRegistry([Tool.from_function(quick, readonly=True)]))
    asked = [{"id": "call_1", "name": "quick", "arguments": "{}"}]
    script = {"task": "try", "decisions": [{"tool_calls": asked}, {"content": "done"}]}
    server = ScriptedServer(script, faults=["echo_key", "html", "error_in_200", None]).start()
    """,
    'model = OpenAIModel(base_url=server.base_url, model="scripted"); model',
    "vars(model)",
    "vars(model.client)",
    "model.client.api_key",
    'run = Agent(model, tools, trace=Trace("run.jsonl")).run("try"); print(run, run.detail, run.trace.lines); run',
    "%xmode Verbose",
    'model.reply([{"role": "user", "content": "try"}], [])',
    'Agent(OpenAIModel(base_url=server.base_url, model="scripted", stream=True), tools).run("try").detail',
    'Agent(OpenAIModel(base_url=server.base_url, model="scripted", stream=True), tools).run("try").answer',
    'server.stop(); server = ScriptedServer(script, faults=["echo_key"] * 9).start(); server.requests',
    """
    def by_hand(**settings):
        http = openai.DefaultHttpxClient(trust_env=False, event_hooks={"response": [mind]})
        return openai.OpenAI(api_key=os.environ["OPENAI_API_KEY"], http_client=http, max_retries=0, **settings)
    client = by_hand(base_url=server.base_url)
    client
    """,
    'mine = OpenAIResponsesModel(client=client, model="scripted"); mine.reply([], [])',
    "JsonModeModel(mine).reply([], [])",
    'OpenAIModel(client=client, model="scripted", stream=True).reply([], [])',
    "vars(mine), vars(mine.client)",
    "pickle.dumps(mine)",
    "copy.deepcopy(mine)",
    "server.requests, server.last_error, server",
    "%xmode Context",
    "server.stop(); mine.reply([], [])",
    """
    try:
        mine.reply([], [])
    except ModelError as problem:
        told = traceback.TracebackException.from_exception(problem, capture_locals=True)
        print("".join(told.format()))
    """,
    """
    hidden = by_hand(base_url="http://127.0.0.1:9/v1", default_query={"key": client.api_key})
    lost = OpenAIModel(client=hidden, model="any")
    """,
    "lost.reply([], [])",
    "%xmode Verbose",
    "lost.reply([], [])",
    "os.environ['OPENAI_BASE_URL'] = f'http://h:1/v1?key={client.api_key}'",
    "OpenAIModel(model='any')",
    "1 / 0",
]


def test_k9_04_a_notebook_that_was_run_and_saved_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEYS[1]
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(dedent(source).strip()) for source in CELLS])
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, allow_errors=True, kernel_name="python3", resources=where).execute()
    nbformat.write(book, tmp_path / "run.ipynb")
    text = (tmp_path / "run.ipynb").read_text("utf-8")
    for cell in book.cells:
        assert shown(key, json.dumps(cell.outputs)) == [], cell.source
    assert shown(key, text + (tmp_path / "run.jsonl").read_text("utf-8")) == []
    raised = [output.ename for cell in book.cells for output in cell.outputs if output.output_type == "error"]
    assert raised.count("ModelError") == 8 and raised[-1] == "ZeroDivisionError", raised
    assert "DEBUG:httpcore2" in text and "Incorrect API key provided" in text
