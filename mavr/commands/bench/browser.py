"""Click to repaint in a real browser: the Playground beside the same page drawn with Plotly.

A click's time runs from the mouse button going up to the frame in which every panel shows the
answer, taken in the page itself. Needs the development requirements (Playwright), a Chromium and
a checkout: the peer is tools/plotly_peer.py.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mavr.commands.bench.timing import Line

ROOT = Path(__file__).resolve().parents[3]
SIZES = (300, 1000, 3000)
CLICKS = 30
# Between the answer and the next click, on both pages: a person looks before clicking again.
PAUSE_MS = 700
QUICK_CLICKS = 10
QUICK_GAP_MS = 60
# What the canvas must be faster by, at the 95th percentile.
REQUIRED = 4.0
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Both scripts call window.__answered with the milliseconds from mouse-up to the repainted panels.
# The page is not asked in between: asking would take time from what is measured.
COMMON = """
  window.__answered = (ms) => { window.__took = ms; window.__tell?.(ms); };
  window.__answer = () => new Promise((tell) => {
    if (window.__took !== null) return tell(window.__took);
    window.__tell = tell;
    setTimeout(() => tell(null), 10000);
  });
"""
WATCH_CANVAS = (
    "() => {"
    + COMMON
    + """
  const find = (node) => {
    const hit = node.querySelector('.board');
    if (hit) return hit;
    for (const e of node.querySelectorAll('*'))
      if (e.shadowRoot) { const h = find(e.shadowRoot); if (h) return h; }
    return null;
  };
  const board = find(document);
  let since = null;
  window.addEventListener('pointerup', () => {
    since = performance.now();
    window.__took = null;
  }, true);
  new MutationObserver(() => {
    const { pending, painted, step } = board.dataset;
    if (since === null || pending !== '0' || painted !== step) return;
    const start = since;
    since = null;
    requestAnimationFrame(() => window.__answered(performance.now() - start));
  }).observe(board, { attributes: true });
}
"""
)
WATCH_PLOTLY = (
    "() => {"
    + COMMON
    + """
  const step = () => {
    const nodes = [...document.querySelectorAll('.js-plotly-plot .gtitle')];
    const titles = nodes.map((t) => t.textContent);
    const steps = titles.filter((t) => /^(mavr|lgc) /.test(t)).map((t) => Number(t.split(' ')[1]));
    return steps.length === 2 && steps[0] === steps[1] ? steps[0] : null;
  };
  window.addEventListener('pointerup', () => {
    const start = performance.now(), before = step();
    window.__took = null;
    const look = () => {
      const now = step();
      if (now !== null && now !== before) window.__answered(performance.now() - start);
      else if (performance.now() - start < 20000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, true);
}
"""
)


def lines() -> Iterator[Line]:
    """Percentiles of both pages, their ratio, and the clicks that were kept of ten quick ones."""
    playwright = import_module("playwright.sync_api")
    executable = import_module("tools.ensure_chromium").find()
    if executable is None:
        raise ValueError(import_module("tools.ensure_chromium").WHAT_TO_INSTALL)
    with (
        _serve("app.py") as ours,
        _serve("tools/plotly_peer.py") as peer,
        playwright.sync_playwright() as p,
    ):
        browser = p.chromium.launch(executable_path=executable, args=FLAGS)
        for n in SIZES:
            yield from _compare(browser, ours, peer, n)
        browser.close()


def _compare(browser: Any, ours: str, peer: str, n: int) -> list[Line]:
    """Clicks on the two pages in turn: what else the machine does, it does to both."""
    canvas = _open(browser, f"{ours}/?data=three_circles&p.n={n}&seed=43", ".board .stage > canvas")
    plotly = _open(browser, f"{peer}/?n={n}", ".js-plotly-plot >> nth=2")
    canvas.evaluate(WATCH_CANVAS)
    plotly.evaluate(WATCH_PLOTLY)
    spots = _canvas_spots(canvas, CLICKS + QUICK_CLICKS)
    marks = plotly.locator(".js-plotly-plot").first.locator("path.point")
    times: dict[str, list[float]] = {"canvas": [], "plotly": []}
    for k in range(CLICKS):
        times["canvas"].append(_clicked(canvas, *spots[k]))
        box = marks.nth(round((k + 1) * n / (CLICKS + 1))).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        times["plotly"].append(_clicked(plotly, x, y))
    kept = _kept(canvas, spots[CLICKS:])
    lost = sum(not np.isfinite(t) for t in times["canvas"])
    for page in (canvas, plotly):
        page.close()
    a = np.percentile(times["canvas"], [50, 95], method="higher")
    # A click that the Plotly page loses is left out of its times, to its advantage.
    b = np.percentile([t for t in times["plotly"] if np.isfinite(t)], [50, 95], method="higher")
    return [
        Line(f"n = {n}: canvas, click to repaint, p50", a[0], "ms"),
        Line(f"n = {n}: canvas, click to repaint, p95", a[1], "ms"),
        Line(f"n = {n}: Plotly with on_select, p50", b[0], "ms"),
        Line(f"n = {n}: Plotly with on_select, p95", b[1], "ms"),
        Line(f"n = {n}: how much faster the canvas is at p95", b[1] / a[1], "x", REQUIRED),
        Line(f"n = {n}: answered of {CLICKS} clicks", CLICKS - lost, "", CLICKS),
        Line(
            f"n = {n}: kept of {QUICK_CLICKS} clicks {QUICK_GAP_MS} ms apart",
            kept,
            "",
            QUICK_CLICKS,
        ),
    ]


def _open(browser: Any, url: str, shown: str) -> Any:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(url)
    page.locator(shown).wait_for(timeout=120_000)
    page.wait_for_timeout(3000)
    return page


def _canvas_spots(page: Any, count: int) -> list[tuple[float, float]]:
    """Where to click: points without label, none so near another that a click could miss it."""
    spots = page.locator(".board .stage > canvas").evaluate(
        """(e, count) => {
          const { board, pixel } = e.mavr, found = [];
          const all = Array.from({ length: board.scene.n }, (_, i) => pixel(i, 0));
          const alone = (i) => all.every(([x, y], j) =>
            i === j || Math.hypot(x - all[i][0], y - all[i][1]) > 1);
          for (let i = 0; i < all.length; i++)
            if (board.given[i] < 0 && alone(i)) found.push(all[i]);
          return Array.from({ length: count }, (_, k) =>
            found[Math.floor(((k + 0.5) * found.length) / count)]);
        }""",
        count,
    )
    return [(float(x), float(y)) for x, y in spots]


def _kept(page: Any, spots: list[tuple[float, float]]) -> int:
    """How many of quick clicks on as many points became labels."""
    count = "e => e.mavr.board.given.filter((j) => j >= 0).length"
    surface = page.locator(".board .stage > canvas")
    before = surface.evaluate(count)
    for x, y in spots:
        page.mouse.click(x, y)
        page.wait_for_timeout(QUICK_GAP_MS)
    page.wait_for_timeout(3000)
    return int(surface.evaluate(count) - before)


def _clicked(page: Any, x: float, y: float) -> float:
    """Milliseconds until repainted; infinite if nothing came of the click."""
    page.evaluate("() => { window.__took = window.__tell = null; }")
    page.mouse.click(x, y)
    took = page.evaluate("() => window.__answer()")
    page.wait_for_timeout(PAUSE_MS)
    return float("inf") if took is None else float(took)


@contextmanager
def _serve(script: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += [f"--{name}={value}" for name, value in options.items()]
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_healthy(url)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise ValueError(f"the app did not answer at {url} within a minute; run `make run` to see why")
