"""Benchmarks in a browser: a small run to its end, a stop, a resume, a file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import Page, expect

# One similarity and two methods: a place takes a second or two.
SMALL = "benchmarks?similarities=cosine&methods=mavr_nor-lgc&high=100"
# The worker processes start with the first run, and give way to everything else.
STARTING_MS = 120_000


def rows(page: Page) -> int:
    return int(page.locator(".curves").get_attribute("data-rows") or 0)


def wait_for_rows(page: Page, least: int) -> None:
    for _ in range(600):
        if rows(page) >= least:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{rows(page)} rows are shown, fewer than {least}")


def test_a_small_run_ends_with_a_table_and_is_saved(open_page):
    page = open_page(f"{SMALL}&seed=11")
    expect(page.get_by_text("5 repeats", exact=True)).to_be_visible(timeout=STARTING_MS)
    expect(page.locator(".curves")).to_have_attribute("data-rows", str(2 * 5))
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.locator(".panel")).to_have_count(1)
    expect(page.locator(".numbers td b")).to_have_count(1)
    expect(page.locator(".numbers td b")).to_contain_text("±")
    expect(page.get_by_text("oracle's choice")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="Download the figure as SVG").click()
    assert download.value.suggested_filename == "benchmarks.svg"
    ET.parse(download.value.path())
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("data,similarity,n,method,sampling")
    assert len(lines) == 1 + 2 * 5


@pytest.mark.thorough
def test_a_run_is_stopped_left_and_resumed(open_page):
    page = open_page(f"{SMALL.replace('high=100', 'high=800')}&samplings=100&seed=12")
    expect(page.locator(".curves")).not_to_have_attribute("data-rows", "0", timeout=STARTING_MS)
    page.get_by_role("button", name="Stop").click()
    stopped = page.get_by_text(re.compile(r"Stopped at \d+ of 100 repeats"))
    expect(stopped).to_be_visible()
    page.wait_for_timeout(2000)  # what was under way is taken in
    before = rows(page)

    page.get_by_role("link", name="Playground").click()
    expect(page.get_by_role("heading", name="Playground")).to_be_visible()
    page.get_by_role("link", name="Benchmarks").click()
    expect(stopped).to_be_visible()
    wait_for_rows(page, before)
    expect(page).to_have_url(re.compile("samplings=100"))

    page.get_by_role("button", name="Resume").click()
    wait_for_rows(page, before + 2 * 3)
    page.get_by_role("button", name="Stop").click()
    expect(stopped).to_be_visible()


def test_a_file_is_measured_and_a_useless_one_is_explained(open_page, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    np.savez(tmp_path / "two.npz", X=rng.normal(size=(120, 3)) + 5 * y[:, None], y=y)
    np.savez(tmp_path / "bare.npz", X=rng.normal(size=(120, 3)))
    np.savetxt(
        tmp_path / "two.csv",
        np.column_stack([rng.normal(size=(120, 2)) + 5 * y[:, None], y]),
        delimiter=",",
        header="a,b,label",
        comments="",
    )
    page = open_page(f"{SMALL}&data=file&seed=13")
    expect(page.get_by_text("Give a CSV or NPZ file")).to_be_visible()
    page.locator("input[type=file]").set_input_files(tmp_path / "bare.npz")
    expect(page.get_by_text("gives no class for each point")).to_be_visible()
    for name in ("two.npz", "two.csv"):
        page.locator("input[type=file]").set_input_files(tmp_path / name)
        expect(page.get_by_text("5 repeats", exact=True)).to_be_visible(timeout=STARTING_MS)
        expect(page.locator(".numbers td b")).to_have_count(1)
        expect(page).to_have_url(re.compile("data=file%3A"))
