"""The test of a good house: a similarity is declared in one place and found in all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import mavr
from lab.board.face import Classes
from lab.board.view import CODEC, fresh_view
from lab.data import Data
from lab.history import History
from lab.server.live import Known, answer
from lab.sets.view import CODEC as SETS
from mavr.commands.cli import main, parser
from mavr.settings import SIMILARITIES, GraphSpec, Number, Similarity, register_similarity
from tests.lab.driver import App, same_picture


def cauchy(X, spread):
    """1 / (1 + d² / spread²), without self-loops."""
    W = 1.0 / (1.0 + (cdist(X, X) / spread) ** 2)
    np.fill_diagonal(W, 0.0)
    return W


@pytest.fixture(autouse=True)
def registered() -> Iterator[Similarity]:
    spread = Number("spread", "Spread", "s", "Half of a similarity lies within.", 1e-3, 1e3, 0.7)
    about = Similarity("cauchy", "Cauchy", "Heavy tails.", cauchy, (spread,))
    register_similarity(about)
    yield about
    del SIMILARITIES["cauchy"]


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.3, (20, 2)), rng.normal(3, 0.3, (20, 2))])
    y = np.full(40, -1)
    y[[0, 20]] = 0, 1
    return X, y


def test_in_a_spec_with_its_range():
    spec = GraphSpec.of("cauchy", spread=2.0)
    assert spec.arguments == {"spread": 2.0}
    assert spec.key != GraphSpec.of("cauchy").key
    with pytest.raises(ValueError, match=r"spread must be in 0\.001 … 1000, got -1"):
        GraphSpec.of("cauchy", spread=-1.0)


@pytest.mark.parametrize("page", ["playground", "multilabel"])
def test_in_the_select_box_with_its_slider_and_in_the_link_and_back(page):
    app = App(page)
    box = app.test.selectbox(key=f"{page}.setting.graph.similarity")
    assert "Cauchy" in box.options
    assert "spread" not in app.sliders()
    box.set_value("cauchy").run()
    slider = app.sliders()["spread"]
    assert (slider["label"], slider["value"], slider["least"], slider["most"]) == (
        "Spread s", 0.7, 1e-3, 1e3,
    )  # fmt: skip
    before = app.board()
    app.slide(spread=0.3)
    assert app.board()["panels"][0]["H"] != before["panels"][0]["H"]
    link = dict(parse_qsl(app.link(), keep_blank_values=True))
    assert (link["graph"], link["spread"]) == ("cauchy", "0.3")
    again = App(page, link)
    assert again.view == app.view
    assert again.sliders()["spread"]["value"] == 0.3
    if page == "playground":
        same_picture(app.board(), again.board())


@pytest.mark.parametrize("codec", [CODEC, SETS], ids=["board", "sets"])
def test_a_bad_value_in_a_link_is_explained(codec):
    assert {"graph", "spread"} <= set(codec.names())
    view, problems = codec.read({"labels": "", "graph": "cauchy", "spread": "0"})
    assert view.setting.graph.value("spread") == 0.7
    (problem,) = problems
    assert "Spread s must be in" in problem


def test_in_the_live_channel():
    face, view = Classes(), fresh_view(Data("two_moons"))
    found = answer(
        Known(History(view), 0, face, {}),
        {"seq": 1, "changes": {"graph": "cauchy", "spread": "0.2"}, "events": [], "have": None},
    )
    setting = view.setting.having(similarity="cauchy", spread=0.2)
    expected = face.compute(replace(view, setting=setting), {})
    np.testing.assert_array_equal(found["panels"][0]["pred"], expected.left.pred)


def test_on_the_command_line(points, tmp_path, capsys):
    options = vars(parser().parse_args(["fit", "f.csv", "--similarity", "cauchy", "--spread", "2"]))
    assert (options["similarity"], options["spread"]) == ("cauchy", "2")
    with pytest.raises(SystemExit):
        parser().parse_args(["fit", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "--spread" in told
    assert "Half of a similarity lies within" in told
    X, y = points
    file, out = tmp_path / "points.csv", tmp_path / "out.csv"
    names = {0: "a", 1: "b", -1: ""}
    rows = [f"{p[0]!r},{p[1]!r},{names[int(j)]}" for p, j in zip(X.tolist(), y, strict=True)]
    file.write_text("u,v,label\n" + "\n".join(rows))
    given = ["fit", str(file), "--similarity", "cauchy", "--spread", "0.5", "--gamma", "1"]
    given += ["--out", str(out)]
    assert main(given) == 0
    said = [line.split(",")[1] for line in out.read_text().splitlines()[1:]]
    assert said == ["a"] * 20 + ["b"] * 20
    assert main([*given, "--spread", "-1"]) == 2
    assert "spread must be in" in capsys.readouterr().err


def test_in_an_estimator_with_a_fit_that_works(points):
    X, y = points
    model = mavr.MAVRClassifier("cauchy", spread=0.5)
    assert model.get_params()["spread"] == 0.5
    assert clone(model).set_params(spread=2.0).spread == 2.0
    fitted = model.fit(X, y)
    assert fitted.transduction_.tolist() == [0] * 20 + [1] * 20
    assert fitted.predict([[0.1, 0.1], [2.9, 3.0]]).tolist() == [0, 1]
    by_hand = clone(model).set_params(similarity="precomputed").fit(cauchy(X, 0.5), y)
    np.testing.assert_array_equal(fitted.transduction_, by_hand.transduction_)
    with pytest.raises(ValueError, match="spread must be in"):
        clone(model).set_params(spread=-1.0).fit(X, y)


def test_gone_when_it_is_unregistered():
    del SIMILARITIES["cauchy"]
    try:
        assert "spread" not in CODEC.names()
        assert "spread" not in mavr.MAVRClassifier().get_params()
        with pytest.raises(ValueError, match="got 'cauchy'"):
            GraphSpec.of("cauchy")
    finally:
        SIMILARITIES["cauchy"] = Similarity("cauchy", "Cauchy", "", cauchy, ())
