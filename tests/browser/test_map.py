"""The map in a browser: the board follows the pointer, a click takes the setting, links reopen."""

from __future__ import annotations

import csv
import io
import re
import time
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import datasets
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS
from mavr.settings import Setting
from tests.browser.test_live_faults import UNREACHABLE

# Few points: the map is full within seconds.
SMALL = "map?data=three_circles&p.n=60&seed=3"
# The worker processes start with the first map, and give way to everything else.
FILLING_MS = 180_000
PATIENCE_S = 60
# What a map that does not become as asked says of itself.
STATE = """m && {
  at: m.data?.map.axes.map((axis) => axis.at), held: m.held, hover: m.hover, seq: m.seq,
  outdated: m.data?.map.outdated, progress: m.data?.progress, address: location.search,
}"""


class Map:
    """The map of an open page."""

    def __init__(self, page: Page, full: bool = True) -> None:
        self.page, self.root = page, page.locator(".map")
        self.root.locator(".base").wait_for(timeout=FILLING_MS)
        if full:
            expect(self.root).to_have_attribute("data-state", "done", timeout=FILLING_MS)
            self.wait("m => m.s.count === m.data.all_chunks")

    def get(self, expression: str, arg: Any = None) -> Any:
        return self.root.evaluate(f"(e, arg) => {{ const m = e.mavr; return {expression}; }}", arg)

    def wait(self, condition: str) -> None:
        """Until the map of the page, even one that was made anew meanwhile, is as asked."""
        end = time.monotonic() + PATIENCE_S
        while not self.get(f"Boolean(m?.s && ({condition})(m))"):
            if time.monotonic() > end:
                raise AssertionError(f"not as asked: {condition}; there is {self.get(STATE)}")
            self.page.wait_for_timeout(30)

    def spot(self, i: int, j: int) -> tuple[float, float]:
        """The middle of a cell on the screen: column i, row j from below."""
        self.root.locator(".frame").scroll_into_view_if_needed()
        x, y = self.get(
            "[m.box.x + ((arg[0] + 0.5) / m.s.w) * m.box.w,"
            " m.box.y + m.box.h - ((arg[1] + 0.5) / m.s.h) * m.box.h]",
            [i, j],
        )
        box = self.root.locator(".frame").bounding_box()
        assert box is not None
        return box["x"] + x, box["y"] + y

    def classes(self, side: int = 0) -> list[int]:
        """What the board shows."""
        return self.get("Array.from(m.results[arg].pred)", side)

    def cell(self, i: int, j: int) -> list[int]:
        """Classes of the left method in a cell."""
        codes = "Array.from(m.s.codes[0].slice(arg * m.s.n, (arg + 1) * m.s.n))"
        return [c - 64 if c >= 64 else c for c in self.get(codes, j * 48 + i)]

    def values(self) -> tuple[list[float], list[float]]:
        axes = self.get("m.data.map.axes.map((a) => a.values)")
        return axes[0], axes[1]

    def pixels(self) -> str:
        return self.root.locator("canvas.board").evaluate("c => c.toDataURL()")


def check_cells(a_map: Map, count: int = 50) -> None:
    """Random cells of `SMALL` in the browser are what `mavr.solve` says there."""
    points = datasets.three_circles(60, seed=3)
    given = np.array(a_map.get("Array.from(m.own.labels)"))
    Y = np.eye(3)[given] * (given >= 0)[:, None]
    names = a_map.get("m.data.map.axes.map((a) => a.name)")
    x, y = a_map.values()
    for i, j in np.random.default_rng(0).integers(48, size=(count, 2)):
        setting = Setting().having(**{names[0]: x[i], names[1]: y[j]})
        graph = graph_of(setting.graph, points.X)
        solution = METHODS["mavr"].run(graph, Y, setting.parameters)
        assert a_map.cell(int(i), int(j)) == solution.labels.tolist(), (names, x[i], y[j])


