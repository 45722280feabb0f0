"""The live channel in a real browser: the picture moves with the hand, and nothing hangs on it."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, expect

from lab.board.scene import COARSE_GRID, GRID
from tests.browser.canvas_driver import Canvas


@pytest.fixture
def canvas(open_page) -> Canvas:
    canvas = Canvas(open_page(""))
    canvas.wait_live()
    return canvas


def test_a_drag_is_painted_many_times_before_the_mouse_is_released(canvas, context):
    page, slider = canvas.page, canvas.slider("gamma")
    slider.scroll_into_view_if_needed()
    box, now = slider.bounding_box(), float(slider.input_value()) / 600
    step, address = canvas.step(), page.url
    left, width, y = box["x"] + 8, box["width"] - 16, box["y"] + box["height"] / 2
    page.mouse.move(left + now * width, y)
    canvas.watch("[board.scene.gridShape[0], board.scene.results[0].H[3]].join()")
    page.mouse.down()
    canvas.sway([(left + (now - 0.006 * k) * width, y) for k in range(40)], pictures=8)
    # The channel answered; on a busy machine the script may have been heard of between moves.
    assert page.evaluate("window.__mavrLive.seq") >= 8
    # Coarse shades while the hand moves, fine ones when it rests.
    assert any(seen.startswith(f"{COARSE_GRID},") for seen in canvas.seen())
    page.mouse.move(left + (now - 0.2) * width, y)
    page.mouse.up()
    canvas.wait_for_step(step)
    canvas.rest()
    expect(page).not_to_have_url(address)
    assert canvas.state("board.scene.gridShape") == [GRID, GRID]
    assert canvas.everything() == canvas.opened_by_link(context)


def pressed(canvas: Canvas, i: int) -> int:
    """Press a point and wait until its answer is there, not shown; the message's number."""
    canvas.page.mouse.move(*canvas.pixel(i))
    canvas.page.mouse.down()
    canvas.page.wait_for_function(
        "e => e.mavr.board.foretold?.answer", arg=canvas.surface.element_handle()
    )
    return canvas.page.evaluate("window.__mavrLive.seq")


def test_a_press_is_answered_before_it_is_released(canvas, context):
    free = next(i for i, j in enumerate(canvas.state("Array.from(board.given)")) if j < 0)
    before, shown = canvas.labels(), canvas.shown()
    asked = pressed(canvas, free)
    assert canvas.labels() == before
    assert canvas.shown() == shown
    # At the release nothing is left to ask: the very next thing is the picture.
    step = canvas.step()
    canvas.page.mouse.up()
    assert canvas.page.evaluate("window.__mavrLive.seq") == asked
    assert canvas.labels() == {**before, free: 0}
    canvas.wait_for_step(step)
    canvas.rest()
    assert canvas.labels() == {**before, free: 0}
    assert canvas.everything() == canvas.opened_by_link(context)


def test_a_press_that_becomes_a_box_is_no_click(canvas):
    free = next(i for i, j in enumerate(canvas.state("Array.from(board.given)")) if j < 0)
    before = canvas.labels()
    pressed(canvas, free)
    x, y = canvas.pixel(free)
    canvas.page.mouse.move(x + 1, y + 9)
    assert canvas.state("board.drag.kind") == "box"
    assert canvas.state("board.foretold") is None
    assert canvas.labels() == before
    canvas.page.mouse.up()


def edit(canvas: Canvas, rng: random.Random) -> None:
    j, k = rng.choice([(0, 1), (0, 2), (1, 2)])
    cell = canvas.page.locator(f'.relation input[data-j="{j}"][data-k="{k}"]')
    cell.fill(rng.choice(["0.25", "-0.25", "1/3", "0"]))
    cell.press("Enter")


def click(canvas: Canvas, rng: random.Random) -> None:
    canvas.choose(rng.randrange(3))
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(canvas.state("board.scene.n"))
        # Some presses are long enough to be answered before they are released.
        canvas.page.mouse.click(
            *canvas.pixel(i, rng.randrange(3)), delay=rng.choice([0, 0, 30, 90])
        )


def undo(canvas: Canvas, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 3)):
        # Where the button is, pressed whether or not there is anything left to undo.
        box = canvas.page.locator('.board button[data-do="undo"]').bounding_box()
        canvas.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def drag(link: str):
    def gesture(canvas: Canvas, rng: random.Random) -> None:
        canvas.slide(link, *(rng.uniform(0.2, 0.8) for _ in range(rng.randint(1, 3))))

    return gesture


