"""Error curves in a browser: a sweep to its end, a stop, a resume, a point followed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from playwright.sync_api import Page, expect

import lab

# Small points and few values: a sampling takes milliseconds.
SMALL = (
    "error_curves?figure=own&data=three_circles&p.n=60&p.noise=0.5&factor=gamma&low=1&high=1000"
    "&steps=4&log=1&similarity=gaussian&methods=mavr-lgc"
)
# The worker processes start with the first sweep, and give way to everything else.
STARTING_MS = 120_000


def rows(page: Page) -> int:
    return int(page.locator(".curves").get_attribute("data-rows") or 0)


def wait_for_rows(page: Page, least: int) -> None:
    """The figure is drawn a moment after the sentence above it."""
    for _ in range(300):
        if rows(page) >= least:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{rows(page)} rows are shown, fewer than {least}")


def test_a_small_sweep_runs_to_its_end_is_saved_and_a_point_opens_in_the_playground(open_page):
    page = open_page(f"{SMALL}&samplings=5&seed=11")
    expect(page.get_by_text("5 repeats", exact=True)).to_be_visible(timeout=STARTING_MS)
    expect(page.locator(".curves")).to_have_attribute("data-rows", str(4 * 2 * 5))
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")

    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download the figure as {kind}").click()
        assert download.value.suggested_filename == f"error-curves.{kind.lower()}"
        if kind == "SVG":
            ET.parse(download.value.path())
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    page.keyboard.press("Escape")
    text = download.value.path().read_text(encoding="utf-8")
    assert text.startswith("factor,value,method,sampling,error")

    panel = page.locator(".panel svg")
    panel.hover()
    expect(page.locator(".tip")).to_contain_text("5 repeats")
    panel.click()
    expect(page.locator(".strip circle")).to_have_count(2 * 5)
    dot = page.locator(".strip circle[data-sampling='3']").first
    dot.hover()
    said = page.locator(".tip").inner_text()
    error = re.search(r"MAVR\s+([\d.]+ %)", said)
    assert error, said
    dot.click()

    expect(page.get_by_role("heading", name="Playground")).to_be_visible()
    expect(page.get_by_text(error[1]).first).to_be_visible()
    expect(page).to_have_url(re.compile("seed=11003"))
    expect(page).to_have_url(re.compile("labels="))


def test_a_sweep_is_stopped_left_and_resumed(open_page):
    # Larger, so that it is under way long enough to be stopped.
    page = open_page(f"{SMALL.replace('p.n=60', 'p.n=750')}&samplings=300&seed=12")
    stop = page.get_by_role("button", name="Stop")
    expect(page.locator(".curves")).not_to_have_attribute("data-rows", "0", timeout=STARTING_MS)
    stop.click()
    expect(page.get_by_text(re.compile(r"Stopped at \d+ of 300 repeats"))).to_be_visible()
    page.wait_for_timeout(1500)  # what was under way is taken in
    before = rows(page)

    page.get_by_role("link", name="Playground").click()
    expect(page.get_by_role("heading", name="Playground")).to_be_visible()
    page.get_by_role("link", name="Error curves").click()
    expect(page.get_by_text(re.compile(r"Stopped at \d+ of 300 repeats"))).to_be_visible()
    wait_for_rows(page, before)
    expect(page).to_have_url(re.compile("samplings=300"))

    page.get_by_role("button", name="Resume").click()
    wait_for_rows(page, before + 4 * 2)
    page.get_by_text("20", exact=True).first.click()
    expect(page.get_by_text("20 repeats", exact=True)).to_be_visible()
    wait_for_rows(page, 4 * 2 * 20)


def test_the_six_panels_appear_with_the_printed_curves(open_page):
    page = open_page("error_curves?samplings=300&seed=13")
    expect(page.locator(".panel")).to_have_count(6)
    expect(page.locator(".legend")).to_contain_text("as printed")
    expect(page.locator(".panel svg path[stroke-dasharray]")).to_have_count(18)
    page.get_by_text("Printed curves behind").click()
    expect(page.locator(".panel svg path[stroke-dasharray]")).to_have_count(0)
    expect(page.locator(".curves")).not_to_have_attribute("data-rows", "0")
    page.get_by_role("button", name="Stop").click()


def test_the_difference_of_two_methods_has_a_band(open_page):
    page = open_page(f"{SMALL}&samplings=5&seed=11")
    expect(page.get_by_text("5 repeats", exact=True)).to_be_visible(timeout=STARTING_MS)
    page.get_by_text("Difference", exact=True).click()
    expect(page.locator(".panel svg polygon")).to_have_count(1)
    expect(page.locator(".legend")).to_contain_text("MAVR − LGC")
    expect(page).to_have_url(re.compile("show=difference"))


def test_changes_long_after_a_link_was_opened_are_kept_and_back_leads_to_the_link(open_page):
    page = open_page(f"{SMALL}&samplings=5&seed=11")
    expect(page.get_by_text("5 repeats", exact=True)).to_be_visible(timeout=STARTING_MS)
    page.wait_for_timeout(6_000)  # longer than an address may come late
    page.get_by_text("Difference", exact=True).click()
    expect(page).to_have_url(re.compile("show=difference"))
    page.wait_for_timeout(6_000)
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="Two moons").click()
    expect(page).to_have_url(re.compile("varies=n_labelled|low="))
    expect(page.get_by_role("combobox", name="Varies")).to_have_value("Labels l")
    expect(page).to_have_url(re.compile("show=difference"))
    page.go_back()
    expect(page.get_by_role("combobox", name="Varies")).to_have_value("Smoothness γ")


def test_a_panel_without_a_value_has_no_scale_of_errors(page, app_url):
    page.goto(f"{app_url}/_stcore/health")
    for script in ("ticks.js", "text.js", "curves/chart.js"):
        page.add_script_tag(path=Path(lab.__file__).parent / script)
    drawn = """(y) => panelMarkup(
      { title: "Gaussian", symbol: "n", x: [100, 200], printed: [],
        series: [{ y, low: y, high: y, mark: 0, color: "#000" }] },
      300, 200, { ink: "#000" }, null)"""
    empty, known = page.evaluate(drawn, [None, None]), page.evaluate(drawn, [0.1, 0.3])
    assert "no results yet" in empty
    assert ">0.4<" not in empty
    assert "no results yet" not in known
    assert ">0.4<" in known
