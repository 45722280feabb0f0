"""The multi-label page in a real browser: label, deny, set a threshold, choose P, bring a file."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.canvas_driver import Canvas

HAS, UNDECIDED = 1, 2


class Sets(Canvas):
    """The canvas of label sets: panels 0 and 1 are the sets with P and with I, then the labels."""

    def given(self) -> np.ndarray:
        """(n, c) labels that Python has confirmed."""
        return self._table("board.given")

    def sets(self, which: int = 0) -> np.ndarray:
        """(n, c) predicted, with P or with I."""
        return self._table(f"board.scene.results[{which}].state") & HAS > 0

    def _table(self, array: str) -> np.ndarray:
        values, c = self.state(f"[Array.from({array}), board.scene.c]")
        return np.array(values).reshape(-1, c)

    def alone(self) -> int:
        """An unlabelled point with no other within reach of a click."""
        X = np.array(self.points()).reshape(-1, 2)
        distance = np.linalg.norm(X[:, None] - X[None], axis=2) + 1e9 * np.eye(len(X))
        order = np.argsort(-distance.min(axis=1))
        labelled = self.given().any(axis=1)
        return next(int(i) for i in order if not labelled[i])

    def open(self, i: int, panel: int = 0) -> None:
        self.page.mouse.click(*self.pixel(i, panel))
        expect(self.page.locator(".board .pop")).to_contain_text(f"Point {i}")

    def say(self, label: int, value: int) -> None:
        """Press has (1), has not (-1) or unknown (0) in the open popover."""
        button = f'.board .pop button[data-label="{label}"][data-value="{value}"]'
        self.page.locator(button).click()
        self.settle()


@pytest.fixture
def sets(open_page) -> Sets:
    return Sets(open_page("multilabel"))


def test_a_point_gets_a_label_and_is_denied_another(sets):
    before = sets.given()
    i = sets.alone()
    sets.open(i)
    sets.say(2, 1)
    assert sets.given()[i].tolist() == [0, 0, 1]
    assert sets.sets()[i, 2]
    sets.say(0, -1)
    assert sets.given()[i].tolist() == [-1, 0, 1]
    assert not sets.sets()[i, 0]
    # Only this point changed.
    others = np.arange(len(before)) != i
    np.testing.assert_array_equal(sets.given()[others], before[others])
    expect(sets.page).to_have_url(re.compile(rf"{i}\.0x1"))
    sets.say(2, 0)
    assert sets.given()[i].tolist() == [-1, 0, 0]


def test_a_denied_label_leaves_its_neighbourhood(sets):
    """A negative label where the set is predicted takes it away, in a panel of one label too."""
    i = int(np.flatnonzero(sets.sets()[:, 1] & ~sets.given().any(axis=1))[0])
    count = sets.sets()[:, 1].sum()
    sets.open(i, panel=3)
    sets.say(1, -1)
    assert not sets.sets()[i, 1]
    assert sets.sets()[:, 1].sum() < count


def test_true_labels_clear_undo_and_redo(sets):
    before = sets.given()
    i = sets.alone()
    sets.open(i)
    sets.page.locator('.board .pop button[data-op="truth"]').click()
    sets.settle()
    truth = sets._table("board.scene.truth")
    np.testing.assert_array_equal(sets.given()[i], truth[i])
    sets.page.locator('.board .pop button[data-op="close"]').click()
    expect(sets.page.locator(".board .pop")).to_be_hidden()
    sets.page.locator('.board button[data-do="undo"]').click()
    sets.settle()
    np.testing.assert_array_equal(sets.given(), before)
    sets.page.keyboard.press("Control+Shift+z")
    sets.page.locator(".board .stage").focus()
    sets.page.keyboard.press("Control+Shift+z")
    sets.settle()
    np.testing.assert_array_equal(sets.given()[i], truth[i])
    sets.click(i, button="right")
    assert not sets.given()[i].any()


def test_the_keyboard_alone_labels(sets):
    sets.page.locator(".board .stage").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        sets.page.keyboard.press(key)
    i = sets.state("board.cursor")
    expect(sets.page.locator(".board .pop")).to_contain_text(f"Point {i}")
    # From "unknown" or whatever holds for the first label: down to the second, left to "has".
    for key in ("ArrowDown", "ArrowLeft", "ArrowLeft", "Enter"):
        sets.page.keyboard.press(key)
    sets.settle()
    assert sets.given()[i, 1] == 1
    sets.page.keyboard.press("Escape")
    expect(sets.page.locator(".board .pop")).to_be_hidden()


def test_quick_answers_in_the_popover_are_all_kept(sets):
    i = sets.alone()
    sets.open(i)
    for label, value in ((0, 1), (1, -1), (2, 1), (0, -1), (1, 1)):
        sets.page.locator(f'.board .pop button[data-label="{label}"][data-value="{value}"]').click()
    sets.settle()
    assert sets.given()[i].tolist() == [-1, 1, 1]


def test_the_threshold_changes_the_sets_and_the_numbers(sets):
    page, step, before = sets.page, sets.step(), sets.sets()
    number = page.locator('.numbers [data-number="hamming"]').first
    loss = number.inner_text()
    sets.exact("T", "0.02")
    sets.wait_for_step(step)
    expect(page).to_have_url(re.compile(r"T=0\.02"))
    expect(number).not_to_have_text(loss)
    sets.settle()
    after = sets.sets()
    assert (after <= before).all()
    assert after.sum() < before.sum()
    expect(page.locator(".js-plotly-plot").first).to_contain_text("T = 0.0")


@pytest.mark.parametrize("rule", ["Learned", "Frequencies"])
def test_thresholds_are_learned(sets, rule):
    page, step = sets.page, sets.step()
    page.get_by_role("radio", name=rule).click()
    sets.wait_for_step(step)
    expect(page.get_by_role("slider", name="Threshold T")).to_have_count(0)
    common = sets.state("board.scene.results[0].T")
    assert len(set(common)) == 1
    step = sets.step()
    page.get_by_text("One per label").click()
    sets.wait_for_step(step)
    own = sets.state("board.scene.results[0].T")
    assert len(set(own)) == 3
    expect(page.locator(".js-plotly-plot").first).to_contain_text("shifted")


def test_every_label_has_a_threshold_of_its_own_by_hand(sets):
    page, before = sets.page, sets.sets()
    step = sets.step()
    page.get_by_text("One per label").click()
    sets.wait_for_step(step)
    page.get_by_role("button", name="Thresholds of the labels").click()
    step = sets.step()
    sets.exact("T.2", "0.01")
    sets.wait_for_step(step)
    expect(page).to_have_url(re.compile(r"T=-0\.005.*-0\.005.*0\.01"))
    sets.settle()
    np.testing.assert_array_equal(sets.sets()[:, :2], before[:, :2])
    assert sets.sets()[:, 2].sum() < before[:, 2].sum()


def test_the_norm_is_fixed_on_demand(sets):
    page, step = sets.page, sets.step()
    page.get_by_text("Fix the norm of the responses").click()
    sets.wait_for_step(step)
    expect(page.get_by_role("slider", name="Response size τ")).to_be_visible()
    H = sets._table("board.scene.results[0].H")
    labelled = sets.given().any(axis=1).sum()
    assert np.linalg.norm(H) == pytest.approx(np.sqrt(labelled), rel=1e-5)


def test_both_relations_are_drawn_and_one_is_chosen(sets):
    page = sets.page
    assert (sets.sets(0) != sets.sets(1)).any()
    expect(page.locator(".board .heads")).to_contain_text("Learned P")
    expect(page.locator(".board .heads")).to_contain_text("P = I")
    macro = page.locator('.numbers [data-number="macro"]')
    assert macro.nth(0).inner_text() != macro.nth(1).inner_text()
    step = sets.step()
    page.get_by_role("radio", name="With P = I").click()
    sets.wait_for_step(step)
    assert sets.state("board.scene.shown") == 1
    expect(page).to_have_url(re.compile(r"shown=1"))


def test_p_edited_is_ones_own(sets):
    page, step, identity = sets.page, sets.step(), sets.sets(1)
    before = sets.sets(0)
    cell = page.locator('.relation input[data-j="0"][data-k="1"]')
    cell.fill("-0.6")
    cell.press("Enter")
    sets.wait_for_step(step)
    expect(page.locator(".board .heads")).to_contain_text("Your own P")
    sets.settle()
    assert (sets.sets(0) != before).any()
    np.testing.assert_array_equal(sets.sets(1), identity)
    cell.fill("4")
    cell.press("Enter")
    warning = page.get_by_text("not positive definite")
    expect(warning).to_be_visible()
    page.get_by_role("button", name="Repair P").click()
    expect(warning).to_have_count(0)
    page.get_by_role("radio", name="Co-occurrence").click()
    expect(page.locator(".board .heads")).to_contain_text("Learned P")
    sets.settle()
    np.testing.assert_array_equal(sets.sets(0), before)


def test_the_strength_of_co_occurrence(sets):
    page, step, before = sets.page, sets.step(), sets.sets(0)
    sets.exact("strength", "0.9")
    sets.wait_for_step(step)
    expect(page).to_have_url(re.compile(r"strength=0\.9"))
    sets.settle()
    assert (sets.sets(0) != before).any()


def upload(sets: Sets, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    sets.page.locator('[data-testid="stFileUploader"] input').set_input_files(file)


def two_groups(n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.3, (n, 2)), rng.normal(3, 0.3, (n, 2))])
    Y = np.repeat([[1, 0, 1], [0, 1, 1]], n, axis=0)
    return X, Y


def test_an_archive_is_uploaded(sets):
    X, Y = two_groups()
    file = io.BytesIO()
    np.savez(file, X=X, Y=Y, label_names=np.array(["low", "high", "both"]))
    step = sets.step()
    upload(sets, "groups.npz", file.getvalue())
    sets.wait_for_step(step)
    expect(sets.page.locator(".board .heads")).to_contain_text("high")
    sets.settle()
    assert sets.given().any(axis=1).sum() == 18
    np.testing.assert_array_equal(sets.sets(), Y > 0)
    expect(sets.page.get_by_test_id("stSidebar")).to_contain_text("groups.npz")


def test_a_csv_with_unknown_labels_is_uploaded_and_labelled(sets):
    X, _ = two_groups()
    told = {0: "1,0", 35: ",1"}
    lines = ["a,b,label:low,label:high"]
    lines += [f"{x:.4f},{y:.4f},{told.get(i, ',')}" for i, (x, y) in enumerate(X)]
    step = sets.step()
    upload(sets, "groups.csv", "\n".join(lines).encode())
    sets.wait_for_step(step)
    expect(sets.page.locator(".board .heads")).to_contain_text("low")
    sets.settle()
    assert sets.given()[[0, 35]].tolist() == [[1, -1], [0, 1]]
    sets.open(35)
    sets.say(0, -1)
    assert sets.given()[35].tolist() == [-1, 1]
    assert sets.sets()[30:, 1].all()


def test_a_file_without_labels_gets_a_sentence_and_loses_nothing(sets):
    before = sets.given()
    upload(sets, "plain.csv", b"a,b\n1,2\n3,4\n5,6\n")
    expect(sets.page.get_by_text("This file has no labels")).to_be_visible()
    np.testing.assert_array_equal(sets.given(), before)


def test_a_link_opens_the_same_picture(sets, browser: Browser):
    i = sets.alone()
    sets.open(i)
    sets.say(1, -1)
    expect(sets.page).to_have_url(re.compile(rf"{i}\.x0x"))
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    other = context.new_page()
    other.goto(sets.page.url)
    copy = Sets(other)
    np.testing.assert_array_equal(copy.given(), sets.given())
    np.testing.assert_array_equal(copy.sets(0), sets.sets(0))
    np.testing.assert_array_equal(copy.sets(1), sets.sets(1))
    context.close()


def test_a_broken_link_is_explained(open_page):
    page = open_page("multilabel?data=nowhere&gamma=-3&labels=x")
    Sets(page)
    expect(page.get_by_text("is not known")).to_be_visible()
    expect(page.get_by_text("Smoothness γ must be in")).to_be_visible()


def test_the_sets_follow_the_threshold_under_the_hand(sets):
    sets.wait_live()
    page, slider = sets.page, sets.slider("T")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    sets.watch("board.scene.results[0].state.reduce((sum, s) => sum + (s & 1), 0)")
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    sets.sway([(box["x"] + box["width"] * (0.5 + 0.007 * k), y) for k in range(30)], pictures=5)
    counts = sets.seen()
    assert page.evaluate("window.__mavrLive.seq") >= 5
    page.mouse.move(box["x"] + 0.75 * box["width"], y)
    page.mouse.up()
    expect(page).to_have_url(re.compile("T="))
    sets.rest()
    assert int(sets.sets().sum()) <= min(counts)


def test_partly_labelled_points_and_no_labels_at_all(sets):
    page, step = sets.page, sets.step()
    page.get_by_role("combobox", name="What a label says").click()
    page.get_by_role("option", name="one label each").click()
    sets.wait_for_step(step)
    assert set(np.abs(sets.given()).sum(axis=1)) == {0, 1}
    step = sets.step()
    page.get_by_role("button", name="Clear").click()
    sets.wait_for_step(step)
    expect(page.get_by_text("No point is labelled")).to_be_visible()
    i = sets.alone()
    sets.open(i)
    sets.say(0, 1)
    expect(page.get_by_text("No point is labelled")).to_have_count(0)
    # Nothing is known of the other labels: their responses are 0, above the threshold, for all.
    assert sets.sets()[:, 0].any()


def test_unreached_points_and_undecided_labels_are_shown_as_such(open_page):
    """A narrow Gaussian falls apart; T = 0 where nothing is known of a label decides nothing."""
    page = open_page(
        "multilabel?data=multilabel&graph=gaussian&sigma=0.001&share=0&T=0&labels=0.10x"
    )
    sets = Sets(page)
    unreached = sets.state("Array.from(board.scene.results[0].unreached)")
    assert sum(unreached) == 299
    state = sets._table("board.scene.results[0].state")
    assert state[0, 2] & UNDECIDED
    expect(page.locator(".board .legend")).to_contain_text("undecided")
    expect(page.locator(".board .legend")).to_contain_text("no label connected")


def test_a_tap_opens_the_popover_on_a_phone(browser: Browser, app_url):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(f"{app_url}/multilabel")
    sets = Sets(page)
    i = sets.alone()
    page.touchscreen.tap(*sets.pixel(i))
    pop = page.locator(".board .pop")
    expect(pop).to_contain_text(f"Point {i}")
    box = pop.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    pop.locator('button[data-label="0"][data-value="1"]').tap()
    sets.settle()
    assert sets.given()[i, 0] == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_film_names_each_panel_as_its_head_does(sets):
    page = sets.page
    row = page.locator('.slider[data-link="gamma"]')
    page.evaluate(
        """() => {
          const drawn = CanvasRenderingContext2D.prototype, fill = drawn.fillText;
          const written = (window.__written = new Set());
          drawn.fillText = function (text, ...at) {
            if (this.canvas !== window.__mavrLive.board.canvas) written.add(text.split("  ")[0]);
            return fill.call(this, text, ...at);
          };
          window.__undo = () => { drawn.fillText = fill; };
        }"""
    )
    button = sets.begin_film("gamma")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    row.get_by_role("button", name="Play").click()
    written = page.evaluate("window.__undo() || [...window.__written]")
    heads = page.locator(".board .heads .head b").all_inner_texts()
    assert len(heads) == sets.state("board.panels.length")
    assert set(heads) <= set(written)
    assert any(text.startswith("Smoothness γ = ") for text in written)
    sets.rest()
