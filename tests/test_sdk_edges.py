"""Adapters at their edges: parameters beside tools, blanks in the environment, clients of other kinds, what breaks."""

import json
from typing import Any

import httpx2
import openai
import pytest

from labkit import Agent, ToolRegistry, ToolRuntime
from labkit.models import JsonModeModel, ModelError, ModelReply, OpenAIModel, OpenAIResponsesModel, ScriptedServer
from labkit.models.server import broken_rules, responses_broken_rules
from labkit.models.streaming import ChatAssembly, ResponsesAssembly
from labkit.models.wire import to_chat, to_responses
from labkit.toolsets import everyday_tools

BOTH = pytest.mark.parametrize("kind", [OpenAIModel, OpenAIResponsesModel])
ASKED = [{"role": "user", "content": "t"}]
KEY = "sk-abcdefghijkl"
CALC = {"id": "call_1", "name": "calc", "arguments": {"expression": "1 + 1"}}
SCRIPT: dict[str, Any] = {"task": "t", "decisions": [{"content": "", "tool_calls": [CALC]}, {"content": "2"}]}


def answered_by(body: bytes, content_type: str = "text/event-stream") -> openai.OpenAI:
    headers = {"content-type": content_type}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=body))
    http = httpx2.Client(transport=transport)
    return openai.OpenAI(api_key=KEY, base_url="http://127.0.0.1:9/v1", http_client=http, max_retries=0)


@BOTH
@pytest.mark.parametrize("given", [{"tool_choice": "auto"}, {"parallel_tool_calls": False}])
def test_what_may_only_stand_beside_tools_is_left_out_of_the_closing_question(kind: Any, given: dict[str, Any]) -> None:
    with ScriptedServer(SCRIPT) as server:
        model = kind(base_url=server.base_url, model="m", **given)
        run = Agent(model, ToolRuntime(ToolRegistry(everyday_tools())), max_turns=1).run("t")
        first, last = (request.body for request in server.requests)
    assert (run.stop_reason, run.answer) == ("max_turns", "2")
    assert given.items() <= first.items() and not given.keys() & last.keys()


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_base_url_in_the_environment_is_none(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", blank)
    assert str(OpenAIModel(model="m").client.base_url) == "https://api.openai.com/v1/"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert str(OpenAIModel(model="m", base_url=blank).client.base_url) == "http://127.0.0.1:9/v1/"


@BOTH
@pytest.mark.parametrize("client", [openai.AsyncOpenAI(api_key=KEY), "http://127.0.0.1:9/v1", openai.OpenAI])
def test_what_is_no_client_is_refused_at_once(kind: Any, client: Any) -> None:
    with pytest.raises(TypeError, match=r"client takes an openai\.OpenAI"):
        kind(client=client, model="m")


def test_a_client_of_azure_keeps_its_own_way_to_say_who_asks() -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})

    client = openai.AzureOpenAI(
        azure_ad_token_provider=lambda: "token-of-azure",
        base_url="http://127.0.0.1:9/v1",
        api_version="1",
        http_client=httpx2.Client(transport=httpx2.MockTransport(answer)),
    )
    assert OpenAIModel(client=client, model="m", max_retries=0).reply(ASKED, []).content == "hi"
    assert sent[0].headers["authorization"] == "Bearer token-of-azure"


@BOTH
@pytest.mark.parametrize("body", [b"data: " + b"[" * 100_000, b'data: {"x": ' + b"9" * 5_000 + b"}"])
def test_an_event_that_cannot_be_read_is_told(kind: Any, body: bytes) -> None:
    with pytest.raises(ModelError, match="no event of a stream"):
        kind(client=answered_by(body + b"\n\n"), model="m", stream=True).reply(ASKED, [])


@BOTH
def test_a_body_that_breaks_off_after_the_sdk_handed_it_over_is_told(kind: Any) -> None:
    class Broken(httpx2.SyncByteStream):
        def __iter__(self) -> Any:
            yield b'{"choices": '
            raise httpx2.ReadTimeout("timed out")

    headers = {"content-type": "application/json"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, stream=Broken()))
    client = openai.OpenAI(
        api_key=KEY, base_url="http://127.0.0.1:9/v1", http_client=httpx2.Client(transport=transport)
    )
    with pytest.raises(ModelError, match="did not answer in time"):
        kind(client=client, model="m", stream=True).reply(ASKED, [])


