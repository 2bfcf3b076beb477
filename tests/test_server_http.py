"""The server as a program on the network: addresses, bodies, connections, threads, and an end that comes at once."""

from __future__ import annotations

import ast
import dataclasses
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import openai
import pytest
from server_clients import SCRIPT, ask, chat_body, post, real_client, responses_body

from labkit.models.server import Fault, Received, ScriptedServer

ROOM = Path(__file__).resolve().parents[1] / "labkit" / "models" / "server"
STOPPED_WITHIN = 2.0
"""Seconds; a stop that waits for a drip or a client would take a minute."""

JSON = {"Content-Type": "application/json"}


def raw(server: ScriptedServer, text: bytes) -> bytes:
    """What comes back on a socket of one's own, to its end."""
    with connected(server) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def connected(server: ScriptedServer) -> socket.socket:
    parts = urlsplit(server.base_url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10)


def path_of(server: ScriptedServer) -> str:
    return urlsplit(server.base_url).path


# ---- addresses ----


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_only_the_whole_address_leads_in(method: str) -> None:
    with ScriptedServer(SCRIPT) as server:
        prefix = path_of(server)
        token = prefix.split("/")[1]
        wrong = ["/", "/v1/models", "/v1/chat/completions", f"/{token}/models", f"/{token[:-1]}/v1/models"]
        wrong += [f"/{'0' * 32}/v1/models", f"/x/{token}/v1/models", f"{prefix}/files", prefix, "/%C3%A9", "/é" * 20]
        for path in wrong:
            head = f"{method} {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
            answered = raw(server, head.encode() + b"{}").decode()
            assert answered.startswith("HTTP/1.1 404 ")
            assert "whole base URL" in json.loads(answered.partition("\r\n\r\n")[2])["error"]["message"]
            assert token not in answered
        assert server.requests == ()


def test_each_server_has_its_own_token_and_listens_to_this_machine_alone() -> None:
    with ScriptedServer(SCRIPT) as one, ScriptedServer(SCRIPT) as other:
        assert len({path_of(one), path_of(other)}) == 2
        assert len(path_of(one).split("/")[1]) == 32
        assert one.base_url.startswith("http://127.0.0.1:")
        with connected(one) as connection:
            assert connection.getpeername()[0] == "127.0.0.1"
        outside = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in sorted(map(str, outside - {"127.0.0.1"})):
            with pytest.raises(OSError):
                socket.create_connection((address, urlsplit(one.base_url).port or 0), timeout=2)


def test_the_list_of_models_holds_the_scripted_one() -> None:
    heard: list[Received] = []
    with ScriptedServer(SCRIPT, on_request=heard.append) as server, real_client(server) as client:
        assert [model.id for model in client.models.list()] == ["scripted"]
        assert server.requests == ()  # nothing was asked of the model
    assert [(each.api, each.status) for each in heard] == [("models", 200)]


def test_other_methods_are_refused_in_json() -> None:
    with ScriptedServer(SCRIPT) as server:
        for method, path in [("GET", "/chat/completions"), ("PUT", "/responses"), ("DELETE", "/models")]:
            status, headers, body = ask(server, method, path)
            assert (status, headers["content-type"]) == (405, "application/json")
            assert json.loads(body)["error"]["type"] == "invalid_request_error"
        assert ask(server, "POST", "/chat/completions?x=1", json.dumps(chat_body()).encode(), JSON)[0] == 200


# ---- bodies ----


@pytest.mark.parametrize(
    ("body", "piece"),
    [
        (b"", "no valid JSON"),
        (b'{"model": ', "no valid JSON"),
        (b'{"model": "\xff"}', "no valid JSON"),
        (b'{"temperature": NaN}', "no valid JSON"),
        (b'{"model": "\\ud83d"}', "no valid JSON"),
        (b"1" * 5000, "no valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"null", "must be an object, not null"),
        (b"[]", "must be an object, not a list"),
    ],
)
def test_a_body_that_is_no_request_is_a_400(body: bytes, piece: str) -> None:
    with ScriptedServer(SCRIPT) as server:
        for path in ("/chat/completions", "/responses"):
            status, _, answered = post(server, path, body)
            assert status == 400
            assert piece in json.loads(answered)["error"]["message"]
        assert [each.status for each in server.requests] == [400, 400]


def test_bodies_of_another_kind_or_length_are_refused_unread() -> None:
    good = json.dumps(chat_body()).encode()
    with ScriptedServer(SCRIPT) as server:
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            assert ask(server, "POST", "/chat/completions", good, {"Content-Type": kind})[0] == 415
        assert (
            ask(server, "POST", "/chat/completions", good, {"Content-Type": "Application/JSON; charset=utf-8"})[0]
            == 200
        )
        head = f"POST {path_of(server)}/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        for more, status in [
            ("", 411),
            ("Content-Length: -5\r\n", 411),
            ("Content-Length: many\r\n", 411),
            ("Transfer-Encoding: chunked\r\n", 411),
            ("Content-Length: 8000001\r\n", 413),
            (f"Content-Length: {10**30}\r\n", 413),
        ]:
            answered = raw(server, f"{head}{more}\r\n".encode())
            assert answered.startswith(b"HTTP/1.1 %d " % status)
            assert b"Connection: close" in answered
        assert b" 400 " in raw(server, b"hello there, this is no HTTP\r\n\r\n").splitlines()[0]
        assert ask(server, "GET", "/models")[0] == 200


