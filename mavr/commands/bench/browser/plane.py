"""The pointer over the map in a real browser: from a move to the points that are painted anew.

The clock starts with the time stamp of the first move onto another cell that is not yet shown, and
stops in a task after the frame in which the points were painted. Both are taken in the page itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np

from mavr.commands.bench.browser import hand
from mavr.commands.bench.browser.opened import measured
from mavr.commands.bench.timing import Line

SIZES = (300, 1000)
MOST_MS = 33.0
SECONDS = 6.0
FILLING_MS = 300_000
WATCH = """
(root) => {
  const map = root.mavr, seen = (window.__hover = { times: [], painted: 0, cells: 0 });
  let since = null, cell = map.hover;
  // After the map's own listener: the cell is known.
  map.frame.addEventListener("pointermove", (e) => {
    if (map.hover === cell) return;
    cell = map.hover;
    seen.cells++;
    since ??= e.timeStamp;
  });
  const after = new MessageChannel();
  after.port1.onmessage = (e) => seen.times.push(performance.now() - e.data);
  new MutationObserver(() => {
    seen.painted++;
    if (since === null) return;
    after.port2.postMessage(since);
    since = null;
  }).observe(root, { attributes: true, attributeFilter: ["data-painted"] });
}
"""
FULL = "root => root.dataset.state === 'done' && root.mavr.s.count === root.mavr.data.all_chunks"


def lines() -> Iterator[Line]:
    """Moves over a full map at every size."""
    return measured(_lines, "app.py")


async def _lines(browser: Any, url: str) -> AsyncIterator[Line]:
    for n in SIZES:
        for line in await _moves(browser, url, n):
            yield line


async def _moves(browser: Any, url: str, n: int) -> list[Line]:
    page = await browser.new_page(viewport=hand.VIEWPORT)
    # Axes on one graph: the map is full soon, and what is painted is as much as on any other.
    await page.goto(f"{url}/map?data=three_circles&p.n={n}&seed=43&x=gamma&y=tau")
    root = page.locator(".map")
    await root.locator(".base").wait_for(timeout=FILLING_MS)
    await page.wait_for_function(FULL, arg=await root.element_handle(), timeout=FILLING_MS)
    await page.wait_for_timeout(3000)
    await root.evaluate(WATCH)
    box = await root.locator(".base").bounding_box()
    x, y = box["x"] + 0.55 * box["width"], box["y"] + 0.4 * box["height"]
    size = 0.3 * min(box["width"], box["height"])
    # Nearly every move comes to another cell, and no cell twice in a row.
    await hand.hover(
        page, lambda t: (x + size * cos(14 * pi * t), y + size * sin(10 * pi * t)), SECONDS
    )
    seen = await page.evaluate("() => window.__hover")
    await page.close()
    p50, p95 = np.percentile(seen["times"] or [np.inf], [50, 95], method="higher")
    return [
        Line(f"n = {n}: pointer on the map to repainted points, p50", p50, "ms"),
        Line(f"n = {n}: pointer on the map to repainted points, p95", p95, "ms", most=MOST_MS),
        Line(f"n = {n}: pictures while the pointer moves", seen["painted"] / SECONDS, "/s"),
    ]
