"""Lessons in a real browser: every one walked by its hints, a step done by hand, a lesson link."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from lab.lessons.shelf import ours
from tests.browser.canvas_driver import Canvas
from tests.browser.conftest import VIEWPORT

Act = Callable[[Canvas], None]
VIEW = "?data=three_circles&seed=43&labels=2.0_107.1_153.2"
LINK = f"{VIEW}&keep=tau&note=Find+%3Cb%3Ea%3C%2Fb%3E+*%CF%84*"
OWN = """---
title: A lesson of the tests
---

## Only step
start: data=two_moons&labels=
check: labels 1
solution: data=two_moons&labels=95.0
hint: Click any point.

Do: Label a point.
"""


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A page whose browser remembers, as a visitor's does."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.set_default_timeout(60_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def board_of_step(page: Page, name: str, k: int, n: int) -> Canvas:
    """The board of a step, once that of the step before is there no longer."""
    expect(page.get_by_text(f"step {k + 1} of {n}")).to_be_visible()
    page.locator(f".st-key-place_board_lesson-{name}-{k} .stage > canvas").wait_for()
    settled(page)
    expect(page.locator(".board .stage > canvas")).to_have_count(1)
    return Canvas(page)


@pytest.mark.parametrize("name", ours())
@pytest.mark.thorough
def test_a_lesson_is_walked_by_its_hints(visitor, app_url, name):
    visitor.goto(f"{app_url}/lessons?lesson={name}&step=1")
    n = len(ours()[name].steps)
    for k in range(n):
        board_of_step(visitor, name, k, n)
        onward = visitor.get_by_role("button", name="Next step" if k + 1 < n else "Finish")
        expect(onward).to_have_count(0)
        visitor.get_by_role("button", name="Hint").click()
        visitor.get_by_role("button", name="Show it").click()
        onward.click()
    expect(visitor.get_by_role("heading", name="Lessons")).to_be_visible()
    expect(visitor.get_by_text(f"{n} of {n} steps")).to_be_visible()
    kept = json.loads(visitor.evaluate("localStorage.getItem('mavr.lessons')"))
    assert kept == {name: list(range(n))}
    visitor.reload()
    expect(visitor.get_by_text(f"{n} of {n} steps")).to_be_visible()


def labels(*wanted: tuple[int, int]) -> Act:
    """Choose a class and click a point, for each (point, class)."""

    def act(canvas: Canvas) -> None:
        for point, j in wanted:
            canvas.choose(j)
            canvas.click(point)

    return act


def slides(link: str, value: str) -> Act:
    return lambda canvas: canvas.exact(link, value)


def drags(link: str, share: float) -> Act:
    return lambda canvas: canvas.slide(link, share)


def erases(point: int) -> Act:
    return lambda canvas: canvas.click(point, button="right")


def chooses(box: str, option: str) -> Act:
    def act(canvas: Canvas) -> None:
        canvas.page.get_by_role("combobox", name=box).click()
        canvas.page.get_by_role("option", name=option, exact=True).click()

    return act


def presses(*names: str) -> Act:
    def act(canvas: Canvas) -> None:
        for name in names:
            canvas.page.get_by_role("button", name=name, exact=True).click()

    return act


def writes_relation(j: int, k: int, value: str) -> Act:
    def act(canvas: Canvas) -> None:
        cell = canvas.page.locator(f'.relation input[data-j="{j}"][data-k="{k}"]')
        cell.fill(value)
        cell.press("Enter")

    return act


def splits(canvas: Canvas) -> None:
    canvas.page.get_by_text("Split the tie by clustering", exact=True).click()


# What each step asks for, done as its text says: by the mouse, the boxes and the sliders.
RIGHTLY: dict[str, list[list[Act]]] = {
    "transduction": [
        [labels((95, 0), (226, 1))],
        [labels((20, 0), (170, 1))],
        [slides("sigma", "0.5")],
        [erases(110)],
    ],
    "smoothness": [
        [drags("gamma", 0.75)],
        [slides("gamma", "100000")],
        [slides("gamma", "100000")],
        [drags("p.noise", 1.0)],
    ],
    "balance": [
        [labels((170, 1))],
        [slides("balance", "1")],
        [slides("balance", "0.1")],
        [labels((1, 0))],
    ],
    "volume": [[chooses("Left", "MAVR")], [slides("gamma", "100")], [labels((54, 1))]],
    "alpha": [
        [slides("tau", "0.3")],
        [slides("tau", "100")],
        [slides("tau", "10000")],
        [slides("tau", "1000")],
    ],
    "classes-without-labels": [
        [presses("Classes unrelated (P = I)", "P1 of the paper")],
        [presses("P1 of the paper", "P3 of the paper")],
        [chooses("Left", "MAVR"), slides("balance", "1")],
        [presses("Own matrix", "P4 of the paper")],
    ],
    "ties": [
        [labels((60, 1))],
        [splits],
        [writes_relation(2, 2, "2.5")],
        [slides("k", "8")],
    ],
    "digits": [
        [slides("balance", "1")],
        [presses("Restore given labels")],
        [chooses("Left", "MAVR")],
    ],
}


@pytest.mark.parametrize("name", RIGHTLY)
@pytest.mark.thorough
def test_a_lesson_is_walked_rightly(visitor, app_url, name):
    """Each step is noticed as done when, and only when, what it asks for is done."""
    visitor.goto(f"{app_url}/lessons?lesson={name}&step=1")
    n = len(ours()[name].steps)
    assert len(RIGHTLY[name]) == n
    for k, acts in enumerate(RIGHTLY[name]):
        canvas = board_of_step(visitor, name, k, n)
        onward = visitor.get_by_role("button", name="Next step" if k + 1 < n else "Finish")
        expect(onward).to_have_count(0)
        for act in acts:
            act(canvas)
            settled(visitor)
        onward.wait_for()
        onward.click()
    expect(visitor.get_by_text(f"{n} of {n} steps")).to_be_visible()


def test_a_step_is_done_by_hand(visitor, app_url):
    visitor.goto(f"{app_url}/lessons?lesson=transduction&step=1")
    canvas = Canvas(visitor)
    canvas.click(95)
    expect(visitor.get_by_role("button", name="Next step")).to_have_count(0)
    canvas.choose(1)
    canvas.click(226)
    expect(visitor.get_by_text("Two labels from you, 298 answers")).to_be_visible()
    visitor.get_by_role("button", name="Next step").click()
    expect(visitor.get_by_text("step 2 of 4")).to_be_visible()
    visitor.wait_for_url("**step=2**")
    visitor.go_back()
    expect(visitor.get_by_text("step 1 of 4")).to_be_visible()


def test_a_lesson_of_ones_own_and_a_bad_one(visitor, app_url, tmp_path):
    (tmp_path / "good.md").write_text(OWN, encoding="utf-8")
    (tmp_path / "bad.md").write_text(OWN.replace("labels 1", "be-happy"), encoding="utf-8")
    visitor.goto(f"{app_url}/lessons")
    visitor.get_by_text("A lesson of your own").click()
    load = visitor.locator('[data-testid="stFileUploader"] input')
    load.set_input_files(tmp_path / "bad.md")
    expect(visitor.get_by_text("Line 7: There is no check 'be-happy'")).to_be_visible()
    load.set_input_files(tmp_path / "good.md")
    expect(visitor.get_by_text("step 1 of 1")).to_be_visible()
    Canvas(visitor).click(10)
    visitor.get_by_role("button", name="Finish").click()
    expect(visitor.get_by_text("1 of 1 steps")).to_be_visible()


def test_a_lesson_link_shows_note_board_and_its_control_only(visitor, app_url):
    visitor.goto(f"{app_url}/{LINK}")
    canvas = Canvas(visitor)
    expect(visitor.get_by_text("Find <b>a</b> *τ*")).to_be_visible()
    expect(visitor.get_by_text("Response size τ")).to_have_count(1)
    expect(visitor.get_by_text("Smoothness γ")).to_have_count(0)
    expect(visitor.locator('[data-testid="stSidebar"] input')).to_have_count(0)
    assert len(canvas.labels()) == 3
    visitor.get_by_role("button", name="Open the full page").click()
    expect(visitor.get_by_text("Smoothness γ")).to_be_visible()
    expect(visitor.get_by_text("Find <b>a</b>")).to_have_count(0)
    visitor.wait_for_url(lambda url: "note" not in url)


def test_without_controls_and_note_the_board_has_the_whole_width(visitor, app_url):
    visitor.goto(f"{app_url}/{VIEW}&keep=")
    Canvas(visitor)
    settled(visitor)
    box = visitor.locator(".board").bounding_box()
    assert box is not None
    assert box["x"] < 60


def test_the_dialog_makes_the_link(visitor, app_url):
    visitor.goto(f"{app_url}/serendipity")
    Canvas(visitor)
    settled(visitor)
    visitor.get_by_role("button", name="Lesson link").click()
    visitor.get_by_label("Note").fill("Look at ring 4.")
    visitor.keyboard.press("Control+Enter")
    link = visitor.get_by_role("dialog").locator("code").first
    expect(link).to_contain_text("note=Look+at+ring+4.")
    expect(link).to_contain_text("/serendipity?data=rings")


def test_a_lesson_link_of_the_map(visitor, app_url):
    """Made by the dialog, opened, used, and left for the full page."""
    visitor.goto(f"{app_url}/map?data=three_circles&p.n=60&seed=3")
    visitor.locator(".map .base").wait_for()
    settled(visitor)
    visitor.get_by_role("button", name="Lesson link").click()
    # By keys: under a mouse the list may still move while the dialog opens.
    controls = visitor.get_by_role("combobox", name="Controls that stay")
    controls.fill("Colour")
    expect(visitor.get_by_role("option", name="Colour")).to_be_visible()
    controls.press("Enter")
    dialog = visitor.get_by_role("dialog")
    expect(dialog.get_by_test_id("stMultiSelectTagsContainer")).to_contain_text("Colour")
    visitor.get_by_label("Note").fill("Where is the error lowest?")
    visitor.keyboard.press("Control+Enter")
    link = visitor.get_by_role("dialog").locator("code").first
    expect(link).to_contain_text("keep=colour&note=Where")
    visitor.goto(link.inner_text())
    expect(visitor.get_by_text("Where is the error lowest?")).to_be_visible()
    expect(visitor.get_by_test_id("stSelectbox")).to_have_count(2)
    expect(visitor.locator('[data-testid="stSidebar"] input')).to_have_count(0)
    a_map = visitor.locator(".map")
    a_map.locator(".base").wait_for()
    visitor.wait_for_function("e => e.mavr?.s?.codes", arg=a_map.element_handle())
    a_map.locator(".frame").click(position={"x": 300, "y": 200})
    visitor.wait_for_url(lambda url: "gamma=" in url and "keep=colour" in url)
    visitor.get_by_role("button", name="Open the full page").click()
    expect(visitor.get_by_text("Smoothness γ").first).to_be_visible()
    expect(visitor.get_by_text("Where is the error lowest?")).to_have_count(0)
    visitor.wait_for_url(lambda url: "note" not in url and "gamma=" in url)


def test_the_first_steps_are_seen_once(visitor, app_url):
    visitor.goto(app_url)
    Canvas(visitor)
    steps = visitor.get_by_text("Drag γ")
    expect(steps).to_be_visible()
    visitor.reload()
    Canvas(visitor)
    expect(steps).to_be_visible()
    visitor.get_by_role("button", name="Close the first steps").click()
    expect(steps).to_be_hidden()
    visitor.reload()
    Canvas(visitor)
    expect(steps).to_be_hidden()
    later = visitor.context.new_page()
    later.goto(app_url)
    Canvas(later)
    expect(later.get_by_text("Drag γ")).to_be_hidden()
