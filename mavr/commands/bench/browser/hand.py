"""A hand that clicks and drags, as a person would by eye."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

VIEWPORT = {"width": 1440, "height": 900}
# Between the answer and the next click, on all pages: a person looks before clicking again.
PAUSE_MS = 700
QUICK_CLICKS = 10
QUICK_GAP_MS = 60
DRAG_SECONDS = 3.0
# A mouse reports about so often.
MOVE_MS = 8

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


def settle(page: Any, shown: str) -> None:
    """Wait until a page is drawn and at rest."""
    page.locator(shown).wait_for(timeout=120_000)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.wait_for_timeout(3000)


def settle_board(page: Any, live: bool) -> None:
    """Wait until a board is drawn and at rest; live : and its socket is open."""
    settle(page, BOARD)
    ready = "e => !!e.mavr?.board.data" + (" && window.__mavrLive.socket?.readyState === 1" * live)
    deadline = time.monotonic() + 60
    while not page.locator(BOARD).evaluate(ready):
        if time.monotonic() > deadline:
            raise ValueError("the board was not drawn within a minute")
        page.wait_for_timeout(100)


def spots(page: Any, count: int) -> list[tuple[float, float]]:
    """Where to click: points without label, none so near another that a click could miss it."""
    found = page.locator(BOARD).evaluate(FREE_SPOTS, count)
    return [(float(x), float(y)) for x, y in found]


def click(page: Any, x: float, y: float) -> float:
    """Milliseconds until repainted; infinite if nothing came of the click."""
    page.evaluate("() => { window.__took = window.__tell = null; }")
    page.mouse.click(x, y)
    took = page.evaluate("() => window.__answer()")
    page.wait_for_timeout(PAUSE_MS)
    return float("inf") if took is None else float(took)


def quick_clicks(page: Any, places: list[tuple[float, float]]) -> int:
    """How many of quick clicks on as many points became labels."""
    surface = page.locator(BOARD)
    before = surface.evaluate(COUNT_LABELS)
    for x, y in places:
        page.mouse.click(x, y)
        page.wait_for_timeout(QUICK_GAP_MS)
    page.wait_for_timeout(3000)
    return int(surface.evaluate(COUNT_LABELS) - before)


def drag_slider(page: Any, link: str) -> Drag:
    """Drag a slider over a part of its range."""
    place = f'.slider[data-link="{link}"] input[type=range]'
    page.evaluate(
        "place => window.__find(place).addEventListener('input', window.__moved, true)", place
    )
    box = page.locator(place).bounding_box()
    left, right = (box["x"] + share * box["width"] for share in (0.4, 0.6))
    return _drag(page, left, right, box["y"] + box["height"] / 2)


def drag_relation(page: Any) -> Drag:
    """Drag an entry of P sideways, within what keeps P positive definite."""
    place = '.relation input[data-j="0"][data-k="1"]'
    locator = page.locator(place)
    locator.scroll_into_view_if_needed()
    page.evaluate(
        "place => window.__find(place).addEventListener('pointermove', window.__moved)", place
    )
    box = locator.bounding_box()
    x = box["x"] + box["width"] / 2
    return _drag(page, x, x + 60, box["y"] + box["height"] / 2)


def _drag(page: Any, left: float, right: float, y: float) -> Drag:
    page.evaluate("() => Object.assign(window.__drag, { since: null, times: [], shown: 0 })")
    page.mouse.move(left, y)
    page.mouse.down()
    start = time.monotonic()
    while (passed := (time.monotonic() - start) / DRAG_SECONDS) < 1:
        # There and back.
        share = 2 * passed if passed < 0.5 else 2 - 2 * passed
        page.mouse.move(left + share * (right - left), y)
        page.wait_for_timeout(MOVE_MS)
    seen = page.evaluate("() => ({ times: window.__drag.times, shown: window.__drag.shown })")
    page.mouse.up()
    page.wait_for_timeout(1000)
    return Drag([float(t) for t in seen["times"]], seen["shown"] / DRAG_SECONDS)
