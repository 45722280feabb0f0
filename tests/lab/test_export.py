"""What a visitor takes away: the code computes the picture, table and view hold it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import datasets
from lab.board import answers as boards
from lab.board.marks import Marks
from lab.board.view import View, fresh_view
from lab.data import FILE, Data
from lab.examples.gallery import PANELS
from lab.examples.presets import PRESETS
from lab.export.code import classes_code, sets_code
from lab.sets import answers as sets
from lab.sets.view import LabelView
from lab.sets.view import fresh_view as fresh_sets
from mavr.methods import METHODS


def run(code: str, folder: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the code leaves; it writes its picture into a folder."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(compile(code, "exported.py", "exec"), names)
    assert (folder / "picture.html").stat().st_size > 1000
    assert max(map(len, code.splitlines())) <= 100
    return names


def same_classes(view: View, files: dict[str, Any], names: dict[str, Any]) -> None:
    result = boards.compute(view, files)
    for answer, solution in zip(result.answers, (names["left"], names["right"]), strict=True):
        alive = result.scene.alive
        np.testing.assert_array_equal(answer.pred[alive], solution.labels)
        np.testing.assert_array_equal((answer.flags & boards.TIE)[alive] > 0, solution.ties)
        unreached = (answer.flags & boards.UNREACHED)[alive] > 0
        np.testing.assert_array_equal(unreached, solution.unreached)


@pytest.mark.parametrize("name", PRESETS)
def test_code_of_a_preset_predicts_the_same(name, tmp_path, monkeypatch):
    view = PRESETS[name].make()
    same_classes(view, {}, run(classes_code(view, {}), tmp_path, monkeypatch))


@pytest.mark.parametrize("name", PANELS)
def test_code_of_a_panel_predicts_the_same(name, tmp_path, monkeypatch):
    view = PANELS[name].view()
    same_classes(view, {}, run(classes_code(view, {}), tmp_path, monkeypatch))


PAINTED = Marks(
    labels=((2, 0), (107, 1), (153, 3), (300, 2)),
    added=((1.5, 2.25, 2), (-3.0, 0.5, -1)),
    moved=((5, 0.5, 0.5), (9, -1.0, 4.0)),
    deleted=(7, 8, 301),
    extra=1,
)


def variants() -> dict[str, View]:
    circles = fresh_view(Data("three_circles", seed=43))
    own = replace(circles.second, gamma=3.0, tau=2.5, balance=0.5)
    P = ((1.0, 0.25, 0.0), (0.25, 2.0, -0.5), (0.0, -0.5, 1.0))
    many = Data("three_circles", (("n", 1600.0),), seed=3)
    return {
        "painted": replace(circles, marks=PAINTED),
        "own": replace(circles, own=True, right="mavr", second=own),
        "P": replace(circles, setting=circles.setting.having(P=P, balance=0.3)),
        "laprls": replace(circles, left="laprls", right="bavr"),
        "balanced": replace(circles, left="lgc_balanced", right="unconstrained"),
        "digits": fresh_view(Data("digits", seed=1)),
        "graph": replace(circles, setting=circles.setting.having(self_loops=True, power=2)),
        "cosine": replace(circles, setting=circles.setting.having(similarity="cosine")),
        "many": replace(fresh_view(many), setting=circles.setting.having(similarity="knn")),
        "hidden": fresh_view(Data("smile", unknown=1, seed=4)),
    }


@pytest.mark.parametrize("name", variants())
def test_code_of_a_changed_view_predicts_the_same(name, tmp_path, monkeypatch):
    view = variants()[name]
    same_classes(view, {}, run(classes_code(view, {}), tmp_path, monkeypatch))


def test_the_variants_use_every_method():
    assert {m for v in variants().values() for m in (v.left, v.right)} == set(METHODS)


def upload(path: Any, n: int, sets_of_labels: bool) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    columns = {"Y": (X[:, :2] > 0).astype(float)} if sets_of_labels else {"y": X[:, 0] > 0}
    np.savez(path, X=X, **columns)
    name = FILE + hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return {name: datasets.from_npz(path.read_bytes(), name=path.name)}


def test_code_of_a_file_reads_the_file(tmp_path, monkeypatch):
    files = upload(tmp_path / 'a "file", of mine.npz', 80, False)
    view = fresh_view(Data(next(iter(files))), files)
    same_classes(view, files, run(classes_code(view, files), tmp_path, monkeypatch))


def same_sets(view: LabelView, files: dict[str, Any], names: dict[str, Any]) -> None:
    shown = sets.compute(view, files).answers[0]
    np.testing.assert_array_equal(shown.has, names["has"])
    np.testing.assert_allclose(shown.T, names["T"], rtol=1e-9)


def label_views() -> dict[str, LabelView]:
    usual = LabelView()
    P = ((1.0, 0.3, 0.0), (0.3, 1.0, 0.0), (0.0, 0.0, 2.0))
    fixed = usual.setting.having(tau=0.7, balance=0.2, P=P)
    return {
        "default": usual,
        "learned": replace(usual, rule="learned", per_label=True),
        "frequency": replace(usual, rule="frequency"),
        "own": replace(usual, relation="own", setting=fixed, standardise=True),
        "each": replace(usual, per_label=True, thresholds=(0.0, -0.01, 0.01)),
    }


@pytest.mark.parametrize("name", label_views())
def test_code_of_label_sets_predicts_the_same(name, tmp_path, monkeypatch):
    view = label_views()[name]
    same_sets(view, {}, run(sets_code(view, {}), tmp_path, monkeypatch))


@pytest.mark.parametrize(("n", "label_sets"), [(90, True), (2100, True), (2100, False)])
def test_code_of_a_file_of_label_sets(n, label_sets, tmp_path, monkeypatch):
    files = upload(tmp_path / "sets.npz", n, label_sets)
    view = fresh_sets(Data(next(iter(files))), files)
    same_sets(view, files, run(sets_code(view, files), tmp_path, monkeypatch))
