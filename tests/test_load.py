"""Many visitors over the real protocol: a short crowd on a real server, and the report."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import urllib.request
from subprocess import PIPE

import pytest
from sklearn.datasets import make_moons
from streamlit.proto.BackMsg_pb2 import BackMsg

from mavr.commands.cli import main
from mavr.commands.load import come_and_go, crowd
from mavr.commands.load.actions import ACTIONS, PLAYGROUND, label
from mavr.commands.load.report import Measured, processor_seconds_beside, resident
from mavr.commands.load.visitor import Unanswered, Visitor
from tools import serve


@pytest.fixture(scope="module")
def server():
    """The address and the process of a server."""
    port = serve.free_port()
    # A file is sent without the cookie that a browser has.
    process = serve.start("app.py", port, options={"server.enableXsrfProtection": "false"})
    url = f"http://127.0.0.1:{port}"
    try:
        serve.wait_until_healthy(url, process)
        yield url, process.pid
    finally:
        serve.stop(process)


def test_a_visitor_is_answered_over_the_real_protocol(server):
    """One of each action, and two visitors at once, without an error."""
    url, process = server

    async def visit() -> Measured:
        visitor, found = Visitor(url), Measured()
        await visitor.open(*PLAYGROUND)
        for action in ACTIONS:
            if action.__name__ != "sweep":
                found.add(await action(visitor, random.Random(1)))
        await visitor.close()
        return found

    found = asyncio.run(visit())
    many, peak = asyncio.run(crowd(url, 2, 2.0, 0.1, 0, process))
    assert peak > 50
    each, left = asyncio.run(come_and_go(url, 2, process, kept=0.1))
    assert each < 60
    assert left < 200
    assert {"click, picture", "click, script", "drag, picture", "P, script"} <= set(found.times)
    assert many.errors == []
    assert many.actions >= 4


class Sender(Visitor):
    """A visitor who sends a file."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url, self.uploader, self.places = url, "", None

    def _see(self, delta) -> None:
        if delta.new_element.WhichOneof("type") == "file_uploader":
            self.uploader = delta.new_element.file_uploader.id
        super()._see(delta)

    def _take(self, message) -> None:
        if message.WhichOneof("type") == "file_urls_response":
            self.places = message.file_urls_response.file_urls[0]
        super()._take(message)

    async def send_file(self, content: bytes) -> None:
        """Put a file where the server says, and tell the script."""
        asked = BackMsg()
        asked.file_urls_request.request_id = "1"
        asked.file_urls_request.file_names.append("many.csv")
        await self._stream.send(asked.SerializeToString())
        await self.until(lambda: self.places is not None)
        await asyncio.to_thread(self._put, content)
        told = BackMsg()
        state = told.rerun_script
        state.page_name, state.query_string = self._page
        info = state.widget_states.widgets.add(id=self.uploader).file_uploader_state_value
        info.uploaded_file_info.add(
            name="many.csv", size=len(content), file_id=self.places.file_id, file_urls=self.places
        )
        await self._stream.send(told.SerializeToString())

    def _put(self, content: bytes) -> None:
        head, tail = ('--m\r\nContent-Disposition: form-data; name="f"; filename="many.csv"\r\n'
                      "Content-Type: text/csv\r\n\r\n", "\r\n--m--\r\n")  # fmt: skip
        request = urllib.request.Request(
            self.url + self.places.upload_url,
            head.encode() + content + tail.encode(),
            {"Content-Type": "multipart/form-data; boundary=m"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 204


async def _many_points(visitor: Sender) -> None:
    X, y = make_moons(16_000, noise=0.08, random_state=0)
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True))
    await visitor.open(*PLAYGROUND)
    await visitor.send_file(f"x,y,label\n{rows}\n".encode())


async def _large_graph(visitor: Sender) -> None:
    await visitor.open("", "data=three_circles&p.n=3000&seed=5")


async def _long_job(visitor: Sender) -> None:
    query = "figure=own&data=two_moons&factor=n_labelled&steps=4&samplings=300&seed=77"
    await visitor.open("error_curves", query)


@pytest.mark.parametrize("heavy", [_many_points, _large_graph, _long_job])
def test_heavy_work_of_one_visitor_leaves_the_others_their_clicks(server, heavy):
    url, _ = server

    async def both() -> list[float]:
        busy, other = Sender(url), Visitor(url)
        await other.open(*PLAYGROUND)
        await label(other, random.Random(0))
        await heavy(busy)
        took = []
        for k in range(8):
            took += [seconds for _, seconds in await label(other, random.Random(k + 1))]
        # It is still under way, or on its way to the board: somebody looks again for it.
        await busy.until(lambda: "refresh" in busy.components)
        await busy.close()
        await other.close()
        return took

    # Computed in the server it was 5 s and more.
    assert max(asyncio.run(both())) < 2.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--sessions", "0"], "--sessions must be 1 to 200"),
        (["--sessions", "9999"], "--sessions must be 1 to 200"),
        (["--seconds", "1e9"], "--seconds must be 1 to 1200"),
        (["--think", "-1"], "--think must be 0 to 60"),
    ],
)
def test_a_load_is_bounded(options, sentence, capsys):
    assert main(["load", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_report_counts_answers_and_not_experiments():
    found = Measured(seconds=2.0)
    found.add([("click, picture", 0.010), ("click, script", 0.030)])
    found.add([("sweep, all samplings", 9.0)])
    found.errors += ["no answer", "no answer"]
    lines = list(found.lines())
    assert found.answers == [0.010, 0.030]
    assert found.p95 == pytest.approx(0.029)
    assert "2 actions, 1.0 a second; 2 errors" in lines
    assert lines[-1] == "  error, 2 times: no answer"


def test_memory_is_that_of_the_process():
    assert resident(os.getpid()) > 20
    assert resident(0) != resident(0)  # not a number


def test_processes_beside_the_server_are_counted():
    before = processor_seconds_beside(os.getpid())
    code = "import time\nwhile time.process_time() < 0.15: pass\nprint(1, flush=True)\ninput()"
    busy = subprocess.Popen([sys.executable, "-c", code], stdin=PIPE, stdout=PIPE)
    busy.stdout.readline()
    running = processor_seconds_beside(os.getpid()) - before
    busy.communicate(b"\n")
    ended = processor_seconds_beside(os.getpid()) - before
    assert 0.1 <= running <= ended


def test_a_page_that_fails_is_an_error():
    async def fail() -> None:
        visitor = Visitor("http://127.0.0.1:1")
        visitor.faults.append("the page shows ValueError")
        await visitor.until(lambda: False)

    with pytest.raises(Unanswered, match="ValueError"):
        asyncio.run(fail())
