"""The app opens in a browser."""

from __future__ import annotations

from urllib.parse import urlencode

from playwright.sync_api import Request, expect

from lab.text import JOINER


def test_the_first_page_is_the_playground(open_page):
    page = open_page("")
    expect(page.get_by_role("heading", name="Playground")).to_be_visible()
    # What to do, the example that is shown, and the methods' names.
    expect(page.get_by_text("Click a grey point. Where MAVR beats LGC.")).to_be_visible()
    expect(page.locator(".board .spelled")).to_have_text(
        "MAVR: Multi-class approximate volume regularisation · LGC: Local and global consistency"
    )


def test_everything_comes_from_this_server(page, app_url):
    """Fonts, pictures and scripts: a page works where there is no other network."""
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    page.goto(f"{app_url}/theory")
    expect(page.locator(".katex-display").first).to_be_visible()
    page.remove_listener("request", note)
    assert [url for url in asked if not url.startswith((app_url, "data:", "blob:"))] == []
    assert any("/static/media/" in url for url in asked)
    # Streamlit's page knows where its server is: it does not look for it elsewhere first.
    assert f"{app_url}/_stcore/health" in asked
    assert not [url for url in asked if "/theory/" in url]


# Each short enough to be quoted whole.
HOSTILE = {
    "data": "<img src=x onerror=alert(1)> **b**",
    "graph": "[a](http://a.b) :smile: $x$ `c`",
    "L": "1. www.a.org https://a.b me@a.org",
    "left": ":red[r] :material/home: ~~s~~ _i_",
}


def test_what_a_link_says_is_shown_as_text(open_page):
    """Sentences quote the link: nothing of it becomes markup."""
    page = open_page("?" + urlencode(HOSTILE | {"labels": "5.1"}))
    told = page.get_by_test_id("stAlert")
    things = told.locator("li")
    expect(things).to_have_count(len(HOSTILE))
    words = " ".join(things.all_inner_texts()).replace(JOINER, "")
    for text in HOSTILE.values():
        assert text in words
    markup = told.locator("p, li").locator("a, img, strong, em, del, code, span, .katex")
    assert markup.evaluate_all("all => all.map((e) => e.outerHTML)") == []
    assert told.locator("ol, ul ul, h1").count() == 0
