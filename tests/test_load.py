"""Many visitors over the real protocol: a short crowd on a real server, and the report."""

from __future__ import annotations

import asyncio
import os
import random

import pytest

from mavr.commands.cli import main
from mavr.commands.load import come_and_go, crowd
from mavr.commands.load.actions import ACTIONS, PLAYGROUND
from mavr.commands.load.report import Measured, resident
from mavr.commands.load.visitor import Unanswered, Visitor
from tools import serve


def test_a_visitor_is_answered_over_the_real_protocol():
    """One of each action, and two visitors at once, without an error."""
    port = serve.free_port()
    server = serve.start("app.py", port)
    url = f"http://127.0.0.1:{port}"

    async def visit() -> Measured:
        visitor, found = Visitor(url), Measured()
        await visitor.open(*PLAYGROUND)
        for action in ACTIONS:
            if action.__name__ != "sweep":
                found.add(await action(visitor, random.Random(1)))
        await visitor.close()
        return found

    try:
        serve.wait_until_healthy(url, server)
        found = asyncio.run(visit())
        many, peak = asyncio.run(crowd(url, 2, 1.0, 0.1, 0, server.pid))
        assert peak > 50
        each, left = asyncio.run(come_and_go(url, 2, server.pid, kept=0.1))
        assert each < 60
        assert left < 200
    finally:
        serve.stop(server)
    assert {"click, picture", "click, script", "drag, picture", "P, script"} <= set(found.times)
    assert many.errors == []
    assert many.actions >= 2


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


def test_a_page_that_fails_is_an_error():
    async def fail() -> None:
        visitor = Visitor("http://127.0.0.1:1")
        visitor.faults.append("the page shows ValueError")
        await visitor.until(lambda: False)

    with pytest.raises(Unanswered, match="ValueError"):
        asyncio.run(fail())
