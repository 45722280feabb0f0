"""A page's state: the view is the only owner of what is shown; every change is one step back."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from lab.board.answers import compute
from lab.board.details import with_balance
from lab.board.view import CODEC, View, fresh_view
from lab.data import Data
from lab.examples.presets import PRESETS
from lab.page import Page
from mavr.collapse import collapse
from tests.lab.driver import App, labels, same_picture


@pytest.fixture
def page() -> Page[View]:
    return Page("test", CODEC, View())


def test_a_change_at_a_path_is_one_step(page):
    page.change("setting.parameters.gamma", 5.0)
    page.change("setting.graph.laplacian", "unnormalized")
    page.change("left", "lgc")
    assert page.view.setting == View().setting.having(gamma=5.0, laplacian="unnormalized")
    assert page.link() == {
        "data": "three_circles", "labels": "", "gamma": "5", "L": "unnormalized", "left": "lgc",
    }  # fmt: skip
    for _ in range(3):
        page.history = page.history.undo()
    assert page.view == View()
    page.history = page.history.redo()
    assert page.view.setting.parameters.gamma == 5.0


def test_a_change_that_the_declaration_forbids_is_refused(page):
    with pytest.raises(ValueError, match="gamma must be in"):
        page.change("setting.parameters.gamma", -1.0)
    assert page.view == View()


def test_what_is_kept_is_kept_by_its_type(page):
    page.keep(list).append(3)
    assert page.keep(list) == [3]
    assert page.keep(dict) == {}


def step_of_push(app: App) -> bool:
    (element,) = app.components("address")
    return bool(json.loads(element.proto.json)["push"])


@pytest.fixture
def app() -> App:
    return App()


def fresh(app: App) -> App:
    """Another visitor who opens the link that this one's address bar shows."""
    return App(app.name, dict(parse_qsl(app.link(), keep_blank_values=True)))


def test_undo_leads_back_over_labels_sliders_p_and_controls(app):
    """One history for everything: the board's undo takes back a slider and an edit of P."""
    views = [app.view]
    app.tell({"op": "label", "indices": [5], "class": 1})
    views.append(app.view)
    app.slide(gamma=5)
    views.append(app.view)
    app.relate("1~0.2~0_0.2~1~0_0~0~1")
    views.append(app.view)
    app.test.selectbox(key="playground.left").set_value("lgc").run()
    views.append(app.view)
    app.slide(sigma=0.25)
    views.append(app.view)
    assert len(set(views)) == 6
    for earlier in reversed(views[:-1]):
        app.tell({"op": "undo", "indices": []})
        assert app.view == earlier
        assert app.sliders()["gamma"]["value"] == earlier.setting.parameters.gamma
    assert not app.board()["can_undo"]
    for later in views[1:]:
        app.tell({"op": "redo", "indices": []})
        assert app.view == later
    assert not app.test.exception


def test_the_widgets_show_what_the_view_says(app):
    app.slide(sigma=0.25)
    app.test.selectbox(key="playground.setting.graph.similarity").set_value("knn").run()
    assert set(app.sliders()) >= {"k"}
    assert "sigma" not in app.sliders()
    app.tell({"op": "undo", "indices": []})
    assert app.test.selectbox(key="playground.setting.graph.similarity").value == "gaussian"
    assert app.sliders()["sigma"]["value"] == 0.25
    same_picture(app.board(), fresh(app).board())


def test_another_data_set_is_a_step_of_the_browsers_back_button(app):
    app.slide(gamma=5)
    assert not step_of_push(app)
    app.test.selectbox(key="playground.data").set_value("two_moons").run()
    assert step_of_push(app)
    own = fresh_view(Data("two_moons"))
    assert app.view == replace(own, left=app.view.left)
    app.tell({"op": "undo", "indices": []})
    assert app.view.data.name == "three_circles"
    assert app.view.setting.parameters.gamma == 5.0


def test_the_seed_draws_other_points_and_keeps_the_settings(app):
    app.slide(gamma=5)
    app.test.number_input(key="playground.seed").set_value(7).run()
    assert app.view.data.seed == 7
    assert app.view.setting.parameters.gamma == 5.0
    assert set(labels(app.board())) == {i for i, _ in app.view.marks.labels}
    same_picture(app.board(), fresh(app).board())


