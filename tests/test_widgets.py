"""Every lab: built bare, driven knob by knob from this thread and from another, read as words and as a page.

What a single lab shows is tested beside this file; here stands what all of them must do.
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import ipywidgets as W  # noqa: N812
import pytest

import labkit.widgets
from labkit.course.exercises import chapters, questions_of
from labkit.widgets.base import RESET, WIDGET_VIEW, LabWidget, View, button, checkbox, dropdown, textarea
from labkit.widgets.html import block, code, paragraph, table, told, worded

LABS = [name for name in labkit.widgets.__all__ if name.endswith("Lab")]
QUESTIONS = [question.id for chapter in chapters() for question in questions_of(chapter)]
TYPED = [
    "",
    " ",
    "<script>alert(1)</script>",
    "def f(x: int) -> int:\n    return x",
    '{"a": [1, 2',
    "ß 北京 \ud800 \x00",
]
STEPS = 60


def made(name: str) -> LabWidget:
    """A lab by its name; a question of the quiz by its id."""
    return labkit.widgets.Quiz(name) if "." in name else getattr(labkit.widgets, name)()


def settings(control: Any) -> list[Any]:
    """What a person could set a knob to."""
    match control:
        case W.Dropdown() | W.ToggleButtons() | W.RadioButtons():
            return [value for _, value in control._options_full]
        case W.Checkbox() | W.ToggleButton():
            return [False, True]
        case W.IntSlider() | W.FloatSlider() | W.Play():
            return [control.min, control.max]
        case W.Textarea() | W.Text():
            return TYPED
        case _:
            raise AssertionError(f"a {type(control).__name__} is a kind of knob that these tests can't turn")


def turn(lab: LabWidget, name: str, value: Any = None) -> None:
    """Turn one knob, or press it where it is a button; what that sets going is over when this returns."""
    control = lab.controls[name]
    if isinstance(control, W.Button):
        control.click()
    else:
        control.value = value
    lab.wait()


def every_turn(lab: LabWidget) -> Iterator[tuple[str, Any]]:
    """Every knob to all it can be set to, looked up when its turn comes: one knob changes what another offers."""
    for name, control in lab.controls.items():
        for value in [None, None] if isinstance(control, W.Button) else settings(control):
            yield name, value


def driven(lab: LabWidget) -> list[str]:
    """Turn every knob; return what the lab said each time. Fails where it could not draw."""
    said = []
    for name, value in every_turn(lab):
        turn(lab, name, value)
        assert lab.failure is None, (name, value, lab.failure)
        said.append(lab.text())
    return said


def on_another_thread(work: Callable[[], Any]) -> Any:
    """Do it as a kernel's subshell would: on a thread that is not the main one."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as problem:
            found.append(problem)

    thread = threading.Thread(target=run, name="subshell-1")
    thread.start()
    thread.join(60)
    assert found, "the other thread has not come back"
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


# ---- what the base does, tried on a lab made for it ----


class Adder(LabWidget):
    name = "adder"

    def __init__(self) -> None:
        self.pressed = 0
        super().__init__(
            {
                "first": dropdown("First", "The first number", options=[1, 2, 0]),
                "second": dropdown("Second", "The second number", options=[1, 2]),
                "words": textarea("Words", "Anything", value="x"),
                "loud": checkbox("Loud", "Say it louder", value=False),
                "again": button("Again", "Count this press"),
            }
        )

    def look(self) -> View:
        total = 1 / self.controls["first"].value + self.controls["second"].value
        text = f"the sum is {total:g}, pressed {self.pressed} times"
        return View(text, paragraph(text + self.controls["words"].value))

    def adjust(self, changed: str) -> None:
        if changed == "first":
            self.controls["second"].options = [1, 2, 3] if self.controls["first"].value == 2 else [1, 2]

    def press(self, name: str) -> None:
        self.pressed += 1

    def summary(self) -> str:
        return f"{self.controls['first'].value} and {self.controls['second'].value}"


def test_a_knob_redraws_and_one_may_decide_what_another_offers() -> None:
    lab = Adder()
    assert lab.text() == "the sum is 2, pressed 0 times"
    lab.controls["first"].value = 2
    assert [value for _, value in lab.controls["second"]._options_full] == [1, 2, 3]
    lab.controls["second"].value = 3
    assert lab.text() == "the sum is 3.5, pressed 0 times"
    assert "3.5" in lab._picture.value
    assert repr(lab) == "Adder(2 and 3)"


def test_a_button_counts_each_press_once() -> None:
    lab = Adder()
    turn(lab, "again")
    turn(lab, "again")
    assert "pressed 2 times" in lab.text()


def test_start_over_puts_every_knob_back_also_those_that_depend_on_others() -> None:
    lab = Adder()
    lab.controls["first"].value = 2
    lab.controls["second"].value = 3
    turn(lab, RESET)
    assert repr(lab) == "Adder(1 and 1)"
    assert lab.text() == "the sum is 2, pressed 0 times"


def test_what_can_t_be_drawn_is_said_and_the_next_change_draws_again() -> None:
    lab = Adder()
    lab.controls["first"].value = 0
    assert isinstance(lab.failure, ZeroDivisionError)
    assert lab.text() == "The adder can't draw this: ZeroDivisionError. Change a knob, or start over."
    lab.controls["first"].value = 1
    assert lab.failure is None and lab.text().startswith("the sum is 2")


