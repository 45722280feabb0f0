"""Pictures of every page at the widths that matter, light and dark, to be looked at.

python -m tools.pictures out/pictures
python -m tools.pictures out/pictures --pages theory map --widths 390 --themes dark
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tools.serve import chromium, served

# Each page's path; Theory and Lessons also inside.
PAGES = {
    "playground": "",
    "map": "map",
    "serendipity": "serendipity",
    "multilabel": "multilabel",
    "lessons": "lessons",
    "lesson": "lessons?lesson=balance&step=1",
    "error_curves": "error_curves?samplings=5",
    "benchmarks": "benchmarks?samplings=5",
    "theory": "theory",
    "theory_errata": "theory?section=errata",
    "guide": "guide",
}
# Width and height of a window.
WINDOWS = {1440: 900, 1366: 768, 820: 1180, 390: 844}
THEMES = ("light", "dark")
PATIENCE_MS = 120_000
# Narrower windows are phones.
PHONE = 640


def drawn(page: Page) -> None:
    """Wait until a page has been drawn: the script has ended, the board is painted."""
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=PATIENCE_MS
    )
    skeletons = page.locator('[data-testid="stSkeleton"]:visible')
    expect(skeletons).to_have_count(0, timeout=PATIENCE_MS)
    for board in page.locator(".board[data-step]").all():
        expect(board).to_have_attribute("data-painted", re.compile(r"\d"), timeout=PATIENCE_MS)
    page.wait_for_timeout(700)


def opened(browser: Browser, width: int, theme: str) -> Page:
    """An empty page of a window."""
    context = browser.new_context(
        viewport={"width": width, "height": WINDOWS[width]},
        color_scheme="dark" if theme == "dark" else "light",
        has_touch=width < PHONE,
    )
    return context.new_page()


def pictures(
    url: str, folder: Path, pages: list[str], widths: list[int], themes: list[str]
) -> Iterator[Path]:
    """Take the pictures: the first screen, and the whole page."""
    for width in widths:
        # Bars to scroll with take room in a window on a desk, not on a phone.
        bars = [] if width < PHONE else ["--hide-scrollbars"]
        with chromium(ignore_default_args=bars) as browser:
            for theme in themes:
                page = opened(browser, width, theme)
                for name in pages:
                    page.goto(f"{url}/{PAGES[name]}")
                    drawn(page)
                    path = folder / f"{name}-{width}-{theme}.png"
                    page.screenshot(path=path)
                    yield path
                    yield whole(page, path.with_stem(f"{path.stem}-whole"))
                page.context.close()


def whole(page: Page, path: Path) -> Path:
    """The whole page, in a window as tall as it: Streamlit scrolls inside of the window."""
    size = page.viewport_size or {"width": 1440, "height": 900}
    tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
    page.wait_for_timeout(400)
    page.screenshot(path=path)
    page.set_viewport_size(size)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--widths", nargs="+", type=int, choices=WINDOWS, default=list(WINDOWS))
    parser.add_argument("--themes", nargs="+", choices=THEMES, default=list(THEMES))
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with served("app.py") as url:
        for path in pictures(url, chosen.folder, chosen.pages, chosen.widths, chosen.themes):
            print(path)


if __name__ == "__main__":
    main()
