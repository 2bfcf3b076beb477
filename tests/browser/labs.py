"""One lab on a page of JupyterLab, and what a person does to its knobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

AREA = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output > .widget-vbox"
PICTURE = ".widget-html-content"
KNOBS = (
    "select, textarea, input[type=text], input[type=checkbox], input[type=radio], .widget-toggle-button, .noUi-handle"
)

# From the moment a person acts to the first changed picture, in milliseconds; null where it stays as it is.
WATCH = """([area, patience]) => {
    const picture = [...area.querySelectorAll('.widget-html-content')].at(-1), before = picture.innerHTML;
    window.labkitSeen = new Promise(resolve => {
        let began = null;
        const start = () => { began ??= performance.now(); };
        for (const kind of ['change', 'input', 'click', 'keydown'])
            area.addEventListener(kind, start, {capture: true});
        const watcher = new MutationObserver(() => {
            if (picture.innerHTML !== before) { watcher.disconnect(); resolve(performance.now() - began); }
        });
        watcher.observe(picture, {childList: true, subtree: true, characterData: true});
        setTimeout(() => { watcher.disconnect(); resolve(null); }, patience);
    });
}"""


# Every picture that the lab shows from now on, until `labkitFrames` is read.
RECORD = """(area) => {
    const picture = [...area.querySelectorAll('.widget-html-content')].at(-1);
    window.labkitFrames = [];
    window.labkitRecorder?.disconnect();
    window.labkitRecorder = new MutationObserver(() => {
        window.labkitFrames.push([performance.now(), picture.innerText, picture.innerHTML]);
    });
    window.labkitRecorder.observe(picture, {childList: true, subtree: true, characterData: true});
}"""

SAYS = """([area, number, picture, words]) => {
    const lab = document.querySelectorAll(area)[number];
    return lab ? [...lab.querySelectorAll(picture)].at(-1)?.innerText.includes(words) : false;
}"""

# Resolves when a picture has not changed for a second.
REST = """(picture) => new Promise(resolve => {
    let timer = setTimeout(resolve, 1000);
    new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, 1000); })
        .observe(picture, {childList: true, subtree: true, characterData: true});
})"""


class Lab:
    """One lab on the page, and how long its picture took to follow each act."""

    def __init__(self, page: Any, number: int) -> None:
        self.page, self.number = page, number
        self.times: list[float] = []

    @property
    def area(self) -> Any:
        return self.page.locator(AREA).nth(self.number)

    @property
    def picture(self) -> str:
        return str(self.area.locator(PICTURE).last.inner_text())

    def act(self, work: Any, patience: int = 1000) -> float | None:
        """Do something to a knob; return after how many milliseconds the picture had changed, None if it has not."""
        self.page.evaluate(WATCH, [self.area.element_handle(), patience])
        work()
        took = self.page.evaluate("() => window.labkitSeen")
        if took is not None:
            self.times.append(took)
        return None if took is None else float(took)

    def knobs(self) -> Iterator[Any]:
        found = self.area.locator(KNOBS)
        for number in range(found.count()):
            yield found.nth(number)

    def turn(self, knob: Any) -> float | None:
        """Set a knob to something else, as a person would."""
        kind = knob.evaluate("node => node.role || node.type || node.tagName.toLowerCase()")
        if knob.is_disabled():
            return None
        match kind:
            case "select-one":
                options = knob.locator("option").count()
                chosen = knob.evaluate("node => node.selectedIndex")
                return self.act(lambda: knob.select_option(index=(chosen + 1) % options))
            case "slider":
                at_the_end = knob.evaluate("node => Number(node.ariaValueNow) >= Number(node.ariaValueMax)")
                return self.act(lambda: knob.press("ArrowLeft" if at_the_end else "ArrowRight"))
            case "textarea" | "text":
                return self.act(lambda: (knob.fill(str(knob.input_value()) + " <b>x"), knob.blur()))
            case _:
                return self.act(lambda: knob.click())

    def record(self) -> None:
        """Keep every picture from now on."""
        self.page.evaluate(RECORD, self.area.element_handle())

    def frames(self) -> list[tuple[float, str, str]]:
        """The pictures since ``record``: when in milliseconds, what they say, what they are drawn with."""
        return [tuple(frame) for frame in self.page.evaluate("() => window.labkitFrames")]

    def wait_until_it_says(self, words: str) -> None:
        """Until the picture holds these words; it is looked up anew each time, for its cell may have been run again."""
        self.page.wait_for_function(SAYS, arg=[AREA, self.number, PICTURE, words], timeout=60_000)

    def wait_until_it_rests(self) -> None:
        """Until the picture has stayed as it is for a second."""
        self.page.evaluate(REST, self.area.locator(PICTURE).last.element_handle())

    def wait_until_it_shows(self, words: str) -> None:
        """Until the picture says this; a machine under load may take longer than an act is watched."""
        self.page.wait_for_function(
            "([node, words]) => node.innerText === words", arg=[self.area.locator(PICTURE).last.element_handle(), words]
        )

    def press(self, name: str) -> None:
        self.area.get_by_role("button", name=name, exact=True).click()

    def start_over(self) -> float | None:
        return self.act(lambda: self.area.get_by_role("button", name="Start over").click(), patience=1500)


def labs_on(page: Any) -> list[Lab]:
    page.locator(AREA).first.wait_for()
    return [Lab(page, number) for number in range(page.locator(AREA).count())]
