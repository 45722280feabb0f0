"""Aim at points of the canvas and wait for its answers, as a person would by eye and hand."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
from playwright.sync_api import BrowserContext, Page, expect

PATIENCE_MS = 60_000


class Canvas:
    """The point canvas of an open page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".board")
        self.surface = page.locator(".board .stage > canvas")
        self.surface.wait_for()
        self.settle()

    def settle(self) -> None:
        """Wait until every event is acknowledged and drawn."""
        expect(self.root).to_have_attribute("data-pending", "0")
        self._wait("b => b.dataset.painted && b.dataset.painted === b.dataset.step")

    def _wait(self, condition: str) -> None:
        handle = self.root.element_handle()
        self.page.wait_for_function(condition, arg=handle, timeout=PATIENCE_MS)

    def step(self) -> int:
        return int(self.root.get_attribute("data-step") or -1)

    def wait_for_step(self, after: int) -> None:
        """Wait until Python has answered again."""
        handle = self.root.element_handle()
        self.page.wait_for_function(
            "([b, step]) => Number(b.dataset.step) > step && b.dataset.painted === b.dataset.step",
            arg=[handle, after],
            timeout=PATIENCE_MS,
        )

    def state(self, expression: str) -> Any:
        """A value of the board, as JavaScript with `board` in scope."""
        return self.surface.evaluate(f"e => {{ const board = e.mavr.board; return {expression}; }}")

    def pixel(self, i: int, panel: int = 0) -> tuple[float, float]:
        self.surface.scroll_into_view_if_needed()
        x, y = self.surface.evaluate("(e, [i, k]) => e.mavr.pixel(i, k)", [i, panel])
        return x, y

    def pixels(self, panel: int = 0) -> list[list[float]]:
        """Where every point is, asked for at once."""
        self.surface.scroll_into_view_if_needed()
        return self.surface.evaluate(
            "(e, k) => Array.from({ length: e.mavr.board.scene.n }, (_, i) => e.mavr.pixel(i, k))",
            panel,
        )

    def labels(self) -> dict[int, int]:
        """Labels that Python has confirmed."""
        given = self.state("Array.from(board.given)")
        return {i: j for i, j in enumerate(given) if j >= 0}

    def predictions(self, panel: int) -> list[int]:
        """Predicted classes in result panel 0 (left), 1 (right), ..."""
        return self.state(f"Array.from(board.scene.results[{panel}].pred)")

    def flags(self, panel: int) -> list[int]:
        return self.state(f"Array.from(board.scene.results[{panel}].flags)")

    def points(self) -> list[float]:
        return self.state("Array.from(board.scene.X)")

    def everything(self) -> dict[str, Any]:
        """What is on the screen: labels, classes, flags, numbers, the chart of rho."""
        found = self.state(
            """({
              labels: Array.from(board.given),
              points: Array.from(board.scene.X),
              alive: board.scene.alive && Array.from(board.scene.alive),
              results: board.scene.results.map((r) => [r.pred, r.flags, r.H, r.grid].map(
                (a) => a && Array.from(a))),
            })"""
        )
        numbers = self.page.locator('.numbers td:not([data-number="solved in"])')
        chart = self.page.locator(".st-key-playground-secular .js-plotly-plot")
        found["numbers"] = numbers.all_inner_texts()
        found["chart"] = chart.evaluate_all("all => all.map((e) => e.data.map((t) => [t.x, t.y]))")
        found["link"] = self.page.url.partition("?")[2]
        return found

    def opened_by_link(self, context: BrowserContext) -> dict[str, Any]:
        """Everything that a fresh page shows which is opened by this one's link."""
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(self.page.url)
        other, chart = Canvas(page), ".st-key-playground-secular .js-plotly-plot"
        other.rest()
        if self.page.locator(chart).count():
            page.locator(chart).wait_for()
        found = other.everything()
        page.close()
        return found

    def shown(self) -> int:
        """How many pictures have been drawn."""
        return int(self.root.get_attribute("data-shown") or 0)

    def watch(self, expression: str) -> None:
        """From now on, note a value of the board whenever a picture is drawn."""
        self.surface.evaluate(
            f"""(e) => {{
              const board = e.mavr.board, seen = (window.__seen = []);
              const note = () => seen.push({expression});
              new MutationObserver(note).observe(
                board.root, {{ attributes: true, attributeFilter: ["data-shown"] }});
            }}"""
        )

    def sway(self, path: list[tuple[float, float]], pictures: int) -> None:
        """Move the held mouse along a path and back, until so many different values were noted."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < deadline:
            for x, y in (*path, *reversed(path)):
                self.page.mouse.move(x, y)
                self.page.wait_for_timeout(20)
            if len(set(self.seen())) >= pictures:
                return
        raise AssertionError(f"{len(set(self.seen()))} different pictures while the hand moved")

    def seen(self) -> list[Any]:
        """What was noted, picture by picture."""
        return self.page.evaluate("window.__seen")

    def wait_live(self) -> None:
        """Wait until the live channel is open."""
        self._wait("b => b.dataset.live === 'open'")

    def rest(self) -> None:
        """Wait until the script has heard of everything and the page has followed."""
        self.page.wait_for_function(
            "() => !Object.keys(window.__mavrLive.changes).length", timeout=PATIENCE_MS
        )
        self.settle()
        expect(self.page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        # The address is that of the view which the board was sent.
        self.page.wait_for_function(
            """(b) => {
              const canvas = b.querySelector(".stage > canvas"), link = canvas.mavr.board.data.link;
              const now = Object.fromEntries(new URLSearchParams(window.location.search));
              const names = Object.keys(link);
              return names.length === Object.keys(now).length
                && names.every((name) => now[name] === link[name]);
            }""",
            arg=self.root.element_handle(),
            timeout=PATIENCE_MS,
        )

    def slider(self, link: str) -> Any:
        """The range input of a setting, by its name in the link."""
        return self.page.locator(f'.slider[data-link="{link}"] input[type="range"]')

    def begin_film(self, link: str) -> Any:
        """Play a setting and click for a film of it; the button, when the film is under way."""
        row = self.page.locator(f'.slider[data-link="{link}"]')
        row.get_by_role("button", name="Play").click()
        button = row.get_by_role("button", name="Save one sweep as a film")
        button.click()
        expect(button).to_have_text(re.compile("[1-9]"))
        return button

    def exact(self, link: str, text: str) -> None:
        """Type the exact value of a setting."""
        field = self.page.locator(f'.slider[data-link="{link}"] input[type="text"]')
        field.fill(text)
        field.press("Enter")

    def slide(self, link: str, *shares: float, wait: float = 0) -> None:
        """Drag a slider to places between its ends, without a rest before the last."""
        slider = self.slider(link)
        slider.scroll_into_view_if_needed()
        box, now = slider.bounding_box(), float(slider.input_value()) / 600
        mouse = self.page.mouse

        def at(share: float) -> tuple[float, float]:
            return box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2

        mouse.move(*at(now))
        mouse.down()
        for share in shares:
            mouse.move(*at(share), steps=4)
            if wait:
                self.page.wait_for_timeout(wait)
        mouse.up()

    def click(self, i: int, panel: int = 0, button: Any = "left") -> None:
        self.page.mouse.click(*self.pixel(i, panel), button=button)
        self.settle()

    def drag(self, *path: tuple[float, float]) -> None:
        self.page.mouse.move(*path[0])
        self.page.mouse.down()
        for point in path[1:]:
            self.page.mouse.move(*point, steps=4)
        self.page.mouse.up()
        self.settle()

    def tool(self, name: str) -> None:
        self.page.locator(f'.board button[data-tool="{name}"]').click()

    def choose(self, j: int) -> None:
        self.page.locator(f'.board button[data-class="{j}"]').click()

    def alone(self) -> int:
        """An unlabelled point with no other within reach of a click."""
        X = np.array(self.points()).reshape(-1, 2)
        distance = np.linalg.norm(X[:, None] - X[None], axis=2) + 1e9 * np.eye(len(X))
        order = np.argsort(-distance.min(axis=1))
        known = self.labels()
        return next(int(i) for i in order if int(i) not in known)

    def unlabelled(self) -> list[int]:
        known = self.labels()
        return [i for i in range(self.state("board.scene.n")) if i not in known]
