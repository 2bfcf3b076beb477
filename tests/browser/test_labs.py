"""Every lab and every quiz, driven by mouse and keyboard in a real JupyterLab: changed, pressed twice, run again.

The time from a click to the changed picture is measured in the page and printed; nothing is asserted of it.
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from typing import Any

import pytest
from browser.driving import (
    DRIVES_A_BROWSER,
    ROOT,
    WITH_LABS,
    Opened,
    code_cells,
    run_to_the_end,
    switch_theme,
    wait_for,
)
from browser.labs import AREA, KNOBS, PICTURE, labs_on

pytestmark = DRIVES_A_BROWSER

FALLBACK = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output.jp-RenderedHTML"

# Every piece of text outside of a drawing, with its colour and that of the nearest background beneath it.
COLOURS = """(picture) => {
    const beneath = node => {
        for (; node; node = node.parentElement) {
            const paper = getComputedStyle(node).backgroundColor;
            if (paper !== 'rgba(0, 0, 0, 0)') return paper;
        }
        return 'rgb(255, 255, 255)';
    };
    return [...picture.querySelectorAll('*')]
        .filter(node => !node.closest('svg') && [...node.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
        .map(node => [node.textContent, getComputedStyle(node).color, beneath(node)]);
}"""
# Where in reading order the knob with the focus stands, as row and column; null where the focus has left the lab.
FOCUSED = """(area) => {
    const node = document.activeElement;
    if (!area.contains(node)) return null;
    const knob = node.closest('.widget-inline-hbox, .jupyter-button:not(.widget-toggle-button)') ?? node;
    const [box, own] = [knob.getBoundingClientRect(), node.getBoundingClientRect()];
    const row = Math.round((box.bottom - area.getBoundingClientRect().top) / 24);
    return [row, Math.round(box.left), Math.round(own.left)];
}"""
FOCUS_FIRST = "area => area.querySelector('select, textarea, input, button').focus()"
READABLE = 4.5  # WCAG 2 asks that much contrast of text


@pytest.fixture(scope="module", params=WITH_LABS)
def chapter(request: pytest.FixtureRequest, opened: Opened, page: Any) -> str:
    """A chapter with labs, opened and run to its end."""
    name = str(request.param)
    page.goto(opened.page_of(name))
    wait_for(page, name)
    return name


@pytest.fixture(scope="module")
def ran(opened: Opened, page: Any, chapter: str) -> str:
    """The chapter, run to its end."""
    assert run_to_the_end(page, opened, chapter) == []
    return chapter


def test_before_anything_runs_the_stored_picture_is_shown(page: Any, chapter: str) -> None:
    views = [
        output
        for cell in code_cells(ROOT / "notebooks" / chapter)
        for output in cell["outputs"]
        if "text/html" in output.get("data", {})
    ]
    assert page.locator(FALLBACK).count() == len(views) > 0
    assert page.get_by_text("model not found", exact=False).count() == 0
    assert page.locator(AREA).count() == 0


def test_every_knob_answers_and_start_over_is_the_start(
    page: Any, ran: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for lab in labs_on(page):
        lab.area.scroll_into_view_if_needed()
        lab.start_over()
        first = lab.picture
        for knob in lab.knobs():
            lab.turn(knob)
        assert lab.times, "no knob changes the picture"
        assert page.locator(".jp-Notification-Toast, .Toastify__toast, .jp-Dialog").count() == 0
        for _ in range(2):
            lab.start_over()
            lab.wait_until_it_shows(first)
        with capsys.disabled():
            kind = "quiz" if lab.area.locator("input[type=radio]").count() else "lab"
            print(
                f"\n{ran} {kind} {lab.number + 1}: {len(lab.times)} changes, "
                f"median {statistics.median(lab.times):.0f} ms, slowest {max(lab.times):.0f} ms"
            )


def test_the_keyboard_reaches_every_knob_in_reading_order(page: Any, ran: str) -> None:
    for lab in labs_on(page):
        lab.area.evaluate(FOCUS_FIRST)
        places = []
        while (place := lab.area.evaluate(FOCUSED)) is not None:
            places.append(place)
            page.keyboard.press("Tab")
        assert len(places) >= 2
        assert places == sorted(places)


def test_knobs_are_turned_by_keys(page: Any, ran: str) -> None:
    for lab in labs_on(page):
        if not lab.area.locator("select").count():
            continue
        lab.start_over()
        select = lab.area.locator("select").last
        before = select.input_value()
        select.focus()
        page.keyboard.press("ArrowDown")
        assert select.input_value() != before
        for toggle in lab.area.locator(".widget-toggle-button:not(.mod-active):not([disabled])").all()[:1]:
            toggle.focus()
            page.keyboard.press("Space")
            lab.area.locator(".widget-toggle-button.mod-active:focus").wait_for()
        cells = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell").count()
        lab.area.get_by_role("button", name="Start over").focus()
        for key in ("a", "b", "d", "d"):
            page.keyboard.press(key)
        assert page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell").count() == cells


def test_a_quiz_is_answered_with_the_arrow_keys(page: Any, ran: str) -> None:
    quizzes = [lab for lab in labs_on(page) if lab.area.locator("input[type=radio]").count()]
    for quiz in quizzes:
        quiz.start_over()
        options = quiz.area.locator("input[type=radio]")
        said = set()
        quiz.act(lambda first=options.first: (first.focus(), page.keyboard.press("Space")))
        said.add(quiz.picture)
        for _ in range(options.count() - 1):
            quiz.act(lambda: page.keyboard.press("ArrowDown"))
            said.add(quiz.picture)
        assert len(said) == options.count(), "an option does not explain itself"


def test_a_cell_run_again_gives_a_lab_that_works(page: Any, ran: str) -> None:
    for lab in labs_on(page):
        lab.area.scroll_into_view_if_needed()
        cell = lab.area.locator("xpath=ancestor::div[contains(concat(' ', @class, ' '), ' jp-CodeCell ')]")
        knobs = lab.area.locator(KNOBS).count()
        lab.area.evaluate("node => node.classList.add('labkit-before')")
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        page.locator(".labkit-before").wait_for(state="detached")
        lab.area.locator(PICTURE).last.wait_for()
        lab.area.locator(KNOBS).nth(knobs).wait_for(state="detached")
        lab.area.locator(KNOBS).nth(knobs - 1).wait_for()
        answers = [lab.turn(knob) for knob in lab.knobs()]
        assert any(answer is not None for answer in answers)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_each_theme_is_readable_and_looked_at(page: Any, ran: str, pictures: Path, theme: str) -> None:
    switch_theme(page, theme)
    for lab in labs_on(page):
        lab.area.scroll_into_view_if_needed()
        name = f"{Path(ran).stem}-lab-{lab.number + 1}-{theme.split()[1].lower()}.png"
        lab.area.screenshot(path=pictures / name)
        found = lab.area.locator(PICTURE).last.evaluate(COLOURS)
        assert found
        assert [text for text, ink, paper in found if contrast(ink, paper) < READABLE] == []


def contrast(ink: str, paper: str) -> float:
    """The contrast of a colour on another, as WCAG 2 counts it; both as a browser spells them."""
    below = parts(paper)[:3]
    *above, cover = parts(ink)
    seen = [cover * one + (1 - cover) * other for one, other in zip(above, below, strict=True)]
    light, dark = sorted((luminance(seen), luminance(below)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def parts(colour: str) -> list[float]:
    """Red, green, blue and how much they cover, each from 0 to 1: ``rgb(255, 0, 0)`` or ``color(srgb 1 0 0 / 0.5)``."""
    scale = 1.0 if colour.startswith("color(srgb") else 255.0
    numbers = [float(part) for part in re.findall(r"[\d.]+(?:e-?\d+)?", colour)]
    return [*(number / scale for number in numbers[:3]), numbers[3] if len(numbers) > 3 else 1.0]


def luminance(channels: list[float]) -> float:
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_counted() -> None:
    assert round(contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)")) == 21
    assert round(contrast("color(srgb 1 1 1)", "rgb(0, 0, 0)")) == 21
    assert contrast("rgba(0, 0, 0, 0.2)", "rgb(255, 255, 255)") < 2
    assert contrast("rgb(120, 120, 120)", "rgb(128, 128, 128)") < READABLE
