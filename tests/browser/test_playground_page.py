"""The Playground in a real browser: files, examples, links, charts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from lab.board.answers import TIE
from lab.examples.presets import PRESETS
from tests.browser.canvas_driver import Canvas


@pytest.fixture
def canvas(open_page) -> Canvas:
    return Canvas(open_page(""))


def test_a_csv_is_uploaded_and_labelled(canvas, tmp_path):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.3, (30, 2)), rng.normal(3, 0.3, (30, 2))])
    lines = ["a,b,label"] + [
        f"{x:.4f},{y:.4f},{'left' if i == 0 else ''}" for i, (x, y) in enumerate(X)
    ]
    file = tmp_path / "two.csv"
    file.write_text("\n".join(lines))
    step = canvas.step()
    canvas.page.locator('[data-testid="stFileUploader"] input').set_input_files(file)
    canvas.wait_for_step(step)
    expect(canvas.page.locator(".board")).to_contain_text("1 of 60 points")
    expect(canvas.page.get_by_text("Labelled points: 1 of 60; classes: 1.")).to_be_visible()
    canvas = Canvas(canvas.page)
    assert canvas.state("board.scene.n") == 60
    canvas.page.locator('.board button[data-op="add_class"]').click()
    canvas.settle()
    canvas.choose(1)
    canvas.click(45)
    assert canvas.labels() == {0: 0, 45: 1}
    assert canvas.predictions(0)[:30] == [0] * 30
    assert canvas.predictions(0)[30:] == [1] * 30


def test_a_broken_file_gets_a_sentence_and_loses_nothing(canvas, tmp_path):
    before = canvas.labels()
    file = tmp_path / "broken.csv"
    file.write_text("a,b\n1,2\n3,oops\n4,5\n6,7\n")
    canvas.page.locator('[data-testid="stFileUploader"] input').set_input_files(file)
    expect(
        canvas.page.get_by_text("Row 3, column 2 ('b'): 'oops' is not a number; write")
    ).to_be_visible()
    assert canvas.labels() == before


def test_every_preset_opens_and_says_what_it_teaches(canvas):
    page = canvas.page
    for preset in PRESETS.values():
        step = canvas.step()
        page.get_by_role("combobox", name="Examples").click()
        page.get_by_role("option", name=preset.title).click()
        expect(page.get_by_text(preset.lesson[:40])).to_be_visible()
        canvas.wait_for_step(step)
        canvas = Canvas(page)
        expect(page.locator('.numbers [data-side="left"]')).to_be_visible()


def test_an_example_is_marked_as_soon_as_it_is_changed_and_nothing_moves(canvas):
    told = canvas.page.locator(".st-key-page_line em")
    expect(told).to_have_count(0)
    before = canvas.surface.bounding_box()
    canvas.click(canvas.unlabelled()[0])
    expect(told).to_have_text("(You have changed it.)")
    assert canvas.surface.bounding_box() == before
    canvas.page.get_by_role("button", name="Undo").click()
    expect(told).to_have_count(0)


def test_a_link_opens_the_same_picture(canvas, page, app_url, browser):
    i = canvas.alone()
    canvas.choose(2)
    canvas.click(i)
    expect(canvas.page).to_have_url(re.compile(rf"\b{i}\.2\b|_{i}\.2"))
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    other = context.new_page()
    other.goto(canvas.page.url)
    copy = Canvas(other)
    assert copy.labels() == canvas.labels()
    assert copy.predictions(0) == canvas.predictions(0)
    assert copy.predictions(1) == canvas.predictions(1)
    context.close()


def test_a_broken_link_is_explained(open_page):
    page = open_page("?data=nowhere&gamma=-3&labels=x")
    Canvas(page)
    expect(page.get_by_text("is not known")).to_be_visible()
    expect(page.get_by_text("Smoothness γ must be in")).to_be_visible()


def test_next_points_are_suggested_and_one_click_takes_one(canvas):
    step = canvas.step()
    canvas.page.get_by_text("Show", exact=True).click()
    # By key: the group is still opening, and what a mouse aims at moves.
    switch = canvas.page.get_by_role("switch", name="What to label next")
    switch.press("Space")
    expect(switch).to_be_checked()
    canvas.wait_for_step(step)
    found = canvas.state("board.scene.suggest")
    assert [s["kind"] for s in found] == ["least certain", "most informative"]
    i = found[1]["index"]
    canvas.click(i)
    assert i in canvas.labels()


def test_no_label_asks_for_one(canvas):
    for i in list(canvas.labels()):
        canvas.click(i, button="right")
    expect(canvas.page.get_by_text("No point is labelled. Choose")).to_be_visible()
    canvas.click(5)
    expect(canvas.page.get_by_text("No point is labelled. Choose")).to_have_count(0)


def test_charts_and_link_follow_when_the_board_is_at_rest(canvas):
    page = canvas.page
    dots = page.locator(".st-key-playground-curve .scatterlayer path.point")
    expect(dots).to_have_count(2)
    address = page.url
    for i in canvas.unlabelled()[:3]:
        canvas.click(i)
    # One point for each method and number of labels, those passed quickly included.
    expect(dots).to_have_count(2 + 3 * 2)
    page.wait_for_url(lambda url: url != address)


def test_the_link_is_there_again_after_another_page(canvas):
    page = canvas.page
    page.wait_for_url(re.compile(r"labels="))
    default = page.url
    canvas.click(canvas.unlabelled()[0])
    page.wait_for_url(lambda url: url != default)
    address = page.url
    page.get_by_role("link", name="Guide").click()
    expect(page.get_by_role("heading", name="Guide")).to_be_visible()
    page.get_by_role("link", name="Playground").click()
    page.wait_for_url(address)


def test_back_is_one_step_back_whatever_was_labelled_in_between(canvas):
    page, before = canvas.page, canvas.labels()
    step = canvas.step()
    page.get_by_role("combobox", name="Examples").click()
    page.get_by_role("option", name=PRESETS["moons"].title).click()
    expect(page).to_have_url(re.compile("data=two_moons"))
    canvas.wait_for_step(step)
    canvas = Canvas(page)
    for i in (20, 140):
        canvas.click(i)
    expect(page).to_have_url(re.compile(r"_140\.0"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("data=two_moons"))
    expect(canvas.root).to_contain_text("3 of 300 points")
    assert Canvas(page).labels() == before
    page.go_forward()
    expect(page).to_have_url(re.compile("data=two_moons.*20.0.*_140.0"))
    expect(canvas.root).to_contain_text("4 of 300 points")
    page.reload()
    canvas = Canvas(page)
    assert {20: 0, 140: 0}.items() <= canvas.labels().items()


def test_ties_are_no_errors(open_page):
    """Hatched without a ring, counted beside the errors, named in the legend and explained."""
    canvas = Canvas(open_page("?data=smile"))
    flags, page = canvas.flags(0), canvas.page
    tied = sum(flag & TIE > 0 for flag in flags)
    assert tied > 100
    head = page.locator(".board .head").filter(has_text="MAVR")
    expect(head).to_have_text(re.compile(rf"MAVR\s*0\.0 %\s*wrong, {tied} tied"))
    expect(page.locator(".board .marks")).to_contain_text("tied")
    expect(page.get_by_text("are interchangeable")).to_be_visible()


def test_a_collapse_offers_its_remedy_and_the_controls_follow(open_page):
    """Digits under LGC: one class takes nearly all until balance is switched on."""
    canvas = Canvas(open_page("?data=digits"))
    page = canvas.page
    method = page.get_by_role("combobox", name="Right")
    expect(method).to_have_value("LGC")
    step = canvas.step()
    page.get_by_role("button", name="Switch balance on").click()
    canvas.wait_for_step(step)
    expect(method).to_have_value("LGC, balanced")
    assert method.evaluate("e => e.scrollWidth <= e.clientWidth")
    expect(page.get_by_role("button", name="Switch balance on")).to_have_count(0)
    expect(page).to_have_url(re.compile("right=lgc_balanced"))
