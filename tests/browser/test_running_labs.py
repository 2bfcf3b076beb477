"""Labs whose work takes time, in a real JupyterLab: the picture grows, a click waits for nothing, no run is doubled."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from browser.driving import DRIVES_A_BROWSER, WITH_LABS, Opened, run_to_the_end, wait_for
from browser.labs import Lab, labs_on

from labkit.widgets.running import AHEAD, DONE, RUNNING, SAID, STALE

pytestmark = DRIVES_A_BROWSER

RUNS = [name for name in WITH_LABS if name.startswith(("05", "06"))]
FRAMES = 3

# Choose the next option, as a person would, and tell when.
TURN = """(node) => {
    node.selectedIndex = (node.selectedIndex + 1) % node.options.length;
    const now = performance.now();
    node.dispatchEvent(new Event('change', {bubbles: true}));
    return now;
}"""


@pytest.fixture(scope="module", params=RUNS)
def lab(request: pytest.FixtureRequest, opened: Opened, page: Any) -> Lab:
    """The lab of a chapter that has a Run button; the chapter is open and has been run to its end."""
    name = str(request.param)
    page.goto(opened.page_of(name))
    wait_for(page, name)
    assert run_to_the_end(page, opened, name) == []
    return next(lab for lab in labs_on(page) if lab.area.get_by_role("button", name="Run", exact=True).count())


@pytest.fixture
def fresh(lab: Lab) -> Lab:
    """The lab as it was first, with nothing running."""
    lab.area.scroll_into_view_if_needed()
    lab.press("Start over")
    lab.wait_until_it_says("not run yet")
    return lab


def phases(frames: list[tuple[float, str, str]]) -> list[str]:
    """What the pictures say of the run, one word for each stretch of equal ones."""
    words = {AHEAD: AHEAD} | {said: state for state, said in SAID.items()}
    said = [next((state for text, state in words.items() if text in picture), "") for _, picture, _ in frames]
    return [state for state, _ in groupby(said)]


def test_the_picture_grows_while_calls_run(fresh: Lab, pictures: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fresh.record()
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[RUNNING])
    fresh.area.screenshot(path=pictures / "run-under-way.png")
    fresh.wait_until_it_says(SAID[DONE])
    frames = fresh.frames()
    running = {drawn for _, said, drawn in frames if SAID[RUNNING] in said}
    with capsys.disabled():
        print(f"\n{len(frames)} pictures of one run, {len(running)} different ones while calls ran")
    assert len(running) >= FRAMES
    assert phases(frames) == [RUNNING, DONE]


def test_pressing_run_again_and_again_is_one_run(fresh: Lab) -> None:
    fresh.record()
    button = fresh.area.get_by_role("button", name="Run", exact=True)
    button.evaluate("node => { for (let press = 0; press < 4; press++) node.click(); }")
    fresh.wait_until_it_says(SAID[DONE])
    assert phases(fresh.frames()) == [RUNNING, DONE]


def test_knobs_turned_during_a_run_are_answered_while_it_goes_on_and_harm_nothing(
    fresh: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[RUNNING])
    fresh.record()
    select = fresh.area.locator("select:enabled").first
    turned = float(select.evaluate(TURN))
    fresh.wait_until_it_says(SAID[STALE])
    frames = fresh.frames()
    answered = next(when for when, said, _ in frames if AHEAD in said)
    with capsys.disabled():
        print(f"\na knob turned during a run was answered after {answered - turned:.0f} ms")
    assert [state for state in phases(frames) if state != RUNNING] == [AHEAD, STALE]
    fresh.record()
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[DONE])
    assert phases(fresh.frames()) == [RUNNING, DONE]


def test_start_over_during_a_run_clears_the_page(fresh: Lab) -> None:
    first = fresh.picture
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[RUNNING])
    fresh.press("Start over")
    fresh.wait_until_it_shows(first)
    fresh.record()
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[DONE])
    assert phases(fresh.frames()) == [RUNNING, DONE]


def test_the_cell_run_again_during_a_run_gives_a_lab_that_works(fresh: Lab, page: Any) -> None:
    fresh.press("Run")
    cell = fresh.area.locator("xpath=ancestor::div[contains(concat(' ', @class, ' '), ' jp-CodeCell ')]")
    fresh.area.evaluate("node => node.classList.add('labkit-before')")
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.locator(".labkit-before").wait_for(state="detached")
    fresh.wait_until_it_says("not run yet")
    fresh.record()
    fresh.press("Run")
    fresh.wait_until_it_says(SAID[DONE])
    assert phases(fresh.frames()) == [RUNNING, DONE]


def test_sliders_follow_the_mouse(fresh: Lab, page: Any) -> None:
    handle = fresh.area.locator(".noUi-handle").first
    before = handle.get_attribute("aria-valuenow")
    box = handle.bounding_box()
    assert box is not None
    for way in (40, -40):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 + way, box["y"] + box["height"] / 2, steps=4)
        page.mouse.up()
        if handle.get_attribute("aria-valuenow") != before:
            break
    assert handle.get_attribute("aria-valuenow") != before
