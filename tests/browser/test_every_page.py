"""Every page: nothing that axe-core minds, nothing that moves or is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from lab.examples.gallery import PANELS
from tests.browser.canvas_driver import Canvas
from tests.browser.conftest import PATIENCE_MS, VIEWPORT
from tools.pictures import PAGES, WINDOWS, drawn

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
GRAVE = ("critical", "serious", "moderate")
# The layout shift that web.dev calls good.
MOST_SHIFT = 0.1
WATCH = """
window.__shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.__shifts.push(entry.value);
  }
}).observe({ type: "layout-shift", buffered: true });
"""

# What is wider than its place, or broken within a word; of a formula, a part that is outside.
CUT = """[...document.querySelectorAll(
  '.stMainBlockContainer :is(button p, h1, .katex-display .base), [data-testid=stMain]'
)].filter((e) => {
  if (!e.matches('.base'))
    return e.scrollWidth > e.clientWidth + 1 || (e.tagName === 'H1' && e.clientHeight > 45);
  const box = e.closest('[data-testid=stElementContainer]').getBoundingClientRect();
  return e.getBoundingClientRect().right > box.right + 1;
}).map((e) => e.textContent.slice(0, 30))"""


def faults(page: Page) -> list[str]:
    """What axe-core finds, one line for each kind."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{rule['id']}: {len(rule['nodes'])} x, {rule['nodes'][0]['html'][:200]} "
        f"{rule['nodes'][0].get('failureSummary', '')[:200]}"
        for rule in found["violations"]
        if rule["impact"] in GRAVE
    ]


def visit(browser: Browser, url: str, width: int, scheme: Any) -> tuple[list[str], list[str]]:
    """All pages in one tab: what axe-core finds, what is cut, and the pages that move."""
    size = VIEWPORT if width == VIEWPORT["width"] else {"width": width, "height": WINDOWS[width]}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    bad, moving = [], []
    for name, path in PAGES.items():
        page.goto(f"{url}/{path}")
        drawn(page)
        shift = sum(page.evaluate("window.__shifts"))
        if shift >= MOST_SHIFT:
            moving.append(f"{name}, {width} px: {shift:.3f}")
        found = [*faults(page), *(f"cut off: {text}" for text in page.evaluate(CUT))]
        bad += [f"{name}, {width} px, {scheme}: {fault}" for fault in found]
    context.close()
    return bad, moving


def test_every_page_can_be_read_and_stands_still(browser, app_url):
    bad, moving = visit(browser, app_url, 1440, "light")
    assert not bad, "\n".join(bad)
    assert not moving, "\n".join(moving)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "scheme"),
    [(1440, "dark"), (1366, "dark"), (820, "light"), (820, "dark"), (390, "light"), (390, "dark")],
)
def test_every_page_in_the_dark_on_a_tablet_and_on_a_phone(browser, app_url, width, scheme):
    bad, moving = visit(browser, app_url, width, scheme)
    assert not bad, "\n".join(bad)
    assert not moving, "\n".join(moving)


