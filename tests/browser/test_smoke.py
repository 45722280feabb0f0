"""The app opens in a browser."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import expect


def test_the_first_page_is_the_playground(open_page):
    page = open_page("")
    expect(page.get_by_role("heading", name="Playground")).to_be_visible()


HOSTILE = "<img src=x onerror=alert(1)> **b** [a](http://a.b) :smile: $x$ 1. www.a.org `c`"


def test_what_a_link_says_is_shown_as_text(open_page):
    """Sentences quote the link: nothing of it becomes markup."""
    page = open_page(f"?data={quote(HOSTILE[:38])}&graph={quote(HOSTILE[38:])}&labels=5.1")
    alerts = page.get_by_test_id("stAlert")
    expect(alerts).to_have_count(2)
    words = " ".join(alerts.all_inner_texts())
    for part in (HOSTILE[:38], HOSTILE[38:]):
        assert part in words
    assert alerts.locator("a, img, strong, em, code, ol, .katex").count() == 0