@BOTH
@pytest.mark.parametrize("given", [{"temperature": float("nan")}, {"metadata": {"a": {1}}}, {"user": "\ud800"}])
def test_a_request_that_is_no_json_is_told(kind: Any, given: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="the request could not be made"):
        kind(base_url="http://127.0.0.1:9/v1", model="m", **given).reply(ASKED, [])


@pytest.mark.parametrize("problem", [ValueError, UnicodeError, RecursionError])
def test_what_a_listener_raises_is_not_taken_for_a_fault_of_the_server(problem: type[Exception]) -> None:
    def listen(position: int, call: Any) -> None:
        raise problem("mine")

    with ScriptedServer(SCRIPT) as server:
        model = OpenAIModel(base_url=server.base_url, model="m", stream=True)
        with pytest.raises(problem, match="mine"):
            model.reply(ASKED, [tool.definition() for tool in everyday_tools()], listen)


def test_half_a_character_in_a_schema_is_sent_as_what_it_is() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": "\ud800"}}}
    declared = {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}
    request = OpenAIModel(base_url="http://127.0.0.1:9/v1", model="m").request(ASKED, [declared])
    assert "\ufffd" in json.dumps(request, ensure_ascii=False).encode().decode()


def test_a_format_leaves_the_other_wishes_about_text() -> None:
    model = OpenAIResponsesModel(base_url="http://127.0.0.1:9/v1", model="m", text={"verbosity": "low"})
    assert model.constrained({"type": "object"}).parameters["text"]["verbosity"] == "low"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "input_text", "text": "hi"},
        {"type": "input_image", "image_url": "https://example.org/a.png"},
        {"type": "image_url", "image_url": "https://example.org/a.png"},
        {"type": "tool_result", "content": {1, 2}},
        {"type": ["x"]},
    ],
)
def test_parts_of_a_user_are_accepted_on_either_wire(part: dict[str, Any]) -> None:
    history = [{"role": "user", "content": [part]}]
    assert broken_rules({"model": "m", "messages": to_chat(history)}) == []
    assert responses_broken_rules({"model": "m", "input": to_responses(history)}) == []


def test_a_long_stream_and_many_equal_ids_cost_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """No clock: what is looked up, and what is copied, is counted."""
    looked_up = 0

    class Counted(set[str]):
        def __contains__(self, item: object) -> bool:
            nonlocal looked_up
            looked_up += 1
            return super().__contains__(item)

    from labkit.models.wire import sending

    ids = sending._Ids()
    ids._given = Counted()
    for _ in range(1_000):
        ids.of(["call_1"])
    assert looked_up < 10_000
    assert len(ids._given) == 1_000
    chat, responses = ChatAssembly(), ResponsesAssembly()
    for _ in range(1_000):
        chat.feed({"choices": [{"index": 0, "delta": {"content": "ab"}}]})
        responses.feed({"type": "response.output_text.delta", "delta": "ab"})
    assert len(chat._content._pieces) == len(responses._content._pieces) == 1_000
    assert chat.content == responses.content == "ab" * 1_000


def test_what_was_corrected_in_one_conversation_is_not_told_in_another() -> None:
    class Plays:
        def __init__(self) -> None:
            self.asked: list[list[dict[str, Any]]] = []
            self.replies = ["nonsense", '{"tool_calls": [{"name": "calc", "arguments": {}}]}', '{"answer": "2"}']

        def reply(self, messages: Any, tools: Any) -> ModelReply:
            self.asked.append(list(messages))
            return ModelReply(self.replies.pop(0))

    inner = Plays()
    model = JsonModeModel(inner)
    tools = [tool.definition() for tool in everyday_tools()]
    assert model.reply([{"role": "user", "content": "mine"}], tools).tool_calls
    model.reply(
        [
            {"role": "user", "content": "another's"},
            {"role": "assistant", "content": "", "tool_calls": [CALC]},
            {"role": "tool", "content": "2", "tool_call_id": "call_1"},
        ],
        tools,
    )
    assert "nonsense" not in json.dumps(inner.asked[-1])


