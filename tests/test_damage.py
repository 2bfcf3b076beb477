"""The same damage to the same decisions: what the two readers make of it, counted."""

from __future__ import annotations

import json

import pytest

from labkit.course.damage import DAMAGES, FORMS, Comparison, damaged, decisions, fits, same_damage, verdict
from labkit.course.transcripts import TOOLS, transcripts
from labkit.models.json_mode import read


@pytest.fixture(scope="module")
def everything() -> Comparison:
    return same_damage()


def test_every_decision_of_the_corpus_stands_there_once() -> None:
    meant = [each for transcript in transcripts() for each in transcript.meant]
    assert all(each in decisions() for each in meant)
    assert len(decisions()) == len({json.dumps(each, sort_keys=True) for each in meant})
    assert all("answer" in each or each["name"] in TOOLS for each in decisions())


def test_both_forms_are_damaged_alike_and_every_case_has_a_verdict(everything: Comparison) -> None:
    assert list(everything.counts) == list(DAMAGES)
    for counted in everything.counts.values():
        rows = {sum(counted.verdicts[form].values()) for form in FORMS}
        assert len(rows) == 1 and rows.pop() in (len(decisions()), sum("name" in each for each in decisions()))


def test_undamaged_envelopes_are_all_right_and_all_fit_the_schema(everything: Comparison) -> None:
    whole = everything.counts["none"]
    assert whole.verdicts["JSON"]["right"] == whole.fitting == len(decisions())


def test_no_damage_makes_an_envelope_mean_something_else(everything: Comparison) -> None:
    assert everything.total("JSON")["WRONG"] == 0
    assert everything.total("text")["WRONG"] > 0


def test_only_what_a_reader_takes_right_can_fit_the_schema(everything: Comparison) -> None:
    for name, counted in everything.counts.items():
        assert counted.fitting in (0, counted.verdicts["JSON"]["right"]), name


def test_a_label_inside_a_value_is_lost_in_text_and_kept_in_an_envelope() -> None:
    number = next(n for n, each in enumerate(decisions()) if "Observation:" in json.dumps(each))
    assert FORMS["text"].take(damaged("none", "text", number)) is None
    assert FORMS["JSON"].take(damaged("none", "JSON", number)) == (decisions()[number],)


def test_a_damage_damages(everything: Comparison) -> None:
    for form in FORMS:
        texts = {name: damaged(name, form) for name in DAMAGES}
        same = [name for name, text in texts.items() if text == texts["none"] and name != "none"]
        assert same == []
    assert read(damaged("a call and an answer", "JSON"), has_tools=True).problems


def test_the_verdict_tells_what_nobody_notices_from_what_somebody_does() -> None:
    meant = ({"name": "calc", "arguments": {"expression": "1"}},)
    assert verdict(meant, meant) == "right"
    assert verdict(None, meant) == verdict(({"name": "calk", "arguments": {}},), meant) == "missed"
    assert verdict(({"answer": "1"},), meant) == verdict(meant, meant * 2) == "WRONG"


def test_a_text_fits_only_as_a_whole_envelope() -> None:
    assert fits('{"answer": "4"}')
    assert not fits('Sure: {"answer": "4"}') and not fits('{"answer": 4}')
    assert not fits('{"tool_calls": [{"name": "calc", "arguments": {"city": "Oslo"}}]}')


def test_an_unknown_damage_is_a_clear_error_and_the_table_has_a_line_for_each(everything: Comparison) -> None:
    with pytest.raises(KeyError, match="no such"):
        same_damage("no such")
    lines = repr(everything).splitlines()
    assert len(lines) == 1 + len(DAMAGES) and len({len(line) for line in lines}) == 1