def test_labels_are_drawn_restored_and_cleared(app):
    own = labels(app.board())
    app.test.number_input(key="playground.draw_l.balanced").set_value(9).run()
    app.test.button(key="playground.draw").click().run()
    assert len(labels(app.board())) == 9
    app.test.multiselect(key="playground.withheld").set_value([2]).run()
    app.test.button(key="playground.draw").click().run()
    assert set(labels(app.board()).values()) == {0, 1}
    app.test.button(key="playground.restore").click().run()
    assert labels(app.board()) == own
    app.test.button(key="playground.clear").click().run()
    assert labels(app.board()) == {}
    assert any("No point is labelled" in i.value for i in app.test.info)
    app.tell({"op": "undo", "indices": []})
    assert labels(app.board()) == own


def test_a_draw_that_is_not_possible_is_a_sentence(app):
    app.test.multiselect(key="playground.withheld").set_value([0, 1, 2]).run()
    app.test.button(key="playground.draw").click().run()
    assert not app.test.exception
    assert len(app.test.error) == 1


def test_every_choice_and_flag_is_one_widget_and_changes_the_link(app):
    for key, value, part in [
        ("right", "bavr", "right=bavr"),
        ("setting.graph.laplacian", "unnormalized", "L=unnormalized"),
        ("setting.graph.self_loops", True, "loops=1"),
        ("shade", False, "shade=0"),
        ("errors", False, "errors=0"),
        ("disagree", True, "disagree=1"),
        ("suggest", True, "suggest=1"),
    ]:
        name = f"playground.{key}"
        found = [w for w in (*app.test.selectbox, *app.test.toggle, *app.test.segmented_control,
                             *app.test.button_group) if w.key == name]  # fmt: skip
        assert found, key
        found[0].set_value(value).run()
        assert not app.test.exception
        assert part in app.link()
    same_picture(app.board(), fresh(app).board())


def test_settings_of_the_right_method_have_sliders_of_their_own(app):
    app.test.selectbox(key="playground.right").set_value("mavr").run()
    assert "gamma2" not in app.sliders()
    app.test.toggle(key="playground.own").set_value(True).run()
    app.slide(gamma2=3)
    assert app.view.second.gamma == 3.0
    assert app.view.setting.parameters.gamma == 99.0
    same_picture(app.board(), fresh(app).board())


@pytest.mark.parametrize("name", ["beats", "agree", "collapse", "no_label", "disconnected"])
def test_an_example_opens_says_its_lesson_and_has_a_link(app, name):
    app.test.selectbox(key="playground.example").set_value(name).run()
    assert not app.test.exception
    same_picture(app.board(), fresh(app).board())
    app.slide(gamma=7)
    app.test.run()
    assert any("*(You have changed it.)*" in c.value for c in app.test.caption)


def test_a_choice_that_is_gone_is_not_taken():
    """The browser still names the class of the old set when another is opened."""
    app = App("serendipity", {"data": "rings", "unknown": "0"})
    assert app.test.selectbox(key="serendipity.unknown").value == 0
    late = app._states()
    app.state.show(fresh_view(Data("smile")))
    app.test.run()
    app.test._run(late)
    assert not app.test.exception
    assert app.view.data.unknown == -1


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_the_collapse_is_said_of_its_example_and_of_no_other(name):
    result = compute(PRESETS[name].make(), {})
    found = [collapse(a.solution, result.scene.Y) is not None for a in result.answers[:2]]
    assert found == [name == "collapse", False]


def test_the_remedy_of_a_collapse_is_one_click(app):
    app.test.selectbox(key="playground.example").set_value("collapse").run()
    (words,) = [w.value for w in app.test.warning if "collapses" in w.value]
    assert "takes 71 % of the points with 33 % of the labels" in words
    app.test.button(key="playground.balance_on").click().run()
    assert app.view.setting.parameters.balance == 1.0
    assert not [w for w in app.test.warning if "collapses" in w.value]


def test_balance_for_either_side():
    view = replace(View(), left="lgc", right="mavr", own=True)
    left, right = with_balance(view, "left"), with_balance(view, "right")
    assert (left.left, left.setting.parameters.balance) == ("lgc_balanced", 1.0)
    assert (right.right, right.second.balance) == ("mavr", 1.0)
    assert right.setting.parameters.balance == 0.0


def test_proportions_of_the_classes_have_a_control(app):
    app.slide(balance=1)
    app.test.button_group(key="playground.prior").set_value("own").run()
    assert app.view.setting.parameters.class_prior == (1.0, 1.0, 1.0)
    app.test.text_input(key="playground.prior.own").set_value("1 : 2 : 3").run()
    assert app.view.setting.parameters.class_prior == (1.0, 2.0, 3.0)
    assert not app.test.exception
    same_picture(app.board(), fresh(app).board())
    app.test.text_input(key="playground.prior.own").set_value("1 : 2").run()
    assert app.view.setting.parameters.class_prior == (1.0, 2.0, 3.0)
    assert any("3 classes" in e.value for e in app.test.error)
