"""Settings chosen without the truth: errors against a plain loop, verdicts by hand."""

from __future__ import annotations

import argparse
import csv

import numpy as np
import pytest

from mavr.commands import choice as command
from mavr.commands import reproduce
from mavr.experiments.choice import RUINED, Choice, choose, error_chosen, regrets, verdicts
from mavr.experiments.grid import Axis
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS


def test_the_mean_error_where_a_criterion_is_best():
    errors = np.array([0.5, 0.1, 0.3, 0.0])
    assert error_chosen(np.array([1.0, 0.0, 0.0, np.nan]), errors, "low") == pytest.approx(0.2)
    assert error_chosen(np.array([1.0, 0.0, 0.0, np.nan]), errors, "high") == 0.5
    assert np.isnan(error_chosen(np.full(4, np.nan), errors, "low"))


def test_errors_are_those_of_a_plain_loop():
    points = command.sampled("two_moons", 2, 1)
    setting, _ = command.usual_setting()
    axes = Axis("gamma", (0.1, 30.0, 1e4)), Axis("n_neighbors", (5, 7))
    found, oracle = choose(points, setting, axes, {"gamma": 30.0, "n_neighbors": 7})
    errors = {}
    for gamma in axes[0].values:
        for k in axes[1].values:
            at = setting.having(gamma=gamma, n_neighbors=int(k))
            s = METHODS["mavr"].run(graph_of(at.graph, points.X), points.Y, at.parameters)
            wrong = (s.labels != points.truth) | s.ties
            errors[gamma, k] = wrong[points.given < 0].mean()
    assert oracle == pytest.approx(min(errors.values()))
    assert found["usual"] == pytest.approx(errors[30.0, 7])
    for error in found.values():
        assert oracle <= error + 1e-12
        assert error <= max(errors.values()) + 1e-12


def test_the_usual_setting_is_of_the_classifiers_kind_and_on_every_plane():
    setting, at = command.usual_setting()
    given = command.MAVRClassifier().get_params()
    assert (setting.parameters.tau, setting.parameters.balance) == (given["tau"], given["balance"])
    assert setting.graph.similarity == given["similarity"]
    assert setting.graph.laplacian == given["laplacian"]
    assert setting.parameters.gamma == at["gamma"]
    for axes in command.planes().values():
        for axis in axes:
            assert at[axis.name] in axis.values


def made_up(errors: dict[str, tuple[float, ...]]) -> list[Choice]:
    """errors : of each way, one for each set; the oracle never errs."""
    return [
        Choice(f"set {k}", 2, 0, "γ", way, error, 0.0)
        for way, row in errors.items()
        for k, error in enumerate(row)
    ]


@pytest.mark.parametrize(
    ("row", "better", "good"),
    [
        ((0.1, 0.1, 0.2), 2, True),
        ((0.1, 0.1, 0.2 + 2 * RUINED), 2, False),
        ((0.1, 0.2, 0.2), 1, False),
    ],
)
def test_a_criterion_has_to_be_better_on_most_sets_and_to_ruin_none(row, better, good):
    rows = made_up({"usual": (0.2, 0.2, 0.2), "evidence": row, "cut": (np.nan,) * 3})
    (said,) = verdicts(regrets(rows))
    assert (said.way, said.sets, said.better, said.deserves) == ("evidence", 3, better, good)
    assert said.largest_loss == pytest.approx(max(row) - 0.2)


def test_the_command_writes_rows_and_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "OWN", ("two_moons",))
    monkeypatch.setattr(command, "LABELS", (2,))
    monkeypatch.setattr(command, "GAMMAS", (1.0, 30.0))
    monkeypatch.setattr(command, "NEIGHBORS", (5, 7))
    parser = argparse.ArgumentParser()
    reproduce.add_parser(parser.add_subparsers())
    asked = ["reproduce", "choice", "--samplings", "2", "--out", str(tmp_path)]
    parsed = parser.parse_args(asked)
    parsed.data = []
    assert parsed.run(parsed) == 0
    with (tmp_path / "choice_rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * (1 + 6)
    text = (tmp_path / "choice.md").read_text(encoding="utf-8")
    assert text.count("| two_moons |") == 2
    assert "better than the usual setting" in text
    assert "choice.md" in capsys.readouterr().out
