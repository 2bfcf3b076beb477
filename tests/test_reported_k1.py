"""Failures that people have reported of argument text: each case by its id, with data of our own, and its siblings.

Where our design decides otherwise than was hoped for, the test says so. A case that belongs to a room that is not built
yet has a line that says which.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tools_for_tests import calls, codes, runtime_of

from labkit import Agent, Run, ScriptedModel, Tool, ToolCall, ToolRegistry, ToolResult, ToolRuntime, tool
from labkit.history import broken
from labkit.trace import encode

FENCE = "```"


def sent(fn: Tool, arguments: Any) -> ToolResult:
    """Send a tool these arguments, as a model does."""
    return runtime_of(fn).dispatch(ToolCall("call_1", fn.name, arguments))


def asked(fn: Tool, arguments: Any, finish_reason: str = "tool_calls", **options: Any) -> Run:
    """Let a scripted model send these arguments, then answer."""
    call = {"id": "call_1", "name": fn.name, "arguments": arguments}
    decisions = [{"content": "", "tool_calls": [call], "finish_reason": finish_reason}, {"content": "done"}]
    model = ScriptedModel({"task": "try", "decisions": decisions})
    return Agent(model, ToolRuntime(ToolRegistry([fn])), **options).run("try")


@tool(readonly=True)
def tide() -> str:
    """Tell the tide of the day."""
    return "high at noon"


@tool(readonly=True)
def ferry(harbour: str, seats: int = 1) -> str:
    """Look up a ferry."""
    return f"{harbour}/{seats}"


@tool(readonly=True)
def echo(text: str) -> str:
    """Say the text again."""
    return text


# --- K1-01: no arguments where the tool takes none ----------------------------------------------------------------


@pytest.mark.parametrize("arguments", ["", "  ", "\n", "\t\r\n", None, "null", " null ", {}, "{}"])
def test_k1_01_absent_arguments_run_a_tool_that_needs_none(arguments: Any) -> None:
    result = sent(tide, arguments)
    assert (result.ok, result.content, result.repairs) == (True, "high at noon", ())


def test_k1_01_absent_arguments_of_a_tool_that_needs_some_are_named() -> None:
    assert "harbour: is required" in sent(ferry, "").content


def test_k1_01_the_history_keeps_what_came_and_stays_whole() -> None:
    """What is sent back to a server must hold ``"{}"`` there: the wire's part, and it makes its own text."""
    run = asked(tide, "")
    assert run.messages[1]["tool_calls"][0]["arguments"] == ""
    assert (run.stop_reason, broken(run.messages)) == ("final_answer", [])


# --- K1-03: a code fence around the arguments -----------------------------------------------------------------------


@pytest.mark.parametrize("opening", [f"{FENCE}json\n", f"{FENCE}\n", f"  {FENCE}JSON\n", "~~~json\n"])
def test_k1_03_one_fence_around_the_whole_is_undone(opening: str) -> None:
    fence = "~~~" if "~" in opening else FENCE
    result = sent(ferry, f'{opening}{{"harbour": "Skagen", "seats": 3}}\n{fence}\n')
    assert (result.content, result.repairs) == ("Skagen/3", ("code_fence",))


def test_k1_03_a_fence_inside_a_value_is_a_value() -> None:
    text = f"{FENCE}json\nSkagen\n{FENCE}"
    result = sent(echo, json.dumps({"text": text}))
    assert (result.content, result.repairs) == (text, ())


@pytest.mark.parametrize(
    "arguments",
    [
        f'Here it is:\n{FENCE}json\n{{"harbour": "Skagen"}}\n{FENCE}',  # the report would take it; ours guesses nothing
        f'{FENCE}json\n{{"harbour": "Skagen"}}\n{FENCE}\nAnything else?',
        f'{FENCE}json\n{{"harbour": "Ska',
        f'{FENCE}json\n{{"harbour": "Ska\n{FENCE}',
        f'{FENCE}json\n{{"harbour": "Skagen"}}',
    ],
)
def test_k1_03_prose_and_cut_fences_are_refused(arguments: str) -> None:
    assert codes([sent(ferry, arguments)]) == ["invalid_json"]


