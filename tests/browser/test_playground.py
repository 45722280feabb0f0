"""The Playground in a real browser: every way to label, both methods answering."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.canvas_driver import Canvas


@pytest.fixture
def canvas(open_page) -> Canvas:
    return Canvas(open_page(""))


def test_a_click_labels_and_a_second_click_erases(canvas):
    before = canvas.labels()
    i = canvas.alone()
    canvas.choose(1)
    canvas.click(i)
    assert canvas.labels() == before | {i: 1}
    assert canvas.predictions(0)[i] == canvas.predictions(1)[i] == 1
    canvas.click(i)
    assert canvas.labels() == before


def test_a_click_in_a_result_panel_labels_too_and_a_right_click_clears(canvas):
    before = canvas.labels()
    i = canvas.alone()
    canvas.choose(2)
    canvas.click(i, panel=2)
    assert canvas.labels() == before | {i: 2}
    canvas.click(i, panel=1, button="right")
    assert canvas.labels() == before


def test_both_methods_answer_a_new_label(canvas):
    left, right = canvas.predictions(0), canvas.predictions(1)
    wrong = [i for i, f in enumerate(canvas.flags(1)) if f & 4]
    canvas.choose(2)
    canvas.click(wrong[0])
    assert canvas.predictions(0) != left
    assert canvas.predictions(1) != right


def test_a_box_labels_what_it_encloses(canvas):
    canvas.tool("box")
    canvas.choose(0)
    corner = canvas.state("[board.panels[0].x, board.panels[0].y]")
    box = canvas.surface.bounding_box()
    a = (box["x"] + corner[0] + 4, box["y"] + corner[1] + 4)
    far = (a[0] + 90, a[1] + 110)
    inside = {
        i for i, (x, y) in enumerate(canvas.pixels()) if a[0] <= x <= far[0] and a[1] <= y <= far[1]
    }
    assert inside
    canvas.drag(a, far)
    labels = canvas.labels()
    assert {i for i, j in labels.items() if j == 0} >= inside


def test_a_lasso_labels_what_it_encloses(canvas):
    i = canvas.alone()
    x, y = canvas.pixel(i)
    canvas.tool("lasso")
    canvas.choose(2)
    canvas.drag((x - 7, y - 7), (x + 7, y - 7), (x + 7, y + 7), (x - 7, y + 7), (x - 7, y - 6))
    assert canvas.labels()[i] == 2


def test_the_eraser_clears(canvas):
    i, _ = next(iter(canvas.labels().items()))
    canvas.tool("erase")
    canvas.click(i)
    assert i not in canvas.labels()


def test_undo_and_redo_by_key_and_by_button(canvas):
    before = canvas.labels()
    i = canvas.alone()
    canvas.click(i)
    after = canvas.labels()
    canvas.page.keyboard.press("Control+z")
    canvas.settle()
    assert canvas.labels() == before
    canvas.page.keyboard.press("Control+Shift+z")
    canvas.settle()
    assert canvas.labels() == after
    canvas.page.locator('.board button[data-do="undo"]').click()
    canvas.settle()
    assert canvas.labels() == before


def test_the_keyboard_alone_labels(canvas):
    canvas.page.locator(".board .stage").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "2", "Enter"):
        canvas.page.keyboard.press(key)
    canvas.settle()
    i = canvas.state("board.cursor")
    assert canvas.labels()[i] == 1
    said = canvas.page.locator(".board .spoken")
    expect(said).to_have_text(
        re.compile(r"^MAVR \d+\.\d % wrong; LGC .*; \d+ of 300 points differ\.$")
    )
    canvas.page.keyboard.press("ArrowRight")
    expect(said).to_have_text(re.compile(r"^Point \d+ [^\d]*; MAVR: \w+; LGC: \w+$"))
    canvas.page.locator('.board [data-class="1"]').focus()
    canvas.page.keyboard.press("ArrowRight")
    chosen = canvas.page.locator('.board [data-class="2"]')
    expect(chosen).to_be_focused()
    expect(chosen).to_have_attribute("aria-checked", "true")


def test_ten_quick_clicks_are_all_kept(canvas):
    points = canvas.unlabelled()[::23][:10]
    targets = [canvas.pixel(i) for i in points]
    before = len(canvas.labels())
    hit = set()
    for x, y in targets:
        canvas.page.mouse.click(x, y)
        canvas.page.wait_for_timeout(60)
    canvas.settle()
    hit = len(canvas.labels()) - before
    assert hit == 10


def test_zoom_is_kept_across_clicks_and_shared_by_the_panels(canvas):
    i = canvas.alone()
    x, y = canvas.pixel(i)
    canvas.page.locator(".board .stage").focus()
    canvas.page.mouse.move(x, y)
    canvas.page.mouse.wheel(0, -500)
    scale = canvas.state("board.camera.scale / board.home.scale")
    assert scale > 1.5
    canvas.click(i)
    assert canvas.state("board.camera.scale / board.home.scale") == pytest.approx(scale)
    left, right = canvas.pixel(i, 0), canvas.pixel(i, 1)
    offset = canvas.state("board.panels[1].x - board.panels[0].x")
    assert right[0] - left[0] == pytest.approx(offset)
    assert right[1] == pytest.approx(left[1])


def test_the_wheel_scrolls_the_page_unless_ctrl_is_held_or_the_board_has_the_focus(canvas):
    page = canvas.page
    page.set_viewport_size({"width": 1440, "height": 500})
    main = page.get_by_test_id("stMain")
    page.mouse.move(*canvas.pixel(0, 1))
    scrolled = main.evaluate("e => e.scrollTop")
    page.mouse.wheel(0, 60)
    page.wait_for_function(
        "([e, from]) => e.scrollTop > from", arg=[main.element_handle(), scrolled]
    )
    assert canvas.state("board.camera.scale / board.home.scale") == 1
    page.mouse.move(*canvas.pixel(0, 1))
    scrolled = main.evaluate("e => e.scrollTop")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    zoomed = "e => e.mavr.board.camera.scale / e.mavr.board.home.scale"
    page.wait_for_function(f"e => ({zoomed})(e) > 1.05", arg=canvas.surface.element_handle())
    scale = canvas.state("board.camera.scale / board.home.scale")
    page.locator(".board .stage").focus()
    page.mouse.wheel(0, -120)
    page.wait_for_function(
        f"([e, s]) => ({zoomed})(e) > 1.05 * s", arg=[canvas.surface.element_handle(), scale]
    )
    assert main.evaluate("e => e.scrollTop") == scrolled


def test_undo_leads_back_over_p_and_sliders(canvas):
    page = canvas.page
    first = canvas.everything()
    i = canvas.alone()
    canvas.click(i)
    canvas.rest()
    canvas.exact("gamma", "5")
    page.wait_for_url(re.compile("gamma=5"))
    cell = page.locator('.relation input[data-j="1"][data-k="2"]')
    cell.fill("1/2")
    cell.press("Enter")
    page.wait_for_url(re.compile("P="))
    undo = page.locator('.board button[data-do="undo"]')
    undo.click()
    page.wait_for_url(re.compile(r"^(?!.*P=)"))
    expect(page.locator('.relation input[data-j="1"][data-k="2"]')).to_have_value("0")
    expect(page.locator('.slider[data-link="gamma"] input[type="text"]')).to_have_value("5")
    undo.click()
    page.wait_for_url(re.compile(r"^(?!.*gamma=)"))
    expect(page.locator('.slider[data-link="gamma"] input[type="text"]')).to_have_value("99")
    undo.click()
    canvas.rest()
    assert canvas.labels().get(i) is None
    assert canvas.everything() == first
    expect(undo).to_be_disabled()


def test_a_finger_does_what_the_guide_says(browser: Browser, app_url):
    """One finger labels by tap and box, and moves the picture with its tool; a tap takes back."""
    context = browser.new_context(viewport={"width": 800, "height": 1100}, has_touch=True)
    page = context.new_page()
    page.goto(f"{app_url}/?data=three_circles&seed=43&labels=2.0")
    canvas, hand = Canvas(page), context.new_cdp_session(page)

    def drag(start: tuple[float, float], by: tuple[float, float]) -> None:
        for k in range(9):
            at = {"x": start[0] + by[0] * k / 8, "y": start[1] + by[1] * k / 8}
            kind = "touchMove" if k else "touchStart"
            hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
        hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        canvas.settle()
        page.wait_for_timeout(600)  # Chromium takes a tap right after a drag for a part of it

    i = canvas.alone()
    for count in (2, 1):
        page.touchscreen.tap(*canvas.pixel(i))
        expect(canvas.root).to_contain_text(f"{count} of 300 points")
        canvas.settle()
        assert len(canvas.labels()) == count
    page.locator('.board [data-tool="hand"]').tap()
    before, (x, y) = canvas.state("board.camera.x"), canvas.pixel(i)
    drag((x, y), (60, 0))
    assert canvas.state("board.camera.x") != before
    assert len(canvas.labels()) == 1
    page.locator('.board [data-tool="box"]').tap()
    x, y = canvas.pixel(i)
    drag((x - 30, y - 30), (60, 60))
    assert i in canvas.labels()
    context.close()


def test_touch_labels_at_the_first_tap(browser: Browser, app_url):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(app_url)
    canvas = Canvas(page)
    i = canvas.alone()
    page.touchscreen.tap(*canvas.pixel(i))
    page.wait_for_timeout(100)
    canvas.settle()
    assert canvas.labels()[i] == 0
    # What was tapped and both answers are seen on one screen, each with the same point.
    assert canvas.surface.bounding_box()["height"] < 600
    i = canvas.alone()
    page.touchscreen.tap(*canvas.pixel(i, 2))
    canvas.settle()
    assert canvas.labels()[i] == 0
    context.close()


def test_the_view_is_reset_and_its_link_copied_by_button(canvas):
    canvas.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    canvas.page.locator(".board .stage").focus()
    canvas.page.keyboard.press("+")
    assert canvas.state("board.camera.scale / board.home.scale") > 1.1
    canvas.page.locator('.board button[data-do="home"]').click()
    assert canvas.state("board.camera.scale / board.home.scale") == pytest.approx(1)
    canvas.page.locator('.board button[data-do="link"]').click()
    expect(canvas.page.locator('.board button[data-do="link"]')).to_contain_text("copied")
    assert canvas.page.evaluate("navigator.clipboard.readText()") == canvas.page.url


def test_hovering_shows_the_responses(canvas):
    i = canvas.alone()
    canvas.page.mouse.move(*canvas.pixel(i))
    tip = canvas.page.locator(".board .tip")
    expect(tip).to_contain_text(f"Point {i}")
    expect(tip).to_contain_text("MAVR")
    expect(tip).to_contain_text("LGC")


def test_painting_adds_moves_and_deletes(canvas):
    n = canvas.state("board.scene.n")
    canvas.tool("paint")
    box = canvas.surface.bounding_box()
    x0, y0 = canvas.state("[board.panels[0].x, board.panels[0].y]")
    spot = (box["x"] + x0 + 8, box["y"] + y0 + 8)
    canvas.page.mouse.click(*spot)
    canvas.settle()
    assert canvas.state("board.scene.n") == n + 1
    x, y = canvas.pixel(n)
    assert (x, y) == pytest.approx(spot, abs=1.0)
    canvas.drag((x, y), (x + 30, y + 20))
    assert canvas.pixel(n) == pytest.approx((x + 30, y + 20), abs=1.5)
    canvas.click(n, button="right")
    assert canvas.state("board.scene.alive[board.scene.n - 1]") == 0
    assert canvas.predictions(0)[n] == -2


def test_a_point_dragged_out_of_its_panel_is_shown_again(canvas):
    canvas.wait_live()
    canvas.tool("paint")
    i = canvas.alone()
    x, y = canvas.pixel(i)
    place, scale = canvas.points()[2 * i], canvas.state("board.camera.scale")
    # With a rest on the way: what the picture shows stays as it is under the hand.
    canvas.page.mouse.move(x, y)
    canvas.page.mouse.down()
    for far in (450, 900):
        canvas.page.mouse.move(x + far, y, steps=6)
        canvas.page.wait_for_timeout(300)
        assert canvas.state("board.camera.scale") == scale
    canvas.page.mouse.up()
    canvas.rest()
    assert canvas.points()[2 * i] == pytest.approx(place + 900 / scale, rel=1e-3)
    canvas.page.locator('.board button[data-do="home"]').click()

    def panel() -> list[float]:
        """Where the first panel begins and ends on the screen."""
        box = canvas.surface.bounding_box()
        p = canvas.state("({ x: board.panels[0].x, w: board.panels[0].w })")
        return [box["x"] + p["x"], box["x"] + p["x"] + p["w"]]

    for _ in range(2):
        left, right = panel()
        places = [left <= px <= right for px, _ in canvas.pixels()]
        assert all(places)
        canvas.page.reload()
        canvas = Canvas(canvas.page)
        canvas.rest()


def test_a_slider_changes_the_picture_and_the_numbers(canvas):
    before, step = canvas.predictions(0), canvas.step()
    slider = canvas.page.get_by_test_id("stSidebar").get_by_role("slider", name="Width σ")
    slider.focus()
    for _ in range(40):
        canvas.page.keyboard.press("ArrowRight")
    canvas.wait_for_step(step)
    expect(canvas.page).to_have_url(re.compile("sigma="))
    canvas.rest()
    assert canvas.predictions(0) != before
    # And back, by the button beside it.
    canvas.page.locator('.slider[data-link="sigma"] [data-do="reset"]').click()
    expect(canvas.page).to_have_url(re.compile(r"^(?!.*sigma=)"))
    canvas.rest()
    assert canvas.predictions(0) == before


def test_p_edited_changes_mavr_and_stays_symmetric(canvas):
    before_left, before_right, step = canvas.predictions(0), canvas.predictions(1), canvas.step()
    cell = canvas.page.locator('.relation input[data-j="1"][data-k="2"]')
    cell.fill("1/2")
    cell.press("Enter")
    canvas.wait_for_step(step)
    canvas.settle()
    assert canvas.predictions(0) != before_left
    assert canvas.predictions(1) == before_right
    mirror = canvas.page.locator('.relation input[data-j="2"][data-k="1"]')
    expect(mirror).to_have_value("0.5")


@pytest.mark.parametrize("chosen", [False, True], ids=["untouched", "its text chosen"])
def test_a_number_of_p_is_dragged(canvas, chosen):
    """Also where its text is chosen, which a browser would drag instead."""
    page, cell = canvas.page, canvas.page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.scroll_into_view_if_needed()
    if chosen:
        cell.click()
        expect(cell).to_be_focused()
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y, steps=5)
    page.mouse.move(x + 40, y, steps=5)
    expect(cell).to_have_value("0.4")
    page.mouse.move(x + 30, y, steps=5)
    page.mouse.up()
    expect(page.locator('.relation input[data-j="1"][data-k="0"]')).to_have_value("0.3")
    expect(page).to_have_url(re.compile(r"P="))


def test_an_indefinite_p_is_explained_and_repaired(canvas):
    before = canvas.predictions(0)
    cell = canvas.page.locator('.relation input[data-j="0"][data-k="2"]')
    cell.fill("3")
    cell.press("Enter")
    warning = canvas.page.get_by_text("not positive definite")
    expect(warning).to_be_visible()
    canvas.settle()
    assert canvas.predictions(0) == before
    canvas.page.get_by_role("button", name="Repair P").click()
    expect(warning).to_have_count(0)
