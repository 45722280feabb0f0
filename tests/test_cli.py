"""`python -m mavr`: every command answers, and bad input ends with one sentence."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mavr.commands.bench
from mavr.commands import cli
from mavr.commands.bench.timing import Line, best_times

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
    "gamma": (["blobs.csv", "--gamma", "-1"], ["gamma must be > 0, got -1"]),
    "tau": (["blobs.csv", "--tau", "0"], ["tau must be > 0", "got 0"]),
    "balance": (["blobs.csv", "--balance", "-1"], ["balance must be >= 0", "-1"]),
    "sigma": (["blobs.csv", "--similarity", "gaussian", "--sigma", "0"], ["sigma", "> 0"]),
    "neighbours": (["blobs.csv", "--n-neighbors", "99"], ["n_neighbors", "99", "at most 29"]),
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


def test_every_command_has_help(capsys):
    names = {name.removeprefix("mavr.commands.") for name in cli.COMMANDS}
    assert names == {"fit", "reproduce", "bench"}
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
