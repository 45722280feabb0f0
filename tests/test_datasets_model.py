"""The frozen Dataset, and the plane its points are drawn in."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import datasets
from datasets import DataError, Dataset, model
from datasets.model import plane
from mavr.settings import GraphSpec


def test_arrays_are_read_only_also_after_pickling():
    data = datasets.serendipity(1)
    for copy in (data, pickle.loads(pickle.dumps(data))):
        for array in (copy.X, copy.y, copy.labelled, copy.points):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    sparse = Dataset("s", sp.csr_matrix(np.eye(3)))
    for copy in (sparse, pickle.loads(pickle.dumps(sparse))):
        with pytest.raises(ValueError, match="read-only"):
            copy.X.data[0] = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"


def test_freezing_leaves_the_caller_s_arrays_writable():
    X, y = np.zeros((3, 2)), np.zeros(3, dtype=np.int64)
    Dataset("d", X, y, ("a",))
    X[0] = y[0] = 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": np.zeros(3)}, r"\(n, d\)"),
        ({"X": np.zeros((0, 2))}, r"\(n, d\)"),
        ({"X": sp.csr_matrix((0, 2))}, "n, d >= 1"),
        ({"y": [0, 1]}, "one entry per point"),
        ({"y": [0, 1, 2]}, "class names"),
        ({"y": [0, 1, -2]}, "-2"),
        ({"Y": np.zeros((3, 3))}, "Y must have shape"),
        ({"labelled": [3]}, "labelled must hold"),
        ({"labelled": [-1]}, "labelled must hold"),
    ],
)
def test_inconsistent_data_are_refused(fields, message):
    good = {"X": np.zeros((3, 2)), "y": [0, 1, -1], "class_names": ("a", "b")}
    assert Dataset("d", **good).n == 3
    with pytest.raises(DataError, match=message):
        Dataset("d", **(good | fields))


def test_a_spec_names_the_similarities():
    with pytest.raises(ValueError, match="gaussian, local_scaling, cosine, knn, got 'linear'"):
        GraphSpec("linear")


def test_points_in_the_plane_are_the_data():
    X = np.arange(8.0).reshape(4, 2)
    assert np.array_equal(Dataset("d", X).points, X)
    assert np.array_equal(Dataset("d", X[:, :1]).points, np.column_stack([X[:, 0], np.zeros(4)]))
    assert np.array_equal(Dataset("d", sp.csr_matrix(X)).points, X)


@pytest.mark.parametrize("shape", [(50, 5), (5, 50), (2, 3), (1, 3)])
def test_points_beyond_the_plane_keep_most_variance(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1)
    points = Dataset("d", X).points
    values = np.zeros(max(2, *shape))
    singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    values[: len(singular)] = singular
    np.testing.assert_allclose(np.linalg.norm(points, axis=0), values[:2], atol=1e-6)
    np.testing.assert_array_equal(points, Dataset("d", X.copy()).points)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(300, 8), (40, 120), (60, 1500)])
def test_the_plane_is_that_of_the_singular_vectors(shape, dtype):
    rng = np.random.default_rng(0)
    # Far from the origin, the digits that matter are few.
    X = (rng.normal(size=shape) * 2.0 ** -np.minimum(np.arange(shape[1]), 40) + 7).astype(dtype)
    U, values, V = np.linalg.svd(X.astype(float) - X.mean(axis=0, dtype=float), full_matrices=False)
    signs = np.sign(V[:2, :][[0, 1], np.abs(V[:2]).argmax(axis=1)])
    expected = U[:, :2] * values[:2] * signs
    tolerance = (1e-9 if dtype == np.float64 else 1e-4) * values[0]
    np.testing.assert_allclose(plane(X), expected, atol=tolerance)


def test_a_large_set_is_drawn_with_short_numbers(monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 6)) * np.arange(1, 7)
    exact = plane(X)
    monkeypatch.setattr(model, "MAX_DOUBLES", 1000)
    short = plane(X)
    assert not np.array_equal(short, exact)
    np.testing.assert_allclose(short, exact, atol=1e-4)


def test_sparse_points_of_extreme_scale_can_be_drawn():
    X = sp.random(60, 30, density=0.2, random_state=0, format="csr")
    usual = plane(X)
    for scale in (1e-150, 1e150):
        np.testing.assert_allclose(plane(scale * X) / scale, usual, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("scale", [0.0, 1e-150, 1e150])
def test_points_of_extreme_scale_can_be_drawn(scale):
    X = scale * np.random.default_rng(1).normal(size=(20, 4))
    assert np.isfinite(plane(X)).all()


def test_sparse_points_keep_the_leading_singular_vectors():
    X = sp.random(60, 30, density=0.2, random_state=0, format="csr")
    points = Dataset("d", X).points
    singular = np.linalg.svd(X.toarray(), compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(points, axis=0), singular[:2], rtol=0.01)
    assert np.array_equal(Dataset("d", sp.csr_matrix((4, 5))).points, np.zeros((4, 2)))
