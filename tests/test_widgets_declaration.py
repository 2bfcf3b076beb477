"""The declaration bench: what is special to it. What all labs must do is tested with all of them."""

from __future__ import annotations

import threading
from html.parser import HTMLParser
from typing import Any

import pytest

from labkit.course.declaring import declared, in_words
from labkit.course.declaring.examples import EXAMPLES
from labkit.widgets import DeclarationLab
from labkit.widgets.declaration import OWN, STALE


@pytest.fixture
def bench() -> DeclarationLab:
    return DeclarationLab()


class Words(HTMLParser):
    """The text of a page, and whether every tag was closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def drawn(bench: DeclarationLab) -> str:
    page = Words(bench._repr_mimebundle_()["text/html"])
    assert page.open == []
    return " ".join(page.said)


def test_it_opens_on_the_good_example(bench: DeclarationLab) -> None:
    assert list(bench.controls) == ["example", "source", "reset"]
    assert bench.controls["source"].value == EXAMPLES["good"]
    assert bench.text() == in_words(declared(EXAMPLES["good"]))
    assert repr(bench) == "DeclarationLab(query_orders, 3 of 15 sample calls accepted)"


def test_an_example_goes_into_the_box_and_can_be_changed_there(bench: DeclarationLab) -> None:
    bench.controls["example"].value = "nested"
    assert bench.controls["source"].value == EXAMPLES["nested"]
    assert bench.text() == in_words(declared(EXAMPLES["nested"]))
    bench.controls["source"].value = EXAMPLES["nested"].replace("le=99", "le=9")
    assert bench.controls["example"].value == OWN
    assert "lines.0.quantity: must be at most 9, got 10" in bench.text()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_had_back_after_typing(bench: DeclarationLab, name: str) -> None:
    bench.controls["example"].value = name
    bench.controls["source"].value = "def f(n: int): ..."
    bench.controls["example"].value = name
    assert bench.controls["source"].value == EXAMPLES[name]


def test_ones_own_source_stays_when_it_is_chosen(bench: DeclarationLab) -> None:
    bench.controls["source"].value = "def f(n: int): ..."
    before = bench.text()
    bench.controls["example"].value = "good"
    bench.controls["example"].value = OWN
    assert bench.controls["source"].value == EXAMPLES["good"]
    bench.controls["source"].value = "def f(n: int): ..."
    assert (bench.controls["example"].value, bench.text()) == (OWN, before)


def test_the_picture_says_what_the_words_say(bench: DeclarationLab) -> None:
    for name in ("good", "bad", "not strict"):
        bench.controls["example"].value = name
        found = declared(EXAMPLES[name])
        page = drawn(bench)
        assert "Strict schema" in page
        for finding in found.findings:
            assert finding.message in page
        for each in found.samples:
            assert each.sample.change in page
            assert each.says in page
        assert page.count("✓ accepted") == sum(each.accepted for each in found.samples)
        assert page.count("✗ rejected") == sum(not each.accepted for each in found.samples)


@pytest.mark.parametrize("name", ["a slip of the pen", "an unknown name", "never ends"])
def test_a_source_that_declares_nothing_gets_a_sentence_and_the_last_picture_stays(
    bench: DeclarationLab, name: str
) -> None:
    before = bench.text()
    bench.controls["example"].value = name
    first, *rest = bench.text().splitlines()
    assert first.startswith("Nothing is declared. Line ")
    assert rest[0] == STALE
    assert bench.text().endswith(before)
    assert STALE in drawn(bench)
    assert "query_orders" in drawn(bench)
    assert repr(bench) == "DeclarationLab(nothing declared)"
    assert bench.failure is None
    bench.controls["source"].value = "def f(n: int): ..."
    assert bench.text() == in_words(declared("def f(n: int): ..."))


def test_a_page_without_a_kernel_shows_the_source_too(bench: DeclarationLab) -> None:
    bench.controls["source"].value = "def f(number: int): ..."
    assert "def f(number: int): ..." in drawn(bench)


def test_what_is_typed_is_shown_and_never_read_as_html(bench: DeclarationLab) -> None:
    bench.controls["source"].value = 'def f(n: int):\n    "<script>alert(1)</script> <b>bold</b>"'
    page = bench._repr_mimebundle_()["text/html"]
    assert "<script>" not in page and "<b>" not in page
    assert "<script>alert(1)</script> <b>bold</b>" in drawn(bench)
    bench.controls["source"].value = "def f(n: int: <script>"
    assert "<script>" not in bench._repr_mimebundle_()["text/html"]


def test_nothing_that_is_declared_is_called(bench: DeclarationLab, tmp_path: Any) -> None:
    mark = tmp_path / "called"
    bench.controls["source"].value = f"def f(n: int = 1):\n    open({str(mark)!r}, 'w').close()"
    assert "f: (no description)" in bench.text()
    assert not mark.exists()


def test_half_a_line_is_not_executed(bench: DeclarationLab) -> None:
    assert bench.controls["source"].continuous_update is False


def test_two_benches_can_be_used_from_two_threads_at_once() -> None:
    benches = [DeclarationLab(), DeclarationLab()]

    def use(number: int) -> None:
        for turn in range(10):
            benches[number].controls["source"].value = f"def f{number}_{turn}(n: int): ..."

    threads = [threading.Thread(target=use, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [bench.text().partition(":")[0] for bench in benches] == ["f0_9", "f1_9"]


def test_starting_over_brings_the_first_example_back(bench: DeclarationLab) -> None:
    before = bench.text()
    bench.controls["example"].value = "bad"
    bench.controls["source"].value = "nonsense here"
    bench.controls["reset"].click()
    assert (bench.controls["example"].value, bench.text()) == ("good", before)
