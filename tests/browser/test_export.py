"""Export and import of every page with a board, in a real browser."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.canvas_driver import Canvas

PAGES = {
    "": "?data=two_moons&labels=95.0_226.1&gamma=12",
    "serendipity": "serendipity?data=smile&seed=1",
    "multilabel": "multilabel?gamma=3",
}


def take(page: Page, label: str, folder: Path) -> Path:
    """The file that a button of the popover downloads."""
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def open_menu(page: Page) -> None:
    page.get_by_role("button", name="Export").first.click()
    expect(page.get_by_text(re.compile("The same (picture|numbers) with"))).to_be_visible()


@pytest.mark.parametrize("path", PAGES)
def test_every_format_is_downloaded(open_page, tmp_path, path):
    page = open_page(PAGES[path])
    Canvas(page)
    open_menu(page)
    found = {
        label: take(page, label, tmp_path) for label in ("SVG", "PNG", "CSV", "JSON", "Python")
    }
    assert ET.parse(found["SVG"]).getroot().tag.endswith("svg")
    png = found["PNG"].read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") > 2000
    with found["CSV"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == Canvas(page).state("board.scene.n")
    assert (
        "import mavr" in found["Python"].read_text() or "from mavr" in found["Python"].read_text()
    )
    assert json.loads(found["JSON"].read_text())["link"]


def bring(page: Page, file: Path) -> None:
    """Choose a file in the popover."""
    place = '[data-testid="stPopoverBody"] [data-testid="stFileUploader"] input'
    page.locator(place).set_input_files(file)


def test_a_view_that_was_exported_opens_again(open_page, tmp_path):
    page = open_page("?data=two_moons&labels=95.0_226.1_3.1&gamma=12")
    Canvas(page)
    open_menu(page)
    file = take(page, "JSON", tmp_path)
    page = open_page("?data=three_circles&seed=1")
    Canvas(page)
    open_menu(page)
    bring(page, file)
    page.wait_for_url("**data=two_moons**")
    canvas = Canvas(page)
    assert canvas.labels() == {3: 1, 95: 0, 226: 1}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("serendipity", "data=smile"),
        ("multilabel", "gamma=3"),
        ("map", "show=cut"),
        ("error_curves", "seed=7"),
        ("benchmarks", "seed=7"),
        ("theory", "section=losses"),
    ],
)
def test_a_page_opens_what_it_exported(open_page, tmp_path, path, query):
    page = open_page(f"{path}?{query}")
    open_menu(page)
    file = take(page, "JSON", tmp_path)
    page = open_page(path)
    assert query not in page.url
    open_menu(page)
    bring(page, file)
    page.wait_for_url(f"**{query}**")


def test_a_file_that_is_no_view_is_said(open_page, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    page = open_page()
    Canvas(page)
    open_menu(page)
    bring(page, tmp_path / "bad.json")
    expect(page.get_by_text("This file is not JSON")).to_be_visible()


def test_a_step_of_a_lesson_gives_its_board_away(open_page, tmp_path):
    """Its view is the board's own, which the Playground opens, and so is its lesson link."""
    page = open_page("lessons?lesson=balance&step=1")
    Canvas(page).click(170)
    open_menu(page)
    link = json.loads(take(page, "JSON", tmp_path).read_text())["link"]
    assert link["labels"] == "95.0_170.0_226.1"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Lesson link").click()
    address = page.get_by_role("dialog").locator("code").first
    expect(address).to_contain_text("labels=95.0_170.0_226.1&keep=")
    page.goto(address.inner_text())
    assert Canvas(page).labels() == {95: 0, 170: 0, 226: 1}
