"""One loop, every wire: the same task leaves the same trace, and no fault of a server leaves a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit import Agent, Run, ScriptedModel, ToolRegistry, ToolRuntime, Trace, history, parse_arguments
from labkit.models import JsonModeModel, ModelError, OpenAIModel, OpenAIResponsesModel, ScriptedServer
from labkit.models.server import FAULTS, Fault
from labkit.paths import data
from labkit.toolsets import everyday_tools, workspace_tools

M2 = json.loads(data("scripts", "m2_task.json").read_text(encoding="utf-8"))
WEATHER = json.loads(data("scripts", "weather_task.json").read_text(encoding="utf-8"))

Wire = Callable[[str], Any]
WIRES: dict[str, Wire] = {
    "chat": lambda url: OpenAIModel(base_url=url, model="scripted"),
    "chat, streamed": lambda url: OpenAIModel(base_url=url, model="scripted", stream=True),
    "responses": lambda url: OpenAIResponsesModel(base_url=url, model="scripted"),
    "responses, streamed": lambda url: OpenAIResponsesModel(base_url=url, model="scripted", stream=True),
    "json mode": lambda url: JsonModeModel(OpenAIModel(base_url=url, model="scripted")),
    "json mode, constrained": lambda url: JsonModeModel(OpenAIModel(base_url=url, model="scripted"), constrained=True),
    "json mode, responses, constrained, streamed": lambda url: JsonModeModel(
        OpenAIResponsesModel(base_url=url, model="scripted", stream=True), constrained=True
    ),
}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no model of whoever runs the tests; and a proxy that leads nowhere, which must not be asked."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LABKIT_MODEL", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:9")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[ToolRuntime]:
    root = tmp_path / "calculator"
    shutil.copytree(data("workspaces", "calculator"), root)
    yield ToolRuntime(ToolRegistry(workspace_tools(root)))


def lines(run: Run) -> list[dict[str, Any]]:
    """The lines of a trace, arguments decoded, times and usage aside."""
    found = json.loads(json.dumps(run.trace.lines))
    for line in found:
        line.pop("usage", None)
        line.pop("model_seconds", None)
        for key in ("time", "started", "finished"):
            line.get("payload", {}).pop(key, None)
        for call in line.get("message", {}).get("tool_calls", ()):
            call["arguments"] = parse_arguments(call["arguments"])
    return found


def play(model: Any, runtime: ToolRuntime) -> Run:
    return Agent(model, runtime).run(M2["task"], M2.get("system"))


# ---- the same trace ----


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    root = tmp_path_factory.mktemp("scripted") / "calculator"
    shutil.copytree(data("workspaces", "calculator"), root)
    run = play(ScriptedModel(M2), ToolRuntime(ToolRegistry(workspace_tools(root))))
    return lines(run)


@pytest.mark.parametrize("wire", WIRES)
def test_the_m2_task_gives_the_same_36_lines(wire: str, workspace: ToolRuntime, scripted: list[dict[str, Any]]) -> None:
    with ScriptedServer(M2) as server:
        run = play(WIRES[wire](server.base_url), workspace)
    assert lines(run) == scripted and len(scripted) == 36
    assert run.usage.prompt_tokens > 0 and [each.status for each in server.requests] == [200] * 6
    assert {each.streamed for each in server.requests} == {"streamed" in wire}


def test_with_a_quirk_the_stream_gives_the_same_lines(workspace: ToolRuntime, scripted: list[dict[str, Any]]) -> None:
    with ScriptedServer(M2, quirk="index_zero") as server:
        run = play(OpenAIModel(base_url=server.base_url, model="scripted", stream=True), workspace)
    assert lines(run) == scripted


def test_what_is_sent_of_m2_holds_the_definitions_and_no_field_of_ours(workspace: ToolRuntime) -> None:
    with ScriptedServer(M2) as server:
        play(OpenAIModel(base_url=server.base_url, model="scripted", temperature=0), workspace)
    last = server.requests[-1].body
    assert last["temperature"] == 0 and len(last["tools"]) == 6
    assert {key for message in last["messages"] for key in message} == {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
    }


def test_a_parameter_that_only_this_server_knows_is_passed_on() -> None:
    with ScriptedServer(WEATHER) as server:
        model = OpenAIModel(base_url=server.base_url, model="scripted", top_k=3, extra_body={"seed": 7})
        with pytest.raises(ModelError, match="top_k"):  # the strict server does not know it, and says so
            model.reply([history.user(WEATHER["task"])], [])
    body = server.requests[0].body
    assert (body["top_k"], body["seed"]) == (3, 7)


# ---- what goes wrong ----

STREAMS_ONLY = ("error_in_stream", "error_event")
WORDS = {
    "rate_limit": "asks for a pause of 0.01 seconds (429)",
    "quota": "no quota left (429)",
    "overloaded": "failed (500)",
    "echo_key": "refused the request (401): Incorrect API key provided: [hidden]",
    "garbage": "is no",
    "html": "",
    "error_in_200": "overloaded",
    "null_choices": "",
    "error_in_stream": "overloaded",
    "error_event": "overloaded",
    "cut": "broke off",
    "reset": "broke off before the answer was whole",
    "silence": "did not answer in time",
}
ENDS = {"refuse": "refused", "content_filter": "refused", "length": "truncated"}


@pytest.fixture
def weather() -> ToolRuntime:
    return ToolRuntime(ToolRegistry(everyday_tools()))


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("wire", [name for name in WIRES if "json" not in name])
def test_every_fault_ends_in_a_run_that_can_be_gone_on_from(wire: str, kind: str, weather: ToolRuntime) -> None:
    """The fault comes after the first turn, so that the history has calls in it. Then the task is asked again."""
    fault = Fault(kind, retry_after="0.01" if kind == "rate_limit" else None)
    with ScriptedServer(WEATHER, faults=[None, fault]) as server:
        model = WIRES[wire](server.base_url).having(timeout=0.3 if kind == "silence" else 20, max_retries=0)
        run = Agent(model, weather).run(WEATHER["task"])
        went_wrong = kind not in ENDS
        assert run.stop_reason == ("model_error" if went_wrong else ENDS[kind]) or kind == "length"
        if went_wrong:
            assert WORDS[kind] in (run.detail or "") and len(server.requests) == 2, run.detail
            assert (run.detail or "").count("\n") == 0 and len(run.detail or "") < 500
        assert history.broken(run.messages) == []
        assert run.trace.lines[-1]["event"] == "session_end"
        again = Agent(model.having(timeout=20), weather).run(WEATHER["task"], history=run.messages)
    assert again.stop_reason == "final_answer" and "4.7" in again.answer


def test_a_pause_that_the_server_asks_for_is_kept_and_then_it_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, weather: ToolRuntime
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("openai._base_client.time.sleep", pauses.append)
    faults = [Fault("rate_limit", retry_after="7"), Fault("overloaded", status=503)]
    with ScriptedServer(WEATHER, faults=faults) as server:
        run = Agent(WIRES["chat"](server.base_url), weather).run(WEATHER["task"])
    assert run.stop_reason == "final_answer" and [each.status for each in server.requests][:3] == [429, 503, 200]
    assert pauses[0] == 7.0 and len(pauses) == 2 and 0.5 <= pauses[1] <= 1.0


def test_an_account_without_quota_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, weather: ToolRuntime) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("openai._base_client.time.sleep", pauses.append)
    for wire in ("chat", "chat, streamed", "responses", "responses, streamed"):
        with ScriptedServer(WEATHER, faults=["quota", "quota", "quota"]) as server:
            run = Agent(WIRES[wire](server.base_url), weather).run(WEATHER["task"])
        assert len(server.requests) == 1 and pauses == [], wire
        assert run.stop_reason == "model_error" and "add credit" in (run.detail or "")


def test_an_error_inside_200_is_tried_again_like_the_error_that_it_is(
    monkeypatch: pytest.MonkeyPatch, weather: ToolRuntime
) -> None:
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)
    with ScriptedServer(WEATHER, faults=[Fault("error_in_200", status=429)]) as server:
        run = Agent(WIRES["chat"](server.base_url), weather).run(WEATHER["task"])
    assert run.stop_reason == "final_answer" and len(server.requests) == 4


@pytest.mark.parametrize("at", range(0, 1_500, 25))
def test_a_stream_cut_at_any_byte_runs_no_call_that_was_not_whole(at: int, tmp_path: Path) -> None:
    """Of M2's first turn, three reads and their arguments: either the reply was whole, or nothing of it is run."""
    with ScriptedServer(M2, faults=[Fault("cut", at=at)]) as server:
        model = WIRES["chat, streamed"](server.base_url).having(max_retries=0)
        root = tmp_path / "calculator"
        shutil.copytree(data("workspaces", "calculator"), root)
        run = Agent(model, ToolRuntime(ToolRegistry(workspace_tools(root)))).run(M2["task"])
    if run.stop_reason == "model_error":
        assert run.tool_calls == () and not run.trace.events("tool_start")
    else:
        assert len(run.turns[0].results) == 3


