"""A hand that clicks and drags, as a person would by eye."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

VIEWPORT = {"width": 1440, "height": 900}
# Between the answer and the next click, on all pages: a person looks before clicking again.
PAUSE_MS = 700
# A finger holds a button down for about 60 to 120 ms; a touch pad or a script for no time at all.
PRESS_MS = 60
QUICK_CLICKS = 10
QUICK_GAP_MS = 60
DRAG_SECONDS = 3.0
# A mouse reports about so often.
MOVE_MS = 8
MOST_UNSEEN = 8

BOARD = ".board .stage > canvas"
AT_REST = (
    "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
)
COUNT_LABELS = "e => e.mavr.board.given.filter((j) => j >= 0).length"
FREE_SPOTS = """
(e, count) => {
  const { board, pixel } = e.mavr, found = [];
  const all = Array.from({ length: board.scene.n }, (_, i) => pixel(i, 0));
  const alone = (i) => all.every(([x, y], j) =>
    i === j || Math.hypot(x - all[i][0], y - all[i][1]) > 1);
  for (let i = 0; i < all.length; i++)
    if (board.given[i] < 0 && alone(i)) found.push(all[i]);
  return Array.from({ length: count }, (_, k) =>
    found[Math.floor(((k + 0.5) * found.length) / count)]);
}
"""


@dataclass(frozen=True)
class Drag:
    """times : milliseconds from a move to the picture that shows it."""

    times: list[float]
    frames_per_second: float


async def settle(page: Any, shown: str) -> None:
    """Wait until a page is drawn and at rest."""
    await page.locator(shown).wait_for(timeout=120_000)
    await page.wait_for_function(AT_REST, timeout=120_000)
    await page.wait_for_timeout(3000)


async def settle_board(page: Any, live: bool) -> None:
    """Wait until a board is drawn and at rest; live : and its socket is open."""
    await settle(page, BOARD)
    ready = "e => !!e.mavr?.board.data" + (" && window.__mavrLive.socket?.readyState === 1" * live)
    deadline = time.monotonic() + 60
    while not await page.locator(BOARD).evaluate(ready):
        if time.monotonic() > deadline:
            raise ValueError("the board was not drawn within a minute")
        await page.wait_for_timeout(100)


async def spots(page: Any, count: int) -> list[tuple[float, float]]:
    """Where to click: points without label, none so near another that a click could miss it."""
    found = await page.locator(BOARD).evaluate(FREE_SPOTS, count)
    return [(float(x), float(y)) for x, y in found]


async def click(page: Any, x: float, y: float, press_ms: int = PRESS_MS) -> float:
    """Milliseconds from release to repainted; infinite if nothing came of the click."""
    await page.evaluate("() => { window.__took = window.__tell = null; }")
    await page.mouse.click(x, y, delay=press_ms)
    took = await page.evaluate("() => window.__answer()")
    await page.wait_for_timeout(PAUSE_MS)
    return float("inf") if took is None else float(took)


async def quick_clicks(page: Any, places: list[tuple[float, float]]) -> int:
    """How many of quick clicks on as many points became labels."""
    surface = page.locator(BOARD)
    before = await surface.evaluate(COUNT_LABELS)
    for x, y in places:
        await page.mouse.click(x, y)
        await page.wait_for_timeout(QUICK_GAP_MS)
    await page.wait_for_timeout(3000)
    return int(await surface.evaluate(COUNT_LABELS) - before)


async def drag_slider(page: Any, link: str) -> Drag:
    """Drag a slider over a part of its range."""
    place = f'.slider[data-link="{link}"] input[type=range]'
    await page.evaluate(
        "place => window.__find(place).addEventListener('input', window.__moved, true)", place
    )
    box = await page.locator(place).bounding_box()
    left, right = (box["x"] + share * box["width"] for share in (0.4, 0.6))
    return await _drag(page, left, right, box["y"] + box["height"] / 2)


async def drag_relation(page: Any) -> Drag:
    """Drag an entry of P sideways, within what keeps P positive definite."""
    place = '.relation input[data-j="0"][data-k="1"]'
    locator = page.locator(place)
    await locator.scroll_into_view_if_needed()
    await page.evaluate(
        "place => window.__find(place).addEventListener('pointermove', window.__moved)", place
    )
    box = await locator.bounding_box()
    x = box["x"] + box["width"] / 2
    return await _drag(page, x, x + 60, box["y"] + box["height"] / 2)


async def hover(page: Any, path: Callable[[float], tuple[float, float]], seconds: float) -> None:
    """Move the mouse along a path, given for 0 to 1."""
    start, moves = time.monotonic(), set[asyncio.Task[None]]()
    while (passed := (time.monotonic() - start) / seconds) < 1:
        # A mouse does not wait until a page has seen it move; a page far behind misses some.
        if len(moves) < MOST_UNSEEN:
            move = asyncio.create_task(page.mouse.move(*path(passed)))
            moves.add(move)
            move.add_done_callback(moves.discard)
        await asyncio.sleep(MOVE_MS / 1000)
    await asyncio.gather(*moves)


async def _drag(page: Any, left: float, right: float, y: float) -> Drag:
    await page.evaluate("() => Object.assign(window.__drag, { since: null, times: [], shown: 0 })")
    await page.mouse.move(left, y)
    await page.mouse.down()

    def there_and_back(passed: float) -> tuple[float, float]:
        return left + (1 - abs(2 * passed - 1)) * (right - left), y

    await hover(page, there_and_back, DRAG_SECONDS)
    seen = await page.evaluate("() => ({ times: window.__drag.times, shown: window.__drag.shown })")
    await page.mouse.up()
    await page.wait_for_timeout(1000)
    return Drag([float(t) for t in seen["times"]], seen["shown"] / DRAG_SECONDS)
