"""The app without a browser: pages run, the server is set up for clicks, a click sends little."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lab.marks import Marks
from lab.view import View
from streamlit import config
from streamlit.testing.v1 import AppTest

import datasets
from lab import cache, canvas, scene

ROOT = Path(__file__).resolve().parents[1]


def test_no_collection_after_every_rerun():
    settings = config.get_config_options(force_reparse=True)
    assert settings["runner.postScriptGC"].value is False


def test_no_traceback_is_shown_to_visitors():
    settings = config.get_config_options(force_reparse=True)
    assert settings["client.showErrorDetails"].value == "none"


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()


def board(app: AppTest) -> dict:
    """What the canvas was sent last."""
    (element,) = [e for e in app.get("bidi_component") if e.proto.component_name == "mavr_canvas"]
    return json.loads(element.proto.json)


def test_the_playground_runs_and_a_control_changes_its_numbers(app):
    assert not app.exception
    assert app.title[0].value == "Playground"
    before = board(app)
    assert "effective" in before["below"]
    app.select_slider(key="playground.gamma").set_value(1.0).run()
    assert not app.exception
    after = board(app)
    assert after["step"] > before["step"]
    assert after["panels"][0]["H"] != before["panels"][0]["H"]
    assert after["below"] != before["below"]


def test_an_answer_carries_no_code(app):
    sizes = {e.proto.component_name: len(e.proto.js_content) for e in app.get("bidi_component")}
    assert sizes["mavr_code_canvas"] > 10_000
    assert sizes["mavr_canvas"] < 1_000


@pytest.mark.parametrize(
    "grid", [[0], [-1, -1, 2, 2, 2, 0], [1] * 70_000, [0] * 65_535 + [3] * 65_536]
)
def test_a_grid_survives_as_runs(grid):
    packed = canvas.runs(np.array(grid, dtype=np.int8))
    lengths = np.frombuffer(base64.b64decode(packed["lengths"]), "<u2")
    values = np.frombuffer(base64.b64decode(packed["values"]), "i1")
    np.testing.assert_array_equal(np.repeat(values, lengths), grid)


@pytest.mark.parametrize("page", ["serendipity", "guide"])
def test_a_page_runs(app, page):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert app.title[0].value == page.capitalize()


def shown(view: View, have: str | None) -> dict:
    data = datasets.three_circles(n=300, seed=0)
    drawn = scene.compose(data, view.marks)
    graph = scene.build_graph(view, drawn)
    shading = scene.build_shading(view, drawn)
    p = scene.parameters(view, len(view.marks.labels), np.eye(3))
    answers = [scene.answer(m, p, graph, drawn, shading) for m in ("mavr", "lgc")]
    return canvas.payload(
        view,
        drawn,
        answers,
        shading,
        base="b",
        pid="p",
        have=have,
        step=1,
        ack=0,
        can_undo=False,
        can_redo=False,
        can_add_class=True,
        suggestions=[],
    )


def test_a_click_does_not_send_the_points_again():
    view = View(marks=Marks(labels=((0, 0), (100, 1), (200, 2))))
    first, again = shown(view, None), shown(view, "p")
    assert len(np.frombuffer(canvas_bytes(first["points"]), "<f4")) == 600
    assert again["points"] is None
    assert again["truth"] is None
    unshaded = shown(replace(view, shade=False), "p")
    assert len(json.dumps(unshaded)) < 16_000


def test_a_set_has_the_size_that_its_slider_shows():
    for name, generator in datasets.GENERATORS.items():
        for p in generator.params:
            if p.name == "n":
                assert cache.dataset(View(data=name), {}).n == p.usual


def canvas_bytes(text: str) -> bytes:
    import base64

    return base64.b64decode(text)