# ---- before anything is sent ----


def test_a_missing_key_or_name_or_a_bad_address_is_said_in_one_sentence() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"model": "m"}, "set OPENAI_API_KEY"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "set LABKIT_MODEL"),
        ({"model": "m", "base_url": "127.0.0.1:1/v1"}, "it has to look like http://localhost:8080/v1"),
        ({"model": "m", "base_url": "http://127.0.0.1:1/v1/chat/completions"}, "leave /chat/completions off"),
    ]
    for settings, words in cases:
        with pytest.raises(ModelError, match=words) as raised:
            OpenAIModel(**settings)
        assert str(raised.value).count("\n") == 0
    with pytest.raises(ValueError, match="not both"):
        OpenAIModel(client=object(), base_url="http://127.0.0.1:1/v1", model="m")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="set by the loop"):
        OpenAIModel(base_url="http://127.0.0.1:1/v1", model="m", tools=[])


def test_an_address_where_nobody_listens_is_said_with_what_to_check(weather: ToolRuntime) -> None:
    model = OpenAIModel(base_url="http://127.0.0.1:9/v1", model="m", max_retries=0)
    run = Agent(model, weather).run("hello")
    assert run.stop_reason == "model_error"
    assert run.detail == (
        "no server could be reached at http://127.0.0.1:9/v1; check the address, and whether the server runs"
    )