def test_fifty_cells_with_balance_are_what_solve_says(open_page):
    a_map = Map(open_page(f"{SMALL}&x=balance&y=tau"))
    check_cells(a_map)
    # Nothing is coarse any more.
    expect(a_map.root.locator(".said")).not_to_contain_text("so far")


def test_the_board_follows_the_pointer_and_a_click_takes_the_setting(open_page):
    page = open_page(SMALL)
    a_map = Map(page)
    assert a_map.get("m.s.known.reduce((a, b) => a + b, 0)") == 48 * 48
    check_cells(a_map)
    seen, pictures = set(), set()
    for i, j in ((2, 40), (46, 46), (40, 3), (24, 20)):
        page.mouse.move(*a_map.spot(i, j))
        page.wait_for_timeout(150)
        assert a_map.classes() == a_map.cell(i, j)
        seen.add(tuple(a_map.classes()))
        pictures.add(a_map.pixels())
    assert len(seen) > 1
    assert len(pictures) >= len(seen)

    # A tied point claims no class, be the first of its equal ones that of the other method.
    place = (20 * 48 + 24) * 60
    code = a_map.get("m.s.codes[0][arg]", place)
    a_map.get("m.s.codes[0][arg] = 64 + m.s.codes[1][arg]", place)
    page.mouse.move(*a_map.spot(2, 40))
    page.mouse.move(*a_map.spot(24, 20))
    page.wait_for_timeout(150)
    assert [flags & 9 for flags in a_map.get("m.results.map((r) => r.flags[0])")] == [9, 8]
    a_map.get("m.s.codes[0][arg[0]] = arg[1]", [place, code])

    page.mouse.click(*a_map.spot(30, 22))
    x, y = a_map.values()
    expect(page).to_have_url(re.compile(f"gamma={x[30]:g}"))
    page.mouse.move(5, 5)
    a_map.wait(f"m => m.data.map.axes[0].at === {x[30]} && m.data.map.axes[1].at === {y[22]}")
    # The same map, no cell computed again, and the exact answer is the cell's.
    assert a_map.get("m.s.known.reduce((a, b) => a + b, 0)") == 48 * 48
    exact = a_map.get("Array.from(m.exact[0].pred)")
    assert exact == a_map.cell(30, 22)

    # The link opens the same map at the same setting.
    link = page.url
    page.goto(link)
    again = Map(page)
    assert again.get("m.data.map.axes.map((a) => a.at)") == [x[30], y[22]]


def test_a_drag_takes_where_it_ends_and_keys_move_the_cross(open_page):
    page = open_page(SMALL)
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    x, y = a_map.values()
    page.mouse.move(*a_map.spot(10, 10))
    page.mouse.down()
    page.mouse.move(*a_map.spot(20, 30), steps=5)
    page.mouse.up()
    page.mouse.move(5, 5)
    a_map.wait(f"m => m.data.map.axes[0].at === {x[20]} && m.data.map.axes[1].at === {y[30]}")
    a_map.root.locator(".frame").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    a_map.wait(f"m => m.data.map.axes[0].at === {x[22]} && m.data.map.axes[1].at === {y[26]}")


def test_colour_side_and_axes_can_be_chosen(open_page):
    page = open_page(f"{SMALL}&show=evidence&side=right&x=tau&y=gamma")
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    assert a_map.get("[m.data.map.show, m.data.map.side]") == ["evidence", 1]
    assert a_map.get("m.data.map.axes.map((a) => a.name)") == ["tau", "gamma"]
    expect(a_map.root.locator(".choice")).to_contain_text("Highest evidence")
    expect(a_map.root.locator(".choice")).to_contain_text("at the usual setting")
    expect(a_map.root.locator(".said")).to_contain_text("regions of equal answers")


