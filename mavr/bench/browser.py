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

from mavr.bench.timing import Line

ROOT = Path(__file__).resolve().parents[2]
SIZES = (300, 1000, 3000)
CLICKS = 20
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

# Both scripts leave window.__took: milliseconds from mouse-up to the repainted panels.
WATCH_CANVAS = """
() => {
  const find = (node) => {
    const hit = node.querySelector('.board');
    if (hit) return hit;
    for (const e of node.querySelectorAll('*'))
      if (e.shadowRoot) { const h = find(e.shadowRoot); if (h) return h; }
    return null;
  };
  const board = find(document);
  let since = null;
  const started = () => { since = performance.now(); window.__took = null; };
  window.addEventListener('pointerup', started, true);
  new MutationObserver(() => {
    const { pending, painted, step } = board.dataset;
    if (since !== null && pending === '0' && painted === step) {
      const start = since;
      since = null;
      requestAnimationFrame(() => { window.__took = performance.now() - start; });
    }
  }).observe(board, { attributes: true });
}
"""
WATCH_PLOTLY = """
() => {
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
      if (now !== null && now !== before) window.__took = performance.now() - start;
      else if (performance.now() - start < 20000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, true);
}
"""


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
    canvas, kept = _time_canvas(browser, f"{ours}/?data=three_circles&p.n={n}&seed=43")
    plotly = _time_plotly(browser, f"{peer}/?n={n}")
    a, b = np.percentile(canvas, [50, 95]), np.percentile(plotly, [50, 95])
    return [
        Line(f"n = {n}: canvas, click to repaint, p50", a[0], "ms"),
        Line(f"n = {n}: canvas, click to repaint, p95", a[1], "ms"),
        Line(f"n = {n}: Plotly with on_select, p50", b[0], "ms"),
        Line(f"n = {n}: Plotly with on_select, p95", b[1], "ms"),
        Line(f"n = {n}: how much faster the canvas is at p95", b[1] / a[1], "x", REQUIRED),
        Line(
            f"n = {n}: kept of {QUICK_CLICKS} clicks {QUICK_GAP_MS} ms apart",
            kept,
            "",
            QUICK_CLICKS,
        ),
    ]


def _time_canvas(browser: Any, url: str) -> tuple[list[float], int]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(url)
    surface = page.locator(".board .stage > canvas")
    surface.wait_for(timeout=120_000)
    page.wait_for_timeout(3000)
    page.evaluate(WATCH_CANVAS)
    where = "(e, i) => e.mavr.pixel(i, 0)"
    total = surface.evaluate("e => e.mavr.board.scene.n")
    spots = [surface.evaluate(where, int(i)) for i in np.linspace(1, total - 1, CLICKS + 2)]
    times = [_clicked(page, x, y) for x, y in spots[1:-1]]
    count = "e => e.mavr.board.given.filter((j) => j >= 0).length"
    before = surface.evaluate(count)
    step = max(total // (QUICK_CLICKS + 1), 1)
    for k in range(QUICK_CLICKS):
        x, y = surface.evaluate(where, 5 + k * step)
        page.mouse.click(x, y)
        page.wait_for_timeout(QUICK_GAP_MS)
    page.wait_for_timeout(3000)
    # A click on a point that has this label already takes it away: both count as kept.
    after = surface.evaluate(count)
    acknowledged = surface.evaluate("e => e.mavr.board.ack")
    page.close()
    kept = acknowledged - len(times)
    return times, int(kept if after != before else 0)


def _time_plotly(browser: Any, url: str) -> list[float]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(url)
    page.locator(".js-plotly-plot").nth(2).wait_for(timeout=120_000)
    page.wait_for_timeout(3000)
    page.evaluate(WATCH_PLOTLY)
    times: list[float] = []
    points = page.locator(".js-plotly-plot").first.locator("path.point")
    total = points.count()
    for i in np.linspace(1, total - 1, CLICKS + 2)[1:-1]:
        box = points.nth(int(i)).bounding_box()
        if box:
            took = _clicked(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            times.append(took)
        page.wait_for_timeout(400)
    page.close()
    return [t for t in times if np.isfinite(t)]


def _clicked(page: Any, x: float, y: float) -> float:
    """Milliseconds until repainted; infinite if nothing came of the click."""
    page.evaluate("() => { window.__took = null; }")
    page.mouse.click(x, y)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        took = page.evaluate("() => window.__took")
        if took is not None:
            page.wait_for_timeout(150)
            return float(took)
        page.wait_for_timeout(20)
    return float("inf")


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