# --- K1-05: JSON that is no object ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ('["Skagen"]', "an array"),
        ('[{"harbour": "Skagen"}]', "an array"),
        ("[]", "an array"),
        ("7", "a number"),
        ("0", "a number"),
        ("0.5", "a number"),
        ("true", "true or false"),
        ("false", "true or false"),
        ('"Skagen"', "a string"),
        (["Skagen"], "an array"),
        (False, "true or false"),
    ],
)
def test_k1_05_what_is_no_object_is_told_so_and_never_run(arguments: Any, kind: str) -> None:
    result = sent(ferry, arguments)
    assert (codes([result]), result.started, result.call_id) == (["schema_validation"], None, "call_1")
    assert result.content.startswith(f"ERROR [schema_validation]: the arguments must be a JSON object, not {kind}")


# --- K1-06 and K1-08: a reply that was cut at its length limit ------------------------------------------------------


def written() -> tuple[Tool, list[str]]:
    """A tool that writes, and the list of what it wrote."""
    files: list[str] = []

    @tool
    def write(path: str = "out.txt", content: str = "") -> str:
        """Write a file."""
        files.append(path)
        return "written"

    return write, files


@pytest.mark.parametrize("arguments", ['{"path": "a.py", "content": "line 1\\nline', '{"path": "a.py"}', "{}", {}])
def test_k1_06_08_a_call_of_a_cut_reply_is_not_run_even_if_it_can_be_read(arguments: Any) -> None:
    write, files = written()
    run = asked(write, arguments, "length")
    answer = run.messages[2]
    assert (answer["error"]["code"], files) == ("truncated", [])
    assert "shorter" in answer["error"]["hint"]


def test_k1_08_all_calls_of_a_cut_reply_are_answered_unrun() -> None:
    """The report would run the complete ones before the last. Ours runs none: nothing says which were complete."""
    write, files = written()
    cut = [{"id": f"call_{n}", "name": "write", "arguments": '{"path": "a"}'} for n in (1, 2)]
    decisions = [{"content": "", "tool_calls": cut, "finish_reason": "length"}, {"content": "done"}]
    agent = Agent(ScriptedModel({"task": "try", "decisions": decisions}), ToolRuntime(ToolRegistry([write])))
    run = agent.run("try")
    assert [m["error"]["code"] for m in run.messages if m["role"] == "tool"] == ["truncated", "truncated"]
    assert (files, broken(run.messages)) == ([], [])


def test_k1_06_the_same_cut_again_and_again_comes_to_an_end() -> None:
    write, files = written()
    again = {
        "content": "",
        "tool_calls": [{"id": "c", "name": "write", "arguments": '{"pa'}],
        "finish_reason": "length",
    }
    model = ScriptedModel({"task": "try", "decisions": [again] * 50})
    run = Agent(model, ToolRuntime(ToolRegistry([write])), max_turns=4).run("try")
    assert (run.stop_reason, len(run.turns), files) == ("max_turns", 5, [])


def test_k1_06_arguments_that_are_cut_are_never_replaced_by_none() -> None:
    write, files = written()
    assert codes([sent(write, '{"path": "a.py", "content": "lin')]) == ["invalid_json"]
    assert files == []


# --- K1-09: raw control characters ----------------------------------------------------------------------------------
# That such arguments leave as strict JSON with the next request is the part of the wire, a room that is not built yet.


@pytest.mark.parametrize("text", ["first line\nsecond\tline", "bell\x07 nul\x00", "\r\n", "\x1b[0m"])
def test_k1_09_raw_control_characters_in_a_string_are_kept_as_they_are(text: str) -> None:
    result = sent(echo, f'{{"text": "{text}"}}')
    assert (result.data, result.repairs) == (text, ("control_characters",))


def test_k1_09_between_the_tokens_they_are_no_json() -> None:
    assert codes([sent(echo, '{"text":\x0b"a"}')]) == ["invalid_json"]


