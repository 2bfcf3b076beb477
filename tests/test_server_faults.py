"""What the server can be told to do wrong, as the real client and a plain one meet it."""

from __future__ import annotations

import http.client
import json
from typing import Any

import openai
import pytest
from server_clients import SCRIPT, chat_body, post, real_client, responses_body

from labkit.models.server import FAULTS, Fault, ScriptedServer

KEY = "sk-test-DEADBEEF0001"


def chat(server: ScriptedServer, stream: bool = False, **options: Any) -> Any:
    """One chat request of the real client; a stream is read to its end."""
    with real_client(server, **options) as client:
        reply = client.chat.completions.create(**chat_body(), stream=stream)
        return [*reply] if stream else reply


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "error", "status", "code"),
    [
        (Fault("rate_limit", retry_after="0.05"), openai.RateLimitError, 429, "rate_limit_exceeded"),
        (Fault("quota"), openai.RateLimitError, 429, "insufficient_quota"),
        (Fault("overloaded"), openai.InternalServerError, 500, None),
        (Fault("overloaded", status=503), openai.InternalServerError, 503, None),
        (Fault("echo_key"), openai.AuthenticationError, 401, "invalid_api_key"),
    ],
)
def test_a_status_that_is_an_error(fault: Fault, error: Any, status: int, code: str | None, stream: bool) -> None:
    with ScriptedServer(SCRIPT, faults=[fault]) as server:
        with pytest.raises(error) as refused:
            chat(server, stream)
        assert (refused.value.status_code, refused.value.code) == (status, code)
        assert [(each.status, each.message) for each in server.requests] == [(status, f"played: {fault.kind}")]
        assert chat(server, stream)  # one fault, one request


def test_the_wait_that_is_asked_for_stands_in_the_header_and_is_obeyed() -> None:
    with ScriptedServer(SCRIPT, faults=[Fault("rate_limit", retry_after="0.05")] * 2) as server:
        status, headers, _ = post(server, "/chat/completions", chat_body())
        assert (status, headers["retry-after"]) == (429, "0.05")
        assert chat(server, max_retries=1).choices[0].message.tool_calls
        assert [each.status for each in server.requests] == [429, 429, 200]


def test_an_echoed_key_is_sent_back_and_kept_nowhere() -> None:
    heard: list[Any] = []
    with ScriptedServer(SCRIPT, faults=["echo_key"], on_request=heard.append) as server:
        with pytest.raises(openai.AuthenticationError, match=KEY):
            chat(server, api_key=KEY)
        assert KEY not in repr((server, server.requests, server.last_error, heard, vars(server)))


@pytest.mark.parametrize("api", ["chat/completions", "responses"])
@pytest.mark.parametrize(
    ("kind", "content_type", "piece"),
    [
        ("garbage", "application/json", '[{"ind'),
        ("html", "text/html; charset=utf-8", "<!doctype html>"),
        ("error_in_200", "application/json", '"code": 500'),
        ("null_choices", "application/json", ": null}"),
        ("error_in_stream", "application/json", '"code": 500'),  # what comes in one piece has no middle
    ],
)
def test_a_200_that_holds_no_reply(api: str, kind: str, content_type: str, piece: str) -> None:
    body = chat_body() if api.startswith("chat") else responses_body()
    with ScriptedServer(SCRIPT, faults=[kind]) as server:
        status, headers, raw = post(server, f"/{api}", body)
    assert (status, headers["content-type"]) == (200, content_type)
    assert piece in raw.decode()


def test_an_error_in_200_can_carry_a_429() -> None:
    with ScriptedServer(SCRIPT, faults=[Fault("error_in_200", status=429)]) as server:
        reply = chat(server)
    assert reply.choices is None
    assert reply.to_dict()["error"]["code"] == 429


@pytest.mark.parametrize("stream", [False, True])
def test_the_model_declines(stream: bool) -> None:
    with ScriptedServer(SCRIPT, faults=["refuse"]) as server:
        reply = chat(server, stream)
    if stream:
        assert "".join(chunk.choices[0].delta.refusal or "" for chunk in reply) == "I can't help with that."
    else:
        assert (reply.choices[0].message.refusal, reply.choices[0].message.content) == ("I can't help with that.", None)


