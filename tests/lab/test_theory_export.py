"""What the Theory page hands out: the code of a section computes the numbers of its charts."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from lab.theory import codes, root, take
from lab.theory.sections import SECTIONS
from tests.lab.driver import App

# A section with what a link says of its controls, and the name of its export.
CASES = [
    ("volume", {"lam1": "0.5", "angle": "45"}, "volume"),
    ("space", {"ratio": "4", "thrown": "1000"}, "space"),
    ("classes", {}, "classes"),
    ("classes", {"graph": "star", "relation": "P5", "n": "3"}, "classes"),
    ("two", {"coupling2": "0.5", "sum2": "1"}, "two"),
    ("sets", {}, "sets"),
    ("sets", {"code": "denied", "threshold": "each"}, "sets"),
    ("losses", {"gamma.losses": "10"}, "losses"),
    ("root", {"start": "left"}, "root"),
    ("hard", {"z1": "0.1"}, "hard"),
    ("stability", {"action": "move"}, "stability"),
    ("stability", {"action": "add", "which": "2"}, "stability"),
    ("accuracy", {}, "accuracy"),
    ("accuracy", {"truth": "rough", "kind": "tau"}, "accuracy"),
    ("accuracy", {"example": "two", "kind": "tau", "labelled": "1"}, "accuracy"),
    ("accuracy", {"example": "flat"}, "accuracy"),
    ("links", {}, "links"),
    ("pitfalls", {"pitfall": "recovery"}, "recovery"),
    ("pitfalls", {"pitfall": "shortcut"}, "shortcut"),
    ("pitfalls", {"pitfall": "ties"}, "ties"),
]
# Said beside the picture, not drawn in it.
BESIDE = {"volume": {"V(h)"}}


@pytest.fixture
def taken(monkeypatch):
    """Exports that a page offers, by name: code and charts."""
    found: dict[str, Any] = {}

    def export(name, charts, *source, **values):
        found[name] = (codes.script(name, *source, **values), charts)

    monkeypatch.setattr(take, "export", export)
    # All steps of the root finder at once.
    monkeypatch.setattr(root, "_shown", lambda found: len(found.steps))
    return found


def run(code: str) -> dict[Any, Any]:
    names: dict[str, Any] = {}
    exec(compile(code, "exported", "exec"), names)
    return names["drawn"]


def numbers(charts: list[take.Chart]) -> np.ndarray:
    """Every number of the tables of a section's charts."""
    found = []
    for chart in charts:
        rows = list(csv.reader(io.StringIO(chart.make())))
        assert len(rows) > 1, chart.name
        assert len({len(row) for row in rows}) == 1, chart.name
        for cell in (cell for row in rows[1:] for cell in row):
            try:
                found.append(float(cell))
            except ValueError:
                continue
    return np.sort(found)


def missing(wanted: np.ndarray, known: np.ndarray) -> list[float]:
    """Numbers that are not among the known ones."""
    at = np.searchsorted(known, wanted)
    near = np.stack([known[np.clip(at + k, 0, len(known) - 1)] for k in (-1, 0)])
    close = np.isclose(near, wanted, rtol=1e-6, atol=1e-12).any(axis=0)
    return wanted[~close].tolist()


@pytest.mark.parametrize(("section", "values", "name"), CASES)
def test_the_code_of_a_section_computes_what_its_charts_draw(taken, section, values, name):
    app = App("theory", {"section": section, **values})
    assert not app.test.exception
    code, charts = taken[name]
    known, drawn = numbers(charts), run(code)
    beside = BESIDE.get(name, set())
    wanted = np.concatenate([np.ravel(v) for k, v in drawn.items() if k not in beside])
    if name == "shortcut":
        wanted = -wanted
    assert wanted.size
    assert missing(wanted[np.isfinite(wanted)], known) == []


def test_every_section_with_a_chart_has_an_export(taken):
    assert {section for section, _, _ in CASES} == set(SECTIONS) - {"errata"}


def test_the_code_follows_the_playground(taken):
    query = {"data": "two_moons", "p.n": "80", "labels": "3.0_60.1", "moved": "", "gamma": "7"}
    app = App("playground", query)
    for section in ("root", "stability"):
        app.go("theory", {"section": section})
        assert not app.test.exception
    code, charts = taken["stability"]
    assert "two_moons(n=80" in code
    drawn = run(code)
    wanted = np.concatenate([np.ravel(v) for v in drawn.values()])
    assert missing(wanted, numbers(charts)) == []


def test_a_table_says_what_the_axes_measure():
    figure = {
        "data": [
            {"type": "scatter", "name": "a", "x": [1.0, 2.0], "y": [3.0, None]},
            {"type": "scatter", "mode": "text", "x": [0.0], "y": [0.0], "text": ["no number"]},
            {"type": "heatmap", "z": [[3, 4], [1, 2]]},
        ],
        "layout": {"xaxis": {"title": {"text": "γλ<sub>k</sub>"}}, "yaxis": {"tickvals": [1]}},
    }
    assert take.figure_table(figure).splitlines() == [
        "series,γλk,y,value", "a,1.0,3.0,", "a,2.0,,", ",1,1,1", ",2,1,2", ",1,2,3", ",2,2,4",
    ]  # fmt: skip