# --- K1-10: Python instead of JSON ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        "{'text': \"it's late\"}",
        "{'text': 'late'}",
        '{"text": None}',
        '{"text": True}',
        "{'text': __import__('os').getcwd()}",
        '{"text": __import__("os").getcwd()}',
        "{'text': {'a', 'b'}}",
        '{"text": b"late"}',
        '{"text": ("a",)}',
        "dict(text='late')",
    ],
)
def test_k1_10_python_is_refused_and_never_evaluated(arguments: str) -> None:
    result = sent(echo, arguments)
    assert (codes([result]), result.started) == (["invalid_json"], None)
    assert "Hint: " in result.content


def test_k1_10_an_apostrophe_in_real_json_survives() -> None:
    assert sent(echo, '{"text": "it\'s True, she said \\"None\\""}').content == 'it\'s True, she said "None"'


# --- K1-12: results that JSON can't say -----------------------------------------------------------------------------
# That the body of the next request holds no NaN either is the part of the wire, a room that is not built yet.


def test_k1_12_nan_and_infinity_in_a_result_are_text_that_differs_from_null() -> None:
    @tool(readonly=True)
    def depths() -> dict[str, Any]:
        """Measure depths."""
        return {"mean": float("nan"), "most": float("inf"), "least": [float("-inf")], "none": None}

    content = sent(depths, None).content

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    read = json.loads(content, parse_constant=refuse)
    assert read == {"mean": "NaN", "most": "Infinity", "least": ["-Infinity"], "none": None}


def test_k1_12_nan_that_comes_in_is_refused() -> None:
    assert codes([sent(ferry, '{"harbour": "a", "seats": NaN}'), sent(ferry, {"harbour": float("nan")})]) == [
        "invalid_json",
        "invalid_json",
    ]


# --- K1-13: half a character ----------------------------------------------------------------------------------------


def test_k1_13_half_a_pair_becomes_the_replacement_character_and_a_pair_its_own() -> None:
    result = sent(echo, '{"text": "ok \\ud83d end \\ud83d\\ude00"}')
    assert (result.content, result.repairs) == ("ok \ufffd end \U0001f600", ("surrogates",))


def test_k1_13_what_a_tool_returns_can_be_sent_and_logged() -> None:
    @tool(readonly=True)
    def old_name() -> str:
        """Read a name from an old disk."""
        return b"caf\xe9".decode("utf-8", "surrogateescape")

    run = asked(old_name, None)
    assert run.messages[2]["content"] == "caf\ufffd"
    assert all(encode(line).decode("utf-8") for line in run.trace)


def test_k1_13_the_arguments_as_they_came_can_be_logged_too() -> None:
    run = asked(echo, {"text": "half \ud83d"})
    assert (run.stop_reason, all(encode(line).decode("utf-8") for line in run.trace)) == ("final_answer", True)


# --- K1-15: two objects in one text ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        '{"harbour": "a"}{"harbour": "a"}',  # even where they are the same: nothing says that one was meant
        '{"harbour": "a"}{"harbour": "b"}',
        '{"harbour": "a"}\n{"harbour": "b"}',
        '{"harbour": "a"} thanks',
        '{"harbour": "a"}}',
        '{"harbour": "a"},',
        '{"harbour": "a"};',
        "{}{}",
    ],
)
def test_k1_15_what_follows_the_object_is_never_dropped_in_silence(arguments: str) -> None:
    result = sent(ferry, arguments)
    assert (codes([result]), result.started) == (["invalid_json"], None)


def test_k1_15_braces_inside_a_value_are_no_boundary() -> None:
    assert sent(echo, '{"text": "a}{b"}').content == "a}{b"


# --- K1-17: a malformed call in the history -------------------------------------------------------------------------


def test_k1_17_a_malformed_call_is_answered_and_the_run_goes_on() -> None:
    """The text stays in the history and the trace as it came. That the next request holds JSON in its place is the
    wire's part, which is not built yet: it is tested there."""
    run = asked(ferry, '{"harbour": "Ska')
    assert (run.stop_reason, broken(run.messages)) == ("final_answer", [])
    assert run.messages[1]["tool_calls"][0]["arguments"] == '{"harbour": "Ska'
    assert run.messages[2]["tool_call_id"] == "call_1"


