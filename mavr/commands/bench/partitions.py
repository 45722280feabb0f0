"""A graph in partitions on a local cluster of two workers, beside the same solve on one machine.

Seconds are those of the clock: the work is done in other processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from mavr.commands.bench import growth, peers
from mavr.commands.bench.timing import Line, timed
from mavr.graphs.laplacians import laplacian
from mavr.graphs.partitions import sent
from mavr.graphs.similarities import knn_similarity
from mavr.solvers.solver import solve

WORKERS, PARTITIONS = 2, 4
# Required: how far the two answers may be apart, relative to the largest response.
CLOSE = 1e-9


def parted(A: Any, count: int = PARTITIONS) -> Any:
    """A sparse matrix as a dask.array with so many chunks of rows."""
    dask, da = import_module("dask"), import_module("dask.array")
    cuts = np.linspace(0, A.shape[0], count + 1).astype(int)
    chunks = [sp.csr_array(A[a:b]) for a, b in pairwise(cuts)]
    meta = sp.csr_array((0, 0))
    return da.concatenate(
        [da.from_delayed(dask.delayed(sent(c)), c.shape, meta=meta, dtype=float) for c in chunks]
    )


def lines(n: int) -> Iterator[Line]:
    """n points in the plane; nothing where `distributed` is not installed."""
    if find_spec("distributed") is None:
        return
    X, y = growth.Source().points(n)
    W = knn_similarity(X, growth.NEIGHBORS)
    Y = peers.one_hot(y, growth.LABELS_PER_CLASS, np.random.default_rng(1))
    distributed: Any = import_module("distributed")
    alone, one = timed(lambda: solve(laplacian(W), Y, balance=growth.BALANCE))
    with (
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
    ):
        made, Q = timed(lambda: laplacian(parted(W)))
        together, two = timed(lambda: solve(Q, Y, balance=growth.BALANCE))
    what = f"plane, n = {n}, {PARTITIONS} partitions, {WORKERS} workers"
    yield Line(f"{what}: Laplacian", made, "s")
    yield Line(f"{what}: solve", together, "s")
    yield Line(f"{what}: the same on one machine", alone, "s")
    apart = float(np.abs(one.H - two.H).max() / np.abs(one.H).max())
    yield Line(f"{what}: largest difference", apart, "", most=CLOSE)
    different = int((one.labels != two.labels).sum())
    yield Line(f"{what}: classes that differ", different, "", most=0)
