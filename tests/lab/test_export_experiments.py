"""Exported code of the pages with experiments runs, and finds what the pages find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import datasets
from lab.benchmarks.view import CODEC as BENCHMARKS
from lab.benchmarks.view import BenchmarkView
from lab.curves.view import CODEC as CURVES
from lab.curves.view import Curves, sweeps
from lab.export.experiments import benchmark_code, curves_code
from lab.export.viewfile import ViewError, read_view, write_view
from lab.map.view import CODEC as MAP
from lab.map.view import fresh_map
from mavr.experiments import Benchmark, run, run_benchmark
from mavr.experiments.benchmark import PANELS


def names_of(code: str) -> dict[str, Any]:
    """What the code leaves, run in this process."""
    assert "n_jobs=-1" in code
    assert max(map(len, code.splitlines())) <= 100
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 14
    names: dict[str, Any] = {}
    exec(compile(code.replace("n_jobs=-1", "n_jobs=1"), "exported.py", "exec"), names)
    return names


def errors(rows: Any, *names: str) -> dict[Any, float]:
    return {tuple(getattr(row, name) for name in names): row.error for row in rows}


CURVE_KEYS = ("factor", "value", "method", "sampling")


def test_code_of_the_paper_s_curves(capsys):
    view = Curves(methods=("lgc",), samplings="5")
    found = names_of(curves_code(view).replace("range(5)", "range(1)"))["rows"]
    expected = run(sweeps(view), range(1), n_jobs=1)
    assert errors(found, *CURVE_KEYS) == errors(expected, *CURVE_KEYS)
    assert "gamma 99 lgc: " in capsys.readouterr().out


@pytest.mark.parametrize("factor", ["n_labelled", "gamma"])
def test_code_of_curves_of_one_s_own(factor):
    view = replace(
        Curves(figure="own", methods=("mavr", "lgc"), samplings="5").varying(factor), steps=3
    )
    found = names_of(curves_code(view))["rows"]
    assert len(found) == 5 * 3 * 2
    assert errors(found, *CURVE_KEYS) == errors(run(sweeps(view), range(5), n_jobs=1), *CURVE_KEYS)


def test_code_of_a_benchmark():
    view = BenchmarkView(similarities=("cosine",), methods=("lgc",), low=100, high=100)
    found = names_of(benchmark_code(view))["rows"]
    panels = (PANELS["cosine"],)
    expected = run_benchmark(Benchmark(datasets.source("digits"), (100,), panels, ("lgc",), 5, 0))
    keys = ("similarity", "n", "method", "sampling")
    assert errors(found, *keys) == errors(expected, *keys)
    assert len(found) == 5


@pytest.mark.parametrize(
    ("data", "file", "words"),
    [
        ("usps", "", "datasets.fetch('usps')"),
        ("file:00000000000000aa", "mine.npz", "Stored('mine.npz')"),
        ("file:00000000000000aa", "mine.csv", "Save the points as .npz first"),
    ],
)
def test_a_benchmark_names_its_file_and_no_place_on_the_server(data, file, words):
    code = benchmark_code(BenchmarkView(data=data), file)
    assert words in code
    assert "tmp" not in code
    compile(code, "exported.py", "exec")


@pytest.mark.parametrize(
    ("kind", "codec", "view"),
    [
        ("curves", CURVES, Curves(figure="own", methods=("bavr",)).varying("gamma")),
        ("benchmarks", BENCHMARKS, BenchmarkView(low=200, high=400, seed=3)),
        ("map", MAP, replace(fresh_map(), show="disagree", side="right")),
    ],
)
def test_a_view_of_every_kind_survives_its_file(kind, codec, view):
    file = write_view(kind, codec.write(view)).encode()
    assert read_view(file, kind, codec) == (view, [])
    with pytest.raises(ViewError, match="Open it on the page"):
        read_view(file, "sets", codec)
