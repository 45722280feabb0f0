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


def test_what_is_typed_is_taken_or_refused_in_words(canvas):
    row = canvas.page.locator('.slider[data-link="gamma"]')
    text, why = row.locator("input[type=text]"), row.locator(".why")
    for typed, said in (
        ("abc", "must be"), ("0x10", "must be"), ("1,000", "write 1000 or 1.000"),
    ):  # fmt: skip
        canvas.exact("gamma", typed)
        expect(why).to_contain_text(said)
        expect(text).to_have_attribute("aria-invalid", "true")
    # The value that it has is as good as any other.
    canvas.exact("gamma", "99")
    expect(why).to_have_text("")
    expect(text).to_have_attribute("aria-invalid", "false")
    text.fill("5")
    text.press("Escape")
    assert text.input_value() == "99"
    canvas.exact("gamma", "1,5")
    expect(canvas.page).to_have_url(re.compile("gamma=1.5"))
    # After a reset by the keyboard one goes on where one was.
    row.get_by_role("button", name="Reset").press("Enter")
    expect(canvas.slider("gamma")).to_be_focused()


def test_a_wheel_moves_as_far_as_it_is_turned(canvas):
    slider = canvas.slider("gamma")
    slider.focus()
    before = int(slider.input_value())
    turn = "(e, d) => e.dispatchEvent(new WheelEvent('wheel', { deltaY: d, cancelable: true }))"
    for _ in range(8):
        slider.evaluate(turn, -4)
    assert int(slider.input_value()) == before + 2
    slider.evaluate(turn, -100)
    assert int(slider.input_value()) == before + 8
    canvas.rest()


def relation(canvas: Canvas, j: int, k: int):
    return canvas.page.locator(f'.relation input[data-j="{j}"][data-k="{k}"]')


def pull(canvas: Canvas, cell, *pixels: int) -> None:
    """Drag a number of P sideways, in jumps."""
    cell.scroll_into_view_if_needed()
    box, mouse = cell.bounding_box(), canvas.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    for to in pixels:
        mouse.move(x + to, y)


def test_p_stops_at_its_bound_however_quick_the_hand_is(canvas):
    page, cell, why = canvas.page, relation(canvas, 0, 1), canvas.page.locator(".relation .why")
    for pixels, bound in (((-400,), "-0.99"), ((600,), "0.99"), ((-30, -66, -500), "-0.99")):
        pull(canvas, cell, *pixels)
        assert cell.input_value() == bound
        expect(why).to_contain_text("further is not possible")
        page.mouse.up()
        # Said for a while after the hand is gone.
        page.wait_for_url(lambda url, bound=bound: f"{bound}" in url)
        expect(why).to_contain_text("further is not possible")
    canvas.rest()


def test_a_draft_is_dragged_to_where_it_can_be_used(canvas):
    page, cell = canvas.page, relation(canvas, 0, 1)
    cell.fill("5")
    cell.press("Enter")
    page.get_by_text("This P is not positive definite").first.wait_for()
    pull(canvas, cell, -100, -450)
    assert cell.input_value() == "0.5"
    page.mouse.up()
    page.wait_for_url(lambda url: "P=" in url and "0.5" in url)
    expect(page.get_by_text("This P is not positive definite")).to_have_count(0)
    # The right button is not for dragging.
    box = cell.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down(button="right")
    page.mouse.move(box["x"] + 90, box["y"] + 9)
    page.mouse.up(button="right")
    assert cell.input_value() == "0.5"
    page.keyboard.press("Escape")


def test_one_tabs_through_p_while_it_is_answered(canvas):
    first, second = relation(canvas, 0, 1), relation(canvas, 0, 2)
    first.fill("0.25")
    step = canvas.step()
    first.press("Tab")
    canvas.wait_for_step(step)
    canvas.rest()
    expect(second).to_be_focused()
    second.press_sequentially("0.125")
    second.press("Enter")
    canvas.page.wait_for_url(lambda url: "0.25" in url and "0.125" in url)
    canvas.rest()


def test_escape_gives_a_dragged_point_up(canvas):
    page, before = canvas.page, canvas.points()
    canvas.tool("paint")
    i = canvas.alone()
    x, y = canvas.pixel(i)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=8)
    page.wait_for_function("() => window.__mavrLive.board.preview")
    page.wait_for_function(
        "([i, x]) => Math.abs(window.__mavrLive.board.scene.X[2 * i] - x) > 1e-3",
        arg=[i, before[2 * i]],
    )
    page.keyboard.press("Escape")
    assert canvas.points() == before
    page.mouse.up()
    page.wait_for_timeout(400)
    assert canvas.points() == before
    assert canvas.state("board.pending.length") == 0
    # The ring and the words around a point go with the keyboard.
    page.keyboard.press("ArrowRight")
    expect(page.locator(".board .tip")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(".board .tip")).to_be_hidden()


def test_a_point_that_is_held_is_answered_when_the_socket_is_back(canvas):
    page = canvas.page
    canvas.tool("paint")
    x, y = canvas.pixel(canvas.alone())
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 20, steps=5)
    page.evaluate("window.__mavrLive.socket.close()")
    page.wait_for_function("() => window.__mavrLive.board.root.dataset.live === 'closed'")
    shown = canvas.state("Number(board.root.dataset.shown)")
    page.mouse.move(x + 40, y + 30, steps=5)
    # The hand is still from here on.
    canvas.wait_live()
    page.wait_for_function("n => window.__mavrLive.board.root.dataset.shown > n", arg=shown)
    page.mouse.up()
    canvas.rest()


def test_a_lost_socket_is_dialled_again_in_the_middle_of_a_drag(canvas):
    page, slider = canvas.page, canvas.slider("gamma")
    slider.scroll_into_view_if_needed()
    box, step = slider.bounding_box(), canvas.step()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    canvas.rest()
    step = canvas.step()
    page.evaluate("window.__mavrLive.socket.close()")
    page.wait_for_function("() => window.__mavrLive.board.root.dataset.live === 'closed'")
    canvas.wait_live()
    assert canvas.step() == step
    page.mouse.up()


def test_nothing_moves_sideways_or_up_while_settings_change(canvas):
    def places() -> list[float]:
        heads = canvas.page.locator(".board .numbers th")
        right = heads.evaluate_all("all => all.map((e) => e.getBoundingClientRect().right)")
        return [canvas.root.bounding_box()["y"], *right]

    before, step = places(), canvas.step()
    canvas.exact("gamma", "0.01")
    canvas.wait_for_step(step)
    assert places() == before
    step = canvas.step()
    canvas.exact("p.noise", "0.6")
    canvas.wait_for_step(step)
    canvas.rest()
    assert places() == before
    heads = canvas.page.locator(".board .heads .big").all_inner_texts()[1:]
    assert heads == canvas.page.locator('.board td[data-number="wrong"]').all_inner_texts()
