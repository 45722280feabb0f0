"""The picture and the short animation of README.md, made from the app itself.

python -m tools.readme_pictures docs/pictures
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from tools.pictures import drawn
from tools.serve import chromium, served

PLAYGROUND = "?data=three_circles&seed=43&labels=2.0_107.1_138.1_153.2_245.2"
# Nothing is labelled, and the board is all there is.
EMPTY = "?data=three_circles&seed=43&labels=&keep=&embed=true"
# Points to label, with their classes: one each, then one where MAVR was wrong.
GIVEN = ((2, 0), (107, 1), (153, 2))
PICTURE, ANIMATION = "playground.png", "labelling.webp"
WINDOW = {"width": 1440, "height": 900}
FRAME = {"width": 800, "height": 532}
# Milliseconds of a frame while the hand moves, after a click, and of the last one.
MOVING, LOOKING, LAST = 60, 900, 2600
STEPS = 6
MAX_BYTES = 700_000
HAND = """
const hand = document.createElement("div");
hand.id = "hand";
hand.innerHTML = '<svg width="22" height="22" viewBox="0 0 22 22">'
  + '<path d="M2 2v15l4-4 3 7 3-1.3-3-6.7h6z" fill="#111" stroke="#fff" stroke-width="1.5"/></svg>';
hand.style.cssText = "position:fixed;left:0;top:0;z-index:10000000;pointer-events:none";
document.body.append(hand);
"""


class Film:
    """A window with a hand that can be seen, and the frames taken of it."""

    def __init__(self, page: Page) -> None:
        self.page, self.frames, self.times = page, list[Image.Image](), list[int]()
        self.at = (FRAME["width"] * 0.55, FRAME["height"] * 0.8)
        page.evaluate(f"() => {{ {HAND} }}")

    def take(self, milliseconds: int) -> None:
        self.page.evaluate(
            "([x, y]) => { document.querySelector('#hand').style.transform ="
            " `translate(${x - 2}px, ${y - 2}px)`; }",
            list(self.at),
        )
        self.frames.append(_image(self.page))
        self.times.append(milliseconds)

    def click(self, x: float, y: float) -> None:
        """Glide there, click, and look at what it did."""
        (x0, y0), steps = self.at, [k / STEPS for k in range(1, STEPS + 1)]
        for t in (s * s * (3 - 2 * s) for s in steps):
            self.at = (x0 + t * (x - x0), y0 + t * (y - y0))
            self.take(MOVING)
        self.page.mouse.click(x, y)
        # What is said of the point under the hand would hide the others.
        self.page.mouse.move(1, 1)
        # The board has answered, and its script has come to rest.
        self.page.wait_for_timeout(400)
        drawn(self.page)
        self.take(LOOKING)

    def label(self, point: int, j: int) -> None:
        """Choose the class, unless it is chosen, and click the point."""
        chip = self.page.locator(f'.board button[data-class="{j}"]')
        box = chip.bounding_box()
        if box is not None and chip.get_attribute("aria-checked") != "true":
            self.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        canvas = self.page.locator(".board .stage > canvas")
        x, y = canvas.evaluate("(e, i) => e.mavr.pixel(i, 0)", point)
        self.click(x, y)

    def wrong(self) -> tuple[int, int] | None:
        """A point that the left method has wrong, in the middle of such points, and its class."""
        found = self.page.locator(".board .stage > canvas").evaluate(WRONG)
        return tuple(found) if found else None

    def write(self, path: Path) -> None:
        self.times[-1] = LAST
        first, *others = self.frames
        first.save(
            path, save_all=True, append_images=others, duration=self.times, loop=0, quality=78,
            method=6,
        )  # fmt: skip


WRONG = """(e) => {
  const { scene } = e.mavr.board, bad = [], X = scene.X;
  for (let i = 0; i < scene.n; i++) if (scene.results[0].flags[i] & 4) bad.push(i);
  if (!bad.length) return null;
  const x = bad.reduce((s, i) => s + X[2 * i], 0) / bad.length;
  const y = bad.reduce((s, i) => s + X[2 * i + 1], 0) / bad.length;
  const far = (i) => Math.hypot(X[2 * i] - x, X[2 * i + 1] - y);
  const best = bad.reduce((a, b) => (far(b) < far(a) ? b : a));
  return [best, scene.truth[best]];
}"""


def _image(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def picture(browser: Browser, url: str, path: Path) -> None:
    """The Playground as a visitor sees it."""
    page = browser.new_context(viewport=WINDOW, color_scheme="light").new_page()
    page.goto(f"{url}/{PLAYGROUND}")
    drawn(page)
    page.get_by_role("button", name="Close the first steps").click()
    drawn(page)
    _image(page).save(path, optimize=True)
    page.context.close()


def animation(browser: Browser, url: str, path: Path) -> None:
    """One label for each class, then more where the answer is wrong."""
    page = browser.new_context(viewport=FRAME, color_scheme="light").new_page()
    page.goto(f"{url}/{EMPTY}")
    drawn(page)
    film = Film(page)
    film.take(LOOKING)
    for point, j in GIVEN:
        film.label(point, j)
    for _ in range(3):
        if (found := film.wrong()) is None:
            break
        film.label(*found)
    film.write(path)
    page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.readme_pictures", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/pictures"))
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with served("app.py") as url, chromium() as browser:
        picture(browser, url, folder / PICTURE)
        animation(browser, url, folder / ANIMATION)
    for name in (PICTURE, ANIMATION):
        size = (folder / name).stat().st_size
        print(f"{folder / name}: {size // 1000} kB")
        if size > MAX_BYTES:
            raise SystemExit(f"{name} has more than {MAX_BYTES // 1000} kB")


if __name__ == "__main__":
    main()
