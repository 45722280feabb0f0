"""`python -m mavr`: every command answers, and bad input ends with one sentence."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mavr.commands.bench
import mavr.settings
from mavr.commands import cli
from mavr.commands.bench.timing import Line, best_times
from mavr.settings import Number, Similarity, register_similarity

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def blobs(tmp_path):
    """Two blobs, one labelled row each, as CSV."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 15, axis=0) + 0.5 * rng.standard_normal((30, 2))
    labels = [""] * 30
    labels[0], labels[15] = "left", "right"
    path = tmp_path / "blobs.csv"
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X, labels, strict=True)]
    path.write_text("\n".join(["width,height,label", *rows]) + "\n")
    return path


def predicted(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("similarity", ["local_scaling", "gaussian", "knn"])
@pytest.mark.parametrize("method", ["mavr", "lgc", "bavr", "laprls"])
def test_fit_writes_classes_responses_and_flags(blobs, tmp_path, method, similarity, capsys):
    out = tmp_path / "out.csv"
    options = ["--method", method, "--similarity", similarity, "--sigma", "2", "--gamma", "9"]
    assert cli.main(["fit", str(blobs), *options, "--out", str(out)]) == 0
    rows = predicted(out)
    # kNN and local scaling cut the blobs apart or nearly so; each holds its own label.
    assert [row["class"] for row in rows] == ["left"] * 15 + ["right"] * 15
    assert {row["tie"] for row in rows} == {"0"}
    assert {row["unreached"] for row in rows} == {"0"}
    assert float(rows[3]["response_left"]) > float(rows[3]["response_right"])
    assert "30 rows, 2 labelled, 2 classes" in capsys.readouterr().err


def test_fit_prints_to_standard_output_and_takes_any_label_column(blobs, capsys):
    blobs.write_text(blobs.read_text().replace("height,label", "height,kind of blob"))
    assert cli.main(["fit", str(blobs), "--label-column", "kind of blob", "--tau", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "row,class,tie,unreached,response_left,response_right"
    assert len(lines) == 31


def test_fit_leaves_unreached_rows_without_a_class(tmp_path):
    X = np.repeat([[0.0], [1000.0]], 6, axis=0) + np.arange(12)[:, None] * 0.1
    y = np.full(12, -1)
    y[0] = 4
    source, out = tmp_path / "far.npz", tmp_path / "out.csv"
    np.savez(source, X=X, y=y)
    options = ["--similarity", "gaussian", "--sigma", "1", "--out", str(out)]
    assert cli.main(["fit", str(source), *options]) == 0
    rows = predicted(out)
    assert [row["class"] for row in rows] == ["4"] * 6 + [""] * 6
    assert [row["unreached"] for row in rows] == ["0"] * 6 + ["1"] * 6


BAD = {
    "no such file": (["missing.csv"], ["missing.csv"]),
    "no such column": (["blobs.csv", "--label-column", "kind"], ["'kind'", "width, height"]),
    "gamma": (["blobs.csv", "--gamma", "-1"], ["gamma must be in 1e-12", "got -1"]),
    "no number": (["blobs.csv", "--gamma", "much"], ["gamma must be a number, got 'much'"]),
    "tau": (["blobs.csv", "--tau", "0"], ["tau must be in", "or None, got 0"]),
    "balance": (["blobs.csv", "--balance", "-1"], ["balance must be in", "or 0, got -1"]),
    "sigma": (["blobs.csv", "--similarity", "gaussian", "--sigma", "0"], ["sigma must be in"]),
    "neighbours": (["blobs.csv", "--n-neighbors", "0"], ["n_neighbors must be in 1 … 1000"]),
    "similarity": (["blobs.csv", "--similarity", "linear"], ["one of gaussian", "'linear'"]),
    "bavr": (["blobs.csv", "--method", "bavr", "--tau", "none"], ["BAVR needs"]),
    "a column of an NPZ": (["some.npz", "--label-column", "a"], ["--label-column", "CSV"]),
    "no labels": (["bare.csv"], ["bare.csv", "no label"]),
    "nothing labelled": (["none.csv"], ["label"]),
}


@pytest.mark.parametrize("name", BAD)
def test_fit_says_what_is_wrong_in_one_sentence(blobs, name, capsys, monkeypatch):
    monkeypatch.chdir(blobs.parent)
    Path("bare.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    Path("none.csv").write_text("a,b,label\n1,2,\n3,4,\n5,6,\n")
    np.savez("some.npz", X=np.eye(3), y=np.arange(3))
    arguments, words = BAD[name]
    assert cli.main(["fit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("fit: ")
    assert len(captured.err.strip().splitlines()) == 1
    for word in words:
        assert word in captured.err


def test_options_are_the_declarations(blobs, tmp_path, monkeypatch, capsys):
    """A similarity registered with a new parameter is an option without another change."""
    seen = []

    def powered(X, exponent):
        seen.append(exponent)
        d = np.linalg.norm(X[:, None] - X, axis=2)
        return np.exp(-(d**exponent)) - np.eye(len(d))

    about = Number("exponent", "Exponent", "q", "Of the distance.", 0.5, 4.0, 2.0)
    monkeypatch.setattr(mavr.settings, "SIMILARITIES", dict(mavr.settings.SIMILARITIES))
    register_similarity(Similarity("powered", "Powered", "For a test.", powered, (about,)))
    out = tmp_path / "out.csv"
    options = ["--similarity", "powered", "--exponent", "1.5", "--out", str(out)]
    assert cli.main(["fit", str(blobs), *options]) == 0
    assert seen == [1.5]
    assert [row["class"] for row in predicted(out)] == ["left"] * 15 + ["right"] * 15
    assert cli.main(["fit", str(blobs), *options, "--exponent", "9"]) == 2
    assert "exponent must be in 0.5 … 4, got 9" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["fit", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Exponent q. Of the distance. (0.5 … 4; default: 2)" in said
    for name in ("gamma", "tau", "balance", "lambda-A", "lambda-I", "power", "self-loops", "width"):
        assert f"--{name}" in said


def responses(path):
    return np.array(
        [[float(r["response_left"]), float(r["response_right"])] for r in predicted(path)]
    )


def test_tau_is_a_multiple_and_may_be_none(blobs, tmp_path):
    size = {}
    for tau in ("2", "none"):
        out = tmp_path / f"{tau}.csv"
        assert cli.main(["fit", str(blobs), "--tau", tau, "--out", str(out)]) == 0
        size[tau] = np.linalg.norm(responses(out))
    assert size["2"] == pytest.approx(2 * np.sqrt(2))
    lgc = tmp_path / "lgc.csv"
    assert cli.main(["fit", str(blobs), "--method", "lgc", "--out", str(lgc)]) == 0
    assert size["none"] == pytest.approx(np.linalg.norm(responses(lgc)))


@pytest.mark.parametrize("other", [None, ModuleType("datasets")], ids=["none", "another"])
@pytest.mark.parametrize("command", [["fit", "blobs.csv"], ["reproduce", "figure2"]])
def test_without_the_data_sets_a_sentence_says_so(blobs, command, other, monkeypatch, capsys):
    monkeypatch.chdir(blobs.parent)
    monkeypatch.setitem(sys.modules, "datasets", other)
    assert cli.main(command) == 2
    assert "the package datasets of MAVR Lab" in capsys.readouterr().err


def test_every_command_has_help(capsys):
    names = {name.removeprefix("mavr.commands.") for name in cli.COMMANDS}
    assert names == {"fit", "reproduce", "bench", "load"}
    for name in names:
        with pytest.raises(SystemExit) as ended:
            cli.main([name, "--help"])
        assert ended.value.code == 0
        assert f"usage: python -m mavr {name}" in capsys.readouterr().out


def test_the_module_runs_without_a_traceback():
    answer = subprocess.run(
        [sys.executable, "-m", "mavr", "fit", "nowhere.csv"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr
    assert "nowhere.csv" in answer.stderr


def test_bench_prints_sections_and_fails_on_a_bound_not_met(capsys, monkeypatch):
    sections = {
        "good": lambda: [Line("as it should be", 12.0, "x", 10.0), Line("a time", 3.0, "ms")],
        "bad": lambda: [Line("too slow", 2.0, "x", 10.0)],
    }
    monkeypatch.setattr(mavr.commands.bench, "SECTIONS", sections)
    assert cli.main(["bench", "--section", "good"]) == 0
    assert "as it should be" in capsys.readouterr().out
    assert cli.main(["bench"]) == 1
    printed = capsys.readouterr().out
    assert "too slow" in printed
    assert "NO" in printed


def test_the_core_section_is_there_and_its_ratios_are_ratios(monkeypatch):
    from mavr.commands.bench import core

    assert mavr.commands.bench.SECTIONS["core"] is core.lines
    setup = core.circles(60)
    monkeypatch.setattr(core, "best_times", lambda calls: best_times(calls, 0.0, 1))
    found = [
        *core._against_label_spreading("3circles", setup, 10.0),
        *core._against_fresh_start("3circles", setup, 20.0),
        *core._against_products("3circles", setup),
    ]
    assert all(line.value > 0 for line in found)
    assert [line.least for line in found if line.least] == [10.0, 20.0]


def test_label_spreading_in_the_bench_has_converged():
    from mavr.commands.bench import core

    setup = core.circles(120)
    model = setup.label_spreading()
    s = mavr.lgc(setup.S, setup.Y, core.GAMMA)
    np.testing.assert_array_equal(model.transduction_, s.labels)
