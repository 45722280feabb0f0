"""The live channel when something goes wrong: nobody notices but by speed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.canvas_driver import Canvas
from tests.browser.server import start_server
from tools.serve import free_port, stop

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
    expect(page).to_have_url(re.compile("gamma="))
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


@pytest.mark.own_tab
@pytest.mark.parametrize("fault", [UNREACHABLE, FORBIDDEN], ids=["unreachable", "forbidden"])
def test_without_a_socket_everything_works_by_streamlits_own_way(page, open_page, context, fault):
    page.add_init_script(fault)
    canvas = Canvas(open_page(""))
    walk(canvas)
    assert canvas.root.get_attribute("data-live") != "open"
    assert canvas.everything() == canvas.opened_by_link(context)


def test_a_socket_that_dies_loses_nothing(canvas, context):
    page, before = canvas.page, canvas.labels()
    points = [i for i in canvas.unlabelled()[::31]][:4]
    targets = [canvas.pixel(i) for i in points]
    page.mouse.click(*targets[0])
    # Looked at when it closes: a second later it may be open again.
    state = page.evaluate("""() => new Promise((done) => {
      const { socket, board } = window.__mavrLive;
      socket.addEventListener("close", () => done(board.root.dataset.live));
      socket.close();
    })""")
    assert state == "closed"
    page.mouse.click(*targets[1])
    canvas.settle()
    page.mouse.click(*targets[2])
    canvas.rest()
    assert len(canvas.labels()) == len(before) + 3
    walk(canvas)
    assert canvas.everything() == canvas.opened_by_link(context)


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


def test_a_drag_that_ends_on_another_page_moves_nothing_there(canvas, context):
    page = canvas.page
    canvas.slide("gamma", 0.2)
    page.get_by_role("link", name="Serendipity").click()
    expect(page.get_by_role("heading", name="Serendipity")).to_be_visible()
    other = Canvas(page)
    page.wait_for_url(lambda url: "/serendipity?" in url)
    other.page.mouse.click(*other.pixel(other.unlabelled()[5]))
    other.rest()
    assert "gamma" not in page.url
    assert other.everything() == other.opened_by_link(context)


@pytest.mark.thorough
def test_a_server_that_is_killed_and_started_again_loses_nothing(page, context, tmp_path):
    port, log = free_port(), tmp_path / "server.log"
    log.touch()
    server = start_server(port, log)
    try:
        page.goto(f"http://127.0.0.1:{port}/")
        canvas = Canvas(page)
        canvas.wait_live()
        before = canvas.labels()
        points = canvas.unlabelled()[::37][:3]
        canvas.click(points[0])
        canvas.rest()
        server.kill()
        server.wait()
        page.mouse.click(*canvas.pixel(points[1]))
        page.mouse.click(*canvas.pixel(points[2]))
        canvas.slide("gamma", 0.3)
        moved = canvas.slider("gamma").input_value()
        # The hand sees its labels although nobody answers.
        marked = canvas.state("board.scene.labels.filter((j) => j >= 0).length")
        assert marked == len(before) + 3
        server = start_server(port, log)
        canvas = Canvas(page)
        canvas.rest()
        assert len(canvas.labels()) == len(before) + 3
        page.wait_for_url(lambda url: "gamma=" in url)
        canvas.rest()
        assert canvas.slider("gamma").input_value() == moved
        walk(canvas)
        assert canvas.everything() == canvas.opened_by_link(context)
    finally:
        stop(server)
