"""The hand and the picture in a real browser: our board over the socket, our board without it, and
the same page drawn with Plotly, side by side.

A click's time runs from the mouse button going up to the frame in which every panel shows the
answer, on all pages after it was held down as long as a finger holds it (`hand.PRESS_MS`), and on
ours once more after no time at all; a drag's from the first move that is not yet shown to the
picture that shows it. Both are taken in the page itself. Needs the development requirements
(Playwright), a Chromium and a checkout.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import numpy as np

from mavr.commands.bench.browser import hand, scripts
from mavr.commands.bench.browser.opened import measured
from mavr.commands.bench.timing import Line
from mavr.commands.load.visitor import Visitor

SIZES = (300, 1000, 3000)
CLICKS, DRAGS = 30, 3
# After its first visitor the server starts its workers and gets every page ready.
WARM_SECONDS = 12
# At most so many milliseconds at the 95th percentile, and so many frames a second while dragging.
MOST_MS = {300: 40.0, 1000: 40.0, 3000: 100.0}
LEAST_FRAMES = {300: 50.0, 1000: 30.0}
LEAST_SIGMA_FRAMES = 20.0
FASTER = 12.0
# Our board over the socket, and how many milliseconds the button is held.
LIVE = {"live": hand.PRESS_MS, "live, not held": 0}
PEOPLE, LEAST_EACH, CROWD_SECONDS = 20, 10.0, 5.0


def lines(clicks: int = CLICKS) -> Iterator[Line]:
    """Clicks, drags and frames at every size, then many people at once."""
    return measured(partial(_lines, clicks), "app.py", "tools/plotly_peer.py")


async def _lines(clicks: int, browser: Any, ours: str, peer: str) -> AsyncIterator[Line]:
    page = await _board(browser, ours, SIZES[0])
    await asyncio.sleep(WARM_SECONDS)
    await page.close()
    for n in SIZES:
        for line in await _clicks(browser, ours, peer, n, clicks):
            yield line
        for line in await _drags(browser, ours, n):
            yield line
    for line in await _crowd(ours):
        yield line


async def _board(browser: Any, url: str, n: int, live: bool = True) -> Any:
    page = await browser.new_page(viewport=hand.VIEWPORT)
    if not live:
        await page.add_init_script(scripts.NO_SOCKET)
    await page.goto(f"{url}/?data=three_circles&p.n={n}&seed=43")
    await hand.settle_board(page, live)
    await page.evaluate(scripts.WATCH_BOARD)
    return page


async def _clicks(browser: Any, ours: str, peer: str, n: int, clicks: int) -> list[Line]:
    """Clicks on the three pages in turn: what else the machine does, it does to all."""
    pages = {
        **{name: await _board(browser, ours, n) for name in LIVE},
        "fallback": await _board(browser, ours, n, live=False),
    }
    plotly = await browser.new_page(viewport=hand.VIEWPORT)
    await plotly.goto(f"{peer}/?n={n}")
    await hand.settle(plotly, ".js-plotly-plot >> nth=2")
    await plotly.evaluate(scripts.WATCH_PLOTLY)
    count = clicks + hand.QUICK_CLICKS
    spots = {name: await hand.spots(page, count) for name, page in pages.items()}
    marks = plotly.locator(".js-plotly-plot").first.locator("path.point")
    times: dict[str, list[float]] = {name: [] for name in (*pages, "Plotly")}
    for k in range(clicks):
        for name, page in pages.items():
            held = LIVE.get(name, hand.PRESS_MS)
            times[name].append(await hand.click(page, *spots[name][k], held))
        box = await marks.nth(round((k + 1) * n / (clicks + 1))).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        times["Plotly"].append(await hand.click(plotly, x, y))
    kept = await hand.quick_clicks(pages["live"], spots["live"][clicks:])
    for page in (*pages.values(), plotly):
        await page.close()
    # A click that the Plotly page loses is left out of its times, to its advantage.
    times["Plotly"] = [t for t in times["Plotly"] if np.isfinite(t)]
    found = {name: np.percentile(t, [50, 95], method="higher") for name, t in times.items()}
    answered = sum(map(np.isfinite, times["live"]))
    quick = f"kept of {hand.QUICK_CLICKS} clicks {hand.QUICK_GAP_MS} ms apart"
    ratios = {name: found["Plotly"][1] / found[name][1] for name in LIVE}
    return [
        *(Line(f"n = {n}: click, {name}, p50", v[0], "ms") for name, v in found.items()),
        *(
            Line(f"n = {n}: click, {name}, p95", found[name][1], "ms", most=MOST_MS[n])
            for name in LIVE
        ),
        *(
            Line(f"n = {n}: click, {name}, p95", found[name][1], "ms")
            for name in ("fallback", "Plotly")
        ),
        *(
            Line(f"n = {n}: click, Plotly's p95 / {name}", ratio, "x", FASTER if k == 0 else None)
            for k, (name, ratio) in enumerate(ratios.items())
        ),
        Line(f"n = {n}: answered of {clicks} clicks", float(answered), "", clicks),
        Line(f"n = {n}: {quick}", kept, "", hand.QUICK_CLICKS),
    ]


async def _drags(browser: Any, ours: str, n: int) -> list[Line]:
    """Dragging for three seconds, three times each: γ, σ, an entry of P."""
    found = []
    for name, drag in (
        ("γ", lambda page: hand.drag_slider(page, "gamma")),
        ("σ", lambda page: hand.drag_slider(page, "sigma")),
        ("P", hand.drag_relation),
    ):
        page = await _board(browser, ours, n)
        found += _drag_lines(n, name, [await drag(page) for _ in range(DRAGS)])
        await page.close()
    return found


def _drag_lines(n: int, name: str, drags: list[hand.Drag]) -> list[Line]:
    times = [time for drag in drags for time in drag.times]
    p50, p95 = np.percentile(times or [np.inf], [50, 95], method="higher")
    frames = float(np.mean([drag.frames_per_second for drag in drags]))
    most = MOST_MS[n] if name == "γ" else None
    least = LEAST_FRAMES.get(n) if name == "γ" else None
    if name == "σ" and n == 300:
        least = LEAST_SIGMA_FRAMES
    return [
        Line(f"n = {n}: drag of {name}, move to painted, p50", p50, "ms"),
        Line(f"n = {n}: drag of {name}, move to painted, p95", p95, "ms", most=most),
        Line(f"n = {n}: drag of {name}, frames", frames, "/s", least),
    ]


async def _crowd(url: str) -> list[Line]:
    """People with a session and points of their own who drag γ, each move as soon as the one before
    is answered. Their browsers would stand elsewhere: nothing is drawn here."""
    people = [Visitor(url) for _ in range(PEOPLE)]
    for k, person in enumerate(people):
        await person.open("", f"data=three_circles&p.n=300&seed={43 + k}")
        await person.ask({"gamma": "99"}, [])
    frames = await asyncio.gather(*(_dragged(person, CROWD_SECONDS) for person in people))
    for person in people:
        await person.close()
    least = min(frames) / CROWD_SECONDS
    name = f"n = 300: {PEOPLE} people dragging, least frames of one"
    return [Line(name, least, "/s", LEAST_EACH)]


async def _dragged(person: Visitor, seconds: float) -> int:
    """How many pictures of different γ come within so many seconds."""
    end, frames = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        await person.ask({"gamma": f"{random.uniform(10, 100):.4g}"}, [])
        frames += 1
    return frames
