"""A visitor brings a file of many points: progress, stop, the board; nobody else waits."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import BrowserContext, Locator, Page, expect
from sklearn.datasets import make_moons

from tests.browser.canvas_driver import Canvas

Open = Callable[[str], Page]
NAMES = "board.scene.names"


def csv(n: int, labels: bool, seed: int) -> dict[str, object]:
    """Two moons; a file of its own for every test, so that nothing of it is known."""
    X, y = make_moons(n, noise=0.08, random_state=seed)
    table, columns = (np.column_stack([X, y]), "x,y,label") if labels else (X, "x,y")
    text = io.StringIO()
    np.savetxt(text, table, fmt="%.5g", delimiter=",", header=columns, comments="")
    return {"name": f"moons{n}.csv", "mimeType": "text/csv", "buffer": text.getvalue().encode()}


def bring(page: Page, file: dict[str, object]) -> None:
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def stop_button(page: Page) -> Locator:
    """Ours: Streamlit has one of its own above the page while a script runs."""
    return page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)


def board_of(page: Page, n: int) -> Canvas:
    """The board, once it shows so many points."""
    page.wait_for_function("n => window.__mavrLive?.board?.scene?.n === n", arg=n)
    return Canvas(page)


def test_a_file_without_labels_is_stopped_and_taken_up_again(open_page: Open) -> None:
    page = open_page("")
    Canvas(page)
    bring(page, csv(6_000, labels=False, seed=1))
    stop = stop_button(page)
    expect(stop).to_be_visible()
    expect(page.get_by_text("Meanwhile everything else can be used")).to_be_visible()
    stop.click()
    expect(page.get_by_text("Stopped. Go on, or change a setting.")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    canvas = board_of(page, 6_000)
    assert canvas.state(NAMES) == ["new 1", "new 2"]
    assert canvas.labels() == {}
    expect(stop).to_have_count(0)
    # The first label is at once on the board, and answered a little later.
    canvas.surface.scroll_into_view_if_needed()
    page.mouse.click(*canvas.pixel(17))
    page.wait_for_function("() => window.__mavrLive.board.scene.results.length === 2")
    assert set(canvas.predictions(0)) == {0}


def click_seconds(canvas: Canvas, i: int) -> float:
    """From a click to the answer."""
    before = canvas.root.get_attribute("data-shown")
    x, y = canvas.pixel(i)
    start = time.monotonic()
    canvas.page.mouse.click(x, y)
    canvas.page.wait_for_function(
        "shown => window.__mavrLive.board.root.dataset.shown !== shown", arg=before
    )
    return time.monotonic() - start


def test_nobody_else_waits_for_a_large_file(
    open_page: Open, context: BrowserContext, app_url: str
) -> None:
    page = open_page("")
    Canvas(page)
    other = context.new_page()
    other.goto(app_url)
    theirs = Canvas(other)
    click_seconds(theirs, 3)
    bring(page, csv(20_000, labels=True, seed=2))
    expect(stop_button(page)).to_be_visible()
    # The middle of several: one may meet the browser's own work.
    assert sorted(click_seconds(theirs, i) for i in (20, 40, 60))[1] < 1
    other.close()
    canvas = board_of(page, 20_000)
    assert len(canvas.labels()) == 2
    assert set(canvas.predictions(0)) == {0, 1}
    # The answer's Krylov spaces are here: another smoothness needs no process.
    step = canvas.step()
    slider = page.locator("input[type=range]").first
    slider.focus()
    slider.press("ArrowLeft")
    canvas.wait_for_step(step)
    expect(stop_button(page)).to_have_count(0)
