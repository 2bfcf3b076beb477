"""The three channels as a lab: what is special to it. What all labs share is tested over all of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from labkit.course.channels import DESIGNS, FAILURES, compare, script
from labkit.widgets import ChannelsLab


@pytest.fixture
def channels() -> ChannelsLab:
    return ChannelsLab()


class Cells(HTMLParser):
    """Collects the rows of the table that a drawing holds, and checks that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += f"{text} "


def table_of(channels: ChannelsLab) -> list[list[str]]:
    parser = Cells()
    parser.feed(channels._repr_mimebundle_()["text/html"])
    parser.close()
    assert parser.open == []
    return [[" ".join(cell.split()) for cell in row] for row in parser.rows]


def test_it_shows_what_the_chapter_calls(channels: ChannelsLab) -> None:
    assert channels.text() == repr(compare(FAILURES[0]))
    assert repr(channels) == "ChannelsLab(inverted_range, usual)"


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_can_be_chosen_and_is_drawn_beside_the_words(channels: ChannelsLab, failure: str) -> None:
    channels.controls["failure"].value = failure
    assert channels.failure is None
    assert channels.text() == repr(compare(failure))
    head, *rows = table_of(channels)
    assert head == ["", *DESIGNS]
    assert [row[0] for row in rows] == ["the model reads", "a program finds", "the model then", "the run"]
    assert all(cell for row in rows for cell in row)


def test_the_words_decide_what_a_string_is_worth(channels: ChannelsLab) -> None:
    channels.controls["failure"].value = "missing_file"
    usual = table_of(channels)[2]
    channels.controls["wording"].value = "reworded"
    reworded = table_of(channels)[2]
    assert usual[1].startswith("✓ right")
    assert reworded[1].startswith("✗ wrong")
    assert usual[2:] == reworded[2:]


def test_a_state_is_told_in_words_and_by_a_mark(channels: ChannelsLab) -> None:
    channels.controls["failure"].value = "one_of_three"
    _, _, finds, then, ends = table_of(channels)
    assert [re.split(r" (?=[a-z])", cell)[0] for cell in finds[1:]] == ["✓", "✓", "✓"]
    assert then[2].endswith("is not asked again")
    assert ends[2].startswith("✗ dies of ToolFailed")
    assert "2 of 3 calls worked, 0 answered" in ends[2]


def test_an_answer_that_stands_on_no_call_is_no_success(channels: ChannelsLab) -> None:
    for failure in FAILURES:
        channels.controls["failure"].value = failure
        for played, cell in zip(compare(failure).played, table_of(channels)[4][1:], strict=True):
            mark = "✗" if played.ended != "final_answer" else "✓" if played.worked else "!"
            assert cell.startswith(mark), (failure, played.design)
    channels.controls["failure"].value = "missing_file"
    assert table_of(channels)[4][1] == "! answers 0 of 1 call worked, 1 answered"


def test_a_test_that_fails_has_worked(channels: ChannelsLab) -> None:
    channels.controls["failure"].value = "failing_test"
    assert set(table_of(channels)[4][1:]) == {"✓ answers 3 of 3 calls worked, 3 answered"}


@pytest.mark.parametrize("failure", ["failing_test", "quoted_error"])
def test_where_there_is_one_wording_the_other_can_not_be_chosen(channels: ChannelsLab, failure: str) -> None:
    channels.controls["wording"].value = "reworded"
    channels.controls["failure"].value = failure
    wording = channels.controls["wording"]
    assert "reworded" not in script(failure)
    assert (wording.value, wording.disabled) == ("usual", True)
    channels.controls["failure"].value = "missing_file"
    assert wording.disabled is False


def test_start_over_puts_both_knobs_back(channels: ChannelsLab) -> None:
    first = channels.text()
    channels.controls["failure"].value = "tool_bug"
    channels.controls["wording"].value = "reworded"
    assert channels.text() != first
    channels.controls["reset"].click()
    assert channels.text() == first