GESTURES = [click, click, undo, edit, *map(drag, ("gamma", "tau", "balance", "sigma"))]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_any_gestures_the_page_is_that_of_its_link(canvas, context, seed):
    """Gestures follow each other without a pause: some meet the script, some the channel."""
    rng = random.Random(seed)
    for _ in range(9):
        rng.choice(GESTURES)(canvas, rng)
        if rng.random() < 0.3:
            canvas.page.wait_for_timeout(rng.choice([100, 300, 600]))
    canvas.rest()
    assert canvas.everything() == canvas.opened_by_link(context)


def test_p_follows_the_hand_and_stops_where_it_must(canvas):
    page: Page = canvas.page
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.scroll_into_view_if_needed()
    box, step = cell.bounding_box(), canvas.step()
    canvas.watch("board.scene.results[0].H[3]")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    canvas.sway([(x + 2 * k, y) for k in range(1, 40)], pictures=5)
    page.mouse.move(x + 180, y, steps=5)
    assert canvas.step() == step
    expect(page.locator(".relation .why")).to_contain_text("positive definite")
    page.mouse.up()
    page.wait_for_url(lambda url: "P=" in url)
    expect(page.get_by_text("This P is not positive definite")).to_have_count(0)
    canvas.rest()


def test_ten_quick_clicks_are_kept_beside_a_drag(canvas):
    """Quicker than any answer, with a drag in the middle."""
    before = len(canvas.labels())
    targets = [canvas.pixel(i) for i in canvas.unlabelled()[::23][:10]]
    for k, (x, y) in enumerate(targets):
        canvas.page.mouse.click(x, y)
        if k == 4:
            canvas.slide("gamma", 0.4)
    canvas.rest()
    assert len(canvas.labels()) == before + 10
    expect(canvas.page).to_have_url(re.compile("gamma="))


def test_a_sweep_plays_is_scrubbed_and_paused(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    canvas.watch("board.scene.results[0].H[3]")
    row.get_by_role("button", name="Play").click()
    page.wait_for_function("() => new Set(window.__seen).size >= 6")
    row.get_by_role("button", name="Speed of the sweep").click()
    expect(row.get_by_role("button", name="Speed of the sweep")).to_have_text("2×")
    # The slider is the scrubber: the sweep goes on from where the hand puts it.
    slider = canvas.slider("gamma")
    far, seconds = slider.evaluate(
        """async (e) => {
          const began = performance.now();
          e.value = 120;
          e.dispatchEvent(new Event("input"));
          while (Number(e.value) === 120) await new Promise(requestAnimationFrame);
          return [Math.abs(Number(e.value) - 120), (performance.now() - began) / 1000];
        }"""
    )
    # 600 places there and 600 back in 6 s.
    assert 0 < far < 200 * (seconds + 0.05)
    row.get_by_role("button", name="Play").click()
    canvas.rest()
    held = slider.input_value()
    page.wait_for_timeout(300)
    assert slider.input_value() == held
    expect(page).to_have_url(re.compile("gamma="))


def test_pictures_cross_fade_only_where_motion_is_welcome(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    for motion, fades in (("reduce", False), ("no-preference", True)):
        page.emulate_media(reduced_motion=motion)
        row.get_by_role("button", name="Play").click()
        assert page.evaluate("window.__mavrLive.fades") is fades
        row.get_by_role("button", name="Play").click()
        assert page.evaluate("window.__mavrLive.fades") is False
    page.emulate_media(reduced_motion=None)
    canvas.rest()


@pytest.mark.thorough
def test_a_sweep_is_saved_as_a_film(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    row.get_by_role("button", name="Play").click()
    row.get_by_role("button", name="Save one sweep as a film").click()
    page.wait_for_timeout(2000)
    with page.expect_download() as download:
        row.get_by_role("button", name="Play").click()
    assert download.value.suggested_filename == "mavr-lab-gamma.webm"
    film = download.value.path().read_bytes()
    assert film.startswith(b"\x1a\x45\xdf\xa3")
    # It can be played, and its frames differ.
    seen = page.evaluate(
        """async (bytes) => {
          const video = document.createElement("video");
          video.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)]));
          video.muted = true;
          await new Promise((done, bad) => { video.onloadeddata = done; video.onerror = bad; });
          const { videoWidth: w, videoHeight: h } = video, frames = new Set();
          const g = new OffscreenCanvas(w, h).getContext("2d");
          await video.play();
          const end = performance.now() + 1500;
          while (performance.now() < end) {
            await new Promise(requestAnimationFrame);
            g.drawImage(video, 0, 0);
            frames.add(g.getImageData(0, 0, w, h).data.reduce((a, b) => (31 * a + b) | 0, 0));
          }
          return { w, h, frames: frames.size };
        }""",
        list(film),
    )
    assert seen["w"] > 800
    assert seen["frames"] > 3
