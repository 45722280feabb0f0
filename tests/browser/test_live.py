"""The live channel in a real browser: the picture moves with the hand, and nothing hangs on it."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.canvas_driver import PATIENCE_MS, Canvas

# What a network may do to the channel; Streamlit's own socket is left alone.
UNREACHABLE = """
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(url, ...more) {
      super(String(url).endsWith("/live") ? "ws://127.0.0.1:9/live" : url, ...more);
    }
  };
"""
FORBIDDEN = """
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(url, ...more) {
      if (String(url).endsWith("/live")) throw new DOMException("forbidden", "SecurityError");
      super(url, ...more);
    }
  };
"""


@pytest.fixture
def canvas(open_page) -> Canvas:
    canvas = Canvas(open_page(""))
    canvas.wait_live()
    return canvas


def fresh(context: BrowserContext, canvas: Canvas) -> dict:
    """What a page shows that is opened by this one's link."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(canvas.page.url)
    other = Canvas(page)
    other.rest()
    if canvas.page.locator(".st-key-playground-secular .js-plotly-plot").count():
        page.locator(".st-key-playground-secular .js-plotly-plot").wait_for()
    found = other.everything()
    page.close()
    return found


def test_a_drag_is_painted_many_times_before_the_mouse_is_released(canvas, context):
    page, slider = canvas.page, canvas.slider("gamma")
    slider.scroll_into_view_if_needed()
    box, now = slider.bounding_box(), float(slider.input_value()) / 600
    step, address = canvas.step(), page.url
    left, width, y = box["x"] + 8, box["width"] - 16, box["y"] + box["height"] / 2
    page.mouse.move(left + now * width, y)
    page.mouse.down()
    seen = []
    for k in range(1, 25):
        page.mouse.move(left + (now - 0.02 * k) * width, y)
        page.wait_for_timeout(30)
        seen.append((canvas.shown(), canvas.state("board.scene.results[0].H[3]")))
    assert len({shown for shown, _ in seen}) >= 8
    assert len({response for _, response in seen}) >= 8
    # The script has not been asked while the hand moved without a rest.
    assert page.url == address
    page.mouse.up()
    canvas.wait_for_step(step)
    canvas.rest()
    assert page.url != address
    assert canvas.everything() == fresh(context, canvas)


def edit(canvas: Canvas, rng: random.Random) -> None:
    j, k = rng.choice([(0, 1), (0, 2), (1, 2)])
    cell = canvas.page.locator(f'.relation input[data-j="{j}"][data-k="{k}"]')
    cell.fill(rng.choice(["0.25", "-0.25", "1/3", "0"]))
    cell.press("Enter")


def click(canvas: Canvas, rng: random.Random) -> None:
    canvas.choose(rng.randrange(3))
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(canvas.state("board.scene.n"))
        canvas.page.mouse.click(*canvas.pixel(i, rng.randrange(3)))


def undo(canvas: Canvas, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 3)):
        button = canvas.page.locator('.board button[data-do="undo"]')
        if button.is_enabled():
            button.click()


def drag(link: str):
    def gesture(canvas: Canvas, rng: random.Random) -> None:
        canvas.slide(link, *(rng.uniform(0.2, 0.8) for _ in range(rng.randint(1, 3))))

    return gesture


GESTURES = [click, click, undo, edit, *map(drag, ("gamma", "tau", "balance", "sigma"))]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_any_gestures_the_page_is_that_of_its_link(canvas, context, seed):
    """Gestures follow each other without a pause: some meet the script, some the channel."""
    rng = random.Random(seed)
    for _ in range(9):
        rng.choice(GESTURES)(canvas, rng)
        if rng.random() < 0.3:
            canvas.page.wait_for_timeout(rng.choice([100, 300, 600]))
    canvas.rest()
    assert canvas.everything() == fresh(context, canvas)


def walk(canvas: Canvas) -> None:
    """One of each: click, drag, edit, undo."""
    page, before = canvas.page, canvas.labels()
    i = next(i for i in canvas.unlabelled() if i > 20)
    canvas.choose(1)
    canvas.click(i)
    hit = canvas.labels()
    assert len(hit) == len(before) + 1
    step = canvas.step()
    canvas.slide("gamma", 0.5, 0.35)
    canvas.wait_for_step(step)
    canvas.rest()
    assert "gamma=" in page.url
    canvas.exact("sigma", "0.4")
    page.wait_for_url(lambda url: "sigma=0.4" in url)
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.fill("1/4")
    cell.press("Enter")
    page.wait_for_url(lambda url: "P=" in url)
    canvas.rest()
    page.locator('.board button[data-do="undo"]').click()
    page.wait_for_url(lambda url: "P=" not in url)
    canvas.rest()
    assert canvas.labels() == hit


@pytest.mark.parametrize("fault", [UNREACHABLE, FORBIDDEN], ids=["unreachable", "forbidden"])
def test_without_a_socket_everything_works_by_streamlits_own_way(page, open_page, context, fault):
    page.add_init_script(fault)
    canvas = Canvas(open_page(""))
    walk(canvas)
    assert canvas.root.get_attribute("data-live") != "open"
    assert canvas.everything() == fresh(context, canvas)