def piece(index: Any = 0, id: str | None = None, name: str | None = None, arguments: Any = "") -> dict[str, Any]:
    call = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def ends(reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        # a second id for all but the header: poolsideai/pool#9; one for every piece: mlx-openai-server#216
        ([piece(0, "a", "f"), piece(0, "b", None, '{"x"'), piece(0, "b", None, ": 1}")], [("f", '{"x": 1}')]),
        ([piece(0, "a", "f", '{"x"'), piece(0, "b", None, ": "), piece(0, "c", None, "1}")], [("f", '{"x": 1}')]),
        # index 0 for every call, and no id or the same one: the other name opens a call
        ([piece(0, None, "f", "{}"), piece(0, None, "g"), piece(0, None, None, "{}")], [("f", "{}"), ("g", "{}")]),
        ([piece(0, "a", "f", "{}"), piece(0, "a", "g"), piece(0, "a", None, "{}")], [("f", "{}"), ("g", "{}")]),
        # indices as text
        (
            [piece("0", "a", "f"), piece("1", "b", "g"), piece("0", None, None, "{}"), piece("1", None, None, "{}")],
            [("f", "{}"), ("g", "{}")],
        ),
        # the name last
        ([piece(0, "a", None, "{}"), piece(0, None, "f")], [("f", "{}")]),
    ],
)
def test_a_stream_that_deviates_more_is_put_together_too(
    pieces: list[dict[str, Any]], calls: list[tuple[str, str]]
) -> None:
    assembly = ChatAssembly()
    for each in [*pieces, ends("tool_calls")]:
        assembly.feed(each)
    assert [(call.name, call.arguments) for call in assembly.reply().tool_calls] == calls


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_cut_off_stays_so_whatever_comes_after(reason: str) -> None:
    assembly = ChatAssembly()
    for each in [piece(0, "a", "f"), ends(reason), ends("stop")]:
        assembly.feed(each)
    assert assembly.reply().finish_reason == reason
    assert not assembly.calls[0].whole


ITEM = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": ""}
OTHER = {**ITEM, "id": "fc_2", "call_id": "c2", "name": "g"}
ADDED, DONE = "response.output_item.added", "response.output_item.done"
DELTA, WHOLE = "response.function_call_arguments.delta", "response.function_call_arguments.done"
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}


@pytest.mark.parametrize(
    ("events", "output", "calls"),
    [
        (  # the place only in the header, the item's id everywhere
            [{"type": ADDED, "output_index": 0, "item": ITEM}, {"type": DELTA, "item_id": "fc_1", "delta": '{"x": 1}'}],
            [],
            [("f", '{"x": 1}')],
        ),
        (  # the other way round
            [{"type": ADDED, "item": ITEM}, {"type": DELTA, "output_index": 0, "item_id": "fc_1", "delta": '{"x": 1}'}],
            [],
            [("f", '{"x": 1}')],
        ),
        (  # what came is not lost by an end that does not say it again
            [
                {"type": ADDED, "output_index": 0, "item": ITEM},
                {"type": DELTA, "output_index": 0, "delta": '{"x": 1}'},
                {"type": WHOLE, "output_index": 0},
            ],
            [],
            [("f", '{"x": 1}')],
        ),
        ([{"type": DONE, "output_index": 0, "item": {**ITEM, "arguments": {"x": 1}}}], [], [("f", '{"x": 1}')]),
        (  # every item at the place 0
            [
                {"type": ADDED, "output_index": 0, "item": ITEM},
                {"type": DELTA, "output_index": 0, "delta": '{"x": 1}'},
                {"type": ADDED, "output_index": 0, "item": OTHER},
                {"type": DELTA, "output_index": 0, "delta": "{}"},
            ],
            [],
            [("f", '{"x": 1}'), ("g", "{}")],
        ),
        (  # the last event holds only what was said
            [{"type": DONE, "output_index": 1, "item": {**ITEM, "arguments": "{}"}}],
            [SAID],
            [("f", "{}")],
        ),
    ],
)
def test_events_that_deviate_are_put_together_too(events: Any, output: Any, calls: list[tuple[str, str]]) -> None:
    assembly = ResponsesAssembly()
    for event in [*events, {"type": "response.completed", "response": {"status": "completed", "output": output}}]:
        assembly.feed(event)
    reply = assembly.reply()
    assert [(call.name, call.arguments) for call in reply.tool_calls] == calls
    assert reply.finish_reason == "tool_calls"
