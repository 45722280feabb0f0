"""Sweeps of a setting over its range, and the films of them."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.canvas_driver import Canvas


@pytest.fixture
def canvas(open_page) -> Canvas:
    canvas = Canvas(open_page(""))
    canvas.wait_live()
    return canvas


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


def film(canvas: Canvas, link: str, **click):
    """A film of a sweep of a setting at four times its speed, in bytes, and its name."""
    page, row = canvas.page, canvas.page.locator(f'.slider[data-link="{link}"]')
    row.get_by_role("button", name="Play").click()
    for _ in range(2):
        row.get_by_role("button", name="Speed of the sweep").click()
    with page.expect_download() as download:
        row.get_by_role("button", name="Save one sweep as a film").click(**click)
    row.get_by_role("button", name="Play").click()
    return download.value.path().read_bytes(), download.value.suggested_filename


def test_a_film_has_the_whole_sweep_there_and_back(canvas):
    values = "window.__mavrLive.changes.gamma?.text"
    canvas.watch(values)
    data, name = film(canvas, "gamma", modifiers=["Shift"])
    assert name == "mavr-lab-gamma.png"
    with Image.open(io.BytesIO(data)) as picture:
        assert (picture.n_frames, picture.info["loop"]) == (24, 0)
        frames = []
        for k in range(24):
            picture.seek(k)
            assert picture.info["duration"] == 125
            frames.append(np.asarray(picture.convert("RGB")))
    # Every picture is another setting on the way there, and comes again on the way back.
    assert len({f.tobytes() for f in frames[:13]}) == 13
    for k in range(1, 12):
        assert (frames[k] == frames[24 - k]).all()
    seen = {float(v) for v in canvas.seen() if v}
    assert {1e-3, 1e9} <= seen


def test_a_second_click_gives_a_film_up(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    saved = []
    page.on("download", lambda file: saved.append(file))
    button = canvas.begin_film("gamma")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    # The sweep goes on.
    canvas.watch("board.scene.results[0].H[3]")
    page.wait_for_function("() => new Set(window.__seen).size >= 3")
    row.get_by_role("button", name="Play").click()
    canvas.rest()
    assert not saved


def test_a_film_that_cannot_be_made_is_said_and_the_setting_is_as_before(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    page.evaluate(
        "() => { HTMLCanvasElement.prototype.toBlob = () => { throw Error('no room'); }; }"
    )
    row.get_by_role("button", name="Play").click()
    row.get_by_role("button", name="Save one sweep as a film").click()
    expect(row.locator(".why")).to_have_text("The film could not be made: no room.")
    expect(row.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
    canvas.rest()
    page.reload()
    again = Canvas(page)
    again.wait_live()
    # Another film, in a window that has room.
    button = again.begin_film("gamma")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    row.get_by_role("button", name="Play").click()


@pytest.mark.thorough
def test_a_film_is_played_as_long_as_its_sweep(canvas):
    data, name = film(canvas, "gamma")
    assert name == "mavr-lab-gamma.webm"
    assert data.startswith(b"\x1a\x45\xdf\xa3")
    seen = canvas.page.evaluate(
        """async (bytes) => {
          const video = document.createElement("video");
          video.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)]));
          video.muted = true;
          await new Promise((done, bad) => { video.onloadeddata = done; video.onerror = bad; });
          const { videoWidth: w, videoHeight: h } = video, frames = new Set();
          const g = new OffscreenCanvas(w, h).getContext("2d");
          const to = async (seconds) => {
            video.currentTime = seconds;
            await new Promise((done) => { video.onseeked = done; });
          };
          // A film that was recorded does not know its length until its end was sought.
          await to(1e9);
          const length = video.currentTime;
          for (let k = 0; k < 24; k++) {
            await to((k / 24) * length);
            g.drawImage(video, 0, 0);
            frames.add(g.getImageData(0, 0, w, h).data.reduce((a, b) => (31 * a + b) | 0, 0));
          }
          return { w, length, frames: frames.size };
        }""",
        list(data),
    )
    assert seen["w"] > 800
    # Four times as fast as twelve seconds.
    assert 2.7 < seen["length"] < 3.8
    assert seen["frames"] > 15


def test_where_only_the_script_answers_a_sweep_shows_its_pictures(open_page):
    canvas = Canvas(open_page("?data=three_circles&p.n=1000"))
    canvas.wait_live()
    page, row = canvas.page, canvas.page.locator('.slider[data-link="sigma"]')
    canvas.watch("board.scene.results[0].H[3]")
    row.get_by_role("button", name="Play").click()
    # And a mark says why they are few.
    expect(row.locator(".rests")).to_be_visible()
    page.wait_for_function("() => new Set(window.__seen).size >= 4")
    expect(row.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "true")
    row.get_by_role("button", name="Play").click()
    canvas.rest()


def test_a_sweep_waits_under_the_hand_and_ends_when_one_types(canvas):
    page, row = canvas.page, canvas.page.locator('.slider[data-link="gamma"]')
    play, slider, text = (
        row.get_by_role("button", name="Play"),
        canvas.slider("gamma"),
        row.locator("input[type=text]"),
    )
    height = row.bounding_box()["height"]
    play.click()
    assert row.bounding_box()["height"] == height
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    held = slider.input_value()
    page.wait_for_timeout(400)
    assert slider.input_value() == held
    page.mouse.up()
    page.wait_for_function("([e, held]) => e.value !== held", arg=[slider.element_handle(), held])
    text.press_sequentially("7")
    expect(play).to_have_attribute("aria-pressed", "false")
    text.fill("123456")
    text.press("Enter")
    canvas.rest()
    expect(page).to_have_url(re.compile("gamma=123456"))
    text.focus()
    assert text.input_value() == "123456"