def test_more_tools_than_a_request_takes_are_refused_before_it_is_sent() -> None:
    with ScriptedServer(WEATHER) as server:
        model = WIRES["chat"](server.base_url)
        with pytest.raises(ModelError, match="at most 128 tools, not 129"):
            model.reply([history.user("go")], [{"type": "function", "function": {"name": f"t{n}"}} for n in range(129)])
    assert server.requests == ()


def test_a_trace_written_through_a_server_reads_back(weather: ToolRuntime, tmp_path: Path) -> None:
    with ScriptedServer(WEATHER) as server:
        Agent(WIRES["responses"](server.base_url), weather, trace=Trace(tmp_path / "t.jsonl")).run(WEATHER["task"])
    assert Trace.load(tmp_path / "t.jsonl").metrics().calls == 3


def test_the_one_switch_leads_to_the_server_with_a_cap(monkeypatch: pytest.MonkeyPatch, weather: ToolRuntime) -> None:
    from labkit.course import real_model

    with pytest.raises(ModelError, match="LABKIT_MODEL"):
        real_model()
    with ScriptedServer(WEATHER) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-0000")
        monkeypatch.setenv("LABKIT_MODEL", "scripted")
        for settings in ({}, {"stream": True}, {"responses": True}, {"responses": True, "stream": True}):
            model = real_model(**settings)
            assert "at most 20 requests" in repr(model) and "sk-made-up" not in repr(model)
            assert server.token not in repr(model)
            assert Agent(model, weather).run(WEATHER["task"]).stop_reason == "final_answer"
            assert model.budget.used == 3
        capped = Agent(real_model(2), weather).run(WEATHER["task"])
    assert capped.stop_reason == "model_error" and "the cap of 2 requests is reached" in (capped.detail or "")
