"""Fetching: cache, progress, local files, and no network."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets

import datasets
from datasets import DataError, fetch


@pytest.fixture
def openml(monkeypatch):
    """OpenML's answer for USPS: digits as the words 1 to 10. Counts its calls."""
    calls = []

    def answer(**arguments):
        calls.append(arguments)
        rng = np.random.default_rng(0)
        return rng.normal(size=(40, 6)), np.array([str(1 + i % 10) for i in range(40)])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", answer)
    return calls


@pytest.fixture
def offline(monkeypatch):
    def refuse(**arguments):
        warnings.warn("A network error occurred. Retrying...", UserWarning, stacklevel=2)
        raise URLError("Name or service not known")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", refuse)


def test_the_second_fetch_reads_the_cache(openml, tmp_path):
    first = fetch("usps", cache_dir=tmp_path)
    second = fetch("usps", cache_dir=tmp_path)
    assert len(openml) == 1
    assert openml[0]["data_id"] == 41082
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.y, second.y)
    assert [file.name for file in tmp_path.iterdir()] == ["usps.npz"]


def test_openml_digits_are_named_by_their_digit(openml, tmp_path):
    data = fetch("usps", cache_dir=tmp_path)
    # "10" sorts after "9", not after "1".
    assert data.y[:10].tolist() == list(range(10))
    assert data.class_names == tuple("0123456789")
    assert data.setting is not None


def test_progress_runs_to_the_end(openml, tmp_path):
    seen = []
    fetch("usps", cache_dir=tmp_path, progress=lambda part, text: seen.append((part, text)))
    parts = [part for part, _ in seen]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert any("Downloading USPS" in text for _, text in seen)


def test_a_damaged_cache_is_replaced(openml, tmp_path):
    (tmp_path / "usps.npz").write_bytes(b"half a file")
    assert fetch("usps", cache_dir=tmp_path).n == 40
    assert fetch("usps", cache_dir=tmp_path).n == 40
    assert len(openml) == 1


def test_newsgroups_become_sparse_weights(monkeypatch, tmp_path):
    words = ["graph", "kernel", "volume", "label", "cluster", "matrix"]
    rng = np.random.default_rng(0)
    posts = SimpleNamespace(
        data=[" ".join(rng.choice(words, 4)) for _ in range(60)],
        target=np.arange(60) % 2,
        target_names=["sci.space", "comp.graphics"],
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", lambda **arguments: posts)
    fetch("20news", cache_dir=tmp_path)
    data = fetch("20news", cache_dir=tmp_path)
    assert data.is_sparse
    assert data.X.shape == (60, 6)
    assert data.class_names == ("comp.graphics", "sci.space")
    assert data.y[:2].tolist() == [1, 0]
    norms = np.sqrt(data.X.multiply(data.X).sum(axis=1))
    np.testing.assert_allclose(norms, 1, rtol=1e-5)
    assert data.setting.graph.similarity == "cosine"


@pytest.mark.parametrize("name", datasets.BENCHMARKS)
def test_offline_says_what_was_tried_and_what_to_do(name, offline, tmp_path):
    with pytest.raises(DataError) as error:
        fetch(name, cache_dir=tmp_path)
    message = str(error.value)
    assert datasets.BENCHMARKS[name].source in message
    assert "Name or service not known" in message
    assert f"path='{name}.npz'" in message


def test_a_local_file_needs_no_network(offline, tmp_path):
    file = tmp_path / "mine.npz"
    np.savez(file, X=np.eye(10), y=np.arange(10))
    data = fetch("mnist", path=file)
    assert (data.name, data.n, data.class_names) == ("MNIST", 10, tuple("0123456789"))


def test_an_unknown_name_lists_the_known():
    with pytest.raises(DataError, match="usps, mnist, isolet, 20news, got 'iris'"):
        fetch("iris")


def test_a_cache_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="choose another cache_dir"):
        fetch("usps", cache_dir=tmp_path / "file" / "below")
