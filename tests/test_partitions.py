"""Graphs in partitions, on a cluster of two workers: the answer of one machine."""

import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr.commands.bench.partitions import parted
from mavr.graphs.laplacians import null_vector_of

distributed = pytest.importorskip("distributed")

RELATED = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 2.0]])


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]], 130, axis=0)
    W = mavr.knn_similarity(rng.normal(size=(390, 2)) + centres, 8)
    # A point that nothing reaches, and labels that are not balanced.
    W = sp.block_diag([W, sp.csr_array([[0.0]])], format="csr")
    Y = np.zeros((391, 3))
    Y[[0, 1, 130, 260], [0, 0, 1, 2]] = 1
    return sp.csr_array(W), Y


@pytest.fixture(scope="module")
def cluster():
    # Its processes import the main module, which is app.py after a test that has run the app.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        two = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        )
    with two, distributed.Client(two) as client:
        yield client


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize(
    ("P", "tau", "balance"), [(None, None, 0.0), (None, 2.0, 1.0), (RELATED, 2.0, 0.5)]
)
def test_two_workers_find_what_one_machine_finds(cluster, problem, kind, P, tau, balance):
    W, Y = problem
    s = mavr.solve(mavr.laplacian(parted(W), kind), Y, P, 20.0, tau, balance)
    alone = mavr.solve(mavr.laplacian(W, kind), Y, P, 20.0, tau, balance)
    np.testing.assert_allclose(s.H, alone.H, atol=1e-10 * np.abs(alone.H).max())
    np.testing.assert_array_equal(s.labels, alone.labels)
    np.testing.assert_array_equal(s.unreached, alone.unreached)
    assert not s.uncertain.any()
    assert s.rho == pytest.approx(alone.rho, rel=1e-10)
    assert s.volume == pytest.approx(alone.volume, rel=1e-8)


def test_blocks_stay_with_the_workers(cluster, problem):
    """What the client holds of Q are names of blocks, and every worker has some."""
    W, _ = problem
    Q = mavr.laplacian(parted(W, 4))
    assert not any(sp.issparse(block) for block in Q.blocks)
    distributed.wait(distributed.futures_of(Q.blocks))
    holders = {
        w for where in cluster.who_has(distributed.futures_of(Q.blocks)).values() for w in where
    }
    assert len(holders) == 2


def test_a_dask_array_is_a_laplacian_without_further_ado(problem):
    """Threads of this process do without a cluster; a prepared state and a power work, too."""
    W, Y = problem
    L = mavr.laplacian(W, "unnormalized")
    state = mavr.prepare(parted(L))
    for gamma in (5.0, 50.0):
        alone = mavr.solve(L, Y, gamma=gamma, tau=2.0)
        s = mavr.solve(state, Y, gamma=gamma, tau=2.0)
        np.testing.assert_allclose(s.H, alone.H, atol=1e-9 * np.abs(alone.H).max())
    assert state.knows(Y)
    squared = mavr.Laplacian(mavr.laplacian(parted(W)), 2)
    alone = mavr.solve(mavr.Laplacian(mavr.laplacian(W), 2), Y, gamma=5.0)
    s = mavr.solve(squared, Y, gamma=5.0)
    np.testing.assert_allclose(s.H, alone.H, atol=1e-9 * np.abs(alone.H).max())


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
def test_laplacian_of_partitions_is_that_of_the_whole(problem, kind, self_loops):
    W, _ = problem
    whole, parts = mavr.laplacian(W, kind, self_loops), mavr.laplacian(parted(W), kind, self_loops)
    np.testing.assert_allclose(parts @ np.eye(391), whole.toarray(), atol=1e-15)
    np.testing.assert_allclose(parts.null_vector, null_vector_of(whole), rtol=1e-14)


def test_what_is_no_laplacian_is_refused(problem):
    W, Y = problem
    Q = mavr.laplacian(W)
    with pytest.raises(ValueError, match=r"use mavr.laplacian\(W\)"):
        mavr.solve(parted(Q), Y)  # its null vector is not known
    with pytest.raises(ValueError, match="whole rows"):
        mavr.solve(parted(Q).rechunk((100, 100)), Y)
    lopsided = W.copy()
    lopsided.data[0] *= 2
    with pytest.raises(ValueError, match="must be symmetric"):
        mavr.laplacian(parted(lopsided))
    with pytest.raises(ValueError, match="W must be >= 0"):
        mavr.laplacian(parted(-1.0 * W))
