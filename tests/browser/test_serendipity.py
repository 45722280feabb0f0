"""The Serendipity page in a real browser: every panel, P edited, ties split, the originals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from lab.examples.gallery import PANELS
from tests.browser.canvas_driver import Canvas

ORIGINALS = Path(__file__).resolve().parents[3] / "shared" / "data"


def open_panel(open_page, name: str) -> Canvas:
    return reopen(Canvas(open_page("serendipity")), name)


def reopen(canvas: Canvas, name: str) -> Canvas:
    step = canvas.step()
    canvas.page.locator(f'.gallery button[data-name="{name}"]').click()
    canvas.wait_for_step(step)
    return Canvas(canvas.page)


def counts(canvas: Canvas, panel: int = 0) -> list[int]:
    return sorted(Counter(canvas.predictions(panel)).values())


# What the paper's figure shows for the rings; elsewhere every shape has a colour of its own.
RING_COUNTS = {
    "1-P1": [50, 50, 100],
    "1-P2": [50, 50, 100],
    "1-P3": [50, 50, 50, 50],
    "2-P4": [50, 50, 50, 50],
    "2-but": [50, 50, 50, 50],
}


@pytest.mark.thorough
def test_every_panel_opens_with_the_colours_of_the_paper(open_page):
    canvas = Canvas(open_page("serendipity"))
    for name in PANELS:
        canvas = reopen(canvas, name)
        if name in RING_COUNTS:
            assert counts(canvas) == RING_COUNTS[name], name
        if name[0] != "1":
            assert one_colour_per_shape(canvas), name


def one_colour_per_shape(canvas: Canvas) -> bool:
    truth = np.array(canvas.state("Array.from(board.scene.truth)"))
    pred = np.array(canvas.predictions(0))
    shapes = [set(pred[truth == j].tolist()) for j in np.unique(truth)]
    return all(len(s) == 1 for s in shapes) and len(set.union(*shapes)) == len(shapes)


def test_lgc_gives_the_fourth_ring_to_known_ones(open_page):
    canvas = open_panel(open_page, "1-I")
    assert 3 not in canvas.predictions(0)


def test_a_tie_is_named_and_splitting_is_a_choice(open_page):
    canvas = open_panel(open_page, "3-P5")
    page = canvas.page
    expect(page.get_by_text("are interchangeable")).to_be_visible()
    assert not any(f & 1 for f in canvas.flags(0))
    step = canvas.step()
    page.get_by_text("Split the tie by clustering").click()
    canvas.wait_for_step(step)
    tied = sum(f & 1 for f in canvas.flags(0))
    assert tied > 100
    expect(page.get_by_text(f"{tied} points are tied")).to_be_visible()


def test_editing_p1_into_p3_moves_ring_4_into_its_own_class(open_page):
    canvas = open_panel(open_page, "1-P1")
    assert 3 not in canvas.predictions(0)
    # From P1 to P3: rows and columns 2, 3, 4 change; each edit sets its mirror too.
    for j, k, value in ((2, 2, "1"), (3, 3, "3"), (1, 3, "1"), (2, 3, "1")):
        step = canvas.step()
        cell = canvas.page.locator(f'.relation input[data-j="{j}"][data-k="{k}"]')
        if float(cell.input_value()) == float(value):
            continue
        cell.fill(value)
        cell.press("Enter")
        canvas.wait_for_step(step)
    canvas.settle()
    truth = canvas.state("Array.from(board.scene.truth)")
    assert canvas.predictions(0) == truth


def test_an_indefinite_p_is_repaired(open_page):
    canvas = open_panel(open_page, "1-P3")
    cell = canvas.page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.fill("5")
    cell.press("Enter")
    warning = canvas.page.get_by_text("not positive definite")
    expect(warning).to_be_visible()
    canvas.page.get_by_role("button", name="Repair P").click()
    expect(warning).to_have_count(0)


def test_what_is_no_number_gets_a_sentence_and_nothing_is_left_to_weaken_at_i(open_page):
    page = open_page("?data=three_circles&seed=43")
    Canvas(page)
    expect(page.get_by_role("button", name="Weaken")).to_be_disabled()
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    for text in ("abc", "1e300"):
        cell.fill(text)
        cell.press("Enter")
        expect(page.locator(".relation .why")).to_contain_text(f"“{text}” is no number")


@pytest.mark.parametrize("name", ["zelnik1", "zelnik3"])
def test_originals_as_csv_have_no_error_with_all_but_one_class_known(open_page, tmp_path, name):
    if not (ORIGINALS / f"{name}.npz").exists():
        return  # the original arrays are not part of the project; elsewhere our own shapes serve
    with np.load(ORIGINALS / f"{name}.npz") as file:
        X, y = file["X"], file["y"]
    table = tmp_path / f"{name}.csv"
    rows = [f"{a!r},{b!r},{j}" for (a, b), j in zip(X.tolist(), y.tolist(), strict=True)]
    table.write_text("a,b,label\n" + "\n".join(rows))
    page = open_page("serendipity")
    canvas = Canvas(page)
    step = canvas.step()
    page.locator('[data-testid="stFileUploader"] input').set_input_files(table)
    canvas.wait_for_step(step)
    canvas = Canvas(page)
    step = canvas.step()
    page.get_by_role("combobox", name="Class without labels").click()
    page.get_by_role("option", name="0", exact=True).click()
    canvas.wait_for_step(step)
    canvas = Canvas(page)
    truth = np.array(canvas.state("Array.from(board.scene.truth)"))
    assert len(truth) == len(X)
    assert (np.array(canvas.predictions(0)) == truth).all()


def test_a_panel_opens_when_its_address_is_the_first(open_page):
    page = open_page("serendipity?data=smile")
    expect(page.get_by_role("heading", name="Serendipity")).to_be_visible()
    canvas = Canvas(page)
    assert canvas.state("board.scene.n") > 200