def test_a_socket_that_dies_loses_nothing(canvas, context):
    page, before = canvas.page, canvas.labels()
    points = [i for i in canvas.unlabelled()[::31]][:4]
    targets = [canvas.pixel(i) for i in points]
    page.mouse.click(*targets[0])
    page.evaluate("window.__mavrLive.socket.close()")
    page.mouse.click(*targets[1])
    canvas.settle()
    expect(canvas.root).to_have_attribute("data-live", "closed")
    page.mouse.click(*targets[2])
    canvas.rest()
    assert len(canvas.labels()) == len(before) + 3
    walk(canvas)
    assert canvas.everything() == fresh(context, canvas)


ASK = """([path, frames]) => new Promise((done) => {
  const socket = new WebSocket(path), said = [];
  let opened = false;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    opened = true;
    for (const f of frames) socket.send(f === "bytes" ? new Uint8Array(9) : f);
  };
  socket.onmessage = () => said.push("answer");
  socket.onclose = (e) => done({ opened, code: e.code, said });
  setTimeout(() => socket.close(), 8000);
})"""


def live_path(app_url: str) -> str:
    return app_url.replace("http", "ws", 1) + "/live"


def test_hostile_frames_are_refused_and_the_server_lives(canvas, app_url):
    page, path = canvas.page, live_path(app_url)
    token = canvas.state("board.data.live.token")
    message = f'{{"token": "{token}", "seq": 1, "changes": %s, "events": %s, "have": null}}'
    for frame, code in [
        ("not JSON", 1008),
        ("[" * 90_000, 1008),
        (message % ("[]", "{}"), 1008),
        (message % ('{"gamma": 5}', "[]"), 1008),
        (message.replace(token, "x" * 24) % ("{}", "[]"), 1008),
        ("x" * 300_000, 1009),
        ("bytes", 1009),
    ]:
        found = page.evaluate(ASK, [path, [frame]])
        assert (found["code"], found["said"]) == (code, []), frame[:30]
    odd = '[{"seq": 1, "op": {}, "base": []}, {"seq": 2, "op": "label"}]'
    assert page.evaluate(ASK, [path, [message % ("{}", odd), "end"]])["said"] == ["answer"]
    canvas.click(canvas.unlabelled()[0])


def test_a_foreign_page_is_refused(canvas, context, app_url):
    other = context.new_page()
    other.goto("about:blank")
    found = other.evaluate(ASK, [live_path(app_url), []])
    assert found["opened"] is False
    other.close()


def test_a_token_ends_with_its_session_and_shows_its_own_view_alone(canvas, context, app_url):
    other = context.new_page()
    other.goto(f"{app_url}/?data=two_moons&gamma=3")
    theirs = Canvas(other)
    theirs.wait_live()
    token = theirs.state("board.data.live.token")
    assert token != canvas.state("board.data.live.token")
    mine, shown = canvas.everything(), canvas.shown()
    theirs.slide("gamma", 0.5)
    theirs.rest()
    assert canvas.shown() == shown
    assert canvas.everything() == mine
    message = f'{{"token": "{token}", "seq": 1, "changes": {{}}, "events": [], "have": null}}'
    path = live_path(app_url)
    assert canvas.page.evaluate(ASK, [path, [message, "end"]])["said"] == ["answer"]
    other.close()
    canvas.page.wait_for_timeout(1000)
    found = canvas.page.evaluate(ASK, [path, [message]])
    assert (found["code"], found["said"]) == (1008, [])


def test_an_unknown_token_falls_back_to_the_script(canvas):
    """A server that was started again knows no token."""
    canvas.page.evaluate("window.__mavrLive.offer = { ...window.__mavrLive.offer, token: 'gone' }")
    before = canvas.labels()
    canvas.page.mouse.click(*canvas.pixel(canvas.unlabelled()[7]))
    canvas.rest()
    assert len(canvas.labels()) == len(before) + 1


def test_p_follows_the_hand_and_stops_where_it_must(canvas):
    page: Page = canvas.page
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.scroll_into_view_if_needed()
    box, shown, address = cell.bounding_box(), canvas.shown(), page.url
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 31):
        page.mouse.move(x + 6 * k, y)
        page.wait_for_timeout(30)
    assert canvas.shown() >= shown + 5
    assert page.url == address
    expect(page.locator(".relation .why")).to_contain_text("positive definite")
    page.mouse.up()
    page.wait_for_url(lambda url: "P=" in url)
    expect(page.get_by_text("This P is not positive definite")).to_have_count(0)
    canvas.rest()


def test_ten_quick_clicks_are_kept_beside_a_drag(canvas):
    """Quicker than any answer, with a drag in the middle."""
    before = len(canvas.labels())
    targets = [canvas.pixel(i) for i in canvas.unlabelled()[::23][:10]]
    for k, (x, y) in enumerate(targets):
        canvas.page.mouse.click(x, y)
        if k == 4:
            canvas.slide("gamma", 0.4)
    canvas.rest()
    assert len(canvas.labels()) == before + 10
    assert "gamma=" in canvas.page.url
