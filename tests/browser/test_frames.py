"""A lesson link in an iframe of a plain page: no scroll bar, nothing cut off, no empty half."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from lab.board.view import CODEC as CLASSES
from lab.lessons.frame import frame, height
from lab.link import Codec
from lab.map.view import CODEC as MAP
from lab.sets.view import CODEC as SETS
from tools.pictures import drawn

CODECS: dict[str, Codec] = {"": CLASSES, "serendipity": CLASSES, "multilabel": SETS, "map": MAP}
CIRCLES = "data=three_circles&seed=43"
SHORT = "Label+one+more+point."
LONG = "+".join(["Words"] * 50)
SIMPLE = [
    ("", f"{CIRCLES}&keep=&note={SHORT}"),
    ("serendipity", f"data=rings&keep=tau,balance&note={LONG}"),
    ("multilabel", f"keep=threshold&note={SHORT}"),
    ("map", f"{CIRCLES}&p.n=60&keep=axes,colour&note={SHORT}"),
]
MORE = [
    ("", f"{CIRCLES}&keep=gamma,tau,sigma,P"),
    ("", f"{CIRCLES}&keep=tau,methods,data,graph,draw,show,split&note={SHORT}"),
    ("", "data=digits&keep=P&note=Ten"),
    ("", "data=spiral&keep=data,p.arms"),
    ("", "data=two_moons&keep=P,methods"),
    ("serendipity", "data=disc_outliers&keep=data,draw,P"),
    ("multilabel", "keep=P,measures"),
    ("multilabel", f"keep=gamma,data,draw,graph,P&note={LONG}"),
    ("map", f"{CIRCLES}&p.n=60&keep=tau,axes"),
    ("map", f"{CIRCLES}&p.n=60&keep=methods,data,graph,draw,show&note={LONG}"),
]


def needed(page: Page, url: str, path: str, query: str, width: int) -> tuple[int, int]:
    """The height of the frame that the dialog would offer, and of what is in it."""
    said = dict(parse_qsl(query, keep_blank_values=True))
    view, problems = CODECS[path].read(said)
    assert not problems
    names = [name for name in said["keep"].split(",") if name]
    tall = height(view, names, said.get("note", ""))
    page.set_viewport_size({"width": width, "height": tall + 100})
    page.goto(f"{url}/_stcore/health")
    page.set_content(f'<body style="margin: 0">{frame(f"{url}/{path}?{query}", tall)}')
    inner = page.frames[1]
    inner.get_by_role("button", name="Open the full page").wait_for()
    if path == "map":
        expect(inner.locator(".map")).to_have_attribute(
            "data-state", re.compile("done|running"), timeout=60_000
        )
    drawn(inner)  # type: ignore[arg-type]
    scrolled, shown, wide, across = inner.locator('[data-testid="stMain"]').evaluate(
        "e => [e.scrollHeight, e.clientHeight, e.scrollWidth, e.clientWidth]"
    )
    assert shown == tall
    assert wide <= across
    assert across == width
    content = inner.locator(".stMainBlockContainer").evaluate("e => e.scrollHeight")
    assert scrolled <= tall, f"needs {scrolled}, has {tall}"
    last = inner.get_by_role("button", name="Open the full page").bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= tall
    return tall, content


@pytest.mark.parametrize(("path", "query"), SIMPLE)
def test_a_frame_of_800_pixels_fits(page, app_url, path, query):
    tall, content = needed(page, app_url, path, query, 800)
    assert content > tall - 110, f"needs {content}, has {tall}"


@pytest.mark.thorough
@pytest.mark.parametrize(("path", "query"), MORE)
def test_a_frame_with_other_controls_fits(page, app_url, path, query):
    tall, content = needed(page, app_url, path, query, 800)
    assert content > tall - 110, f"needs {content}, has {tall}"


@pytest.mark.thorough
@pytest.mark.parametrize(("path", "query"), SIMPLE)
def test_a_wider_frame_fits_too(page, app_url, path, query):
    needed(page, app_url, path, query, 1300)


def test_the_dialog_offers_the_frame(open_page):
    page = open_page(f"?{CIRCLES}")
    page.get_by_role("button", name="Lesson link").click()
    text = page.get_by_role("dialog").locator("code").nth(1)
    expect(text).to_contain_text("<iframe src=")
    found = html.unescape(text.inner_text())
    assert f'height="{height(CLASSES.read(dict(parse_qsl(CIRCLES)))[0], (), "")}"' in found
    assert "embed=true" in found