def test_the_filter_withholds_and_the_limit_cuts() -> None:
    with ScriptedServer(SCRIPT, faults=["content_filter", "length"] * 2) as server, real_client(server) as client:
        withheld, cut = (client.chat.completions.create(**chat_body()).choices[0] for _ in range(2))
        flat = [client.responses.create(**responses_body()) for _ in range(2)]
    assert (withheld.finish_reason, withheld.message.tool_calls) == ("content_filter", None)
    assert cut.finish_reason == "length"
    whole, half = (call.function.arguments for call in cut.message.tool_calls or ())  # type: ignore[union-attr]
    assert (json.loads(whole), half) == ({"city": "Oslo"}, '{"city": ')
    assert [reply.status for reply in flat] == ["incomplete", "incomplete"]
    reasons = [reply.incomplete_details and reply.incomplete_details.reason for reply in flat]
    assert reasons == ["content_filter", "max_output_tokens"]


def test_a_stream_that_turns_into_an_error() -> None:
    with ScriptedServer(SCRIPT, faults=["error_in_stream", "error_event"] * 2) as server:
        with pytest.raises(openai.APIError, match="overloaded"):
            chat(server, stream=True)
        body = chat_body(stream=True)
        raw = post(server, "/chat/completions", body)[2]
        assert raw.endswith(b'event: error\ndata: {"message": "The server is overloaded. Try again later.", '
                            b'"code": "server_error"}\n\n')  # fmt: skip
        for start in (b"data: ", b"event: error\ndata: "):
            last = post(server, "/responses", responses_body(stream=True))[2].split(b"\n\n")[-2]
            assert last.startswith(start)
            assert json.loads(last.removeprefix(start))["type"] == "error"


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_that_breaks_off(stream: bool) -> None:
    body = chat_body(stream=stream)
    with ScriptedServer(SCRIPT, faults=[None, Fault("cut", at=40), "cut", Fault("cut", at=0)]) as server:
        whole = post(server, "/chat/completions", body)[2]
        for expected in (whole[:40], whole[: len(whole) // 2], b""):
            with pytest.raises(http.client.IncompleteRead) as cut:
                post(server, "/chat/completions", body)
            assert cut.value.partial == expected
    with ScriptedServer(SCRIPT, faults=["cut"]) as server, pytest.raises(openai.APIConnectionError):
        chat(server, stream)


def test_a_cut_never_lets_the_whole_body_through() -> None:
    with ScriptedServer(SCRIPT, faults=[None, Fault("cut", at=10**9)]) as server:
        whole = post(server, "/chat/completions", chat_body())[2]
        with pytest.raises(http.client.IncompleteRead) as cut:
            post(server, "/chat/completions", chat_body())
        assert cut.value.partial == whole[:-1]


def test_a_reset_and_silence_are_no_answers() -> None:
    with ScriptedServer(SCRIPT, faults=["reset", "reset", "silence"]) as server:
        with pytest.raises(openai.APIConnectionError):
            chat(server)
        with pytest.raises(ConnectionResetError):
            post(server, "/chat/completions", chat_body())
        with pytest.raises(openai.APITimeoutError):
            chat(server, timeout=0.1)
        assert [(each.status, each.message) for each in server.requests] == [
            (0, "played: reset"),
            (0, "played: reset"),
            (0, "played: silence"),
        ]
        assert chat(server).choices[0].finish_reason == "tool_calls"


def test_faults_are_played_in_order_and_none_lets_one_pass() -> None:
    with ScriptedServer(SCRIPT, faults=[None, "quota", None, Fault("overloaded", status=529)]) as server:
        seen = [post(server, "/chat/completions", chat_body())[0] for _ in range(6)]
    assert seen == [200, 429, 200, 529, 200, 200]


def test_a_broken_request_is_refused_under_a_fault_of_the_network_too() -> None:
    with ScriptedServer(SCRIPT, faults=["cut"]) as server:
        assert post(server, "/chat/completions", chat_body(tools=[]))[0] == 400


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", ["/chat/completions", "/responses"])
@pytest.mark.parametrize("kind", [kind for kind in FAULTS if kind != "silence"])
def test_every_fault_can_be_played_everywhere_and_the_server_lives_on(kind: str, api: str, stream: bool) -> None:
    body = (chat_body if api.startswith("/chat") else responses_body)(stream=stream)
    with ScriptedServer(SCRIPT, faults=[kind]) as server:
        try:
            post(server, api, body)
        except (http.client.HTTPException, ConnectionError):
            assert kind in ("cut", "reset")
        assert server.requests[0].message == f"played: {kind}"
        assert post(server, api, body)[0] == 200
        assert server.requests[1].message == ""


def test_a_fault_is_a_value_that_knows_its_bounds() -> None:
    assert Fault("cut", at=3) != Fault("cut")
    assert all(len(sentence.split()) > 3 for sentence in FAULTS.values())
    with pytest.raises(ValueError, match="at must be a number of bytes of at least 0, not -1"):
        Fault("cut", at=-1)
    with pytest.raises(ValueError, match="no fault 'flood'"):
        Fault("flood")