@pytest.mark.thorough
def test_stop_and_resume(open_page):
    page = open_page("map?data=three_circles&p.n=900&seed=5&x=balance&y=sigma&balance=1")
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    a_map.root.get_by_role("button", name="Stop").click()
    expect(a_map.root).to_have_attribute("data-state", "stopped")
    # Where nothing is computed yet, a neighbour's answer is shown, and it says so; this line is
    # one of the last. At the cross the answer is exact.
    page.mouse.move(*a_map.spot(24, 44))
    expect(a_map.root.locator(".said")).to_contain_text("not computed yet: the answer at")
    page.mouse.move(5, 5)
    expect(a_map.root.locator(".said")).to_contain_text("so far")
    page.wait_for_timeout(1500)
    before = int(a_map.root.get_attribute("data-cells") or 0)
    assert before < 48 * 48
    a_map.root.get_by_role("button", name="Resume").click()
    a_map.wait(f"m => m.s.known.reduce((a, b) => a + b, 0) > {before}")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("x.low=5&x.high=1", "must go from a lower to a higher value"),
        ("x.low=-3", "gamma must be in"),
        ("x.high=1e400", "must hold numbers"),
        ("x=nonsense", "cannot be the axis across here"),
        ("y=P[0, 1]&y.high=7", "no longer positive definite"),
        ("p.n=3000", "A map has room for 1,500 points"),
    ],
)
@pytest.mark.thorough
def test_an_absurd_range_gets_a_sentence(open_page, query, sentence):
    page = open_page(f"map?data=three_circles&{query}")
    expect(page.get_by_test_id("stAlert").filter(has_text=sentence)).to_be_visible()


SVG = "{http://www.w3.org/2000/svg}"


def drawing_colours(drawing: ET.Element) -> list[str]:
    """Colours of the 48 x 48 cells of a drawing, row by row from below."""
    cells = [r for r in drawing.iter(f"{SVG}rect") if r.get("shape-rendering")]
    top, side = (min(float(r.get(name)) for r in cells) for name in ("y", "x"))
    width = max(float(r.get("x")) + float(r.get("width")) for r in cells) - side
    height = max(float(r.get("y")) + float(r.get("height")) for r in cells) - top
    found = [[""] * 48 for _ in range(48)]
    for r in cells:
        row = round((float(r.get("y")) - top) / height * 48)
        first = round((float(r.get("x")) - side) / width * 48)
        for k in range(round(float(r.get("width")) / width * 48)):
            found[47 - row][first + k] = r.get("fill")
    return [color for row in found for color in row]


def test_exports(open_page):
    page = open_page(SMALL)
    a_map = Map(page)
    with page.expect_download() as download:
        a_map.root.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as download:
        a_map.root.get_by_role("button", name="SVG").click()
    drawing = ET.fromstring(download.value.path().read_text(encoding="utf-8"))
    assert drawing_colours(drawing) == a_map.get(
        "Array.from(m.values, (v) => m.scale.ramp.css[Math.round(255 * m.scale.t(v))])"
    )
    words = {t.text for t in drawing.iter(f"{SVG}text")}
    assert {"Smoothness γ", "Width σ"} <= words
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert len(rows) == 48 * 48 * 2
    assert {row["method"] for row in rows} == {"mavr", "lgc"}


@pytest.mark.own_tab
@pytest.mark.thorough
def test_without_a_socket_the_script_sends_the_same_cells(page, open_page):
    """Streamlit's own way carries text: arrays come as base64."""
    page.add_init_script(UNREACHABLE)
    open_page(SMALL)
    a_map = Map(page)
    assert page.evaluate("window.__mavrLive.socket?.readyState") != 1
    check_cells(a_map)
    # And the board follows the pointer as ever.
    page.mouse.move(*a_map.spot(20, 30))
    a_map.wait("m => m.hover === 30 * 48 + 20 && Number(m.root.dataset.painted) > 0")
    page.wait_for_timeout(100)
    assert a_map.classes() == a_map.cell(20, 30)


