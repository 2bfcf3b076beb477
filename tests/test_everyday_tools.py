"""The everyday tools as a model sees them, the weather, the search, and the scripts that use them."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from labkit import Agent, ScriptedModel, ToolCall, ToolRegistry, ToolResult, ToolRuntime, paths
from labkit.calls import Failure
from labkit.declare import Tool
from labkit.toolsets.everyday import everyday_tools
from labkit.toolsets.everyday.search import web_search
from labkit.toolsets.everyday.weather import get_weather

FIRST = dt.date(2026, 9, 1)
WEEK = [FIRST + dt.timedelta(later) for later in range(7)]
CITIES = [
    *("Beijing", "Berlin", "Buenos Aires", "Cairo", "Lagos", "Lisbon", "London", "Mexico City"),
    *("Mumbai", "Nairobi", "New York", "Reykjavik", "San Francisco", "Shanghai", "Sydney", "Tokyo"),
]


@pytest.fixture(scope="module")
def tools() -> dict[str, Tool]:
    return {tool.name: tool for tool in everyday_tools()}


def script(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(paths.data("scripts", name).read_text(encoding="utf-8"))
    return loaded


def failure(answer: object) -> Failure:
    assert isinstance(answer, Failure), answer
    return answer


# ---- declarations


def test_the_four_tools_only_read_and_touch_nothing(tools: dict[str, Tool]) -> None:
    assert list(tools) == ["get_weather", "calc", "web_search", "query_orders"]
    for tool in tools.values():
        assert tool.readonly and tool.parallel_safe
        assert tool.timeout is not None and 0 < tool.timeout <= 10
        assert tool.touches is not None and tool.touches({}) == ()


def test_definitions_say_what_the_article_asks_for(tools: dict[str, Tool]) -> None:
    for tool in tools.values():
        function = tool.definition()["function"]
        Draft202012Validator.check_schema(function["parameters"])
        assert 100 < len(function["description"]) <= 1024
        assert function["parameters"]["additionalProperties"] is False
        for parameter in function["parameters"]["properties"].values():
            assert len(parameter["description"]) > 15


def parameters(tool: Tool) -> dict[str, Any]:
    found: dict[str, Any] = tool.definition()["function"]["parameters"]
    return found


def test_bounds_defaults_and_requirements_stand_in_the_schema(tools: dict[str, Tool]) -> None:
    weather, calc, search, orders = (parameters(tool) for tool in tools.values())
    assert weather["required"] == ["city", "date"]
    assert weather["properties"]["date"]["format"] == "date"
    assert calc["required"] == ["expression"]
    assert calc["properties"]["expression"]["maxLength"] == 200
    assert search["required"] == ["query"]
    assert (search["properties"]["query"]["minLength"], search["properties"]["query"]["maxLength"]) == (3, 50)
    assert [search["properties"]["top_k"][key] for key in ("minimum", "maximum", "default")] == [1, 10, 4]
    assert orders["required"] == ["start_date", "end_date"]
    assert [orders["properties"]["limit"][key] for key in ("minimum", "maximum", "default")] == [1, 100, 20]
    assert orders["properties"]["start_date"]["format"] == orders["properties"]["end_date"]["format"] == "date"


@pytest.mark.parametrize(
    ("name", "arguments", "accepted"),
    [
        ("get_weather", {"city": "Beijing", "date": "2026-09-01"}, True),
        ("get_weather", {"city": "Beijing", "date": "yesterday"}, False),
        ("get_weather", {"city": "", "date": "2026-09-01"}, False),
        ("get_weather", {"city": "Beijing"}, False),
        ("web_search", {"query": "ab"}, False),
        ("web_search", {"query": "a" * 51}, False),
        ("web_search", {"query": "tea", "top_k": 11}, False),
        ("web_search", {"query": "tea", "top_k": 10}, True),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "status": "unpaid"}, True),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "status": None}, True),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "status": "lost"}, False),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "limit": 0}, False),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "limit": 101}, False),
        ("query_orders", {"start_date": "2026-09-01", "end_date": "2026-09-02", "sql": "DROP"}, False),
        ("calc", {"expression": "1" * 201}, False),
    ],
)
def test_the_schema_draws_the_line(
    tools: dict[str, Tool], name: str, arguments: dict[str, Any], accepted: bool
) -> None:
    judge = Draft202012Validator(parameters(tools[name]), format_checker=FormatChecker())
    assert judge.is_valid(arguments) is accepted


def test_every_call_of_everyday_tools_has_its_own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    both = everyday_tools(), everyday_tools()
    assert len(list(tmp_path.rglob("*.sqlite"))) == len(both)


# ---- weather


def test_the_weather_of_the_task() -> None:
    assert get_weather("Beijing", FIRST) == {
        "city": "Beijing",
        "date": "2026-09-01",
        "temperature_c": 26.5,
        "sky": "clear",
    }
    shanghai = get_weather("Shanghai", FIRST)
    assert isinstance(shanghai, dict) and shanghai["temperature_c"] == 31.2


def test_every_city_has_every_day_and_cities_differ() -> None:
    for day in WEEK:
        answers = [get_weather(name, day) for name in CITIES]
        assert [isinstance(answer, dict) and answer["city"] for answer in answers] == CITIES
        assert len({isinstance(answer, dict) and answer["temperature_c"] for answer in answers}) > 10


def test_the_description_names_what_there_is(tools: dict[str, Tool]) -> None:
    assert f"{len(CITIES)} cities" in tools["get_weather"].description
    day = parameters(tools["get_weather"])["properties"]["date"]["description"]
    assert f"from {WEEK[0]} to {WEEK[-1]}" in day


@pytest.mark.parametrize("name", ["beijing", " BEIJING ", "北京", "Beĳing"])
def test_spelling_that_changes_nothing_is_accepted(name: str) -> None:
    assert get_weather(name, FIRST) == get_weather("Beijing", FIRST)


def test_an_accent_may_be_written_either_way() -> None:
    assert get_weather("Reykjavi\u0301k", FIRST) == get_weather("Reykjavík", FIRST) == get_weather("Reykjavik", FIRST)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [("Bejing", "Beijing"), ("北京市", "Beijing"), ("Shangai", "Shanghai"), ("Lisbon, PT", "Lisbon")],
)
def test_a_city_that_is_nearly_right_is_not_guessed_but_suggested(name: str, suggested: str) -> None:
    problem = failure(get_weather(name, FIRST))
    assert problem.code == "not_found"
    assert name in problem.reason
    assert problem.suggestion is not None and f"did you mean {suggested}" in problem.suggestion


def test_an_unknown_city_is_told_all_that_there_are() -> None:
    problem = failure(get_weather("Atlantis", FIRST))
    assert problem.code == "not_found"
    assert all(name in str(problem.suggestion) for name in CITIES)


@pytest.mark.parametrize("day", [dt.date(2026, 8, 31), dt.date(2026, 9, 8), dt.date.max])
def test_an_unknown_day_is_told_the_range(day: dt.date) -> None:
    problem = failure(get_weather("Tokyo", day))
    assert (problem.code, problem.suggestion) == ("not_found", "dates go from 2026-09-01 to 2026-09-07")
    assert day.isoformat() in problem.reason


def test_an_answer_can_be_spoiled_without_harm() -> None:
    spoiled = get_weather("Cairo", FIRST)
    assert isinstance(spoiled, dict)
    spoiled["temperature_c"] = -99
    assert get_weather("Cairo", FIRST) != spoiled


# ---- search


def titles(query: str, top_k: int = 4) -> list[str]:
    found = web_search(query, top_k)
    assert isinstance(found, list)
    return [each["title"] for each in found]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("retry guard", "The retry guard"),
        ("RETRY Guards", "The retry guard"),
        ("sql injection", "Bound parameters in SQL"),
        ("how to brew green tea", "Brewing green tea"),
        ("why is eval dangerous", "Why eval is no calculator"),
        ("leap year", "When a year is a leap year"),
        ("json schema keywords", "JSON Schema in ten keywords"),
    ],
)
def test_the_best_article_comes_first(query: str, best: str) -> None:
    assert titles(query)[0] == best


def test_equal_scores_are_ordered_by_title() -> None:
    found = titles("moist bitter", 10)
    assert found == ["Brewing green tea", "Growing basil on a window sill"]


def test_results_have_title_url_and_snippet() -> None:
    assert web_search("tides", 1) == [
        {
            "title": "Why there are tides",
            "url": "https://example.org/tides",
            "snippet": "The gravity of the Moon, and less strongly that of the Sun, raises two bulges of water on the "
            "Earth.",
        }
    ]


def test_no_hit_is_an_empty_list_and_the_description_says_so(tools: dict[str, Tool]) -> None:
    assert web_search("quaternion") == []
    assert "empty list" in tools["web_search"].description
    assert "small shipped collection" in tools["web_search"].description


@pytest.mark.parametrize("query", ["   ", "...", "how to do it"])
def test_a_query_without_a_word_to_look_for_is_told_so(query: str) -> None:
    assert "no word" in failure(web_search(query)).reason


subjects = st.lists(
    st.sampled_from(["tool", "call", "error", "json", "time", "tea", "water", "model", "thread"]),
    min_size=1,
    max_size=4,
)


@given(subjects, st.integers(1, 9))
def test_more_results_only_add_to_fewer(words: list[str], top_k: int) -> None:
    query = " ".join(words)
    assert titles(query, top_k) == titles(query, top_k + 1)[:top_k]


@given(st.text(min_size=3, max_size=50), st.integers(1, 10))
def test_any_query_gets_an_answer_within_bounds(query: str, top_k: int) -> None:
    found = web_search(query, top_k)
    if isinstance(found, list):
        assert len(found) <= top_k
        assert all(0 < len(each["snippet"]) <= 160 for each in found)
    else:
        assert found.suggestion


def test_ten_long_results_stay_below_the_cap_on_a_result() -> None:
    assert len(json.dumps(web_search("tool call model text", 10))) < 8000


def test_the_corpus_is_small_and_every_title_and_address_is_its_own() -> None:
    lines = paths.data("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    assert 25 <= len(documents) <= 40
    assert len({each["title"] for each in documents}) == len({each["url"] for each in documents}) == len(documents)
    assert all(each["url"].startswith("https://example.org/") for each in documents)
    assert all(150 < len(each["text"]) < 400 for each in documents)


# ---- data and scripts


@pytest.mark.parametrize(
    "parts",
    [
        ("weather.csv",),
        ("orders.csv",),
        ("corpus.jsonl",),
        ("scripts", "weather_task.json"),
        ("scripts", "five_slow_calls.json"),
    ],
)
def test_data_files_are_utf_8_with_plain_line_ends(parts: tuple[str, ...]) -> None:
    raw = paths.data(*parts).read_bytes()
    assert raw.decode("utf-8").endswith("\n")
    assert b"\r" not in raw and not raw.startswith(b"\xef\xbb\xbf")


def calls_of(loaded: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [decision["tool_calls"] for decision in loaded["decisions"]]


@pytest.mark.parametrize(("name", "shape"), [("weather_task.json", [2, 1, 0]), ("five_slow_calls.json", [5, 0])])
def test_scripts_have_the_shape_of_their_task(name: str, shape: list[int]) -> None:
    batches = calls_of(script(name))
    assert [len(batch) for batch in batches] == shape
    ids = [call["id"] for call in itertools.chain(*batches)]
    assert ids == [f"call_{number}" for number in range(1, sum(shape) + 1)]
    assert script(name)["decisions"][-1]["content"]


def test_the_weather_task_comes_out_as_4_7(tools: dict[str, Tool]) -> None:
    loaded = script("weather_task.json")
    look_ups, sums, _ = calls_of(loaded)
    temperatures = {}
    for call in look_ups:
        assert call["name"] == "get_weather"
        city, day = call["arguments"]["city"], dt.date.fromisoformat(call["arguments"]["date"])
        temperatures[city] = tools["get_weather"](city=city, date=day)["temperature_c"]
    assert sums[0]["arguments"]["expression"] == f"{temperatures['Shanghai']} - {temperatures['Beijing']}"
    assert tools["calc"](**sums[0]["arguments"]) == "4.7"
    assert all(figure in loaded["decisions"][-1]["content"] for figure in ("4.7", "31.2", "26.5"))


def test_the_slow_calls_ask_for_five_different_keys() -> None:
    first, _ = calls_of(script("five_slow_calls.json"))
    assert [call["name"] for call in first] == ["slow_lookup"] * 5
    assert [call["arguments"] for call in first] == [{"key": key} for key in "abcde"]


# ---- through the runtime

VALIDATORS = ["pydantic", "subset", "jsonschema"]


def dispatch(tools: dict[str, Tool], validator: str, name: str, arguments: dict[str, Any]) -> ToolResult:
    runtime = ToolRuntime(ToolRegistry(tools.values()), validator=validator)
    return runtime.dispatch(ToolCall("call_1", name, json.dumps(arguments)))


@pytest.mark.parametrize("validator", VALIDATORS)
def test_a_model_reads_4_7_and_typed_dates_arrive(tools: dict[str, Tool], validator: str) -> None:
    assert dispatch(tools, validator, "calc", {"expression": "31.2 - 26.5"}).content == "4.7"
    weather = dispatch(tools, validator, "get_weather", {"city": "Shanghai", "date": "2026-09-01"})
    assert json.loads(weather.content)["temperature_c"] == 31.2
    asked = {"start_date": "2026-08-15", "end_date": "2026-09-14", "limit": 100}
    orders = dispatch(tools, validator, "query_orders", asked)
    assert orders.ok and json.loads(orders.content)["shown"] == 100, "the answer was not cut"


@pytest.mark.parametrize("validator", VALIDATORS)
@pytest.mark.parametrize(
    ("name", "arguments", "code", "said"),
    [
        ("get_weather", {"city": "Bejing", "date": "2026-09-01"}, "not_found", "Hint: did you mean Beijing"),
        ("get_weather", {"city": "Beijing", "date": "yesterday"}, "schema_validation", "date"),
        ("calc", {"expression": "1 / 0"}, "failed", "division by zero"),
        ("calc", {"expression": ""}, "schema_validation", "expression"),
        ("web_search", {"query": "ab"}, "schema_validation", "query"),
        (
            "query_orders",
            {"start_date": "2026-09-07", "end_date": "2026-09-01"},
            "invalid_range",
            "end_date 2026-09-01",
        ),
        (
            "query_orders",
            {"start_date": "2026-09-01", "end_date": "2026-09-07", "status": "paid' OR '1'='1"},
            "schema_validation",
            "status",
        ),
    ],
)
def test_a_failure_tells_the_model_what_to_change(
    tools: dict[str, Tool], validator: str, name: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    result = dispatch(tools, validator, name, arguments)
    assert result.error is not None and result.error.code == code
    assert result.content.startswith(f"ERROR [{code}]")
    assert said in result.content


def test_the_weather_task_runs_in_three_decisions_and_three_calls(tools: dict[str, Tool]) -> None:
    model = ScriptedModel(paths.data("scripts", "weather_task.json"))
    run = Agent(model, ToolRuntime(ToolRegistry(tools.values()))).run(model.task, system=model.system)
    assert (run.stop_reason, len(run.turns), len(run.tool_calls)) == ("final_answer", 3, 3)
    beijing, shanghai, difference = [m["content"] for m in run.messages if m["role"] == "tool"]
    assert (json.loads(beijing)["temperature_c"], json.loads(shanghai)["temperature_c"]) == (26.5, 31.2)
    assert difference == "4.7"
    assert run.answer is not None and "4.7" in run.answer


def test_the_five_slow_calls_are_at_work_at_the_same_time() -> None:
    together = threading.Barrier(5)

    def slow_lookup(key: str) -> str:
        """Look an entry up; comes back only when five are at work."""
        together.wait(10)
        return f"entry {key}"

    model = ScriptedModel(paths.data("scripts", "five_slow_calls.json"))
    run = Agent(model, ToolRuntime(ToolRegistry([Tool.from_function(slow_lookup, readonly=True)]))).run(model.task)
    assert [m["content"] for m in run.messages if m["role"] == "tool"] == [f"entry {key}" for key in "abcde"]
    assert run.stop_reason == "final_answer"
