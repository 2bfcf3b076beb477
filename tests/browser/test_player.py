"""The recovery player in a real JupyterLab: it plays to the end, stops, steps, and goes on from another past."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser.driving import DRIVES_A_BROWSER, WITH_LABS, Opened, run_to_the_end, switch_theme, wait_for
from browser.labs import Lab, labs_on

pytestmark = DRIVES_A_BROWSER

CHAPTER = next((name for name in WITH_LABS if name.startswith("07")), "")
RUN_ON = "Run on from here"
LINES = 36
PLAY = ".widget-play button"
RIGHT = '{"path": "calculator.py", "start_line": 4, "end_line": 6}'
OVER = "the branch has come to its end"


@pytest.fixture(scope="module")
def opened_player(opened: Opened, page: Any) -> Lab:
    page.goto(opened.page_of(CHAPTER))
    wait_for(page, CHAPTER)
    assert run_to_the_end(page, opened, CHAPTER) == []
    return next(lab for lab in labs_on(page) if lab.area.get_by_role("button", name=RUN_ON, exact=True).count())


@pytest.fixture
def player(opened_player: Lab) -> Lab:
    opened_player.area.scroll_into_view_if_needed()
    opened_player.press("Start over")
    opened_player.wait_until_it_says(f"Line 1 of {LINES}")
    return opened_player


def lines_shown(frames: list[tuple[float, str, str]]) -> list[int]:
    """The lines that the pictures were of, in order, equal ones once."""
    found = [int(said.split("Line ")[1].split(" of ")[0]) for _, said, _ in frames if "Line " in said]
    return [line for place, line in enumerate(found) if place == 0 or line != found[place - 1]]


def change(player: Lab, arguments: str) -> None:
    text = player.area.locator("textarea")
    text.fill(arguments)
    text.blur()
    player.press(RUN_ON)


def test_it_plays_the_run_to_its_end(player: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    player.record()
    player.area.locator(PLAY).first.click()
    player.wait_until_it_says(f"Line {LINES} of {LINES}")
    shown = lines_shown(player.frames())
    with capsys.disabled():
        print(f"\nplayed to its end: {len(shown)} different lines were shown")
    assert shown == sorted(shown) and shown[-1] == LINES
    assert len(shown) >= LINES / 2
    assert "invalid_range" in player.picture and "final_answer" in player.picture


def test_it_can_be_stopped_stepped_and_scrubbed(player: Lab) -> None:
    play = player.area.locator(PLAY).first
    play.click()
    player.wait_until_it_says("Line 3 of")
    play.click()
    player.wait_until_it_rests()
    stopped = player.picture
    player.record()
    player.press("Step forward")
    player.press("Step forward")
    player.press("Step back")
    player.wait_until_it_rests()
    shown = lines_shown(player.frames())
    assert len(shown) == 3 and shown[0] + 1 == shown[1] == shown[2] + 1
    assert f"Line {shown[0] - 1} of" in stopped
    handle = player.area.locator(".noUi-handle")
    handle.press("End")
    player.wait_until_it_says(f"Line {LINES} of {LINES}")
    handle.press("ArrowLeft")
    player.wait_until_it_says(f"Line {LINES - 1} of {LINES}")


def test_a_changed_past_gives_a_second_branch_and_a_third(player: Lab, page: Any, pictures: Path) -> None:
    change(player, RIGHT)
    player.wait_until_it_says(OVER)
    mended = player.picture
    assert "5 decisions" in mended and "6 decisions" in mended, "the branch does not stand beside the run"
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        switch_theme(page, theme)
        player.area.screenshot(path=pictures / f"branch-{theme.split()[1].lower()}.png")
    player.record()
    change(player, '{"path": "calculator.py", "start_line": 6')
    player.wait_until_it_says("invalid_json")
    player.wait_until_it_says(OVER)
    assert player.picture != mended


def test_pressing_twice_makes_one_branch(player: Lab) -> None:
    text = player.area.locator("textarea")
    text.fill(RIGHT)
    text.blur()
    player.record()
    button = player.area.get_by_role("button", name=RUN_ON, exact=True)
    button.evaluate("node => { node.click(); node.click(); node.click(); }")
    player.wait_until_it_says(OVER)
    ends = [OVER in said for _, said, _ in player.frames()]
    assert ends == sorted(ends), "a second branch was begun"
