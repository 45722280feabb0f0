"""LapRLS against the printed formula in long doubles: no false tie, a true bound and objective."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from mpmath import mp
from scipy.spatial.distance import pdist

import datasets
import mavr
from mavr.graphs.graph import graph_of
from mavr.least_squares import deform
from tests import oracles
from tests.strategies import random_similarity, three_circles

# Below this relative margin the oracle itself may err.
MARGIN = 1e-9
# Folder with usps.npz and the like; without it, what `datasets.fetch` has kept.
# Real data where they are: a folder named by the caller, or one beside the repository.
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
FOLDER = os.environ.get("MAVR_DATA") or (str(BESIDE) if BESIDE.is_dir() else None)
FILES = {"usps": "usps", "mnist": "mnist", "isolet": "isolet", "20news": "20news_w100"}


def check(W, Y, lambda_A=1e-3, lambda_I=99.0):
    """Ties, classes, error bound and objective of one problem."""
    W = W.toarray() if sp.issparse(W) else W
    s = mavr.laprls(deform(W, lambda_A, lambda_I), Y)
    H, objective = oracles.laprls_extended(W, Y, lambda_A, lambda_I)
    reached = ~s.unreached
    size = np.abs(H).max(axis=1)
    ordered = np.sort(H, axis=1)
    apart = reached & (ordered[:, -1] - ordered[:, -2] > MARGIN * size) & (size > 1e-290)
    assert not s.ties[apart].any()
    assert not s.uncertain[apart].any()
    np.testing.assert_array_equal(s.labels[apart], H.argmax(axis=1)[apart])
    # The oracle's own rounding is some 1e-15 of each point's responses.
    assert (np.abs(s.H - H).max(axis=1) <= s.error_bound + 1e-14 * size)[reached].all()
    assert s.objective == pytest.approx(objective, rel=1e-9)
    return s, apart


@pytest.mark.parametrize("seed", [0, 1, 2, 43])
def test_three_circles_have_no_false_tie(seed):
    X, _, Y = three_circles(seed)
    s, apart = check(mavr.gaussian_similarity(X, 0.5), Y)
    assert apart.all()
    assert s.status is mavr.Status.OPTIMAL
    # Responses fall over tens of decades, and the bound with them.
    size = np.abs(s.H).max(axis=1)
    assert size.min() < 1e-30
    assert (s.error_bound <= 1e-6 * size).all()


@pytest.mark.parametrize("which", [1, 2, 3, 4, 5, "5-icml"])
def test_serendipity_sets_have_no_false_tie(which):
    data = datasets.serendipity(which, seed=0)
    Y = np.zeros((data.n, data.n_classes))
    for j in range(data.n_classes):
        Y[np.flatnonzero(data.y == j)[0], j] = 1.0
    check(graph_of(data.setting.graph, data.X).W, Y)


def graph_on(X, form):
    if form == "cosine":
        return mavr.cosine_similarity(X)
    X = X.toarray() if sp.issparse(X) else X
    if form == "gaussian":
        return mavr.gaussian_similarity(X, np.median(pdist(X)) / 3)
    return mavr.local_scaling_similarity(X)


@pytest.mark.parametrize("form", ["gaussian", "local_scaling", "cosine"])
@pytest.mark.parametrize("name", FILES)
def test_real_sets_have_no_false_tie(name, form):
    file = Path(FOLDER) / f"{FILES[name]}.npz" if FOLDER else datasets.fetched_file(name)
    if not file.exists():
        pytest.skip(f"{file} is not there; set MAVR_DATA")
    data = datasets.fetch(name, path=file)
    rng = np.random.default_rng(0)
    chosen = rng.choice(data.n, 300, replace=False)
    X, y = data.X[chosen], np.asarray(data.y)[chosen]
    Y = np.zeros((300, data.n_classes))
    for j in np.unique(y):
        Y[rng.choice(np.flatnonzero(y == j)), j] = 1.0
    check(graph_on(X, form), Y)


@pytest.mark.parametrize(("lambda_A", "lambda_I"), [(1e-6, 1.0), (1e-3, 1e6), (10.0, 0.0)])
def test_weights_far_from_usual(lambda_A, lambda_I):
    X, _, Y = three_circles(5, n=120)
    check(mavr.gaussian_similarity(X, 1.0), Y, lambda_A, lambda_I)


def test_a_true_tie_stays_a_tie():
    """The middle of a chain between two labels; and a component without a label."""
    X = np.r_[np.arange(7.0), 100.0, 101.0][:, None]
    Y = np.zeros((9, 2))
    Y[0, 0] = Y[6, 1] = 1.0
    s = mavr.laprls(mavr.deform(mavr.gaussian_similarity(X, 1.0)), Y)
    np.testing.assert_array_equal(s.ties, [0, 0, 0, 1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(s.unreached, [0, 0, 0, 0, 0, 0, 0, 1, 1])
    assert not s.uncertain.any()


def test_classes_without_labels_do_not_win():
    W = random_similarity(np.random.default_rng(0), 30, 1, 1.0)
    Y = np.zeros((30, 4))
    Y[0, 0] = Y[1, 1] = 1.0
    s, _ = check(W, Y)
    assert (s.H[:, 2:] == 0).all()


def test_the_oracle_in_forty_digits():
    X, _, Y = three_circles(1, n=18)
    W = mavr.gaussian_similarity(X, 1.5)
    H, objective = oracles.laprls_extended(W, Y, 1e-3, 99.0)
    with mp.workdps(40):
        n, l = 18, 3
        K, Wm = mp.matrix(n, n), mp.matrix(W.tolist())
        L = mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                K[i, j] = Wm[i, j] if i != j else mp.mpf(1)
                L[i, j] = -Wm[i, j] if i != j else sum(Wm[i, k] for k in range(n))
        J = mp.diag([int(given) for given in Y.any(axis=1)])
        small = mp.mpf(1e-3)
        M = J * K + small * l * mp.eye(n) + mp.mpf(99) * l / n**2 * (L * K)
        norm = fit = smooth = mp.mpf(0)
        for j in range(3):
            y = mp.matrix(Y[:, j].tolist())
            alpha = mp.lu_solve(M, y)
            h = K * alpha
            np.testing.assert_allclose(np.array(h.T, dtype=float).ravel(), H[:, j].astype(float),
                                       rtol=1e-13)  # fmt: skip
            norm += (alpha.T * h)[0]
            smooth += (h.T * (L * h))[0]
            fit += sum((y[i] - h[i]) ** 2 for i in range(n) if Y[i].any())
        total = fit / l + small * norm + mp.mpf(99) / n**2 * smooth
    assert objective == pytest.approx(float(total), rel=1e-13)
