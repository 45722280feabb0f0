"""The app opens in a browser."""

from __future__ import annotations

from playwright.sync_api import expect


def test_the_first_page_is_the_playground(open_page):
    page = open_page("")
    expect(page.get_by_role("heading", name="Playground")).to_be_visible()