@pytest.mark.parametrize(("width", "height"), [(1366, 768)])
def test_what_one_uses_most_is_on_the_first_screen(browser, app_url, width, height):
    """The board, its numbers and the four sliders, without scrolling."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(app_url)
    drawn(page)
    for link in ("gamma", "tau", "balance", "sigma"):
        slider = page.locator(f'.slider[data-link="{link}"] input[type="range"]')
        expect(slider).to_be_in_viewport(ratio=1)
    expect(page.locator(".board .stage > canvas")).to_be_in_viewport(ratio=1)
    expect(page.locator(".board .numbers").first).to_be_in_viewport(ratio=1)
    context.close()


@pytest.mark.parametrize(("path", "width"), [("", 390), ("serendipity", 1366)])
def test_a_p_that_cannot_be_used_is_told_on_the_first_screen(page, app_url, path, width):
    """Beside its title, and where one looks: above the board, with the way to P."""
    page.set_viewport_size({"width": width, "height": WINDOWS[width]})
    page.goto(f"{app_url}/{path}")
    Canvas(page)
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.fill("5")
    cell.press("Enter")
    told = page.get_by_role("button", name="The pictures still use the last valid P")
    expect(told).to_be_visible()
    page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, 0)")
    expect(told).to_be_in_viewport(ratio=1)
    told.click()
    expect(page.get_by_role("heading", name="Class relation P")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("its smallest eigenvalue is −4")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Repair P").click()
    expect(told).to_have_count(0)


# What has the focus, its name and whether one sees it.
FOCUSED = """() => {
  let e = document.activeElement;
  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  const label = [...(e.labels ?? [])].map((l) => l.textContent).join(" ");
  const ring = [e, e.parentElement, e.parentElement?.parentElement].some((a) => {
    const s = a && getComputedStyle(a);
    return s && (s.outlineStyle !== "none" || s.boxShadow !== "none");
  });
  return e === document.body ? null : [e.ariaLabel || label || e.textContent.trim(), ring];
}"""


def test_the_keyboard_reaches_everything_in_the_order_one_sees(open_page):
    page = open_page("theory?section=root")
    expect(page.get_by_role("button", name="Step")).to_be_visible()
    found: list[tuple[str, bool]] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        now = page.evaluate(FOCUSED)
        if now is None and found:
            break
        found += [now] if now else []
    # The page itself, which can be scrolled, is named by all its text and needs no ring.
    assert [name for name, ring in found if not name or (not ring and len(name) < 200)] == []
    names = [name for name, _ in found if len(name) < 200]
    places = [
        next(i for i, name in enumerate(names) if word in name)
        for word in ("Playground", "Guide", "Volume", "Smoothness", "Norm", "Step", "Hard case")
    ]
    assert places == sorted(places)


def test_on_a_phone_the_link_of_the_page_one_is_on_is_in_sight(page, app_url):
    page.set_viewport_size({"width": 390, "height": WINDOWS[390]})
    page.goto(f"{app_url}/theory")
    links = page.locator(".st-key-phone_pages a")
    expect(links.filter(has_text="Theory")).to_be_in_viewport(ratio=1)
    links.filter(has_text="Guide").click()
    expect(page.get_by_role("heading", name="Guide")).to_be_visible()
    expect(links.filter(has_text="Guide")).to_be_in_viewport(ratio=1)
    page.go_back()
    expect(links.filter(has_text="Theory")).to_be_in_viewport(ratio=1)


def test_all_pictures_of_the_figure_are_named_and_in_one_row(open_page):
    page = open_page("serendipity")
    pictures = page.locator(".gallery button")
    expect(pictures).to_have_count(len(PANELS))
    for panel in PANELS.values():
        button = page.locator(".gallery").get_by_role("button", name=panel.title, exact=True)
        expect(button).to_be_in_viewport(ratio=1)
    tops = pictures.evaluate_all("all => all.map((e) => e.getBoundingClientRect().top)")
    assert len(set(tops)) == 1


def test_on_a_phone_the_settings_leave_the_answers_in_sight(page, app_url):
    page.set_viewport_size({"width": 390, "height": WINDOWS[390]})
    page.goto(app_url)
    Canvas(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    # The lower half of the canvas has the answers of both methods.
    page.wait_for_function(
        """([canvas, sheet]) => {
          const own = canvas.getBoundingClientRect(), top = sheet.getBoundingClientRect().top;
          return sheet.dataset.collapsed === "false" && own.bottom <= top && own.bottom > top - 60;
        }""",
        arg=[
            page.locator(".board .stage > canvas").element_handle(),
            page.get_by_test_id("stSidebar").element_handle(),
        ],
        timeout=PATIENCE_MS,
    )


def test_on_a_phone_the_errors_are_on_the_first_screen_and_tools_fit_a_finger(browser, app_url):
    window = {"width": 390, "height": WINDOWS[390]}
    context = browser.new_context(viewport=window, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(app_url)
    Canvas(page)
    expect(page.get_by_text("Click a grey point").first).to_be_in_viewport()
    head = page.locator(".board .head").filter(has_text="MAVR")
    expect(head).to_contain_text("7.4 %")
    assert head.bounding_box()["y"] + 12 < window["height"]
    sizes = page.locator(".board .toolbar button:visible").evaluate_all(
        "all => all.map((e) => [e.offsetWidth, e.offsetHeight])"
    )
    assert min(min(size) for size in sizes) >= 40
    context.close()


def test_ten_classes_of_p_fit(page, app_url):
    page.set_viewport_size({"width": 1366, "height": WINDOWS[1366]})
    page.goto(f"{app_url}/?data=digits&p.n=100")
    expect(page.locator(".relation input")).to_have_count(100)
    wide, room = page.locator(".relation .matrix").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide <= room
