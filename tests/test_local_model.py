"""A real model on this machine, where one is installed: the orderings that its rates keep, and calls from its replies.

Not run by default; ``pytest -m local`` takes a few minutes on one core. Rates differ between builds and machines, so
none is asserted, only how they stand to one another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from weakref import WeakValueDictionary

import pytest

from labkit import Agent, ToolRegistry, ToolRuntime
from labkit.course.protocols import compare, definitions, examples, measure, rates, tasks
from labkit.course.protocols.judging import fitting
from labkit.models import LocalModel, ModelError
from labkit.models.local import missing, serving
from labkit.toolsets import everyday_tools
from labkit.validate import judge

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(bool(missing()), reason="; ".join(missing())),
]


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    with LocalModel(max_tokens=128) as model:
        yield model


def test_a_constraint_repairs_form_and_not_choice(model: LocalModel) -> None:
    rows = [
        row
        for protocol in ("text", "json_mode", "constrained")
        for row in measure(model, tasks()[:12], protocol, examples())
    ]
    print(f"\n{compare(rows)}")
    text, mode, held = rates(rows)
    # Twelve tasks are too few to order JSON mode and the text protocol: both may be cut off in a runaway string.
    assert held.parsed >= max(mode.parsed, text.parsed)
    assert held.percent("valid") >= 90
    assert held.valid > max(mode.valid, text.valid)
    assert held.right_tool < held.valid
    assert held.right_arguments <= held.right_tool


def test_the_same_request_gets_the_same_reply(model: LocalModel) -> None:
    asked = [{"role": "user", "content": "Name three fruits."}]
    first = model.reply(asked, [])
    assert first.content
    assert first.usage is not None
    assert model.reply(asked, []).content == first.content


def test_with_tools_a_reply_is_one_call_that_fits_or_an_answer(model: LocalModel) -> None:
    for task in tasks()[:4]:
        reply = model.reply([{"role": "user", "content": task.ask}], definitions())
        if reply.finish_reason == "length":
            continue  # cut off while it repeated itself: marked as such, and no call is made of it
        assert len(reply.tool_calls) <= 1
        assert reply.tool_calls or reply.content
        for call in reply.tool_calls:
            assert call.id == "call_1"
            assert fitting(call.name, call.arguments) is not None


def test_a_schema_of_ones_own_holds_the_reply(model: LocalModel) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "green"]}, "size": {"type": "integer"}},
        "required": ["colour", "size"],
        "additionalProperties": False,
    }
    reply = model.constrained(schema).reply([{"role": "user", "content": "Describe an apple."}], [])
    assert judge("jsonschema", schema)(json.loads(reply.content))[1] == []


def test_an_agent_with_a_small_model_ends_with_a_stop_reason(model: LocalModel) -> None:
    agent = Agent(model, ToolRuntime(ToolRegistry(everyday_tools())), max_turns=2)
    run = agent.run("What is 31.2 minus 26.5?")
    assert run.stop_reason
    called = [call for message in run.messages for call in message.get("tool_calls", ())]
    answered = [message for message in run.messages if message["role"] == "tool"]
    assert len(called) == len(answered)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What starts here does not share the server that the other tests have running."""
    monkeypatch.setattr(serving, "_RUNNING", WeakValueDictionary())


@pytest.mark.usefixtures("alone")
def test_a_closed_model_says_so_to_its_copies_and_loads_again_itself() -> None:
    asked = [{"role": "user", "content": "Say hello."}]
    model = LocalModel(max_tokens=4)
    copy = model.having(max_tokens=2)
    assert copy.reply(asked, []).content
    model.close()
    with pytest.raises(ModelError, match="no server could be reached"):
        copy.reply(asked, [])
    assert model.reply(asked, []).content
    model.close()


@pytest.mark.usefixtures("alone")
def test_the_engine_writes_nothing_where_a_notebook_would_show_it(capfd: pytest.CaptureFixture[str]) -> None:
    with LocalModel(max_tokens=4) as model:
        model.reply([{"role": "user", "content": "Say hello."}], [])
    assert capfd.readouterr() == ("", "")
