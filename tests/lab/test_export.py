"""What a visitor takes away: the code computes the picture, table and view hold it."""

from __future__ import annotations

import csv
import hashlib
import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import datasets
from lab.board import answers as boards
from lab.board.marks import Marks
from lab.board.view import CODEC, View, fresh_view
from lab.data import FILE, Data
from lab.examples.gallery import PANELS
from lab.examples.presets import PRESETS
from lab.export.code import classes_code, sets_code
from lab.export.drawing import classes_svg, sets_svg
from lab.export.table import classes_table, sets_table
from lab.export.viewfile import ViewError, read_view, write_view
from lab.sets import answers as sets
from lab.sets.view import CODEC as SETS_CODEC
from lab.sets.view import LabelView
from lab.sets.view import fresh_view as fresh_sets
from mavr.methods import METHODS


def run(code: str, folder: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the code leaves; it writes its picture into a folder."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(compile(code, "exported.py", "exec"), names)
    assert ET.parse(folder / "picture.svg").getroot().tag.endswith("svg")
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
        "prior": replace(
            circles,
            right="unconstrained",
            setting=circles.setting.having(balance=1.0, class_prior=(1.0, 2.0, 3.0)),
        ),
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
        "prior": replace(
            usual,
            rule="learned",
            setting=usual.setting.having(balance=0.5, class_prior=(1.0, 2.0, 5.0)),
        ),
        "each": replace(usual, per_label=True, thresholds=(0.0, -0.01, 0.01)),
    }


@pytest.mark.parametrize("name", label_views())
def test_code_of_label_sets_predicts_the_same(name, tmp_path, monkeypatch):
    view = label_views()[name]
    same_sets(view, {}, run(sets_code(view, {}), tmp_path, monkeypatch))


@pytest.mark.parametrize(("n", "label_sets"), [(90, True), (130, True), (130, False)])
def test_code_of_a_file_of_label_sets(n, label_sets, tmp_path, monkeypatch):
    for module in ("lab.sets.view", "lab.export.code"):
        monkeypatch.setattr(f"{module}.MAX_POINTS", 100)
    files = upload(tmp_path / "sets.npz", n, label_sets)
    view = fresh_sets(Data(next(iter(files))), files)
    same_sets(view, files, run(sets_code(view, files), tmp_path, monkeypatch))


def read_table(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text))
    assert len(set(reader.fieldnames or ())) == len(reader.fieldnames or ())
    return list(reader)


@pytest.mark.parametrize("name", ["painted", "own", "hidden"])
def test_the_table_holds_every_point_with_what_is_said_of_it(name):
    view = variants()[name]
    result = boards.compute(view, {}, ("lgc_balanced",))
    scene, rows = result.scene, read_table(classes_table(result))
    assert [int(row["point"]) for row in rows] == np.flatnonzero(scene.alive).tolist()
    places = [[float(row["x"]), float(row["y"])] for row in rows]
    np.testing.assert_array_equal(places, scene.points[scene.alive])
    names = (*scene.names, "")
    assert [row["label"] for row in rows] == [names[j] for j in scene.labels[scene.alive]]
    for a in (result.left, result.answers[2]):
        assert [row[a.title] for row in rows] == [names[j] for j in a.pred[scene.alive]]
        H = [[float(row[f"{a.title} response {c}"]) for c in scene.names] for row in rows]
        np.testing.assert_array_equal(H, a.solution.H)


def test_the_table_says_tied_and_unreached():
    tied = boards.compute(replace(PANELS["2-P4"].view(), split=False), {})
    rows = read_table(classes_table(tied))
    assert sum(int(row["MAVR tied"]) for row in rows) == tied.left.n_tied > 0
    lost = boards.compute(PRESETS["disconnected"].make(), {})
    rows = [r for r in read_table(classes_table(lost)) if r["MAVR unreached"] == "1"]
    assert len(rows) == lost.left.n_unreached > 0
    assert all(row["MAVR"] == "" for row in rows)


def test_the_table_of_label_sets():
    result = sets.compute(LabelView(), {})
    rows, a = read_table(sets_table(result)), result.answers[0]
    for j, name in enumerate(result.data.class_names):
        assert [int(r[f"given {name}"]) for r in rows] == result.given[:, j].tolist()
        assert [int(r[f"{a.title} {name}"]) for r in rows] == a.has[:, j].astype(int).tolist()


@pytest.mark.parametrize("name", variants())
def test_a_view_survives_its_file(name):
    view = variants()[name]
    file = write_view("classes", CODEC.write(view)).encode()
    assert read_view(file, "classes", CODEC) == (view, [])


@pytest.mark.parametrize("name", label_views())
def test_a_view_of_label_sets_survives_its_file(name):
    view = label_views()[name]
    file = write_view("sets", SETS_CODEC.write(view)).encode()
    assert read_view(file, "sets", SETS_CODEC) == (view, [])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "not text"),
        (b'{\n"format":', "not JSON (line 2)"),
        (b"[]", "no view"),
        (b"[" * 100_000, "JSON|nested"),
        (b'{"format": "MAVR Lab view", "version": 9}', "version '9'"),
        (b'{"format": "MAVR Lab view", "version": 1, "board": "sets"}', "Multi-label"),
        (b'{"format": "MAVR Lab view", "version": 1, "board": "classes", "link": {"a": 1}}',
         "texts by name"),
        (b" " * 1_000_001, "larger than 1 MB"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_view_gets_a_sentence(content, sentence):
    with pytest.raises(ViewError) as error:
        read_view(content, "classes", CODEC)
    assert any(part in str(error.value) for part in sentence.split("|"))


def test_what_a_file_says_wrongly_is_told_and_the_rest_is_used():
    link = {"data": "two_moons", "labels": "", "gamma": "-3", "tau": "2", "colour": "red"}
    view, problems = read_view(write_view("classes", link).encode(), "classes", CODEC)
    assert view.data.name == "two_moons"
    assert view.setting.parameters.tau == 2
    assert len(problems) == 2
    assert "Smoothness γ must be in" in problems[0]
    assert "'colour'" in problems[1]


def shapes(svg: str) -> list[str]:
    root = ET.fromstring(svg)
    return [element.tag.split("}")[1] for element in root.iter()]


@pytest.mark.parametrize("name", ["beats", "disconnected", "no_label"])
def test_a_picture_draws_every_point_in_every_panel(name):
    view = replace(PRESETS[name].make(), errors=False)
    result = boards.compute(view, {})
    found = shapes(classes_svg(view, result))
    n, labelled = result.scene.data.n, int((result.scene.labels >= 0).sum())
    # A labelled point is drawn twice, the second time with its outline.
    points = 3 * (n + labelled)
    assert points < found.count("circle") + found.count("polygon") <= points + 12
    assert found.count("image") == 2 * view.shade
    assert found.count("clipPath") == 3


def test_names_in_a_picture_are_text():
    data = datasets.Dataset("<b>x", np.eye(6)[:, :2], np.array([0, 1, 0, 1, 0, 1]), ("<a>", "&"))
    files = {"file:00000000000000aa": data}
    view = fresh_view(Data("file:00000000000000aa"), files)
    svg = classes_svg(view, boards.compute(view, files))
    assert "<a>" in "".join(ET.fromstring(svg).itertext())


def test_a_picture_of_label_sets():
    found = shapes(sets_svg(LabelView(), sets.compute(LabelView(), {})))
    assert found.count("clipPath") == 2 + 3
    assert found.count("path") > 50