def test_the_playground_and_the_map_open_each_other(open_page):
    page = open_page("?data=three_circles&p.n=60&seed=3&gamma=7")
    page.get_by_role("button", name="Map", exact=True).click()
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    assert a_map.get("m.data.map.axes[0].at") == 7
    page.get_by_role("button", name="Open in Playground").click()
    page.locator(".board .stage > canvas").wait_for()
    expect(page).to_have_url(re.compile("gamma=7"))


def test_a_slider_beside_the_map_moves_the_cross(open_page):
    page = open_page(SMALL)
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    before = a_map.get("m.data.map.axes[0].at")
    slider = page.locator('.slider[data-link="gamma"] input[type=range]')
    for _ in range(3):
        slider.press("PageUp")
    # The address has the setting of the cross, as soon as both have heard of the last press.
    a_map.wait(
        "m => { const { at } = m.data.map.axes[0]; "
        "const said = Number(new URL(location).searchParams.get('gamma')); "
        f"return at > {before} && Math.abs(said / at - 1) < 1e-5; }}"
    )


def test_a_setting_that_is_no_axis_moves_the_points_and_dims_the_map(open_page):
    page = open_page(SMALL)
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    slider = page.locator('.slider[data-link="tau"] input[type=range]')
    box = slider.bounding_box()
    x, y = box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2
    old = a_map.get("m.data.map.id")
    # What is seen while the hand moves; when it rests for a moment, the script makes another map.
    a_map.root.evaluate(
        """(e) => {
          const m = e.mavr, seen = (window.__seen = []), take = m.take;
          m.take = (data) => {
            take(data);
            if (!m.data.map.outdated) return;
            const choice = getComputedStyle(m.find(".choice")).visibility;
            const saves = [...m.root.querySelectorAll('[data-do="png"], [data-do="svg"]')];
            const offered = saves.length !== 2 || saves.some((b) => !b.disabled);
            seen.push([m.data.map.exact[0].volume, m.find(".said").textContent, choice, offered]);
          };
        }"""
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(400):
        page.mouse.move(x + 60 + 60 * np.sin(k / 9), y)
        page.wait_for_timeout(15)
        seen = page.evaluate("window.__seen")
        if len({volume for volume, *_ in seen}) >= 4:
            break
    else:
        pytest.fail(f"{len(seen)} pictures while the hand moved")
    # Nothing is read from the map of before.
    for _, said, choice, offered in seen:
        assert "when the hand rests" in said
        assert "region" not in said
        assert choice == "hidden"
        assert not offered
    page.mouse.up()
    a_map.wait(f"m => !m.data.map.outdated && m.data.map.id !== '{old}'")
    expect(a_map.root.locator(".said")).not_to_contain_text("when the hand rests")
    expect(a_map.root.locator('[data-do="png"]')).to_be_enabled()


def test_a_finger_on_a_phone(page, open_page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(SMALL)
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 390
    x, y = a_map.values()
    at = a_map.spot(12, 33)
    frame = a_map.root.locator(".frame")
    for kind in ("pointerdown", "pointermove", "pointerup"):
        frame.dispatch_event(
            kind, {"clientX": at[0], "clientY": at[1], "pointerType": "touch", "pointerId": 1}
        )
    a_map.wait(f"m => m.data.map.axes[0].at === {x[12]} && m.data.map.axes[1].at === {y[33]}")


def test_a_warning_about_the_link_goes_without_the_map_being_made_anew(open_page):
    """What was made anew would lose its zoom, its focus and the hand that holds it."""
    page = open_page(f"{SMALL}&gamma=-7")
    a_map = Map(page, full=False)
    a_map.wait("m => m.s.codes")
    warning = page.get_by_test_id("stAlert")
    expect(warning).to_contain_text("The link was not followed")
    a_map.root.evaluate("e => { e.mavr.mine = true; }")
    x, y = a_map.values()
    page.mouse.click(*a_map.spot(20, 30))
    a_map.wait(f"m => m.data.map.axes[0].at === {x[20]} && m.data.map.axes[1].at === {y[30]}")
    expect(warning).to_have_count(0)
    assert a_map.get("m.mine")
