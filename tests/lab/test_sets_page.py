"""The multi-label page without a browser: thresholds, P, the norm, labels, undo, links."""

from __future__ import annotations

from urllib.parse import parse_qsl

import numpy as np
import pytest

from lab.sets.labels import given
from lab.sets.view import source_of
from tests.lab.driver import App, decoded


@pytest.fixture
def app() -> App:
    return App("multilabel")


def check(app: App) -> None:
    """A fresh page opened by the link shows the same."""
    again = App("multilabel", dict(parse_qsl(app.link(), keep_blank_values=True)))
    mine, theirs = app.board(), again.board()
    assert mine["given"] == theirs["given"]
    for a, b in zip(mine["panels"], theirs["panels"], strict=True):
        assert (a["state"], a["H"], a["T"]) == (b["state"], b["H"], b["T"])


def labels(app: App) -> np.ndarray:
    return decoded(app.board()["given"], "i1").reshape(-1, 3)


def test_a_point_gets_a_label_and_undo_takes_it_back(app):
    before = labels(app)
    free = int(np.flatnonzero(~before.any(axis=1))[0])
    app.tell({"op": "set", "index": free, "label": 2, "value": 1})
    app.tell({"op": "set", "index": free, "label": 0, "value": -1})
    assert labels(app)[free].tolist() == [-1, 0, 1]
    check(app)
    app.tell({"op": "undo", "index": -1})
    app.tell({"op": "undo", "index": -1})
    np.testing.assert_array_equal(labels(app), before)


def test_the_threshold_by_hand_learned_and_per_label(app):
    before = decoded(app.board()["panels"][0]["state"], "u1") & 1
    app.change({"T": "0.02"})
    after = decoded(app.board()["panels"][0]["state"], "u1") & 1
    assert (after <= before).all()
    assert after.sum() < before.sum()
    check(app)
    app.state.change("rule", "learned")
    app.test.run()
    assert "T" not in app.sliders()
    app.test.toggle(key="multilabel.per_label").set_value(True).run()
    assert len(set(app.board()["panels"][0]["T"])) == 3
    check(app)


def test_every_label_has_a_threshold_of_its_own(app):
    app.test.toggle(key="multilabel.per_label").set_value(True).run()
    app.change({"T.1": "0.5"})
    assert app.board()["panels"][0]["T"] == [-0.005, 0.5, -0.005]
    check(app)


def test_the_norm_is_fixed_on_demand(app):
    assert "tau" not in app.sliders()
    app.test.toggle(key="multilabel.constrained").set_value(True).run()
    app.slide(tau=2)
    H = decoded(app.board()["panels"][0]["H"], "<f4")
    labelled = labels(app).any(axis=1).sum()
    assert np.linalg.norm(H) == pytest.approx(2 * np.sqrt(labelled), rel=1e-5)
    check(app)


def test_p_edited_is_ones_own_and_undo_leads_back(app):
    before = app.view
    app.relate("1~-0.6~0_-0.6~1~0_0~0~1")
    assert app.view.relation == "own"
    assert app.board()["panels"][0]["title"] == "Your own P"
    check(app)
    app.slide(gamma=3)
    app.tell({"op": "undo", "index": -1})
    app.tell({"op": "undo", "index": -1})
    assert app.view == before


def test_the_strength_of_co_occurrence(app):
    before = app.board()["panels"]
    app.change({"strength": "0.9"})
    after = app.board()["panels"]
    assert after[0]["H"] != before[0]["H"]
    assert after[1]["H"] == before[1]["H"]
    check(app)


def test_labels_are_drawn_cleared_and_restored(app):
    own = labels(app)
    app.slide(share=0.3)
    assert labels(app).any(axis=1).sum() == 90
    check(app)
    app.state.change("labels.tells", "one")
    app.test.run()
    assert np.abs(labels(app)).sum(axis=1).max() == 1
    app.test.button(key="multilabel.clear").click().run()
    assert not labels(app).any()
    assert any("No point is labelled" in i.value for i in app.test.info)
    app.state.change("labels.tells", "all")
    app.test.run()
    app.test.button(key="multilabel.restore").click().run()
    np.testing.assert_array_equal(labels(app), own)
    np.testing.assert_array_equal(given(source_of(app.view, {}), app.view.labels), own)


def test_the_share_of_labelled_points_is_a_slider_like_its_neighbours(app):
    own = labels(app).any(axis=1).mean()
    about = app.sliders()["share"]
    assert about["value"] == about["usual"] == round(own, 2)
    assert (about["low"], about["high"], about["least"]) == (0.0, 0.9, 0.0)
    # A point set by hand belongs to what was drawn.
    app.tell({"op": "set", "index": 5, "label": 2, "value": 1})
    app.slide(share=0.2)
    assert "share=0.2" in app.link()
    assert labels(app).any(axis=1).sum() == 60
    assert app.view.labels.rows == ()
    check(app)
    # Another draw has as many.
    app.test.number_input(key="multilabel.draw").set_value(7).run()
    assert (app.view.labels.share, app.view.labels.draw) == (0.2, 7)
    assert labels(app).any(axis=1).sum() == 60
    # A link of before: a share that no slider reaches by itself.
    beyond = App("multilabel", {"share": "1"})
    assert beyond.sliders()["share"]["value"] == beyond.sliders()["share"]["high"] == 1.0
    assert labels(beyond).any(axis=1).all()


def test_other_points_have_no_rows_of_the_old_ones(app):
    app.tell({"op": "set", "index": 5, "label": 2, "value": 1})
    app.slide(**{"p.n": 120})
    assert len(labels(app)) == 120
    assert app.view.labels.rows == ()
    check(app)