def test_a_knob_that_can_t_be_adjusted_is_said_too(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Adder()

    def refuse(changed: str) -> None:
        raise KeyError(changed)

    monkeypatch.setattr(lab, "adjust", refuse)
    lab.controls["first"].value = 2
    assert isinstance(lab.failure, KeyError) and "can't draw this: KeyError" in lab.text()


def test_what_was_typed_is_escaped() -> None:
    lab = Adder()
    lab.controls["words"].value = "<b>&"
    assert "<b>" not in lab._picture.value and "&lt;b&gt;&amp;" in lab._picture.value
    made_here = [paragraph("<i>"), code("<i>"), block("<i>"), told("bad", "<i>"), worded("<i> `<i>`")]
    assert all("<i>" not in html and "&lt;i&gt;" in html for html in made_here)
    assert "<i>" not in table(["<i>"], [], "<i>")


def test_changes_from_many_threads_leave_one_picture_that_fits_the_knobs() -> None:
    lab = Adder()

    def work(value: int) -> None:
        for _ in range(20):
            lab.controls["first"].value = value
            lab.controls["again"].click()

    threads = [threading.Thread(target=work, args=(value,)) for value in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    expected = 1 / lab.controls["first"].value + lab.controls["second"].value
    assert lab.text() == f"the sum is {expected:g}, pressed 40 times"


def test_an_unknown_lab_is_answered_with_those_there_are() -> None:
    with pytest.raises(AttributeError, match="it has ArgumentLab"):
        labkit.widgets.__getattr__("TeleportLab")
    assert sorted(labkit.widgets.__all__) == labkit.widgets.__all__


# ---- every lab ----


@pytest.mark.parametrize("name", LABS + QUESTIONS)
def test_it_is_whole_as_it_is_built(name: str) -> None:
    lab = made(name)
    assert lab.failure is None
    assert len(re.findall(r"\w+", lab.text())) >= 5
    assert re.fullmatch(r"\w+\(.{1,100}\)", repr(lab)) and "0x" not in repr(lab)
    assert repr(lab) == repr(made(name)) and lab.text() == made(name).text()


@pytest.mark.parametrize("name", LABS + QUESTIONS)
def test_every_knob_says_what_it_is(name: str) -> None:
    lab = made(name)
    assert list(lab.controls)[-1] == RESET
    for knob, control in lab.controls.items():
        assert control.description, knob
        assert len(control.tooltip.split()) >= 3, knob
    assert list(lab._box.children[-2].children) == list(lab.controls.values()), "the keyboard goes another way"


@pytest.mark.parametrize("name", LABS + QUESTIONS)
def test_a_page_without_a_kernel_gets_a_picture_and_words(name: str) -> None:
    lab = made(name)
    bundle = lab._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", WIDGET_VIEW}
    assert bundle["text/plain"] == f"{lab!r}\n{lab.text()}"
    assert bundle[WIDGET_VIEW]["model_id"] == lab._box.model_id
    assert unbalanced(bundle["text/html"]) == []
    assert "<script" not in bundle["text/html"] and "<style" not in bundle["text/html"]


@pytest.mark.parametrize("name", LABS + QUESTIONS)
def test_it_says_the_same_on_whatever_thread_it_is_driven(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = driven(made(name))
    there = on_another_thread(lambda: driven(made(name)))
    assert here == there
    assert len(set(here)) > 1, "no knob changes what it says"
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""


@pytest.mark.parametrize("name", LABS)
def test_every_knob_changes_something(name: str) -> None:
    still = []
    for knob, control in made(name).controls.items():
        if isinstance(control, W.Button):
            continue
        lab = made(name)
        said = set()
        for value in settings(lab.controls[knob]):
            turn(lab, knob, value)
            said.add((lab.text(), lab._picture.value, str([lab.controls[other].value for other in lab._first])))
        still += [knob] if len(said) < 2 else []
    assert still == []


@pytest.mark.parametrize("name", LABS)
def test_knobs_in_any_order_break_nothing_and_start_over_is_the_start(name: str) -> None:
    choose = random.Random(7)
    lab = made(name)
    for _ in range(STEPS):
        knob, control = choose.choice(list(lab.controls.items()))
        value = None if isinstance(control, W.Button) else choose.choice(settings(control))
        turn(lab, knob, value)
        assert lab.failure is None, (knob, value, lab.failure)
        assert unbalanced(lab._picture.value) == []
    turn(lab, RESET)
    assert lab.text() == made(name).text() and repr(lab) == repr(made(name))


class Tags(HTMLParser):
    """Finds elements that are not closed in the order in which they were opened."""

    EMPTY = frozenset({"br", "hr", "img", "line", "rect", "path", "circle", "polygon"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """An element that closes itself opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        if tag in self.EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def unbalanced(html: str) -> list[str]:
    """The elements of a page that are not closed as they were opened."""
    tags = Tags()
    tags.feed(html)
    tags.close()
    return tags.wrong + tags.open


def test_an_element_left_open_is_found() -> None:
    assert unbalanced("<p><b>x</b></p><br>") == []
    assert unbalanced("<p><b>x</p></b>") != []
    assert unbalanced("<p>x") == ["p"]
