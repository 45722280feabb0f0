"""A real server and a real Chromium for the browser tests.

A test asks for ``open_page`` (or for ``page`` and ``app_url``) and fails, whatever else it asserts,
if the browser meets a JavaScript error or the page shows an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from lab.server.errors import SENTENCE
from tests.browser.server import read_log, start_server
from tools import ensure_chromium
from tools.serve import CHROMIUM_FLAGS, free_port, stop

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCREENSHOTS = ROOT / "out" / "screenshots"
VIEWPORT = {"width": 1440, "height": 900}
# Long enough for a loaded machine; a passing test never waits for it.
PATIENCE_MS = 60_000
REPORTS = pytest.StashKey[dict[str, pytest.TestReport]]()
SERVER_LOG = pytest.StashKey[Path]()
LOG_START = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests and run them last: while Playwright's event loop is up, no other
    test of the same process could start one."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")
    items.sort(key=lambda item: item.path.is_relative_to(HERE))


def pytest_runtest_setup(item: pytest.Item) -> None:
    log = item.config.stash.get(SERVER_LOG, None)
    item.stash[LOG_START] = log.stat().st_size if log else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Keep each phase's report for ``page``; turn a skip into a failure; add the server's log."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"a browser test must not be skipped: {report.longrepr}"
    item.stash.setdefault(REPORTS, {})[report.when] = report
    log = item.config.stash.get(SERVER_LOG, None)
    if report.failed and log is not None:
        text = read_log(log, item.stash.get(LOG_START, 0))
        report.sections.append(("what the server wrote during this test", text))
    return report


@pytest.fixture(scope="session")
def app_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Address of the app, served for this test run alone."""
    port, log = free_port(), tmp_path_factory.mktemp("server") / "streamlit.log"
    log.touch()
    request.config.stash[SERVER_LOG] = log
    server = start_server(port, log)
    yield f"http://127.0.0.1:{port}"
    stop(server)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = ensure_chromium.find()
    if executable is None:
        pytest.fail(ensure_chromium.WHAT_TO_INSTALL)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests: Streamlit's own scripts are loaded and compiled once."""
    context = browser.new_context(viewport=VIEWPORT)
    yield context
    context.close()


@pytest.fixture(scope="session")
def tabs(context: BrowserContext) -> list[Page]:
    """The tab that one test leaves to the next: what a tab has compiled is not compiled again."""
    return []


@pytest.fixture
def page(
    context: BrowserContext, tabs: list[Page], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page, 1440 by 900, that nothing has been opened on; the browser remembers no visit.

    A test that changes the tab for good, by a script of its own, is marked ``own_tab``.
    """
    own = request.node.get_closest_marker("own_tab") is not None
    context.clear_cookies()
    page = tabs.pop() if tabs and not own else _new_tab(context)
    page.set_viewport_size(VIEWPORT)
    if page.url != "about:blank":
        page.evaluate("sessionStorage.clear()")
    errors: list[str] = []

    def note(error: Error) -> None:
        errors.append(f"JavaScript error: {error}")

    page.on("pageerror", note)
    yield page
    shown = page.locator('[data-testid="stException"]:visible').all_inner_texts()
    shown += page.get_by_text(SENTENCE[:40]).all_inner_texts()
    problems = errors + [f"the page shows an exception: {text}" for text in shown]
    call = request.node.stash[REPORTS].get("call")
    failed = bool(problems) or call is None or call.failed
    if failed:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "_", request.node.nodeid)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")
    if own or failed:
        page.close()
    else:
        page.remove_listener("pageerror", note)
        page.mouse.up()
        page.mouse.move(0, 0)
        tabs.append(page)
    if problems:
        pytest.fail("\n".join(problems))


def _new_tab(context: BrowserContext) -> Page:
    page = context.new_page()
    page.add_init_script("localStorage.clear()")
    page.set_default_timeout(PATIENCE_MS)
    return page


@pytest.fixture
def open_page(page: Page, app_url: str) -> Callable[[str], Page]:
    """Open a path of the app, such as ``""`` or ``"?seed=3"``, and wait until it has been drawn."""

    def open_path(path: str = "") -> Page:
        page.goto(f"{app_url}/{path}")
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        return page

    return open_path
