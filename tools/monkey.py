"""A seeded monkey in a real browser, over all pages: ``python -m tools.monkey --seconds 1200``.

It clicks, drags, types, chooses and goes back and forth. What it must not find: an error in the
page or on its console, an exception or our own apology on the page, a request to another host,
memory of the server that goes on growing after the first minutes.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab.server.errors import SENTENCE
from mavr.commands.load.report import resident
from tools import serve

PAGES = (
    *("", "map", "serendipity", "multilabel", "lessons"),
    *("error_curves", "benchmarks", "theory", "guide"),
)
SIZES = ((1440, 900), (390, 844))
TEXTS = ("0", "-1", "1e400", "3", "0.5", "²", "<b>x</b>", "9" * 40, "")
# A control that is gone or covered is given up after so many milliseconds.
PATIENCE_MS = 1500
# Megabytes for the server's caches. Full caches are no leak: with little room for them, what still
# grows is one.
CACHES_MB = 96
# Megabytes that may come after the first minute beside those.
SLACK_MB, FIRST_SECONDS = 50.0, 60.0
PARTS = 10
# What the console says when a page is left in the middle of a request, or when a machine that
# stands still loses a connection, is no fault of a page.
OF_THE_NETWORK = ("Failed to load resource", "when disconnected from server")
# Characters of the server's log that are shown with a fault.
LOG = 6000


class Monkey:
    """faults : what should not have happened; done : how often it did what."""

    def __init__(self, page: Any, url: str, seed: int) -> None:
        self.page, self.url, self.draw = page, url, random.Random(seed)
        self.faults: list[str] = []
        self.done: Counter[str] = Counter()
        page.on("pageerror", lambda error: self._fault(f"JavaScript error: {error}"))
        page.on("console", self._heard)
        page.on("request", self._asked)
        page.on("dialog", lambda dialog: dialog.dismiss())

    def open(self, path: str) -> None:
        """Open a page and wait until it is drawn."""
        self.page.goto(f"{self.url}/{path}")
        self.page.locator('[data-test-script-state="notRunning"]').wait_for()
        self.look()

    def step(self) -> None:
        """Do one thing, and look at what came of it."""
        names = list(ACTIONS)
        (name,) = self.draw.choices(names, weights=[ACTIONS[n][1] for n in names])
        try:
            ACTIONS[name][0](self)
            self.done[name] += 1
        except Exception as error:  # a control that went away under the hand is no fault
            gone = ("detached", "not attached")
            if "Timeout" not in type(error).__name__ and not any(w in str(error) for w in gone):
                raise
            self.done["missed"] += 1
        self.page.wait_for_timeout(self.draw.choice((20, 150, 400)))
        self.look()

    def look(self) -> None:
        """What the page shows."""
        for text in self.page.locator('[data-testid="stException"]:visible').all_inner_texts():
            self._fault(f"the page shows an exception: {text[:200]}")
        if self.page.get_by_text(SENTENCE[:40]).count():
            self._fault("the page says sorry")

    def any(self, selector: str) -> Any:
        """One of the visible elements, or None."""
        found = self.page.locator(f"{selector} >> visible=true")
        count = found.count()
        return found.nth(self.draw.randrange(count)) if count else None

    def click(self, selector: str) -> bool:
        """Click one of the visible elements; whether there is one."""
        if (found := self.any(selector)) is not None:
            found.click(timeout=PATIENCE_MS)
        return found is not None

    def drag(self, selector: str, level: bool = False) -> None:
        """A click, or a drag, inside of one of the visible elements."""
        if (found := self.any(selector)) is None:
            return
        found.scroll_into_view_if_needed(timeout=PATIENCE_MS)
        if not (box := found.bounding_box()):
            return

        def spot() -> tuple[float, float]:
            y = 0.5 if level else self.draw.random()
            return box["x"] + self.draw.random() * box["width"], box["y"] + y * box["height"]

        self.page.mouse.move(*spot())
        self.page.mouse.down()
        if self.draw.random() < 0.5:
            self.page.mouse.move(*spot(), steps=6)
        self.page.mouse.up()

    def _heard(self, message: Any) -> None:
        if message.type == "error" and not any(words in message.text for words in OF_THE_NETWORK):
            self._fault(f"console: {message.text[:300]}")

    def _asked(self, request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            self._fault(f"a request to another host: {request.url[:200]}")

    def _fault(self, text: str) -> None:
        self.faults.append(f"{text} (at {self.page.url[:300]})")


def _go(m: Monkey) -> None:
    m.open(m.draw.choice(PAGES))


def _resize(m: Monkey) -> None:
    width, height = m.draw.choice(SIZES)
    m.page.set_viewport_size({"width": width, "height": height})


def _history(m: Monkey) -> None:
    m.page.go_back(timeout=5000) if m.draw.random() < 0.6 else m.page.go_forward(timeout=5000)
    m.page.locator('[data-testid="stApp"]').wait_for(timeout=20_000)


def _choose(m: Monkey) -> None:
    if m.click('[data-testid="stSelectbox"] input'):
        m.click('[role="option"]')


def _type(m: Monkey) -> None:
    # As a hand types: the browser itself refuses letters where a number is asked for.
    if m.click('input[type="text"]:enabled, input[type="number"]:enabled'):
        m.page.keyboard.press("ControlOrMeta+a")
        m.page.keyboard.press("Delete")
        m.page.keyboard.type(m.draw.choice(TEXTS))
        m.page.keyboard.press("Enter")


def _key(m: Monkey) -> None:
    m.page.keyboard.press(m.draw.choice(("Control+z", "Control+y", "Escape", "Tab", "1", "2")))


# With how often each is done.
ACTIONS: dict[str, tuple[Callable[[Monkey], object], float]] = {
    "page": (_go, 2),
    "size": (_resize, 0.5),
    "history": (_history, 1),
    "button": (lambda m: m.click("button:enabled"), 5),
    "check": (lambda m: m.click('[data-testid="stCheckbox"] label'), 2),
    "choose": (_choose, 2),
    "type": (_type, 2),
    "slide": (lambda m: m.drag('input[type="range"]', level=True), 4),
    "canvas": (lambda m: m.drag("canvas"), 8),
    "key": (_key, 2),
}


def main() -> int:
    """Walk for so long; exit code 1 if something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.environ["MAVR_MEMORY_MB"] = str(CACHES_MB)
    port, log = serve.free_port(), Path(tempfile.mkdtemp()) / "server.log"
    server = serve.start("app.py", port, log)
    url, memory = f"http://127.0.0.1:{port}", []
    try:
        serve.wait_until_healthy(url, server)
        with serve.chromium() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(60_000)
            monkey, start = Monkey(page, url, arguments.seed), time.monotonic()
            monkey.open("")
            while (passed := time.monotonic() - start) < arguments.seconds and not monkey.faults:
                monkey.step()
                memory.append((passed, resident(server.pid)))
    finally:
        serve.stop(server)
    if monkey.faults:
        print(log.read_text(encoding="utf-8", errors="replace")[-LOG:])
    return report(monkey, memory, arguments.seconds)


def report(monkey: Monkey, memory: list[tuple[float, float]], seconds: float) -> int:
    """Print what was done and found; the exit code."""
    print(", ".join(f"{name} {count}" for name, count in monkey.done.most_common()))
    early = max((mb for at, mb in memory if at <= FIRST_SECONDS), default=0.0)
    most = max((mb for _, mb in memory), default=0.0)
    parts = [[mb for at, mb in memory if k <= PARTS * at / seconds < k + 1] for k in range(PARTS)]
    said = ", ".join(f"{max(part, default=0.0):.0f}" for part in parts)
    print(f"memory of the server, most of each tenth: {said} MB")
    if most > early + CACHES_MB + SLACK_MB:
        monkey.faults.append("the memory of the server goes on growing")
    for fault in monkey.faults:
        print(f"FAULT: {fault}")
    print("nothing found" if not monkey.faults else f"{len(monkey.faults)} faults")
    return 1 if monkey.faults else 0


if __name__ == "__main__":
    sys.exit(main())