# --- K1-18: an object where text is usual, and the reverse ----------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [{"harbour": "Skagen"}, '{"harbour": "Skagen"}', '"{\\"harbour\\": \\"Skagen\\"}"']
)
def test_k1_18_arguments_may_come_decoded_or_not(arguments: Any) -> None:
    """That they go back to a server as text again is the wire's part, as for K1-17."""
    assert sent(ferry, arguments).content == "Skagen/1"


def test_k1_18_arguments_that_come_decoded_are_copied() -> None:
    @tool
    def spoil(names: list[str]) -> str:
        """Change what was handed in."""
        names.clear()
        return "spoilt"

    arguments = {"names": ["a", "b"]}
    assert sent(spoil, arguments).ok
    assert arguments == {"names": ["a", "b"]}


# --- K1-19: letters as they are -------------------------------------------------------------------------------------


def test_k1_19_the_model_reads_letters_and_no_escapes() -> None:
    @tool(readonly=True)
    def greet(name: str) -> dict[str, str]:
        """Grüße auf 日本語 ✓"""
        return {"hi": f"{name} ✓"}

    assert sent(greet, '{"name": "日本語"}').content == '{"hi": "日本語 ✓"}'
    assert greet.definition()["function"]["description"] == "Grüße auf 日本語 ✓"
    assert "日本語".encode() in encode({"type": "message", "message": {"content": "日本語"}})


def test_k1_19_a_refused_value_is_quoted_in_its_own_letters() -> None:
    assert 'seats: must be an integer, got "zwölf"' in sent(ferry, {"harbour": "a", "seats": "zwölf"}).content


# --- K1-20: a key that stands twice ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ('{"path": "tmp", "path": "src"}', "path"),
        ('{"path": "tmp", "path": "tmp"}', "path"),
        ('{"path": "tmp", "p\\u0061th": "src"}', "path"),
        ('{"path": "tmp", "more": [{"a": 1, "a": 2}]}', "a"),
        ('"{\\"path\\": \\"tmp\\", \\"path\\": \\"src\\"}"', "path"),
        (f'{FENCE}\n{{"path": "tmp", "path": "src"}}\n{FENCE}', "path"),
    ],
)
def test_k1_20_a_repeated_key_is_refused_by_name(arguments: str, key: str) -> None:
    @tool
    def remove(path: str, more: list[dict[str, int]] | None = None) -> str:
        """Remove a path."""
        return path

    result = sent(remove, arguments)
    assert (codes([result]), result.started) == (["invalid_json"], None)
    assert f'the key "{key}" stands twice in one object' in result.content


# --- K1-21: numbers and nestings without measure --------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        '{"harbour": "a", "seats": ' + "9" * 5_000 + "}",
        '{"harbour": "a", "seats": ' + "9" * 5_000,
        '{"harbour": "a", "seats": "' + "9" * 5_000 + '"}',
        '{"harbour": "a", "seats": 1e' + "9" * 5_000 + "}",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"harbour": ' + "[" * 500 + "]" * 500 + "}",
        {"harbour": "a", "seats": 10**5_000},
    ],
    ids=["digits", "cut", "text", "exponent", "brackets", "braces", "deep value", "decoded"],
)
def test_k1_21_what_is_too_large_is_a_short_answer_and_its_siblings_run(arguments: Any) -> None:
    batch = calls(("ferry", arguments), ("ferry", '{"harbour": "Skagen"}'))
    large, other = runtime_of(ferry).dispatch_many(batch)
    assert codes([large]) in (["invalid_json"], ["schema_validation"])
    assert (len(large.content) < 600, other.content) == (True, "Skagen/1")


@pytest.mark.parametrize(
    "value", [10**5_000, [10**5_000], {"n": -(10**5_000)}], ids=["number", "in a list", "in an object"]
)
def test_k1_21_a_result_that_is_too_large_breaks_nothing(value: Any) -> None:
    @tool(readonly=True)
    def count() -> Any:
        """Count the grains of sand."""
        return value

    result = sent(count, None)
    assert len(result.content) <= 8_000
    assert result.ok or codes([result]) == ["execution_error"]