def test_a_body_that_is_too_long_is_answered_and_not_just_cut_off() -> None:
    with ScriptedServer(SCRIPT) as server:
        status, _, body = post(server, "/chat/completions", b"x" * 20_000_000)
        assert (status, json.loads(body)["error"]["message"]) == (413, "the body is longer than 8000000 bytes")


def test_one_connection_carries_many_requests() -> None:
    with ScriptedServer(SCRIPT) as server:
        parts = urlsplit(server.base_url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        seen = []
        for body in (chat_body(), chat_body(tools=[]), chat_body(stream=True), chat_body()):
            connection.request("POST", f"{parts.path}/chat/completions", json.dumps(body), JSON)
            answered = connection.getresponse()
            seen.append((answered.status, bool(answered.read())))
        here = connection.sock
        connection.close()
    assert here is not None
    assert seen == [(200, True), (400, True), (200, True), (200, True)]


def test_a_stream_is_made_of_server_sent_events() -> None:
    with ScriptedServer(SCRIPT) as server:
        _, headers, body = post(server, "/chat/completions", chat_body(stream=True))
        assert headers["content-type"] == "text/event-stream; charset=utf-8"
        assert headers["transfer-encoding"] == "chunked"
        frames = body.decode().split("\n\n")
        assert frames[-2:] == ["data: [DONE]", ""]
        assert all(json.loads(frame.removeprefix("data: "))["choices"] for frame in frames[:-2])
        flat = post(server, "/responses", responses_body(stream=True))[2].decode().split("\n\n")[:-1]
        for number, frame in enumerate(flat):
            first, second = frame.split("\n")
            event = json.loads(second.removeprefix("data: "))
            assert (first, number) == (f"event: {event['type']}", event["sequence_number"])


def test_an_old_client_gets_its_stream_without_chunks() -> None:
    body = json.dumps(chat_body(stream=True)).encode()
    with ScriptedServer(SCRIPT) as server:
        head = f"POST {path_of(server)}/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\n"
        answered = raw(server, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    header, _, frames = answered.partition(b"\r\n\r\n")
    assert b"chunked" not in header
    assert frames.startswith(b"data: {") and frames.endswith(b"data: [DONE]\n\n")


# ---- records ----


def test_records_say_what_was_asked_and_what_came_of_it() -> None:
    with ScriptedServer(SCRIPT) as server:
        assert server.last_error is None
        post(server, "/chat/completions", chat_body(stream=True), Authorization="Bearer sk-test-9")
        post(server, "/responses", responses_body(tools=[]))
        first, second = server.requests
        assert (first.api, first.streamed, first.status, first.message) == ("chat.completions", True, 200, "")
        assert first.body == chat_body(stream=True)
        assert (second.api, second.status) == ("responses", 400)
        assert second.message == server.last_error
        assert "(rule 11)" in second.message
        with pytest.raises(dataclasses.FrozenInstanceError):
            first.status = 500  # type: ignore[misc]
        assert "sk-test-9" not in repr(server.requests) + repr(server)
        assert path_of(server).split("/")[1] not in repr(server.requests) + repr(server)
    assert len(server.requests) == 2  # they are still there after the end


# ---- at once, and to an end ----


def test_two_clients_are_answered_at_once() -> None:
    together = threading.Barrier(2, timeout=10)
    with ScriptedServer(SCRIPT, on_request=lambda _: together.wait() and None) as server:
        seen: list[int] = []
        clients = [
            threading.Thread(target=lambda: seen.append(post(server, "/chat/completions", chat_body())[0]))
            for _ in range(2)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join(10)
    assert seen == [200, 200]  # neither was let on before the other had come


def test_eight_clients_get_each_its_own_answer() -> None:
    answers: dict[int, bytes] = {}
    with ScriptedServer(SCRIPT) as server:

        def work(number: int) -> None:
            for _ in range(5):
                answers[number] = post(server, "/chat/completions", chat_body(model=f"m{number}"))[2]

        clients = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(20)
        assert len(server.requests) == 40
    assert {number: json.loads(body)["model"] for number, body in answers.items()} == {n: f"m{n}" for n in range(8)}


def test_a_drip_lets_time_pass_between_the_frames() -> None:
    with ScriptedServer(SCRIPT, drip=[0.0, 0.2, 0.1]) as server:
        began = time.monotonic()
        post(server, "/chat/completions", chat_body(stream=True))
        assert time.monotonic() - began >= 0.3
    with ScriptedServer(SCRIPT, drip=0.01) as server:
        began = time.monotonic()
        frames = post(server, "/chat/completions", chat_body(stream=True))[2].count(b"data: ")
        assert time.monotonic() - began >= 0.01 * (frames - 1)


@pytest.mark.parametrize("what", ["drip", "silence", "idle", "half a request"])
def test_the_end_comes_at_once_whatever_is_under_way(what: str) -> None:
    before = set(threading.enumerate())
    faults = [Fault("silence")] if what == "silence" else []
    asked = threading.Event()
    server = ScriptedServer(SCRIPT, faults=faults, drip=60.0, on_request=lambda _: asked.set()).start()
    body = json.dumps(chat_body(stream=True)).encode()
    head = f"POST {path_of(server)}/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with connected(server) as connection:
        if what in ("drip", "silence"):
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert asked.wait(10)
        elif what == "half a request":
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:9])
        if what == "drip":
            assert connection.recv(10)
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < STOPPED_WITHIN
        rest = b""
        try:
            while more := connection.recv(65536):
                rest += more
        except ConnectionError:
            rest += b" (reset)"
        assert b"[DONE]" not in rest
    assert set(threading.enumerate()) - before == set()


def test_the_real_client_sees_a_stop_as_a_lost_connection() -> None:
    with ScriptedServer(SCRIPT, drip=60.0) as server, real_client(server) as client:
        stream = iter(client.chat.completions.create(**chat_body(), stream=True))
        assert next(stream).choices[0].delta.role == "assistant"
        server.stop()
        with pytest.raises(openai.APIConnectionError):
            next(stream)


def test_a_client_that_leaves_in_the_middle_harms_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(SCRIPT, drip=0.02) as server:
        with real_client(server) as client:
            stream = client.chat.completions.create(**chat_body(), stream=True)
            assert next(iter(stream)).choices
            stream.close()
        assert post(server, "/chat/completions", chat_body())[0] == 200
    assert capfd.readouterr() == ("", "")


def test_a_server_can_be_stopped_twice_and_started_again() -> None:
    server = ScriptedServer(SCRIPT)
    with pytest.raises(RuntimeError, match="has not been started"):
        _ = server.base_url
    assert repr(server) == "ScriptedServer(2 decisions, stopped)"
    server.stop()
    address = server.start().base_url
    assert server.start().base_url == address
    server.stop()
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        post(server, "/chat/completions", chat_body())
    with server:
        assert server.base_url == address
        assert repr(server) == "ScriptedServer(2 decisions, listening)"
        assert post(server, "/chat/completions", chat_body())[0] == 200


def test_a_port_that_is_taken_is_an_error_at_once() -> None:
    with ScriptedServer(SCRIPT) as server:
        port = urlsplit(server.base_url).port or 0
        with pytest.raises(OSError):
            ScriptedServer(SCRIPT, port=port).start()


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(SCRIPT) as server, real_client(server) as client:
        assert client.chat.completions.create(**chat_body()).choices[0].message.content == "Two look-ups."


# ---- what it is made of ----


def test_the_judge_shares_no_code_with_the_client() -> None:
    """What is judged by the hand that wrote it proves nothing."""
    imported: set[str] = set()
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
    ours = {name for name in imported if name.startswith("labkit") and not name.startswith("labkit.models.server")}
    assert ours == {"labkit.calls", "labkit.history", "labkit.models.base", "labkit.models.scripted"}
    assert not any(name.split(".")[0] in ("openai", "httpx2", "pydantic") for name in imported)


def test_a_light_import_loads_no_server() -> None:
    names = ("http.server", "socketserver", "openai")
    code = f"import sys, labkit, labkit.models; print([n for n in {names} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_record_is_a_value() -> None:
    assert Received("responses", False, {}, 200) == Received("responses", False, {}, 200, "")


def test_what_a_listener_raises_stops_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    def fails(_: Received) -> None:
        raise RuntimeError("nobody listens")

    with ScriptedServer(SCRIPT, on_request=fails) as server:
        assert post(server, "/chat/completions", chat_body())[0] == 200
    assert capfd.readouterr().err == ""


def test_a_fault_of_the_server_itself_is_a_500_and_no_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("content")

    monkeypatch.setattr("labkit.models.server.answering.decide", breaks)
    with ScriptedServer(SCRIPT) as server:
        status, _, body = post(server, "/chat/completions", chat_body())
    assert (status, json.loads(body)["error"]["message"]) == (500, "the server itself failed (KeyError)")
